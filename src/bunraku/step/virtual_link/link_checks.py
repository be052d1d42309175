"""Checks of a contact hypothesis and what follows from each (Nakamura & Yamane 2000: section 4.4, (24), (26)).

In this order, acting on the first that fails: fz <= 0 releases the patch; pv = (-ny/fz, nx/fz) outside the region's
hull makes it a line on the nearest edge or a point at the nearest vertex; friction or nz beyond its limit makes it
slide; (25b) friction is the law's for the motion (link_friction.py); (24b) no free vertex accelerates (impact: moves)
inward.

The nearest hull point can be the wrong one, which (24b) shows. A free vertex that goes inward then joins the contact:
none -> its point, point -> the line towards it, line -> surface. A state already tried, sticking or moving as now, is
passed over for its neighbour along the hull, or the patch slides if its friction fails as well.

What counts as failing: errors are measured as in residual.py, forces times the square root of the response K,
accelerations divided by it; `allowed` is the largest that passes [square root of N times acceleration].
Checked in tests/step/virtual_link/test_box.py and test_random.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.step.virtual_link import link_layout as at
from bunraku.step.virtual_link.link_friction import (
    distances,
    friction_force,
    judge_slip,
    revise_slip,
    settle_in,
    slip_by_forces,
    slip_error,
    stick,
)
from bunraku.step.virtual_link.link_layout import Links, Patch, Region, response_at
from bunraku.step.virtual_link.link_region import after, area_around, base_state, before, edge, nearest

SMALL = 1e-12  # of friction: no moment
STALE = 0.1  # d is kept from solve to solve until it is wrong by this part
# d of a disc, seen from its middle, over the root of its area: no region has less
DISC = 2.0 / 3.0 / math.sqrt(math.pi)


@inline
def bit(state, first, mode):
    """The bit that stands for a hypothesis of a patch: none, 8 points, 8 edges (by their first vertex), surface;
    sticking, or moving."""
    moving = 0 if mode == at.STICK else 18
    if state == at.NONE:
        return 1
    if state == at.POINT:
        return 1 << (moving + 1 + first)
    if state == at.LINE:
        return 1 << (moving + 9 + first)
    return 1 << (moving + 17)


@inline
def was_tried(patch: Patch, state, first):
    """The patch has been in this state, sticking or moving as it is now."""
    return patch.tried & bit(state, first, patch.mode) != 0


@inline
def try_state(patch: Patch, state, first, second):
    """Think that a patch is in this state."""
    patch.state = state
    patch.low = first
    patch.high = second


@inline
def edge_towards(region: Region, end, away):
    """(first, second) of the other edge at vertex `end`, given the edge's vertex `away`."""
    return (before(region, end), end) if away == after(region, end) else (end, after(region, end))


@inline
def find_pv(links: Links, patch: Patch):
    """pv (26) and its d; returns the distance of pv inside the region, or 0 for a surface that surely sticks: pv lies
    inside, and the least d that a region of its area can have, which is then the patch's, keeps friction in its
    limit."""
    fz = ld(links.f, patch.row + 2)
    if patch.state == at.POINT:
        return 0.0
    patch.pv = (-ld(links.f, patch.row + 4) / fz, ld(links.f, patch.row + 3) / fz)
    if patch.state == at.SURFACE and patch.mode == at.STICK:
        area = area_around(patch.region, patch.pv)
        if area > 0.0:
            patch.d = DISC * math.sqrt(area)
            fx, fy, turn = friction_force(links, patch)
            if math.sqrt(fx * fx + fy * fy) + abs(turn) <= patch.region.mu_s * fz:
                return 0.0
    inside, d = distances(patch, patch.pv)
    if patch.mode == at.STICK or abs(d - patch.d) > STALE * patch.d:
        patch.d = d
    return inside


@inline
def pressing(links: Links, patch: Patch, x, y):
    """Response of a patch at (x, y) to a normal force there."""
    k = patch.row + 2
    own = response_at(links, k, k) + y * y * response_at(links, k + 1, k + 1) + x * x * response_at(links, k + 2, k + 2)
    both = x * y * response_at(links, k + 1, k + 2)
    return own + 2.0 * (y * response_at(links, k, k + 1) - x * response_at(links, k, k + 2) - both)


@inline
def two_axes(links: Links, k):
    """Responses of rows k and k + 1 to their own forces, together."""
    return response_at(links, k, k) + response_at(links, k + 1, k + 1)


@inline
def sliding(links: Links, patch: Patch):
    """Mean response of a patch to a tangential force at its origin."""
    return 0.5 * two_axes(links, patch.row)


@inline
def revise(links: Links, patch: Patch, allowed):
    """The first failing check of a patch. Returns (1 if its hypothesis changed, the largest error)."""
    worst = 0.0
    if patch.state != at.NONE:
        changed, worst = revise_force(links, patch, allowed)
        if changed:
            return 1, worst
    least, k = free_vertex(links, patch)
    if least < 0.0:
        x, y = patch.region.vertex[k]
        error = -least / math.sqrt(max(pressing(links, patch, x, y), 1e-300))
        if error > allowed:
            join(links, patch, k, -least)
            return 1, error
        worst = max(worst, error)
    return 0, worst


@inline
def revise_force(links: Links, patch: Patch, allowed):
    """fz, pv, friction and its direction. Returns (1 if the hypothesis changed, the largest error)."""
    fz = ld(links.f, patch.row + 2)
    worst = max(-fz, 0.0) * math.sqrt(response_at(links, patch.row + 2, patch.row + 2))
    if worst > allowed:
        if not (was_tried(patch, at.NONE, 0) and let_go(links, patch)):
            try_state(patch, at.NONE, 0, 0)
        return 1, worst
    root = math.sqrt(sliding(links, patch))
    if fz > 0.0:
        inside = find_pv(links, patch)
        error = max(-inside * fz, 0.0) * math.sqrt(two_axes(links, patch.row + 3))
        if patch.state != at.POINT and error > allowed:
            leave(links, patch)
            return 1, error
        worst = max(worst, error)
    if patch.mode != at.SLIP:
        x, y, z = friction_force(links, patch)
        size = math.sqrt(x * x + y * y)
        if patch.mode == at.STICK:
            size += abs(z)
        error = max(size - patch.region.mu_s * max(fz, 0.0), 0.0) * root
        if error > allowed:
            if fz > 0.0:
                slip_by_forces(links, patch)
            else:
                try_state(patch, at.NONE, 0, 0)
            return 1, error
        worst = max(worst, error)
    changed, error = revise_slip(links, patch, allowed / root if root > 0.0 else at.FAR)
    return changed, max(worst, error * root)


@inline
def let_go(links: Links, patch: Patch):
    """A sticking patch that pulls, but whose release was wrong: let it slide. Returns 1 if it does."""
    friction = friction_force(links, patch)
    push = math.sqrt(friction[0] * friction[0] + friction[1] * friction[1])
    if patch.mode != at.STICK or not push > 0.0:
        return 0
    judge_slip(links, patch, friction, (1e-3 * push, 0.0, 0.0))
    return 1


@inline
def leave(links: Links, patch: Patch):
    """pv lies outside: the nearest edge or vertex; where that was tried, slide if friction fails too, else its
    neighbour along the hull."""
    region = patch.region
    now = patch.state
    if now == at.LINE:
        end = line_end(region, patch.low, patch.high, patch.pv)
        state, first, second = at.POINT, end, end
    else:
        state, first, second = nearest(region, patch.pv)
    if was_tried(patch, state, first):
        if patch.mode == at.STICK:
            slip_by_forces(links, patch)
            if patch.mode != at.STICK:
                return
        base, _, _ = base_state(region)
        if now == at.LINE and base == at.SURFACE:  # the point was wrong: the edge beyond it
            a = edge_towards(region, first, patch.high if first == patch.low else patch.low)
            b = a
        elif now == at.LINE:
            a = (patch.low, patch.high)
            b = a
        elif state == at.POINT:
            a = (first, after(region, first))
            b = (before(region, first), first)
        else:
            a, b = neighbours(region, first, second, patch.pv)
        if not was_tried(patch, at.LINE, a[0]):
            state, first, second = at.LINE, a[0], a[1]
        elif not was_tried(patch, at.LINE, b[0]):
            state, first, second = at.LINE, b[0], b[1]
    try_state(patch, state, first, second)
    settle_in(patch)
    slip_by_forces(links, patch)


@inline
def line_end(region: Region, first, second, p):
    """The end of the line nearer to p."""
    ax, ay, ex, ey = edge(region, first, second)
    bx, by = region.vertex[second]
    return second if (p[0] - 0.5 * (ax + bx)) * ex + (p[1] - 0.5 * (ay + by)) * ey > 0.0 else first


@inline
def neighbours(region: Region, first, second, p):
    """The two edges next to an edge; first the one at the end nearer to p."""
    a = edge_towards(region, second, first)
    b = edge_towards(region, first, second)
    return (b, a) if line_end(region, first, second, p) == first else (a, b)


@inline
def free_vertex(links: Links, patch: Patch):
    """(smallest inward-positive margin, its vertex): acceleration above target of the free vertices of a patch; after
    an impact, velocity."""
    least = at.FAR
    where = 0
    if patch.state == at.SURFACE:
        return least, where
    a, goal, k = links.a, links.goal, patch.row
    z = ld(a, k + 2) - ld(goal, k + 2)
    wx = ld(a, k + 3) - ld(goal, k + 3)
    wy = ld(a, k + 4) - ld(goal, k + 4)
    for k in range(patch.region.count):
        if patch.state != at.NONE and (k == patch.low or (patch.state == at.LINE and k == patch.high)):
            continue
        x, y = patch.region.vertex[k]
        margin = z + wx * y - wy * x
        if margin < least:
            least = margin
            where = k
    return least, where


@inline
def join(links: Links, patch: Patch, k, inward):
    """Free vertex k of a patch goes inward: it joins the contact."""
    region = patch.region
    now = patch.state
    base, low, high = base_state(region)
    state = base
    edge_of = (low, high)
    if now == at.NONE:
        state, edge_of = at.POINT, (k, k)
        if base == at.SURFACE and was_tried(patch, at.POINT, k):
            state, edge_of = at.LINE, (k, after(region, k))
            if was_tried(patch, at.LINE, k):
                edge_of = (before(region, k), k)
    elif base == at.SURFACE and now == at.POINT:
        first = patch.low
        ahead = k - first if k >= first else k - first + region.count
        state = at.LINE
        if 2 * ahead <= region.count:  # k lies after the vertex, counter-clockwise
            edge_of = (first, after(region, first))
        else:
            edge_of = (before(region, first), first)
        if was_tried(patch, at.LINE, edge_of[0]):
            state, edge_of = at.SURFACE, (0, 0)
            if was_tried(patch, at.SURFACE, 0):
                state, edge_of = at.POINT, (k, k)
    elif base == at.SURFACE and was_tried(patch, at.SURFACE, 0):
        state = at.LINE
        edge_of, other = neighbours(region, patch.low, patch.high, patch.pv)
        if was_tried(patch, at.LINE, edge_of[0]):
            edge_of = other
            if was_tried(patch, at.LINE, other[0]):
                state, edge_of = at.SURFACE, (0, 0)
    try_state(patch, state, edge_of[0], edge_of[1])
    settle_in(patch)
    if now == at.NONE:
        newly(links, patch, inward)
    elif patch.mode == at.SPIN:
        patch.mode = at.SLIP


@inline
def newly(links: Links, patch: Patch, inward):
    """Mode of a patch that begins to touch: its motion against the friction of the force that would stop it, alone,
    from going inward."""
    x, y = patch.pv
    response = pressing(links, patch, x, y)
    if links.numbers.impact == 0 and response > 0.0 and inward > 0.0:
        patch.mode = at.SLIP
        fz = inward / response
        judge_slip(links, patch, (0.0, 0.0, 0.0), (fz, fz * y, -fz * x))
    else:
        stick(patch)


@inline
def put_on_limit(links: Links, patch: Patch):
    """What the tolerance let pass: no patch pulls, and friction is at most its limit, a slip's exactly.

    Returns 1 if the wrench changed.
    """
    f, row = links.f, patch.row
    fz = ld(f, row + 2)
    if patch.state == at.NONE:
        return 0
    if not fz > 0.0:
        for k in range(row, row + 6):
            st(f, k, 0.0)
        return 1
    x, y, z = friction_force(links, patch)
    size = math.sqrt(x * x + y * y)
    if patch.mode != at.SPIN:
        size += abs(z)
    slides = patch.mode == at.SLIP
    limit = (patch.region.mu_d if slides else patch.region.mu_s) * fz
    if not size > 0.0 or (size <= limit and not slides):
        return 0
    t = limit / size
    if slides:  # the direction that Newton's method found
        flat = math.sqrt(x * x + y * y)
        patch.s = (-x / flat if flat > 0.0 else 0.0, -y / flat if flat > 0.0 else 0.0)
        patch.fade = abs(z) / size
        patch.sign = 0.0 if abs(z) < SMALL * size else (-1.0 if z > 0.0 else 1.0)
    px, py = patch.pv
    nzv = ld(f, row + 5) - px * y + py * x
    st(f, row, t * x)
    st(f, row + 1, t * y)
    st(f, row + 5, (nzv if patch.mode == at.SPIN else t * nzv) + t * (px * y - py * x))
    return 1


@inline
def write_margins(links: Links, patch: Patch):
    """Margins of a patch as accepted."""
    margin = patch.margin
    margin.vertex, _ = free_vertex(links, patch)
    margin.fz = ld(links.f, patch.row + 2)
    margin.misaligned = 0.0
    if patch.state == at.NONE:
        margin.pv = 0.0
        margin.f = 0.0
        margin.nz = 0.0
        patch.d = 0.0
        patch.fade = 0.0
        return
    margin.pv, d = distances(patch, patch.pv)
    if patch.mode == at.STICK:
        patch.d = d
    fx, fy, turn = friction_force(links, patch)
    margin.f = patch.region.mu_s * margin.fz - math.sqrt(fx * fx + fy * fy)
    margin.nz = patch.d * (margin.f - abs(turn))
    limit = patch.region.mu_d * margin.fz
    if patch.mode == at.SLIP and limit > 0.0:
        margin.misaligned = slip_error(links, patch) / limit
