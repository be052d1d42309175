"""What pins, drags and desired joint values want of a step, as accelerations, and the bounds that keep joints inside their limits.

Pin or drag, with error e and rate r of the point (and of the rotation vector of the orientation):
    wanted = gain (clip(rate e, speed) - r), at the most `pull`            bounded position and velocity feedback, document 004 section 3
With balance, weights of pins and drags shrink as the capture point leaves its reference: weight / (1 + (x / DANGER)^4).
Desired joint values:  a = stiffness e - damping v, weight POSE_WEIGHT, in the freedom that is left
Limits: a joint with a distance g to its limit and a rate v towards it is bounded to  a <= (SLOW g - v) / SOON: it comes to its limit as
exp(-SLOW t) and never beyond. Swing and twist of balls in the same way along their rates (002, section 2.5.3, corrected).
Checked in tests/choreography/test_engine.py and test_limits.py.
"""

from __future__ import annotations

from bunraku.choreography.dance_arrays import (
    AT,
    BALANCE,
    BODY,
    CAPTURE,
    DRAG,
    DRAG_GAIN,
    DRAG_PULL,
    DRAG_RATE,
    DRAG_SPEED,
    KIND,
    NONE,
    P_BALL_INTS,
    P_BALLS,
    P_GOAL,
    P_INFO,
    P_INTS,
    P_LIMITS,
    P_REALS,
    P_SEEN,
    P_SET,
    PIN_GAIN,
    PIN_PULL,
    PIN_RATE,
    PIN_SPEED,
    POSE_DAMPING,
    POSE_STIFFNESS,
    POSE_WEIGHT,
    REFERENCE,
    SWING,
    TARGET,
    TURN,
    TURNED,
    WAITING,
)
from bunraku.choreography.dance_arrays import WEIGHT as PIN_WEIGHT
from bunraku.control.end_links import joints_of, point_of, point_velocity
from bunraku.control.whole_body_arrays import (
    FAR,
    NT,
    POINT,
    W_BOUND,
    W_COUNT,
    W_INTS,
    W_POSTURE,
    W_Q,
    W_SCRATCH,
    W_TASK,
    W_TASK_BODY,
    W_TURN,
    W_TURN_DOF,
    W_V,
    WANTED,
    WEIGHT,
)
from bunraku.control.whole_body_build import row3
from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import add, col, cross, dot, ld3, ld9, mtv, quat_matrix, scale, sub
from bunraku.model.layout import BALL, FOLLOWS, FREE, IQ, IV, NW, OMEGA, ROT
from bunraku.model.layout import KIND as JOINT_KIND
from bunraku.step.drive import ball_error
from bunraku.step.joint_rows import angle

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
    """Rotation vector, world axes, that turns R into goal; twice the sine of half the angle along the axis, so that half a turn is still seen."""
    r = add(add(cross(col(R, 0), col(goal, 0)), cross(col(R, 1), col(goal, 1))), cross(col(R, 2), col(goal, 2)))
    trace = dot(col(R, 0), col(goal, 0)) + dot(col(R, 1), col(goal, 1)) + dot(col(R, 2), col(goal, 2))
    half = max(0.5 * (1.0 + trace) / 2.0, 1e-6) ** 0.5  # cos of half the angle
    return scale(0.5 / half, r)


@inline
def calmness(h):
    """What is left of the weight of pins and drags: 1 while the capture point is near its reference, less the further it is (balance first)."""
    if ints1(h, P_INFO)[BALANCE] == 0:
        return 1.0
    seen = reals1(h, P_SEEN)
    x = seen[CAPTURE] - seen[REFERENCE]
    y = seen[CAPTURE + 1] - seen[REFERENCE + 1]
    danger = (x * x + y * y) / (DANGER * DANGER)
    return 1.0 / (1.0 + danger * danger)


@part
def pin_tasks(h):
    """W_TASK of every pin and drag that acts."""
    pins, more, s, count = ints2(h, P_INTS), reals2(h, P_REALS), reals1(h, P_SET), ints1(h, W_COUNT)
    task, bodies, work = reals2(h, W_TASK), ints1(h, W_TASK_BODY), reals1(h, W_SCRATCH)
    calm = calmness(h)
    n = 0
    for k in range(pins.shape[0]):
        if pins[k, KIND] == NONE or pins[k, SWING] == WAITING:
            continue
        drag = pins[k, KIND] == DRAG
        rate = s[DRAG_RATE] if drag else s[PIN_RATE]
        gain = s[DRAG_GAIN] if drag else s[PIN_GAIN]
        speed = s[DRAG_SPEED] if drag else s[PIN_SPEED]
        pull = s[DRAG_PULL] if drag else s[PIN_PULL]
        body = pins[k, BODY]
        bodies[n] = body
        x = point_of(work, body, row3(more, k, AT))
        wanted = sub(clipped(scale(rate, sub(row3(more, k, TARGET), x)), speed), point_velocity(work, body, x))
        wanted = clipped(scale(gain, wanted), pull)
        turn = (0.0, 0.0, 0.0)
        if pins[k, TURNED] != 0:
            goal = (
                more[k, TURN],
                more[k, TURN + 1],
                more[k, TURN + 2],
                more[k, TURN + 3],
                more[k, TURN + 4],
                more[k, TURN + 5],
                more[k, TURN + 6],
                more[k, TURN + 7],
                more[k, TURN + 8],
            )
            e = turn_error(ld9(work, body * NW + ROT), goal)
            turn = sub(clipped(scale(rate, e), TURN_PART * speed), ld3(work, body * NW + OMEGA))
            turn = clipped(scale(gain, turn), TURN_PART * pull)
        weight = more[k, PIN_WEIGHT] * calm
        for d in range(3):
            task[n, POINT + d] = more[k, AT + d]
            task[n, WANTED + d] = wanted[d]
            task[n, WANTED + 3 + d] = turn[d]
            task[n, WEIGHT + d] = weight
            task[n, WEIGHT + 3 + d] = 0.1 * weight if pins[k, TURNED] != 0 else 0.0
        n += 1
    count[NT] = n


@part
def pose_task(h):
    """W_POSTURE: towards the desired joint values."""
    ints, q, v, goal = ints2(h, W_INTS), reals1(h, W_Q), reals1(h, W_V), reals1(h, P_GOAL)
    posture, s = reals2(h, W_POSTURE), reals1(h, P_SET)
    first = joints_of(ints)
    for i in range(1, ints.shape[0]):
        kind = ints[i, JOINT_KIND]
        if ints[i, FOLLOWS] != 0 or kind == FREE:
            continue
        k = ints[i, IQ]
        d = ints[i, IV] - first
        if kind == BALL:
            e = ball_error(q, goal, k)
            for j in range(3):
                posture[d + j, 0] = s[POSE_STIFFNESS] * e[j] - s[POSE_DAMPING] * v[first + d + j]
        else:
            posture[d, 0] = s[POSE_STIFFNESS] * (goal[k] - q[k]) - s[POSE_DAMPING] * v[first + d]
    for d in range(posture.shape[0]):
        posture[d, 0] = min(max(posture[d, 0], -FASTEST), FASTEST)
        posture[d, 1] = s[POSE_WEIGHT]


@inline
def most_towards(gap, rate):
    """The largest acceleration towards a limit at a distance `gap`, approached at `rate`."""
    return min(max((SLOW * gap - rate) / SOON, -FASTEST), FASTEST)


@part
def limit_bounds(h):
    """W_BOUND of hinges and sliders, W_TURN of balls."""
    ints, q, v, limits = ints2(h, W_INTS), reals1(h, W_Q), reals1(h, W_V), reals2(h, P_LIMITS)
    bound, turn, dof = reals2(h, W_BOUND), reals2(h, W_TURN), ints1(h, W_TURN_DOF)
    balls, which = reals2(h, P_BALLS), ints2(h, P_BALL_INTS)
    first = joints_of(ints)
    for d in range(bound.shape[0]):
        bound[d, 0] = -FASTEST
        bound[d, 1] = FASTEST
    for i in range(1, ints.shape[0]):
        kind = ints[i, JOINT_KIND]
        if ints[i, FOLLOWS] != 0 or kind == FREE or kind == BALL:
            continue
        x = q[ints[i, IQ]]
        d = ints[i, IV] - first
        rate = v[first + d]
        low = -most_towards(x - limits[d, 0], -rate)
        high = most_towards(limits[d, 1] - x, rate)
        bound[d, 0] = low if low <= high else 0.5 * (low + high)
        bound[d, 1] = high if low <= high else 0.5 * (low + high)
    for k in range(which.shape[0]):
        iq = which[k, 0]
        d = which[k, 1]
        R = quat_matrix(q[iq], q[iq + 1], q[iq + 2], q[iq + 3])
        z = col(R, 2)
        s = (z[0] * z[0] + z[1] * z[1]) ** 0.5
        w = ld3(v, first + d)
        for r in range(3):
            dof[3 * k + r] = d
            turn[3 * k + r, 3] = -FAR
        if s > 1e-6:
            row = mtv(R, scale(-1.0 / s, (-z[1], z[0], 0.0)))
            turn_bound(turn, 3 * k, row, balls[k, 0] - angle(s, z[2]), w)
        if z[2] > -0.999:
            row = mtv(R, scale(1.0 / (1.0 + z[2]), (z[0], z[1], 1.0 + z[2])))
            sign = 1.0 if q[iq] * q[iq + 3] >= 0.0 else -1.0
            twist = 2.0 * sign * angle(abs(q[iq + 3]), abs(q[iq]))
            turn_bound(turn, 3 * k + 1, row, twist - balls[k, 1], w)
            turn_bound(turn, 3 * k + 2, scale(-1.0, row), balls[k, 2] - twist, w)


@inline
def turn_bound(turn, k, row, gap, w):
    """Row k: the rate row . w keeps `gap` from closing."""
    turn[k, 0] = row[0]
    turn[k, 1] = row[1]
    turn[k, 2] = row[2]
    turn[k, 3] = -most_towards(gap, -dot(row, w)) if gap < 1.0 else -FAR
