"""The stabiliser's law, one kernel call each period: from what the instruments read to the torques.

`balance`, at the end, is the table of contents. The law is that of bunraku.control.capture_point, with
    pressure         p = z_ref + (1 + k)(x - x_ref) + k_i s + k_p d
    s                sum of the errors:  s' = (x - x_ref) - 0.5 s, held at `MOST_SUM`
    d                pressure asked for less pressure felt, low-passed;
                     felt = sum load_f (sole_f + felt inside sole f) / sum load_f
    into the soles   p held in the soles that stand less `margin`; where both do, in the strip between them; up to
                     `lean` beyond
    upwards          m g + m damper (rise - c'_z),   rise = spring / damper (z_ref - c_z), held at `RISE`
Where the kernel asks for another plan (reserve steps, or the main plan after them), Python puts it into the arrays
and calls again. Sources and the parts in words: bunraku.control.stabiliser. Arrays: bunraku.control.balance_arrays.
World axes, SI units; places in the level are pairs, axes of a sole the pair (cos, sin) of its heading. Checked in
tests/control/test_stabiliser.py and tests/control/test_felt_pressure.py.
"""

from __future__ import annotations

from bunraku.control.balance_arrays import Balance, Seen
from bunraku.control.balance_kernel import act, see, take_in
from bunraku.control.capture_point import away_from_pressure, capture_point_of, held_in, pendulum_rate, pressure_for
from bunraku.control.foot_placement import (
    FAST,
    HASTE,
    advance,
    catch,
    consider,
    foot_shift,
    found,
    is_due,
    landing_row,
    lift_and_land,
    next_side,
    reference,
    row_now,
    shifts,
    swing_now,
    take_up,
)
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.vec import col, mv

FIRM = 0.4  # of the weight, with which a foot that landed is taken as firm
MOST_MISSED = 0.03  # m: of the difference between pressure asked for and felt
MOST_SUM = 0.05  # m s
LOWEST = 0.2  # m: a pendulum is taken to be at least so high
LEAVES = 0.4  # of the least share of a foot that stands: that of one which leaves next
RISE = 0.25  # m/s: how fast the centre of mass goes back to its height after legs were stretched
STAY, MAIN = -1, 2  # answers of `balance` besides the side (0, 1) with which reserve steps begin


# ---- soles ---------------------------------------------------------------------------------------------------------


@inline
def heading(b: Balance, f):
    """(cos, sin) of where sole f points, seen from above."""
    ahead = mv(b.seen.body[f].turn, col(b.foot[f].axes, 0))
    n = max((ahead[0] * ahead[0] + ahead[1] * ahead[1]) ** 0.5, 1e-9)
    return ahead[0] / n, ahead[1] / n


@inline
def between(seen: Seen, x, y):
    """Where the line from the left sole to the right one is nearest to a point: 0 left … 1 right."""
    left, right = seen.sole[0].place, seen.sole[1].place
    wx, wy = right[0] - left[0], right[1] - left[1]
    along = (x - left[0]) * wx + (y - left[1]) * wy
    return held_in(along / max(wx * wx + wy * wy, 1e-9), 0.0, 1.0)


@inline
def on_line(seen: Seen, t):
    """The point of that line."""
    left, right = seen.sole[0].place, seen.sole[1].place
    return left[0] + t * (right[0] - left[0]), left[1] + t * (right[1] - left[1])


@part
def outside(b: Balance, x, y):
    """How far a point is beyond the soles of both feet and the ground between them: along, across [m]; negative
    inside."""
    near = on_line(b.seen, between(b.seen, x, y))
    c, d = heading(b, 0)
    half = b.foot[0].half
    dx, dy = x - near[0], y - near[1]
    return abs(dx * c + dy * d) - half[0], abs(dy * c - dx * d) - half[1]


# ---- noticing ------------------------------------------------------------------------------------------------------


@part
def watch_feet(b: Balance):
    """Feet that left and landed; a fresh foot that became firm stands where it is, its height drawn half-way to the one
    that was planned."""
    feel, step, seen = b.feel, b.step, b.seen
    heavy = b.figure.heavy
    swung = b.figure.foot_mass * abs(b.problem.task[2].wanted[2]) if step.swing >= 0.0 else 0.0
    lifted, landed = lift_and_land(b, swung)
    if lifted >= 0:
        feel.fresh[lifted] = 0.0
    reference(b)
    if landed >= 0:
        found(b, landed)
        feel.fresh[landed] = 1.0
        feel.planned[landed] = b.rows[landing_row(b)].foot[landed][2]
    for f in range(2):
        if feel.fresh[f] == 0.0 or (feel.loads[f] < FIRM * heavy and step.standing[1 - f] != 0.0):
            continue
        at = seen.body[f].place
        b.state.anchor[f] = (at[0], at[1], at[2] + 0.5 * (feel.planned[f] - seen.sole[f].place[2]))
        feel.fresh[f] = 0.0
        found(b, f)


@part
def see_capture_point(b: Balance):
    """The capture point of the pendulum above the plan's ground."""
    feel, figure, com = b.feel, b.figure, b.seen.com
    height = max(com[2] - b.row.zmp[2], LOWEST)
    feel.pendulum = pendulum_rate(figure.heavy / figure.mass, height)
    x, y = capture_point_of(com, b.seen.com_rate, feel.pendulum)
    feel.capture[0] = x
    feel.capture[1] = y


@inline
def side_of_fall(b: Balance):
    """The foot on whose side of the middle between the soles the capture point is."""
    left, right, capture = b.seen.sole[0].place, b.seen.sole[1].place, b.feel.capture
    c, d = heading(b, 0)
    x, y = 0.5 * (left[0] + right[0]), 0.5 * (left[1] + right[1])
    return 1 if (capture[1] - y) * c - (capture[0] - x) * d < 0.0 else 0


@part
def step_out(b: Balance):
    """Where the figure stands and the capture point leaves its soles: the side with which reserve steps begin; MAIN:
    they are over; else STAY."""
    feel, step, swings = b.feel, b.step, b.swings
    reserve = b.figure.reserve
    if reserve == 0.0 or step.swing >= 0.0:
        return STAY
    k, _ = row_now(b)
    if reserve == 2.0 and k >= len(b.rows) - 2:
        return MAIN
    if step.standing[0] == 0.0 or step.standing[1] == 0.0:
        return STAY
    ahead, left = outside(b, feel.capture[0], feel.capture[1])
    outwards = side_of_fall(b)
    for n in range(len(swings)):
        if 0 <= swings[n].lift - k < 0.4 / b.figure.plan_dt:  # the plan's own step comes in time
            if reserve == 2.0 or left < max(0.0, ahead) or swings[n].side == outwards:
                return STAY
            return outwards
    if max(ahead, left) < -0.02:
        return STAY
    if left > -0.02:
        return outwards
    return 1 if feel.loads[1] < feel.loads[0] else 0


# ---- commanding ----------------------------------------------------------------------------------------------------


@part
def feel_pressure(b: Balance):
    """How far the zero-moment point that the force sensors feel is from the one that was asked for, low-passed [m]."""
    feel, seen, figure = b.feel, b.seen, b.figure
    total = feel.loads[0] + feel.loads[1]
    if not total > 0.2 * figure.heavy:
        return
    x, y = 0.0, 0.0
    for f in range(2):
        c, d = heading(b, f)
        ahead, left = feel.felt[f]
        sole = seen.sole[f].place
        x += feel.loads[f] / total * (sole[0] + (c * ahead - d * left))
        y += feel.loads[f] / total * (sole[1] + (d * ahead + c * left))
    for k in range(2):
        missed = held_in(feel.asked[k] - (x if k == 0 else y), -MOST_MISSED, MOST_MISSED)
        feel.missed[k] += (1.0 - figure.keep_missed) * (missed - feel.missed[k])


@part
def wanted_pressure(b: Balance):
    """The pressure that leads the capture point back to the plan's: a pair."""
    feel, row, figure, period = b.feel, b.row, b.figure, b.state.period
    omega = feel.pendulum
    zx, zy, cx, cy = shifts(b, omega)
    feel_pressure(b)
    for d in range(2):
        wanted = row.com[d] + row.com_rate[d] / omega + (cx if d == 0 else cy)
        error = feel.capture[d] - wanted
        feel.error[d] = error
        feel.sum[d] = held_in((1.0 - 0.5 * period) * feel.sum[d] + period * error, -MOST_SUM, MOST_SUM)
    p = (row.zmp[0] + zx, row.zmp[1] + zy)
    k, i, j = 1.0 + figure.capture, figure.integral, figure.pressure
    return (
        pressure_for(p[0], k, feel.error[0]) + i * feel.sum[0] + j * feel.missed[0],
        pressure_for(p[1], k, feel.error[1]) + i * feel.sum[1] + j * feel.missed[1],
    )


@part
def mind_the_step(b: Balance):
    """Where the foot in the air shall land; whether the next one may leave the ground."""
    feel, step, figure = b.feel, b.step, b.figure
    if figure.may_step == 0.0:
        return
    ex, ey = feel.error[0], feel.error[1]
    if step.swing >= 0.0:
        step.held = 0.0
        stand = 1 - swing_now(b).side
        half = b.foot[stand].half
        room = max(half[0] - 0.02, 0.0), max(half[1] - 0.02, 0.0)
        catch(b, ex, ey, room, heading(b, stand), feel.pendulum)
        return
    ahead, left = outside(b, feel.capture[0], feel.capture[1])
    beyond = max(ahead, left)
    step.pace = 1.0
    if beyond > 0.0:  # to the next step, if there is one; reserve steps are short already
        right_foot = left <= ahead or next_side(b) == side_of_fall(b)
        step.pace = HASTE if right_foot and figure.reserve != 2.0 else FAST
    if beyond < figure.lean and is_due(b):
        consider(b, ex, ey)
    else:
        step.held = 0.0


@inline
def rests(b: Balance):
    """Where both feet stand: the least share of each, smaller for the one that leaves next."""
    leaves = next_side(b)
    for f in range(2):
        b.ask.least[f] = LEAVES * b.figure.rest if f == leaves else b.figure.rest


@part
def into_soles(b: Balance, px, py):
    """The pressure held in the soles that stand, and `lean` beyond: a pair; asks for each foot's share and its own
    pressure."""
    ask, seen, standing = b.ask, b.seen, b.step.standing
    lean, edge = b.figure.lean, b.figure.edge
    t = standing[1]
    ask.least[0] = 0.0
    ask.least[1] = 0.0
    if standing[0] != 0.0 and standing[1] != 0.0:
        rests(b)
        t = held_in(between(seen, px, py), ask.least[1], 1.0 - ask.least[0])
    middle = on_line(seen, t)
    main = 1 if t > 0.5 else 0
    c, d = heading(b, main)
    half = b.foot[main].half
    hx, hy = max(half[0] - edge, 0.005), max(half[1] - edge, 0.005)
    dx, dy = px - middle[0], py - middle[1]
    x, y = dx * c + dy * d, dy * c - dx * d
    in_x, in_y = held_in(x, -hx, hx), held_in(y, -hy, hy)
    for f in range(2):
        ask.part[f] = t if f == 1 else 1.0 - t
        ask.inside[f] = (in_x, in_y)
    x, y = in_x + held_in(x - in_x, -lean, lean), in_y + held_in(y - in_y, -lean, lean)
    return middle[0] + (c * x - d * y), middle[1] + (d * x + c * y)


@inline
def copy_row(table, k, out):
    """Row k of a table into `out`."""
    for d in range(table.shape[1]):
        out[d] = table[k, d]


@part
def ask_for(b: Balance, k, px, py):
    """What the figure shall do now: force on its centre of mass, turns, the posture's goal; k: the plan's row."""
    step, ask, seen, row, feel, figure = b.step, b.ask, b.seen, b.row, b.feel, b.figure
    feel.asked[0] = px
    feel.asked[1] = py
    for f in range(2):
        b.turns.of[f] = b.feet[k].of[f]
        b.turns.of[2 + f] = b.bodies[k].of[f]
    copy_row(b.plan_q, k, b.goal_q)
    copy_row(b.plan_v, k, b.goal_v)
    spring, damper = figure.height_spring, figure.height_damper
    rise = held_in(spring / damper * (row.com[2] - seen.com[2]), -RISE, RISE)
    lift = damper * (rise + row.com_rate[2] - seen.com_rate[2])
    stiff = figure.mass * feel.pendulum**2
    up = figure.heavy + figure.mass * held_in(lift, -4.0, 4.0)
    ask.force = (away_from_pressure(stiff, seen.com[0], px), away_from_pressure(stiff, seen.com[1], py), up)
    ask.rate = step.pace
    ask.weight = figure.heavy
    ask.swings = -1.0
    for f in range(2):
        ask.stands[f] = step.standing[f]
    if step.swing >= 0.0:
        f = swing_now(b).side
        shift, rate = foot_shift(b)
        ask.swings = f
        ask.shift_rate = rate
        ask.shift = (shift[0], shift[1], shift[2] + (seen.sole[1 - f].place[2] - row.foot[1 - f][2]))


@entry("h i")
def balance(h, another):
    """One period, from what was read to the torques. Returns STAY; or, before anything is commanded, which plan shall
    be put into the arrays: 0, 1 or MAIN. It is then called again with another = 1."""
    b = Balance(h)
    if another == 0:
        take_in(b)
        see(b)
        watch_feet(b)
        see_capture_point(b)
        choice = step_out(b)
        if choice != STAY:
            return choice
    else:
        take_up(b)
        reference(b)
    k, _ = row_now(b)
    px, py = wanted_pressure(b)
    mind_the_step(b)
    px, py = into_soles(b, px, py)
    ask_for(b, k, px, py)
    act(b)
    advance(b)
    return STAY
