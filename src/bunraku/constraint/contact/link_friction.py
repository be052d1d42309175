"""Friction of a patch (000: section 4.5, (26)-(33); N9): the mode it is thought to be in, the limits of a mode, and the law of a slip.

Modes: STICK (no slip, no turn), SPIN (turns about a centre of rotation inside the region, which rests), SLIP (slides, turning or not).
At pv, with fz > 0, s the direction of slip, l the distance from pv to the centre of rotation, E = exp(-l / d), d the mean distance:

    SLIP   f = -muD fz (1-E) s,  nzv = nz - pvx fy + pvy fx = -sgn(wz) muD fz d E
    SPIN   the same plus a static force at the centre, in all |f| <= muS fz
    STICK  |f| <= muS fz (31);  |nzv| <= nzS = d (muS fz - |f|) (33), from the potential centre of rotation |f| = muS fz (1-E)

A point has d = 0, no moment, E = 0. On (31) the contact slides along s = -f/|f| (32) with E = 0 (l -> infinity); on (33) it slides and turns with
E = 1 - |f| / (muS fz) and the sign of wz opposite to nzv: f and nzS both become muD/muS times what they were.

Motion is judged at the end of the step, u = v + dt a (impact: after it): reversing within the step is no slip (N7), so s . u < 0 sends a sliding contact
to STICK, or to SPIN about pv where it turns; a turn that reverses has E = 0 (SLIP) or sticks. Where u is not along s, s is moved to the direction
of muD fz s + u / (dt lambda), lambda the largest eigenvalue of the patch's own tangential 2x2 of K at pv: the fixed point of that is slip
exactly opposite to friction. Checked in tests/constraint/contact/test_virtual_link_friction.py.
"""

from __future__ import annotations

import math

from bunraku.constraint.contact.link_layout import (
    CENTRE,
    D_NOW,
    LINE,
    MODE,
    MU_D,
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
    """The mode of patch i from its present motion v at the pv of the record (Table 2)."""
    r = i * NR
    x = ld(record, r + PV)
    y = ld(record, r + PV + 1)
    wz = ld(v, 6 * i + 5)
    vx, vy, _ = at_point(v, 6 * i, x, y)
    speed = math.sqrt(vx * vx + vy * vy)
    turns = abs(wz) * radius(patch, i) > SLIP_SPEED and flags[i * NF + STATE] != POINT
    if not (speed > SLIP_SPEED or turns):
        stick(flags, record, i)
        return
    if not turns:
        slip(flags, record, i, vx / speed, vy / speed, 0.0, 0.0)
        return
    _, d = distances(patch, flags, i, x, y)
    st(record, r + D, d)
    sign = 1.0 if wz > 0.0 else -1.0
    cx = -ld(v, 6 * i + 1) / wz  # centre of rotation (N7)
    cy = ld(v, 6 * i) / wz
    if in_contact(patch, flags, i, cx, cy):
        spin(flags, record, i, cx, cy, x, y, d, sign)
    else:
        slip(flags, record, i, vx / speed, vy / speed, math.exp(-speed / (abs(wz) * d)), sign)


@inline
def follow_state(patch, flags, record, i):
    """After a change of contact state: pv moves to the new region, a point has no moment, a spinning contact needs a new mode (0)."""
    at = i * NF
    r = i * NR
    state = flags[at + STATE]
    if state == POINT:
        x, y = vertex(patch, i, flags[at + I])
        st(record, r + PV, x)
        st(record, r + PV + 1, y)
        st(record, r + E, 0.0)
    elif state == LINE:
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


@inline
def slip_after(record, a, v, i, dt, impact):
    """(ux, uy, wz) at pv at the end of the step, or after the impact."""
    x = ld(record, i * NR + PV)
    y = ld(record, i * NR + PV + 1)
    ax, ay, _ = at_point(a, 6 * i, x, y)
    if impact:
        return ax, ay, ld(a, 6 * i + 5)
    vx, vy, _ = at_point(v, 6 * i, x, y)
    return vx + dt * ax, vy + dt * ay, ld(v, 6 * i + 5) + dt * ld(a, 6 * i + 5)


@inline
def stiffest(K, stride, i, x, y):
    """Largest eigenvalue of the patch's own tangential 2x2 of K at (x, y)."""
    at = 6 * i * stride + 6 * i
    ww = ld(K, at + 5 * stride + 5)
    xw = ld(K, at + 5)
    yw = ld(K, at + stride + 5)
    xx = ld(K, at) - 2.0 * y * xw + y * y * ww
    yy = ld(K, at + stride + 1) + 2.0 * x * yw + x * x * ww
    xy = ld(K, at + 1) + x * xw - y * yw - x * y * ww
    return 0.5 * (xx + yy) + math.sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy)


@inline
def misalignment(ux, uy, sx, sy):
    """Sine of the angle from s to u; 2 where they are opposed; 0 for u = 0."""
    size = math.sqrt(ux * ux + uy * uy)
    if size == 0.0:
        return 0.0
    return 2.0 if ux * sx + uy * sy < 0.0 else abs(ux * sy - uy * sx) / size


@inline
def revise_slip(patch, flags, record, a, v, i, dt, impact, tolerance):
    """Act on (25b) for patch i; returns 1 if its mode changed."""
    mode = flags[i * NF + MODE]
    if mode == STICK:
        return 0
    r = i * NR
    ux, uy, wz = slip_after(record, a, v, i, dt, impact)
    sign = ld(record, r + SIGN)
    fade = ld(record, r + E)
    length = ld(record, r + D)
    backwards = sign * wz * length < -tolerance and fade > 0.0
    if mode == SPIN:
        if backwards:
            stick(flags, record, i)
            return 1
        return 0
    s_u = ld(record, r + S) * ux + ld(record, r + S + 1) * uy
    if s_u < -tolerance and fade < 1.0 and ld(patch, i * NP + MU_D) > 0.0:
        if fade > 0.0 and not backwards and not impact:
            spin(flags, record, i, ld(record, r + PV), ld(record, r + PV + 1), ld(record, r + PV), ld(record, r + PV + 1), length, sign)  # fmt: skip
        else:
            stick(flags, record, i)
        return 1
    if backwards:
        st(record, r + E, 0.0)
        return 1
    return 0


@inline
def align_slip(K, stride, patch, flags, record, f, a, v, i, dt, impact, tolerance):
    """Turn s of a sliding patch towards its slip; of a spinning one to the present pv. Returns 1 if friction changes by more than `tolerance`."""
    mode = flags[i * NF + MODE]
    mu = ld(patch, i * NP + MU_D)
    if mode == STICK or mu == 0.0:
        return 0
    r = i * NR
    x = ld(record, r + PV)
    y = ld(record, r + PV + 1)
    sx = ld(record, r + S)
    sy = ld(record, r + S + 1)
    fade = ld(record, r + E)
    d = ld(record, r + D)
    st(record, r + D, ld(record, r + D_NOW))
    other = fade * abs(ld(record, r + D) - d) > tolerance * d  # friction's moment changes
    if mode == SPIN:
        spin(flags, record, i, ld(record, r + CENTRE), ld(record, r + CENTRE + 1), x, y, ld(record, r + D), ld(record, r + SIGN))
        now = ld(record, r + E)
        gx = (1.0 - now) * ld(record, r + S) - (1.0 - fade) * sx
        gy = (1.0 - now) * ld(record, r + S + 1) - (1.0 - fade) * sy
        return 1 if other or abs(gx) + abs(gy) + abs(now - fade) > tolerance else 0
    ux, uy, _ = slip_after(record, a, v, i, dt, impact)
    if fade == 1.0 or misalignment(ux, uy, sx, sy) <= tolerance:
        return 1 if other else 0
    push = mu * (1.0 - fade) * ld(f, 6 * i + 2)
    step = stiffest(K, stride, i, x, y) * (1.0 if impact else dt)
    step = 1.0 / step if step > 0.0 else 0.0
    gx = push * sx + step * ux
    gy = push * sy + step * uy
    size = math.sqrt(gx * gx + gy * gy)
    if not size > 0.0:
        return 1 if other else 0
    st(record, r + S, gx / size)
    st(record, r + S + 1, gy / size)
    return 1
