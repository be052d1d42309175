"""Steps of a choreographed figure, inside its compiled step: when it steps, how it swings a foot, and who carries.

    STAND   both feet carry. The capture point leaves the soles: a quick step (choreography.step_choice). What is
            dragged is beyond reach, or there is a plan: SHIFT. Nothing pulls and the feet are apart: SHIFT
    SHIFT   both carry; the capture point moves to where the swing may begin
    SWING   one carries; the other follows a path to its goal, and carries again from when it touches

Capture point x, pressure p: x(T) = p + (x - p) e^(w T). A slow swing wants it at E, between the feet, when it ends:
    p = (x e^(w T) - E) / (e^(w T) - 1),   held inside the standing sole, at any moment of the swing
and it begins as soon as such a p exists. So a figure falls from one foot to the next as walkers do, only slowly. A quick
one has its pressure as far towards x as the sole allows. In all modes the pressure that balance asks for
(choreography.balance) is held inside the hull of what carries. While it steps, the figure keeps the height of its
centre of mass above its soles, lower with feet apart, and pelvis and trunk upright, headed between its feet; what is
dragged counts less. Checked in tests/choreography/test_stepping.py.
"""

from __future__ import annotations

from math import atan2, exp

from bunraku.choreography.balance import PUSH, drop_contacts
from bunraku.choreography.dance_arrays import NONE, Dance
from bunraku.choreography.rising_arrays import RISE
from bunraku.choreography.step_choice import (
    aim_at_catch,
    catching_foot,
    dragged_place,
    flat_of,
    held,
    middle_of_feet,
    plan_queued,
    plan_towards_place,
    turned,
)
from bunraku.choreography.stepping_arrays import MOST_CORNERS, SHIFT, STAND, SWING
from bunraku.choreography.support_hull import held_inside, outside, reach_inside, wrap
from bunraku.control.capture_point import ask_momentum, away_from_pressure, damping_moment
from bunraku.control.end_links import ROOT, point_of
from bunraku.kernel.compile import inline, part
from bunraku.kernel.trig import sincos
from bunraku.kernel.vec import add, col, ld9, mm, mv
from bunraku.model.layout import NW, PLACE, RIGID, ROT

LOWEST = 0.55  # of the standing height: below it there is nothing to step with
SQUATS = 0.65  # likewise: a figure that rises from a squat takes no step before
ON_STAIRS = 0.2  # of the way to the other foot where the capture point shall be when it lands: there is no haste
SURE = 0.035  # m from the sole's edges where the pressure must be before a foot leaves for another stair
STUMBLE = 0.06  # m beyond the soles from which on a quick step is tried where feet are on two stairs
STAIR, STAIR_TIME = 0.03, 1.4  # m: a swing that goes so far up or down takes so much longer
LANDED = 0.55  # part of a swing from which on a foot that touches stands
LATE = 1.8  # parts of a swing after which it is given up
LONGEST = 1.6  # s of a shift
LEAST = 0.1  # s: the end of a swing counts as no nearer
LEVEL, LEVEL_DAMP = 40.0, 12.0  # the height of the centre of mass
SINK, LIFT = -3.0, 4.0  # m/s^2: what is asked of it
STEPPED_SPIN = 5.0  # weight of turning while stepping, and
SPIN_GAIN = 4.0  # 1/s


@part
def see_feet(d: Dance):
    """Where the soles are, whether they touch, and whether they may leave."""
    p, s = d.problem, d.step
    for f in range(2):
        sole, foot = d.sole[f], s.foot[f]
        R = mm(ld9(p.scratch, sole.body * NW + ROT), sole.turn)
        x = col(R, 0)
        foot.place = point_of(p.scratch, sole.body, sole.place)
        foot.yaw = atan2(x[1], x[0])
        foot.level = R[8]
        touching = 0.0
        for k in range(p.count.contacts):
            touching += 1.0 if p.contact_body[k] == sole.body else 0.0
        foot.touching = touching
        foot.free = 1.0
        for k in range(len(d.pin)):
            if d.pin[k].kind != NONE and d.pin[k].body == sole.body:
                foot.free = 0.0
    if s.mode != SWING:
        s.heading = s.foot[1].yaw + 0.5 * turned(s.foot[0].yaw - s.foot[1].yaw)


@part
def see_support(d: Dance):
    """The hull of what carries: soles that touch, of the standing foot alone while the other one swings, and points of
    other bodies."""
    p, s = d.problem, d.step
    n = 0
    for f in range(2):
        sole, foot = d.sole[f], s.foot[f]
        if foot.touching == 0.0 or (s.mode == SWING and f == s.side):
            continue
        R = mm(ld9(p.scratch, sole.body * NW + ROT), sole.turn)
        for k in range(4):
            x = sole.half[0] if k < 2 else -sole.half[0]
            y = sole.half[1] if k % 2 == 0 else -sole.half[1]
            s.corner[n] = flat_of(add(foot.place, mv(R, (x, y, 0.0))))
            n += 1
    for k in range(p.count.contacts):
        body = p.contact_body[k]
        if body != d.sole[0].body and body != d.sole[1].body and n < MOST_CORNERS:
            s.corner[n] = flat_of(point_of(p.scratch, body, p.contact[k].point))
            n += 1
    s.corners = n
    wrap(s)


@inline
def slow_swing(d: Dance, side):
    """How long a slow swing takes [s]: more up and down stairs."""
    s = d.step
    return d.stepper.slow * (STAIR_TIME if abs(s.goal[2] - s.foot[side].place[2]) > STAIR else 1.0)


@inline
def begin_swing(d: Dance, side, quick):
    """A foot leaves the floor."""
    s, foot = d.step, d.step.foot[side]
    s.mode = SWING
    s.side = side
    s.quick = quick
    s.began = s.clock
    s.seconds = d.stepper.quick if quick != 0 else slow_swing(d, side)
    s.start = foot.place
    s.start_yaw = foot.yaw


@part
def choose_end(d: Dance):
    """Where the capture point shall be when the slow swing of foot `side` ends: between both feet, nearer to the one
    that stood."""
    s = d.step
    stand = s.foot[1 - s.side].place
    share = 0.5 if abs(s.goal[2] - s.foot[s.side].place[2]) < STAIR else ON_STAIRS
    s.end = (stand[0] + share * (s.goal[0] - stand[0]), stand[1] + share * (s.goal[1] - stand[1]))


@part
def pressure_to_end(d: Dance, left):
    """The pressure that brings the capture point to `end` in a time left [s]."""
    s, x = d.step, d.seen.capture
    grown = exp(d.seen.pendulum * max(left, LEAST))
    return (x[0] * grown - s.end[0]) / (grown - 1.0), (x[1] * grown - s.end[1]) / (grown - 1.0)


@part
def in_sole(d: Dance, f, p, margin):
    """The point of a standing sole that is nearest to p, a margin from its edges."""
    foot, half = d.step.foot[f], d.sole[f].half
    s, c = sincos(foot.yaw)
    dx = p[0] - foot.place[0]
    dy = p[1] - foot.place[1]
    x = held(c * dx + s * dy, margin - half[0], half[0] - margin)
    y = held(c * dy - s * dx, margin - half[1], half[1] - margin)
    return foot.place[0] + c * x - s * y, foot.place[1] + s * x + c * y


@part
def may_lift(d: Dance):
    """Whether the swing that is planned can begin: the capture point comes near enough to `end`."""
    s, g = d.step, d.stepper
    seconds = slow_swing(d, s.side)
    p = pressure_to_end(d, seconds)
    stairs = seconds > 1.1 * g.slow
    q = in_sole(d, 1 - s.side, p, SURE * g.size if stairs else g.margin)
    grown = exp(d.seen.pendulum * seconds) - 1.0
    miss = ((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2) ** 0.5 * grown
    return miss < g.lift_error


@part
def step_law(d: Dance, dt):
    """Which mode it is in. After `see_momentum` and `reference`."""
    s, g = d.step, d.stepper
    s.clock += dt
    see_feet(d)
    see_support(d)
    ground = min(s.foot[0].place[2], s.foot[1].place[2])
    if d.seen.com[2] - ground < LOWEST * s.stance_height and d.rising.stage != RISE:
        s.mode = STAND
        s.planned = 0
        s.queue = 0
        s.wanted = 0
        s.cool = s.clock + 0.5
        return
    if s.mode == SWING:
        swing_on(d, dt)
    trigger = g.trigger + (0.0 if abs(s.foot[0].place[2] - s.foot[1].place[2]) < STAIR else STUMBLE)
    if s.mode == SHIFT:
        out = outside(s, d.seen.capture)
        if out > trigger:
            catch(d)
        elif may_lift(d):
            begin_swing(d, s.side, 0)
        elif s.clock - s.began > LONGEST:
            s.mode = STAND
            s.cool = s.clock + 0.5
    elif s.mode == STAND:
        low = d.rising.stage == RISE and d.seen.com[2] - ground < SQUATS * s.stance_height
        if s.edges >= 3 and outside(s, d.seen.capture) > trigger and not low:
            catch(d)
        else:
            consider_slow(d, dt)


@part
def catch(d: Dance):
    """Begin a quick step, where a foot can."""
    s = d.step
    side = catching_foot(d)
    if side < 0:
        return
    begin_swing(d, side, 1)
    s.goal = s.start
    s.goal_yaw = s.foot[1 - side].yaw
    aim_at_catch(d, side, d.stepper.quick, 1.0)


@part
def consider_slow(d: Dance, dt):
    """Begin to shift towards a slow step, where there is one to take."""
    s, g = d.step, d.stepper
    if s.clock < s.cool or d.rising.stage == RISE or s.foot[0].touching == 0.0 or s.foot[1].touching == 0.0:
        return
    middle = middle_of_feet(s)
    x = d.seen.capture
    calm = (x[0] - middle[0]) ** 2 + (x[1] - middle[1]) ** 2 < (0.1 * g.size) ** 2
    found = False
    if s.queue < s.planned:
        s.still = 0.0
        found = plan_queued(d)
    elif dragged_place(d) > 0.0:
        s.still = 0.0
        found = plan_towards_place(d)
        s.wanted = 1 if found else 0
    else:
        s.wanted = 0
        s.still += dt
        pulled = False
        for k in range(len(d.pin)):
            pulled = pulled or (d.pin[k].kind != NONE and d.limb[k].length > 0.0)
        s.place = middle
        s.place_yaw = s.heading
        if not pulled and s.still > 0.3 and calm and feet_astray(d):
            found = plan_towards_place(d)
    if found:
        s.mode = SHIFT
        s.began = s.clock
        choose_end(d)


@part
def feet_astray(d: Dance):
    """Whether the feet stand too far from side by side to be left so."""
    s = d.step
    a, b = s.foot[0].place, s.foot[1].place
    sn, c = sincos(s.heading)
    ahead = c * (a[0] - b[0]) + sn * (a[1] - b[1])
    left = c * (a[1] - b[1]) - sn * (a[0] - b[0])
    apart = d.stepper.apart
    return abs(ahead) > 0.5 * apart or left > 1.6 * apart or abs(turned(s.foot[0].yaw - s.foot[1].yaw)) > 0.5


@part
def swing_on(d: Dance, dt):
    """A swing goes on: its goal moves, or its foot lands."""
    s, g = d.step, d.stepper
    foot, stand = s.foot[s.side], s.foot[1 - s.side]
    u = (s.clock - s.began) / s.seconds
    left = s.seconds * (1.0 - u)
    if (u > LANDED and foot.touching > 0.0) or u > LATE:
        if s.quick == 0 and s.queue < s.planned:
            to = d.planned[s.queue]
            away = (to.place[0] - foot.place[0]) ** 2 + (to.place[1] - foot.place[1]) ** 2
            if to.side == s.side and away < 0.0064:
                s.queue += 1
        s.mode = STAND
        s.last = s.side
        s.taken += 1
        s.cool = s.clock + (0.04 if s.quick == 0 else 0.1)
        see_support(d)
        return
    s.heading = stand.yaw + 0.5 * turned(s.goal_yaw - stand.yaw)
    level = abs(s.goal[2] - stand.place[2]) < STAIR and abs(s.start[2] - stand.place[2]) < STAIR
    if s.quick == 0 and level and outside(s, d.seen.capture) > 0.0:
        end = in_sole(d, 1 - s.side, pressure_to_end(d, left), g.margin)
        p = pressure_to_end(d, left)
        grown = exp(d.seen.pendulum * max(left, LEAST)) - 1.0
        if ((p[0] - end[0]) ** 2 + (p[1] - end[1]) ** 2) ** 0.5 * grown > 3.0 * g.lift_error:
            s.quick = 1
    if s.quick != 0 and left > 0.06:
        aim_at_catch(d, s.side, left, min(75.0 * dt, 1.0))


@part
def carriers(d: Dance):
    """Contacts of the swinging foot go out of the problem; `reference` is that of the mode."""
    s, seen = d.step, d.seen
    if s.mode == SWING:
        drop_contacts(d.problem, d.sole[s.side].body)
        stand = s.foot[1 - s.side].place
        seen.reference = (stand[0], stand[1])
    elif s.mode == SHIFT:
        stand = s.foot[1 - s.side].place
        fall = 1.0 / exp(seen.pendulum * slow_swing(d, s.side))
        seen.reference = (stand[0] + fall * (s.end[0] - stand[0]), stand[1] + fall * (s.end[1] - stand[1]))


@part
def pressure_wanted(d: Dance):
    """Where the floor's pressure shall be, inside what carries."""
    s, g, x, r = d.step, d.stepper, d.seen.capture, d.seen.reference
    gain = d.gains.balance_gain if s.mode == STAND else g.shift_gain
    p = (x[0] + gain * (x[0] - r[0]), x[1] + gain * (x[1] - r[1]))
    if s.mode == SWING:
        left = s.seconds - (s.clock - s.began)
        p = x if s.quick != 0 else pressure_to_end(d, left)
        p = in_sole(d, 1 - s.side, p, g.margin)
        return p
    if s.mode == SHIFT and s.edges >= 3:  # straight to where it shall be, as fast as the support allows
        part_ = reach_inside(s, x, (p[0] - x[0], p[1] - x[1]), g.margin)
        if part_ > 0.0:
            return x[0] + part_ * (p[0] - x[0]), x[1] + part_ * (p[1] - x[1])
    return held_inside(s, p, g.margin)


@part
def stepping_momentum(d: Dance, links):
    """Rates of momentum that keep the balance with the pressure inside what carries; while it steps, the height too."""
    seen, s, g = d.seen, d.step, d.stepper
    mass = d.problem.scratch[ROOT * NW + RIGID + 9]
    seen.supports = links
    p = pressure_wanted(d)
    stiff = seen.pendulum * seen.pendulum
    ax = held(away_from_pressure(stiff, seen.com[0] + seen.lean[0], p[0]), -PUSH, PUSH)
    ay = held(away_from_pressure(stiff, seen.com[1] + seen.lean[1], p[1]), -PUSH, PUSH)
    up = 0.0
    height = 0.0
    spin_gain = d.gains.spin_gain
    spin_weight = d.gains.spin_weight
    if s.mode != STAND or d.rising.stage == RISE:
        up = held(LEVEL * (height_wanted(d) - seen.com[2]) - LEVEL_DAMP * seen.com_rate[2], SINK, LIFT)
        height = g.height_weight
        spin_gain = SPIN_GAIN
        spin_weight = STEPPED_SPIN
    force = (mass * ax, mass * ay, mass * (up - d.problem.reals[0, PLACE + 2]))  # the floor's, which carries, too
    ask_momentum(d.problem, force, damping_moment(spin_gain, seen.spin), d.gains.balance_weight, height, spin_weight)


@part
def height_wanted(d: Dance):
    """Of the centre of mass while it steps [m]."""
    s, g = d.step, d.stepper
    a, b = s.foot[0].place, s.foot[1].place
    ground = 0.5 * (a[2] + b[2])
    if s.mode == SWING:
        u = min((s.clock - s.began) / s.seconds, 1.0)
        ground = 0.5 * (s.foot[1 - s.side].place[2] + s.start[2] + u * (s.goal[2] - s.start[2]))
    apart = ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5
    far = max(apart - g.apart, 0.0) / g.size
    low = 0.0
    for k in range(len(d.pin)):
        limb = d.limb[k]
        if d.pin[k].kind != NONE and limb.length > 0.0:
            low = min(low, d.aim[k].target[2] - ground - (limb.root[2] - limb.length))
    low = max(low, -0.55 * s.stance_height)
    if d.rising.stage == RISE:
        return ground + d.rising.height
    return ground + s.stance_height - g.size * (0.25 * far + 0.35 * far * far) + g.crouch * low
