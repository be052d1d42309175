"""The report's own equations of the 12 bodies, with every error of its program (mode `historical`).

State (theta, psi, theta', psi'): lateral lean of the legs and forward lean of the trunk. Mass centres follow (3.6), the
zero-moment conditions about the ZMP (origin) are

    sum m [Y (Z''+g) - Z Y''] + sum Mx = 0,      sum m [Z X'' - X (Z''+g)] + sum My = 0                     (3.4)

with the rotation terms (3.5); both are linear in theta'', psi'' and give (3.10). Errors kept on purpose, because the
printed tables contain them: links shortened by cos theta in X, wrong sign of the forearm term in Z(6) and Z(8),
X''(11) without X''(3), Z''(10) and Z''(11) too low by 2 F cos th (r2'' sin r2 + r2'^2 cos r2), Jy of body 9 ten times
too large, and wrong signs of Mx, Mz and of My on the right leg. `rigid_model` is the same figure done right.

Frames and units as in `figure`: kgf, m, s. `body[i, axis, order]`: body i, axis x y z, order 0 position 1 velocity
2 acceleration. Checked against Figs 6.2(c), 6.3(b), 6.3(c) in tests/gait1988/test_report.py.
"""

from __future__ import annotations

import math

from bunraku.gait1988.twelve_bodies import A11, FF, PP, RR, SS, UH, D, E, F, G, H, O, Q
from bunraku.kernel.compile import part
from bunraku.kernel.record import Record, reals


class TwelveBodies(Record):
    """The figure and what it does at one instant."""

    mass = reals(12)
    jx = reals(12)
    jy = reals(12)
    jz = reals(12)
    lean = reals(3)  # theta with derivatives
    trunk = reals(3)  # psi with derivatives
    body = reals(12, 3, 3)
    spin = reals(12, 3)  # Mx, My, Mz of each body
    segments = reals(7, 3, 3)  # scratch: directions of the left leg's, the right leg's and the trunk
    level = reals(3)  # the lean of feet and trunk: none


@part
def direction(lean, pitch, out):
    """Unit vector along a leg segment with time derivatives, out[axis, order], from lean[3] and pitch[3] (angle, ',
    '').

    x = cos lean sin pitch (the report's), y = sin lean cos pitch, z = cos lean cos pitch.
    """
    sl, cl = math.sin(lean[0]), math.cos(lean[0])
    sp, cp = math.sin(pitch[0]), math.cos(pitch[0])
    sl1, cl1 = cl * lean[1], -sl * lean[1]
    sp1, cp1 = cp * pitch[1], -sp * pitch[1]
    sl2, cl2 = cl * lean[2] - sl * lean[1] ** 2, -sl * lean[2] - cl * lean[1] ** 2
    sp2, cp2 = cp * pitch[2] - sp * pitch[1] ** 2, -sp * pitch[2] - cp * pitch[1] ** 2
    out[0, 0], out[0, 1], out[0, 2] = cl * sp, cl1 * sp + cl * sp1, cl2 * sp + 2.0 * cl1 * sp1 + cl * sp2
    out[1, 0], out[1, 1], out[1, 2] = sl * cp, sl1 * cp + sl * cp1, sl2 * cp + 2.0 * sl1 * cp1 + sl * cp2
    out[2, 0], out[2, 1], out[2, 2] = cl * cp, cl1 * cp + cl * cp1, cl2 * cp + 2.0 * cl1 * cp1 + cl * cp2


@part
def bodies(t: TwelveBodies, row, zmp):
    """Mass centres of the 12 bodies with derivatives, (3.6).

    row[6, 3] leg angles (left beta1-3, right beta1-3), zmp ahead of the foot's centre; fills t.body.
    """
    lean, level, work, body = t.lean, t.level, t.segments, t.body
    left1, left2, left3 = work[0], work[1], work[2]
    right1, right2, right3, up = work[3], work[4], work[5], work[6]
    direction(lean, row[0], left1)
    direction(lean, row[1], left2)
    direction(level, row[2], left3)
    direction(lean, row[3], right1)
    direction(lean, row[4], right2)
    direction(level, row[5], right3)
    direction(level, t.trunk, up)
    for order in range(3):
        for axis in range(3):
            side = 1.0 if axis == 1 else 0.0
            constant = side if order == 0 else 0.0
            # left foot (12): turned by beta3 about the ZMP; its centre is -zmp ahead of it and UH above
            along = left3[2, order] if axis == 0 else (-left3[0, order] if axis == 2 else 0.0)
            foot = UH * left3[axis, order] - zmp * along
            shank = foot + H * left3[axis, order] + F * left2[axis, order]
            thigh = shank + F * left2[axis, order] + O * left1[axis, order]
            hip = thigh + O * left1[axis, order]
            pelvis = hip - D * constant
            if axis == 2 and order == 0:
                pelvis += PP
            sign = -1.0 if axis != 0 else 1.0  # the right leg points down: y and z against the axis of the left leg
            thigh_r = pelvis - D * constant + sign * O * right1[axis, order]
            if axis == 2 and order == 0:
                thigh_r -= PP
            shank_r = thigh_r + sign * (O * right1[axis, order] + F * right2[axis, order])
            foot_r = shank_r + sign * (F * right2[axis, order] + H * right3[axis, order])
            # forearm: forward SS A11 (cos psi), and + sin psi in z where a rigid arm has - sin psi
            forward = up[2, order] if axis == 0 else (up[0, order] if axis == 2 else 0.0)
            arm = pelvis + (RR - E) * up[axis, order]
            forearm = pelvis + (RR - 2.0 * E) * up[axis, order] + SS * A11 * forward
            body[0, axis, order] = shank
            body[1, axis, order] = thigh
            body[2, axis, order] = pelvis
            body[3, axis, order] = pelvis + Q * up[axis, order]
            body[4, axis, order] = arm - FF * constant
            body[5, axis, order] = forearm - (FF - SS * A11) * constant
            body[6, axis, order] = arm + FF * constant
            body[7, axis, order] = forearm + (FF - SS * A11) * constant
            body[8, axis, order] = thigh_r
            body[9, axis, order] = shank_r
            body[10, axis, order] = foot_r
            body[11, axis, order] = foot
    # program errors
    body[10, 0, 2] -= body[2, 0, 2]
    wrong = 2.0 * F * math.cos(lean[0]) * (row[4, 2] * math.sin(row[4, 0]) + row[4, 1] ** 2 * math.cos(row[4, 0]))
    body[9, 2, 2] -= wrong
    body[10, 2, 2] -= wrong


@part
def rotation_terms(t: TwelveBodies, row):
    """Moments of the rotations, t.spin (3.5); Mz is not printed but used by MOMA."""
    lean, spin, jx, jy, jz = t.lean, t.spin, t.jx, t.jy, t.jz
    spin[:] = 0.0
    st, ct = math.sin(lean[0]), math.cos(lean[0])
    t1, t2 = lean[1], lean[2]
    for k in range(4):
        i = (1, 0, 8, 9)[k]
        pitch = row[(0, 1, 3, 4)[k]]
        s, c, p1, p2 = math.sin(pitch[0]), math.cos(pitch[0]), pitch[1], pitch[2]
        x, y, z = jx[i], jy[i], jz[i]
        spin[i, 0] = t2 * (x * c * c + z * s * s) + 2.0 * (z - x) * t1 * p1 * s * c
        spin[i, 1] = (
            y * p2 * ct
            + t2 * (x - z) * s * c * st
            + t1 * p1 * st * ((z - x) * (s * s - c * c) - y)
            + (x - z) * t1 * t1 * s * c * ct
        )
        spin[i, 2] = y * (p2 * st + t1 * p1 * ct) + (z - x) * (
            ct * (s * c * t2 + (c * c - s * s) * p1 * t1) - s * c * t1 * t1 * st
        )
    for i in range(2, 8):
        spin[i, 1] = jy[i] * t.trunk[2]


@part
def moments_at_zmp(t: TwelveBodies, row, zmp):
    """The two left-hand sides of (3.4), kgf m, at the lean and trunk that are set."""
    bodies(t, row, zmp)
    rotation_terms(t, row)
    mass, body, spin = t.mass, t.body, t.spin
    mx, my = 0.0, 0.0
    for i in range(12):
        x, y, z = body[i, 0, 0], body[i, 1, 0], body[i, 2, 0]
        lift = body[i, 2, 2] + G
        mx += mass[i] * (y * lift - z * body[i, 1, 2]) + spin[i, 0]
        my += mass[i] * (z * body[i, 0, 2] - x * lift) + spin[i, 1]
    return mx, my


@part
def derivative(t: TwelveBodies, row, zmp, state, rate):
    """DERIV: rate = d(state)/dt from (3.10). t.body, t.spin hold the bodies at these accelerations."""
    lean, trunk = t.lean, t.trunk
    lean[0], lean[1] = state[0], state[2]
    trunk[0], trunk[1] = state[1], state[3]
    lean[2] = trunk[2] = 0.0
    bx, by = moments_at_zmp(t, row, zmp)
    lean[2] = 1.0
    ax, ay = moments_at_zmp(t, row, zmp)
    lean[2], trunk[2] = 0.0, 1.0
    cx, cy = moments_at_zmp(t, row, zmp)
    a11, a21, a12, a22 = ax - bx, ay - by, cx - bx, cy - by
    det = a11 * a22 - a12 * a21
    if det == 0.0:
        det = math.nan  # the caller stops at a state that is not a number
    lean[2] = (-bx * a22 + by * a12) / det
    trunk[2] = (-by * a11 + bx * a21) / det
    bodies(t, row, zmp)
    rotation_terms(t, row)
    rate[0], rate[1], rate[2], rate[3] = state[2], state[3], lean[2], trunk[2]
