"""A step with contact by virtual links (document 000, section 4; N7-N12): the stages that stand at ROWS and SOLVE.

    ROWS    six rows a patch, then joints and connections as in bunraku.step.euler
    SOLVE   island by island: hypothesise, solve, check; where that does not settle in the document's number of solves, a fallback is counted and the
            search goes on to a small cap (N8), so that the next step begins with forces of this model; then the same step once more by `pgs`

A step is solved once, for v+ (impulse / dt is tested like a force, N10), with at most 3 hypotheses. Where a point of a
patch arrives, it is an impact and forces in one: 3 + 3. With restitution there are two problems, positions and
velocities, with 3 + 3 together. Limits of joints that did not act get no rows; if the new velocity passes one, it is an
impact: the step is done again with all that are near. INFO: SOLVES the largest number of an island, FELL whether this
step counts as a fallback, FALLBACK how many did in the world's life. Checked in tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints1, reals1, run, stage
from bunraku.step.euler import FREE, POSITIONS, ROWS, VELOCITIES, new_velocity
from bunraku.step.joint_rows import ACTING_LIMITS, NEAR_LIMITS, joint_rows, keep_joints, limits_hold
from bunraku.step.rows import begin, find_islands, trace_all
from bunraku.step.step_arrays import (
    BOUNCED,
    EVERY_LIMIT,
    FALLBACK,
    FELL,
    INFO,
    ISLAND_START,
    LARGEST,
    MOVED,
    N_ISLANDS,
    NEXT_V,
    NUMBERS,
    OK,
    RESIDUAL,
    SOLVES,
    SWEEPS,
    UNSOLVED,
    rows_of,
)
from bunraku.step.tie_rows import keep_ties, tie_rows
from bunraku.step.virtual_link.link_arrays import BORN, LATE
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
    begin(rows_of(h))
    status = patch_rows(h)
    if status == OK:
        status = joint_rows(h, NEAR_LIMITS if ints1(h, INFO)[EVERY_LIMIT] != 0 else ACTING_LIMITS)
    if status == OK:
        status = tie_rows(h)
    if status == OK:
        status = trace_all(h)
    find_islands(h)
    return status


@part
def settle_islands(h, positions):
    """Impulses of every island; returns SETTLED, UNSETTLED or ROOM.

    INFO[SOLVES]: of the largest number that an island needed.
    """
    info = ints1(h, INFO)
    numbers = reals1(h, NUMBERS)
    start = ints1(h, ISLAND_START)
    numbers[RESIDUAL] = 0.0
    info[N_ISLANDS] = 0
    info[LARGEST] = 0
    impact = info[BOUNCED] != 0 or info[EVERY_LIMIT] != 0 or rows_of(h).count[BORN] != 0
    allowed = 2 * ALLOWED if impact else ALLOWED
    if positions != 0:
        allowed -= 1  # one is left for the velocities
    before = info[SOLVES]
    for t in range(start.shape[0] - 1):
        if start[t] == start[t + 1]:
            continue
        status, used, m = solve_island(h, start[t], start[t + 1], positions, CAP)
        info[SOLVES] = max(info[SOLVES], before + used)
        if before + used > allowed:
            rows_of(h).count[LATE] = 1
        if status != SETTLED:
            return status
        info[N_ISLANDS] += 1
        info[LARGEST] = max(info[LARGEST], m)
    return SETTLED


@part
def from_start(h, rows):
    """Make rows again by stage `rows`: accelerations without impulses first, which impulses have overwritten.

    Returns a status.
    """
    status = run(h, FREE)
    return status if status < 0 else run(h, rows)


@part
def settle(h, positions, out):
    """Impulses, and in array `out` the rates they lead to; returns SETTLED, UNSETTLED or ROOM."""
    info = ints1(h, INFO)
    status = settle_islands(h, positions)
    if status == SETTLED and new_velocity(h, out) < 0:
        return UNSETTLED
    if status != SETTLED or info[EVERY_LIMIT] != 0 or limits_hold(h, out):
        return status
    info[EVERY_LIMIT] = 1  # a limit acts that was thought not to: once more, with all that are near
    status = from_start(h, LINK_ROWS)
    if status < 0:
        return status
    status = settle_islands(h, positions)
    if status == SETTLED and new_velocity(h, out) < 0:
        return UNSETTLED
    return status


@part
def by_points(h):
    """The same step by the iterative solver; returns a status."""
    info = ints1(h, INFO)
    status = from_start(h, POINT_ROWS)
    if status < 0:
        return status
    status = run(h, POINT_SOLVE)
    if status < 0:
        return status
    count_fallback(info)
    keep_points(h)
    return status


@inline
def count_fallback(info):
    """The step was not settled in the document's number of solves."""
    info[FELL] = 1
    info[FALLBACK] += 1


@stage
def link_impulses(h):
    """lam, the new v (NEXT_V), and the rate at which positions move (MOVED)."""
    info = ints1(h, INFO)
    info[SWEEPS] = 0
    info[UNSOLVED] = 0
    info[SOLVES] = 0
    info[EVERY_LIMIT] = 0
    rows_of(h).count[LATE] = 0
    status = UNSETTLED if info[FELL] != 0 else SETTLED
    if info[BOUNCED] != 0 and status == SETTLED:
        status = settle(h, POSITIONS, MOVED)
    if status == SETTLED:
        status = settle(h, VELOCITIES, NEXT_V)
    info[EVERY_LIMIT] = 0
    if status == UNSETTLED:
        return by_points(h)
    if status != SETTLED:
        return status
    if rows_of(h).count[LATE] != 0:
        count_fallback(info)
    if info[BOUNCED] == 0:
        after = reals1(h, NEXT_V)
        moved = reals1(h, MOVED)
        for k in range(after.shape[0]):
            moved[k] = after[k]
    keep_patches(h)
    keep_joints(h)
    keep_ties(h)
    return OK
