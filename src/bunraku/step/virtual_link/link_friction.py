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
from bunraku.kernel.lanes import ld, st
from bunraku.step.virtual_link.link_layout import (
    CENTRE,
    LINE,
    MODE,
    MU_S,
    NF,
    NP,
    NR,
    POINT,
    PV,
    SIGN,
    SPEED,
    SPIN,
    STATE,
    STICK,
    SURFACE,
    D,
    E,
    I,
    J,
    S,
)
from bunraku.step.virtual_link.link_region import in_hull, in_line, in_polygon, radius, vertex

SLIP_SPEED = 1e-5  # m/s: a slower turn is first thought to stick
ON_LINE = 1e-3  # a centre of rotation within this part of a line's length counts as on it


@inline
def distances(patch, flags, i, x, y):
    """(distance of (x, y) inside the region in contact, mean distance d from it)."""
    state = flags[i * NF + STATE]
    if state == SURFACE:
        return in_polygon(patch, i, x, y)
    if state == LINE:
        return in_line(patch, i, flags[i * NF + I], flags[i * NF + J], x, y)
    return 0.0, 0.0


@inline
def stick(flags, record, i):
    """Think that patch i sticks."""
    flags[i * NF + MODE] = STICK
    st(record, i * NR + E, 0.0)
    st(record, i * NR + SIGN, 0.0)


@inline
def spin(flags, record, i, cx, cy, x, y, d, sign):
    """Think that patch i turns about the resting centre c, with pv at (x, y)."""
    flags[i * NF + MODE] = SPIN
    r = i * NR
    l = math.sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy))
    st(record, r + CENTRE, cx)
    st(record, r + CENTRE + 1, cy)
    st(record, r + S, -sign * (y - cy) / l if l > 0.0 else 0.0)
    st(record, r + S + 1, sign * (x - cx) / l if l > 0.0 else 0.0)
    st(record, r + E, math.exp(-l / d))
    st(record, r + SIGN, sign)
    st(record, r + SPEED, 0.0)


@inline
def in_contact(patch, flags, i, x, y):
    """(x, y) lies in the region in contact; on a line, to ON_LINE of its length."""
    if flags[i * NF + STATE] == SURFACE:
        return in_hull(patch, i, x, y)
    ax, ay = vertex(patch, i, flags[i * NF + I])
    bx, by = vertex(patch, i, flags[i * NF + J])
    ex = bx - ax
    ey = by - ay
    square = ex * ex + ey * ey
    along = (x - ax) * ex + (y - ay) * ey
    return 0.0 <= along <= square and abs((x - ax) * ey - (y - ay) * ex) < ON_LINE * square


@inline
def turns(patch, flags, record, v, i):
    """Patch i turns about a centre of rotation inside the region in contact, with the motion v (Table 2): then it is
    thought to spin."""
    r = i * NR
    wz = ld(v, 6 * i + 5)
    if flags[i * NF + STATE] == POINT or not abs(wz) * radius(patch, i) > SLIP_SPEED:
        return False
    cx = -ld(v, 6 * i + 1) / wz
    cy = ld(v, 6 * i) / wz
    if not in_contact(patch, flags, i, cx, cy):
        return False
    spin(
        flags,
        record,
        i,
        cx,
        cy,
        ld(record, r + PV),
        ld(record, r + PV + 1),
        ld(record, r + D),
        1.0 if wz > 0.0 else -1.0,
    )
    return True


@inline
def settle_in(patch, flags, record, i):
    """After a change of contact state: pv moves into the new region, d is found anew; a spinning contact becomes a
    sliding one."""
    at = i * NF
    r = i * NR
    if flags[at + STATE] == POINT:
        x, y = vertex(patch, i, flags[at + I])
        st(record, r + PV, x)
        st(record, r + PV + 1, y)
    elif flags[at + STATE] == LINE:
        ax, ay = vertex(patch, i, flags[at + I])
        bx, by = vertex(patch, i, flags[at + J])
        ex = bx - ax
        ey = by - ay
        t = ((ld(record, r + PV) - ax) * ex + (ld(record, r + PV + 1) - ay) * ey) / (ex * ex + ey * ey)
        t = min(max(t, 0.0), 1.0)
        st(record, r + PV, ax + t * ex)
        st(record, r + PV + 1, ay + t * ey)
    _, d = distances(patch, flags, i, ld(record, r + PV), ld(record, r + PV + 1))
    st(record, r + D, d)


@inline
def friction_force(record, f, i):
    """(fx, fy, nzv / d) of patch i, with pv and d of the record; nothing for the turn of a point."""
    fx = ld(f, 6 * i)
    fy = ld(f, 6 * i + 1)
    r = i * NR
    d = ld(record, r + D)
    nzv = ld(f, 6 * i + 5) - ld(record, r + PV) * fy + ld(record, r + PV + 1) * fx
    return fx, fy, nzv / d if d > 0.0 else 0.0


@inline
def friction_limits(patch, record, f, i):
    """(muS fz - |f|, nzS - |nzv|) of patch i, with pv and d of the record."""
    fx, fy, turn = friction_force(record, f, i)
    margin = ld(patch, i * NP + MU_S) * ld(f, 6 * i + 2) - math.sqrt(fx * fx + fy * fy)
    return margin, ld(record, i * NR + D) * (margin - abs(turn))
