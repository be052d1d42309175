"""The motion of a sliding or spinning patch against its friction ((25b); N7-N9), and a better guess where they disagree.

Motion is judged at the end of the step (of the impact): y = (ux, uy, d wz) at pv, u = v + dt a. The law of N9 gives friction from y:
    phi = (fx, fy, nzv / d) = -F ((1-E) s, sgn(wz) E),  F = muD fz,  s = u / |u|,  E = exp(-|u| / (d |wz|)).
A hypothesis has its own s, E, sign; it drives where s . u < 0 or sgn wz < 0, and is wrong by |phi(y) - phi| / F.

Where it fails, the patch is solved alone, the rest of the system answering through its present factors. Three unit forces (fx, fy, nz / d) at
pv give G (3 x 3), y = y_now + dt G (phi - phi_now), and how fz and pv answer. If friction drives and the phi that stops y keeps (31) and (33),
the patch sticks: reversing within the step is no slip (N7). Else it slides with the fixed point of
    eta <- F eta + y / (dt |G|), made a unit vector,
eta = (s l, sgn d) being the direction of motion that phi stands for: there eta is along y. One such guess leaves an error of second order, so
one or two more solves reach `align`. d is kept from solve to solve until it is wrong by a tenth.

A spinning patch takes s and E at its new pv; it sticks if its turn reverses. Cost: 3 back-substitutions, and some 30 ns for each of up to 60
rounds. Checked in tests/constraint/contact/test_virtual_link_friction.py.
"""

from __future__ import annotations

import math

from bunraku.constraint.contact.link_friction import slip, spin, stick
from bunraku.constraint.contact.link_layout import (
    CENTRE,
    D_NOW,
    E_T,
    HAT,
    MODE,
    MU_D,
    MU_S,
    NF,
    NP,
    NR,
    PV,
    SIGN,
    SIZE,
    SPIN,
    STICK,
    D,
    E,
    S,
    int_offsets,
    offsets,
)
from bunraku.constraint.contact.link_region import at_point
from bunraku.constraint.contact.link_rows import along, response, spread
from bunraku.constraint.contact.link_solve import solve
from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import ld, st

ROUNDS = 60
SETTLED = 1e-10
STALE = 0.1  # d is kept from solve to solve until it is wrong by this part


@inline
def slip_after(record, a, v, i, dt, impact):
    """(ux, uy, d wz) at pv at the end of the step, or after the impact."""
    x = ld(record, i * NR + PV)
    y = ld(record, i * NR + PV + 1)
    ax, ay, _ = at_point(a, 6 * i, x, y)
    d = ld(record, i * NR + D)
    if impact:
        return ax, ay, d * ld(a, 6 * i + 5)
    vx, vy, _ = at_point(v, 6 * i, x, y)
    return vx + dt * ax, vy + dt * ay, d * (ld(v, 6 * i + 5) + dt * ld(a, 6 * i + 5))


@inline
def stuck_motion(patch, record, v, goal, i, dt, impact):
    """(ux, uy, d wz) that the patch would have if it stuck: v + dt c, after an impact -e_t v."""
    x = ld(record, i * NR + PV)
    y = ld(record, i * NR + PV + 1)
    d = ld(record, i * NR + D)
    vx, vy, _ = at_point(v, 6 * i, x, y)
    wz = ld(v, 6 * i + 5)
    if impact:
        e = -ld(patch, i * NP + E_T)
        return e * vx, e * vy, e * d * wz
    cx, cy, _ = at_point(goal, 6 * i, x, y)
    return vx + dt * cx, vy + dt * cy, d * (wz + dt * ld(goal, 6 * i + 5))


@inline
def law(ux, uy, uz):
    """((1-E) sx, (1-E) sy, sgn E): what friction opposes, from the motion (u, d wz); zero at rest."""
    size = math.sqrt(ux * ux + uy * uy)
    if uz == 0.0:
        return (ux / size, uy / size, 0.0) if size > 0.0 else (0.0, 0.0, 0.0)
    fade = math.exp(-size / abs(uz))
    g = (1.0 - fade) / size if size > 0.0 else 0.0
    return g * ux, g * uy, fade if uz > 0.0 else -fade


@inline
def opposed(record, i):
    """The same three numbers of the hypothesis."""
    r = i * NR
    fade = ld(record, r + E)
    return (1.0 - fade) * ld(record, r + S), (1.0 - fade) * ld(record, r + S + 1), fade * ld(record, r + SIGN)


@inline
def slip_error(record, a, v, i, dt, impact):
    """(relative error of friction against the motion, s . u or sgn d wz where negative)."""
    ux, uy, uz = slip_after(record, a, v, i, dt, impact)
    x, y, z = law(ux, uy, uz)
    gx, gy, gz = opposed(record, i)
    error = math.sqrt((x - gx) * (x - gx) + (y - gy) * (y - gy) + (z - gz) * (z - gz))
    along_s = gx * ux + gy * uy
    g = math.sqrt(gx * gx + gy * gy)
    return error, min(along_s / g if g > 0.0 else 0.0, uz if gz > 0.0 else (-uz if gz < 0.0 else 0.0))


@inline
def patch_compliance(K, stride, p, r, i, record, work, iwork):
    """G (3 x 3, row by row) at the end of work: motion (ux, uy, d wz)' of patch i at pv for unit (fx, fy, nz / d), everything else answering;
    behind it, row by row, the answers of fz, nx, ny."""
    rows, columns, A, vectors = offsets(p, r)
    pivots, units, starts, _ = int_offsets(p, r)
    m = 6 * p + r
    n = iwork[SIZE]
    x = vectors + 2 * m
    unit = vectors + 5 * m
    moved = vectors + 6 * m
    other = vectors + 7 * m
    G = vectors + 8 * m
    px = ld(record, i * NR + PV)
    py = ld(record, i * NR + PV + 1)
    d = ld(record, i * NR + D)
    contact = iwork[starts + p]
    for c in range(3):
        for k in range(m):
            st(work, unit + k, 0.0)
        if c < 2:
            st(work, unit + 6 * i + c, 1.0)
        st(work, unit + 6 * i + 5, -py if c == 0 else (px if c == 1 else d))
        for way in range(2):  # the unit force itself, then what the other forces answer
            response(K, stride, m, work, unit, work, moved if way == 0 else other)
            if way == 1:
                for k in range(m):
                    st(work, moved + k, ld(work, moved + k) + ld(work, other + k))
                break
            for j in range(p):
                for k in range(iwork[starts + j], iwork[starts + j + 1]):
                    st(work, x + k, -along(work, moved + 6 * j, work, rows, k, iwork[units + k]))
            for k in range(contact, n):
                st(work, x + k, -ld(work, moved + 6 * p + k - contact))
            solve(work, A, n, iwork, pivots, iwork[HAT] == 0, vectors + m, x, 1, m, vectors + 4 * m)
            spread(p, work, iwork, columns, starts, n, x, work, unit)
        ux, uy, _ = at_point(work, moved + 6 * i, px, py)
        st(work, G + c, ux)
        st(work, G + 3 + c, uy)
        st(work, G + 6 + c, d * ld(work, moved + 6 * i + 5))
        for k in range(3):  # fz, nx, ny
            st(work, G + 9 + 3 * k + c, ld(work, unit + 6 * i + 2 + k))
    return G


@inline
def stopping(work, G, dt, ux, uy, uz):
    """The change of phi that makes y zero: -(dt G)^-1 y; for d = 0 its third component is zero."""
    a = ld(work, G)
    b = ld(work, G + 1)
    d = ld(work, G + 3)
    e = ld(work, G + 4)
    c = ld(work, G + 2)
    f = ld(work, G + 5)
    g = ld(work, G + 6)
    h = ld(work, G + 7)
    k = ld(work, G + 8)
    if k == 0.0:
        c = 0.0
        f = 0.0
        g = 0.0
        h = 0.0
        k = 1.0
    det = a * (e * k - f * h) - b * (d * k - f * g) + c * (d * h - e * g)
    if det == 0.0:
        return 0, 0.0, 0.0, 0.0
    s = -1.0 / (det * dt)
    return (
        1,
        s * ((e * k - f * h) * ux + (c * h - b * k) * uy + (b * f - c * e) * uz),
        s * ((f * g - d * k) * ux + (a * k - c * g) * uy + (c * d - a * f) * uz),
        s * ((d * h - e * g) * ux + (b * g - a * h) * uy + (a * e - b * d) * uz),
    )


@inline
def row3(work, at, x, y, z):
    """Three numbers in work times (x, y, z)."""
    return ld(work, at) * x + ld(work, at + 1) * y + ld(work, at + 2) * z


@inline
def settle_slip(K, stride, patch, p, r, flags, record, f, a, v, goal, i, dt, impact, driving, work, iwork):
    """Solve the sliding patch i alone and take its answer as the next hypothesis."""
    at = i * NR
    mu = ld(patch, i * NP + MU_D)
    fz = ld(f, 6 * i + 2)
    px = ld(record, at + PV)
    py = ld(record, at + PV + 1)
    if abs(ld(record, at + D_NOW) - ld(record, at + D)) > STALE * ld(record, at + D):
        st(record, at + D, ld(record, at + D_NOW))
    d = ld(record, at + D)
    G = patch_compliance(K, stride, p, r, i, record, work, iwork)
    h = 1.0 if impact else dt
    ux, uy, uz = slip_after(record, a, v, i, dt, impact)
    gx, gy, gz = opposed(record, i)
    if driving:
        wx, wy, wz = stuck_motion(patch, record, v, goal, i, dt, impact)
        solved, sx, sy, sz = stopping(work, G, h, ux - wx, uy - wy, uz - wz)
        sx -= mu * fz * gx
        sy -= mu * fz * gy
        sz -= mu * fz * gz
        if solved and math.sqrt(sx * sx + sy * sy) + abs(sz) <= ld(patch, i * NP + MU_S) * fz:
            stick(flags, record, i)
            return
    size = 0.0
    for k in range(9):
        size += ld(work, G + k) * ld(work, G + k)
    step = 1.0 / (h * math.sqrt(size)) if size > 0.0 else 0.0
    e0, e1, e2 = direction_of(record, i)
    x = gx
    y = gy
    z = gz
    for _ in range(ROUNDS):
        length = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
        if not length > 0.0:
            break
        share = 1.0 + mu * row3(work, G + 9, x - gx, y - gy, z - gz)
        F = mu * fz / share if share > 0.1 else mu * fz  # muD fz with fz answering
        c0 = -F * (x - gx)
        c1 = -F * (y - gy)
        c2 = -F * (z - gz)
        y0 = ux + h * row3(work, G, c0, c1, c2)
        y1 = uy + h * row3(work, G + 3, c0, c1, c2)
        y2 = uz + h * row3(work, G + 6, c0, c1, c2)
        if d > 0.0 and mu > 0.0:  # pv answers too
            push = F / mu
            nx = ld(f, 6 * i + 3) + row3(work, G + 12, c0, c1, c2)
            ny = ld(f, 6 * i + 4) + row3(work, G + 15, c0, c1, c2)
            y0 -= y2 / d * (nx / push - py)
            y1 += y2 / d * (-ny / push - px)
        e0 = F * e0 / length + step * y0
        e1 = F * e1 / length + step * y1
        e2 = F * e2 / length + step * y2
        nx, ny, nz = law(e0, e1, e2)
        moved = abs(nx - x) + abs(ny - y) + abs(nz - z)
        x = nx
        y = ny
        z = nz
        if moved < SETTLED:
            break
    size = math.sqrt(x * x + y * y)
    inverse = 1.0 / size if size > 0.0 else 0.0
    slip(flags, record, i, x * inverse, y * inverse, min(abs(z), 1.0), 1.0 if z > 0.0 else -1.0)


@inline
def direction_of(record, i):
    """eta = (s l, sgn d) of the hypothesis, up to its length: l = -d ln E."""
    r = i * NR
    sx = ld(record, r + S)
    sy = ld(record, r + S + 1)
    fade = ld(record, r + E)
    if not fade > 0.0:
        return sx, sy, 0.0
    l = -math.log(fade)
    return l * sx, l * sy, ld(record, r + SIGN)


@inline
def follow_spin(flags, record, i, align):
    """s and E of a spinning patch at its new pv. Returns 1 if friction changes by more than `align`; else all stays."""
    r = i * NR
    sx = ld(record, r + S)
    sy = ld(record, r + S + 1)
    fade = ld(record, r + E)
    gx, gy, gz = opposed(record, i)
    cx = ld(record, r + CENTRE)
    cy = ld(record, r + CENTRE + 1)
    px = ld(record, r + PV)
    py = ld(record, r + PV + 1)
    spin(flags, record, i, cx, cy, px, py, ld(record, r + D), ld(record, r + SIGN))
    x, y, z = opposed(record, i)
    if abs(x - gx) + abs(y - gy) + abs(z - gz) > align:
        return 1
    st(record, r + S, sx)
    st(record, r + S + 1, sy)
    st(record, r + E, fade)
    return 0


@inline
def revise_slip(K, stride, patch, p, r, flags, record, f, a, v, goal, i, dt, impact, tolerance, align, work, iwork):
    """Act on (25b) for patch i: friction that drives by more than `tolerance` [m/s], or differs by more than `align` of muD fz from the law
    for the motion it meets. Returns 1 if the hypothesis changed."""
    mode = flags[i * NF + MODE]
    at = i * NR
    if mode == STICK or ld(patch, i * NP + MU_D) == 0.0:
        return 0
    error, drive = slip_error(record, a, v, i, dt, impact)
    if mode == SPIN:
        _, _, turn = slip_after(record, a, v, i, dt, impact)
        if ld(record, at + SIGN) * turn < -tolerance:
            stick(flags, record, i)
            return 1
        return follow_spin(flags, record, i, align)
    driving = drive < -tolerance
    if driving or error > align:
        settle_slip(K, stride, patch, p, r, flags, record, f, a, v, goal, i, dt, impact, driving, work, iwork)
        return 1
    return 0
