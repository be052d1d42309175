"""Overlap deeper than SLOP, taken back in positions alone: a phase that a step runs only where there is some.

Velocities only keep deep contacts from approaching, but for PLAY (bunraku.step.contact_rows).

Once the impulses of a step are known, islands with deep overlap are solved once more for a motion of positions in which
deep contacts part at PUSH depth/dt, at PUSH_SPEED at the most; all other rows want what they wanted. Rows that push
yield a little, so that overlap which nothing can take back is no contradiction, and more the shorter their lever, so that
one with no lever at all asks for nothing. What this motion has beyond the step's goes to `moved`, shortened for each
island until no shape of it moves faster than PUSH_SPEED, nor a body turns faster than TURN_SPEED. Both motions keep to
all other rows, so what lies between them does, too. Velocities, impulses and the report are left as they were: the push
has no energy but that of height. A problem that is not solved within SWEEPS moves nothing.

Contacts without rows (bunraku.step.contact_rows) that the push would carry through their surface get rows: AGAIN.
Checked in tests/world/test_overlap.py.
"""

from __future__ import annotations

from bunraku.contact.pgs import BROKEN, solve
from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import handle
from bunraku.kernel.table import phase, run
from bunraku.kernel.vec import add, cross, dot, ld3, sub
from bunraku.model.layout import DA, NW, POS
from bunraku.step.contact_rows import PUSH, PUSH_SPEED, SLOP, away_stay, gain_of
from bunraku.step.island import HOPELESS, LARGE_PHASE, fill_matrix, gather, soften, spare_levers
from bunraku.step.response import velocity_change
from bunraku.step.rows import CONTACT, find
from bunraku.step.step_arrays import AGAIN, OK, RowBlock, Rows, Step

PUSH_PHASE = 9  # where the table has this phase
EASE = 0.01  # of its response: by how much a row yields; where a lever is short,
LEAST = 0.1  # as if the response were no less than this part of its tangents'
PUSHING = 2  # kind of a large island that is solved for that
TURN_SPEED = 10.0  # rad/s
SWEEPS = 100


@inline
def deep_part(s: Step, c):
    """How much of the overlap of contact c, which has rows, positions are to take back [m]; 0: nothing."""
    spring = s.springs[c]
    if spring.soft > 0.0:
        return spring.rest
    gap = s.detection.contacts[c].gap
    return -gap if gap < -SLOP else 0.0


@inline
def pushes(rows: Rows, block: RowBlock):
    """Whether positions want more of a contact than velocities do."""
    return rows.p[block.row] != rows.b[block.row]


@inline
def eased(own, tangents):
    """By how much a row yields that pushes apart, by its response and that of its tangents."""
    return EASE * own + max(LEAST * tangents - own, 0.0)


@part
def ask(s: Step):
    """What positions want, in `p`: as velocities, but for deep overlap; a copy of the impulses."""
    rows = s.rows
    for k in range(rows.count.rows):
        rows.kept[k] = rows.lam[k]
        rows.p[k] = rows.b[k]
    for k in range(rows.count.blocks):
        block = rows.blocks[k]
        if block.kind != CONTACT:  # contacts come first
            break
        push = min(PUSH * deep_part(s, block.origin) / s.numbers.dt, PUSH_SPEED)
        if push > 0.0:  # a spring goes with its rest: it does not give way
            rows.p[block.row] += s.springs[block.origin].soft * rows.lam[block.row] - push


@inline
def is_deep(s: Step, first, last):
    """Whether an island has overlap to take back."""
    rows = s.rows
    for p in range(first, last):
        block = rows.blocks[rows.packs[rows.by_island[p]].first_block]
        if block.kind == CONTACT and pushes(rows, block):
            return True
    return False


@inline
def put_back(s: Step, first, last):
    """The impulses of the step, for an island."""
    rows = s.rows
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        for r in range(pack.first, pack.first + pack.lines):
            rows.lam[r] = rows.kept[r]


@part
def ease(s: Step, first, last):
    """Rows that push yield to what exceeds the step's own impulses."""
    rows = s.rows
    K = s.island.K
    for p in range(first, last):
        pack = rows.packs[rows.by_island[p]]
        block = rows.blocks[pack.first_block]
        if block.kind == CONTACT and pushes(rows, block):
            i = pack.place
            K[i, i] -= s.springs[block.origin].soft
            more = eased(K[i, i], K[i + 1, i + 1] + K[i + 2, i + 2])
            K[i, i] += more
            s.problem.b[i] -= more * rows.kept[block.row]


@part
def push_island(s: Step, first, last):
    """Impulses that push an island apart, in the place of its own; its own where they are not found. Returns a status."""
    rows = s.rows
    m, blocks = gather(s, first, last, rows.p)
    if m > s.island.K.shape[0]:
        info = s.info
        info.large_first = first
        info.large_last = last
        info.large_rows = m
        info.large_blocks = blocks
        info.large_soft = PUSHING
        s.numbers.residual = 0.0
        status = run(handle(s), LARGE_PHASE)
        if s.numbers.residual > HOPELESS:
            put_back(s, first, last)
        return status
    fill_matrix(s, first, last, m)
    soften(s, first, last)
    spare_levers(s, first, last)
    ease(s, first, last)
    s.island.problem.search.hopeless = HOPELESS
    status, _, residual = solve(s.island, m, blocks, s.numbers.tolerance, SWEEPS)
    if status != BROKEN and residual <= HOPELESS:
        for p in range(first, last):
            pack = rows.packs[rows.by_island[p]]
            for j in range(pack.lines):
                rows.lam[pack.first + j] = s.problem.lam[pack.place + j]
    return OK


@part
def note_speeds(s: Step):
    """`pushed` of each island: how fast what was spread last moves it, of what it may."""
    rows = s.rows
    found = s.detection
    work = s.work
    for t in range(rows.pushed.shape[0]):
        rows.pushed[t] = 0.0
    for i in range(1, s.ints.shape[0]):
        t = find(rows.island_of, rows.tree[i])
        v = ld3(work, i * NW + DA + 3)
        w = ld3(work, i * NW + DA)
        fast = max(dot(v, v) ** 0.5 / PUSH_SPEED, dot(w, w) ** 0.5 / TURN_SPEED)
        rows.pushed[t] = max(rows.pushed[t], fast)
    for k in range(len(found.kinds)):
        i = found.kinds[k].body
        reach = found.forms[k].radius
        if i != 0 and reach < 1e300:
            w = ld3(work, i * NW + DA)
            v = add(ld3(work, i * NW + DA + 3), cross(w, sub(found.now[k].centre, ld3(work, i * NW + POS))))
            fast = (dot(v, v) ** 0.5 + reach * dot(w, w) ** 0.5) / PUSH_SPEED
            t = find(rows.island_of, rows.tree[i])
            rows.pushed[t] = max(rows.pushed[t], fast)


@part
def spread_push(s: Step):
    """What the push adds to the motion, in `pushed`, shortened; the springs' rests go with it. `lam`: what it adds to
    the impulses."""
    rows = s.rows
    for k in range(rows.count.rows):
        rows.lam[k] -= rows.kept[k]
    velocity_change(s, s.pushed)
    note_speeds(s)
    for p in range(rows.count.packs):
        pack = rows.packs[p]
        share = 1.0 / max(rows.pushed[pack.island], 1.0)
        for r in range(pack.first, pack.first + pack.lines):
            rows.lam[r] *= share
    velocity_change(s, s.pushed)
    found = s.detection
    for k in range(rows.count.blocks):
        block = rows.blocks[k]
        if block.kind != CONTACT:
            break
        c = block.origin
        if s.springs[c].rest > 0.0:
            n = found.contacts[c].normal
            x = found.contacts[c].point
            rate = gain_of(s.work, found.kinds[found.ids[c].a].body, x, n)
            rate -= gain_of(s.work, found.kinds[found.ids[c].b].body, x, n)
            s.springs[c].rest = max(s.springs[c].rest - s.numbers.dt * max(rate, 0.0), 0.0)


@part
def stays_clear(s: Step):
    """Whether no contact without rows passes its surface, with the step's impulses and what the push adds to them;
    `accel` is scratch from here on."""
    if s.rows.count.every_point != 0 or s.info.exact != 0:
        return True
    for k in range(s.rows.count.rows):
        s.rows.lam[k] += s.rows.kept[k]
    velocity_change(s, s.accel)
    return away_stay(s)


@phase
def push_apart(h):
    """`pushed`, and `moved` with it; returns a status."""
    s = Step(h)
    rows, info, numbers = s.rows, s.info, s.numbers
    residual = numbers.residual
    unsolved, sweeps, islands, largest = info.unsolved, info.sweeps, info.islands, info.largest
    ask(s)
    status = OK
    for t in range(rows.island_start.shape[0] - 1):
        first = rows.island_start[t]
        last = rows.island_start[t + 1]
        if first < last and status == OK and is_deep(s, first, last):
            status = push_island(s, first, last)
    numbers.residual = residual
    info.unsolved = unsolved
    info.sweeps = sweeps
    info.islands = islands
    info.largest = largest
    if status == OK:
        spread_push(s)
        for k in range(s.moved.shape[0]):
            s.moved[k] += s.pushed[k]
        if not stays_clear(s):
            rows.count.every_point = 1
            rows.count.tries += 1
            status = AGAIN
    for k in range(rows.count.rows):
        rows.lam[k] = rows.kept[k]
    return status
