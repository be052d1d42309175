"""The curves beside the picture: which channels a world or a recording has, and their values at one instant.

In this order: energy of all [J]; of every figure the force [N] on it from all that is not itself; of every figure with
joints its zero-moment point [m, NaN in the air], the values of its joints (degrees; sliders metres; a ball the three
parts of its rotation vector) and the torques [N m, sliders N] that motors, servos, springs and dampers gave. At most
MOST_FIGURES figures have curves. Checked in tests/viewer/test_world_frames.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.record import handle, put, zeros
from bunraku.model.model import JointInfo, Model
from bunraku.viewer.frame_kernel import CurveArrays, CurvePlan, curve_rows
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
        last = sum(m.nv for _, m in shown)
        joints = [j for j in moving_joints(model) if j.iv < last]
        dofs = [(j, i) for j in joints for i in range(j.nv)]
        self.arrays = put(CurveArrays(), plan=zeros(CurvePlan, len(dofs)))
        for one, (j, i) in zip(self.arrays.plan, dofs):
            one.iq, one.part = (j.iq, i) if j.kind == "ball" else (j.iq + i, -1)
            one.iv, one.scale = j.iv + i, 1.0 if j.unit == "m" else DEGREES
        labels = [(model.dof_names[j.iv + i], j.unit == "m") for j, i in dofs]
        self.channels = [Channel("energy", "J", "energy")]
        self.channels += [Channel(f"{name}: force {axis}", "N", "forces") for name, _ in shown for axis in "xyz"]
        self.channels += [Channel(f"{shown[k][0]}: zmp {axis}", "m", "zmp") for k in self.jointed for axis in "xy"]
        self._first = len(self.channels)
        self.channels += [Channel(name, "m" if slides else "deg", "angles") for name, slides in labels]
        self.limits = limits_of(model, joints)
        self.channels += [Channel(name, "N" if slides else "N m", "torques") for name, slides in labels]

    def fill(
        self, out: np.ndarray, energy: float, forces: np.ndarray, zmp: np.ndarray, q: np.ndarray, torques: np.ndarray
    ) -> None:
        """Write one number a channel into `out`; forces and zmp (figures, 3), q and torques of the combined model."""
        n = 1 + 3 * self.count
        out[0] = energy
        out[1:n] = forces[: self.count].ravel()
        out[n : self._first] = zmp[self.jointed, :2].ravel()
        curve_rows.call(handle(self.arrays), q, torques, out[self._first :])


def moving_joints(model: Model) -> list[JointInfo]:
    """Joints with degrees of freedom of their own, a free base left out."""
    return [j for j in model.joints if j.nv and j.kind != "free"]


def limits_of(model: Model, joints: list[JointInfo]) -> dict[str, list[float]]:
    """[least, most] of the joints' values by the names of their curves, in their units; those without limits left out."""
    out = {}
    for j in joints:
        if j.kind == "ball":
            low, high = [-j.swing, -j.swing, j.twist[0]], [j.swing, j.swing, j.twist[1]]
        else:
            low, high = j.lower, j.upper
        scale = 1.0 if j.unit == "m" else DEGREES
        for i, (least, most) in enumerate(zip(low, high)):
            if np.isfinite([least, most]).all() and (j.unit == "m" or most - least < 2 * np.pi):
                out[model.dof_names[j.iv + i]] = [round(scale * float(least), 3), round(scale * float(most), 3)]
    return out
