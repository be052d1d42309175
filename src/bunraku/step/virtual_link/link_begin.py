"""Where the search for contact forces begins, and the scale that its errors are measured by.

The first hypothesis is the last step's state; what it would do with the last step's forces says whether it slides
(link_slip.py). A patch without force that would not go inward even so does not touch. For an impact the whole region
sticks. Bounded rows begin where force less motion over K points to. Scale: as bunraku.contact.residual, over the
rows that break their law without forces. Checked in tests/step/virtual_link/test_box.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.step.virtual_link.link_checks import newly, pressing, sliding, try_state
from bunraku.step.virtual_link.link_friction import settle_in, stick, turns
from bunraku.step.virtual_link.link_layout import (
    HELD,
    HIGH,
    LINE,
    LOW,
    MODE,
    MU_S,
    NF,
    NONE,
    NP,
    NR,
    POINT,
    PV,
    SLIP,
    STATE,
    STICK,
    SURFACE,
    I,
    J,
)
from bunraku.step.virtual_link.link_region import base_state, middle, vertex, vertex_count
from bunraku.step.virtual_link.link_slip import slip_by_forces

SURE = 0.5  # of the limit: a surface that stuck with less friction is thought to stick without a closer look


@inline
def hypothesise(
    K, stride, free, goal, v, patch, p, r, flags, record, low, high, bound, iwork, tried, f, a, h, impact, work, spare
):
    """First state of every patch, the last step's if there is one (MODE is not 0), and its mode from the last forces f
    and the motion a with them. For an impact, the whole region sticking."""
    for i in range(p):
        at = i * NF
        state, first, second = base_state(patch, i)
        old = flags[at + STATE]
        remembered = flags[at + MODE] != 0 and not impact
        if remembered and old < state:
            n = vertex_count(patch, i)
            one = flags[at + I]
            two = flags[at + J]
            if old == NONE:
                state, first, second = NONE, 0, 0
            elif old == POINT and 0 <= one < n:
                state, first, second = POINT, one, one
            elif old == LINE and 0 <= one < n and two == (one + 1 if one + 1 < n else 0):
                state, first, second = LINE, one, two
        iwork[tried + i] = 0
        try_state(flags, i, state, first, second)
        if not remembered:
            x, y = middle(patch, i)
            st(record, i * NR + PV, x)
            st(record, i * NR + PV + 1, y)
        fz = ld(f, 6 * i + 2)
        if state == SURFACE and remembered and flags[at + MODE] == STICK and fz > 0.0:
            limit = SURE * ld(patch, i * NP + MU_S) * fz
            if ld(f, 6 * i) * ld(f, 6 * i) + ld(f, 6 * i + 1) * ld(f, 6 * i + 1) < limit * limit:
                stick(flags, record, i)
                continue
        settle_in(patch, flags, record, i)
        if not (impact or fz > 0.0) and not goes_inward(patch, a, goal, i):
            state = NONE
            try_state(flags, i, NONE, 0, 0)
        if impact or state == NONE or (remembered and flags[at + MODE] == STICK and not fz > 0.0):
            stick(flags, record, i)
        elif remembered and flags[at + MODE] == STICK:
            slip_by_forces(K, stride, patch, flags, record, f, a, v, i, h, impact, work, spare)
        elif not turns(patch, flags, record, v, i):
            flags[at + MODE] = SLIP
            if fz > 0.0:
                slip_by_forces(K, stride, patch, flags, record, f, a, v, i, h, impact, work, spare)
            else:
                x = ld(record, i * NR + PV)
                y = ld(record, i * NR + PV + 1)
                inward = ld(goal, 6 * i + 2) - ld(a, 6 * i + 2) + (ld(goal, 6 * i + 3) - ld(a, 6 * i + 3)) * y
                inward -= (ld(goal, 6 * i + 4) - ld(a, 6 * i + 4)) * x
                newly(K, stride, patch, flags, record, a, v, i, inward, h, impact, work, spare)
    for q in range(r):
        k = 6 * p + q
        d = ld(K, k * stride + k)
        want = 0.0 if impact else ld(goal, k)
        x = ld(f, k) - (ld(a, k) - want) / d if d > 0.0 else ld(f, k)
        bound[q] = LOW if x <= low[q] else (HIGH if x >= high[q] else HELD)


@inline
def goes_inward(patch, a, goal, i):
    """A vertex of patch i goes inward with the motion a."""
    for k in range(vertex_count(patch, i)):
        x, y = vertex(patch, i, k)
        z = ld(a, 6 * i + 2) - ld(goal, 6 * i + 2) + (ld(a, 6 * i + 3) - ld(goal, 6 * i + 3)) * y
        if z < (ld(a, 6 * i + 4) - ld(goal, 6 * i + 4)) * x:
            return True
    return False


@inline
def law_scale(K, stride, free, goal, v, patch, p, r, low, high, h, impact):
    """The largest motion that breaks a law without forces, over sqrt(K)."""
    square = 0.0
    for i in range(p):
        breaks = False
        for k in range(vertex_count(patch, i)):
            x, y = vertex(patch, i, k)
            z = ld(free, 6 * i + 2) + ld(free, 6 * i + 3) * y - ld(free, 6 * i + 4) * x
            if not impact:
                z -= ld(goal, 6 * i + 2) + ld(goal, 6 * i + 3) * y - ld(goal, 6 * i + 4) * x
            if z < 0.0:
                breaks = True
                square = max(square, z * z / max(pressing(K, stride, i, x, y), 1e-300))
        if breaks:
            x = ld(free, 6 * i)
            y = ld(free, 6 * i + 1)
            if not impact:
                x += ld(v, 6 * i) / h
                y += ld(v, 6 * i + 1) / h
            square = max(square, (x * x + y * y) / max(sliding(K, stride, i), 1e-300))
    for q in range(r):
        k = 6 * p + q
        x = ld(free, k) - (0.0 if impact else ld(goal, k))
        d = ld(K, k * stride + k)
        if d > 0.0 and ((x < 0.0 and high[q] > 0.0) or (x > 0.0 and low[q] < 0.0)):
            square = max(square, x * x / d)
    return max(math.sqrt(square), 1e-300)
