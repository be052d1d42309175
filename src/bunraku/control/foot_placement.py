"""Which foot stands and where the next one shall land: phases of a plan played by a clock, contacts by measurement, steps moved to catch a fall.

Feet: a foot leaves the ground when the plan says so and stands again when its sensor feels weight (`FEEL` of the figure's, and more than the
swing's own inertia) in the second half of its swing, near the ground. If the ground is late, the clock waits and the foot goes down (`SEARCH`); if
it is early, the foot stands where it is.

Offsets: o_f = where foot f stands less where the plan has it (level, 2). The plan's zero-moment point moves by sum load_f o_f; its capture
point by
    o_- + (o_+ - o_-) e^(-w (T - t))  before the middle T of the next exchange of feet, o_+ after it,
the one motion of the pendulum that leads from the old offset to the new one while the pressure stays where it is.

Landing place: an error e of the capture point grows to E = e e^(w (T - t)) until T. What the pressure under the standing foot can take back until
then, room (e^(w (T - t)) - 1), is left to it; the rest moves the landing place, within reach of the legs and clear of the other foot (capture
point: Pratt 2006; Englsberger 2011; Khadiv 2016). The more it is moved, the faster the clock runs, up to `FAST`; while both feet stand and the
capture point has left them, at `FAST`, or at `HASTE` towards a step that goes where the figure falls. With an error above
`CALM` no step is begun while the capture point is between the feet: the clock waits, and the pressure under both brings it back. Without an
error the landing place goes back towards the plan by `HOME` a step.

Parts of the kernels of bunraku.control.balance_law over the arrays B_STEP (the state) and P_… (the plan) of bunraku.control.balance_arrays; rows are
numbers of the plan's rows, a place in the level is a pair, axes of a sole are the pair (cos, sin) of its heading.
Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from math import exp

from bunraku.control.balance_arrays import (
    B_FEEL,
    B_FIGURE,
    B_ROW,
    B_SEEN,
    B_STATE,
    B_STEP,
    CLOCK,
    DONE,
    HEAVY,
    HELD,
    LOADS,
    LOWERED,
    OF_SOLE,
    OFFSET,
    P_ROWS,
    P_SWINGS,
    P_TIME,
    PACE,
    PERIOD,
    REACH_AHEAD,
    REACH_FAR,
    REACH_NEAR,
    STANDING,
    START,
    SWING,
    TARGET,
    WAITED,
)
from bunraku.control.walking_plan import FOOT, LOAD
from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints2, reals1, reals2

FEEL = 0.06  # of the weight: a foot that stands
LOW = 0.04  # m above its landing place: a foot that may touch
SEARCH = 0.25  # m/s downwards
PATIENCE = 0.4  # s that the clock waits for the ground
FAST = 2.2  # clock's largest rate, but for
HASTE = 3.5  # that on both feet in the plan's own steps, where the next foot to be lifted is the one that can catch the fall
CALM = 0.03  # m: an error of the capture point with which no foot is lifted as long as both can hold it
HOLD = 1.5  # s that both feet stay for that
HOME = 0.04  # m a step back towards the plan
SOFT = 0.03  # s in which a new landing place is taken up
LAST = 0.04  # s before landing, in which it stays
BOTH = 40  # rows of a support on both feet that count at the most
SIDE, LIFT, LANDING = range(3)  # columns of P_SWINGS


# ---- the clock and the feet --------------------------------------------------------------------------------------------------


@inline
def row_now(h):
    """(row of now, part of the way to the next)."""
    n = reals2(h, P_ROWS).shape[0]
    x = min(reals1(h, B_STEP)[CLOCK] / reals1(h, P_TIME)[0], n - 1.0)
    k = min(int(x), n - 2)
    return k, x - k


@part
def reference(h):
    """B_ROW: the plan's numbers now, between two rows; returns the row."""
    k, part_ = row_now(h)
    rows, row = reals2(h, P_ROWS), reals1(h, B_ROW)
    for d in range(row.shape[0]):
        row[d] = rows[k, d] + part_ * (rows[k + 1, d] - rows[k, d])
    return k


@inline
def swing_now(h):
    """(side, lift, landing) of the foot in the air; there must be one."""
    swings, n = ints2(h, P_SWINGS), int(reals1(h, B_STEP)[SWING])
    return swings[n, SIDE], swings[n, LIFT], swings[n, LANDING]


@part
def advance(h):
    """Let the clock run; it waits at the end of a swing for the ground."""
    s, period = reals1(h, B_STEP), reals1(h, B_STATE)[PERIOD]
    step = s[PACE] * period if s[HELD] == 0.0 else 0.0
    if s[SWING] >= 0.0:
        left = swing_now(h)[2] * reals1(h, P_TIME)[0] - s[CLOCK]
        if left <= step and s[WAITED] < PATIENCE:
            s[WAITED] += period
            s[LOWERED] += SEARCH * period
            step = max(left - 1e-9, 0.0)
    s[CLOCK] += step


@part
def lift_and_land(h, swung):
    """(foot that left, foot that landed) now, -1 for none; `swung` [N]: what the swing itself puts on the sensor."""
    s, swings, rows = reals1(h, B_STEP), ints2(h, P_SWINGS), reals2(h, P_ROWS)
    k, _ = row_now(h)
    if s[SWING] < 0.0:
        for n in range(int(s[DONE]) + 1, swings.shape[0]):
            if swings[n, LIFT] <= k < swings[n, LANDING] and s[STANDING] != 0.0 and s[STANDING + 1] != 0.0:
                f = swings[n, SIDE]
                s[SWING] = n
                s[STANDING + f] = 0.0
                home = homewards(s[OFFSET + 2 * (1 - f)], s[OFFSET + 2 * (1 - f) + 1])
                for d in range(2):
                    s[START + d] = s[OFFSET + 2 * f + d]
                    s[TARGET + d] = home[d]
                s[WAITED] = 0.0
                s[LOWERED] = 0.0
                return f, -1
        return -1, -1
    f, lift, landing = swing_now(h)
    height = reals1(h, B_SEEN)[OF_SOLE + 6 * f + 2] - rows[min(landing, rows.shape[0] - 1), FOOT + 3 * f + 2]
    felt = reals1(h, B_FEEL)[LOADS + f] > FEEL * reals1(h, B_FIGURE)[HEAVY] + swung
    if (height < LOW and felt and k > 0.5 * (lift + landing)) or (k >= landing - 1 and s[WAITED] >= PATIENCE):
        land(h, f, landing)
        return -1, f
    return -1, -1


@inline
def land(h, f, landing):
    """The swinging foot stands. After a step that was moved the clock goes on from the end of the swing; else it keeps the plan's time."""
    s = reals1(h, B_STEP)
    if s[PACE] > 1.0:
        s[CLOCK] = max(s[CLOCK], landing * reals1(h, P_TIME)[0])
    s[STANDING + f] = 1.0
    s[DONE] = s[SWING]
    s[SWING] = -1.0
    s[PACE] = 1.0


@inline
def landing_row(h):
    """The row of now, or where the swing of now ends."""
    swings, n = ints2(h, P_SWINGS), reals2(h, P_ROWS).shape[0]
    k, _ = row_now(h)
    end = k
    for m in range(swings.shape[0]):
        if swings[m, LIFT] <= k:
            end = max(end, swings[m, LANDING])
    return min(end, n - 1)


@part
def found(h, f):
    """Foot f was found to stand where it is seen now."""
    s, seen, rows = reals1(h, B_STEP), reals1(h, B_SEEN), reals2(h, P_ROWS)
    k = landing_row(h)
    for d in range(2):
        s[OFFSET + 2 * f + d] = seen[OF_SOLE + 6 * f + d] - rows[k, FOOT + 3 * f + d]


@part
def take_up(h):
    """The plan and the clock are others than before, and both feet stand: which swings are done, and the feet's offsets."""
    s, swings = reals1(h, B_STEP), ints2(h, P_SWINGS)
    k, _ = row_now(h)
    s[DONE] = -1.0
    for n in range(swings.shape[0]):
        if swings[n, LANDING] <= k:
            s[DONE] = n
    found(h, 0)
    found(h, 1)


# ---- offsets -----------------------------------------------------------------------------------------------------------------


@inline
def homewards(x, y):
    """The next foot's offset if nothing pushes: that of the standing one, less what is walked back."""
    size = (x * x + y * y) ** 0.5
    part_ = 1.0 - min(HOME / size, 1.0) if size > 0.0 else 1.0
    return (part_ * x, part_ * y)


@part
def shifts(h, omega):
    """Shift of the zero-moment point and of the capture point now (2 + 2)."""
    s, row, rows = reals1(h, B_STEP), reals1(h, B_ROW), reals2(h, P_ROWS)
    if s[SWING] >= 0.0:
        n = OFFSET + 2 * (1 - swing_now(h)[0])
        x, y = s[n], s[n + 1]
        home = homewards(x, y)
        grown = exp(-omega * time_to_exchange(h))
        return x, y, x + (home[0] - x) * grown, y + (home[1] - y) * grown
    before, after, time = exchange(h)
    grown = exp(-omega * time) if time > 0.0 else 1.0
    zx, zy, cx, cy = 0.0, 0.0, 0.0, 0.0
    for f in range(2):
        share = rows[before, LOAD + f] + (rows[after, LOAD + f] - rows[before, LOAD + f]) * grown
        zx += row[LOAD + f] * s[OFFSET + 2 * f]
        zy += row[LOAD + f] * s[OFFSET + 2 * f + 1]
        cx += share * s[OFFSET + 2 * f]
        cy += share * s[OFFSET + 2 * f + 1]
    return zx, zy, cx, cy


@inline
def time_to_exchange(h):
    """From now to the middle of the support on both feet that follows this swing [s]."""
    s, swings, dt = reals1(h, B_STEP), ints2(h, P_SWINGS), reals1(h, P_TIME)[0]
    n = int(s[SWING])
    landing = swings[n, LANDING]
    after = swings[n + 1, LIFT] if n + 1 < swings.shape[0] else landing + BOTH
    return max(landing * dt - s[CLOCK], 0.0) / s[PACE] + 0.5 * (min(after - landing, BOTH) * dt)


@inline
def exchange(h):
    """While both feet stand: rows with the loads before and after, and the time to the middle."""
    swings, n = ints2(h, P_SWINGS), reals2(h, P_ROWS).shape[0]
    k, _ = row_now(h)
    past = 0
    next_ = n
    for m in range(swings.shape[0]):
        if swings[m, LIFT] <= k:
            past = max(past, swings[m, LANDING])
        else:
            next_ = min(next_, swings[m, LIFT])
    begin = max(past, next_ - BOTH) if past == 0 else past
    middle = begin + 0.5 * min(next_ - past, BOTH)
    return max(past - 1, 0), min(next_, n - 1), middle * reals1(h, P_TIME)[0] - reals1(h, B_STEP)[CLOCK]


# ---- the landing place -------------------------------------------------------------------------------------------------------


@inline
def beyond_room(x, room, grow):
    """What is left of an error x that grew, where the pressure takes back what it can."""
    left = max(abs(x * grow) - room * (grow - 1.0), 0.0)
    return left if x > 0.0 else -left


@part
def place(h, ex, ey, room, axes, grow):
    """(offset of the landing place of the swing (2), how far it was moved [m], what is missing to it [m]) for an error (ex, ey) of the capture point
    that grows `grow` times; `room` (2) of the pressure in the standing foot's axes."""
    s, rows, figure = reals1(h, B_STEP), reals2(h, P_ROWS), reals1(h, B_FIGURE)
    side, _, landing = swing_now(h)
    c, d = axes
    rest = beyond_room(ex * c + ey * d, room[0], grow), beyond_room(ey * c - ex * d, room[1], grow)
    k, stand = min(landing, rows.shape[0] - 1), 1 - side
    planned = rows[k, FOOT + 3 * side], rows[k, FOOT + 3 * side + 1]
    ox, oy = s[OFFSET + 2 * stand], s[OFFSET + 2 * stand + 1]
    at = rows[k, FOOT + 3 * stand] + ox, rows[k, FOOT + 3 * stand + 1] + oy
    home = homewards(ox, oy)
    way = planned[0] + home[0] - at[0], planned[1] + home[1] - at[1]
    wanted = way[0] * c + way[1] * d + rest[0], way[1] * c - way[0] * d + rest[1]
    out = 1.0 if side == 0 else -1.0
    x = min(max(wanted[0], -figure[REACH_AHEAD]), figure[REACH_AHEAD])
    y = out * min(max(out * wanted[1], figure[REACH_NEAR]), figure[REACH_FAR])
    missing = ((wanted[0] - x) ** 2 + (wanted[1] - y) ** 2) ** 0.5
    moved = (rest[0] * rest[0] + rest[1] * rest[1]) ** 0.5
    return at[0] + (c * x - d * y) - planned[0], at[1] + (d * x + c * y) - planned[1], moved, missing


@part
def catch(h, ex, ey, room, axes, omega):
    """Move the landing place of the foot in the air, and hurry; arguments as in `place`."""
    s = reals1(h, B_STEP)
    x, y, moved, missing = place(h, ex, ey, room, axes, exp(omega * time_to_exchange(h)))
    left = (swing_now(h)[2] * reals1(h, P_TIME)[0] - s[CLOCK]) / s[PACE]
    if left > LAST:
        near = min(reals1(h, B_STATE)[PERIOD] / SOFT, 1.0)
        s[TARGET] += near * (x - s[TARGET])
        s[TARGET + 1] += near * (y - s[TARGET + 1])
    s[PACE] = max(s[PACE], 1.0 + (FAST - 1.0) * min((missing + 0.5 * moved) / 0.15, 1.0))


@inline
def is_due(h):
    """Whether a swing begins with the next period."""
    s, swings = reals1(h, B_STEP), ints2(h, P_SWINGS)
    k = int((s[CLOCK] + reals1(h, B_STATE)[PERIOD]) / reals1(h, P_TIME)[0] + 1e-9)
    due = False
    for n in range(int(s[DONE]) + 1, swings.shape[0]):
        due = due or swings[n, LIFT] <= k < swings[n, LANDING]
    return due


@inline
def next_side(h):
    """The foot that the plan lifts next, or -1."""
    swings, n = ints2(h, P_SWINGS), int(reals1(h, B_STEP)[DONE]) + 1
    return swings[n, SIDE] if n < swings.shape[0] else -1


@inline
def consider(h, ex, ey):
    """Before a foot is lifted that need not be: let the clock wait for the error to become small."""
    s = reals1(h, B_STEP)
    large = (ex * ex + ey * ey) ** 0.5 > CALM
    s[HELD] = s[HELD] + reals1(h, B_STATE)[PERIOD] if large and s[HELD] < HOLD else 0.0


@part
def foot_shift(h):
    """Shift of the swinging foot against the plan (3), and its rate (3): from the offset of its start to that of its target."""
    s, dt = reals1(h, B_STEP), reals1(h, P_TIME)[0]
    _, lift, landing = swing_now(h)
    span = (landing - lift) * dt
    u = min(max((s[CLOCK] - lift * dt) / span, 0.0), 1.0) if span > 0.0 else 1.0
    du = 1.0 / (0.9 * span) if u < 0.9 and span > 0.0 else 0.0
    u = min(u / 0.9, 1.0)
    at, rate = u * u * u * (10 + u * (6 * u - 15)), 30 * u * u * (1 - u) ** 2 * du * s[PACE]
    x, y = s[TARGET] - s[START], s[TARGET + 1] - s[START + 1]
    return (s[START] + at * x, s[START + 1] + at * y, -s[LOWERED]), (rate * x, rate * y, 0.0)
