"""Where the search for contact forces begins, and the scale that its errors are measured by.

The first hypothesis is the last step's state; what it would do with the last step's forces says whether it slides
(link_friction.py). A patch without force that would not go inward even so does not touch. For an impact the whole region
sticks. Bounded rows begin where force less motion over K points to. Scale: as bunraku.contact.residual, over the
rows that break their law without forces. Checked in tests/step/virtual_link/test_box.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld
from bunraku.step.virtual_link import link_layout as at
from bunraku.step.virtual_link.link_checks import newly, pressing, sliding, try_state
from bunraku.step.virtual_link.link_friction import settle_in, slip_by_forces, stick, turns
from bunraku.step.virtual_link.link_layout import Links, Patch, patch_of, response_at
from bunraku.step.virtual_link.link_region import after, base_state, height_rate, middle

SURE = 0.5  # of the limit: a surface that stuck with less friction is thought to stick without a closer look


@inline
def first_state(patch: Patch, remembered):
    """The whole region, or what is remembered where that is less."""
    region = patch.region
    state, first, second = base_state(region)
    if remembered and patch.state < state:
        low = patch.low
        if patch.state == at.NONE:
            return at.NONE, 0, 0
        if patch.state == at.POINT and 0 <= low < region.count:
            return at.POINT, low, low
        if patch.state == at.LINE and 0 <= low < region.count and patch.high == after(region, low):
            return at.LINE, low, patch.high
    return state, first, second


@inline
def surely_sticks(links: Links, patch: Patch):
    """A surface that stuck, by far."""
    fx = ld(links.f, patch.row)
    fy = ld(links.f, patch.row + 1)
    limit = SURE * patch.region.mu_s * ld(links.f, patch.row + 2)
    return fx * fx + fy * fy < limit * limit


@inline
def hypothesise(links: Links):
    """First state of every patch, the last step's if there is one (its mode is not 0), and its mode from the last
    forces f and the motion a with them. For an impact, the whole region sticking."""
    impact = links.numbers.impact != 0
    for i in range(links.numbers.p):
        patch = patch_of(links, i)
        remembered = patch.mode != 0 and not impact
        state, first, second = first_state(patch, remembered)
        stuck = remembered and patch.mode == at.STICK
        patch.tried = 0
        try_state(patch, state, first, second)
        if not remembered:
            patch.pv = middle(patch.region)
        fz = ld(links.f, patch.row + 2)
        if state == at.SURFACE and stuck and fz > 0.0 and surely_sticks(links, patch):
            stick(patch)
            continue
        settle_in(patch)
        if not (impact or fz > 0.0) and not goes_inward(links, patch):
            try_state(patch, at.NONE, 0, 0)
        if impact or patch.state == at.NONE or (stuck and not fz > 0.0):
            stick(patch)
        elif stuck:
            slip_by_forces(links, patch)
        elif not turns(links, patch):
            patch.mode = at.SLIP
            if fz > 0.0:
                slip_by_forces(links, patch)
            else:
                newly(links, patch, inward_at(links, patch, patch.pv))
    for q in range(links.numbers.r):
        k = 6 * links.numbers.p + q
        single = links.singles[q]
        d = response_at(links, k, k)
        x = ld(links.f, k) - (ld(links.a, k) - ld(links.goal, k)) / d if d > 0.0 else ld(links.f, k)
        single.bound = at.LOW if x <= single.low else (at.HIGH if x >= single.high else at.HELD)


@inline
def inward_at(links: Links, patch: Patch, p):
    """How fast a point of a patch goes inward with the motion a."""
    a, goal, k = links.a, links.goal, patch.row
    inward = ld(goal, k + 2) - ld(a, k + 2) + (ld(goal, k + 3) - ld(a, k + 3)) * p[1]
    return inward - (ld(goal, k + 4) - ld(a, k + 4)) * p[0]


@inline
def goes_inward(links: Links, patch: Patch):
    """A vertex of a patch goes inward with the motion a."""
    for k in range(patch.region.count):
        p = patch.region.vertex[k]
        if inward_at(links, patch, p) > 0.0:
            return True
    return False


@inline
def law_scale(links: Links):
    """The largest motion that breaks a law without forces, over sqrt(K)."""
    free, v, h = links.free, links.v, links.numbers.h
    square = 0.0
    for i in range(links.numbers.p):
        patch = patch_of(links, i)
        row = patch.row
        breaks = False
        for k in range(patch.region.count):
            x, y = patch.region.vertex[k]
            z = height_rate(free, row, (x, y)) - height_rate(links.goal, row, (x, y))
            if z < 0.0:
                breaks = True
                square = max(square, z * z / max(pressing(links, patch, x, y), 1e-300))
        if breaks:
            x = ld(free, row) + ld(v, row) / h
            y = ld(free, row + 1) + ld(v, row + 1) / h
            square = max(square, (x * x + y * y) / max(sliding(links, patch), 1e-300))
    for q in range(links.numbers.r):
        k = 6 * links.numbers.p + q
        single = links.singles[q]
        x = ld(free, k) - ld(links.goal, k)
        d = response_at(links, k, k)
        if d > 0.0 and ((x < 0.0 and single.high > 0.0) or (x > 0.0 and single.low < 0.0)):
            square = max(square, x * x / d)
    return max(math.sqrt(square), 1e-300)
