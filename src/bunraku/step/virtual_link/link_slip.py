"""The motion of a sliding patch against its friction ((25b)), and what both together say of its mode and
direction.

Motion is judged at the end of the step (of the impact): y = (ux, uy, d wz) at pv, u = v + h a. The law of friction
gives friction from y:
    phi = (fx, fy, nzv / d) = -F g(y),  F = muD fz,  g = ((1-E) s, sgn(wz) E),  s = u / |u|,  E = exp(-|u| / (d |wz|)).

Natural map. With N = |f| + |nzv| / d and eta the direction of motion that phi stands for, q = N eta + y / (h |G|),
where G (3 x 3) is the patch's own response to (fx, fy, nz / d) at pv. A patch whose |q| is within its limit sticks;
else it slides along q, at the speed t = (|q| - F) h |G|. At a solution q is N eta, or F eta + y / (h |G|) with eta
along y, so it says the same; away from one it weighs force against motion and does not jump where a slip is slow. eta
is that of y with s from f where there is a clear motion (phi says little of a small turn: E is exponential), else that
of phi, eta ~ (-f/|f| ln(1/E), -sgn(nzv)), E = |nzv| / (d N).

Before it becomes the next hypothesis the direction is brought to rest for the patch alone (link_alone.py). The rows
that Newton's method takes for a slip
are in link_rows.py. A spinning patch takes s and E at its new pv; it sticks if its turn reverses.
Checked in tests/step/virtual_link/test_friction.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.step.virtual_link.link_alone import law, opposed, slide_alone
from bunraku.step.virtual_link.link_friction import friction_force, spin, stick
from bunraku.step.virtual_link.link_layout import (
    CENTRE,
    FZ,
    MODE,
    MU_D,
    MU_S,
    NF,
    NP,
    NR,
    PV,
    RHO,
    SIGN,
    SLIP,
    SPEED,
    SPIN,
    STICK,
    TURN,
    WZ,
    D,
    E,
    S,
)
from bunraku.step.virtual_link.link_region import at_point

CLEAR = 1e-3  # of F: a motion that says more of its direction than the force,
FAINT = 0.05  # where E is smaller
SLOWEST = 1e-12  # m/s


@inline
def slip_after(record, a, v, i, h, impact):
    """(ux, uy, d wz) at pv at the end of the step, or after the impact."""
    x = ld(record, i * NR + PV)
    y = ld(record, i * NR + PV + 1)
    ax, ay, _ = at_point(a, 6 * i, x, y)
    d = max(ld(record, i * NR + D), 0.0)
    if impact:
        return ax, ay, d * ld(a, 6 * i + 5)
    vx, vy, _ = at_point(v, 6 * i, x, y)
    return vx + h * ax, vy + h * ay, d * (ld(v, 6 * i + 5) + h * ld(a, 6 * i + 5))


@inline
def slip_error(patch, record, f, a, v, i, h, impact):
    """|phi + F g(y)| [N]: how far friction is from its law."""
    ux, uy, uz = slip_after(record, a, v, i, h, impact)
    px, py, pz = friction_force(record, f, i)
    x, y, z = law(ux, uy, uz)
    F = ld(patch, i * NP + MU_D) * ld(f, 6 * i + 2)
    x = px + F * x
    y = py + F * y
    z = pz + F * z
    return math.sqrt(x * x + y * y + z * z)


@inline
def own_response(K, stride, record, i):
    """|G| of patch i."""
    px = ld(record, i * NR + PV)
    py = ld(record, i * NR + PV + 1)
    d = max(ld(record, i * NR + D), 0.0)
    k0 = 6 * i * stride + 6 * i
    k1 = k0 + stride
    k00 = ld(K, k0)
    k01 = ld(K, k0 + 1)
    k05 = ld(K, k0 + 5)
    k11 = ld(K, k1 + 1)
    k15 = ld(K, k1 + 5)
    k55 = ld(K, k0 + 5 * stride + 5)
    xx = k00 - 2.0 * py * k05 + py * py * k55
    xy = k01 + px * k05 - py * k15 - px * py * k55
    yy = k11 + 2.0 * px * k15 + px * px * k55
    xz = d * (k05 - py * k55)
    yz = d * (k15 + px * k55)
    zz = d * d * k55
    return math.sqrt(xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz))


@inline
def meant(fx, fy, fz, nz, size, N):
    """The direction of motion that friction (fx, fy, nz) opposes; size = |f|."""
    fade = abs(nz) / N
    sign = -1.0 if nz > 0.0 else 1.0
    if not fade > 0.0:
        return -fx / size, -fy / size, 0.0
    if not size > 0.0:
        return 0.0, 0.0, sign
    l = -math.log(fade)
    inverse = 1.0 / math.sqrt(l * l + 1.0)
    return -fx / size * l * inverse, -fy / size * l * inverse, sign * inverse


@inline
def judge_slip(K, stride, patch, flags, record, fx, fy, fz, nz, nx, ny, a, v, i, h, impact, work, spare):
    """Mode and direction of patch i by the natural map, from friction (fx, fy, nz / d), fz > 0 and the motion a."""
    r = i * NR
    F = ld(patch, i * NP + MU_D) * fz
    limit = ld(patch, i * NP + MU_S) * fz if flags[i * NF + MODE] == STICK else F
    ux, uy, uz = slip_after(record, a, v, i, h, impact)
    G = own_response(K, stride, record, i)
    step = 1.0 / (h * G) if G > 0.0 else 0.0
    size = math.sqrt(fx * fx + fy * fy)
    N = size + abs(nz)
    u = math.sqrt(ux * ux + uy * uy)
    speed = math.sqrt(u * u + uz * uz)
    ex = 0.0
    ey = 0.0
    ez = 0.0
    if step * speed > CLEAR * F and flags[i * NF + MODE] != STICK and abs(nz) < FAINT * N:
        ex = -u * fx / size / speed if size > 0.0 else ux / speed
        ey = -u * fy / size / speed if size > 0.0 else uy / speed
        ez = uz / speed
    elif N > 0.0:
        ex, ey, ez = meant(fx, fy, fz, nz, size, N)
    qx = N * ex + step * ux
    qy = N * ey + step * uy
    qz = N * ez + step * uz
    length = math.sqrt(qx * qx + qy * qy + qz * qz)
    if not length > limit:
        stick(flags, record, i)
        return
    rho = math.sqrt(qx * qx + qy * qy) / length
    w = abs(qz) / length
    flags[i * NF + MODE] = SLIP
    st(record, r + S, qx / (rho * length) if rho > 0.0 else 1.0)
    st(record, r + S + 1, qy / (rho * length) if rho > 0.0 else 0.0)
    st(record, r + E, math.exp(-rho / w) if w > 0.0 else 0.0)
    st(record, r + SIGN, 1.0 if qz > 0.0 else (-1.0 if qz < 0.0 else 0.0))
    st(record, r + RHO, rho)
    st(record, r + TURN, w)
    st(record, r + SPEED, max((length - F) / step if step > 0.0 else speed, SLOWEST))
    st(record, r + FZ, fz)
    st(record, r + WZ, (0.0 if impact else ld(v, 6 * i + 5)) + h * ld(a, 6 * i + 5))
    slide_alone(K, stride, patch, flags, record, fx, fy, fz, nz, nx, ny, ux, uy, uz, i, h, work, spare)


@inline
def slip_by_forces(K, stride, patch, flags, record, f, a, v, i, h, impact, work, spare):
    """Mode and direction of patch i from the forces and the motion found."""
    x, y, z = friction_force(record, f, i)
    fz = ld(f, 6 * i + 2)
    nx = ld(f, 6 * i + 3)
    ny = ld(f, 6 * i + 4)
    judge_slip(K, stride, patch, flags, record, x, y, fz, z, nx, ny, a, v, i, h, impact, work, spare)


@inline
def follow_spin(flags, record, i, enough):
    """s and E of a spinning patch at its new pv.

    Returns 1 if friction changes by more than `enough` of muD fz; else all stays.
    """
    r = i * NR
    sx = ld(record, r + S)
    sy = ld(record, r + S + 1)
    fade = ld(record, r + E)
    gx, gy, gz = opposed(record, i)
    cx = ld(record, r + CENTRE)
    cy = ld(record, r + CENTRE + 1)
    spin(flags, record, i, cx, cy, ld(record, r + PV), ld(record, r + PV + 1), ld(record, r + D), ld(record, r + SIGN))
    x, y, z = opposed(record, i)
    if abs(x - gx) + abs(y - gy) + abs(z - gz) > enough:
        return 1
    st(record, r + S, sx)
    st(record, r + S + 1, sy)
    st(record, r + E, fade)
    return 0


@inline
def revise_slip(K, stride, patch, flags, record, f, a, v, i, h, impact, allowed, work, spare):
    """Act on (25b) for patch i: friction that is off its law by more than `allowed` [N], unless it may as well stick.
    Returns (1 if the hypothesis changed, the error [N])."""
    mode = flags[i * NF + MODE]
    fz = ld(f, 6 * i + 2)
    if mode == STICK or ld(patch, i * NP + MU_D) == 0.0 or not fz > 0.0:
        return 0, 0.0
    if mode == SPIN:
        _, _, turn = slip_after(record, a, v, i, h, impact)
        if ld(record, i * NR + SIGN) * turn < -h * own_response(K, stride, record, i) * allowed:
            stick(flags, record, i)
            return 1, 0.0
        return follow_spin(flags, record, i, allowed / (ld(patch, i * NP + MU_D) * fz)), 0.0
    error = slip_error(patch, record, f, a, v, i, h, impact)
    if error > allowed:
        ux, uy, uz = slip_after(record, a, v, i, h, impact)
        px, py, pz = friction_force(record, f, i)
        beyond = math.sqrt(px * px + py * py) + abs(pz) - ld(patch, i * NP + MU_D) * fz
        rest = math.sqrt(ux * ux + uy * uy + uz * uz)
        resting = max(beyond, rest / max(h * own_response(K, stride, record, i), 1e-300))
        if resting > allowed:
            slip_by_forces(K, stride, patch, flags, record, f, a, v, i, h, impact, work, spare)
            return 1, error
        error = resting
    return 0, error
