"""One island's contact problem gathered from the rows, solved, and its impulses put back. Those of more than DENSE rows
go to bunraku.step.large.

K is filled pack by pack: what a pack's unit impulses do to every source of its trees (one 6x6 block each), then to the
rows that hang on those sources, so that cost follows the entries that are not zero. Constraints that contradict each
other have no solution, and the least error may need boundless impulses: such an island is found out after some
tens of sweeps (what can be solved has left that residual far behind by then), solved once more with rows that yield,
and counted as unsolved.

A contact asks for a rate where shapes overlap a little (bunraku.step.contact_rows). Where its normal hardly moves the
bodies, as beside a hinge, that would be a fast turn; a row whose own response is less than SHORT of its tangents' asks
for as much less (`spared`). Checked in tests/step/test_rows.py against J M^-1 J' and in tests/world/.
"""

from __future__ import annotations

from typing import Any

from bunraku.contact.dense_front import Dense
from bunraku.contact.pgs import BROKEN, solve
from bunraku.contact.residual import height
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split
from bunraku.kernel.record import handle
from bunraku.kernel.table import phase, run
from bunraku.step.contact_rows import push_rate
from bunraku.step.rows import CONTACT, answer, ld_side
from bunraku.step.step_arrays import DIVERGED, OK, ROOM_LARGE, Step, W

DENSE = 150  # rows up to which an island is dense
LARGE_PHASE = 30  # where the table has the phase that solves larger ones

HOPELESS = 0.01  # residual of the best impulses found from which constraints count as contradictory,
# and are solved with this part of K's mean diagonal added: impulses stay bounded, each row gives way a little
YIELD = 0.1
SHORT = 0.01  # response along a normal, of those along its tangents, below which a lever is short


@inline
def add_response(s: Step, other, side, c, lines, al, a):
    """Add, to the rows of pack `other` in K and `lines` columns from c on, what the motion (al, a) of a source does to
    the pack's side that hangs on it."""
    K = s.island.K
    w = s.rows.w
    at = W * other + 24 * side
    row = s.rows.packs[other].place
    for i in range(s.rows.packs[other].lines):
        x0, x1, x2, _ = split(side_motion(w, at, i, al, a))
        if row < c:  # below the diagonal in any case
            K[c, row + i] += x0
            if lines > 1:
                K[c + 1, row + i] += x1
                if lines > 2:
                    K[c + 2, row + i] += x2
            continue
        K[row + i, c] += x0
        if lines > 1:
            K[row + i, c + 1] += x1
            if lines > 2:
                K[row + i, c + 2] += x2


@part
def fill_matrix(s: Step, first, last, m):
    """K of the packs by_island[first:last], whose rows have their place."""
    rows = s.rows
    K = s.island.K
    for i in range(m):
        for j in range(i + 1):
            K[i, j] = 0.0
    for p in range(first, last):
        k = rows.by_island[p]
        pack = rows.packs[k]
        place = pack.place
        lines = pack.lines
        for side in range(2):
            b = pack.ends[side]
            if b < 0:
                continue
            n, f = ld_side(rows.w, k, 6 * side)
            tree = rows.trees[rows.sources[b].tree]
            first_source = tree.first
            count = tree.count
            block = tree.block + rows.sources[b].local
            for j in range(count):
                source = rows.sources[rows.by_tree[first_source + j]]
                if source.last_side // 2 < k:  # no pack side here is later than this pack
                    continue
                al, a = answer(rows.traces.pool, block + j * count, n, f)
                x = source.first_side
                while x >= 0:
                    if x // 2 >= k:
                        add_response(s, x // 2, x % 2, place, lines, al, a)
                    x = rows.packs[x // 2].next_side[x % 2]
    for i in range(m):
        for j in range(i):
            K[j, i] = K[i, j]


@part
def gather(s: Step, first, last, wanted):
    """Places, blocks, right-hand side (`wanted`, a number a row of the step) and start of the island
    by_island[first:last]; returns (rows, blocks)."""
    rows = s.rows
    problem = s.problem
    m = 0
    blocks = 0
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        pack.place = m
        r = pack.first
        for j in range(pack.lines):
            problem.b[m + j] = wanted[r + j]
            problem.lam[m + j] = rows.lam[r + j]
        for k in range(pack.first_block, pack.first_block + pack.blocks):
            block = rows.blocks[k]
            law = problem.blocks[blocks]
            law.kind = block.kind
            law.row = m + block.row - r
            law.mu = block.friction
            law.compliance = block.compliance
            law.low = block.low
            law.high = block.high
            blocks += 1
        m += pack.lines
    return m, blocks


@inline
def soften(s: Step, first, last):
    """Add the softness of springy contacts to K's diagonal."""
    rows = s.rows
    K = s.island.K
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        block = rows.blocks[pack.first_block]
        if block.kind == CONTACT:
            i = pack.place
            spring = s.springs[block.origin]
            K[i, i] += spring.soft
            K[i + 1, i + 1] += spring.soft_tangent
            K[i + 2, i + 2] += spring.soft_tangent


@inline
def spared(s: Step, c, own, tangents):
    """What the row of contact c asks for less than `push_rate`, by its response and that of its tangents."""
    gap = s.detection.contacts[c].gap
    if gap >= 0.0 or s.springs[c].soft > 0.0 or own >= SHORT * tangents:
        return 0.0
    return (1.0 - own / (SHORT * tangents)) * push_rate(gap, s.numbers.dt)


@part
def spare_levers(s: Step, first, last):
    """Rows of the dense island by_island[first:last] with short levers ask for less."""
    K = s.island.K
    rows = s.rows
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        block = rows.blocks[pack.first_block]
        if block.kind == CONTACT:
            i = pack.place
            s.problem.b[i] += spared(s, block.origin, K[i, i], K[i + 1, i + 1] + K[i + 2, i + 2])


@inline
def dense_place(island: Dense, k):
    """(where block k stands on the diagonal of K, how far from row to row)."""
    step = island.K.shape[1] + 1
    return step * island.problem.blocks[k].row, step


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


@inline
def solve_twice(solve, s: Step, matrix, values, place, limits):
    """(status, sweeps, worst residual) of an island's problem, and of the one that gives way where it is hopeless;
    limits: (rows, blocks, most sweeps, residual from which it is)."""
    m, blocks, most, hopeless = limits
    status, used, residual = solve(matrix, m, blocks, s.numbers.tolerance, most)
    if status != BROKEN and not residual <= hopeless:
        give_way(matrix, m, blocks, values, place)
        status, used, left = solve(matrix, m, blocks, s.numbers.tolerance, most)
        residual = max(residual, left)
    return status, used, residual


@inline
def side_motion(w, at, i, al, a):
    """What the motion (al, a) of a source does to row i of a pack's side, in lanes."""
    return (
        w[at + i] * al[0] + w[at + 4 + i] * al[1] + w[at + 8 + i] * al[2]
        + w[at + 12 + i] * a[0] + w[at + 16 + i] * a[1] + w[at + 20 + i] * a[2]
    )  # fmt: skip


@part
def finish_island(s: Step, first, last, m, status, used, residual):
    """Put an island's impulses back and note how its solution went."""
    rows = s.rows
    info = s.info
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        for j in range(pack.lines):
            rows.lam[pack.first + j] = s.problem.lam[pack.place + j]
    info.islands += 1
    info.sweeps = max(info.sweeps, used)
    info.largest = max(info.largest, m)
    if status != 0 or residual > HOPELESS:
        info.unsolved += 1
    s.numbers.residual = max(s.numbers.residual, residual)


@inline
def solve_exactly(s: Step, m, blocks):
    """(status, sweeps, residual) of the dense island in hand, by bunraku.contact.pgs."""
    values = s.island.K.reshape(s.island.K.size)
    s.island.problem.search.hopeless = HOPELESS
    return solve_twice(solve, s, s.island, values, dense_place, (m, blocks, s.info.sweep_limit, HOPELESS))


def islands_by(solve_dense: Any) -> Any:
    """`solve_islands` with a solver of dense islands, as `solve_exactly`."""

    @part
    def solve_islands(s: Step, positions, soft):
        """lam of every island for the right-hand side of velocities, or of positions; returns a status.

        Islands that miss the tolerance are counted.
        """
        info = s.info
        island = s.island
        start = s.rows.island_start
        s.numbers.residual = 0.0
        info.sweeps = 0
        info.unsolved = 0
        info.islands = 0
        info.largest = 0
        for t in range(start.shape[0] - 1):
            first = start[t]
            last = start[t + 1]
            if first == last:
                continue
            m, blocks = gather(s, first, last, s.rows.p if positions != 0 else s.rows.b)
            if m > island.K.shape[0]:
                info.large_first = first
                info.large_last = last
                info.large_rows = m
                info.large_blocks = blocks
                info.large_soft = soft
                status = run(handle(s), LARGE_PHASE)
                if status < 0:
                    return status
                continue
            fill_matrix(s, first, last, m)
            if soft != 0:
                soften(s, first, last)
            spare_levers(s, first, last)
            status, used, residual = solve_dense(s, m, blocks)
            if status == BROKEN:
                return DIVERGED
            finish_island(s, first, last, m, status, used, residual)
        return OK

    return solve_islands


solve_islands = islands_by(solve_exactly)


@phase
def no_large(h):
    """Stands in the place of the solver of large islands until one is needed."""
    return ROOM_LARGE
