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
from bunraku.kernel.record import handle
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.step.island import fill_matrix
from bunraku.step.rows import EQUALITY
from bunraku.step.step_arrays import Pack, Rows, Step
from bunraku.step.virtual_link.link_arrays import (
    BOUND,
    FLAGS,
    FLAT_K,
    FREE,
    GOAL,
    GOAL_P,
    LINK_A,
    LINK_F,
    LINK_FREE,
    LINK_GOAL,
    LINK_GOAL_P,
    LINK_HIGH,
    LINK_INTS,
    LINK_IWORK,
    LINK_LOW,
    LINK_NOW,
    LINK_REALS,
    LINK_WORK,
    NOW,
    PATCH,
    PATCHES,
    RECORD,
    REGION,
    START,
    START_PV,
    WRENCH,
)
from bunraku.step.virtual_link.link_hypotheses import solve_patches
from bunraku.step.virtual_link.link_layout import NF, NP, NR, OK, PV, SOLVES

SETTLED, UNSETTLED = np.int64(0), np.int64(1)  # what solve_island says
BOUNDLESS = 1e300


@inline
def kind_of(rows: Rows, pack: Pack):
    """PATCH, EQUALITY or BOUNDED."""
    return rows.blocks[pack.first_block].kind if pack.blocks > 0 else PATCH


@part
def place_rows(s: Step, first, last):
    """Order the rows of an island; returns (patches, other rows), or -1 where K is too small for them."""
    rows = s.rows
    room = s.island.K.shape[0]
    m = 0
    patches = 0
    for turn in range(2):
        for p in range(first, last):
            pack = rows.packs[rows.by_island[p]]
            if (kind_of(rows, pack) != PATCH) == (turn == 1):
                pack.place = m
                m += pack.lines
                if m > room:
                    return -1, -1
        if turn == 0:
            patches = m // 6
    return patches, m - 6 * patches


@part
def state_problem(s: Step, first, last, patch_rows):
    """Patches, free rates, goals, bounds and the last forces of an island as the solver takes them; softness into K."""
    h = handle(s)
    rows = s.rows
    k_matrix = s.island.K
    rate = 1.0 / s.numbers.dt
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    patches = reals1(h, PATCHES)
    flags = ints1(h, FLAGS)
    record = reals1(h, RECORD)
    free = reals1(h, LINK_FREE)
    goal = reals1(h, LINK_GOAL)
    goal_p = reals1(h, LINK_GOAL_P)
    now = reals1(h, LINK_NOW)
    low = reals1(h, LINK_LOW)
    high = reals1(h, LINK_HIGH)
    f = reals1(h, LINK_F)
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        at = pack.place
        kind = kind_of(rows, pack)
        if kind != PATCH:
            r = pack.first
            for j in range(pack.lines):
                free[at + j] = rows.b[r + j] * rate
                goal[at + j] = 0.0
                goal_p[at + j] = 0.0
                now[at + j] = 0.0
                f[at + j] = rows.lam[r + j] * rate
                low[at + j - patch_rows] = -BOUNDLESS
                high[at + j - patch_rows] = BOUNDLESS
            for j in range(pack.blocks):
                block = rows.blocks[pack.first_block + j]
                row = at + block.row - r
                if kind == EQUALITY:
                    k_matrix[row, row] += block.compliance
                else:
                    low[row - patch_rows] = block.low * rate
                    high[row - patch_rows] = min(block.high * rate, BOUNDLESS)
        elif pack.blocks > 0:
            i = rows.blocks[pack.first_block].origin
            n = at // 6
            for k in range(NP):
                patches[NP * n + k] = reals[i, REGION + k]
            for k in range(NF):
                flags[NF * n + k] = ints[i, START + k]
            record[NR * n + PV] = reals[i, START_PV]
            record[NR * n + PV + 1] = reals[i, START_PV + 1]
            for k in range(6):
                v = reals[i, NOW + k]
                now[at + k] = v
                free[at + k] = (reals[i, FREE + k] - v) * rate
                goal[at + k] = (reals[i, GOAL + k] - v) * rate
                goal_p[at + k] = (reals[i, GOAL_P + k] - v) * rate
                f[at + k] = reals[i, WRENCH + k] * rate


@part
def keep_answer(s: Step, first, last):
    """Impulses to the rows; flags and pv to the patches, where the next search begins."""
    h = handle(s)
    rows = s.rows
    f = reals1(h, LINK_F)
    flags = ints1(h, FLAGS)
    record = reals1(h, RECORD)
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    dt = s.numbers.dt
    for q in range(first, last):
        pack = rows.packs[rows.by_island[q]]
        at = pack.place
        for j in range(pack.lines):
            rows.lam[pack.first + j] = f[at + j] * dt
        if kind_of(rows, pack) == PATCH and pack.blocks > 0:
            i = rows.blocks[pack.first_block].origin
            n = at // 6
            for k in range(NF):
                ints[i, START + k] = flags[NF * n + k]
            reals[i, START_PV] = record[NR * n + PV]
            reals[i, START_PV + 1] = record[NR * n + PV + 1]
            for k in range(6):
                reals[i, WRENCH + k] = f[at + k] * dt


@part
def solve_island(s: Step, first, last, positions, most):
    """Impulses of the packs by_island[first:last] with at most `most` solves; returns (SETTLED or UNSETTLED, solves
    made, rows)."""
    h = handle(s)
    numbers = s.numbers
    p, r = place_rows(s, first, last)
    if p < 0:
        return UNSETTLED, 0, -1
    m = 6 * p + r
    fill_matrix(s, first, last, m)
    state_problem(s, first, last, 6 * p)
    status, residual = solve_patches(
        reals1(h, FLAT_K), s.island.K.shape[1], reals1(h, LINK_FREE), reals1(h, LINK_GOAL_P if positions != 0 else LINK_GOAL),
        reals1(h, LINK_NOW), reals1(h, PATCHES), p, r, numbers.dt, most, numbers.tolerance, False, ints1(h, FLAGS), reals1(h, RECORD),
        reals1(h, LINK_LOW), reals1(h, LINK_HIGH), ints1(h, BOUND), reals1(h, LINK_WORK), ints1(h, LINK_IWORK), reals1(h, LINK_F),
        reals1(h, LINK_A),
    )  # fmt: skip
    used = ints1(h, LINK_IWORK)[SOLVES]
    if status != OK:
        return UNSETTLED, used, m
    keep_answer(s, first, last)
    numbers.residual = max(numbers.residual, residual)
    return SETTLED, used, m
