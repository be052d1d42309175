"""A step with contact by virtual links (Nakamura & Yamane 2000, section 4): the phases that stand at ROWS and SOLVE.

    ROWS    six rows a patch, then joints and connections as in bunraku.step.euler
    SOLVE   island by island: hypothesise, solve, check; where that does not settle in the document's number of solves, a fallback is counted and the
            search goes on to a small cap, so that the next step begins with forces of this model; then the same step once more by `pgs`

A step is solved once, for v+ (impulse / dt is tested like a force), with at most 3 hypotheses. Where a point of a patch
arrives, it is an impact and forces in one: 3 + 3. With restitution there are two problems, positions and velocities,
with 3 + 3 together. Limits of joints that did not act get no rows; if the new velocity passes one, it is an impact: the
step is done again with all that are near. Info: `solves` the largest number of an island, `fell` whether this step
counts as a fallback, `fallbacks` how many did in the world's life.

Rows of an island stand as: patches (six each), then all others, equalities and bounded ones alike. The solver
(bunraku.step.virtual_link.link_hypotheses) works in velocity steps a = (v+ - v)/dt, a0 = (v without impulses - v)/dt;
softness stands on K's diagonal. It begins with the last step's impulses. What does not come to rest in the caller's
number of solves, and islands too large for K, are for the iterative solver. Checked in
tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import handle
from bunraku.kernel.table import phase, run
from bunraku.step.drive import drives_agree
from bunraku.step.euler import FREE, POSITIONS, ROWS, VELOCITIES, copy, new_velocity, other_rows
from bunraku.step.island import SHORT, fill_matrix
from bunraku.step.joint_rows import ACTING_LIMITS, NEAR_LIMITS, keep_joints, limits_hold
from bunraku.step.push_apart import PUSH_PHASE
from bunraku.step.rows import EQUALITY, begin
from bunraku.step.step_arrays import AGAIN, OK, Info, Pack, Rows, Step
from bunraku.step.tie_rows import keep_ties
from bunraku.step.virtual_link import link_layout as at
from bunraku.step.virtual_link.link_arrays import PATCH, LinkStep
from bunraku.step.virtual_link.link_hypotheses import CAP, SOLVES, solve_patches
from bunraku.step.virtual_link.link_layout import Links
from bunraku.step.virtual_link.link_memory import keep_patches, keep_points
from bunraku.step.virtual_link.link_patches import patch_rows

LINK_ROWS = np.int64(ROWS)
POINT_ROWS, POINT_SOLVE = np.int64(7), np.int64(8)  # phases of the table that finish a step by points
SETTLED, UNSETTLED = np.int64(0), np.int64(1)  # what is said of an island


@phase
def link_rows(h):
    """Rows of patches and everything else."""
    s = Step(h)
    begin(s.rows)
    return other_rows(s, patch_rows(s), NEAR_LIMITS if s.info.every_limit != 0 else ACTING_LIMITS)


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
        row = block.row + shift
        single = links.singles[row - 6 * links.numbers.p]
        if holds:
            s.island.K[row, row] += block.compliance
        single.low = -at.FAR if holds else block.low * rate
        single.high = at.FAR if holds else min(block.high * rate, at.FAR)


@inline
def state_patch(s: Step, pack: Pack, positions):
    """The rows of a patch."""
    w = LinkStep(s)
    links = w.links
    rate = 1.0 / s.numbers.dt
    first = pack.place
    i = s.rows.blocks[pack.first_block].origin
    touch = w.touches[i]
    links.order[first // 6] = i
    links.patches[i].row = first
    K = s.island.K
    tangents = K[first, first] + K[first + 1, first + 1]
    share = 1.0  # of a rate apart, where the lever is short (bunraku.step.island)
    if touch.goal[2] > 0.0 and s.info.bounced == 0 and K[first + 2, first + 2] < SHORT * tangents:
        share = K[first + 2, first + 2] / (SHORT * tangents)
    for k in range(6):
        v = touch.now[k]
        goal = share * (touch.goal_p[k] if positions != 0 else touch.goal[k])
        links.v[first + k] = v
        links.free[first + k] = (touch.free[k] - v) * rate
        links.goal[first + k] = (goal - v) * rate


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
    if status != at.OK:
        return UNSETTLED, numbers.solves, numbers.m
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        for j in range(pack.lines):
            rows.lam[pack.first + j] = links.f[pack.place + j] * s.numbers.dt
    s.numbers.residual = max(s.numbers.residual, residual)
    return SETTLED, numbers.solves, numbers.m


@part
def settle_islands(s: Step, positions):
    """Impulses of every island; returns SETTLED, UNSETTLED or ROOM.

    info.solves: of the largest number that an island needed.
    """
    info = s.info
    start = s.rows.island_start
    s.numbers.residual = 0.0
    info.islands = 0
    info.largest = 0
    impact = info.bounced != 0 or info.every_limit != 0 or s.rows.count.born != 0
    allowed = 2 * SOLVES if impact else SOLVES
    if positions != 0:
        allowed -= 1  # one is left for the velocities
    before = info.solves
    for t in range(start.shape[0] - 1):
        if start[t] == start[t + 1]:
            continue
        status, used, m = solve_island(s, start[t], start[t + 1], positions, CAP)
        info.solves = max(info.solves, before + used)
        if before + used > allowed:
            s.rows.count.late = 1
        if status != SETTLED:
            return status
        info.islands += 1
        info.largest = max(info.largest, m)
    return SETTLED


@part
def from_start(s: Step, rows):
    """Make rows again by phase `rows`: accelerations without impulses first, which impulses have overwritten.

    Returns a status.
    """
    status = run(handle(s), FREE)
    return status if status < 0 else run(handle(s), rows)


@part
def settle(s: Step, positions, out):
    """Impulses, and in `out` (nv) the rates they lead to; returns SETTLED, UNSETTLED or ROOM."""
    info = s.info
    status = SETTLED
    for _ in range(2):
        status = settle_islands(s, positions)
        if status == SETTLED and new_velocity(s, out) < 0:
            return UNSETTLED
        if status != SETTLED or info.every_limit != 0 or limits_hold(s, out):
            return status
        info.every_limit = 1  # a limit acts that was thought not to: once more, with all that are near
        status = from_start(s, LINK_ROWS)
        if status < 0:
            return status
    return status


@part
def by_points(s: Step):
    """The same step by the iterative solver; returns a status."""
    status = AGAIN
    while status == AGAIN:
        status = from_start(s, POINT_ROWS)
        if status >= 0:
            status = run(handle(s), POINT_SOLVE)
    if status >= 0:
        count_fallback(s.info)
        keep_points(s)
    return status


@part
def push_points(s: Step):
    """Deep overlap taken back in positions, by the points of the patches; returns a status."""
    sweeps = s.info.sweeps
    status = AGAIN
    while status == AGAIN:
        status = from_start(s, POINT_ROWS)
        if status >= 0:
            status = run(handle(s), PUSH_PHASE)
    s.info.sweeps = sweeps
    return status


@inline
def count_fallback(info: Info):
    """The step was not settled in the document's number of solves."""
    info.fell = 1
    info.fallbacks += 1


@phase
def link_impulses(h):
    """lam, the new v (next_v), and the rate at which positions move (moved)."""
    s = Step(h)
    info = s.info
    info.sweeps = 0
    info.unsolved = 0
    info.solves = 0
    info.every_limit = 0
    s.rows.count.late = 0
    status = UNSETTLED if info.fell != 0 else SETTLED
    while status == SETTLED:
        if info.bounced != 0:
            status = settle(s, POSITIONS, s.moved)
        if status == SETTLED:
            status = settle(s, VELOCITIES, s.next_v)
        info.every_limit = 0
        if status != SETTLED or drives_agree(s):
            break
        s.rows.count.tries += 1
        again = from_start(s, LINK_ROWS)
        if again < 0:
            return again
    if status == UNSETTLED:
        return by_points(s)
    if status != SETTLED:
        return status
    if s.rows.count.late != 0:
        count_fallback(info)
    if info.bounced == 0:
        copy(s.moved, s.next_v)
    keep_patches(s)
    keep_joints(s)
    keep_ties(s)
    return push_points(s) if s.rows.count.deep != 0 else OK
