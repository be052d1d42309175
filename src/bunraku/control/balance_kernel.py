"""A figure that keeps its balance: where it is (from what was measured), and the torques of what is asked of it.

Parts of control.balance_law. `take_in` takes what was read; `see` finds poses with the base at the origin, then its
place and velocity from the feet that stand (control.state_estimate); `act` fills the whole-body problem and solves it.
The problem has four contacts at the corners of each sole that stands, near to forces that share the wanted pressure
among the feet and within each of them (bilinear weights), with cones whose apex is the least force of a corner (where
both feet stand, none may be asked for nothing: it would hover and hit the ground again); the speed of a corner along
the normal is damped, the less the more its foot carries; tasks for base and trunk (turning) and the swinging foot (all
six); posture for everything else; rates of momentum for the wanted force (control.capture_point). Joint limits become
bounds of accelerations,
    a >= 2 (lower - q - h v) / h^2,     h = LOOK s ahead.
World axes, SI units. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from bunraku.control.balance_arrays import LOOK, Balance
from bunraku.control.capture_point import ask_momentum, damping_moment
from bunraku.control.end_links import ROOT, survey, whole_momentum
from bunraku.control.whole_body_build import put_task, room_of
from bunraku.control.whole_body_kernel import whole_body
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, col, cross, dot, ld3, ld9, mm, mt, mv, scale, sub
from bunraku.model import layout
from bunraku.model.layout import BALL, FOLLOWS, FREE, IQ, IV, KIND, NW, POS, ROT, VEL
from bunraku.step.drive import ball_error


@inline
def turn_error(R, goal):
    """Rotation vector (of small turns) from R to goal, world axes: the axial part of goal R'."""
    E = mm(goal, mt(R))
    return (0.5 * (E[7] - E[5]), 0.5 * (E[2] - E[6]), 0.5 * (E[3] - E[1]))


@part
def momentum_seen(b: Balance, base, velocity):
    """Centre of mass, its rate, spin; the scratch has the figure with its base at the origin and at rest, `base` and
    `velocity` say where it really is."""
    p, seen = b.problem, b.seen
    com, rate, angular = whole_momentum(p.ints, p.reals, p.scratch)
    seen.com = add(com, base)
    seen.com_rate = add(rate, velocity)
    seen.spin = angular


@part
def take_in(b: Balance):
    """What was read: q and v but for the base's place and velocity; loads (low-passed) and pressures of the feet; how
    much each counts in the estimate."""
    q, v, state, feel, standing, figure = b.problem.q, b.problem.v, b.state, b.feel, b.step.standing, b.figure
    for d in range(3):
        v[3 + d] = b.imu.gyro[d]
    for d in range(4):
        q[3 + d] = b.imu.attitude[d]
    for d in range(b.iq.shape[0]):
        q[b.iq[d]] = b.read_q[d]
    for d in range(b.iv.shape[0]):
        v[b.iv[d]] = b.read_v[d]
    for f in range(2):
        force, torque = b.wrench[f].force, b.wrench[f].torque
        if force[2] < -1.0:
            feel.felt[f] = (-torque[1] / force[2], torque[0] / force[2])
        feel.touch[f] = max(-force[2], 0.0)
        feel.loads[f] += (1.0 - figure.keep_load) * (max(-force[2], 0.0) - feel.loads[f])
        firm = standing[f] != 0.0 and (feel.fresh[f] == 0.0 or standing[1 - f] == 0.0)
        state.share[f] = max(feel.loads[f], 0.02 * figure.heavy) if firm else 0.0


@part
def see(b: Balance):
    """q and v hold attitude, gyro and encoders: the base's place and velocity, and all that is seen."""
    p, s, seen, bodies = b.problem, b.state, b.seen, b.body
    q, v, reals, work = p.q, p.v, p.reals, p.scratch
    for d in range(3):
        q[d] = 0.0
        v[d] = 0.0
    survey(p.ints, reals, q, v, work)
    share = s.share[0] + s.share[1]
    for d in range(3):
        at = 0.0
        rate = 0.0
        for f in range(2):
            at += s.share[f] * (s.anchor[f][d] - work[bodies[f] * NW + POS + d])
            rate -= s.share[f] * work[bodies[f] * NW + VEL + d]
        if share > 0.0:
            s.velocity[d] += (1.0 - s.keep) * (rate / share - s.velocity[d])
            s.base[d] = at / share
        else:  # in the air: on along a parabola
            s.velocity[d] += s.period * reals[0, layout.PLACE + d]
            s.base[d] += s.period * s.velocity[d]
        q[d] = s.base[d]
        v[d] = s.velocity[d]
    base, velocity = ld3(s.base, 0), ld3(s.velocity, 0)
    momentum_seen(b, base, velocity)
    for k in range(4):
        w, body = bodies[k] * NW, seen.body[k]
        body.place = add(ld3(work, w + POS), base)
        body.turn = ld9(work, w + ROT)
        body.speed = add(ld3(work, w + VEL), velocity)
        body.omega = ld3(work, w + layout.OMEGA)
    for f in range(2):
        body, sole = seen.body[f], seen.sole[f]
        arm = mv(body.turn, b.foot[f].place)
        sole.place = add(body.place, arm)
        sole.speed = add(body.speed, cross(body.omega, arm))


@part
def put_posture(b: Balance):
    """Posture and bounds of the problem."""
    p, s = b.problem, b.springs
    ints, q, v = p.ints, p.q, p.v
    goal, rate, pace = b.goal_q, b.goal_v, b.ask.rate
    for i in range(ROOT + 1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0 or ints[i, KIND] == FREE:
            continue
        k = ints[i, IQ]
        many = 3 if ints[i, KIND] == BALL else 1
        e = ball_error(q, goal, k) if many == 3 else (goal[k] - q[k], 0.0, 0.0)
        for j in range(many):
            d = ints[i, IV] + j
            error = e[0] if j == 0 else (e[1] if j == 1 else e[2])
            posture, bound, limit = p.posture[d - 6], p.bound[d - 6], b.limit[d]
            posture.wanted = s.pose_spring * error + s.pose_damper * (pace * rate[d] - v[d])
            posture.weight = s.weigh_pose * b.firm[d]
            if many == 1:
                to = 2.0 / (LOOK * LOOK)
                bound.least = min(to * (limit.least - q[k] - LOOK * v[d]), 200.0)
                bound.most = max(to * (limit.most - q[k] - LOOK * v[d]), -200.0)


@part
def put_contacts(b: Balance):
    """Contacts of the problem: corners of the soles that stand."""
    p, ask, s = b.problem, b.ask, b.springs
    before = p.count.contacts
    n = 0
    other = False
    for f in range(2):
        if ask.stands[f] == 0.0:
            continue
        foot, body, goal = b.foot[f], b.seen.body[f], b.turns.of[f]
        axes, (hx, hy), inside = foot.axes, foot.half, ask.inside[f]
        px = min(max(inside[0] / hx, -0.95), 0.95)
        py = min(max(inside[1] / hy, -0.95), 0.95)
        R = body.turn
        normal = col(mm(goal, axes), 2)
        e = turn_error(R, goal)
        e = axpy(-dot(e, normal), normal, e)
        alpha = axpy(-s.hold_damper, body.omega, scale(s.hold_spring, e))
        force = ask.part[f] * ask.weight
        settle = s.settle * (1.0 - ask.part[f])
        for c in range(4):
            sx = -1.0 if c < 2 else 1.0
            sy = -1.0 if c % 2 == 0 else 1.0
            arm = mv(axes, (sx * hx, sy * hy, 0.0))
            contact = p.contact[n]
            contact.point = add(foot.place, arm)
            contact.normal = normal
            moves = add(body.speed, cross(body.omega, mv(R, add(foot.place, arm))))
            contact.wanted = axpy(-settle * dot(moves, normal), normal, cross(alpha, mv(R, arm)))
            contact.least = 0.25 * ask.least[f] * ask.weight
            contact.near = scale(0.25 * (1.0 + sx * px) * (1.0 + sy * py) * force, normal)
            other = other or p.contact_body[n] != b.body[f]
            p.contact_body[n] = b.body[f]
            n += 1
    p.count.contacts = n
    if other or n != before:  # forces of other feet are no guess for these
        y = p.y
        for k in range(y.shape[0]):
            y[k] = 0.0
        first = room_of(len(p.posture))
        for k in range(n):
            y[first + 3 * k] = ask.weight / n
    p.settings.force_weight = s.weigh_share


@part
def put_tasks(b: Balance):
    """Tasks of the problem: base and trunk upright, the swinging foot on its way."""
    p, s, ask, seen, plan, turns = b.problem, b.springs, b.ask, b.seen, b.row, b.turns
    rate, zero = ask.rate, (0.0, 0.0, 0.0)
    for k in range(2):
        body = seen.body[2 + k]
        e = turn_error(body.turn, turns.of[2 + k])
        away = sub(scale(rate, plan.turn[k]), body.omega)
        turning = axpy(s.body_spring, e, scale(s.body_damper, away))
        put_task(p, k, b.body[2 + k], zero, zero, turning, 0.0, s.weigh_body)
    p.count.tasks = 2
    f = int(ask.swings)
    if f >= 0:
        body, sole = seen.body[f], seen.sole[f]
        gap = sub(add(plan.foot[f], ask.shift), sole.place)
        speed = sub(axpy(rate, plan.foot_rate[f], ask.shift_rate), sole.speed)
        wanted = axpy(s.foot_spring, gap, scale(s.foot_damper, speed))
        wanted = axpy(rate * rate, plan.foot_acc[f], wanted)
        e = turn_error(body.turn, turns.of[f])
        away = sub(scale(rate, plan.spin[f]), body.omega)
        turning = axpy(s.foot_spring, e, scale(s.foot_damper, away))
        turning = axpy(rate * rate, plan.spin_rate[f], turning)
        put_task(p, 2, b.body[f], b.foot[f].place, wanted, turning, s.weigh_foot, s.weigh_foot)
        p.count.tasks = 3


@part
def act(b: Balance):
    """Torques of what is asked for."""
    p, s = b.problem, b.springs
    survey(p.ints, p.reals, p.q, p.v, p.scratch)
    put_posture(b)
    put_contacts(b)
    put_tasks(b)
    moment = damping_moment(s.spin_damper, b.seen.spin)
    ask_momentum(p, b.ask.force, moment, s.weigh_level, s.weigh_height, s.weigh_spin)
    p.settings.rest_cone = 0.0
    p.settings.rest_contact = 0.0
    whole_body(p)
