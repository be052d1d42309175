"""What pins, drags and desired joint values want of a step, as accelerations; bounds that keep joints in their limits.

Pin or drag, with error e and rate r of the point (and of the rotation vector of the orientation), bounded position and
velocity feedback as in Yamane & Nakamura 2002, section 3:
    wanted = gain (clip(rate e, speed) - r), at the most `pull`
A pin that holds along some axes only, the world's or its own, sees of e and r what lies along these.
With balance, weights of pins and drags shrink as the capture point leaves its reference: weight / (1 + (x / DANGER)^4).
Desired joint values, in the freedom that is left:
    a = stiffness e - damping v
Limits: a joint with a distance g to its limit and a rate v towards it is bounded to
    a <= (SLOW g - v) / SOON
so that it comes to its limit as exp(-SLOW t) and never goes beyond. Swing and twist of balls are bounded in the same
way along their rates (Tazaki 2013, section 2.5.3, corrected). Checked in tests/choreography/test_engine.py.
"""

from __future__ import annotations

from bunraku.choreography.dance_arrays import DRAG, NONE, WAITING, Dance, PinGoal
from bunraku.choreography.stepping_arrays import STAND, SWING
from bunraku.control.end_links import joints_of, point_of
from bunraku.control.whole_body_arrays import FAR, TurnBound
from bunraku.control.whole_body_build import put_task
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, col, cross, dot, ld3, ld9, mtv, quat_matrix, scale, sub
from bunraku.model.layout import BALL, FOLLOWS, FREE, IQ, IV, KIND, NW, OMEGA, ROT
from bunraku.step.drive import ball_error
from bunraku.step.joint_rows import angle
from bunraku.step.relative import rate_at

DANGER = 0.04  # m of the capture point from its reference at which pins and drags count half
SLOW = 15.0  # 1/s: how a joint comes to its limit
SOON = 0.005  # s
FASTEST = 300.0  # rad/s^2 or m/s^2: bound of every joint acceleration
TURN_PART = 3.0  # rad for a metre: speed and pull of turning against those of moving


@inline
def clipped(x, most):
    """x, no longer than `most`."""
    size = dot(x, x) ** 0.5
    return scale(most / size, x) if size > most else x


@inline
def turn_error(R, goal):
    """Rotation vector, world axes, that turns R into goal; twice the sine of half the angle along the axis, so that
    half a turn is still seen."""
    r = add(add(cross(col(R, 0), col(goal, 0)), cross(col(R, 1), col(goal, 1))), cross(col(R, 2), col(goal, 2)))
    trace = dot(col(R, 0), col(goal, 0)) + dot(col(R, 1), col(goal, 1)) + dot(col(R, 2), col(goal, 2))
    half = max(0.5 * (1.0 + trace) / 2.0, 1e-6) ** 0.5  # cos of half the angle
    return scale(0.5 / half, r)


@inline
def calmness(d: Dance):
    """What is left of the weight of pins and drags: 1 while the capture point is near its reference, less the further
    it is (balance first)."""
    if d.info.balance == 0:
        return 1.0
    if d.info.steps != 0 and d.step.mode != STAND:
        return 0.02 if d.step.mode == SWING and d.step.quick != 0 else d.stepper.drag_part
    capture, reference = d.seen.capture, d.seen.reference
    x = capture[0] - reference[0]
    y = capture[1] - reference[1]
    danger = (x * x + y * y) / (DANGER * DANGER)
    return 1.0 / (1.0 + danger * danger)


@inline
def held_part(aim: PinGoal, held, x):
    """What of x lies along the axes that are held."""
    a, b, c = aim.axis[0], aim.axis[1], aim.axis[2]
    out = scale(held[0] * dot(a, x), a)
    out = add(out, scale(held[1] * dot(b, x), b))
    return add(out, scale(held[2] * dot(c, x), c))


@part
def pin_wish(d: Dance, k):
    """(acceleration, angular acceleration) that pin or drag k wants of its link."""
    pin, aim, s, work = d.pin[k], d.aim[k], d.gains, d.problem.scratch
    drag = pin.kind == DRAG
    rate = s.drag_rate if drag else s.pin_rate
    gain = s.drag_gain if drag else s.pin_gain
    speed = s.drag_speed if drag else s.pin_speed
    pull = s.drag_pull if drag else s.pin_pull
    body = pin.body
    held = pin.grip > 0  # a held thing: where it is itself, though the hand moves it
    x = aim.place if held else point_of(work, body, aim.at)
    e = sub(aim.target, x)
    r = aim.rate if held else rate_at(work, body, x)
    if pin.some != 0:
        e = held_part(aim, aim.held, e)
        r = held_part(aim, aim.held, r)
    wanted = clipped(scale(gain, sub(clipped(scale(rate, e), speed), r)), pull)
    turn = (0.0, 0.0, 0.0)
    if pin.turned != 0:
        e = turn_error(aim.turned if held else ld9(work, body * NW + ROT), aim.turn)
        r = aim.spin if held else ld3(work, body * NW + OMEGA)
        if pin.some != 0:
            e = held_part(aim, aim.turn_held, e)
            r = held_part(aim, aim.turn_held, r)
        turn = clipped(scale(gain, sub(clipped(scale(rate, e), TURN_PART * speed), r)), TURN_PART * pull)
    return wanted, turn


@part
def pin_tasks(d: Dance):
    """A task for every pin and drag that acts."""
    p = d.problem
    calm = calmness(d)
    n = 0
    for k in range(len(d.pin)):
        pin, aim = d.pin[k], d.aim[k]
        if pin.kind == NONE or pin.swing == WAITING:
            continue
        wanted, turn = pin_wish(d, k)
        weight = aim.weight * calm
        turning_weight = 0.1 * weight if pin.turned != 0 else 0.0
        put_task(p, n, pin.body, aim.at, wanted, turn, weight, turning_weight)
        if pin.some != 0:
            task, axes = p.task[n], p.task_axes[n]
            axes.own = 1.0
            for c in range(3):
                axes.axis[c] = aim.axis[c]
            task.weight = scale(weight, aim.held)
            task.turning_weight = scale(turning_weight, aim.turn_held)
        n += 1
    p.count.tasks = n


@part
def pose_task(d: Dance):
    """Towards the desired joint values."""
    p, s, goal = d.problem, d.gains, d.goal
    ints, q, v, posture = p.ints, p.q, p.v, p.posture
    first = joints_of(ints)
    for i in range(1, ints.shape[0]):
        kind = ints[i, KIND]
        if ints[i, FOLLOWS] != 0 or kind == FREE:
            continue
        k = ints[i, IQ]
        j = ints[i, IV] - first
        if kind == BALL:
            e = ball_error(q, goal, k)
            for c in range(3):
                posture[j + c].wanted = s.pose_stiffness * e[c] - s.pose_damping * v[first + j + c]
        else:
            posture[j].wanted = s.pose_stiffness * (goal[k] - q[k]) - s.pose_damping * v[first + j]
    for j in range(len(posture)):
        posture[j].wanted = min(max(posture[j].wanted, -FASTEST), FASTEST)
        posture[j].weight = s.pose_weight


@inline
def most_towards(gap, rate):
    """The largest acceleration towards a limit at a distance `gap`, approached at `rate`."""
    return min(max((SLOW * gap - rate) / SOON, -FASTEST), FASTEST)


@part
def limit_bounds(d: Dance):
    """Bounds of hinges and sliders, and of turns of balls."""
    p = d.problem
    ints, q, v, bound, turn = p.ints, p.q, p.v, p.bound, p.turn
    first = joints_of(ints)
    for j in range(len(bound)):
        bound[j].least = -FASTEST
        bound[j].most = FASTEST
    for i in range(1, ints.shape[0]):
        kind = ints[i, KIND]
        if ints[i, FOLLOWS] != 0 or kind == FREE or kind == BALL:
            continue
        x = q[ints[i, IQ]]
        j = ints[i, IV] - first
        rate = v[first + j]
        low = -most_towards(x - d.limit[j].least, -rate)
        high = most_towards(d.limit[j].most - x, rate)
        bound[j].least = low if low <= high else 0.5 * (low + high)
        bound[j].most = high if low <= high else 0.5 * (low + high)
    for k in range(len(d.ball)):
        ball, iq, dof = d.ball[k], d.ball_at[k].q, d.ball_at[k].dof
        R = quat_matrix(q[iq], q[iq + 1], q[iq + 2], q[iq + 3])
        z = col(R, 2)
        s = (z[0] * z[0] + z[1] * z[1]) ** 0.5
        w = ld3(v, first + dof)
        for r in range(3):
            p.turn_dof[3 * k + r] = dof
            turn[3 * k + r].least = -FAR
        if s > 1e-6:
            row = mtv(R, scale(-1.0 / s, (-z[1], z[0], 0.0)))
            turn_bound(turn[3 * k], row, ball.swing - angle(s, z[2]), w)
        if z[2] > -0.999:
            row = mtv(R, scale(1.0 / (1.0 + z[2]), (z[0], z[1], 1.0 + z[2])))
            sign = 1.0 if q[iq] * q[iq + 3] >= 0.0 else -1.0
            twist = 2.0 * sign * angle(abs(q[iq + 3]), abs(q[iq]))
            turn_bound(turn[3 * k + 1], row, twist - ball.twist_least, w)
            turn_bound(turn[3 * k + 2], scale(-1.0, row), ball.twist_most - twist, w)


@inline
def turn_bound(bound: TurnBound, row, gap, w):
    """The rate row . w keeps `gap` from closing."""
    bound.row = row
    bound.least = -most_towards(gap, -dot(row, w)) if gap < 1.0 else -FAR
