"""The stabiliser's law, one kernel a period: from what the instruments read to the torques. `balance`, at the end, is the table of contents.

    capture point    x = c + c'/w,   w^2 = g / height
    pressure         p = z_ref + (1 + k)(x - x_ref) + k_i s + k_p d                                    s' = x - x_ref, leaking
    d                pressure asked for less pressure felt, low-passed:   felt = sum load_f (sole_f + felt inside sole f) / sum load_f
    force            m w^2 (c - p) in the level;   m g + m damper (rise - c'_z) upwards, rise = spring / damper (z_ref - c_z), held at `RISE`
    into the soles   p held in the soles that stand less `margin`; where both do, in the strip between them; up to `lean` beyond
Where the kernel asks for another plan – reserve steps, or the main plan after them –, Python puts it into the arrays and calls again. Sources and the
parts in words: bunraku.control.stabiliser. Arrays: bunraku.control.balance_arrays. World axes, SI units; places in the level are pairs, axes of
a sole the pair (cos, sin) of its heading. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from bunraku.control.balance_arrays import (
    ANCHOR,
    ASKED,
    B_ASK,
    B_FEEL,
    B_FIGURE,
    B_FOOT,
    B_GOAL_Q,
    B_GOAL_V,
    B_ROW,
    B_SEEN,
    B_STATE,
    B_STEP,
    B_TURNS,
    BODY_SIZE,
    CAPTURE,
    COM,
    COM_RATE,
    EDGE,
    ERROR,
    F_AXES,
    F_HALF,
    FELT,
    FOOT_MASS,
    FORCE,
    FRESH,
    G_CAPTURE,
    G_INTEGRAL,
    G_PRESSURE,
    HEAVY,
    HEIGHT_DAMPER,
    HEIGHT_SPRING,
    HELD,
    INSIDE,
    KEEP_MISSED,
    LEAN,
    LOADS,
    MASS,
    MAY_STEP,
    MISSED,
    OF_BODY,
    OF_SOLE,
    P_BODIES,
    P_FEET,
    P_Q,
    P_ROWS,
    P_SWINGS,
    P_TIME,
    P_V,
    PACE,
    PART,
    PENDULUM,
    PERIOD,
    PLANNED,
    RATE,
    RESERVE,
    SHIFT,
    SHIFT_RATE,
    STANDING,
    STANDS,
    SUM,
    SWING,
    SWINGS,
    TURN,
    WEIGHT,
)
from bunraku.control.balance_kernel import act, see, take_in
from bunraku.control.foot_placement import (
    FAST,
    HASTE,
    LIFT,
    SIDE,
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
from bunraku.control.walking_plan import COM as PLAN_COM
from bunraku.control.walking_plan import COM_RATE as PLAN_COM_RATE
from bunraku.control.walking_plan import FOOT, ZMP
from bunraku.control.whole_body_arrays import W_TASK, WANTED
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.table import ints2, reals1, reals2
from bunraku.kernel.vec import ld9, mv

FIRM = 0.4  # of the weight, with which a foot that landed is taken as firm
MOST_MISSED = 0.03  # m: of the difference between pressure asked for and felt
MOST_SUM = 0.05  # m s
RISE = 0.25  # m/s: how fast the centre of mass goes back to its height after legs were stretched
STAY, MAIN = -1, 2  # answers of `balance` besides the side (0, 1) with which reserve steps begin


# ---- soles -------------------------------------------------------------------------------------------------------------------


@inline
def held_in(x, low, high):
    """x in a range."""
    return min(max(x, low), high)


@inline
def heading(h, f):
    """(cos, sin) of where sole f points, seen from above."""
    foot = reals2(h, B_FOOT)
    ahead = mv(
        ld9(reals1(h, B_SEEN), OF_BODY + BODY_SIZE * f + TURN),
        (foot[f, F_AXES], foot[f, F_AXES + 3], foot[f, F_AXES + 6]),
    )
    n = max((ahead[0] * ahead[0] + ahead[1] * ahead[1]) ** 0.5, 1e-9)
    return ahead[0] / n, ahead[1] / n


@inline
def between(seen, x, y):
    """Where the line from the left sole to the right one is nearest to a point: 0 left … 1 right."""
    wx, wy = seen[OF_SOLE + 6] - seen[OF_SOLE], seen[OF_SOLE + 7] - seen[OF_SOLE + 1]
    along = (x - seen[OF_SOLE]) * wx + (y - seen[OF_SOLE + 1]) * wy
    return held_in(along / max(wx * wx + wy * wy, 1e-9), 0.0, 1.0)


@inline
def on_line(seen, t):
    """The point of that line."""
    return (
        seen[OF_SOLE] + t * (seen[OF_SOLE + 6] - seen[OF_SOLE]),
        seen[OF_SOLE + 1] + t * (seen[OF_SOLE + 7] - seen[OF_SOLE + 1]),
    )


@part
def outside(h, x, y):
    """How far a point is beyond the soles of both feet and the ground between them, (along, across) [m]; below 0 inside."""
    seen, foot = reals1(h, B_SEEN), reals2(h, B_FOOT)
    near = on_line(seen, between(seen, x, y))
    c, d = heading(h, 0)
    dx, dy = x - near[0], y - near[1]
    return abs(dx * c + dy * d) - foot[0, F_HALF], abs(dy * c - dx * d) - foot[0, F_HALF + 1]


# ---- noticing ----------------------------------------------------------------------------------------------------------------


@part
def watch_feet(h):
    """Feet that left and landed; a fresh foot that became firm stands where it is, its height drawn half-way to the one that was planned."""
    feel, step, seen, s = reals1(h, B_FEEL), reals1(h, B_STEP), reals1(h, B_SEEN), reals1(h, B_STATE)
    heavy = reals1(h, B_FIGURE)[HEAVY]
    swung = reals1(h, B_FIGURE)[FOOT_MASS] * abs(reals2(h, W_TASK)[2, WANTED + 2]) if step[SWING] >= 0.0 else 0.0
    lifted, landed = lift_and_land(h, swung)
    if lifted >= 0:
        feel[FRESH + lifted] = 0.0
    reference(h)
    if landed >= 0:
        found(h, landed)
        feel[FRESH + landed] = 1.0
        feel[PLANNED + landed] = reals2(h, P_ROWS)[landing_row(h), FOOT + 3 * landed + 2]
    for f in range(2):
        if feel[FRESH + f] == 0.0 or (feel[LOADS + f] < FIRM * heavy and step[STANDING + 1 - f] != 0.0):
            continue
        for d in range(3):
            s[ANCHOR + 3 * f + d] = seen[OF_BODY + BODY_SIZE * f + d]
        s[ANCHOR + 3 * f + 2] += 0.5 * (feel[PLANNED + f] - seen[OF_SOLE + 6 * f + 2])
        feel[FRESH + f] = 0.0
        found(h, f)


@part
def capture_point(h):
    """B_FEEL: the capture point of the pendulum above the plan's ground."""
    feel, seen, figure = reals1(h, B_FEEL), reals1(h, B_SEEN), reals1(h, B_FIGURE)
    height = max(seen[COM + 2] - reals1(h, B_ROW)[ZMP + 2], 0.2)
    omega = (figure[HEAVY] / figure[MASS] / height) ** 0.5
    feel[PENDULUM] = omega
    for d in range(2):
        feel[CAPTURE + d] = seen[COM + d] + seen[COM_RATE + d] / omega


@inline
def side_of_fall(h):
    """The foot on whose side of the middle between the soles the capture point is."""
    seen, feel = reals1(h, B_SEEN), reals1(h, B_FEEL)
    c, d = heading(h, 0)
    x, y = 0.5 * (seen[OF_SOLE] + seen[OF_SOLE + 6]), 0.5 * (seen[OF_SOLE + 1] + seen[OF_SOLE + 7])
    return 1 if (feel[CAPTURE + 1] - y) * c - (feel[CAPTURE] - x) * d < 0.0 else 0


@part
def step_out(h):
    """Where the figure stands and the capture point leaves its soles: the side with which reserve steps begin; MAIN: they are over; else STAY."""
    feel, step, swings = reals1(h, B_FEEL), reals1(h, B_STEP), ints2(h, P_SWINGS)
    reserve = reals1(h, B_FIGURE)[RESERVE]
    if reserve == 0.0 or step[SWING] >= 0.0:
        return STAY
    k, _ = row_now(h)
    if reserve == 2.0 and k >= reals2(h, P_ROWS).shape[0] - 2:
        return MAIN
    if step[STANDING] == 0.0 or step[STANDING + 1] == 0.0:
        return STAY
    ahead, left = outside(h, feel[CAPTURE], feel[CAPTURE + 1])
    outwards = side_of_fall(h)
    for n in range(swings.shape[0]):
        if (
            0 <= swings[n, LIFT] - k < 0.4 / reals1(h, P_TIME)[0]
        ):  # the plan's own step comes in time, if it is the right foot's
            if reserve == 2.0 or left < max(0.0, ahead) or swings[n, SIDE] == outwards:
                return STAY
            return outwards
    if max(ahead, left) < -0.02:
        return STAY
    if left > -0.02:
        return outwards
    return 1 if feel[LOADS + 1] < feel[LOADS] else 0


# ---- commanding --------------------------------------------------------------------------------------------------------------


@part
def feel_pressure(h):
    """B_FEEL[MISSED]: how far the zero-moment point that the force sensors feel is from the one that was asked for, low-passed [m]."""
    feel, seen, figure = reals1(h, B_FEEL), reals1(h, B_SEEN), reals1(h, B_FIGURE)
    total = feel[LOADS] + feel[LOADS + 1]
    if not total > 0.2 * figure[HEAVY]:
        return
    x, y = 0.0, 0.0
    for f in range(2):
        c, d = heading(h, f)
        ahead, left = feel[FELT + 2 * f], feel[FELT + 2 * f + 1]
        x += feel[LOADS + f] / total * (seen[OF_SOLE + 6 * f] + (c * ahead - d * left))
        y += feel[LOADS + f] / total * (seen[OF_SOLE + 6 * f + 1] + (d * ahead + c * left))
    for k in range(2):
        missed = held_in(feel[ASKED + k] - (x if k == 0 else y), -MOST_MISSED, MOST_MISSED)
        feel[MISSED + k] += (1.0 - figure[KEEP_MISSED]) * (missed - feel[MISSED + k])


@part
def wanted_pressure(h):
    """The pressure that leads the capture point back (2)."""
    feel, row, figure = reals1(h, B_FEEL), reals1(h, B_ROW), reals1(h, B_FIGURE)
    period, omega = reals1(h, B_STATE)[PERIOD], feel[PENDULUM]
    zx, zy, cx, cy = shifts(h, omega)
    feel_pressure(h)
    for d in range(2):
        wanted = row[PLAN_COM + d] + row[PLAN_COM_RATE + d] / omega + (cx if d == 0 else cy)
        error = feel[CAPTURE + d] - wanted
        feel[ERROR + d] = error
        feel[SUM + d] = held_in((1.0 - 0.5 * period) * feel[SUM + d] + period * error, -MOST_SUM, MOST_SUM)
    p = (row[ZMP] + zx, row[ZMP + 1] + zy)
    k, i, j = 1.0 + figure[G_CAPTURE], figure[G_INTEGRAL], figure[G_PRESSURE]
    return (
        p[0] + k * feel[ERROR] + i * feel[SUM] + j * feel[MISSED],
        p[1] + k * feel[ERROR + 1] + i * feel[SUM + 1] + j * feel[MISSED + 1],
    )


@part
def mind_the_step(h):
    """Where the foot in the air shall land; whether the next one may leave the ground."""
    feel, step, foot, figure = reals1(h, B_FEEL), reals1(h, B_STEP), reals2(h, B_FOOT), reals1(h, B_FIGURE)
    if figure[MAY_STEP] == 0.0:
        return
    ex, ey = feel[ERROR], feel[ERROR + 1]
    if step[SWING] >= 0.0:
        step[HELD] = 0.0
        stand = 1 - swing_now(h)[0]
        room = max(foot[stand, F_HALF] - 0.02, 0.0), max(foot[stand, F_HALF + 1] - 0.02, 0.0)
        catch(h, ex, ey, room, heading(h, stand), feel[PENDULUM])
        return
    ahead, left = outside(h, feel[CAPTURE], feel[CAPTURE + 1])
    beyond = max(ahead, left)
    step[PACE] = 1.0
    if beyond > 0.0:  # to the next step, if there is one; reserve steps are short already
        right_foot = left <= ahead or next_side(h) == side_of_fall(h)
        step[PACE] = HASTE if right_foot and figure[RESERVE] != 2.0 else FAST
    if beyond < figure[LEAN] and is_due(h):
        consider(h, ex, ey)
    else:
        step[HELD] = 0.0


@part
def into_soles(h, px, py):
    """The pressure held in the soles that stand, and `lean` beyond (2); B_ASK: each foot's share and its own pressure."""
    step, ask, seen, foot = reals1(h, B_STEP), reals1(h, B_ASK), reals1(h, B_SEEN), reals2(h, B_FOOT)
    lean, edge = reals1(h, B_FIGURE)[LEAN], reals1(h, B_FIGURE)[EDGE]
    t = step[STANDING + 1]
    if step[STANDING] != 0.0 and step[STANDING + 1] != 0.0:
        t = between(seen, px, py)
    middle = on_line(seen, t)
    main = 1 if t > 0.5 else 0
    c, d = heading(h, main)
    hx, hy = max(foot[main, F_HALF] - edge, 0.005), max(foot[main, F_HALF + 1] - edge, 0.005)
    dx, dy = px - middle[0], py - middle[1]
    x, y = dx * c + dy * d, dy * c - dx * d
    in_x, in_y = held_in(x, -hx, hx), held_in(y, -hy, hy)
    for f in range(2):
        ask[PART + f] = t if f == 1 else 1.0 - t
        ask[INSIDE + 2 * f] = in_x
        ask[INSIDE + 2 * f + 1] = in_y
    x, y = in_x + held_in(x - in_x, -lean, lean), in_y + held_in(y - in_y, -lean, lean)
    return middle[0] + (c * x - d * y), middle[1] + (d * x + c * y)


@inline
def copy_row(table, k, out, first):
    """Row k of a table into `out`."""
    for d in range(table.shape[1]):
        out[first + d] = table[k, d]


@part
def ask_for(h, k, px, py):
    """B_ASK, B_TURNS and the posture's goal: what the figure shall do now; k: the plan's row."""
    step, ask, seen, row = reals1(h, B_STEP), reals1(h, B_ASK), reals1(h, B_SEEN), reals1(h, B_ROW)
    feel, figure = reals1(h, B_FEEL), reals1(h, B_FIGURE)
    feel[ASKED] = px
    feel[ASKED + 1] = py
    copy_row(reals2(h, P_FEET), k, reals1(h, B_TURNS), 0)
    copy_row(reals2(h, P_BODIES), k, reals1(h, B_TURNS), 18)
    copy_row(reals2(h, P_Q), k, reals1(h, B_GOAL_Q), 0)
    copy_row(reals2(h, P_V), k, reals1(h, B_GOAL_V), 0)
    spring, damper = figure[HEIGHT_SPRING], figure[HEIGHT_DAMPER]
    rise = held_in(spring / damper * (row[PLAN_COM + 2] - seen[COM + 2]), -RISE, RISE)
    lift = damper * (rise + row[PLAN_COM_RATE + 2] - seen[COM_RATE + 2])
    stiff = figure[MASS] * feel[PENDULUM] ** 2
    ask[FORCE] = stiff * (seen[COM] - px)
    ask[FORCE + 1] = stiff * (seen[COM + 1] - py)
    ask[FORCE + 2] = figure[HEAVY] + figure[MASS] * held_in(lift, -4.0, 4.0)
    ask[RATE] = step[PACE]
    ask[WEIGHT] = figure[HEAVY]
    ask[SWINGS] = -1.0
    ask[STANDS] = step[STANDING]
    ask[STANDS + 1] = step[STANDING + 1]
    if step[SWING] >= 0.0:
        f = swing_now(h)[0]
        shift, rate = foot_shift(h)
        ask[SWINGS] = f
        for d in range(3):
            ask[SHIFT + d] = shift[d]
            ask[SHIFT_RATE + d] = rate[d]
        ask[SHIFT + 2] += seen[OF_SOLE + 6 * (1 - f) + 2] - row[FOOT + 3 * (1 - f) + 2]


@entry("h i")
def balance(h, another):
    """One period, from B_READ to W_TAU. Returns STAY; or, before anything is commanded, which plan shall be put into the arrays: 0, 1 or MAIN. It is
    then called again with another = 1."""
    if another == 0:
        take_in(h)
        see(h)
        watch_feet(h)
        capture_point(h)
        choice = step_out(h)
        if choice != STAY:
            return choice
    else:
        take_up(h)
        reference(h)
    k, _ = row_now(h)
    px, py = wanted_pressure(h)
    mind_the_step(h)
    px, py = into_soles(h, px, py)
    ask_for(h, k, px, py)
    act(h)
    advance(h)
    return STAY
