"""A sliding patch by itself: the direction that friction and motion agree on while everything else keeps its force.

The patch's own six rows say how it moves: G (3 x 3), the motion y = (ux, uy, d wz)' at pv for (fx, fy, nz / d), the
patch keeping its contact (its fz, nx, ny answer so that the touching points keep their normal motion). From the motion
y0 with friction phi0, look for
    y = y0 + h G (phi - phi0),   phi = -F g(y),   F = muD fz, fz and pv answering,
by eta <- F eta + y / (h |G|), made a unit vector; eta is along y where it rests. Cost: some 30 ns a round, up to
ROUNDS. For a patch that is alone in its island the answer is exact, so that the next solve is the last; where several
slide at once it is a better beginning for Newton's method. Checked in tests/step/virtual_link/test_friction.py and
test_virtual_link_random.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.step.virtual_link.link_layout import (
    FZ,
    LINE,
    MU_D,
    NF,
    NP,
    NR,
    POINT,
    PV,
    RHO,
    SIGN,
    SPEED,
    STATE,
    SURFACE,
    TURN,
    WZ,
    D,
    E,
    I,
    J,
    S,
)
from bunraku.step.virtual_link.link_region import vertex

ROUNDS = 60
SETTLED = 1e-9
LEAST = 0.1  # of fz: what may be left of it for the answer to count
SPARE = 60  # numbers of scratch: G and the answers of fz, nx, ny, row by row; the normal rows; their matrix


@inline
def law(ux, uy, uz):
    """g: what friction opposes, from the motion (u, d wz); zero at rest."""
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
def normal_rows(patch, flags, i, work, at):
    """The rows that keep patch i touching, six numbers each: vz at a point of it, and the turns across; returns their
    number."""
    state = flags[i * NF + STATE]
    ax, ay = (0.0, 0.0) if state == SURFACE else vertex(patch, i, flags[i * NF + I])
    count = 1 if state == POINT else (2 if state == LINE else 3)
    for k in range(6 * count):
        st(work, at + k, 0.0)
    st(work, at + 2, 1.0)
    st(work, at + 3, ay)
    st(work, at + 4, -ax)
    if state == LINE:
        bx, by = vertex(patch, i, flags[i * NF + J])
        st(work, at + 8, 1.0)
        st(work, at + 9, by)
        st(work, at + 10, -bx)
    elif state == SURFACE:
        st(work, at + 9, 1.0)
        st(work, at + 16, 1.0)
    return count


@inline
def own_motion(K, stride, i, work, row, k):
    """Component k of the motion of patch i for the wrench work[row .. row + 5]."""
    at = (6 * i + k) * stride + 6 * i
    x = 0.0
    for j in range(6):
        x += ld(K, at + j) * ld(work, row + j)
    return x


@inline
def product(work, a, b):
    """Of two rows of six."""
    x = 0.0
    for k in range(6):
        x += ld(work, a + k) * ld(work, b + k)
    return x


@inline
def alone_response(K, stride, patch, flags, record, i, work, spare):
    """G at work[spare], the answers of fz, nx, ny behind it. Returns 0 where the patch cannot keep its contact."""
    rows = spare + 18
    A = rows + 18
    wrench = A + 9
    moved = wrench + 6
    n = normal_rows(patch, flags, i, work, rows)
    px = ld(record, i * NR + PV)
    py = ld(record, i * NR + PV + 1)
    d = ld(record, i * NR + D)
    for c in range(n):  # L D L' of rows K rows'
        for k in range(6):
            st(work, moved + k, own_motion(K, stride, i, work, rows + 6 * c, k))
        for b in range(c, n):
            st(work, A + 3 * c + b, product(work, rows + 6 * b, moved))
    largest = ld(work, A)
    for c in range(n):
        pivot = ld(work, A + 4 * c)
        if not pivot > 1e-9 * largest:
            return 0
        for b in range(c + 1, n):
            l = ld(work, A + 3 * c + b) / pivot
            for k in range(b, n):
                st(work, A + 3 * b + k, ld(work, A + 3 * b + k) - l * ld(work, A + 3 * c + k))
    for c in range(3):
        for k in range(6):
            st(work, wrench + k, 0.0)
        if c < 2:
            st(work, wrench + c, 1.0)
        st(work, wrench + 5, -py if c == 0 else (px if c == 1 else d))
        for k in range(6):
            st(work, moved + k, own_motion(K, stride, i, work, wrench, k))
        x0 = -product(work, rows, moved)
        x1 = -product(work, rows + 6, moved) if n > 1 else 0.0
        x2 = -product(work, rows + 12, moved) if n > 2 else 0.0
        if n > 1:
            x1 -= ld(work, A + 1) / ld(work, A) * x0
        if n > 2:
            x2 -= ld(work, A + 2) / ld(work, A) * x0 + ld(work, A + 5) / ld(work, A + 4) * x1
            x2 /= ld(work, A + 8)
        if n > 1:
            x1 = x1 / ld(work, A + 4) - (ld(work, A + 5) / ld(work, A + 4) * x2 if n > 2 else 0.0)
        x0 = x0 / ld(work, A) - (ld(work, A + 1) / ld(work, A) * x1 if n > 1 else 0.0)
        x0 -= ld(work, A + 2) / ld(work, A) * x2 if n > 2 else 0.0
        for k in range(6):
            y = x0 * ld(work, rows + k)
            if n > 1:
                y += x1 * ld(work, rows + 6 + k)
            if n > 2:
                y += x2 * ld(work, rows + 12 + k)
            st(work, wrench + k, ld(work, wrench + k) + y)
        for k in range(3):
            st(work, spare + 9 + 3 * k + c, ld(work, wrench + 2 + k))
        turn = own_motion(K, stride, i, work, wrench, 5)
        st(work, spare + c, own_motion(K, stride, i, work, wrench, 0) - py * turn)
        st(work, spare + 3 + c, own_motion(K, stride, i, work, wrench, 1) + px * turn)
        st(work, spare + 6 + c, d * turn)
    return 1


@inline
def row3(work, at, x, y, z):
    """Three numbers in work times (x, y, z)."""
    return ld(work, at) * x + ld(work, at + 1) * y + ld(work, at + 2) * z


@inline
def slide_alone(K, stride, patch, flags, record, fx, fy, fz, nz, nx, ny, ux, uy, uz, i, h, work, spare):
    """Bring the direction of the sliding patch i to rest: from friction (fx, fy, nz), pressure fz, nx, ny and the
    motion (ux, uy, uz) with them."""
    r = i * NR
    mu = ld(patch, i * NP + MU_D)
    if not mu * fz > 0.0 or not alone_response(K, stride, patch, flags, record, i, work, spare):
        return
    px = ld(record, r + PV)
    py = ld(record, r + PV + 1)
    d = ld(record, r + D)
    size = 0.0
    for k in range(9):
        size += ld(work, spare + k) * ld(work, spare + k)
    size = h * math.sqrt(size)
    if not size > 0.0:
        return
    ex = ld(record, r + RHO) * ld(record, r + S)
    ey = ld(record, r + RHO) * ld(record, r + S + 1)
    ez = ld(record, r + TURN) * ld(record, r + SIGN)
    gx, gy, gz = opposed(record, i)
    F = mu * fz
    x = ux
    y = uy
    z = uz
    settled = False
    for _ in range(ROUNDS):
        # fz answers linearly to phi = -mu fz g: fz (1 + mu B.g) = fz0 - B.phi0
        share = 1.0 + mu * row3(work, spare + 9, gx, gy, gz)
        now = fz - row3(work, spare + 9, fx, fy, nz)
        push = now / share if share > LEAST else fz
        if not push > LEAST * fz:
            return
        F = mu * push
        cx = -F * gx - fx
        cy = -F * gy - fy
        cz = -F * gz - nz
        x = ux + h * row3(work, spare, cx, cy, cz)
        y = uy + h * row3(work, spare + 3, cx, cy, cz)
        z = uz + h * row3(work, spare + 6, cx, cy, cz)
        if d > 0.0:  # pv answers too
            tx = nx + row3(work, spare + 12, cx, cy, cz)
            ty = ny + row3(work, spare + 15, cx, cy, cz)
            x -= z / d * (tx / push - py)
            y += z / d * (-ty / push - px)
        ex = F * ex + x / size
        ey = F * ey + y / size
        ez = F * ez + z / size
        length = math.sqrt(ex * ex + ey * ey + ez * ez)
        if not length > 0.0:
            return
        ex /= length
        ey /= length
        ez /= length
        lx, ly, lz = law(ex, ey, ez)
        moved = abs(lx - gx) + abs(ly - gy) + abs(lz - gz)
        gx = lx
        gy = ly
        gz = lz
        if moved < SETTLED:
            settled = True
            break
    speed = x * ex + y * ey + z * ez
    if not (settled and speed > 0.0):
        return
    rho = math.sqrt(ex * ex + ey * ey)
    st(record, r + S, ex / rho if rho > 0.0 else 1.0)
    st(record, r + S + 1, ey / rho if rho > 0.0 else 0.0)
    st(record, r + E, abs(gz))
    st(record, r + SIGN, 1.0 if ez > 0.0 else (-1.0 if ez < 0.0 else 0.0))
    st(record, r + RHO, rho)
    st(record, r + TURN, abs(ez))
    st(record, r + SPEED, speed)
    st(record, r + FZ, F / mu)
    st(record, r + WZ, z / d if d > 0.0 else 0.0)
