"""The ways of swinging feet: flat and at rest where they leave and land, first up, then ahead, then down.

With s from 0 to 1 in a swing: the place goes from start to goal along the minimum-jerk polynomial 10 s^3 - 15 s^4 + 6 s^5 (Flash and Hogan 1985) within EARLY <= s <= LATE;
the height goes to the higher end plus `lift` in the first part and down in the second one, the parts longer where there is more to rise or to fall. Velocities and accelerations are 0 at
both ends. A sole's frame has its z along the ground's normal and its x above the heading. Checked in tests/gait/test_foot_paths.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.gait.footsteps import Footstep

EARLY, LATE = 0.1, 0.9  # of a swing on level ground; on stairs both move by half of what the top does


def min_jerk(s: Any) -> np.ndarray:
    """10 s^3 - 15 s^4 + 6 s^5 for s within 0 … 1, and its ends outside."""
    s = np.clip(s, 0.0, 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def sole_frames(yaw: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """(n, 3, 3) rotations with z along normals (n, 3) and x in the vertical plane of the heading yaw (n)."""
    z = normal / np.linalg.norm(normal, axis=1)[:, None]
    left = np.column_stack([-np.sin(yaw), np.cos(yaw), np.zeros(len(yaw))])
    x = np.cross(left, z)
    x /= np.linalg.norm(x, axis=1)[:, None]
    return np.stack([x, np.cross(z, x), z], axis=2)


def swing(s: np.ndarray, a: Footstep, b: Footstep, lift: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(positions (m, 3), yaws (m), normals (m, 3)) at s (m) of a swing from a to b."""
    p0, p1 = np.array(a.position, dtype=float), np.array(b.position, dtype=float)
    top = max(p0[2], p1[2]) + lift
    up, down = np.sqrt(top - p0[2]), np.sqrt(top - p1[2])
    middle = float(np.clip(up / (up + down), 0.3, 0.7))
    early, late = max(EARLY + 0.5 * (middle - 0.5), 0.05), min(LATE + 0.5 * (middle - 0.5), 0.95)
    x = min_jerk((s - early) / (late - early))
    place = p0 + x[:, None] * (p1 - p0)
    place[:, 2] = p0[2] + min_jerk(s / middle) * (top - p0[2]) + min_jerk((s - middle) / (1.0 - middle)) * (p1[2] - top)
    turn = (b.yaw - a.yaw + np.pi) % (2.0 * np.pi) - np.pi
    n0, n1 = np.array(a.normal, dtype=float), np.array(b.normal, dtype=float)
    return place, a.yaw + x * turn, n0 + x[:, None] * (n1 - n0)


def foot_paths(
    begin: tuple[Footstep, Footstep], steps: Sequence[Footstep], times: np.ndarray, begins: np.ndarray, single: float, lift: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """(position (n, 2, 3), rotation (n, 2, 3, 3), yaw (n, 2) without jumps, contact (n, 2)) of both soles; begins: when each step's swing begins [s]."""
    n = len(times)
    position, rotation, yaw = np.zeros((n, 2, 3)), np.zeros((n, 2, 3, 3)), np.zeros((n, 2))
    contact = np.ones((n, 2), dtype=bool)
    normal = np.zeros((n, 2, 3))
    for side in (0, 1):
        at, heading = begin[side], float(begin[side].yaw)
        position[:, side], yaw[:, side], normal[:, side] = at.position, heading, at.normal
        for s, t in zip(steps, begins):
            if s.side != side:
                continue
            rows = times > t - 1e-9
            place, turned, up = swing((times[rows] - t) / single, at, s, lift)
            position[rows, side], normal[rows, side] = place, up
            yaw[rows, side] = heading + turned - at.yaw
            heading = float(yaw[-1, side])
            contact[(times > t + 1e-9) & (times < t + single - 1e-9), side] = False
            at = s
        rotation[:, side] = sole_frames(yaw[:, side], normal[:, side])
    return position, rotation, yaw, contact
