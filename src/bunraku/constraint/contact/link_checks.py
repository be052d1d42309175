"""Checks of a contact hypothesis and what follows from each (000: section 4.4, (24), (26); N8).

In this order, acting on the first that fails: fz <= 0 releases the patch; pv = (-ny/fz, nx/fz) outside the region's hull makes it a line on
the nearest edge or a point at the nearest vertex; friction or nz beyond its limit makes it slide (link_friction.py). When every patch passes,
the verification: (25b) friction opposes slip (link_slip.py), (24b) no free vertex accelerates (impact: moves) inward.

The nearest hull point can be the wrong one, which (24b) shows. A free vertex that goes inward then joins the contact: none -> its point,
point -> the line towards it, line -> surface. A state already tried, sticking or moving as now, is passed over for its neighbour along the
hull, or the patch slides if its friction fails as well.
Checked in tests/constraint/contact/test_virtual_link_box.py and test_virtual_link_random.py.
"""

from __future__ import annotations

import math

from bunraku.constraint.contact.link_friction import (
    distances,
    follow_state,
    friction_limits,
    revise_friction,
    slip,
)
from bunraku.constraint.contact.link_layout import (
    D_NOW,
    FAR,
    LINE,
    MARGIN_F,
    MARGIN_FZ,
    MARGIN_NZ,
    MARGIN_PV,
    MARGIN_VERTEX,
    MISALIGNED,
    MODE,
    MU_D,
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
    D,
    E,
    I,
    J,
)
from bunraku.constraint.contact.link_region import base_state, nearest, radius, vertex, vertex_count
from bunraku.constraint.contact.link_slip import slip_error
from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import ld, st

HULL = 1e-10  # of the region's size: pv this far outside is rounding


@inline
def bit(state, first, mode):
    """The bit that stands for a hypothesis of a patch: none, 8 points, 8 edges (by their first vertex), surface; sticking, or moving."""
    moving = 0 if mode == STICK else 18
    if state == NONE:
        return 1
    if state == POINT:
        return 1 << (moving + 1 + first)
    if state == LINE:
        return 1 << (moving + 9 + first)
    return 1 << (moving + 17)


@inline
def was_tried(flags, iwork, tried, i, state, first):
    """Patch i has been in this state, sticking or moving as it is now."""
    return iwork[tried + i] & bit(state, first, flags[i * NF + MODE]) != 0


@inline
def try_state(flags, i, state, first, second):
    """Think that patch i is in this state."""
    flags[i * NF + STATE] = state
    flags[i * NF + I] = first
    flags[i * NF + J] = second


@inline
def mark(flags, iwork, tried, i):
    """Remember that the present hypothesis of patch i is tried."""
    iwork[tried + i] |= bit(flags[i * NF + STATE], flags[i * NF + I], flags[i * NF + MODE])


@inline
def edge_towards(patch, i, end, away):
    """(first, second) of the other edge at vertex `end`, given the edge's vertex `away`."""
    n = vertex_count(patch, i)
    after = end + 1 if end + 1 < n else 0
    before = end - 1 if end > 0 else n - 1
    return (before, end) if away == after else (end, after)


@inline
def find_pv(patch, flags, record, f, i):
    """pv (26), its d and the distance of pv inside the region to the record; returns that distance."""
    fz = ld(f, 6 * i + 2)
    r = i * NR
    x = -ld(f, 6 * i + 4) / fz
    y = ld(f, 6 * i + 3) / fz
    inside, d = distances(patch, flags, i, x, y)
    st(record, r + PV, x)
    st(record, r + PV + 1, y)
    st(record, r + D_NOW, d)
    if flags[i * NF + MODE] == STICK:
        st(record, r + D, d)
    st(record, r + MARGIN_PV, inside)
    return inside


@inline
def revise(patch, flags, record, iwork, tried, f, i, floor):
    """The first failing check of patch i: fz, pv, friction. Returns 1 if its hypothesis changed. floor: a force that is rounding."""
    at = i * NF
    state = flags[at + STATE]
    if state == NONE:
        return 0
    if not ld(f, 6 * i + 2) > floor:
        if not (was_tried(flags, iwork, tried, i, NONE, 0) and let_go(flags, record, f, i)):
            try_state(flags, i, NONE, 0, 0)
        return 1
    inside = find_pv(patch, flags, record, f, i)
    if state != POINT and inside < -HULL * radius(patch, i):
        leave(patch, flags, record, iwork, tried, f, i)
        return 1
    return revise_friction(patch, flags, record, f, i)


@inline
def let_go(flags, record, f, i):
    """A sticking patch that pulls, but whose release was wrong: let it slide. Returns 1 if it does."""
    fx = ld(f, 6 * i)
    fy = ld(f, 6 * i + 1)
    size = math.sqrt(fx * fx + fy * fy)
    if flags[i * NF + MODE] != STICK or not size > 0.0:
        return 0
    slip(flags, record, i, -fx / size, -fy / size, 0.0, 0.0)
    return 1


@inline
def leave(patch, flags, record, iwork, tried, f, i):
    """pv lies outside: the nearest edge or vertex; where that was tried, slide if friction fails too, else its neighbour along the hull."""
    at = i * NF
    x = ld(record, i * NR + PV)
    y = ld(record, i * NR + PV + 1)
    now = flags[at + STATE]
    low = flags[at + I]
    high = flags[at + J]
    if now == LINE:
        state, first, second = line_end(patch, i, low, high, x, y)
    else:
        state, first, second = nearest(patch, i, x, y)
    if was_tried(flags, iwork, tried, i, state, first):
        if revise_friction(patch, flags, record, f, i):
            return
        base, _, _ = base_state(patch, i)
        if now == LINE and base == SURFACE:  # the point was wrong: the edge beyond it
            a0, a1 = edge_towards(patch, i, first, high if first == low else low)
            b0, b1 = a0, a1
        elif now == LINE:
            a0, a1, b0, b1 = low, high, low, high
        elif state == POINT:
            n = vertex_count(patch, i)
            a0, a1 = first, first + 1 if first + 1 < n else 0
            b0, b1 = first - 1 if first > 0 else n - 1, first
        else:
            a0, a1, b0, b1 = neighbours(patch, i, first, second, x, y)
        if not was_tried(flags, iwork, tried, i, LINE, a0):
            state, first, second = LINE, a0, a1
        elif not was_tried(flags, iwork, tried, i, LINE, b0):
            state, first, second = LINE, b0, b1
    try_state(flags, i, state, first, second)
    follow_state(patch, flags, record, i)


@inline
def line_end(patch, i, first, second, x, y):
    """The end of the line nearer to (x, y), as a point."""
    ax, ay = vertex(patch, i, first)
    bx, by = vertex(patch, i, second)
    end = second if (x - 0.5 * (ax + bx)) * (bx - ax) + (y - 0.5 * (ay + by)) * (by - ay) > 0.0 else first
    return POINT, end, end


@inline
def neighbours(patch, i, first, second, x, y):
    """The two edges next to an edge, as four vertices; first the one at the end nearer to (x, y)."""
    a0, a1 = edge_towards(patch, i, second, first)
    b0, b1 = edge_towards(patch, i, first, second)
    _, end, _ = line_end(patch, i, first, second, x, y)
    if end == first:
        return b0, b1, a0, a1
    return a0, a1, b0, b1


@inline
def free_vertex(patch, flags, a, goal, i, impact):
    """(smallest inward-positive margin, its vertex): acceleration above target of the free vertices of patch i; after an impact, velocity."""
    state = flags[i * NF + STATE]
    least = FAR
    where = 0
    if state == SURFACE:
        return least, where
    z = ld(a, 6 * i + 2)
    wx = ld(a, 6 * i + 3)
    wy = ld(a, 6 * i + 4)
    if not impact:
        z -= ld(goal, 6 * i + 2)
        wx -= ld(goal, 6 * i + 3)
        wy -= ld(goal, 6 * i + 4)
    for k in range(vertex_count(patch, i)):
        if state != NONE and (k == flags[i * NF + I] or (state == LINE and k == flags[i * NF + J])):
            continue
        x, y = vertex(patch, i, k)
        margin = z + wx * y - wy * x
        if margin < least:
            least = margin
            where = k
    return least, where


@inline
def join(patch, flags, iwork, tried, record, i, k):
    """Free vertex k of patch i goes inward: it joins the contact."""
    at = i * NF
    now = flags[at + STATE]
    first = flags[at + I]
    second = flags[at + J]
    n = vertex_count(patch, i)
    base, low, high = base_state(patch, i)
    state, a0, a1 = base, low, high
    if now == NONE:
        state, a0, a1 = POINT, k, k
        if base == SURFACE and was_tried(flags, iwork, tried, i, POINT, k):
            state, a0, a1 = LINE, k, k + 1 if k + 1 < n else 0
            if was_tried(flags, iwork, tried, i, LINE, a0):
                a0, a1 = k - 1 if k > 0 else n - 1, k
    elif base == SURFACE and now == POINT:
        ahead = k - first if k >= first else k - first + n
        state = LINE
        if 2 * ahead <= n:  # k lies after the vertex, counter-clockwise
            a0, a1 = first, first + 1 if first + 1 < n else 0
        else:
            a0, a1 = first - 1 if first > 0 else n - 1, first
        if was_tried(flags, iwork, tried, i, LINE, a0):
            state, a0, a1 = SURFACE, 0, 0
            if was_tried(flags, iwork, tried, i, SURFACE, 0):
                state, a0, a1 = POINT, k, k
    elif base == SURFACE and was_tried(flags, iwork, tried, i, SURFACE, 0):
        a0, a1, b0, b1 = neighbours(patch, i, first, second, ld(record, i * NR + PV), ld(record, i * NR + PV + 1))
        state = LINE
        if was_tried(flags, iwork, tried, i, LINE, a0):
            a0, a1 = b0, b1
            if was_tried(flags, iwork, tried, i, LINE, a0):
                state, a0, a1 = SURFACE, 0, 0
    try_state(flags, i, state, a0, a1)
    follow_state(patch, flags, record, i)


@inline
def write_margins(patch, flags, record, f, a, goal, v, i, dt, impact):
    """Margins of patch i as accepted."""
    r = i * NR
    least, _ = free_vertex(patch, flags, a, goal, i, impact)
    st(record, r + MARGIN_VERTEX, least)
    st(record, r + MARGIN_FZ, ld(f, 6 * i + 2))
    st(record, r + MISALIGNED, 0.0)
    if flags[i * NF + STATE] == NONE:
        flags[i * NF + MODE] = 0
        for k in (MARGIN_PV, MARGIN_F, MARGIN_NZ, D, E):
            st(record, r + k, 0.0)
        return
    _, _, margin, turning = friction_limits(patch, record, f, i)
    st(record, r + MARGIN_F, margin)
    st(record, r + MARGIN_NZ, turning)
    if flags[i * NF + MODE] == SLIP and ld(patch, i * NP + MU_D) > 0.0:
        error, _ = slip_error(record, a, v, i, dt, impact)
        st(record, r + MISALIGNED, error)
