"""Checks of a contact hypothesis and what follows from each (Nakamura & Yamane 2000: section 4.4, (24), (26)).

In this order, acting on the first that fails: fz <= 0 releases the patch; pv = (-ny/fz, nx/fz) outside the region's
hull makes it a line on the nearest edge or a point at the nearest vertex; friction or nz beyond its limit makes it
slide; (25b) friction is the law's for the motion (link_slip.py); (24b) no free vertex accelerates (impact: moves)
inward.

The nearest hull point can be the wrong one, which (24b) shows. A free vertex that goes inward then joins the contact:
none -> its point, point -> the line towards it, line -> surface. A state already tried, sticking or moving as now, is
passed over for its neighbour along the hull, or the patch slides if its friction fails as well.

What counts as failing: errors are measured as in residual.py, forces times the square root of the response K,
accelerations divided by it; `allowed` is
the largest that passes [square root of N times acceleration].
Checked in tests/step/virtual_link/test_box.py and test_virtual_link_random.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.step.virtual_link.link_friction import distances, friction_force, friction_limits, settle_in, stick
from bunraku.step.virtual_link.link_layout import (
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
    MU_S,
    NF,
    NONE,
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
from bunraku.step.virtual_link.link_region import area_around, base_state, nearest, vertex, vertex_count
from bunraku.step.virtual_link.link_slip import judge_slip, revise_slip, slip_by_forces, slip_error

SMALL = 1e-12  # of friction: no moment
STALE = 0.1  # d is kept from solve to solve until it is wrong by this part
DISC = (
    2.0 / 3.0 / math.sqrt(math.pi)
)  # d of a disc, seen from its middle, over the root of its area: no region has less


@inline
def bit(state, first, mode):
    """The bit that stands for a hypothesis of a patch: none, 8 points, 8 edges (by their first vertex), surface;
    sticking, or moving."""
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
    """pv (26) and its d to the record; returns the distance of pv inside the region, or 0 for a surface that surely
    sticks: pv lies inside, and the least d that a region of its area can have, which is then the record's, keeps
    friction in its limit."""
    fz = ld(f, 6 * i + 2)
    r = i * NR
    if flags[i * NF + STATE] == POINT:
        return 0.0
    x = -ld(f, 6 * i + 4) / fz
    y = ld(f, 6 * i + 3) / fz
    st(record, r + PV, x)
    st(record, r + PV + 1, y)
    if flags[i * NF + STATE] == SURFACE and flags[i * NF + MODE] == STICK:
        area = area_around(patch, i, x, y)
        if area > 0.0:
            least = DISC * math.sqrt(area)
            st(record, r + D, least)
            fx, fy, turn = friction_force(record, f, i)
            if math.sqrt(fx * fx + fy * fy) + abs(turn) <= ld(patch, i * NP + MU_S) * fz:
                return 0.0
    inside, d = distances(patch, flags, i, x, y)
    if flags[i * NF + MODE] == STICK or abs(d - ld(record, r + D)) > STALE * ld(record, r + D):
        st(record, r + D, d)
    return inside


@inline
def pressing(K, stride, i, x, y):
    """Response of patch i at (x, y) to a normal force there."""
    k = (6 * i + 2) * stride + 6 * i + 2
    l = k + stride
    n = l + stride
    return (
        ld(K, k)
        + y * y * ld(K, l + 1)
        + x * x * ld(K, n + 2)
        + 2.0 * (y * ld(K, k + 1) - x * ld(K, k + 2) - x * y * ld(K, l + 2))
    )


@inline
def sliding(K, stride, i):
    """Mean response of patch i to a tangential force at its origin."""
    k = 6 * i * stride + 6 * i
    return 0.5 * (ld(K, k) + ld(K, k + stride + 1))


@inline
def tilting(K, stride, i):
    """Response of patch i to moments across the normal."""
    k = (6 * i + 3) * stride + 6 * i + 3
    return ld(K, k) + ld(K, k + stride + 1)


@inline
def revise(K, stride, patch, flags, record, iwork, tried, f, a, v, goal, i, h, impact, allowed, work, spare):
    """The first failing check of patch i. Returns (1 if its hypothesis changed, the largest error)."""
    at = i * NF
    state = flags[at + STATE]
    worst = 0.0
    if state != NONE:
        changed, worst = revise_force(
            K, stride, patch, flags, record, iwork, tried, f, a, v, i, h, impact, allowed, work, spare
        )
        if changed:
            return 1, worst
    least, k = free_vertex(patch, flags, a, goal, i, impact)
    if least < 0.0:
        x, y = vertex(patch, i, k)
        error = -least / math.sqrt(max(pressing(K, stride, i, x, y), 1e-300))
        if error > allowed:
            join(K, stride, patch, flags, iwork, tried, record, a, v, i, k, -least, h, impact, work, spare)
            return 1, error
        worst = max(worst, error)
    return 0, worst


@inline
def revise_force(K, stride, patch, flags, record, iwork, tried, f, a, v, i, h, impact, allowed, work, spare):
    """fz, pv, friction and its direction. Returns (1 if the hypothesis changed, the largest error)."""
    at = i * NF
    fz = ld(f, 6 * i + 2)
    worst = max(-fz, 0.0) * math.sqrt(ld(K, (6 * i + 2) * (stride + 1)))
    if worst > allowed:
        if not (
            was_tried(flags, iwork, tried, i, NONE, 0)
            and let_go(K, stride, patch, flags, record, f, a, v, i, h, impact, work, spare)
        ):
            try_state(flags, i, NONE, 0, 0)
        return 1, worst
    root = math.sqrt(sliding(K, stride, i))
    if fz > 0.0:
        inside = find_pv(patch, flags, record, f, i)
        error = max(-inside * fz, 0.0) * math.sqrt(tilting(K, stride, i))
        if flags[at + STATE] != POINT and error > allowed:
            leave(K, stride, patch, flags, record, iwork, tried, f, a, v, i, h, impact, work, spare)
            return 1, error
        worst = max(worst, error)
    if flags[at + MODE] != SLIP:
        x, y, z = friction_force(record, f, i)
        size = math.sqrt(x * x + y * y)
        if flags[at + MODE] == STICK:
            size += abs(z)
        error = max(size - ld(patch, i * NP + MU_S) * max(fz, 0.0), 0.0) * root
        if error > allowed:
            if fz > 0.0:
                slip_by_forces(K, stride, patch, flags, record, f, a, v, i, h, impact, work, spare)
            else:
                try_state(flags, i, NONE, 0, 0)
            return 1, error
        worst = max(worst, error)
    changed, error = revise_slip(
        K, stride, patch, flags, record, f, a, v, i, h, impact, allowed / root if root > 0.0 else FAR, work, spare
    )
    return changed, max(worst, error * root)


@inline
def let_go(K, stride, patch, flags, record, f, a, v, i, h, impact, work, spare):
    """A sticking patch that pulls, but whose release was wrong: let it slide. Returns 1 if it does."""
    x, y, z = friction_force(record, f, i)
    push = math.sqrt(x * x + y * y)
    if flags[i * NF + MODE] != STICK or not push > 0.0:
        return 0
    judge_slip(K, stride, patch, flags, record, x, y, 1e-3 * push, z, 0.0, 0.0, a, v, i, h, impact, work, spare)
    return 1


@inline
def leave(K, stride, patch, flags, record, iwork, tried, f, a, v, i, h, impact, work, spare):
    """pv lies outside: the nearest edge or vertex; where that was tried, slide if friction fails too, else its
    neighbour along the hull."""
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
        if flags[at + MODE] == STICK:
            slip_by_forces(K, stride, patch, flags, record, f, a, v, i, h, impact, work, spare)
            if flags[at + MODE] != STICK:
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
    settle_in(patch, flags, record, i)
    slip_by_forces(K, stride, patch, flags, record, f, a, v, i, h, impact, work, spare)


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
    """(smallest inward-positive margin, its vertex): acceleration above target of the free vertices of patch i; after
    an impact, velocity."""
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
def join(K, stride, patch, flags, iwork, tried, record, a, v, i, k, inward, h, impact, work, spare):
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
    settle_in(patch, flags, record, i)
    if now == NONE:
        newly(K, stride, patch, flags, record, a, v, i, inward, h, impact, work, spare)
    elif flags[at + MODE] == SPIN:
        flags[at + MODE] = SLIP


@inline
def newly(K, stride, patch, flags, record, a, v, i, inward, h, impact, work, spare):
    """Mode of a patch that begins to touch: its motion against the friction of the force that would stop it, alone,
    from going inward."""
    if impact:
        stick(flags, record, i)
        return
    response = pressing(K, stride, i, ld(record, i * NR + PV), ld(record, i * NR + PV + 1))
    if response > 0.0 and inward > 0.0:
        flags[i * NF + MODE] = SLIP
        fz = inward / response
        nx = fz * ld(record, i * NR + PV + 1)
        ny = -fz * ld(record, i * NR + PV)
        judge_slip(K, stride, patch, flags, record, 0.0, 0.0, fz, 0.0, nx, ny, a, v, i, h, impact, work, spare)
    else:
        stick(flags, record, i)


@inline
def put_on_limit(patch, flags, record, f, i):
    """What the tolerance let pass: no patch pulls, and friction is at most its limit, a slip's exactly.

    Returns 1 if the wrench changed.
    """
    fz = ld(f, 6 * i + 2)
    if flags[i * NF + STATE] == NONE:
        return 0
    if not fz > 0.0:
        for k in range(6 * i, 6 * i + 6):
            st(f, k, 0.0)
        return 1
    x, y, z = friction_force(record, f, i)
    size = math.sqrt(x * x + y * y)
    if flags[i * NF + MODE] != SPIN:
        size += abs(z)
    slides = flags[i * NF + MODE] == SLIP
    limit = ld(patch, i * NP + (MU_D if slides else MU_S)) * fz
    if not size > 0.0 or (size <= limit and not slides):
        return 0
    t = limit / size
    if slides:  # the direction that Newton's method found
        flat = math.sqrt(x * x + y * y)
        st(record, i * NR + S, -x / flat if flat > 0.0 else 0.0)
        st(record, i * NR + S + 1, -y / flat if flat > 0.0 else 0.0)
        st(record, i * NR + E, abs(z) / size)
        st(record, i * NR + SIGN, 0.0 if abs(z) < SMALL * size else (-1.0 if z > 0.0 else 1.0))
    px = ld(record, i * NR + PV)
    py = ld(record, i * NR + PV + 1)
    st(f, 6 * i, t * x)
    st(f, 6 * i + 1, t * y)
    nzv = ld(f, 6 * i + 5) - px * y + py * x
    st(f, 6 * i + 5, (nzv if flags[i * NF + MODE] == SPIN else t * nzv) + t * (px * y - py * x))
    return 1


@inline
def write_margins(patch, flags, record, f, a, goal, v, i, h, impact):
    """Margins of patch i as accepted."""
    r = i * NR
    least, _ = free_vertex(patch, flags, a, goal, i, impact)
    st(record, r + MARGIN_VERTEX, least)
    st(record, r + MARGIN_FZ, ld(f, 6 * i + 2))
    st(record, r + MISALIGNED, 0.0)
    if flags[i * NF + STATE] == NONE:
        for k in (MARGIN_PV, MARGIN_F, MARGIN_NZ, D, E):
            st(record, r + k, 0.0)
        return
    inside, d = distances(patch, flags, i, ld(record, r + PV), ld(record, r + PV + 1))
    st(record, r + MARGIN_PV, inside)
    if flags[i * NF + MODE] == STICK:
        st(record, r + D, d)
    margin, turning = friction_limits(patch, record, f, i)
    st(record, r + MARGIN_F, margin)
    st(record, r + MARGIN_NZ, turning)
    limit = ld(patch, i * NP + MU_D) * ld(f, 6 * i + 2)
    if flags[i * NF + MODE] == SLIP and limit > 0.0:
        st(record, r + MISALIGNED, slip_error(patch, record, f, a, v, i, h, impact) / limit)
