"""Swing and twist of ball joints: measuring them, and moving a pose inside their limits.

swing = angle between the z axes of socket and plug, twist = rotation about z left after the swing is undone: q = swing(x, y) * twist(z), so
twist = 2 atan2(qz, qw) and swing = 2 atan2(|(qx, qy)|, |(qw, qz)|) (002, eqs (27), (29), the latter corrected). Checked in tests/model/test_limits.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.model.configuration import multiply
from bunraku.model.model import Model


def swing_twist(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(swing, twist) [rad] of unit quaternions wxyz; twist within (-pi, pi]."""
    q = np.asarray(q, dtype=float)
    w, x, y, z = np.moveaxis(q, -1, 0)
    swing = 2.0 * np.arctan2(np.hypot(x, y), np.hypot(w, z))
    twist = 2.0 * np.arctan2(z, w)
    return swing, np.pi - np.mod(np.pi - twist, 2.0 * np.pi)


def from_swing_twist(direction: np.ndarray, swing: float, twist: float) -> np.ndarray:
    """The quaternion whose z axis leans by `swing` about the unit vector `direction` (x, y), after a `twist` about z."""
    s = np.array([np.cos(swing / 2), np.sin(swing / 2) * direction[0], np.sin(swing / 2) * direction[1], 0.0])
    return multiply(s, np.array([np.cos(twist / 2), 0.0, 0.0, np.sin(twist / 2)]))


def clamp_balls(model: Model, q: np.ndarray) -> np.ndarray:
    """A copy of q (nq,) with every ball inside its swing and twist range."""
    q = np.array(q, dtype=float)
    for j in model.joints:
        if j.kind != "ball" or (np.isinf(j.swing) and np.isinf(j.twist[0]) and np.isinf(j.twist[1])):
            continue
        x = q[j.q] / np.linalg.norm(q[j.q])
        swing, twist = (float(v) for v in swing_twist(x))
        if swing <= j.swing and j.twist[0] <= twist <= j.twist[1]:
            continue
        lean = multiply(x, np.array([np.cos(twist / 2), 0.0, 0.0, -np.sin(twist / 2)]))[1:3]  # the swing's axis
        n = np.linalg.norm(lean)
        direction = lean / n if n > 1e-12 else np.array([1.0, 0.0])
        if lean @ direction < 0:
            direction = -direction
        sign = 1.0 if multiply(x, np.array([np.cos(twist / 2), 0.0, 0.0, -np.sin(twist / 2)]))[0] >= 0 else -1.0
        q[j.q] = from_swing_twist(sign * direction, min(swing, j.swing), float(np.clip(twist, *j.twist)))
    return q


def within_limits(model: Model, q: np.ndarray, tolerance: float = 0.0) -> dict[str, float]:
    """{joint: by how much it is beyond its range [rad or m]} of all joints outside their limits."""
    out: dict[str, float] = {}
    for j in model.joints:
        if j.kind == "ball":
            swing, twist = (float(v) for v in swing_twist(q[j.q]))
            excess = max(swing - j.swing, j.twist[0] - twist, twist - j.twist[1])
        elif j.kind == "free":
            continue
        else:
            x = q[j.q] if j.nq else np.array([j.ratio * q[j.iq] + j.offset])
            excess = float(np.max(np.maximum(np.array(j.lower) - x, x - np.array(j.upper)), initial=-np.inf))
        if excess > tolerance:
            out[j.name] = excess
    return out
