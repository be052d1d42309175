"""How overlap is taken back, at a bounded speed of the bodies whatever the lever.

Up to SLOP a row asks for a rate of its own, v+ >= PUSH depth/dt, which stays as velocity: 0.02 m/s at steps of 1 ms, as
resting contact needs. Where the normal hardly moves the bodies (a link whose hinge lies near the line of the normal)
that would be a fast turn; a row whose own response is less than SHORT of its tangents' asks for as much less
(`spare_levers`).

Beyond SLOP the rate asks for nothing but to approach no more. Positions move apart, velocities do not know of it
(bunraku.step.push_apart). A spring (`penalty`) that is born compressed, because its bodies were put into each other, has
its rest there: its force is that of what came later, and `rest` goes to nothing as positions move apart. Checked in
tests/world/test_overlap.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.step.rows import CONTACT
from bunraku.step.step_arrays import RowBlock, Rows, Step

PUSH = 0.2  # part of an overlap that is taken back in a step
PUSH_SPEED = 0.5  # m/s, at the most
SLOP = 1e-4  # m of overlap from which positions alone are moved
SHORT = 0.01  # response along a normal, of those along its tangents, below which a lever is short
FAINT = 1e-7  # m of a spring's rest that are nothing
EASE = 0.01  # of its response: by how much a row yields while positions move apart; where a lever is short,
LEAST = 0.1  # as if the response were no less than this part of its tangents'
PUSHING = np.int64(2)  # kind of a large island that is solved for that


@inline
def push_rate(gap, dt):
    """The rate that velocities are asked for where shapes overlap (gap <= 0)."""
    return PUSH * (-gap) / dt if gap >= -SLOP else 0.0


@inline
def deep_part(s: Step, c):
    """How much of the overlap of contact c, which has rows, positions are to take back [m]; 0: nothing."""
    spring = s.springs[c]
    if spring.soft > 0.0:
        return spring.rest
    gap = s.detection.contacts[c].gap
    return -gap if gap < -SLOP else 0.0


@inline
def rest_of(s: Step, i, first, c, came):
    """The overlap at which the spring of contact c is at rest: that of its last step i; that of its pair, whose contacts
    began at `first`, where this one is new; where the pair is, all that it cannot have come in a step (`came`, m)."""
    deep = max(-s.detection.contacts[c].gap, 0.0)
    if i >= 0:
        rest = s.memory[i].linked
    else:
        this = s.detection.ids[c]
        known = False
        rest = 0.0
        k = first
        while k < s.info.warm and s.last_ids[k].a == this.a and s.last_ids[k].b == this.b:
            rest = max(rest, s.memory[k].linked)
            known = True
            k += 1
        if not known:
            rest = deep if deep > SLOP + came else 0.0
    rest = min(rest, deep)
    return rest if rest > FAINT else 0.0


@inline
def pushes(rows: Rows, block: RowBlock):
    """Whether positions want more of a contact than velocities do."""
    return rows.p[block.row] != rows.b[block.row]


@inline
def eased(own, tangents):
    """By how much a row yields that pushes apart, by its response and that of its tangents."""
    return EASE * own + max(LEAST * tangents - own, 0.0)


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
