"""Rotations in Python: matrices, unit quaternions wxyz and rotation vectors (axis times angle [rad]), one or many.

All functions but `rotation_matrix`, which checks what a user gives, work over leading axes. Quaternions of matrices
come from their largest component (Shepperd 1978) and have w >= 0, without loss near half a turn. Kernels have their own
in bunraku.kernel.vec. Checked in tests/model/test_rotations.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bunraku.errors import ModelError

BACK = np.array([1.0, -1.0, -1.0, -1.0])  # times a unit quaternion: its inverse
NEARLY_HALF = -0.9  # cosine of a turn beyond which the sine no longer gives its axis well


# ---- matrices ------------------------------------------------------------------------------------------------------


def rotation_matrix(rotation: Any, what: str = "rotation") -> np.ndarray:
    """A 3x3 rotation from None (identity), a 3x3 matrix or a quaternion wxyz; refuses what is neither."""
    if rotation is None:
        return np.eye(3)
    try:
        r = np.asarray(rotation, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(
            f"{what}: {rotation!r:.60} cannot be read as numbers; write a quaternion (4) or a 3x3 matrix."
        ) from None
    if r.shape == (4,):
        n = float(np.linalg.norm(r))
        if not math.isfinite(n) or n < 1e-9:
            raise ModelError(f"{what}: quaternion {tuple(r.tolist())} has no direction; write e.g. 1 0 0 0.")
        return matrix(r / n)
    if r.shape == (3, 3):
        if not np.all(np.isfinite(r)) or np.abs(r @ r.T - np.eye(3)).max() > 1e-6 or np.linalg.det(r) < 0:
            raise ModelError(f"{what}: the 3x3 matrix is not a rotation.")
        return r.copy()
    raise ModelError(f"{what}: shape {r.shape} is neither a quaternion (4) nor a 3x3 matrix.")


def matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (…, 3, 3) of unit quaternions (…, 4)."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0], out[..., 0, 1], out[..., 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[..., 1, 0], out[..., 1, 1], out[..., 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[..., 2, 0], out[..., 2, 1], out[..., 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return out


def about(axis: int, angle: float | np.ndarray) -> np.ndarray:
    """Rotation matrices (…, 3, 3) of turns by angles (…) [rad] about coordinate axis 0, 1 or 2."""
    c, s = np.cos(angle), np.sin(angle)
    out = np.zeros((*np.shape(angle), 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[..., axis, axis] = 1.0
    out[..., i, i], out[..., j, j], out[..., j, i], out[..., i, j] = c, c, s, -s
    return out


def rpy_matrix(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Rz(yaw) Ry(pitch) Rx(roll), the convention of URDF [rad]."""
    cr, sr, cp, sp, cy, sy = (f(x) for x in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def frame_along(z: np.ndarray) -> np.ndarray:
    """A rotation whose third column is the unit vector z, for what lies along its own z axis (capsules, bones, axes of
    joints); its first column is square to the coordinate axis that z is farthest from."""
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def skew(x: np.ndarray) -> np.ndarray:
    """(…, 3, 3) with skew(x) y = x cross y."""
    out = np.zeros((*x.shape[:-1], 3, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -x[..., 2], x[..., 1], -x[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = x[..., 2], -x[..., 1], x[..., 0]
    return out


# ---- quaternions ---------------------------------------------------------------------------------------------------


def quaternion(R: np.ndarray) -> np.ndarray:
    """Unit quaternions (…, 4) of rotation matrices (…, 3, 3), w >= 0."""
    each = np.empty((*R.shape[:-2], 4, 4))  # each row is the quaternion times four of its components
    a, b, c = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    each[..., 0, 0], each[..., 1, 1], each[..., 2, 2], each[..., 3, 3] = (
        1 + a + b + c,
        1 + a - b - c,
        1 - a + b - c,
        1 - a - b + c,
    )
    for n, i, j in ((1, 2, 1), (2, 0, 2), (3, 1, 0)):
        each[..., 0, n] = each[..., n, 0] = R[..., i, j] - R[..., j, i]
    for n, m in ((1, 2), (1, 3), (2, 3)):
        each[..., n, m] = each[..., m, n] = R[..., n - 1, m - 1] + R[..., m - 1, n - 1]
    largest = each.diagonal(axis1=-2, axis2=-1).argmax(axis=-1)
    q = each[(*np.indices(largest.shape), largest)]
    length = np.sqrt((q * q).sum(axis=-1, keepdims=True))
    return q / np.where(q[..., :1] < 0, -length, length)


def quaternion_about(axis: int, angle: float | np.ndarray) -> np.ndarray:
    """Quaternions (…, 4) of turns by angles (…) [rad] about coordinate axis 0, 1 or 2."""
    out = np.zeros((*np.shape(angle), 4))
    half = 0.5 * np.asarray(angle)
    out[..., 0], out[..., 1 + axis] = np.cos(half), np.sin(half)
    return out


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternion products a b."""
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out = np.empty((*np.broadcast_shapes(a.shape, b.shape)[:-1], 4))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def turn_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rotation vectors (…, 3), in the axes of the unit quaternions a (…, 4), of the turns from a to b."""
    return logarithm(multiply(a * BACK, b))


def without_jumps(q: np.ndarray) -> np.ndarray:
    """Rows of quaternions (n, …, 4), each with the sign that is nearer to the row before."""
    flips = np.where(np.sum(q[1:] * q[:-1], axis=-1, keepdims=True) < 0, -1.0, 1.0)
    return np.concatenate([q[:1], q[1:] * np.cumprod(flips, axis=0)])


# ---- rotation vectors ----------------------------------------------------------------------------------------------


def exponential(w: np.ndarray) -> np.ndarray:
    """Quaternions (…, 4) of rotation vectors (…, 3)."""
    half = 0.5 * np.linalg.norm(w, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * w], axis=-1)


def logarithm(q: np.ndarray) -> np.ndarray:
    """Rotation vectors (…, 3) of unit quaternions (…, 4), the shorter way round."""
    q = np.where(q[..., :1] < 0, -q, q)
    n = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    small = n < 1e-12
    return np.where(small, 2.0, 2.0 * np.arctan2(n, q[..., :1]) / np.where(small, 1.0, n)) * q[..., 1:]


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """Rotation vectors (…, 3) of rotation matrices (…, 3, 3), the shorter way round."""
    w = np.empty(R.shape[:-1])
    w[..., 0], w[..., 1], w[..., 2] = (
        R[..., 2, 1] - R[..., 1, 2],
        R[..., 0, 2] - R[..., 2, 0],
        R[..., 1, 0] - R[..., 0, 1],
    )
    w *= 0.5
    s, c = np.sqrt((w * w).sum(axis=-1)), 0.5 * (R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2] - 1.0)
    out = w * np.where(s > 1e-9, np.arctan2(s, c) / np.maximum(s, 1e-9), 1.0)[..., None]
    far = c < NEARLY_HALF
    if far.any():
        out[far] = logarithm(quaternion(R[far]))
    return out
