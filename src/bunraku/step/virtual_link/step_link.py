"""A step with contact by virtual links (Nakamura & Yamane 2000, section 4): the stages that stand at ROWS and SOLVE.

    ROWS    six rows a patch, then joints and connections as in bunraku.step.euler
    SOLVE   island by island: hypothesise, solve, check; where that does not settle in the document's number of solves, a fallback is counted and the
            search goes on to a small cap, so that the next step begins with forces of this model; then the same step once more by `pgs`

A step is solved once, for v+ (impulse / dt is tested like a force), with at most 3 hypotheses. Where a point of a patch
arrives, it is an impact and forces in one: 3 + 3. With restitution there are two problems, positions and velocities,
with 3 + 3 together. Limits of joints that did not act get no rows; if the new velocity passes one, it is an impact: the
step is done again with all that are near. Info: `solves` the largest number of an island, `fell` whether this step
counts as a fallback, `fallbacks` how many did in the world's life. Checked in tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import handle
from bunraku.kernel.table import run, stage
from bunraku.step.euler import FREE, POSITIONS, ROWS, VELOCITIES, new_velocity, other_rows
from bunraku.step.joint_rows import ACTING_LIMITS, NEAR_LIMITS, keep_joints, limits_hold
from bunraku.step.rows import begin
from bunraku.step.step_arrays import OK, Info, Step
from bunraku.step.tie_rows import keep_ties
from bunraku.step.virtual_link.link_hypotheses import CAP
from bunraku.step.virtual_link.link_hypotheses import SOLVES as ALLOWED
from bunraku.step.virtual_link.link_island import SETTLED, UNSETTLED, solve_island
from bunraku.step.virtual_link.link_memory import keep_patches, keep_points
from bunraku.step.virtual_link.link_patches import patch_rows

LINK_ROWS = np.int64(ROWS)
POINT_ROWS, POINT_SOLVE = np.int64(7), np.int64(8)  # stages of the table that finish a step by points


@stage
def link_rows(h):
    """Rows of patches and everything else."""
    s = Step(h)
    begin(s.rows)
    return other_rows(s, patch_rows(s), NEAR_LIMITS if s.info.every_limit != 0 else ACTING_LIMITS)


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
    allowed = 2 * ALLOWED if impact else ALLOWED
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
    """Make rows again by stage `rows`: accelerations without impulses first, which impulses have overwritten.

    Returns a status.
    """
    status = run(handle(s), FREE)
    return status if status < 0 else run(handle(s), rows)


@part
def settle(s: Step, positions, out):
    """Impulses, and in `out` (nv) the rates they lead to; returns SETTLED, UNSETTLED or ROOM."""
    info = s.info
    status = settle_islands(s, positions)
    if status == SETTLED and new_velocity(s, out) < 0:
        return UNSETTLED
    if status != SETTLED or info.every_limit != 0 or limits_hold(s, out):
        return status
    info.every_limit = 1  # a limit acts that was thought not to: once more, with all that are near
    status = from_start(s, LINK_ROWS)
    if status < 0:
        return status
    status = settle_islands(s, positions)
    if status == SETTLED and new_velocity(s, out) < 0:
        return UNSETTLED
    return status


@part
def by_points(s: Step):
    """The same step by the iterative solver; returns a status."""
    status = from_start(s, POINT_ROWS)
    if status < 0:
        return status
    status = run(handle(s), POINT_SOLVE)
    if status < 0:
        return status
    count_fallback(s.info)
    keep_points(s)
    return status


@inline
def count_fallback(info: Info):
    """The step was not settled in the document's number of solves."""
    info.fell = 1
    info.fallbacks += 1


@stage
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
    if info.bounced != 0 and status == SETTLED:
        status = settle(s, POSITIONS, s.moved)
    if status == SETTLED:
        status = settle(s, VELOCITIES, s.next_v)
    info.every_limit = 0
    if status == UNSETTLED:
        return by_points(s)
    if status != SETTLED:
        return status
    if s.rows.count.late != 0:
        count_fallback(info)
    if info.bounced == 0:
        for k in range(s.moved.shape[0]):
            s.moved[k] = s.next_v[k]
    keep_patches(s)
    keep_joints(s)
    keep_ties(s)
    return OK
