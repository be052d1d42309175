"""A humanoid as a tree of joints with one degree of freedom, for the optimiser: coordinates are plain numbers there.

The base becomes three sliders and three hinges (about z, x, y, from outer to inner turned: yaw, roll, pitch); of a ball
those of its three hinges stay that a step uses, the others are held straight: hips about y, x, z; ankles about y, x;
waist about z, x, y; shoulders about y; the neck is stiff. A twin's links are the figure's own, with its inertias, so
that `figure_q` gives the figure's configuration of a twin's coordinates, exactly. `mirror` says how coordinates change
when left and right are exchanged. Checked in tests/gaits/test_hinge_twin.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bunraku.model.description import Description, Joint, Link, hinge, slider
from bunraku.model.model import Model
from bunraku.model.rotations import multiply, quaternion_about

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
KEPT = {"hip": "yxz", "ankle": "yx", "waist": "zxy", "shoulder": "y", "neck": ""}  # of a ball, outer to inner
AXES = {"x": X, "y": Y, "z": Z}


@dataclass(frozen=True)
class Twin:
    """`model`: the tree of single joints; `figure`: the humanoid it stands for. Coordinates are in the order of
    `names`: x y z yaw roll pitch of the base, then joints, those of balls with their axis: "left_hip y"."""

    model: Model
    figure: Model
    names: tuple[str, ...]

    @cached_property
    def index(self) -> dict[str, int]:
        """Place of each coordinate."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def mirror(self) -> tuple[np.ndarray, np.ndarray]:
        """(place, sign): coordinate i of the mirrored pose is sign[i] times coordinate place[i]."""
        place = [self.index[swapped(name)] for name in self.names]
        odd = ("y", "yaw", "roll")
        sign = [-1.0 if name in odd or name.endswith((" x", " z")) else 1.0 for name in self.names]
        return np.array(place), np.array(sign)

    def figure_q(self, Q: np.ndarray) -> np.ndarray:
        """Configurations (n, nq) of the figure for coordinates (n, names)."""
        Q = np.atleast_2d(Q)
        out = np.tile(self.figure.q0, (len(Q), 1))
        for joint in self.figure.joints:
            if joint.kind == "free":
                out[:, joint.iq : joint.iq + 3] = Q[:, :3]
                out[:, joint.iq + 3 : joint.iq + 7] = self._turned(Q, [("yaw", "z"), ("roll", "x"), ("pitch", "y")])
            elif joint.kind == "ball":
                axes = [(f"{joint.name} {a}", a) for a in KEPT[joint.name.split("_")[-1]]]
                out[:, joint.q] = self._turned(Q, axes)
            else:
                out[:, joint.q] = Q[:, [self.index[joint.name]]]
        return out

    def _turned(self, Q: np.ndarray, axes: list[tuple[str, str]]) -> np.ndarray:
        """(n, 4) quaternions of turns about axes, outer to inner, real part not negative."""
        out = np.tile([1.0, 0.0, 0.0, 0.0], (len(Q), 1))
        for name, axis in axes:
            out = multiply(out, quaternion_about("xyz".index(axis), Q[:, self.index[name]]))
        return np.where(out[:, :1] < 0, -out, out)


def swapped(name: str) -> str:
    """The name on the other side."""
    other = {"left": "right", "right": "left"}
    side, _, rest = name.partition("_")
    return f"{other[side]}_{rest}" if side in other else name


def twin_of(description: Description) -> Twin:
    """The twin of a figure that is named as `human` names its joints."""
    twin = Description(name=description.name)
    for link in description.links:
        joints = [j for joint in link.joints for j in singles(joint)]
        place = (0.0, 0.0, 0.0) if link.joints[0].kind == "free" else link.position  # the base's own height is in z
        twin.links.append(Link(link.name, link.parent, place, link.rotation, joints, link.inertia))
    twin.frames = list(description.frames)
    model = twin.build()
    return Twin(model, description.build(), model.dof_names)


def singles(joint: Joint) -> list[Joint]:
    """The single joints, outer to inner, that stand for one."""
    if joint.kind == "free":
        slides = [slider(a, AXES[a]) for a in "xyz"]
        return [*slides, hinge("yaw", Z), hinge("roll", X), hinge("pitch", Y)]
    if joint.kind == "ball":
        part = joint.name.split("_")[-1]
        return [hinge(f"{joint.name} {a}", AXES[a], effort=joint.effort) for a in KEPT[part]]
    return [replace(joint, lower=-np.inf, upper=np.inf)]
