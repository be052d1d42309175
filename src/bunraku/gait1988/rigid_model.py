"""The same 12-body figure as a chain of rigid bodies in three dimensions (mode `exact`), SI units.

Coordinates (absolute angles, rad): theta lateral lean of both legs; pitches psi trunk, b1 b2 b3 left thigh, shank,
foot, r1 r2 r3 right thigh, shank, foot (drawn downwards, so their pitch is -r), and the four arm segments. A leg
segment is turned by R = Rx(-theta) Ry(pitch), every other body by Ry(pitch); hence

    w  = -theta' e_x + pitch' e,   e = (0, cos theta, -sin theta),   w' = its derivative
    a  = a_joint + w' x d + w x (w x d)          for a point at d from its joint
    f  = m (a - g),   n = I w' + w x I w         Newton, Euler
    M  = sum r x f + n                           moment about the ZMP (origin): Mx = My = 0

With arms fixed (2 unknowns theta'', psi'') the arms turn with the trunk. With arms free (6 unknowns; report, section
8) each shoulder and elbow carries only the moment of a passive spring and damper about the y axis, which is four more
equations. All are linear in the unknown accelerations; `accelerations` finds the matrix by unit accelerations. Frames:
origin at the ZMP, x forward, y left, z up. Checked in tests/gait1988/test_rigid_model.py, against Bunraku's own rnea in
test_twelve_body_model.py, and by the power balance in test_servo.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bunraku.gait1988.twelve_bodies import A11, FF, MASS, PP, RR, SS, UH, D, E, F, G, H, O, Q, exact_inertias
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Many, Record, handle, inner, mat3, reals, vec3, whole, wholes
from bunraku.kernel.vec import add, cross, mv

PARENT = np.array([11, 0, 1, 2, 3, 4, 3, 6, 2, 8, 9, -1])
"""Body that carries each body; the support foot (11) has none."""

COORDINATES = (
    "theta",
    "psi",
    "left_beta1",
    "left_beta2",
    "left_beta3",
    "right_beta1",
    "right_beta2",
    "right_beta3",
    "right_upper_arm",
    "right_forearm",
    "left_upper_arm",
    "left_forearm",
)

UNKNOWNS = np.array([0, 1, 8, 9, 10, 11])
"""Coordinates whose accelerations are sought: the first two with arms fixed, all with arms free."""


class Chain(Record):
    """The figure: its 12 bodies (SI)."""

    joint = reals(12, 3)  # joint to the parent, from the parent's own joint, in the parent's frame
    centre = reals(12, 3)  # mass centre from the body's joint, in its frame
    pitch = wholes(12)  # coordinate that is its pitch
    sign = reals(12)  # of that pitch
    rolls = reals(12)  # 1 where the body leans with theta
    mass = reals(12)  # kg
    inertia = reals(12, 3)  # principal moments in its frame, kg m2
    spring = reals(4, 3)  # stiffness, damping, rest of shoulder R, elbow R, shoulder L, elbow L (ArmSprings)


class BodyMotion(Record):
    """A body in motion, and the force and moment on it."""

    joint = vec3()
    joint_velocity = vec3()
    joint_acceleration = vec3()
    centre = vec3()  # of mass
    velocity = vec3()  # of that
    acceleration = vec3()
    w = vec3()
    dw = vec3()  # w'
    turn = mat3()  # R
    force = vec3()  # f = m (a + g e_z)
    moment = vec3()  # n about the mass centre


class Bodies(Record):
    """All of them."""

    of = inner(BodyMotion, 12)


class Equations(Record):
    """The equations of one instant."""

    unknowns = whole()  # how many: 2 or 6
    c = reals(12, 3)  # coordinates, rates, accelerations
    body = inner(Bodies)
    residual = reals(6)  # what vanishes: Mx, My about the ZMP; with free arms the moments about shoulders and elbows
    matrix = reals(6, 7)  # scratch


class ArmSprings(NamedTuple):
    """Passive shoulders and elbows of the arms-free walk: stiffness N m/rad, damping N m s/rad, rest angle rad."""

    shoulder: tuple[float, float, float] = (0.0, 1.0, 0.0)
    elbow: tuple[float, float, float] = (6.0, 0.6, -0.4)


def chain(arms_free: bool = False, springs: ArmSprings | None = None) -> Chain:
    """The figure of Tables 3.1, 3.2 as a rigid chain; free arms hang straight, fixed ones are bent as in (3.6)."""
    out = Chain()
    joint, centre = out.joint, out.centre
    joint[11], centre[11] = (0.0, 0.0, 0.0), (0.0, 0.0, UH)
    joint[0], centre[0] = (0.0, 0.0, UH + H), (0.0, 0.0, F)
    joint[1], centre[1] = (0.0, 0.0, 2.0 * F), (0.0, 0.0, O)
    joint[2], centre[2] = (0.0, 0.0, 2.0 * O), (0.0, -D, PP)
    joint[3], centre[3] = (0.0, -D, PP), (0.0, 0.0, Q)
    joint[4], centre[4] = (0.0, -FF, RR), (0.0, 0.0, -E)
    joint[6], centre[6] = (0.0, FF, RR), (0.0, 0.0, -E)
    joint[5] = joint[7] = (0.0, 0.0, -2.0 * E)
    if arms_free:
        centre[5] = centre[7] = (0.0, 0.0, -SS)
    else:
        centre[5], centre[7] = (SS * A11, SS * A11, 0.0), (SS * A11, -SS * A11, 0.0)
    joint[8], centre[8] = (0.0, -2.0 * D, 0.0), (0.0, 0.0, -O)
    joint[9], centre[9] = (0.0, 0.0, -2.0 * O), (0.0, 0.0, -F)
    joint[10], centre[10] = (0.0, 0.0, -2.0 * F), (0.0, 0.0, -H)
    level = [1, 1, 1, 1]
    out.pitch[:] = [3, 2, 0, 1, *([8, 9, 10, 11] if arms_free else level), 5, 6, 7, 4]
    out.sign[:] = [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0]
    out.rolls[:] = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    out.mass[:] = G * MASS
    out.inertia[:] = G * np.stack(exact_inertias(), axis=1)
    springs = springs or ArmSprings()
    out.spring[:] = [springs.shoulder, springs.elbow, springs.shoulder, springs.elbow]
    return out


@inline
def point(b: BodyMotion, d):
    """Position, velocity and acceleration of the point d (frame of body b, from its joint)."""
    d = mv(b.turn, d)
    v = cross(b.w, d)
    a = add(add(b.joint_acceleration, cross(b.dw, d)), cross(b.w, v))
    return add(b.joint, d), add(b.joint_velocity, v), a


@part
def motion(figure: Chain, c, zmp, bodies: Bodies):
    """Position, velocity, acceleration of every body, and its force and moment.

    c[12, 3]: coordinates, rates, accelerations. zmp: ahead of the foot's centre, m.
    """
    joint, centre, pitch, sign = figure.joint, figure.centre, figure.pitch, figure.sign
    rolls, mass, inertia = figure.rolls, figure.mass, figure.inertia
    lean_s, lean_c = math.sin(c[0, 0]), math.cos(c[0, 0])
    for step in range(12):
        i = 11 if step == 0 else step - 1
        b = bodies.of[i]
        p, p1, p2 = sign[i] * c[pitch[i], 0], sign[i] * c[pitch[i], 1], sign[i] * c[pitch[i], 2]
        sp, cp = math.sin(p), math.cos(p)
        sr, cr, t1, t2 = 0.0, 1.0, 0.0, 0.0
        if rolls[i] > 0.0:
            sr, cr, t1, t2 = lean_s, lean_c, c[0, 1], c[0, 2]
        turn = (cp, 0.0, sp, -sr * sp, cr, sr * cp, -cr * sp, -sr, cr * cp)
        b.turn = turn
        b.w = w = (-t1, p1 * cr, -p1 * sr)
        b.dw = dw = (-t2, p2 * cr - p1 * t1 * sr, -p2 * sr - p1 * t1 * cr)
        parent = PARENT[i]
        ahead = 0.0
        if parent < 0:
            ahead = zmp
            b.joint = b.joint_velocity = b.joint_acceleration = (0.0, 0.0, 0.0)
        else:
            shift = zmp if parent == 11 else 0.0
            b.joint, b.joint_velocity, b.joint_acceleration = point(
                bodies.of[parent], (joint[i, 0] - shift, joint[i, 1], joint[i, 2])
            )
        b.centre, b.velocity, a = point(b, (centre[i, 0] - ahead, centre[i, 1], centre[i, 2]))
        b.acceleration = a
        b.force = (mass[i] * a[0], mass[i] * a[1], mass[i] * (a[2] + G))
        # n = I w' + w x I w with I = R diag(J) R'
        nx, ny, nz, hx, hy, hz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            ex, ey, ez = turn[k], turn[3 + k], turn[6 + k]
            spin = inertia[i, k] * (ex * w[0] + ey * w[1] + ez * w[2])
            hx, hy, hz = hx + ex * spin, hy + ey * spin, hz + ez * spin
            gain = inertia[i, k] * (ex * dw[0] + ey * dw[1] + ez * dw[2])
            nx, ny, nz = nx + ex * gain, ny + ey * gain, nz + ez * gain
        b.moment = (nx + w[1] * hz - w[2] * hy, ny + w[2] * hx - w[0] * hz, nz + w[0] * hy - w[1] * hx)


@entry("h DD d h")
def move(figure, c, zmp, bodies):
    """`motion`, for Python."""
    motion(Chain(figure), c, zmp, Bodies(bodies))


def bodies_at(figure: Chain, c: np.ndarray, zmp: float) -> Many[BodyMotion]:
    """The 12 bodies at coordinates c[12, 3], the ZMP ahead of the foot's centre by zmp m."""
    bodies = Bodies()
    move.call(handle(figure), np.ascontiguousarray(c), float(zmp), handle(bodies))
    return bodies.of


@part
def residual(figure: Chain, s: Equations, zmp):
    """The equations that vanish, s.residual."""
    c, q = s.c, s.residual
    motion(figure, c, zmp, s.body)
    body = s.body.of
    q[:] = 0.0
    for i in range(12):
        r, f, n = body[i].centre, body[i].force, body[i].moment
        q[0] += r[1] * f[2] - r[2] * f[1] + n[0]
        q[1] += r[2] * f[0] - r[0] * f[2] + n[1]
    if s.unknowns > 2:
        spring = figure.spring
        for side in range(2):
            upper, fore = 4 + 2 * side, 5 + 2 * side
            c_upper, c_fore = 8 + 2 * side, 9 + 2 * side
            for k in range(2):
                pivot = upper if k == 0 else fore
                moment = 0.0
                for i in range(pivot, fore + 1):
                    r, f, n = body[i].centre, body[i].force, body[i].moment
                    x, z = r[0] - body[pivot].joint[0], r[2] - body[pivot].joint[2]
                    moment += z * f[0] - x * f[2] + n[1]
                angle = c[c_upper, 0] - c[1, 0] if k == 0 else c[c_fore, 0] - c[c_upper, 0]
                rate = c[c_upper, 1] - c[1, 1] if k == 0 else c[c_fore, 1] - c[c_upper, 1]
                p = spring[2 * side + k]
                q[2 + 2 * side + k] = moment + p[0] * (angle - p[2]) + p[1] * rate


@part
def accelerations(figure: Chain, s: Equations, zmp):
    """Fill the unknown accelerations in s.c so that the residual vanishes. Returns 0, or 1 if singular."""
    n, c, q, matrix = s.unknowns, s.c, s.residual, s.matrix
    for k in range(n):
        c[UNKNOWNS[k], 2] = 0.0
    residual(figure, s, zmp)
    for k in range(n):
        matrix[k, n] = -q[k]
    for j in range(n):
        c[UNKNOWNS[j], 2] = 1.0
        residual(figure, s, zmp)
        c[UNKNOWNS[j], 2] = 0.0
        for k in range(n):
            matrix[k, j] = q[k] + matrix[k, n]
    for j in range(n):  # Gauss elimination with row pivots
        pivot = j
        for k in range(j + 1, n):
            if abs(matrix[k, j]) > abs(matrix[pivot, j]):
                pivot = k
        if not abs(matrix[pivot, j]) > 1e-12:
            return 1
        if pivot != j:
            for k in range(n + 1):
                matrix[j, k], matrix[pivot, k] = matrix[pivot, k], matrix[j, k]
        for k in range(j + 1, n):
            factor = matrix[k, j] / matrix[j, j]
            for m in range(j, n + 1):
                matrix[k, m] -= factor * matrix[j, m]
    for j in range(n - 1, -1, -1):
        value = matrix[j, n]
        for k in range(j + 1, n):
            value -= matrix[j, k] * c[UNKNOWNS[k], 2]
        c[UNKNOWNS[j], 2] = value / matrix[j, j]
    return 0
