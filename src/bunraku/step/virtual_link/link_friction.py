"""Friction of a patch (Nakamura & Yamane 2000: section 4.5, (26)-(33)): the modes it can be in, and their limits.

Modes: STICK (no slip, no turn), SPIN (turns about a centre of rotation inside the region, which rests), SLIP (slides,
turning or not). At pv, with fz > 0, s the direction of slip, l the distance from pv to the centre of rotation, E =
exp(-l / d), d the mean distance:

    SLIP   f = -muD fz (1-E) s,  nzv = nz - pvx fy + pvy fx = -sgn(wz) muD fz d E
    SPIN   the same plus a static force at the centre, in all |f| <= muS fz
    STICK  |f| <= muS fz (31);  |nzv| <= nzS = d (muS fz - |f|) (33), from the potential centre of rotation |f| = muS fz (1-E)

A point has d = 0, no moment, E = 0. (31) and (33) are one limit, |f| + |nzv| / d <= muS fz. Beyond it the contact
slides along s = -f/|f| (32), turning with E = |nzv| / (d |f| + |nzv|) and the sign of wz opposite to nzv: f and nzS
both become muD/muS times what they were (`meant` in link_slip.py, where motion and friction together decide). Checked
in tests/step/virtual_link/test_friction.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld
from bunraku.step.virtual_link.link_layout import LINE, POINT, SPIN, STICK, SURFACE, Links, Patch
from bunraku.step.virtual_link.link_region import edge, in_hull, in_line, in_polygon, radius

SLIP_SPEED = 1e-5  # m/s: a slower turn is first thought to stick
ON_LINE = 1e-3  # a centre of rotation within this part of a line's length counts as on it


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
        return in_hull(patch.region, p)
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
def friction_limits(links: Links, patch: Patch):
    """(muS fz - |f|, nzS - |nzv|) of a patch, with its pv and d."""
    fx, fy, turn = friction_force(links, patch)
    margin = patch.region.mu_s * ld(links.f, patch.row + 2) - math.sqrt(fx * fx + fy * fy)
    return margin, patch.d * (margin - abs(turn))
