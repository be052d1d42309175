"""A figure that keeps its balance: where it is (from what was measured), and the torques of what is asked of it. Parts of control.balance_law.

`take_in`: what was read; `see`: poses with the base at the origin; its place and velocity from the feet that stand (control.state_estimate).
`act`: the whole-body problem filled in place and solved. Four contacts at the corners of each sole that stands, near to forces that share the wanted
pressure among the feet and within each of them (bilinear weights); tasks for base and trunk (turning) and the swinging foot (all six); posture
for everything else; momentum rows for the wanted force. Joint limits become bounds of accelerations,
    a >= 2 (lower - q - h v) / h^2,     h = LOOK s ahead.
World axes, SI units. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from bunraku.control.balance_arrays import (
    ANCHOR,
    B_ASK,
    B_BODY,
    B_FEEL,
    B_FIGURE,
    B_FOOT,
    B_GOAL_Q,
    B_GOAL_V,
    B_IQ,
    B_IV,
    B_LIMIT,
    B_READ,
    B_ROW,
    B_SEEN,
    B_SET,
    B_STATE,
    B_STEP,
    B_TURNS,
    BASE,
    BODY_DAMPER,
    BODY_SIZE,
    BODY_SPRING,
    COM,
    COM_RATE,
    F_AXES,
    F_HALF,
    F_PLACE,
    FELT,
    FOOT_DAMPER,
    FOOT_SPRING,
    FORCE,
    FRESH,
    HEAVY,
    HOLD_DAMPER,
    HOLD_SPRING,
    INSIDE,
    KEEP,
    KEEP_LOAD,
    LOADS,
    LOOK,
    OF_BODY,
    OF_SOLE,
    OMEGA,
    PART,
    PERIOD,
    PLACE,
    POSE_DAMPER,
    POSE_SPRING,
    RATE,
    SHARE,
    SHIFT,
    SHIFT_RATE,
    SPEED,
    SPIN,
    SPIN_DAMPER,
    STANDING,
    STANDS,
    SWINGS,
    TURN,
    VELOCITY,
    WEIGH_BODY,
    WEIGH_FOOT,
    WEIGH_HEIGHT,
    WEIGH_LEVEL,
    WEIGH_POSE,
    WEIGH_SHARE,
    WEIGH_SPIN,
    WEIGHT,
)
from bunraku.control.end_links import ROOT, survey, whole_momentum
from bunraku.control.walking_plan import FOOT, FOOT_ACC, FOOT_RATE
from bunraku.control.walking_plan import SPIN as PLAN_SPIN
from bunraku.control.walking_plan import TURN as PLAN_TURN
from bunraku.control.whole_body_arrays import (
    C_NEAR,
    C_NORMAL,
    C_POINT,
    C_WANTED,
    FORCE_WEIGHT,
    NC,
    NT,
    POINT,
    REST_CONE,
    REST_CONTACT,
    W_BOUND,
    W_CONTACT,
    W_CONTACT_BODY,
    W_COUNT,
    W_INTS,
    W_MOMENTUM,
    W_POSTURE,
    W_Q,
    W_REALS,
    W_SCRATCH,
    W_SET,
    W_TASK,
    W_TASK_BODY,
    W_V,
    W_Y,
    WANTED,
)
from bunraku.control.whole_body_arrays import WEIGHT as T_WEIGHT
from bunraku.control.whole_body_build import room_of, row3
from bunraku.control.whole_body_kernel import whole_body
from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import add, axpy, col, cross, dot, ld3, ld9, mm, mt, mv, scale, st3, st9, sub
from bunraku.model import layout
from bunraku.model.layout import BALL, FOLLOWS, FREE, IQ, IV, KIND, NW, POS, RIGID, ROT, VEL
from bunraku.step.drive import ball_error


@inline
def turn_error(R, goal):
    """Rotation vector (of small turns) from R to goal, world axes: the axial part of goal R'."""
    E = mm(goal, mt(R))
    return (0.5 * (E[7] - E[5]), 0.5 * (E[2] - E[6]), 0.5 * (E[3] - E[1]))


@part
def momentum_seen(h, base, velocity):
    """B_SEEN: centre of mass, its rate, spin; the figure's base is at `base` and moves with `velocity` more than the scratch has it."""
    ints, reals, work, seen = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH), reals1(h, B_SEEN)
    com, rate, angular = whole_momentum(ints, reals, work)
    st3(seen, COM, add(com, base))
    st3(seen, COM_RATE, add(rate, velocity))
    st3(seen, SPIN, angular)


@part
def take_in(h):
    """What was read: W_Q and W_V but for the base's place and velocity; loads (low-passed) and pressures of the feet; their say in the estimate."""
    read, q, v, s, feel = reals1(h, B_READ), reals1(h, W_Q), reals1(h, W_V), reals1(h, B_STATE), reals1(h, B_FEEL)
    iq, iv, step, figure = ints1(h, B_IQ), ints1(h, B_IV), reals1(h, B_STEP), reals1(h, B_FIGURE)
    for d in range(3):
        v[3 + d] = read[d]
    for d in range(4):
        q[3 + d] = read[3 + d]
    n = 7
    for d in range(iq.shape[0]):
        q[iq[d]] = read[n + d]
    n += iq.shape[0]
    for d in range(iv.shape[0]):
        v[iv[d]] = read[n + d]
    n += iv.shape[0]
    for f in range(2):
        force, torque = ld3(read, n + 6 * f), ld3(read, n + 6 * f + 3)
        if force[2] < -1.0:
            feel[FELT + 2 * f] = -torque[1] / force[2]
            feel[FELT + 2 * f + 1] = torque[0] / force[2]
        feel[LOADS + f] += (1.0 - figure[KEEP_LOAD]) * (max(-force[2], 0.0) - feel[LOADS + f])
        firm = step[STANDING + f] != 0.0 and (feel[FRESH + f] == 0.0 or step[STANDING + 1 - f] == 0.0)
        s[SHARE + f] = max(feel[LOADS + f], 0.02 * figure[HEAVY]) if firm else 0.0


@part
def see(h):
    """W_Q and W_V hold attitude, gyro and encoders: the base's place and velocity, and B_SEEN."""
    q, v, s, seen = reals1(h, W_Q), reals1(h, W_V), reals1(h, B_STATE), reals1(h, B_SEEN)
    ints, reals, work, bodies = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH), ints1(h, B_BODY)
    for d in range(3):
        q[d] = 0.0
        v[d] = 0.0
    survey(ints, reals, q, v, work)
    share = s[SHARE] + s[SHARE + 1]
    for d in range(3):
        at = 0.0
        rate = 0.0
        for f in range(2):
            at += s[SHARE + f] * (s[ANCHOR + 3 * f + d] - work[bodies[f] * NW + POS + d])
            rate -= s[SHARE + f] * work[bodies[f] * NW + VEL + d]
        if share > 0.0:
            s[VELOCITY + d] += (1.0 - s[KEEP]) * (rate / share - s[VELOCITY + d])
            s[BASE + d] = at / share
        else:  # in the air: on along a parabola
            s[VELOCITY + d] += s[PERIOD] * reals[0, layout.PLACE + d]
            s[BASE + d] += s[PERIOD] * s[VELOCITY + d]
        q[d] = s[BASE + d]
        v[d] = s[VELOCITY + d]
    base, velocity = ld3(s, BASE), ld3(s, VELOCITY)
    momentum_seen(h, base, velocity)
    for k in range(4):
        w = bodies[k] * NW
        n = OF_BODY + BODY_SIZE * k
        st3(seen, n + PLACE, add(ld3(work, w + POS), base))
        st9(seen, n + TURN, ld9(work, w + ROT))
        st3(seen, n + SPEED, add(ld3(work, w + VEL), velocity))
        st3(seen, n + OMEGA, ld3(work, w + layout.OMEGA))
    foot = reals2(h, B_FOOT)
    for f in range(2):
        n = OF_BODY + BODY_SIZE * f
        arm = mv(ld9(seen, n + TURN), row3(foot, f, F_PLACE))
        st3(seen, OF_SOLE + 6 * f, add(ld3(seen, n + PLACE), arm))
        st3(seen, OF_SOLE + 6 * f + 3, add(ld3(seen, n + SPEED), cross(ld3(seen, n + OMEGA), arm)))


@part
def put_posture(h):
    """W_POSTURE and W_BOUND."""
    ints, q, v, s, ask = ints2(h, W_INTS), reals1(h, W_Q), reals1(h, W_V), reals1(h, B_SET), reals1(h, B_ASK)
    goal, rate, posture, bound = reals1(h, B_GOAL_Q), reals1(h, B_GOAL_V), reals2(h, W_POSTURE), reals2(h, W_BOUND)
    limit = reals2(h, B_LIMIT)
    for i in range(ROOT + 1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0 or ints[i, KIND] == FREE:
            continue
        k = ints[i, IQ]
        many = 3 if ints[i, KIND] == BALL else 1
        e = ball_error(q, goal, k) if many == 3 else (goal[k] - q[k], 0.0, 0.0)
        for j in range(many):
            d = ints[i, IV] + j
            error = e[0] if j == 0 else (e[1] if j == 1 else e[2])
            posture[d - 6, 0] = s[POSE_SPRING] * error + s[POSE_DAMPER] * (ask[RATE] * rate[d] - v[d])
            posture[d - 6, 1] = s[WEIGH_POSE]
            if many == 1:
                to = 2.0 / (LOOK * LOOK)
                bound[d - 6, 0] = min(to * (limit[d, 0] - q[k] - LOOK * v[d]), 200.0)
                bound[d - 6, 1] = max(to * (limit[d, 1] - q[k] - LOOK * v[d]), -200.0)


@part
def put_contacts(h):
    """W_CONTACT: corners of the soles that stand."""
    count, contact, bodies, of = ints1(h, W_COUNT), reals2(h, W_CONTACT), ints1(h, W_CONTACT_BODY), ints1(h, B_BODY)
    foot, ask, s, seen, turns = (
        reals2(h, B_FOOT),
        reals1(h, B_ASK),
        reals1(h, B_SET),
        reals1(h, B_SEEN),
        reals1(h, B_TURNS),
    )
    before = count[NC]
    n = 0
    other = False
    for f in range(2):
        if ask[STANDS + f] == 0.0:
            continue
        place = row3(foot, f, F_PLACE)
        axes = ld9(foot[f], F_AXES)
        hx, hy = foot[f, F_HALF], foot[f, F_HALF + 1]
        px = min(max(ask[INSIDE + 2 * f] / hx, -0.95), 0.95)
        py = min(max(ask[INSIDE + 2 * f + 1] / hy, -0.95), 0.95)
        at = OF_BODY + BODY_SIZE * f
        R = ld9(seen, at + TURN)
        goal = ld9(turns, 9 * f)
        normal = col(mm(goal, axes), 2)
        e = turn_error(R, goal)
        e = axpy(-dot(e, normal), normal, e)
        alpha = axpy(-s[HOLD_DAMPER], ld3(seen, at + OMEGA), scale(s[HOLD_SPRING], e))
        force = ask[PART + f] * ask[WEIGHT]
        for c in range(4):
            sx = -1.0 if c < 2 else 1.0
            sy = -1.0 if c % 2 == 0 else 1.0
            arm = mv(axes, (sx * hx, sy * hy, 0.0))
            wanted = cross(alpha, mv(R, arm))
            near = 0.25 * (1.0 + sx * px) * (1.0 + sy * py) * force
            point = add(place, arm)
            for d in range(3):
                contact[n, C_POINT + d] = point[d]
                contact[n, C_NORMAL + d] = normal[d]
                contact[n, C_WANTED + d] = wanted[d]
                contact[n, C_NEAR + d] = near * normal[d]
            other = other or bodies[n] != of[f]
            bodies[n] = of[f]
            n += 1
    count[NC] = n
    if other or n != before:  # forces of other feet are no guess for these
        y = reals1(h, W_Y)
        for k in range(y.shape[0]):
            y[k] = 0.0
        first = room_of(reals2(h, W_POSTURE).shape[0])
        for k in range(n):
            y[first + 3 * k] = ask[WEIGHT] / n
    reals1(h, W_SET)[FORCE_WEIGHT] = s[WEIGH_SHARE]


@inline
def put_task(h, k, body, wanted, turning, weight, weight_turning):
    """Task k: accelerations of a body's point, which is in place already."""
    task = reals2(h, W_TASK)
    ints1(h, W_TASK_BODY)[k] = body
    for d in range(3):
        task[k, WANTED + d] = wanted[d]
        task[k, WANTED + 3 + d] = turning[d]
        task[k, T_WEIGHT + d] = weight
        task[k, T_WEIGHT + 3 + d] = weight_turning


@part
def put_tasks(h):
    """W_TASK: base and trunk upright, the swinging foot on its way."""
    s, ask, seen, plan, turns = (
        reals1(h, B_SET),
        reals1(h, B_ASK),
        reals1(h, B_SEEN),
        reals1(h, B_ROW),
        reals1(h, B_TURNS),
    )
    of, task, foot = ints1(h, B_BODY), reals2(h, W_TASK), reals2(h, B_FOOT)
    rate = ask[RATE]
    for k in range(2):
        at = OF_BODY + BODY_SIZE * (2 + k)
        e = turn_error(ld9(seen, at + TURN), ld9(turns, 18 + 9 * k))
        away = sub(scale(rate, ld3(plan, PLAN_TURN + 3 * k)), ld3(seen, at + OMEGA))
        turning = axpy(s[BODY_SPRING], e, scale(s[BODY_DAMPER], away))
        for d in range(3):
            task[k, POINT + d] = 0.0
        put_task(h, k, of[2 + k], (0.0, 0.0, 0.0), turning, 0.0, s[WEIGH_BODY])
    ints1(h, W_COUNT)[NT] = 2
    f = int(ask[SWINGS])
    if f >= 0:
        at = OF_BODY + BODY_SIZE * f
        sole = OF_SOLE + 6 * f
        gap = sub(add(ld3(plan, FOOT + 3 * f), ld3(ask, SHIFT)), ld3(seen, sole))
        speed = sub(axpy(rate, ld3(plan, FOOT_RATE + 3 * f), ld3(ask, SHIFT_RATE)), ld3(seen, sole + 3))
        wanted = axpy(s[FOOT_SPRING], gap, scale(s[FOOT_DAMPER], speed))
        wanted = axpy(rate * rate, ld3(plan, FOOT_ACC + 3 * f), wanted)
        e = turn_error(ld9(seen, at + TURN), ld9(turns, 9 * f))
        away = sub(scale(rate, ld3(plan, PLAN_SPIN + 3 * f)), ld3(seen, at + OMEGA))
        turning = axpy(s[FOOT_SPRING], e, scale(s[FOOT_DAMPER], away))
        for d in range(3):
            task[2, POINT + d] = foot[f, F_PLACE + d]
        put_task(h, 2, of[f], wanted, turning, s[WEIGH_FOOT], s[WEIGH_FOOT])
        ints1(h, W_COUNT)[NT] = 3


@part
def act(h):
    """W_TAU of what B_ASK, B_ROW, B_TURNS and the posture's goal ask for."""
    s, ask, seen, momentum = reals1(h, B_SET), reals1(h, B_ASK), reals1(h, B_SEEN), reals2(h, W_MOMENTUM)
    survey(ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_Q), reals1(h, W_V), reals1(h, W_SCRATCH))
    put_posture(h)
    put_contacts(h)
    put_tasks(h)
    mass = reals1(h, W_SCRATCH)[ROOT * NW + RIGID + 9]
    I = 0.15 * mass  # kg m^2: what angular accelerations are weighed with, about that of a standing figure
    for d in range(3):
        momentum[d, 0] = ask[FORCE + d]
        momentum[d, 1] = (s[WEIGH_LEVEL] if d < 2 else s[WEIGH_HEIGHT]) / (mass * mass)
        momentum[3 + d, 0] = -s[SPIN_DAMPER] * seen[SPIN + d]
        momentum[3 + d, 1] = s[WEIGH_SPIN] / (I * I)
    reals1(h, W_SET)[REST_CONE] = 0.0
    reals1(h, W_SET)[REST_CONTACT] = 0.0
    whole_body(h)
