"""One island by virtual links: its rows in order, its problem as the solver takes it, and what is kept of the answer.

Rows stand as: patches (six each), then all others, equalities and bounded ones alike. The solver
(bunraku.step.virtual_link.link_hypotheses) works in velocity steps a = (v+ - v)/dt, a0 = (v without impulses - v)/dt;
softness stands on K's diagonal. It begins with the last step's impulses. What does not come to rest in the caller's
number of solves, and islands too large for K, are for the iterative solver. Checked in
tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.step.island import fill_matrix
from bunraku.step.rows import EQUALITY
from bunraku.step.step_arrays import Pack, Rows, Step
from bunraku.step.virtual_link.link_arrays import PATCH, LinkStep
from bunraku.step.virtual_link.link_hypotheses import solve_patches
from bunraku.step.virtual_link.link_layout import FAR, OK, Links

SETTLED, UNSETTLED = np.int64(0), np.int64(1)  # what solve_island says


@inline
def kind_of(rows: Rows, pack: Pack):
    """PATCH, EQUALITY or BOUNDED."""
    return rows.blocks[pack.first_block].kind if pack.blocks > 0 else PATCH


@part
def place_rows(s: Step, first, last):
    """Order the rows of an island; returns whether K has room for them."""
    rows = s.rows
    numbers = Links(s).numbers
    m = 0
    for turn in range(2):
        for p in range(first, last):
            pack = rows.packs[rows.by_island[p]]
            if (kind_of(rows, pack) != PATCH) == (turn == 1):
                pack.place = m
                m += pack.lines
                if m > s.island.K.shape[0]:
                    return False
        if turn == 0:
            numbers.p = m // 6
    numbers.r = m - 6 * numbers.p
    numbers.m = m
    return True


@part
def state_problem(s: Step, first, last, positions):
    """Patches, free rates, goals, bounds and the last forces of an island as the solver takes them; softness into K."""
    rows = s.rows
    links = Links(s)
    rate = 1.0 / s.numbers.dt
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        kind = kind_of(rows, pack)
        for j in range(pack.lines):
            links.f[pack.place + j] = rows.lam[pack.first + j] * rate
        if kind != PATCH:
            state_singles(s, pack, kind == EQUALITY)
        elif pack.blocks > 0:
            state_patch(s, pack, positions)


@inline
def state_singles(s: Step, pack: Pack, holds):
    """The rows of a pack that are no patch's, equalities or bounded."""
    rows = s.rows
    links = Links(s)
    rate = 1.0 / s.numbers.dt
    shift = pack.place - pack.first
    for row in range(pack.first, pack.first + pack.lines):
        links.free[row + shift] = rows.b[row] * rate
        links.goal[row + shift] = 0.0
        links.v[row + shift] = 0.0
    for j in range(pack.blocks):
        block = rows.blocks[pack.first_block + j]
        at = block.row + shift
        single = links.singles[at - 6 * links.numbers.p]
        if holds:
            s.island.K[at, at] += block.compliance
        single.low = -FAR if holds else block.low * rate
        single.high = FAR if holds else min(block.high * rate, FAR)


@inline
def state_patch(s: Step, pack: Pack, positions):
    """The rows of a patch."""
    w = LinkStep(s)
    links = w.links
    rate = 1.0 / s.numbers.dt
    at = pack.place
    i = s.rows.blocks[pack.first_block].origin
    touch = w.touches[i]
    links.order[at // 6] = i
    links.patches[i].row = at
    for k in range(6):
        v = touch.now[k]
        goal = touch.goal_p[k] if positions != 0 else touch.goal[k]
        links.v[at + k] = v
        links.free[at + k] = (touch.free[k] - v) * rate
        links.goal[at + k] = (goal - v) * rate


@part
def solve_island(s: Step, first, last, positions, most):
    """Impulses of the packs by_island[first:last] with at most `most` solves; returns (SETTLED or UNSETTLED, solves
    made, rows)."""
    rows = s.rows
    links = Links(s)
    numbers = links.numbers
    if not place_rows(s, first, last):
        return UNSETTLED, 0, -1
    fill_matrix(s, first, last, numbers.m)
    state_problem(s, first, last, positions)
    numbers.h = s.numbers.dt
    numbers.tolerance = s.numbers.tolerance
    numbers.cap = most
    numbers.impact = 0
    status, residual = solve_patches(links)
    if status != OK:
        return UNSETTLED, numbers.solves, numbers.m
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        for j in range(pack.lines):
            rows.lam[pack.first + j] = links.f[pack.place + j] * s.numbers.dt
    s.numbers.residual = max(s.numbers.residual, residual)
    return SETTLED, numbers.solves, numbers.m
