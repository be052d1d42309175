"""Joints of many worlds about a pose at rest: how far each is from it, and targets that lead so far away.

A hinge or slider counts in rad or m, a ball by the rotation vector from its rest in its own axes: x = (w, n sin(a/2)) gives
2 n sin(a/2) read, and the target of r is rest times (cos |r|/2, r sin(|r|/2) / |r|). Every row is found by itself.
Checked in tests/environments/test_stand.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.model.model import Model

SMALL = 1e-12  # rad


class Pose:
    """See the module text. `rates`: the degrees of freedom, in the order of the model; rest: coordinates like q."""

    def __init__(self, model: Model, rest: np.ndarray) -> None:
        moved = [j for j in model.joints if j.nv and j.kind != "free"]
        self.names = [name for j in moved for name in model.dof_names[j.iv : j.iv + j.nv]]
        self.rates = np.array([d for j in moved for d in range(j.iv, j.iv + j.nv)])
        self.rest = rest
        single = [(k, j.iq) for k, d in enumerate(self.rates) for j in moved if j.nv == 1 and j.iv == d]
        self._single = np.array([k for k, _ in single], dtype=int), np.array([iq for _, iq in single], dtype=int)
        first = {int(d): k for k, d in enumerate(self.rates)}
        self._balls = [(first[j.iv], j.iq) for j in moved if j.nv == 3]

    def read(self, q: np.ndarray) -> np.ndarray:
        """(n, joints) how far joints are from rest."""
        out = np.zeros((len(q), len(self.rates)))
        columns, places = self._single
        out[:, columns] = q[:, places] - self.rest[places]
        for k, iq in self._balls:
            w, x = product(conjugate(self.rest[iq : iq + 4]), q[:, iq : iq + 4].T)
            sign = np.where(w >= 0.0, 2.0, -2.0)
            for r in range(3):
                out[:, k + r] = sign * x[r]
        return out

    def lead(self, target: np.ndarray, chosen: np.ndarray, away: np.ndarray) -> None:
        """Write targets so far (chosen, joints) from rest into rows of `target` (n, nq)."""
        columns, places = self._single
        target[chosen[:, None], places] = self.rest[places] + away[:, columns]
        for k, iq in self._balls:
            a, b, c = away[:, k : k + 3].T
            angle = np.sqrt(a * a + b * b + c * c)
            part = np.where(angle > SMALL, np.sin(0.5 * angle) / np.maximum(angle, SMALL), 0.5)
            turn = np.stack([np.cos(0.5 * angle), part * a, part * b, part * c])
            w, x = product(self.rest[iq : iq + 4], turn)
            target[chosen, iq] = w
            for r in range(3):
                target[chosen, iq + 1 + r] = x[r]


def conjugate(q: np.ndarray) -> np.ndarray:
    """The inverse of a unit quaternion."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Scalar and vector part of a quaternion times others (4, n)."""
    w, x, y, z = a
    s, i, j, k = b
    return w * s - x * i - y * j - z * k, (
        w * i + x * s + y * k - z * j,
        w * j - x * k + y * s + z * i,
        w * k + x * j - y * i + z * s,
    )
