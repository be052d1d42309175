"""The zero-moment point of a motion of a whole figure, by inverse dynamics.

rnea finds the wrench (f, n) that must act at the base b, all else being inside the figure; it is the ground's, so at
the height p_z of the ground
    p_x = b_x - (n_y + (b_z - p_z) f_x) / f_z ,   p_y = b_y + (n_x - (b_z - p_z) f_y) / f_z .
Velocities and accelerations are central differences of q on the group, of second order in dt; a walk is at rest at both
ends. Checked in tests/walking/test_walking_pattern.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.functions import kinematics, rnea
from bunraku.model.configuration import difference
from bunraku.model.model import Model


def rates(model: Model, q: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """(v, v') by central differences; at rest at both ends."""
    ahead = difference(model, q[:-1], q[1:]) / dt
    v, a = np.zeros((len(q), model.nv)), np.zeros((len(q), model.nv))
    v[1:-1], a[1:-1] = 0.5 * (ahead[1:] + ahead[:-1]), (ahead[1:] - ahead[:-1]) / dt
    return v, a


def whole_zmp(model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray, ground: np.ndarray) -> np.ndarray:
    """(n, 3): the zero-moment point of a motion at heights ground (n)."""
    wrench = rnea(model, q, v, a)[:, :6]
    base = kinematics(model, q)
    body = model.joints[0].body
    f, n = wrench[:, :3], np.einsum("nij,nj->ni", base.rotation[:, body], wrench[:, 3:])
    b = base.position[:, body]
    arm = b[:, 2] - ground
    x = b[:, 0] - (n[:, 1] + arm * f[:, 0]) / f[:, 2]
    y = b[:, 1] + (n[:, 0] - arm * f[:, 1]) / f[:, 2]
    return np.column_stack([x, y, ground])
