"""Swing and twist of ball joints: measuring them, and moving a pose inside their limits.

swing = angle between the z axes of socket and plug, twist = rotation about z left after the swing is undone: q =
swing(x, y) * twist(z), so twist = 2 atan2(qz, qw) and swing = 2 atan2(|(qx, qy)|, |(qw, qz)|) (Tazaki 2013, eqs (27),
(29), the latter corrected). Checked in tests/model/test_limits.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

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


class Balls(NamedTuple):
    """The balls of a figure: indices into q (n, 4) and v (n, 3), and the ends of their ranges (n,) [rad]."""

    q: np.ndarray
    v: np.ndarray
    swing: np.ndarray
    least_twist: np.ndarray
    most_twist: np.ndarray


@lru_cache(maxsize=32)
def balls_of(model: Model) -> Balls:
    """The balls of a figure."""
    joints = [j for j in model.joints if j.traits.limits == "cone"]
    iq = np.array([np.arange(j.iq, j.iq + 4) for j in joints], dtype=int).reshape(-1, 4)
    iv = np.array([np.arange(j.iv, j.iv + 3) for j in joints], dtype=int).reshape(-1, 3)
    ends = np.array([(j.swing, *j.twist) for j in joints], dtype=float).reshape(-1, 3)
    return Balls(iq, iv, *ends.T)


def clamp_balls(model: Model, q: np.ndarray) -> np.ndarray:
    """A copy of q (…, nq) with every ball inside its swing and twist range."""
    q, balls = np.array(q, dtype=float), balls_of(model)
    x = q[..., balls.q]
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    swing, twist = swing_twist(x)
    outside = (swing > balls.swing) | (twist < balls.least_twist) | (twist > balls.most_twist)
    if outside.any():
        lean = multiply(x, quaternion_about(2, -twist))  # the swing alone
        lean = np.where(lean[..., :1] >= 0, lean, -lean)[..., 1:3]
        n = np.linalg.norm(lean, axis=-1, keepdims=True)
        direction = np.where(n > 1e-12, lean / np.maximum(n, 1e-12), np.array([1.0, 0.0]))
        twist = np.clip(twist, balls.least_twist, balls.most_twist)
        inside = from_swing_twist(direction, np.minimum(swing, balls.swing), twist)
        q[..., balls.q] = np.where(outside[..., None], inside, q[..., balls.q])
    return q


def clamp(model: Model, q: np.ndarray) -> np.ndarray:
    """A copy of q (…, nq) with every joint inside its range."""
    q = clamp_balls(model, q)
    for j in model.joints:
        if j.nv and j.ranged:
            q[..., j.q] = np.clip(q[..., j.q], model.lower[j.v], model.upper[j.v])
    return q


def beyond_limits(model: Model, q: np.ndarray) -> np.ndarray:
    """(…, joints): how far [rad or m] each joint is beyond its range in poses q (…, nq); 0 inside."""
    balls = balls_of(model)
    swing, twist = swing_twist(q[..., balls.q])
    excess = np.maximum.reduce([swing - balls.swing, balls.least_twist - twist, twist - balls.most_twist])
    of_balls = iter(np.moveaxis(excess, -1, 0))
    out = np.zeros((*q.shape[:-1], len(model.joints)))
    for n, j in enumerate(model.joints):
        if j.traits.limits == "cone":
            out[..., n] = np.maximum(next(of_balls), 0.0)
        elif j.ranged:
            x = q[..., j.q] if j.nq else j.ratio * q[..., j.iq : j.iq + 1] + j.offset
            out[..., n] = np.maximum(np.array(j.lower) - x, x - np.array(j.upper)).max(axis=-1, initial=0.0)
    return out


def joints_beyond_limits(model: Model, q: np.ndarray, tolerance: float = 0.0) -> dict[str, float]:
    """{joint: by how much it is beyond its range [rad or m]} of all joints outside their limits."""
    found = zip(model.joints, beyond_limits(model, np.asarray(q, dtype=float)))
    return {j.name: float(x) for j, x in found if x > tolerance}
