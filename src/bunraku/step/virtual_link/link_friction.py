"""Friction of a patch (Nakamura & Yamane 2000: section 4.5, (26)-(33)): the modes it can be in, their limits,
and what friction and motion together ((25b)) say of mode and direction.

Modes: STICK (no slip, no turn), SPIN (turns about a centre of rotation inside the region, which rests), SLIP (slides,
turning or not). At pv, with fz > 0, s the direction of slip, l the distance from pv to the centre of rotation, E =
exp(-l / d), d the mean distance:

    SLIP   f = -muD fz (1-E) s,  nzv = nz - pvx fy + pvy fx = -sgn(wz) muD fz d E
    SPIN   the same plus a static force at the centre, in all |f| <= muS fz
    STICK  |f| <= muS fz (31);  |nzv| <= nzS = d (muS fz - |f|) (33), from the potential centre of rotation |f| = muS fz (1-E)

A point has d = 0, no moment, E = 0. (31) and (33) are one limit, |f| + |nzv| / d <= muS fz. Beyond it the contact
slides along s = -f/|f| (32), turning with E = |nzv| / (d |f| + |nzv|) and the sign of wz opposite to nzv: f and nzS
both become muD/muS times what they were (`meant`).

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
that Newton's method takes for a slip are in link_rows.py. A spinning patch takes s and E at its new pv; it sticks if its turn reverses.
Checked in tests/step/virtual_link/test_friction.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld
from bunraku.kernel.vec import ld3
from bunraku.step.virtual_link.link_alone import apart, law, opposed, slide_alone, think_of_slip
from bunraku.step.virtual_link.link_layout import LINE, POINT, SLIP, SPIN, STICK, SURFACE, Links, Patch, response_at
from bunraku.step.virtual_link.link_region import along_surface, area_around, edge, in_line, in_polygon, radius

SLIP_SPEED = 1e-5  # m/s: a slower turn is first thought to stick
ON_LINE = 1e-3  # a centre of rotation within this part of a line's length counts as on it
CLEAR = 1e-3  # of F: a motion that says more of its direction than the force,
FAINT = 0.05  # where E is smaller
SLOWEST = 1e-12  # m/s


@inline
def distances(patch: Patch, p):
    """(distance of the point p inside the region in contact, mean distance d from it)."""
    if patch.state == SURFACE:
        return in_polygon(patch.region, p)
    if patch.state == LINE:
        return in_line(patch.region, patch.low, patch.high, p)
    return 0.0, 0.0


@inline
def stick(patch: Patch):
    """Think that a patch sticks."""
    patch.mode = STICK
    patch.fade = 0.0
    patch.sign = 0.0


@inline
def spin(patch: Patch, centre, sign):
    """Think that a patch turns about a resting centre."""
    x, y = patch.pv
    cx, cy = centre
    l = math.sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy))
    patch.mode = SPIN
    patch.centre = (cx, cy)
    patch.s = (-sign * (y - cy) / l if l > 0.0 else 0.0, sign * (x - cx) / l if l > 0.0 else 0.0)
    patch.fade = math.exp(-l / patch.d)
    patch.sign = sign
    patch.speed = 0.0


@inline
def in_contact(patch: Patch, p):
    """p lies in the region in contact; on a line, to ON_LINE of its length."""
    if patch.state == SURFACE:
        return area_around(patch.region, p) >= 0.0
    ax, ay, ex, ey = edge(patch.region, patch.low, patch.high)
    x = p[0] - ax
    y = p[1] - ay
    square = ex * ex + ey * ey
    along = x * ex + y * ey
    return 0.0 <= along <= square and abs(x * ey - y * ex) < ON_LINE * square


@inline
def turns(links: Links, patch: Patch):
    """A patch turns about a centre of rotation inside the region in contact, with the motion v (Table 2): then it is
    thought to spin."""
    v = links.v
    wz = ld(v, patch.row + 5)
    if patch.state == POINT or not abs(wz) * radius(patch.region) > SLIP_SPEED:
        return False
    centre = (-ld(v, patch.row + 1) / wz, ld(v, patch.row) / wz)
    if not in_contact(patch, centre):
        return False
    spin(patch, centre, 1.0 if wz > 0.0 else -1.0)
    return True


@inline
def settle_in(patch: Patch):
    """After a change of contact state: pv moves into the new region, d is found anew; a spinning contact becomes a
    sliding one."""
    if patch.state == POINT:
        patch.pv = patch.region.vertex[patch.low]
    elif patch.state == LINE:
        ax, ay, ex, ey = edge(patch.region, patch.low, patch.high)
        t = ((patch.pv[0] - ax) * ex + (patch.pv[1] - ay) * ey) / (ex * ex + ey * ey)
        t = min(max(t, 0.0), 1.0)
        patch.pv = (ax + t * ex, ay + t * ey)
    _, d = distances(patch, patch.pv)
    patch.d = d


@inline
def friction_force(links: Links, patch: Patch):
    """(fx, fy, nzv / d) of a patch, with its pv and d; nothing for the turn of a point."""
    fx = ld(links.f, patch.row)
    fy = ld(links.f, patch.row + 1)
    nzv = ld(links.f, patch.row + 5) - patch.pv[0] * fy + patch.pv[1] * fx
    return fx, fy, nzv / patch.d if patch.d > 0.0 else 0.0


@inline
def slip_after(links: Links, patch: Patch):
    """(ux, uy, d wz) at pv at the end of the step, or after the impact."""
    a, v, row, h = links.a, links.v, patch.row, links.numbers.h
    ax, ay = along_surface(a, row, patch.pv)
    d = max(patch.d, 0.0)
    vx, vy = along_surface(v, row, patch.pv)
    return vx + h * ax, vy + h * ay, d * (ld(v, row + 5) + h * ld(a, row + 5))


@inline
def slip_error(links: Links, patch: Patch):
    """|phi + F g(y)| [N]: how far friction is from its law."""
    motion = slip_after(links, patch)
    px, py, pz = friction_force(links, patch)
    x, y, z = law(motion)
    F = patch.region.mu_d * ld(links.f, patch.row + 2)
    x = px + F * x
    y = py + F * y
    z = pz + F * z
    return math.sqrt(x * x + y * y + z * z)


@inline
def own_response(links: Links, patch: Patch):
    """|G| of a patch."""
    px, py = patch.pv
    d = max(patch.d, 0.0)
    k = patch.row
    k00 = response_at(links, k, k)
    k01 = response_at(links, k, k + 1)
    k05 = response_at(links, k, k + 5)
    k11 = response_at(links, k + 1, k + 1)
    k15 = response_at(links, k + 1, k + 5)
    k55 = response_at(links, k + 5, k + 5)
    xx = k00 - 2.0 * py * k05 + py * py * k55
    xy = k01 + px * k05 - py * k15 - px * py * k55
    yy = k11 + 2.0 * px * k15 + px * px * k55
    xz = d * (k05 - py * k55)
    yz = d * (k15 + px * k55)
    zz = d * d * k55
    return math.sqrt(xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz))


@inline
def meant(friction, size, N):
    """The direction of motion that friction (fx, fy, nz / d) opposes; size = |f|."""
    fx, fy, nz = friction
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
def judge_slip(links: Links, patch: Patch, friction, pressure):
    """Mode and direction of a patch by the natural map, from friction (fx, fy, nz / d), pressure (fz > 0, nx, ny) and
    the motion a."""
    fx, fy, nz = friction
    fz = pressure[0]
    h = links.numbers.h
    F = patch.region.mu_d * fz
    limit = patch.region.mu_s * fz if patch.mode == STICK else F
    motion = slip_after(links, patch)
    ux, uy, uz = motion
    G = own_response(links, patch)
    step = 1.0 / (h * G) if G > 0.0 else 0.0
    size = math.sqrt(fx * fx + fy * fy)
    N = size + abs(nz)
    u = math.sqrt(ux * ux + uy * uy)
    speed = math.sqrt(u * u + uz * uz)
    ex = 0.0
    ey = 0.0
    ez = 0.0
    if step * speed > CLEAR * F and patch.mode != STICK and abs(nz) < FAINT * N:
        ex = -u * fx / size / speed if size > 0.0 else ux / speed
        ey = -u * fy / size / speed if size > 0.0 else uy / speed
        ez = uz / speed
    elif N > 0.0:
        ex, ey, ez = meant(friction, size, N)
    qx = N * ex + step * ux
    qy = N * ey + step * uy
    qz = N * ez + step * uz
    length = math.sqrt(qx * qx + qy * qy + qz * qz)
    if not length > limit:
        stick(patch)
        return
    patch.mode = SLIP
    patch.rho = math.sqrt(qx * qx + qy * qy) / length
    patch.turn = abs(qz) / length
    fade = math.exp(-patch.rho / patch.turn) if patch.turn > 0.0 else 0.0
    think_of_slip(patch, (qx, qy, qz), patch.rho * length, fade)
    patch.speed = max((length - F) / step if step > 0.0 else speed, SLOWEST)
    patch.fz = fz
    patch.wz = ld(links.v, patch.row + 5) + h * ld(links.a, patch.row + 5)
    slide_alone(links, patch, friction, pressure, motion)


@inline
def slip_by_forces(links: Links, patch: Patch):
    """Mode and direction of a patch from the forces and the motion found."""
    judge_slip(links, patch, friction_force(links, patch), ld3(links.f, patch.row + 2))


@inline
def follow_spin(patch: Patch, enough):
    """s and E of a spinning patch at its new pv.

    Returns 1 if friction changes by more than `enough` of muD fz; else all stays.
    """
    s = patch.s
    fade = patch.fade
    before = opposed(patch)
    spin(patch, patch.centre, patch.sign)
    if apart(opposed(patch), before) > enough:
        return 1
    patch.s = s
    patch.fade = fade
    return 0


@inline
def revise_slip(links: Links, patch: Patch, allowed):
    """Act on (25b) for a patch: friction that is off its law by more than `allowed` [N], unless it may as well stick.
    Returns (1 if the hypothesis changed, the error [N])."""
    fz = ld(links.f, patch.row + 2)
    if patch.mode == STICK or patch.region.mu_d == 0.0 or not fz > 0.0:
        return 0, 0.0
    h = links.numbers.h
    if patch.mode == SPIN:
        _, _, turn = slip_after(links, patch)
        if patch.sign * turn < -h * own_response(links, patch) * allowed:
            stick(patch)
            return 1, 0.0
        return follow_spin(patch, allowed / (patch.region.mu_d * fz)), 0.0
    error = slip_error(links, patch)
    if error > allowed:
        ux, uy, uz = slip_after(links, patch)
        px, py, pz = friction_force(links, patch)
        beyond = math.sqrt(px * px + py * py) + abs(pz) - patch.region.mu_d * fz
        rest = math.sqrt(ux * ux + uy * uy + uz * uz)
        resting = max(beyond, rest / max(h * own_response(links, patch), 1e-300))
        if resting > allowed:
            slip_by_forces(links, patch)
            return 1, error
        error = resting
    return 0, error
