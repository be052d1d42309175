"""Swing and twist of ball joints: measuring them, and moving a pose inside their limits.

swing = angle between the z axes of socket and plug, twist = rotation about z left after the swing is undone: q =
swing(x, y) * twist(z), so twist = 2 atan2(qz, qw) and swing = 2 atan2(|(qx, qy)|, |(qw, qz)|) (Tazaki 2013, eqs (27),
(29), the latter corrected). Checked in tests/model/test_limits.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.model.model import Model
from bunraku.model.rotations import matrix, multiply, quaternion_about


def swing_twist(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(swing, twist) [rad] of unit quaternions wxyz; twist within (-pi, pi]."""
    q = np.asarray(q, dtype=float)
    w, x, y, z = np.moveaxis(q, -1, 0)
    swing = 2.0 * np.arctan2(np.hypot(x, y), np.hypot(w, z))
    twist = 2.0 * np.arctan2(z, w)
    return swing, np.pi - np.mod(np.pi - twist, 2.0 * np.pi)


def swing_twist_rates(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(swing and twist (…, 2), gradients (…, 2, 3)): their rates per angular velocity in plug (body) axes, of unit
    quaternions (…, 4).

    swing' = (ez x z') . w / |ez x z'|,  twist' = (ez + z') . w / (1 + ez . z'),  z' = R ez, w in socket axes (Tazaki
    2013, section 2.5.3, corrected).
    """
    R = matrix(q)
    z, rows = R[..., 2], np.zeros((*q.shape[:-1], 2, 3))
    n = np.hypot(z[..., 0], z[..., 1])
    size = np.where(n > 1e-9, n, np.inf)
    rows[..., 0, 0], rows[..., 0, 1] = -z[..., 1] / size, z[..., 0] / size
    rows[..., 1, :] = (z + np.array([0.0, 0.0, 1.0])) / np.maximum(1.0 + z[..., 2:], 1e-9)
    return np.stack(swing_twist(q), axis=-1), rows @ R


def from_swing_twist(direction: np.ndarray, swing: np.ndarray, twist: np.ndarray) -> np.ndarray:
    """Quaternions (…, 4) whose z axis leans by `swing` (…) about unit vectors `direction` (…, 2: x, y), after a `twist`
    (…) about z."""
    lean, half = np.zeros((*np.shape(swing), 4)), 0.5 * np.asarray(swing)
    lean[..., 0], lean[..., 1:3] = np.cos(half), np.sin(half)[..., None] * direction
    return multiply(lean, quaternion_about(2, twist))


def clamp_balls(model: Model, q: np.ndarray) -> np.ndarray:
    """A copy of q (…, nq) with every ball inside its swing and twist range."""
    q = np.array(q, dtype=float)
    for j in model.joints:
        if j.traits.limits != "cone" or (np.isinf(j.swing) and np.isinf(j.twist[0]) and np.isinf(j.twist[1])):
            continue
        x = q[..., j.q] / np.linalg.norm(q[..., j.q], axis=-1, keepdims=True)
        swing, twist = swing_twist(x)
        outside = (swing > j.swing) | (twist < j.twist[0]) | (twist > j.twist[1])
        if not outside.any():
            continue
        x, swing, twist = x[outside], swing[outside], twist[outside]
        lean = multiply(x, quaternion_about(2, -twist))  # the swing alone
        lean = np.where(lean[:, :1] >= 0, lean, -lean)[:, 1:3]
        n = np.linalg.norm(lean, axis=-1, keepdims=True)
        direction = np.where(n > 1e-12, lean / np.maximum(n, 1e-12), np.array([1.0, 0.0]))
        inside = from_swing_twist(direction, np.minimum(swing, j.swing), np.clip(twist, *j.twist))
        q[..., j.q][outside] = inside
    return q


def within_limits(model: Model, q: np.ndarray, tolerance: float = 0.0) -> dict[str, float]:
    """{joint: by how much it is beyond its range [rad or m]} of all joints outside their limits."""
    out: dict[str, float] = {}
    for j in model.joints:
        if j.traits.limits == "cone":
            swing, twist = (float(v) for v in swing_twist(q[j.q]))
            excess = max(swing - j.swing, j.twist[0] - twist, twist - j.twist[1])
        elif not j.ranged:
            continue
        else:
            x = q[j.q] if j.nq else np.array([j.ratio * q[j.iq] + j.offset])
            excess = float(np.max(np.maximum(np.array(j.lower) - x, x - np.array(j.upper)), initial=-np.inf))
        if excess > tolerance:
            out[j.name] = excess
    return out
