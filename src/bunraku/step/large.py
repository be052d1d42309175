"""Islands too large for a dense matrix: the same problem with a sparse K (bunraku.contact.sparse), as a phase of its
own.

It compiles only when a scene first has such an island. Blocks are rows of the sparse matrix; entries are filled as in
island.py, block by block. Checked in tests/world/test_rest.py (a heap) and tests/contact/test_sparse.py.
"""

from __future__ import annotations

from typing import Any

from bunraku.contact.pgs import BROKEN
from bunraku.contact.sparse import Sparse, solve
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import join, split
from bunraku.kernel.table import phase
from bunraku.kernel.vec import scale
from bunraku.linalg.sparse_pattern import pattern
from bunraku.step.island import finish_island, side_motion, solve_twice, spared
from bunraku.step.push_apart import PUSHING, eased, pushes
from bunraku.step.rows import CONTACT, answer, ld_side
from bunraku.step.step_arrays import DIVERGED, ROOM_LARGE, Step, W

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
def write_trees(s: Step, first, last):
    """The two trees of every block of the island, and each pack's first block in it."""
    rows = s.rows
    k = 0
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        s.large.first_block[rows.by_island[p]] = k
        for _ in range(pack.blocks):
            for side in range(2):
                end = pack.ends[side]
                s.large.matrix.elimination.trees[k, side] = rows.sources[end].tree if end >= 0 else 0
            k += 1


@part
def fill_values(s: Step, first, last):
    """The entries of K."""
    rows = s.rows
    large = s.large
    matrix = large.matrix
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        for q in range(pack.blocks):
            mine = rows.blocks[pack.first_block + q]
            i = large.first_block[rows.by_island[p]] + q
            lines = 3 if mine.kind == CONTACT else 1
            row = mine.row - pack.first
            for e in range(matrix.starts[i], matrix.starts[i + 1]):
                large.entry[matrix.cols[e]] = e
                for k in range(9):
                    matrix.values[9 * e + k] = 0.0
            keep = pick(row, lines)
            for side in range(2):
                b = pack.ends[side]
                if b < 0:
                    continue
                n, f = ld_side(rows.w, rows.by_island[p], 6 * side)
                n = scale(keep, n)
                f = scale(keep, f)
                tree = rows.trees[rows.sources[b].tree]
                first_source = tree.first
                count = tree.count
                block = tree.block + rows.sources[b].local
                for j in range(count):
                    al, a = answer(rows.traces.pool, block + j * count, n, f)
                    x = rows.sources[rows.by_tree[first_source + j]].first_side
                    while x >= 0:
                        add_entries(s, x // 2, x % 2, row if lines == 1 else 0, lines, al, a)
                        x = rows.packs[x // 2].next_side[x % 2]
            if mine.kind != CONTACT:
                continue
            e = matrix.starts[i]
            own = matrix.values[9 * e]
            tangents = matrix.values[9 * e + 4] + matrix.values[9 * e + 8]
            s.problem.b[pack.place + row] += spared(s, mine.origin, own, tangents)
            if s.info.large_soft == PUSHING and pushes(rows, mine):
                more = eased(own, tangents)
                matrix.values[9 * e] += more
                s.problem.b[pack.place + row] -= more * rows.kept[mine.row]
            if s.info.large_soft != 0:
                spring = s.springs[mine.origin]
                if s.info.large_soft != PUSHING or not pushes(rows, mine):
                    matrix.values[9 * e] += spring.soft
                matrix.values[9 * e + 4] += spring.soft_tangent
                matrix.values[9 * e + 8] += spring.soft_tangent


@inline
def add_entries(s: Step, other, side, lane, lines, al, a):
    """Add what the motion (al, a) of a source does to the blocks of pack `other`; my rows are the lanes from `lane` on."""
    pack = s.rows.packs[other]
    w = s.rows.w
    values = s.large.matrix.values
    at = W * other + 24 * side
    block = s.large.first_block[other]
    alone = pack.blocks == 1
    for i in range(pack.lines):
        x0, x1, x2, _ = split(side_motion(w, at, i, al, a))
        e = 9 * s.large.entry[block if alone else block + i] + (3 * i if alone else 0)
        if lines == 3:
            values[e] += x0
            values[e + 1] += x1
            values[e + 2] += x2
        else:
            values[e] += x0 if lane == 0 else (x1 if lane == 1 else x2)


@inline
def sparse_place(matrix: Sparse, k):
    """(where block k stands on the diagonal of K, how far from row to row)."""
    return 9 * matrix.starts[k], 4


@inline
def solve_exactly(s: Step, rows, blocks):
    """(status, sweeps, residual) of the large island in hand, by bunraku.contact.sparse."""
    matrix = s.large.matrix
    most = min(s.info.sweep_limit, max(EFFORT // blocks, LEAST))
    matrix.problem.search.hopeless = 0.0
    return solve_twice(solve, s, matrix, matrix.values, sparse_place, (rows, blocks, most, HOPELESS_LARGE))


def large_by(solve_sparse: Any) -> Any:
    """What solves the island large_first … large_last of `info`, with a solver as `solve_exactly`."""

    @part
    def large_island(s: Step):
        """Solve it; returns a status."""
        info = s.info
        matrix = s.large.matrix
        blocks = info.large_blocks
        rows = info.large_rows
        if blocks + 1 > matrix.starts.shape[0]:
            return ROOM_LARGE
        write_trees(s, info.large_first, info.large_last)
        scratch = matrix.scratch[: len(s.rows.trees) + 2 * blocks]
        entries = pattern(matrix.elimination.trees, blocks, matrix.starts, matrix.cols, scratch)
        if entries < 0:
            info.large_needs = -entries
            return ROOM_LARGE
        fill_values(s, info.large_first, info.large_last)
        status, used, residual = solve_sparse(s, rows, blocks)
        if status == BROKEN:
            return DIVERGED
        finish_island(s, info.large_first, info.large_last, rows, status, used, residual)
        return 0

    return large_island


large_island = large_by(solve_exactly)


@phase
def solve_large(h):
    """Solve the island large_first … large_last of `info`, which `gather` has prepared; returns a status."""
    return large_island(Step(h))
