"""Checks of a contact hypothesis and what follows from each (000: section 4.4, (24), (26); N8).

In this order, acting on the first that fails: fz <= 0 releases the patch; pv = (-ny/fz, nx/fz) outside the region's hull makes it a line on the nearest edge
or a point at the nearest vertex; friction or nz beyond its limit makes it slide or spin (bunraku.constraint.contact.link_friction).
When every patch passes, the verification: (24b) no free vertex accelerates (impact: moves) inward, (25b) slip opposes friction.

The nearest hull point can be the wrong one, which (24b) shows. A free vertex that goes inward then joins the contact: none -> its point, point -> the line
towards it, line -> surface; a state already tried since the patch last changed its mode is passed over for its neighbour along the hull.
Checked in tests/constraint/contact/test_virtual_link_box.py and test_virtual_link_random.py.
"""

from __future__ import annotations

from bunraku.constraint.contact.link_friction import (
    distances,
    follow_state,
    friction_limits,
    misalignment,
    revise_friction,
    slip_after,
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
    NF,
    NONE,
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
    S,
)
from bunraku.constraint.contact.link_region import base_state, nearest, radius, vertex, vertex_count
from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import ld, st

HULL = 1e-10  # of the region's size: pv this far outside is rounding


@inline
def bit(state, first):
    """The bit that stands for a state of a patch: none, 8 points, 8 edges (by their first vertex), surface."""
    if state == NONE:
        return 1
    if state == POINT:
        return 1 << (1 + first)
    if state == LINE:
        return 1 << (9 + first)
    return 1 << 17


@inline
def try_state(flags, iwork, tried, i, state, first, second):
    """Think that patch i is in this state, and remember that it was tried."""
    flags[i * NF + STATE] = state
    flags[i * NF + I] = first
    flags[i * NF + J] = second
    iwork[tried + i] |= bit(state, first)


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
        try_state(flags, iwork, tried, i, NONE, 0, 0)
        return 1
    inside = find_pv(patch, flags, record, f, i)
    if state != POINT and inside < -HULL * radius(patch, i):
        leave(patch, flags, record, iwork, tried, i)
        follow_state(patch, flags, record, i)
        return 1
    if revise_friction(patch, flags, record, f, i):
        iwork[tried + i] = bit(state, flags[at + I])
        return 1
    return 0


@inline
def leave(patch, flags, record, iwork, tried, i):
    """pv lies outside: the nearest edge or vertex, or where that was tried, its neighbour."""
    at = i * NF
    x = ld(record, i * NR + PV)
    y = ld(record, i * NR + PV + 1)
    done = iwork[tried + i]
    base, _, _ = base_state(patch, i)
    if flags[at + STATE] == LINE:
        first = flags[at + I]
        second = flags[at + J]
        ax, ay = vertex(patch, i, first)
        bx, by = vertex(patch, i, second)
        to_second = (x - ax) * (bx - ax) + (y - ay) * (by - ay) > 0.0
        end = second if to_second else first
        state = POINT
        if base == SURFACE and done & bit(POINT, end):  # the point was wrong: the edge beyond it
            first, second = edge_towards(patch, i, end, first if to_second else second)
            if done & bit(LINE, first) == 0:
                try_state(flags, iwork, tried, i, LINE, first, second)
                return
        try_state(flags, iwork, tried, i, POINT, end, end)
        return
    state, first, second = nearest(patch, i, x, y)
    if done & bit(state, first):
        if state == POINT:
            n = vertex_count(patch, i)
            a0 = first
            a1 = first + 1 if first + 1 < n else 0
            b0 = first - 1 if first > 0 else n - 1
            b1 = first
        else:
            a0, a1 = edge_towards(patch, i, second, first)
            b0, b1 = edge_towards(patch, i, first, second)
            ax, ay = vertex(patch, i, first)
            bx, by = vertex(patch, i, second)
            if (x - 0.5 * (ax + bx)) * (bx - ax) + (y - 0.5 * (ay + by)) * (by - ay) < 0.0:
                a0, a1, b0, b1 = b0, b1, a0, a1
        if done & bit(LINE, a0) == 0:
            state, first, second = LINE, a0, a1
        elif done & bit(LINE, b0) == 0:
            state, first, second = LINE, b0, b1
    try_state(flags, iwork, tried, i, state, first, second)


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
    state = flags[at + STATE]
    done = iwork[tried + i]
    n = vertex_count(patch, i)
    base, low, high = base_state(patch, i)
    if base != SURFACE:
        if state == NONE:
            try_state(flags, iwork, tried, i, POINT, k, k)
        else:
            try_state(flags, iwork, tried, i, base, low, high)
        return
    after = k + 1 if k + 1 < n else 0
    before = k - 1 if k > 0 else n - 1
    if state == NONE:
        if done & bit(POINT, k) == 0:
            try_state(flags, iwork, tried, i, POINT, k, k)
        elif done & bit(LINE, k) == 0:
            try_state(flags, iwork, tried, i, LINE, k, after)
        else:
            try_state(flags, iwork, tried, i, LINE, before, k)
        return
    if state == POINT:
        now = flags[at + I]
        ahead = k - now if k >= now else k - now + n
        if 2 * ahead <= n:  # k lies after `now`, counter-clockwise
            first, second = now, now + 1 if now + 1 < n else 0
        else:
            first, second = now - 1 if now > 0 else n - 1, now
        if done & bit(LINE, first) == 0:
            try_state(flags, iwork, tried, i, LINE, first, second)
        elif done & bit(SURFACE, 0) == 0:
            try_state(flags, iwork, tried, i, SURFACE, 0, 0)
        else:
            try_state(flags, iwork, tried, i, POINT, k, k)
        return
    if done & bit(SURFACE, 0) == 0:
        try_state(flags, iwork, tried, i, SURFACE, 0, 0)
        return
    first = flags[at + I]
    second = flags[at + J]
    x = ld(record, i * NR + PV)
    y = ld(record, i * NR + PV + 1)
    ax, ay = vertex(patch, i, first)
    bx, by = vertex(patch, i, second)
    a0, a1 = edge_towards(patch, i, second, first)
    b0, b1 = edge_towards(patch, i, first, second)
    if (x - 0.5 * (ax + bx)) * (bx - ax) + (y - 0.5 * (ay + by)) * (by - ay) < 0.0:
        a0, a1, b0, b1 = b0, b1, a0, a1
    if done & bit(LINE, a0) == 0:
        try_state(flags, iwork, tried, i, LINE, a0, a1)
    elif done & bit(LINE, b0) == 0:
        try_state(flags, iwork, tried, i, LINE, b0, b1)
    else:
        try_state(flags, iwork, tried, i, SURFACE, 0, 0)


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
    if flags[i * NF + MODE] == SLIP and ld(record, r + E) < 1.0:
        ux, uy, _ = slip_after(record, a, v, i, dt, impact)
        st(record, r + MISALIGNED, misalignment(ux, uy, ld(record, r + S), ld(record, r + S + 1)))
