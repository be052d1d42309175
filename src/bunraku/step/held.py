"""The impulses of a step seen as forces: whether something hits, and if not, contacts, limits and friction as constant
wrenches.

An impulse lam that was found for a whole step of dt is the mean force lam / dt, unless it stops an approach: then it is
an impact, a jump of velocity, and no force. Wrenches (force, moment) at the bodies' origins, world axes, as in f_ext.
Checked in tests/world/test_rk4.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split
from bunraku.model.layout import IV
from bunraku.step.contact_rows import REST_SPEED
from bunraku.step.joint_rows import TIE_ORIGIN
from bunraku.step.response import along
from bunraku.step.rows import BODY, CONTACT, EQUALITY, side_rate
from bunraku.step.step_arrays import RowBlock, Step, W


@part
def present_rate(s: Step, pack):
    """Rates along the rows of a pack at the start of the step, four numbers."""
    rows = s.rows
    total = (0.0, 0.0, 0.0, 0.0)
    for side in range(2):
        k = rows.packs[pack].ends[side]
        if k < 0:
            continue
        i = rows.sources[k].index
        if rows.sources[k].kind == BODY:
            x = split(side_rate(s.work, i, rows.w, pack, 6 * side, 0.0))
            total = (total[0] + x[0], total[1] + x[1], total[2] + x[2], 0.0)
        else:
            total = (total[0] + rows.w[W * pack + 24 * side] * s.v[s.ints[i, IV]], 0.0, 0.0, 0.0)
    return total


@inline
def is_hard(s: Step, block: RowBlock):
    """Whether a block can carry an impact: a rigid contact or connection, a limit; not a spring, nor friction at a
    joint."""
    if block.kind == CONTACT:
        return s.springs[block.origin].soft == 0.0
    if block.kind == EQUALITY:
        return block.compliance == 0.0
    return block.low == 0.0


@part
def something_hits(s: Step):
    """Whether an impulse stops an approach, or a connection with relative velocity is new while something else presses."""
    rows = s.rows
    hits = s.info.bounced != 0
    fresh = False
    presses = False
    for k in range(rows.count.blocks):
        block = rows.blocks[k]
        if not is_hard(s, block):
            continue
        rate = present_rate(s, block.pack)
        if block.kind == EQUALITY:
            fresh = fresh or max(abs(rate[0]), abs(rate[1]), abs(rate[2])) > REST_SPEED
        elif rows.lam[block.row] > 0.0:
            presses = True
            hits = hits or rate[0] < -REST_SPEED
    return hits or (fresh and presses)


@part
def keep_hard(s: Step):
    """Forget the impulses of all that is not hard."""
    rows = s.rows
    for k in range(rows.count.blocks):
        block = rows.blocks[k]
        if not is_hard(s, block):
            for j in range(3 if block.kind == CONTACT else 1):
                rows.lam[block.row + j] = 0.0


@part
def add_tie_forces(s: Step, weight):
    """Add `weight` times lam to the forces of connections."""
    rows = s.rows
    for k in range(rows.count.blocks):
        block = rows.blocks[k]
        if block.kind == EQUALITY and block.origin >= TIE_ORIGIN:
            s.tie_last[block.origin - TIE_ORIGIN] += weight * rows.lam[block.row]


@part
def hold_forces(s: Step, weight, wrenches, torques):
    """Add `weight` times lam of contacts, limits and friction to wrenches (6 nb) and torques (nv)."""
    rows = s.rows
    for p in range(rows.count.packs):
        pack = rows.packs[p]
        if rows.blocks[pack.first_block].kind == EQUALITY:
            continue
        r = pack.first
        l0 = weight * rows.lam[r]
        l1 = weight * rows.lam[r + 1] if pack.lines > 1 else 0.0
        l2 = weight * rows.lam[r + 2] if pack.lines > 2 else 0.0
        for side in range(2):
            k = pack.ends[side]
            if k < 0:
                continue
            at = W * p + 24 * side
            i = rows.sources[k].index
            if rows.sources[k].kind == BODY:
                for j in range(3):
                    wrenches[6 * i + j] += along(rows.w, at + 12 + 4 * j, l0, l1, l2)
                    wrenches[6 * i + 3 + j] += along(rows.w, at + 4 * j, l0, l1, l2)
            else:
                torques[s.ints[i, IV]] += l0 * rows.w[at]
