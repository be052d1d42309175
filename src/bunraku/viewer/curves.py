"""The curves beside the picture: which channels a world or a recording has, and their values at one instant.

In this order: energy of all [J]; of every figure the force [N] on it from all that is not itself; of every figure with joints its
zero-moment point [m, NaN in the air], the values of its joints (degrees; sliders metres; a ball the three parts of its rotation vector) and the
torques [N m, sliders N] that motors, servos, springs and dampers gave. At most MOST_FIGURES figures have curves. Checked in
tests/viewer/test_messages.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.model.model import Model
from bunraku.viewer.messages import Channel
from bunraku.viewer.shapes import Figures

MOST_FIGURES = 16
DEGREES = 180.0 / np.pi


class Curves:
    """See the module text. `model` is the figures' combined model."""

    def __init__(self, model: Model, figures: Figures) -> None:
        shown = list(figures)[:MOST_FIGURES]
        self.count = len(shown)
        self.jointed = np.array([k for k, (_, m) in enumerate(shown) if moving_joints(m)], dtype=int)
        names = {name for name, _ in shown}
        joints = [j for j in moving_joints(model) if any(j.name.startswith(f"{name}.") for name in names)]
        plain = [j for j in joints if j.kind != "ball"]
        balls = [j for j in joints if j.kind == "ball"]
        iq = [(j.iq + i, j.kind == "slider") for j in plain for i in range(j.nq)]
        self.scalars = np.array([i for i, _ in iq], dtype=int)
        self.scales = np.array([1.0 if slides else DEGREES for _, slides in iq])
        self.balls = np.array([[j.iq + i for i in range(4)] for j in balls], dtype=int).reshape(-1, 4)
        self.dofs = np.array([j.iv + i for j in [*plain, *balls] for i in range(j.nv)], dtype=int)
        slides = [j.kind == "slider" for j in [*plain, *balls] for _ in range(j.nv)]
        labels = [model.dof_names[i] for i in self.dofs]
        self.channels = [Channel("energy", "J", "energy")]
        self.channels += [Channel(f"{name}: force {axis}", "N", "forces") for name, _ in shown for axis in "xyz"]
        self.channels += [Channel(f"{shown[k][0]}: zmp {axis}", "m", "zmp") for k in self.jointed for axis in "xy"]
        self.channels += [Channel(x, "m" if s else "deg", "angles") for x, s in zip(labels, slides)]
        self.channels += [Channel(x, "N" if s else "N m", "torques") for x, s in zip(labels, slides)]

    def values(
        self, energy: float, forces: np.ndarray, zmp: np.ndarray, q: np.ndarray, torques: np.ndarray
    ) -> np.ndarray:
        """One number a channel; forces and zmp (figures, 3), q and torques of the combined model."""
        parts = [
            np.array([energy]),
            forces[: self.count].ravel(),
            zmp[self.jointed, :2].ravel(),
            q[self.scalars] * self.scales,
        ]
        if len(self.balls):
            parts.append(rotation_vectors(q[self.balls]).ravel() * DEGREES)
        parts.append(torques[self.dofs])
        return np.concatenate(parts)


def moving_joints(model: Model) -> list:
    """Joints with degrees of freedom of their own, a free base left out."""
    return [j for j in model.joints if j.nv and j.kind != "free"]


def rotation_vectors(quaternions: np.ndarray) -> np.ndarray:
    """(n, 3) of unit quaternions (n, 4) w x y z, the shorter way round."""
    w, v = quaternions[:, 0], quaternions[:, 1:]
    s = np.sqrt((v * v).sum(1))
    angle = 2.0 * np.arctan2(s, np.abs(w))
    return v * (np.where(w < 0, -1.0, 1.0) * angle / np.maximum(s, 1e-150))[:, None]
