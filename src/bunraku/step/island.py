"""One island's contact problem gathered from the rows, solved, and its impulses put back. Those of more than DENSE rows
go to bunraku.step.large.

K is filled pack by pack: what a pack's unit impulses do to every source of its trees (one 6x6 block each), then to the
rows that hang on those sources, so that cost follows the entries that are not zero. Constraints that contradict each
other have no solution, and the least error may need boundless impulses: such an island is solved once more with rows
that yield, and counted as unsolved. Checked in tests/step/test_rows.py against J M^-1 J' and in tests/world/.
"""

from __future__ import annotations

from bunraku.contact.dense_front import Dense
from bunraku.contact.pgs import BROKEN, LIMIT, solve
from bunraku.contact.problem import Problem, height
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split
from bunraku.kernel.table import ints1, ints2, reals1, reals2, run, stage
from bunraku.step.rows import (
    BLOCK_KIND,
    CONTACT,
    FIRST,
    FIRST_BLOCK,
    FIRST_ROW,
    LINES,
    LOCAL,
    NEXT,
    ORIGIN,
    PACK_BLOCKS,
    PLACE,
    SOURCE,
    TREE,
    W,
    answer,
    ld_side,
)
from bunraku.step.step_arrays import (
    BY_ISLAND,
    BY_TREE,
    DIVERGED,
    INFO,
    ISLAND_LAM,
    ISLAND_START,
    LARGE_BLOCKS,
    LARGE_FIRST,
    LARGE_LAST,
    LARGE_ROWS,
    LARGE_SOFT,
    LARGEST,
    N_ISLANDS,
    NUMBERS,
    OK,
    POOL,
    RATE_B,
    RATE_P,
    RESIDUAL,
    ROOM_LARGE,
    SOFT,
    SWEEP_LIMIT,
    SWEEPS,
    TOLERANCE,
    TREE_FIRST,
    UNSOLVED,
    K,
    rows_of,
)

DENSE = 150  # rows up to which an island is dense
LARGE_STAGE = 30  # where the table has the stage that solves larger ones

HOPELESS = 0.01  # residual of the best impulses found from which constraints count as contradictory,
YIELD = (
    0.1  # and are solved with this part of K's mean diagonal added: impulses stay bounded, each row gives way a little
)


@inline
def add_response(k_matrix, rows, pack, side, row, c, lines, al, a):
    """Add, to K's rows from `row` on and columns from c on, what the motion (al, a) of a source does to a pack's side
    that hangs on it."""
    at = W * pack + 24 * side
    w = rows.w
    for i in range(rows.packs[pack, LINES]):
        x = (
            w[at + i] * al[0] + w[at + 4 + i] * al[1] + w[at + 8 + i] * al[2]
            + w[at + 12 + i] * a[0] + w[at + 16 + i] * a[1] + w[at + 20 + i] * a[2]
        )  # fmt: skip
        x0, x1, x2, _ = split(x)
        if row < c:  # below the diagonal in any case
            k_matrix[c, row + i] += x0
            if lines > 1:
                k_matrix[c + 1, row + i] += x1
                if lines > 2:
                    k_matrix[c + 2, row + i] += x2
            continue
        k_matrix[row + i, c] += x0
        if lines > 1:
            k_matrix[row + i, c + 1] += x1
            if lines > 2:
                k_matrix[row + i, c + 2] += x2


@part
def fill_matrix(h, first, last, m):
    """K of the packs BY_ISLAND[first:last], whose rows have their PLACE."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    tree_first = ints2(h, TREE_FIRST)
    by_tree = ints1(h, BY_TREE)
    pool = reals1(h, POOL)
    k_matrix = reals2(h, K)
    for i in range(m):
        for j in range(i + 1):
            k_matrix[i, j] = 0.0
    for p in range(first, last):
        pack = order[p]
        c = rows.packs[pack, PLACE]
        for side in range(2):
            b = rows.packs[pack, SOURCE + side]
            if b < 0:
                continue
            n, f = ld_side(rows.w, pack, 6 * side)
            t = rows.sources[b, TREE]
            count = rows.tree_count[t]
            for j in range(count):
                s = by_tree[tree_first[t, 0] + j]
                x = rows.head[s, 1]  # the last pack side here: none later than this pack?
                if x // 2 < pack:
                    continue
                al, a = answer(pool, tree_first[t, 1] + j * count + rows.sources[b, LOCAL], n, f)
                x = rows.head[s, 0]
                while x >= 0:
                    other = x // 2
                    if other >= pack:
                        add_response(
                            k_matrix, rows, other, x % 2, rows.packs[other, PLACE], c, rows.packs[pack, LINES], al, a
                        )
                    x = rows.packs[other, NEXT + x % 2]
    for i in range(m):
        for j in range(i):
            k_matrix[j, i] = k_matrix[i, j]


@part
def gather(h, first, last, right):
    """Places, blocks, right-hand side and start of the island BY_ISLAND[first:last]; returns (rows, blocks)."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    p = Problem(h)
    lam = p.lam
    b = p.b
    wanted = reals1(h, right)
    m = 0
    blocks = 0
    for i in range(first, last):
        pack = order[i]
        n = rows.packs[pack, LINES]
        rows.packs[pack, PLACE] = m
        r = rows.packs[pack, FIRST]
        for j in range(n):
            b[m + j] = wanted[r + j]
            lam[m + j] = rows.lam[r + j]
        for k in range(rows.packs[pack, FIRST_BLOCK], rows.packs[pack, FIRST_BLOCK] + rows.packs[pack, PACK_BLOCKS]):
            block = p.blocks[blocks]
            contact = rows.blocks[k, BLOCK_KIND] == CONTACT
            block.kind = rows.blocks[k, BLOCK_KIND]
            block.row = m + rows.blocks[k, FIRST_ROW] - r
            block.mu = rows.reals[k, 0] if contact else 0.0
            block.compliance = 0.0 if contact else rows.reals[k, 0]
            block.low = rows.reals[k, 1]
            block.high = rows.reals[k, 2]
            blocks += 1
        m += n
    return m, blocks


@inline
def soften(h, first, last):
    """Add the softness of springy contacts to K's diagonal."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    softness = reals2(h, SOFT)
    k_matrix = reals2(h, K)
    for p in range(first, last):
        k = rows.packs[order[p], FIRST_BLOCK]
        if rows.blocks[k, BLOCK_KIND] == CONTACT:
            i = rows.packs[order[p], PLACE]
            c = rows.blocks[k, ORIGIN]
            k_matrix[i, i] += softness[c, 0]
            k_matrix[i + 1, i + 1] += softness[c, 1]
            k_matrix[i + 2, i + 2] += softness[c, 1]


@inline
def dense_place(d, k):
    """(where block k stands on the diagonal of K, how far from row to row)."""
    step = d.K.shape[1] + 1
    return step * d.problem.blocks[k].row, step


@inline
def give_way(matrix, m, blocks, values, place):
    """Make a problem that nothing satisfies one that something does: rows yield by a part of K's mean diagonal, that of
    contacts and that of other rows (a row between parts that hardly can move has next to none of its own); the search
    begins at nothing. values: K, whose diagonal stands where `place` says."""
    p = matrix.problem
    for i in range(m):
        p.lam[i] = 0.0
    for kind in range(2):
        total = 0.0
        count = 0
        for write in range(2):
            for k in range(blocks):
                if (p.blocks[k].kind == CONTACT) != (kind == 0):
                    continue
                e, step = place(matrix, k)
                for _ in range(height(p.blocks[k])):
                    if write == 1:
                        values[e] += YIELD * total / count
                    else:
                        total += values[e]
                        count += 1
                    e += step


@part
def finish_island(h, first, last, m, status, used, residual):
    """Put an island's impulses back and note how its solution went."""
    rows = rows_of(h)
    info = ints1(h, INFO)
    numbers = reals1(h, NUMBERS)
    order = ints1(h, BY_ISLAND)
    lam = reals1(h, ISLAND_LAM)
    for p in range(first, last):
        pack = order[p]
        for j in range(rows.packs[pack, LINES]):
            rows.lam[rows.packs[pack, FIRST] + j] = lam[rows.packs[pack, PLACE] + j]
    info[N_ISLANDS] += 1
    info[SWEEPS] = max(info[SWEEPS], used)
    info[LARGEST] = max(info[LARGEST], m)
    if status != 0 or residual > HOPELESS:
        info[UNSOLVED] += 1
    numbers[RESIDUAL] = max(numbers[RESIDUAL], residual)


@part
def solve_islands(h, positions, soft):
    """lam of every island for the right-hand side of velocities, or of positions; returns a status.

    Islands that miss the tolerance are counted.
    """
    info = ints1(h, INFO)
    numbers = reals1(h, NUMBERS)
    start = ints1(h, ISLAND_START)
    d = Dense(h)
    numbers[RESIDUAL] = 0.0
    info[SWEEPS] = 0
    info[UNSOLVED] = 0
    info[N_ISLANDS] = 0
    info[LARGEST] = 0
    for t in range(start.shape[0] - 1):
        first = start[t]
        last = start[t + 1]
        if first == last:
            continue
        m, blocks = gather(h, first, last, RATE_P if positions != 0 else RATE_B)
        if m > reals2(h, K).shape[0]:
            info[LARGE_FIRST] = first
            info[LARGE_LAST] = last
            info[LARGE_ROWS] = m
            info[LARGE_BLOCKS] = blocks
            info[LARGE_SOFT] = soft
            status = run(h, LARGE_STAGE)
            if status < 0:
                return status
            continue
        fill_matrix(h, first, last, m)
        if soft != 0:
            soften(h, first, last)
        status = LIMIT
        used = 0
        residual = 0.0
        for attempt in range(2):
            if attempt == 1:
                give_way(d, m, blocks, d.K.reshape(d.K.size), dense_place)
            status, used, left = solve(d, m, blocks, numbers[TOLERANCE], info[SWEEP_LIMIT])
            if status == BROKEN:
                return DIVERGED
            residual = max(residual, left)
            if residual <= HOPELESS:
                break
        finish_island(h, first, last, m, status, used, residual)
    return OK


@stage
def no_large(h):
    """Stands in the place of the solver of large islands until one is needed."""
    return ROOM_LARGE
