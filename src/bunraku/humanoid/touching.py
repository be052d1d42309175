"""How points share the wrench of a contact: the corners of a sole, or the point of a grip.

A wrench (f, n) about the middle of four coplanar corners p_i is carried by forces at the corners: upwards  w_i fz  with
the bilinear weights of the centre of pressure  c = (-ny, nx) / fz, which are all >= 0 exactly where c lies in the
rectangle; across  w_i (fx, fy)  plus a turn k w_i (z x (p_i - c)) that gives nz. So the sum of forces and moments is
the wrench, to the last bit or so, and points pull or leave their cone only where the contact does. Grips (bilateral)
take the force at one point and a moment as a couple. Checked in tests/humanoid/test_touching.py.
"""

from __future__ import annotations

import numpy as np

COUPLE = 0.05  # m: half the distance of the two points of a couple


def corner_forces(corners: np.ndarray, middle: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Forces (4, 3) at four corners (world, on a horizontal rectangle) that make a wrench (force, moment about
    `middle`); see the module text."""
    f, n = wrench[:3], wrench[3:]
    arm = corners - middle
    ahead, left = arm[2] - arm[0], arm[1] - arm[0]
    out = np.zeros((4, 3))
    if abs(f[2]) > 1e-9 * (1.0 + np.abs(wrench).max()):
        c = np.array([-n[1], n[0], 0.0]) / f[2]
        x, y = (float(c @ e) / float(e @ e) for e in (ahead, left))
        w = np.array([(0.5 - x) * (0.5 - y), (0.5 - x) * (0.5 + y), (0.5 + x) * (0.5 - y), (0.5 + x) * (0.5 + y)])
        out[:, 2] = w * f[2]
    else:  # hardly any pressure: shared evenly, and the moment as it comes
        c, w = np.zeros(3), np.full(4, 0.25)
        gram = np.column_stack([np.ones(4), arm[:, 1], -arm[:, 0]])
        out[:, 2] = gram @ np.linalg.solve(gram.T @ gram, np.array([f[2], n[0], n[1]]))
    away = np.column_stack([-(arm - c)[:, 1], (arm - c)[:, 0]])  # z x (p - c)
    turn = n[2] - (c[0] * f[1] - c[1] * f[0])
    spread = float((w * (away**2).sum(axis=1)).sum())
    out[:, :2] = w[:, None] * f[:2] + (turn / spread * w[:, None] * away if abs(spread) > 1e-12 else 0.0)
    return out


def point_forces(point: np.ndarray, wrench: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(points, forces) that make a wrench about a point: the force there, a moment as a couple of two points beside."""
    n = wrench[3:]
    size = float(np.linalg.norm(n))
    if size == 0.0:
        return point[None], wrench[None, :3]
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    u = np.cross(n, helper) / np.linalg.norm(np.cross(n, helper))
    pair = np.cross(n, u) / (2 * COUPLE)
    return np.array([point, point + COUPLE * u, point - COUPLE * u]), np.array([wrench[:3], pair, -pair])
