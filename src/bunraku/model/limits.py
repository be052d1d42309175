"""Swing and twist of ball joints: measuring them, and moving a pose inside their limits.

swing = angle between the z axes of socket and plug, twist = rotation about z left after the swing is undone: q =
swing(x, y) * twist(z), so twist = 2 atan2(qz, qw) and swing = 2 atan2(|(qx, qy)|, |(qw, qz)|) (002, eqs (27), (29), the
latter corrected). Checked in tests/model/test_limits.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.model.configuration import multiply
from bunraku.model.description import rotation_matrix
from bunraku.model.model import Model


def swing_twist(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(swing, twist) [rad] of unit quaternions wxyz; twist within (-pi, pi]."""
    q = np.asarray(q, dtype=float)
    w, x, y, z = np.moveaxis(q, -1, 0)
    swing = 2.0 * np.arctan2(np.hypot(x, y), np.hypot(w, z))
    twist = 2.0 * np.arctan2(z, w)
    return swing, np.pi - np.mod(np.pi - twist, 2.0 * np.pi)


def swing_twist_rates(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """((swing, twist), gradients (2, 3)): their rates per angular velocity in plug (body) axes, for one unit
    quaternion.

    swing' = (ez x z') . w / |ez x z'|,  twist' = (ez + z') . w / (1 + ez . z'),  z' = R ez, w in socket axes (002
    section 2.5.3, corrected).
    """
    R = rotation_matrix(q)
    ez, z = np.array([0.0, 0.0, 1.0]), R[:, 2]
    lean = np.cross(ez, z)
    n = float(np.linalg.norm(lean))
    swing_row = lean / n if n > 1e-9 else np.zeros(3)
    twist_row = (ez + z) / max(1.0 + z[2], 1e-9)
    swing, twist = swing_twist(q)
    return np.array([float(swing), float(twist)]), np.stack([swing_row, twist_row]) @ R


def from_swing_twist(direction: np.ndarray, swing: float, twist: float) -> np.ndarray:
    """The quaternion whose z axis leans by `swing` about the unit vector `direction` (x, y), after a `twist` about z."""
    s = np.array([np.cos(swing / 2), np.sin(swing / 2) * direction[0], np.sin(swing / 2) * direction[1], 0.0])
    return multiply(s, np.array([np.cos(twist / 2), 0.0, 0.0, np.sin(twist / 2)]))


def clamp_balls(model: Model, q: np.ndarray) -> np.ndarray:
    """A copy of q (nq,) with every ball inside its swing and twist range."""
    q = np.array(q, dtype=float)
    for j in model.joints:
        if j.traits.limits != "cone" or (np.isinf(j.swing) and np.isinf(j.twist[0]) and np.isinf(j.twist[1])):
            continue
        x = q[j.q] / np.linalg.norm(q[j.q])
        swing, twist = (float(v) for v in swing_twist(x))
        if swing <= j.swing and j.twist[0] <= twist <= j.twist[1]:
            continue
        lean = multiply(x, np.array([np.cos(twist / 2), 0.0, 0.0, -np.sin(twist / 2)]))  # the swing alone
        lean = lean if lean[0] >= 0 else -lean
        n = float(np.linalg.norm(lean[1:3]))
        direction = lean[1:3] / n if n > 1e-12 else np.array([1.0, 0.0])
        q[j.q] = from_swing_twist(direction, min(swing, j.swing), float(np.clip(twist, *j.twist)))
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
