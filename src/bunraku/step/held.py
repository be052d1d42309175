"""The impulses of a step seen as forces: whether something hits, and if not, contacts, limits and friction as constant
wrenches.

An impulse lam that was found for a whole step of dt is the mean force lam / dt, unless it stops an approach: then it is
an impact, a jump of velocity, and no force. Wrenches (force, moment) at the bodies' origins, world axes, as in F_EXT.
Checked in tests/world/test_rk4.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split
from bunraku.kernel.table import ints1, reals1, reals2
from bunraku.model.layout import IV
from bunraku.step.contact_rows import REST_SPEED
from bunraku.step.joint_rows import TIE_ORIGIN
from bunraku.step.rows import (
    BLOCK_KIND,
    BODY,
    CONTACT,
    EQUALITY,
    FIRST,
    FIRST_BLOCK,
    FIRST_ROW,
    INDEX,
    KIND,
    LINES,
    ORIGIN,
    PACK,
    SOURCE,
    W,
    side_rate,
)
from bunraku.step.step_arrays import BOUNCED, INFO, N_BLOCKS, N_PACKS, SOFT, TIE_LAST, V, model_of, rows_of
from bunraku.step.velocity import along


@part
def present_rate(h, pack):
    """Rates along the rows of a pack at the start of the step, four numbers."""
    ints, _, work = model_of(h)
    rows = rows_of(h)
    v = reals1(h, V)
    total = (0.0, 0.0, 0.0, 0.0)
    for side in range(2):
        s = rows.packs[pack, SOURCE + side]
        if s < 0:
            continue
        i = rows.sources[s, INDEX]
        if rows.sources[s, KIND] == BODY:
            x = split(side_rate(work, i, rows.w, pack, 6 * side, 0.0))
            total = (total[0] + x[0], total[1] + x[1], total[2] + x[2], 0.0)
        else:
            total = (total[0] + rows.w[W * pack + 24 * side] * v[ints[i, IV]], 0.0, 0.0, 0.0)
    return total


@inline
def is_hard(h, k):
    """Whether block k can carry an impact: a rigid contact or connection, a limit; not a spring, nor friction at a
    joint."""
    rows = rows_of(h)
    kind = rows.blocks[k, BLOCK_KIND]
    if kind == CONTACT:
        return reals2(h, SOFT)[rows.blocks[k, ORIGIN], 0] == 0.0
    if kind == EQUALITY:
        return rows.reals[k, 0] == 0.0
    return rows.reals[k, 1] == 0.0


@part
def something_hits(h):
    """Whether an impulse stops an approach, or a connection with relative velocity is new while something else presses."""
    rows = rows_of(h)
    hits = ints1(h, INFO)[BOUNCED] != 0
    fresh = False
    presses = False
    for k in range(rows.count[N_BLOCKS]):
        if not is_hard(h, k):
            continue
        rate = present_rate(h, rows.blocks[k, PACK])
        if rows.blocks[k, BLOCK_KIND] == EQUALITY:
            fresh = fresh or max(abs(rate[0]), abs(rate[1]), abs(rate[2])) > REST_SPEED
        elif rows.lam[rows.blocks[k, FIRST_ROW]] > 0.0:
            presses = True
            hits = hits or rate[0] < -REST_SPEED
    return hits or (fresh and presses)


@part
def keep_hard(h):
    """Forget the impulses of all that is not hard."""
    rows = rows_of(h)
    for k in range(rows.count[N_BLOCKS]):
        if not is_hard(h, k):
            r = rows.blocks[k, FIRST_ROW]
            for j in range(3 if rows.blocks[k, BLOCK_KIND] == CONTACT else 1):
                rows.lam[r + j] = 0.0


@part
def add_tie_forces(h, weight):
    """Add `weight` times lam to the forces of connections."""
    rows = rows_of(h)
    force = reals1(h, TIE_LAST)
    for k in range(rows.count[N_BLOCKS]):
        if rows.blocks[k, BLOCK_KIND] == EQUALITY and rows.blocks[k, ORIGIN] >= TIE_ORIGIN:
            force[rows.blocks[k, ORIGIN] - TIE_ORIGIN] += weight * rows.lam[rows.blocks[k, FIRST_ROW]]


@part
def hold_forces(h, weight, wrenches, torques):
    """Add `weight` times lam of contacts, limits and friction to arrays of wrenches and torques."""
    ints, _, _ = model_of(h)
    rows = rows_of(h)
    held = reals1(h, wrenches)
    torque = reals1(h, torques)
    for pack in range(rows.count[N_PACKS]):
        if rows.blocks[rows.packs[pack, FIRST_BLOCK], BLOCK_KIND] == EQUALITY:
            continue
        r = rows.packs[pack, FIRST]
        lines = rows.packs[pack, LINES]
        l0 = weight * rows.lam[r]
        l1 = weight * rows.lam[r + 1] if lines > 1 else 0.0
        l2 = weight * rows.lam[r + 2] if lines > 2 else 0.0
        for side in range(2):
            s = rows.packs[pack, SOURCE + side]
            if s < 0:
                continue
            at = W * pack + 24 * side
            i = rows.sources[s, INDEX]
            if rows.sources[s, KIND] == BODY:
                for k in range(3):
                    held[6 * i + k] += along(rows.w, at + 12 + 4 * k, l0, l1, l2)
                    held[6 * i + 3 + k] += along(rows.w, at + 4 * k, l0, l1, l2)
            else:
                torque[ints[i, IV]] += l0 * rows.w[at]
