"""Which foot stands and where the next one should land.

A clock plays the phases of a plan; sensors measure the contacts; steps move to catch a fall.

Feet: a foot leaves the ground when the plan says so and stands again when its sensor feels weight (`FEEL` of the
figure's, and more than the swing's own inertia) in the second half of its swing, near the ground. If the ground is
late, the clock waits and the foot goes on down, slowly at first (`SINK`) and then faster (`HURRY`, to `SEARCH`); if it
is early, the foot stands where it is.

Offsets: o_f = where foot f stands less where the plan has it (level, 2). The plan's zero-moment point moves by sum
load_f o_f; its capture point by
    o_- + (o_+ - o_-) e^(-w (T - t))  before the middle T of the next exchange of feet, o_+ after it,
the one motion of the pendulum that leads from the old offset to the new one while the pressure stays where it is.

Landing place: an error e of the capture point grows to E = e e^(w (T - t)) until T. What the pressure under the
standing foot can take back until then, room (e^(w (T - t)) - 1), is left to it; the rest moves the landing place,
within reach of the legs and clear of the other foot (Pratt et al. 2006; Englsberger et al. 2011; Khadiv et al. 2016).
The more it moves, the faster the clock runs, up to `FAST`; while both feet stand and the capture point has left them,
it runs at `FAST`, or at `HASTE` towards a step that goes where the figure falls. With an error above `CALM` no step
begins while the capture point is between the feet: the clock waits, and the pressure under both brings it back. Without
an error the landing place goes back towards the plan by `HOME` with each step.

Parts of the kernels of bunraku.control.balance_law: the state is `step`, the plan `rows` and `swings` of
control.balance_arrays.Balance. A place in the level is a pair, axes of a sole are the pair (cos, sin) of its heading.
Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from math import exp

from bunraku.control.balance_arrays import Balance
from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import flat

FEEL = 0.02  # of the weight, as it is read: a foot that touches
LOW = 0.04  # m above its landing place: a foot that may touch
SINK = 0.06  # m/s downwards, with which a foot comes to the ground
SEARCH, HURRY = 0.25, 3.0  # m/s downwards at the most, m/s^2: how fast a foot looks for a ground that is late
PATIENCE = 0.4  # s that the clock waits for the ground
FAST = 2.2  # largest rate of the clock
HASTE = 3.5  # the same on both feet in the plan's own steps, where the next foot to be lifted can catch the fall
CALM = 0.03  # m: an error of the capture point with which no foot is lifted as long as both can hold it
HOLD = 1.5  # s that both feet stay for that
HOME = 0.04  # m back towards the plan in each step
SOFT = 0.03  # s in which a new landing place is taken up
LAST = 0.04  # s before landing, in which it stays
BOTH = 40  # rows of a support on both feet that count at the most


# ---- the clock and the feet ----------------------------------------------------------------------------------------


@inline
def row_now(b: Balance):
    """(row of now, part of the way to the next)."""
    n = len(b.rows)
    x = min(b.step.clock / b.figure.plan_dt, n - 1.0)
    k = min(int(x), n - 2)
    return k, x - k


@part
def reference(b: Balance):
    """The plan's row now, between two of its rows; returns the first."""
    k, part_ = row_now(b)
    row, here, next_ = flat(b.row), flat(b.rows[k]), flat(b.rows[k + 1])
    for d in range(row.shape[0]):
        row[d] = here[d] + part_ * (next_[d] - here[d])
    return k


@inline
def swing_now(b: Balance):
    """The swing of the foot in the air; there must be one."""
    return b.swings[int(b.step.swing)]


@part
def advance(b: Balance):
    """Let the clock run; it waits at the end of a swing for the ground."""
    s, period = b.step, b.state.period
    step = s.pace * period if s.held == 0.0 else 0.0
    if s.swing >= 0.0:
        left = swing_now(b).landing * b.figure.plan_dt - s.clock
        if left <= step and s.waited < PATIENCE:
            s.waited += period
            s.lowered += min(SINK + HURRY * s.waited, SEARCH) * period
            step = max(left - 1e-9, 0.0)
    s.clock += step


@part
def lift_and_land(b: Balance, swung):
    """(foot that left, foot that landed) now, -1 for none; `swung` [N]: what the swing itself puts on the sensor."""
    s, rows = b.step, b.rows
    k, _ = row_now(b)
    if s.swing < 0.0:
        for n in range(int(s.done) + 1, len(b.swings)):
            swing = b.swings[n]
            if swing.lift <= k < swing.landing and s.standing[0] != 0.0 and s.standing[1] != 0.0:
                f = swing.side
                s.swing = n
                s.standing[f] = 0.0
                s.start = s.offset[f]
                seen, plan = b.seen.sole, rows[k]
                s.raised = seen[f].place[2] - seen[1 - f].place[2] - plan.foot[f][2] + plan.foot[1 - f][2]
                s.target = homewards(s.offset[1 - f])
                s.waited = 0.0
                s.lowered = 0.0
                return f, -1
        return -1, -1
    swing = swing_now(b)
    f, landing = swing.side, swing.landing
    height = b.seen.sole[f].place[2] - rows[min(landing, len(rows) - 1)].foot[f][2]
    felt = b.feel.touch[f] > FEEL * b.figure.heavy + swung
    if (height < LOW and felt and k > 0.5 * (swing.lift + landing)) or (k >= landing - 1 and s.waited >= PATIENCE):
        land(b, f, landing)
        return -1, f
    return -1, -1


@inline
def land(b: Balance, f, landing):
    """The swinging foot stands. After a step that was moved the clock goes on from the end of the swing; else it keeps
    the plan's time."""
    s = b.step
    if s.pace > 1.0:
        s.clock = max(s.clock, landing * b.figure.plan_dt)
    s.standing[f] = 1.0
    s.done = s.swing
    s.swing = -1.0
    s.pace = 1.0


@inline
def landing_row(b: Balance):
    """The row of now, or where the swing of now ends."""
    k, _ = row_now(b)
    end = k
    for m in range(len(b.swings)):
        if b.swings[m].lift <= k:
            end = max(end, b.swings[m].landing)
    return min(end, len(b.rows) - 1)


@part
def found(b: Balance, f):
    """Foot f was found to stand where it is seen now."""
    at, planned = b.seen.sole[f].place, b.rows[landing_row(b)].foot[f]
    b.step.offset[f] = (at[0] - planned[0], at[1] - planned[1])


@part
def take_up(b: Balance):
    """The plan and the clock are others than before, and both feet stand: which swings are done, the feet's offsets."""
    s = b.step
    k, _ = row_now(b)
    s.done = -1.0
    for n in range(len(b.swings)):
        if b.swings[n].landing <= k:
            s.done = n
    found(b, 0)
    found(b, 1)


# ---- offsets -------------------------------------------------------------------------------------------------------


@inline
def homewards(offset):
    """The next foot's offset if nothing pushes: that of the standing one, less what is walked back."""
    x, y = offset
    size = (x * x + y * y) ** 0.5
    part_ = 1.0 - min(HOME / size, 1.0) if size > 0.0 else 1.0
    return (part_ * x, part_ * y)


@part
def shifts(b: Balance, omega):
    """Shift of the zero-moment point and of the capture point now (2 + 2)."""
    s, row, rows = b.step, b.row, b.rows
    if s.swing >= 0.0:
        x, y = s.offset[1 - swing_now(b).side]
        home = homewards((x, y))
        grown = exp(-omega * time_to_exchange(b))
        return x, y, x + (home[0] - x) * grown, y + (home[1] - y) * grown
    before, after, time = exchange(b)
    grown = exp(-omega * time) if time > 0.0 else 1.0
    zx, zy, cx, cy = 0.0, 0.0, 0.0, 0.0
    for f in range(2):
        share = rows[before].load[f] + (rows[after].load[f] - rows[before].load[f]) * grown
        x, y = s.offset[f]
        zx += row.load[f] * x
        zy += row.load[f] * y
        cx += share * x
        cy += share * y
    return zx, zy, cx, cy


@inline
def time_to_exchange(b: Balance):
    """From now to the middle of the support on both feet that follows this swing [s]."""
    s, swings, dt = b.step, b.swings, b.figure.plan_dt
    n = int(s.swing)
    landing = swings[n].landing
    after = swings[n + 1].lift if n + 1 < len(swings) else landing + BOTH
    return max(landing * dt - s.clock, 0.0) / s.pace + 0.5 * (min(after - landing, BOTH) * dt)


@inline
def exchange(b: Balance):
    """While both feet stand: rows with the loads before and after, and the time to the middle."""
    swings, n = b.swings, len(b.rows)
    k, _ = row_now(b)
    past = 0
    next_ = n
    for m in range(len(swings)):
        if swings[m].lift <= k:
            past = max(past, swings[m].landing)
        else:
            next_ = min(next_, swings[m].lift)
    begin = max(past, next_ - BOTH) if past == 0 else past
    middle = begin + 0.5 * min(next_ - past, BOTH)
    return max(past - 1, 0), min(next_, n - 1), middle * b.figure.plan_dt - b.step.clock


# ---- the landing place ---------------------------------------------------------------------------------------------


@inline
def beyond_room(x, room, grow):
    """What is left of an error x that grew, where the pressure takes back what it can."""
    left = max(abs(x * grow) - room * (grow - 1.0), 0.0)
    return left if x > 0.0 else -left


@part
def place(b: Balance, ex, ey, room, axes, grow):
    """(offset of the landing place of the swing (2), how far it was moved [m], what is missing to it [m]) for an error
    (ex, ey) of the capture point that grows `grow` times; `room` (2) of the pressure in the standing foot's axes."""
    rows, figure = b.rows, b.figure
    side = swing_now(b).side
    c, d = axes
    rest = beyond_room(ex * c + ey * d, room[0], grow), beyond_room(ey * c - ex * d, room[1], grow)
    stand, row = 1 - side, rows[min(swing_now(b).landing, len(rows) - 1)]
    planned, foot, offset = row.foot[side], row.foot[stand], b.step.offset[stand]
    at = foot[0] + offset[0], foot[1] + offset[1]
    home = homewards(offset)
    way = planned[0] + home[0] - at[0], planned[1] + home[1] - at[1]
    wanted = way[0] * c + way[1] * d + rest[0], way[1] * c - way[0] * d + rest[1]
    out = 1.0 if side == 0 else -1.0
    x = min(max(wanted[0], -figure.reach_ahead), figure.reach_ahead)
    y = out * min(max(out * wanted[1], figure.reach_near), figure.reach_far)
    missing = ((wanted[0] - x) ** 2 + (wanted[1] - y) ** 2) ** 0.5
    moved = (rest[0] * rest[0] + rest[1] * rest[1]) ** 0.5
    return at[0] + (c * x - d * y) - planned[0], at[1] + (d * x + c * y) - planned[1], moved, missing


@part
def catch(b: Balance, ex, ey, room, axes, omega):
    """Move the landing place of the foot in the air, and hurry; arguments as in `place`."""
    s = b.step
    x, y, moved, missing = place(b, ex, ey, room, axes, exp(omega * time_to_exchange(b)))
    left = (swing_now(b).landing * b.figure.plan_dt - s.clock) / s.pace
    if left > LAST:
        near = min(b.state.period / SOFT, 1.0)
        to = s.target
        s.target = (to[0] + near * (x - to[0]), to[1] + near * (y - to[1]))
    s.pace = max(s.pace, 1.0 + (FAST - 1.0) * min((missing + 0.5 * moved) / 0.15, 1.0))


@inline
def is_due(b: Balance):
    """Whether a swing begins with the next period."""
    s, swings = b.step, b.swings
    k = int((s.clock + b.state.period) / b.figure.plan_dt + 1e-9)
    due = False
    for n in range(int(s.done) + 1, len(swings)):
        due = due or swings[n].lift <= k < swings[n].landing
    return due


@inline
def next_side(b: Balance):
    """The foot that the plan lifts next, or -1."""
    n = int(b.step.done) + 1
    return b.swings[n].side if n < len(b.swings) else -1


@inline
def consider(b: Balance, ex, ey):
    """Before a foot is lifted that need not be: let the clock wait for the error to become small."""
    s = b.step
    large = (ex * ex + ey * ey) ** 0.5 > CALM
    s.held = s.held + b.state.period if large and s.held < HOLD else 0.0


@part
def foot_shift(b: Balance):
    """Shift of the swinging foot against the plan (3), and its rate (3): from its start's offset to its target's, and
    from the height where it began (rubber, bumps) to the plan's in the first half."""
    s, dt, swing = b.step, b.figure.plan_dt, swing_now(b)
    lift, landing = swing.lift, swing.landing
    span = (landing - lift) * dt
    u = min(max((s.clock - lift * dt) / span, 0.0), 1.0) if span > 0.0 else 1.0
    du = 1.0 / (0.9 * span) if u < 0.9 and span > 0.0 else 0.0
    u = min(u / 0.9, 1.0)
    at, rate = u * u * u * (10 + u * (6 * u - 15)), 30 * u * u * (1 - u) ** 2 * du * s.pace
    start, target = s.start, s.target
    x, y = target[0] - start[0], target[1] - start[1]
    w = min(max((s.clock - lift * dt) / (0.5 * span), 0.0), 1.0) if span > 0.0 else 1.0
    left = s.raised * (1.0 - w * w * w * (10 + w * (6 * w - 15)))
    falls = s.raised * 30 * w * w * (1 - w) ** 2 / (0.5 * span) * s.pace if span > 0.0 else 0.0
    return (start[0] + at * x, start[1] + at * y, left - s.lowered), (rate * x, rate * y, -falls)
