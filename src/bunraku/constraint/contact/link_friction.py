"""Friction of a patch (000: section 4.5, (26)-(33); N9): the mode it is thought to be in, the limits of a mode, and the law of a slip.

Modes: STICK (no slip, no turn), SPIN (turns about a centre of rotation inside the region, which rests), SLIP (slides, turning or not).
At pv, with fz > 0, s the direction of slip, l the distance from pv to the centre of rotation, E = exp(-l / d), d the mean distance:

    SLIP   f = -muD fz (1-E) s,  nzv = nz - pvx fy + pvy fx = -sgn(wz) muD fz d E
    SPIN   the same plus a static force at the centre, in all |f| <= muS fz
    STICK  |f| <= muS fz (31);  |nzv| <= nzS = d (muS fz - |f|) (33), from the potential centre of rotation |f| = muS fz (1-E)

A point has d = 0, no moment, E = 0. On (31) the contact slides along s = -f/|f| (32) with E = 0 (l -> infinity); on (33) it slides and turns with
E = 1 - |f| / (muS fz) and the sign of wz opposite to nzv: f and nzS both become muD/muS times what they were.

What the motion says of a sliding contact: bunraku.constraint.contact.link_slip. Checked in
tests/constraint/contact/test_virtual_link_friction.py.
"""

from __future__ import annotations

import math

from bunraku.constraint.contact.link_layout import (
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
    SLIP,
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
from bunraku.constraint.contact.link_region import at_point, in_hull, in_line, in_polygon, radius, vertex
from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import ld, st

SLIP_SPEED = 1e-5  # m/s: a slower contact is first thought to stick
LIMIT = 1e-10  # relative: what rounding may add to a force at its limit
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
def slip(flags, record, i, sx, sy, fade, sign):
    """Think that patch i slides along s."""
    flags[i * NF + MODE] = SLIP
    r = i * NR
    st(record, r + S, sx)
    st(record, r + S + 1, sy)
    st(record, r + E, fade)
    st(record, r + SIGN, sign)


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
def hypothesise_mode(patch, flags, record, v, i):
    """If patch i has no mode: that of its present motion v at the pv of the record (Table 2). If it moves and has no d (-1): its d."""
    r = i * NR
    x = ld(record, r + PV)
    y = ld(record, r + PV + 1)
    wz = ld(v, 6 * i + 5)
    vx, vy, _ = at_point(v, 6 * i, x, y)
    speed = math.sqrt(vx * vx + vy * vy)
    new = flags[i * NF + MODE] == 0
    turns = False
    if new:
        turns = abs(wz) * radius(patch, i) > SLIP_SPEED and flags[i * NF + STATE] != POINT
        if not (speed > SLIP_SPEED or turns):
            stick(flags, record, i)
    if flags[i * NF + MODE] == STICK:
        return
    if ld(record, r + D) < 0.0:
        _, d = distances(patch, flags, i, x, y)
        st(record, r + D, d)
    if not new:
        return
    if not turns:
        slip(flags, record, i, vx / speed, vy / speed, 0.0, 0.0)
        return
    d = ld(record, r + D)
    sign = 1.0 if wz > 0.0 else -1.0
    cx = -ld(v, 6 * i + 1) / wz  # centre of rotation (N7)
    cy = ld(v, 6 * i) / wz
    if in_contact(patch, flags, i, cx, cy):
        spin(flags, record, i, cx, cy, x, y, d, sign)
    else:
        slip(flags, record, i, vx / speed, vy / speed, math.exp(-speed / (abs(wz) * d)), sign)


@inline
def follow_state(patch, flags, record, i):
    """After a change of contact state: pv moves to the new region, d is to be found (-1), a spinning contact needs a new mode (0)."""
    at = i * NF
    r = i * NR
    state = flags[at + STATE]
    if state == POINT:
        x, y = vertex(patch, i, flags[at + I])
        st(record, r + PV, x)
        st(record, r + PV + 1, y)
        st(record, r + E, 0.0)
    st(record, r + D, 0.0 if state == POINT else -1.0)
    if state == LINE:
        ax, ay = vertex(patch, i, flags[at + I])
        bx, by = vertex(patch, i, flags[at + J])
        ex = bx - ax
        ey = by - ay
        t = ((ld(record, r + PV) - ax) * ex + (ld(record, r + PV + 1) - ay) * ey) / (ex * ex + ey * ey)
        t = min(max(t, 0.0), 1.0)
        st(record, r + PV, ax + t * ex)
        st(record, r + PV + 1, ay + t * ey)
    if flags[at + MODE] == SPIN:
        flags[at + MODE] = 0


@inline
def friction_limits(patch, record, f, i):
    """(|f|, nzv, muS fz - |f|, nzS - |nzv|) of patch i, with pv and d of the record."""
    fx = ld(f, 6 * i)
    fy = ld(f, 6 * i + 1)
    r = i * NR
    size = math.sqrt(fx * fx + fy * fy)
    nzv = ld(f, 6 * i + 5) - ld(record, r + PV) * fy + ld(record, r + PV + 1) * fx
    margin = ld(patch, i * NP + MU_S) * ld(f, 6 * i + 2) - size
    return size, nzv, margin, ld(record, r + D) * margin - abs(nzv)


@inline
def revise_friction(patch, flags, record, f, i):
    """Act on (31) and (33) for patch i; returns 1 if its mode changed."""
    mode = flags[i * NF + MODE]
    if mode == SLIP:
        return 0
    r = i * NR
    size, nzv, margin, turning = friction_limits(patch, record, f, i)
    limit = margin + size  # muS fz
    if margin < -LIMIT * (limit + size):
        fade = ld(record, r + E) if mode == SPIN else 0.0
        slip(flags, record, i, -ld(f, 6 * i) / size, -ld(f, 6 * i + 1) / size, fade, ld(record, r + SIGN))
        return 1
    if mode == SPIN or flags[i * NF + STATE] == POINT:
        return 0
    if turning < -LIMIT * (limit * ld(record, r + D) + abs(nzv)):
        sx = -ld(f, 6 * i) / size if size > 0.0 else 0.0
        sy = -ld(f, 6 * i + 1) / size if size > 0.0 else 0.0
        fade = min(max(1.0 - size / limit, 0.0), 1.0) if limit > 0.0 else 0.0
        slip(flags, record, i, sx, sy, fade, -1.0 if nzv > 0.0 else 1.0)
        return 1
    return 0
