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
from bunraku.kernel.compile import inline, kernel
from bunraku.kernel.vec import add, cross, dot

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

FIXED_UNKNOWNS = np.array([0, 1])
FREE_UNKNOWNS = np.array([0, 1, 8, 9, 10, 11])


class Chain(NamedTuple):
    """The figure as arrays over its 12 bodies (SI)."""

    joint: np.ndarray  # (12, 3) joint to the parent, from the parent's own joint, in the parent's frame
    centre: np.ndarray  # (12, 3) mass centre from the body's joint, in its frame
    source: np.ndarray  # (12,) coordinate that is its pitch
    sign: np.ndarray  # (12,) sign of that pitch
    rolls: np.ndarray  # (12,) 1 where the body leans with theta
    mass: np.ndarray  # (12,) kg
    inertia: np.ndarray  # (12, 3) principal moments in its frame, kg m2
    spring: np.ndarray  # (4, 3) stiffness, damping, rest of shoulder R, elbow R, shoulder L, elbow L (ArmSprings)


class ArmSprings(NamedTuple):
    """Passive shoulders and elbows of the arms-free walk: stiffness N m/rad, damping N m s/rad, rest angle rad."""

    shoulder: tuple[float, float, float] = (0.0, 1.0, 0.0)
    elbow: tuple[float, float, float] = (6.0, 0.6, -0.4)


def chain(arms_free: bool = False, springs: ArmSprings | None = None) -> Chain:
    """The figure of Tables 3.1, 3.2 as a rigid chain; free arms hang straight, fixed ones are bent as in (3.6)."""
    joint = np.zeros((12, 3))
    centre = np.zeros((12, 3))
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
    source = np.array([3, 2, 0, 1, *([8, 9, 10, 11] if arms_free else level), 5, 6, 7, 4])
    sign = np.array([1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0])
    rolls = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    inertia = G * np.stack(exact_inertias(), axis=1)
    springs = springs or ArmSprings()
    spring = np.array([springs.shoulder, springs.elbow, springs.shoulder, springs.elbow], dtype=float)
    return Chain(joint, centre, source, sign, rolls, G * MASS, inertia, spring)


@inline
def row(out, i, k):
    """Row k of body i."""
    return (out[i, k, 0], out[i, k, 1], out[i, k, 2])


@inline
def put_row(out, i, k, x):
    """Set row k of body i."""
    out[i, k, 0], out[i, k, 1], out[i, k, 2] = x[0], x[1], x[2]


@inline
def point(out, i, d, j, rows):
    """Motion of the point d (frame of body i, from its joint): fills rows (position, velocity, acceleration) of
    out[j]."""
    d = (dot(row(out, i, 6), d), dot(row(out, i, 7), d), dot(row(out, i, 8), d))
    w = row(out, i, 4)
    v = cross(w, d)
    put_row(out, j, rows[0], add(row(out, i, 0), d))
    put_row(out, j, rows[1], add(row(out, i, 9), v))
    put_row(out, j, rows[2], add(add(row(out, i, 10), cross(row(out, i, 5), d)), cross(w, v)))


@kernel
def motion(figure, c, zmp, out, wrench):
    """Position, velocity, acceleration of every body, and its force and moment.

    c[12, 3]: coordinates, rates, accelerations. zmp: ahead of the foot's centre, m. Fills out[12, 11, 3] with rows
    0 joint, 1 centre, 2 centre velocity, 3 centre acceleration, 4 w, 5 w', 6-8 rotation matrix R, 9 joint velocity,
    10 joint acceleration, and wrench[12, 2, 3] with f = m (a + g e_z) and n about the mass centre.
    """
    joint, centre, source, sign = figure.joint, figure.centre, figure.source, figure.sign
    rolls, mass, inertia = figure.rolls, figure.mass, figure.inertia
    lean_s, lean_c = math.sin(c[0, 0]), math.cos(c[0, 0])
    for step in range(12):
        i = 11 if step == 0 else step - 1
        p, p1, p2 = sign[i] * c[source[i], 0], sign[i] * c[source[i], 1], sign[i] * c[source[i], 2]
        sp, cp = math.sin(p), math.cos(p)
        sr, cr, t1, t2 = 0.0, 1.0, 0.0, 0.0
        if rolls[i] > 0.0:
            sr, cr, t1, t2 = lean_s, lean_c, c[0, 1], c[0, 2]
        out[i, 6, 0], out[i, 6, 1], out[i, 6, 2] = cp, 0.0, sp
        out[i, 7, 0], out[i, 7, 1], out[i, 7, 2] = -sr * sp, cr, sr * cp
        out[i, 8, 0], out[i, 8, 1], out[i, 8, 2] = -cr * sp, -sr, cr * cp
        out[i, 4, 0], out[i, 4, 1], out[i, 4, 2] = -t1, p1 * cr, -p1 * sr
        out[i, 5, 0], out[i, 5, 1], out[i, 5, 2] = -t2, p2 * cr - p1 * t1 * sr, -p2 * sr - p1 * t1 * cr
        parent = PARENT[i]
        if parent < 0:
            for k in range(3):
                out[i, 0, k] = out[i, 9, k] = out[i, 10, k] = 0.0
            point(out, i, (centre[i, 0] - zmp, centre[i, 1], centre[i, 2]), i, (1, 2, 3))
        else:
            shift = zmp if parent == 11 else 0.0
            point(out, parent, (joint[i, 0] - shift, joint[i, 1], joint[i, 2]), i, (0, 9, 10))
            point(out, i, (centre[i, 0], centre[i, 1], centre[i, 2]), i, (1, 2, 3))
        # f = m (a + g e_z); n = I w' + w x I w with I = R diag(J) R'
        wrench[i, 0, 0] = mass[i] * out[i, 3, 0]
        wrench[i, 0, 1] = mass[i] * out[i, 3, 1]
        wrench[i, 0, 2] = mass[i] * (out[i, 3, 2] + G)
        wx, wy, wz = out[i, 4, 0], out[i, 4, 1], out[i, 4, 2]
        ax, ay, az = out[i, 5, 0], out[i, 5, 1], out[i, 5, 2]
        nx, ny, nz, hx, hy, hz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            ex, ey, ez = out[i, 6, k], out[i, 7, k], out[i, 8, k]
            spin = inertia[i, k] * (ex * wx + ey * wy + ez * wz)
            hx, hy, hz = hx + ex * spin, hy + ey * spin, hz + ez * spin
            gain = inertia[i, k] * (ex * ax + ey * ay + ez * az)
            nx, ny, nz = nx + ex * gain, ny + ey * gain, nz + ez * gain
        wrench[i, 1, 0] = nx + wy * hz - wz * hy
        wrench[i, 1, 1] = ny + wz * hx - wx * hz
        wrench[i, 1, 2] = nz + wx * hy - wy * hx


@kernel
def residual(figure, c, zmp, free, out, wrench, q):
    """The equations that vanish: q[0], q[1] = Mx, My about the ZMP; with free arms q[2:6] about shoulders and
    elbows."""
    motion(figure, c, zmp, out, wrench)
    q[:] = 0.0
    for i in range(12):
        q[0] += out[i, 1, 1] * wrench[i, 0, 2] - out[i, 1, 2] * wrench[i, 0, 1] + wrench[i, 1, 0]
        q[1] += out[i, 1, 2] * wrench[i, 0, 0] - out[i, 1, 0] * wrench[i, 0, 2] + wrench[i, 1, 1]
    if free:
        spring = figure.spring
        for side in range(2):
            upper, fore = 4 + 2 * side, 5 + 2 * side
            c_upper, c_fore = 8 + 2 * side, 9 + 2 * side
            for k in range(2):
                pivot = upper if k == 0 else fore
                moment = 0.0
                for i in range(pivot, fore + 1):
                    x, z = out[i, 1, 0] - out[pivot, 0, 0], out[i, 1, 2] - out[pivot, 0, 2]
                    moment += z * wrench[i, 0, 0] - x * wrench[i, 0, 2] + wrench[i, 1, 1]
                angle = c[c_upper, 0] - c[1, 0] if k == 0 else c[c_fore, 0] - c[c_upper, 0]
                rate = c[c_upper, 1] - c[1, 1] if k == 0 else c[c_fore, 1] - c[c_upper, 1]
                s = spring[2 * side + k]
                q[2 + 2 * side + k] = moment + s[0] * (angle - s[2]) + s[1] * rate


@kernel
def accelerations(figure, c, zmp, unknowns, out, wrench, q, matrix):
    """Fill c[unknowns, 2] so that the residual vanishes. matrix[n, n + 1] is scratch. Returns 0, or 1 if singular."""
    n = unknowns.shape[0]
    free = n > 2
    for k in range(n):
        c[unknowns[k], 2] = 0.0
    residual(figure, c, zmp, free, out, wrench, q)
    for k in range(n):
        matrix[k, n] = -q[k]
    for j in range(n):
        c[unknowns[j], 2] = 1.0
        residual(figure, c, zmp, free, out, wrench, q)
        c[unknowns[j], 2] = 0.0
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
            value -= matrix[j, k] * c[unknowns[k], 2]
        c[unknowns[j], 2] = value / matrix[j, j]
    return 0
