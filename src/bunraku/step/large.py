"""Islands too large for a dense matrix: the same problem with a sparse K (bunraku.contact.sparse), as a stage of its
own.

It compiles only when a scene first has such an island. Blocks are rows of the sparse matrix; entries are filled as in
island.py, block by block. Checked in tests/world/test_large_islands.py against the dense solver.
"""

from __future__ import annotations

from bunraku.contact.pgs import BROKEN, LIMIT
from bunraku.contact.sparse import Sparse, solve
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import join, split
from bunraku.kernel.table import ints1, ints2, reals1, reals2, stage
from bunraku.kernel.vec import scale
from bunraku.linalg.sparse_pattern import pattern
from bunraku.step.island import finish_island, give_way
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
    SOURCE,
    TREE,
    W,
    answer,
    ld_side,
)
from bunraku.step.step_arrays import (
    BY_ISLAND,
    BY_TREE,
    COLS,
    DIVERGED,
    INFO,
    LARGE_BLOCKS,
    LARGE_FIRST,
    LARGE_LAST,
    LARGE_NEEDS,
    LARGE_ROWS,
    LARGE_SOFT,
    LARGE_TREES,
    NUMBERS,
    POOL,
    ROOM_LARGE,
    SLOT,
    SOFT,
    STARTS,
    SWEEP_LIMIT,
    TOLERANCE,
    TREE_FIRST,
    VALUES,
    rows_of,
)

EFFORT = 60_000  # steps times blocks: a cap of its own, as a Newton step of a large island costs a hundred sweeps
LEAST = 20
HOPELESS_LARGE = 0.1  # as HOPELESS of island.py; more, as the cap leaves hard but possible problems with some error


@inline
def pick(j, lines):
    """Lanes that keep row j only, or all of three rows."""
    if lines == 3:
        return join(1.0, 1.0, 1.0, 0.0)
    if j == 0:
        return join(1.0, 0.0, 0.0, 0.0)
    if j == 1:
        return join(0.0, 1.0, 0.0, 0.0)
    return join(0.0, 0.0, 1.0, 0.0)


@part
def write_trees(h, first, last):
    """The two trees of every block of the island, and each pack's first block in it."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    trees = ints2(h, LARGE_TREES)
    slot = ints2(h, SLOT)
    k = 0
    for p in range(first, last):
        pack = order[p]
        slot[pack, 1] = k
        for _ in range(rows.packs[pack, PACK_BLOCKS]):
            for side in range(2):
                s = rows.packs[pack, SOURCE + side]
                trees[k, side] = rows.sources[s, TREE] if s >= 0 else 0
            k += 1


@part
def fill_values(h, first, last):
    """The entries of K."""
    rows = rows_of(h)
    order = ints1(h, BY_ISLAND)
    tree_first = ints2(h, TREE_FIRST)
    by_tree = ints1(h, BY_TREE)
    pool = reals1(h, POOL)
    starts = ints1(h, STARTS)
    cols = ints1(h, COLS)
    values = reals1(h, VALUES)
    slot = ints2(h, SLOT)
    soft = reals2(h, SOFT)
    springy = ints1(h, INFO)[LARGE_SOFT] != 0
    for p in range(first, last):
        pack = order[p]
        for q in range(rows.packs[pack, PACK_BLOCKS]):
            mine = rows.packs[pack, FIRST_BLOCK] + q
            i = slot[pack, 1] + q
            contact = rows.blocks[mine, BLOCK_KIND] == CONTACT
            lines = 3 if contact else 1
            row = rows.blocks[mine, FIRST_ROW] - rows.packs[pack, FIRST]
            for e in range(starts[i], starts[i + 1]):
                slot[cols[e], 0] = e
                for k in range(9):
                    values[9 * e + k] = 0.0
            keep = pick(row, lines)
            for side in range(2):
                b = rows.packs[pack, SOURCE + side]
                if b < 0:
                    continue
                n, f = ld_side(rows.w, pack, 6 * side)
                n = scale(keep, n)
                f = scale(keep, f)
                t = rows.sources[b, TREE]
                count = rows.tree_count[t]
                for j in range(count):
                    s = by_tree[tree_first[t, 0] + j]
                    al, a = answer(pool, tree_first[t, 1] + j * count + rows.sources[b, LOCAL], n, f)
                    x = rows.head[s, 0]
                    while x >= 0:
                        add_entries(rows, slot, values, x // 2, x % 2, row if lines == 1 else 0, lines, al, a)
                        x = rows.packs[x // 2, NEXT + x % 2]
            if springy and contact:
                c = rows.blocks[mine, ORIGIN]
                e = starts[i]
                values[9 * e] += soft[c, 0]
                values[9 * e + 4] += soft[c, 1]
                values[9 * e + 8] += soft[c, 1]


@inline
def add_entries(rows, slot, values, other, side, lane, lines, al, a):
    """Add what the motion (al, a) of a source does to the blocks of pack `other`; my rows are the lanes from `lane` on."""
    at = W * other + 24 * side
    w = rows.w
    block = slot[other, 1]
    alone = rows.packs[other, PACK_BLOCKS] == 1
    for i in range(rows.packs[other, LINES]):
        x = (
            w[at + i] * al[0] + w[at + 4 + i] * al[1] + w[at + 8 + i] * al[2]
            + w[at + 12 + i] * a[0] + w[at + 16 + i] * a[1] + w[at + 20 + i] * a[2]
        )  # fmt: skip
        x0, x1, x2, _ = split(x)
        e = 9 * slot[block if alone else block + i, 0] + (3 * i if alone else 0)
        if lines == 3:
            values[e] += x0
            values[e + 1] += x1
            values[e + 2] += x2
        else:
            values[e] += x0 if lane == 0 else (x1 if lane == 1 else x2)


@inline
def sparse_place(a, k):
    """(where block k stands on the diagonal of K, how far from row to row)."""
    return 9 * a.starts[k], 4


@stage
def solve_large(h):
    """Solve the island LARGE_FIRST … LARGE_LAST of INFO, which `gather` has prepared; returns a status."""
    info = ints1(h, INFO)
    a = Sparse(h)
    first = info[LARGE_FIRST]
    last = info[LARGE_LAST]
    blocks = info[LARGE_BLOCKS]
    starts = ints1(h, STARTS)
    cols = ints1(h, COLS)
    trees = ints2(h, LARGE_TREES)
    ntrees = ints2(h, TREE_FIRST).shape[0] - 1
    if blocks + 1 > starts.shape[0]:
        return ROOM_LARGE
    write_trees(h, first, last)
    entries = pattern(trees, blocks, starts, cols, a.scratch[: ntrees + 1 + 2 * blocks])
    if entries < 0:
        info[LARGE_NEEDS] = -entries
        return ROOM_LARGE
    fill_values(h, first, last)
    status = LIMIT
    used = 0
    residual = 0.0
    for attempt in range(2):
        if attempt == 1:
            give_way(a, info[LARGE_ROWS], blocks, a.values, sparse_place)
        most = min(info[SWEEP_LIMIT], max(EFFORT // blocks, LEAST))
        status, used, left = solve(a, info[LARGE_ROWS], blocks, reals1(h, NUMBERS)[TOLERANCE], most)
        if status == BROKEN:
            return DIVERGED
        residual = max(residual, left)
        if residual <= HOPELESS_LARGE:
            break
    finish_island(h, first, last, info[LARGE_ROWS], status, used, residual)
    return 0
