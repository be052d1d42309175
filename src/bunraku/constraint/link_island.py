"""One island by virtual links: rows in order, hypotheses, joint limits and friction as an active set, and how well the laws hold.

Rows stand as: patches (six each), equalities, bounded rows that are *held*, other bounded rows. The solver
(bunraku.constraint.contact.virtual_link) sees the first three, in velocity steps a = (v+ - v)/dt, a0 = (v without impulses - v)/dt;
softness stands on K's diagonal. A bounded row is held (an equality), or at its lower or upper bound (a given impulse; a limit that does
not act has the impulse 0). What it was in the last step is the first guess; afterwards
    held: lo <= lam <= hi, else at the bound it passed      low: v+ >= 0, else held      high: v+ <= 0, else held
up to REVISIONS times. All solves together stay within the caller's number; what does not come to rest so, and islands too large
for K, are for the iterative solver.

Residual, the largest of: rates of touching points off their goal, free points below theirs, slip where it sticks, rates of equalities,
all relative to the largest rate without impulses; friction beyond its limit and against its law, relative to mu fz.
Checked in tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

import math

import numpy as np

from bunraku.constraint.arrays import BY_ISLAND, DT, NUMBERS, RESIDUAL, K, rows_of
from bunraku.constraint.contact.link_checks import free_vertex
from bunraku.constraint.contact.link_layout import (
    LINE,
    MARGIN_F,
    MARGIN_NZ,
    MISALIGNED,
    MODE,
    MU_S,
    NF,
    NONE,
    NP,
    NR,
    OK,
    PV,
    SOLVES,
    STATE,
    STICK,
    SURFACE,
    D,
    I,
    J,
)
from bunraku.constraint.contact.link_region import at_point, vertex, vertex_count
from bunraku.constraint.contact.virtual_link import ALIGN, solve_patches
from bunraku.constraint.island import fill_matrix
from bunraku.constraint.link_arrays import (
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
    LINK_INTS,
    LINK_IWORK,
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
)
from bunraku.constraint.rows import (
    BLOCK_KIND,
    EQUALITY,
    FIRST,
    FIRST_BLOCK,
    FIRST_ROW,
    LINES,
    ORIGIN,
    PACK_BLOCKS,
    PLACE,
)
from bunraku.spatial.kernel import inline, part
from bunraku.spatial.lanes import ld
from bunraku.spatial.table import ints1, ints2, reals1, reals2

REVISIONS = 3
HELD, LOW, HIGH = np.int64(0), np.int64(1), np.int64(2)  # a bounded row
EXACT = 1e-9  # of the largest impulse or rate: rounding
SETTLED, UNSETTLED = np.int64(0), np.int64(1)  # what solve_island says


@inline
def kind_of(rows, pack):
    """PATCH, EQUALITY or BOUNDED."""
    return rows.blocks[rows.packs[pack, FIRST_BLOCK], BLOCK_KIND] if rows.packs[pack, PACK_BLOCKS] > 0 else PATCH


@inline
def guess_bounds(h, first, last):
    """What every bounded row is thought to be, from the last step's impulse and its rate."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    bound = ints1(h, BOUND)
    for p in range(first, last):
        pack = order[p]
        kind = kind_of(rows, pack)
        if kind == PATCH or kind == EQUALITY:
            continue
        k = rows.packs[pack, FIRST_BLOCK]
        r = rows.packs[pack, FIRST]
        low = rows.reals[k, 1]
        high = rows.reals[k, 2]
        bound[pack] = HELD
        if low == 0.0 and rows.lam[r] == 0.0:
            bound[pack] = HELD if rows.b[r] < 0.0 else LOW
        elif rows.lam[r] <= low * (1.0 - EXACT):
            bound[pack] = LOW
        elif rows.lam[r] >= high * (1.0 - EXACT):
            bound[pack] = HIGH


@part
def place_rows(h, first, last):
    """Order the rows of an island; returns (patches, equality and held rows, all rows), or -1 where K is too small for them."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    bound = ints1(h, BOUND)
    room = reals2(h, K).shape[0]
    m = 0
    patches = 0
    solved = 0
    for turn in range(3):
        for p in range(first, last):
            pack = order[p]
            kind = kind_of(rows, pack)
            comes = 0 if kind == PATCH else (1 if kind == EQUALITY or bound[pack] == HELD else 2)
            if comes == turn:
                rows.packs[pack, PLACE] = m
                m += rows.packs[pack, LINES]
                if m > room:
                    return -1, -1, -1
        if turn == 0:
            patches = m // 6
        if turn == 1:
            solved = m
    return patches, solved - 6 * patches, m


@part
def state_problem(h, first, last):
    """Patches, free rates and goals of an island as the solver takes them; softness into K."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    bound = ints1(h, BOUND)
    k_matrix = reals2(h, K)
    dt = reals1(h, NUMBERS)[DT]
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    patches = reals1(h, PATCHES)
    flags = ints1(h, FLAGS)
    record = reals1(h, RECORD)
    free = reals1(h, LINK_FREE)
    goal = reals1(h, LINK_GOAL)
    goal_p = reals1(h, LINK_GOAL_P)
    now = reals1(h, LINK_NOW)
    for p in range(first, last):
        pack = order[p]
        at = rows.packs[pack, PLACE]
        kind = kind_of(rows, pack)
        if kind != PATCH:
            r = rows.packs[pack, FIRST]
            for j in range(rows.packs[pack, LINES]):
                free[at + j] = rows.b[r + j] / dt
                goal[at + j] = 0.0
                goal_p[at + j] = 0.0
                now[at + j] = 0.0
            if kind == EQUALITY:
                k = rows.packs[pack, FIRST_BLOCK]
                for j in range(rows.packs[pack, PACK_BLOCKS]):
                    row = at + rows.blocks[k + j, FIRST_ROW] - r
                    k_matrix[row, row] += rows.reals[k + j, 0]
        elif rows.packs[pack, PACK_BLOCKS] > 0:
            i = rows.blocks[rows.packs[pack, FIRST_BLOCK], ORIGIN]
            s = at // 6
            for k in range(NP):
                patches[NP * s + k] = reals[i, REGION + k]
            for k in range(NF):
                flags[NF * s + k] = ints[i, START + k]
            record[NR * s + PV] = reals[i, START_PV]
            record[NR * s + PV + 1] = reals[i, START_PV + 1]
            for k in range(6):
                v = reals[i, NOW + k]
                now[at + k] = v
                free[at + k] = (reals[i, FREE + k] - v) / dt
                goal[at + k] = (reals[i, GOAL + k] - v) / dt
                goal_p[at + k] = (reals[i, GOAL_P + k] - v) / dt
    for p in range(first, last):  # given impulses act on everything
        pack = order[p]
        kind = kind_of(rows, pack)
        if kind != PATCH and kind != EQUALITY and bound[pack] != HELD:
            given = at_bound(rows, bound, pack)
            if given != 0.0:
                at = rows.packs[pack, PLACE]
                for q in range(first, last):
                    other = order[q]
                    for j in range(rows.packs[other, PLACE], rows.packs[other, PLACE] + rows.packs[other, LINES]):
                        free[j] += k_matrix[j, at] * given / dt


@inline
def at_bound(rows, bound, pack):
    """The impulse of a bounded row that is at its bound."""
    return rows.reals[rows.packs[pack, FIRST_BLOCK], 1 if bound[pack] == LOW else 2]


@part
def hypothesise(h, p, r, goal, cap):
    """Forces of the island's patches and equalities with the goals in array `goal`; returns the solver's status."""
    return solve_patches(
        reals1(h, FLAT_K), reals2(h, K).shape[1], reals1(h, LINK_FREE), reals1(h, goal), reals1(h, LINK_NOW), reals1(h, PATCHES), p, r,
        reals1(h, NUMBERS)[DT], cap, ALIGN, False, ints1(h, FLAGS), reals1(h, RECORD), reals1(h, LINK_WORK), ints1(h, LINK_IWORK),
        reals1(h, LINK_F), reals1(h, LINK_A),
    )  # fmt: skip


@part
def revise_bounds(h, first, last, m):
    """Check the bounded rows against the forces found (the first m rows); returns how many are now thought of differently."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    bound = ints1(h, BOUND)
    k_matrix = reals2(h, K)
    f = reals1(h, LINK_F)
    free = reals1(h, LINK_FREE)
    dt = reals1(h, NUMBERS)[DT]
    force = 0.0
    rate = 0.0
    for j in range(m):
        force = max(force, abs(f[j]))
        rate = max(rate, abs(free[j]))
    changed = 0
    for p in range(first, last):
        pack = order[p]
        kind = kind_of(rows, pack)
        if kind == PATCH or kind == EQUALITY:
            continue
        at = rows.packs[pack, PLACE]
        k = rows.packs[pack, FIRST_BLOCK]
        was = bound[pack]
        if was == HELD:
            x = f[at] * dt
            if x < rows.reals[k, 1] - EXACT * force * dt:
                bound[pack] = LOW
            elif x > rows.reals[k, 2] + EXACT * force * dt:
                bound[pack] = HIGH
        else:
            a = free[at]
            for j in range(m):
                a += k_matrix[at, j] * f[j]
            if (a < -EXACT * rate) if was == LOW else (a > EXACT * rate):
                bound[pack] = HELD
        if bound[pack] != was:
            changed += 1
    return changed


@part
def keep_answer(h, first, last):
    """Impulses to the rows; flags and pv to the patches, where the next search begins."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    bound = ints1(h, BOUND)
    f = reals1(h, LINK_F)
    flags = ints1(h, FLAGS)
    record = reals1(h, RECORD)
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    dt = reals1(h, NUMBERS)[DT]
    for q in range(first, last):
        pack = order[q]
        at = rows.packs[pack, PLACE]
        kind = kind_of(rows, pack)
        r = rows.packs[pack, FIRST]
        for j in range(rows.packs[pack, LINES]):
            rows.lam[r + j] = f[at + j] * dt
        if kind == PATCH:
            if rows.packs[pack, PACK_BLOCKS] > 0:
                i = rows.blocks[rows.packs[pack, FIRST_BLOCK], ORIGIN]
                s = at // 6
                for k in range(NF):
                    ints[i, START + k] = flags[NF * s + k]
                reals[i, START_PV] = record[NR * s + PV]
                reals[i, START_PV + 1] = record[NR * s + PV + 1]
        elif kind != EQUALITY and bound[pack] != HELD:
            rows.lam[r] = at_bound(rows, bound, pack)


@inline
def touches(flags, i, k):
    """Vertex k of patch i is part of the contact."""
    state = flags[i * NF + STATE]
    return state == SURFACE or (
        state != NONE and (k == flags[i * NF + I] or (state == LINE and k == flags[i * NF + J]))
    )


@part
def residual_of(h, p, r, which):
    """How far the laws are from holding: see the module text."""
    patches = reals1(h, PATCHES)
    flags = ints1(h, FLAGS)
    record = reals1(h, RECORD)
    goal = reals1(h, which)
    free = reals1(h, LINK_FREE)
    a = reals1(h, LINK_A)
    f = reals1(h, LINK_F)
    scale = 1e-300
    for k in range(6 * p + r):
        scale = max(scale, abs(free[k]), abs(goal[k]))
    off = 0.0
    for k in range(6 * p, 6 * p + r):
        off = max(off, abs(a[k] - goal[k]))
    beyond = 0.0
    for i in range(p):
        least, _ = free_vertex(patches, flags, a, goal, i, False)
        off = max(off, -least)
        if flags[i * NF + STATE] == NONE:
            continue
        gx, gy, gz = at_point(goal, 6 * i, 0.0, 0.0)
        for k in range(vertex_count(patches, i)):
            if touches(flags, i, k):
                x, y = vertex(patches, i, k)
                _, _, z = at_point(a, 6 * i, x, y)
                _, _, gz = at_point(goal, 6 * i, x, y)
                off = max(off, abs(z - gz))
        limit = ld(patches, i * NP + MU_S) * f[6 * i + 2]
        if flags[i * NF + MODE] == STICK:
            x = ld(record, i * NR + PV)
            y = ld(record, i * NR + PV + 1)
            ax, ay, _ = at_point(a, 6 * i, x, y)
            gx, gy, _ = at_point(goal, 6 * i, x, y)
            off = max(off, math.sqrt((ax - gx) * (ax - gx) + (ay - gy) * (ay - gy)))
        if limit > 0.0:
            beyond = max(beyond, -ld(record, i * NR + MARGIN_F) / limit, ld(record, i * NR + MISALIGNED))
            d = ld(record, i * NR + D)
            if d > 0.0 and flags[i * NF + MODE] == STICK:
                beyond = max(beyond, -ld(record, i * NR + MARGIN_NZ) / (limit * d))
    return max(off / scale, beyond)


@part
def solve_island(h, first, last, positions, most):
    """Impulses of the packs BY_ISLAND[first:last] with at most `most` solves; returns (SETTLED or UNSETTLED, solves made, rows)."""
    numbers = reals1(h, NUMBERS)
    goal = LINK_GOAL_P if positions != 0 else LINK_GOAL
    guess_bounds(h, first, last)
    used = 0
    m = 0
    for _ in range(REVISIONS + 1):
        if used >= most:
            break
        p, r, m = place_rows(h, first, last)
        if m < 0:
            return UNSETTLED, used, m
        fill_matrix(h, first, last, m)
        state_problem(h, first, last)
        status = hypothesise(h, p, r, goal, most - used)
        used += ints1(h, LINK_IWORK)[SOLVES]
        if status != OK:
            return UNSETTLED, used, m
        changed = revise_bounds(h, first, last, 6 * p + r)
        keep_answer(h, first, last)
        if changed == 0:
            numbers[RESIDUAL] = max(numbers[RESIDUAL], residual_of(h, p, r, goal))
            return SETTLED, used, m
    return UNSETTLED, used, m
