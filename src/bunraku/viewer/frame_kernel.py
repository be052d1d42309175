"""Kernels that read a frame off a world's arrays: poses and centres of mass; contacts with the states of their patches,
forces and ground moments; forces of connections.

World axes, SI units. Cost: 3 us for a standing figure. Checked in tests/viewer/test_world_frames.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Record, many, matrix, real, reals, vec3, whole
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, ld9, mv
from bunraku.step.step_arrays import Step
from bunraku.step.step_log import PRESSING, TOUCH, LogCorner, patch_state
from bunraku.step.tie_rows import CONNECTION, ends_of, first_frame
from bunraku.world.readings_kernel import quaternion

NAN = float("nan")
PULL = 4.0  # what stands for a patch's state where a row is the force of a connection


class BodyMass(Record):
    """A body of the figures."""

    figure = whole()
    mass = real()  # kg
    first = vec3()  # kg m: mass times centre of mass in the body


class BodyPose(Record):
    """A body in a frame."""

    place = vec3()  # m
    turn = reals(4)  # quaternion wxyz


class MassPoint(Record):
    """Sums over the bodies of a figure."""

    moment = vec3()  # kg m: mass times place
    mass = real()  # kg


class ContactRow(Record):
    """A contact point in a frame."""

    point = vec3()  # m
    force = vec3()  # N
    patch = real()
    state = real()
    body_a = real()  # -1: the world
    body_b = real()


class FigureForce(Record):
    """What contacts do to a figure."""

    force = vec3()  # N from all that is not itself
    ground = vec3()  # N of what does not move,
    moment = vec3()  # N m of it about the world's origin,
    lift = real()  # N m: height times upward force of it


class FigureRow(Record):
    """A figure in a frame."""

    com = vec3()  # m
    zmp = vec3()


class FigureFrame(Record):
    """What frames of figures side by side in one model are made of."""

    rotation = matrix()  # (nb + 1, 9) of the bodies, the world first
    position = matrix()  # (nb + 1, 3)
    bodies = many(BodyMass)  # (nb)
    poses = many(BodyPose)  # (nb)
    centres = many(MassPoint)  # (ng)
    figures = many(FigureRow)  # (ng)


class WorldFrame(Record):
    """What a frame tells of the contacts of a world."""

    rows = many(ContactRow)
    corners = many(LogCorner)  # scratch, as many
    figures = many(FigureForce)
    zmp = matrix()  # (ng, 3)


@entry("h")
def body_rows(h):
    """Fill poses and centres of a FigureFrame from rotations and positions."""
    t = FigureFrame(h)
    for k in range(len(t.centres)):
        t.centres[k].moment = (0.0, 0.0, 0.0)
        t.centres[k].mass = 0.0
    for i in range(len(t.poses)):
        r = ld9(t.rotation[i + 1], 0)
        p = ld3(t.position[i + 1], 0)
        q = quaternion(r)
        pose = t.poses[i]
        pose.place = p
        for k in range(4):
            pose.turn[k] = q[k]
        body = t.bodies[i]
        centre = t.centres[body.figure]
        centre.moment = add(centre.moment, axpy(body.mass, p, mv(r, body.first)))
        centre.mass += body.mass
    return 0


@entry("h h")
def contact_rows(h, own):
    """Fill rows and figures of a WorldFrame from the contacts and connections of the last step of a world; returns how
    many rows they are."""
    s, t = Step(h), WorldFrame(own)
    found, dt = s.detection, s.numbers.dt
    for k in range(len(t.figures)):
        t.figures[k].force = (0.0, 0.0, 0.0)
        t.figures[k].ground = (0.0, 0.0, 0.0)
        t.figures[k].moment = (0.0, 0.0, 0.0)
        t.figures[k].lift = 0.0
    count = 0
    begin = 0
    patch = 0
    for i in range(s.info.contacts):
        if i and found.ids[i].patch != found.ids[i - 1].patch:
            count, patch = closed(t, begin, count, patch, found.contacts[i - 1].normal)
            begin = count
        impulse = s.memory[i].impulse
        force = (impulse[0] / dt, impulse[1] / dt, impulse[2] / dt)
        point = found.contacts[i].point
        a = found.kinds[found.ids[i].a]
        b = found.kinds[found.ids[i].b]
        for side in range(2):
            mine, other, sign = (a, b, 1.0) if side == 0 else (b, a, -1.0)
            if mine.figure < 0:
                continue
            to = t.figures[mine.figure]
            if mine.figure != other.figure:
                to.force = axpy(sign, force, to.force)
            if mine.body > 0 and other.body == 0:
                to.ground = axpy(sign, force, to.ground)
                to.moment = axpy(sign, cross(point, force), to.moment)
                to.lift += sign * point[2] * force[2]
        if found.contacts[i].gap <= TOUCH or dot(force, found.contacts[i].normal) > PRESSING:
            row = t.rows[count]
            row.point = point
            row.force = force
            row.body_a = a.body - 1.0
            row.body_b = b.body - 1.0
            count += 1
    if s.info.contacts > 0:
        count, patch = closed(t, begin, count, patch, found.contacts[s.info.contacts - 1].normal)
    return pulls(s, t, count, patch)


@inline
def pulls(s: Step, t: WorldFrame, count, patch):
    """A row for each connection that carried a force, at the point of the second body, on the first."""
    last = s.tie_last
    for c in range(len(s.tie_kinds)):
        kind = s.tie_kinds[c]
        force = (last[6 * c], last[6 * c + 1], last[6 * c + 2])
        if kind.active == CONNECTION and dot(force, force) > PRESSING * PRESSING:
            row = t.rows[count]
            row.point = ends_of(s, c)[1]
            row.force = mv(first_frame(s, c), force)
            row.patch = patch
            row.state = PULL
            row.body_a = kind.body_a - 1.0
            row.body_b = kind.body_b - 1.0
            count += 1
            patch += 1
    return count


@inline
def closed(t: WorldFrame, begin, end, patch, normal):
    """Write number and state of the patch of rows begin … end; returns (end, number of the next patch)."""
    if end == begin:
        return end, patch
    for i in range(begin, end):
        corner = t.corners[i - begin]
        corner.point = t.rows[i].point
        corner.press = dot(t.rows[i].force, normal)
    state = patch_state(t.corners, end - begin)
    for i in range(begin, end):
        t.rows[i].patch = patch
        t.rows[i].state = state
    return end, patch + 1


@entry("h")
def zero_moment_rows(own):
    """Fill zmp of a WorldFrame: the formula of bunraku.world.measures, NaN where no ground pushes up."""
    t = WorldFrame(own)
    for k in range(len(t.figures)):
        f, m = t.figures[k].ground, t.figures[k].moment
        up = f[2]
        h = t.figures[k].lift / up if up > PRESSING else NAN
        t.zmp[k, 0] = (h * f[0] - m[1]) / up if up > PRESSING else NAN
        t.zmp[k, 1] = (m[0] + h * f[1]) / up if up > PRESSING else NAN
        t.zmp[k, 2] = h
    return 0


@entry("h DD")
def figure_rows(h, zmp):
    """Fill figures of a FigureFrame from its centres and zmp (ng, 3); NaN for a figure without mass."""
    t = FigureFrame(h)
    for k in range(len(t.figures)):
        mass, m = t.centres[k].mass, t.centres[k].moment
        known = mass > 0.0
        t.figures[k].com = (m[0] / mass if known else NAN, m[1] / mass if known else NAN, m[2] / mass if known else NAN)
        t.figures[k].zmp = (zmp[k, 0], zmp[k, 1], zmp[k, 2])
    return 0


class CurvePlan(Record):
    """A degree of freedom that has a curve."""

    iq = whole()  # index into q
    iv = whole()  # into v
    part = whole()  # which part of a ball's rotation vector, -1: no ball
    scale = real()  # of its value


class CurveArrays(Record):
    """All of them."""

    plan = many(CurvePlan)


@entry("h D D D")
def curve_rows(h, q, torques, out):
    """Fill out (2 n,) with the values of n degrees of freedom, then their torques."""
    plan = CurveArrays(h).plan
    n = len(plan)
    for k in range(n):
        i, part = plan[k].iq, plan[k].part
        if part < 0:
            x = q[i]
        else:  # v angle / |v| of the quaternion (w, v), the shorter way round
            s = (q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]) ** 0.5
            w = q[i]
            turn = 2.0 * math.atan2(s, abs(w)) / s if s > 1e-150 else 2.0
            x = q[i + 1 + part] * (turn if w >= 0.0 else -turn)
        out[k] = plan[k].scale * x
        out[n + k] = torques[plan[k].iv]
    return 0
