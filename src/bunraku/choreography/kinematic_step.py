"""The kinematic comparator, eq. (4) of Yamane & Nakamura 2002, as a step of the world: pins and drags without dynamics.

    J v' = r'' - J_dot v       J has the columns of the base, too: it moves as the kinematics want
Least squares with the weights of the dynamic one: pins and drags before desired joint values; links that stood on the
floor when it began are held in their pose, unless they are dragged; a base that moves costs BASE times what a joint
costs, as a root that is not dragged would rather stay. No forces, no balance: q and v are moved by semi-implicit Euler,
then joints into their limits. All else in the world stands still. It stands at FREE, and nothing after it. Checked in
tests/choreography/test_kinematic.py against the same in NumPy, and in tests/choreography/test_figure2.py.
"""

from __future__ import annotations

from bunraku.choreography.dance_arrays import DRAG, NONE, BallRange, Dance
from bunraku.choreography.feedback import TURN_PART, clipped, pin_wish, turn_error
from bunraku.control.end_links import joints_of, point_bias, point_of, survey
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.control.whole_body_build import add_squares, unit
from bunraku.control.whole_body_solve import eliminate
from bunraku.dynamics.composite import joint_column
from bunraku.dynamics.passes import advance
from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import phase
from bunraku.kernel.trig import sincos
from bunraku.kernel.vec import cross, dot, ld3, ld9, scale, sub
from bunraku.linalg.dense import back, padded
from bunraku.model.layout import ALPHA, DOF, FOLLOWS, IQ, IV, NW, OMEGA, PARENT, POS, ROT
from bunraku.step.drive import ball_error
from bunraku.step.euler import finite, note_last
from bunraku.step.joint_rows import angle
from bunraku.step.relative import rate_at
from bunraku.step.step_arrays import DIVERGED, NOT_FINITE, OK, Step

BASE = 1e4  # weight of the base's accelerations against a joint's
HELD = 1e4  # weight of links on the floor
FOLLOWED = 1e3  # of pins and drags


@phase
def kinematic_motion(h):
    """One step of kinematics alone."""
    d, s = Dance(h), Step(h)
    p, info = d.problem, d.info
    if not (finite(s.q) and finite(s.v)):
        return NOT_FINITE
    for k in range(p.q.shape[0]):
        p.q[k] = s.q[info.q_first + k]
    for k in range(p.v.shape[0]):
        p.v[k] = s.v[info.v_first + k]
    survey(p.ints, p.reals, p.q, p.v, p.scratch)
    least_squares(d, all_links(d))
    if not finite(p.after):
        return DIVERGED
    for k in range(p.v.shape[0]):
        p.v[k] += s.numbers.dt * p.after[k]
    advance(p.ints, p.reals, p.q, p.v, s.numbers.dt)
    into_limits(d, s)
    for k in range(p.q.shape[0]):
        s.q[info.q_first + k] = p.q[k]
    for k in range(p.v.shape[0]):
        s.v[info.v_first + k] = p.v[k]
        s.applied[info.v_first + k] = 0.0
    s.info.contacts = 0
    note_last(s)
    return OK


@phase
def nothing(h):
    """The other phases of a step without dynamics."""
    return OK


@part
def all_links(d: Dance):
    """Rows of links that are held, pinned and dragged; returns how many."""
    p, g, work = d.problem, d.gains, d.problem.scratch
    n = p.v.shape[0]
    p.count.unknowns = n
    p.count.width = (n + 4) // 4 * 4
    one = (1.0, 1.0, 1.0)
    r = 0
    for k in range(len(d.stood)):
        stood = d.stood[k]
        if stood.body == 0 or is_dragged(d, stood.body):
            continue
        x = ld3(work, stood.body * NW + POS)
        way = clipped(scale(g.pin_rate, sub(stood.place, x)), g.pin_speed)
        wanted = clipped(scale(g.pin_gain, sub(way, rate_at(work, stood.body, x))), g.pin_pull)
        e = turn_error(ld9(work, stood.body * NW + ROT), stood.turn)
        way = clipped(scale(g.pin_rate, e), TURN_PART * g.pin_speed)
        turn = clipped(scale(g.pin_gain, sub(way, ld3(work, stood.body * NW + OMEGA))), TURN_PART * g.pin_pull)
        for c in range(3):
            r = link_row(p, r, stood.body, x, unit(c), wanted, HELD, 0)
            r = link_row(p, r, stood.body, x, unit(c), turn, HELD, 1)
    for k in range(len(d.pin)):
        pin, aim = d.pin[k], d.aim[k]
        if pin.kind == NONE:
            continue
        x = point_of(work, pin.body, aim.at)
        wanted, turn = pin_wish(d, k)
        held = aim.held if pin.some != 0 else one
        turn_held = aim.turn_held if pin.some != 0 else one
        for c in range(3):
            e = aim.axis[c] if pin.some != 0 else unit(c)
            if held[c] != 0.0:
                r = link_row(p, r, pin.body, x, e, wanted, FOLLOWED, 0)
            if pin.turned != 0 and turn_held[c] != 0.0:
                r = link_row(p, r, pin.body, x, e, turn, FOLLOWED, 1)
    return r


@inline
def is_dragged(d: Dance, body):
    """Whether a body is."""
    found = False
    for k in range(len(d.pin)):
        found = found or (d.pin[k].kind == DRAG and d.pin[k].body == body)
    return found


@part
def link_row(p: WholeBodyProblem, r, body, x, e, wanted, weight, turning):
    """Row r, times the root of its weight: acceleration along e (about e where `turning`) of a body's point x is to be
    as wanted; returns the number of rows now."""
    ints, reals, work, n, width = p.ints, p.reals, p.scratch, p.count.unknowns, p.count.width
    row = p.rows[r * width : r * width + width]
    root = weight**0.5
    for c in range(width):
        row[c] = 0.0
    i = body
    while i > 0:
        about = e if turning != 0 else cross(sub(x, ld3(work, i * NW + POS)), e)
        for k in range(ints[i, DOF]):
            sa, sl = joint_column(ints, reals, work, i, k)
            row[ints[i, IV] + k] += root * (dot(about, sa) + (0.0 if turning != 0 else dot(e, sl)))
        i = ints[i, PARENT]
    bias = ld3(work, body * NW + ALPHA) if turning != 0 else point_bias(work, body, x)
    row[n] = root * dot(e, sub(wanted, bias))
    return r + 1


@part
def least_squares(d: Dance, many):
    """Accelerations of the base and of the joints, into `after`."""
    p, g, form, F = d.problem, d.gains, d.problem.form, d.problem.factors
    n, width = p.count.unknowns, p.count.width
    first = joints_of(p.ints)
    for k in range(width * width):
        form[k] = 0.0
    for k in range(n):
        weight = BASE if k < first else g.pose_weight
        form[k * width + k] = weight
        form[k * width + n] = -weight * g.pose_damping * p.v[k]
    pull = g.pose_weight * g.pose_stiffness
    for i in range(1, p.ints.shape[0]):
        if p.ints[i, FOLLOWS] == 0 and p.ints[i, DOF] == 1:
            j, k = p.ints[i, IV], p.ints[i, IQ]
            form[j * width + n] += pull * (d.goal[k] - p.q[k])
    for b in range(len(d.ball_at)):
        j, e = first + d.ball_at[b].dof, whole_turn(p.q, d.goal, d.ball_at[b].q)
        for c in range(3):
            form[(j + c) * width + n] += pull * e[c]
    add_squares(p.rows, many, n, width, form)
    for k in range(width * width):
        F[k] = form[k]
    eliminate(p, 0, padded(n))
    for k in range(p.after.shape[0]):
        p.after[k] = F[k * width + n] if k < n else 0.0
    back(F, 0, width, padded(n), padded(n), p.inverse, 0, p.after)


@inline
def whole_turn(q, goal, k):
    """Rotation vector, body axes, from quaternion q[k:k+4] to goal[k:k+4]: the shorter way."""
    e = scale(0.5, ball_error(q, goal, k))
    s = dot(e, e) ** 0.5
    w = abs(q[k] * goal[k] + q[k + 1] * goal[k + 1] + q[k + 2] * goal[k + 2] + q[k + 3] * goal[k + 3])
    return scale(2.0 * angle(s, w) / s if s > 1e-12 else 2.0, e)


@part
def into_limits(d: Dance, s: Step):
    """Joints beyond their limits onto them; v is then what led there."""
    ints, q, v, dt = d.problem.ints, d.problem.q, d.problem.v, s.numbers.dt
    first = joints_of(ints)
    before = s.q[d.info.q_first :]
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0 or ints[i, DOF] != 1:
            continue
        j, k = ints[i, IV] - first, ints[i, IQ]
        x = min(max(q[k], d.limit[j].least), d.limit[j].most)
        if x != q[k]:
            q[k] = x
            v[first + j] = (x - before[k]) / dt
    for b in range(len(d.ball)):
        k, j = d.ball_at[b].q, d.ball_at[b].dof
        if clamp_ball(d.ball[b], q, k):
            e = whole_turn(before, q, k)
            for c in range(3):
                v[first + j + c] = e[c] / dt


@part
def clamp_ball(ball: BallRange, q, k):
    """Quaternion q[k:k+4] inside a range of swing and twist; returns whether it was outside (bunraku.model.limits)."""
    w, x, y, z = q[k], q[k + 1], q[k + 2], q[k + 3]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    swing = 2.0 * angle((x * x + y * y) ** 0.5, (w * w + z * z) ** 0.5)
    twist = 2.0 * angle(abs(z), w) * (1.0 if z >= 0.0 else -1.0)
    if swing <= ball.swing and ball.twist_least <= twist <= ball.twist_most:
        return False
    s, c = sincos(-0.5 * twist)
    lx, ly = x * c + y * s, y * c - x * s  # the swing alone: q times a turn by -twist about z
    size = (lx * lx + ly * ly) ** 0.5
    ux, uy = (lx / size, ly / size) if size > 1e-12 else (1.0, 0.0)
    s, c = sincos(0.5 * min(swing, ball.swing))
    ts, tc = sincos(0.5 * min(max(twist, ball.twist_least), ball.twist_most))
    q[k] = c * tc
    q[k + 1] = s * (ux * tc + uy * ts)
    q[k + 2] = s * (uy * tc - ux * ts)
    q[k + 3] = c * ts
    return True
