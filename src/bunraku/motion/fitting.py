"""Filling the frames of a figure that is built like human(): balls, with hinges below them, in closed form.

A hinge (knee, elbow) bends by the angle between its two bones, and the link above turns about itself so that the hinge's
axis is across both; where they are nearly in line the axis of the given turn is kept. Legs reach for the place of the
ankle: cosine rule for the knee. Checked in tests/motion/test_retarget.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.skeletons import NEEDED, Bone
from bunraku.model.model import JointInfo, Model
from bunraku.model.rotations import matrix, quaternion, without_jumps
from bunraku.motion.person_points import unit
from bunraku.motion.reference_pose import LEGS

STRAIGHT = (0.1, 0.35)  # sines of a hinge's angle: below, its axis is kept; above, it is across both bones
STRETCH, FIT = 0.9995, 1e-6  # of a leg's length: how far it reaches; how much a bone of the same length may differ


def ours(model: Model, bones: Mapping[str, Bone]) -> bool:
    """Whether a figure is built and named like `human()`: balls, with hinges below them.

    Others go by inverse kinematics.
    """
    kinds = {j.link: j.kind for j in model.joints if j.nv}
    return (
        set(NEEDED) <= set(bones)
        and all(kinds.get(x, "fixed") in ("free", "ball", "hinge") for x in bones)
        and kinds["left_thigh"] == "ball"
    )


def legs_of() -> dict[str, Bone]:
    """The bones of our own figure's legs."""
    return {x: Bone(x, x, y) for x, y in LEGS}


def leg_length(k: Kinematics, bones: Mapping[str, Bone]) -> float:
    """Hip to knee to ankle, mean of both sides."""
    total = 0.0
    for link, _ in LEGS:
        if link not in bones or not bones[link].end:
            raise InputError(f"retarget: the mapping lacks {link!r} with its end; legs give the scale.")
        total += float(np.linalg.norm(k.pose(bones[link].end)[0] - k.pose(bones[link].joint)[0]))
    if not total > 0:
        raise InputError("retarget: the source's legs have no length.")
    return 0.5 * total


@dataclass(eq=False)
class Fitting:
    """Frames of a figure that are being filled: place and turn of the source's joints by bone and link; `turn` changes
    where a hinge or a leg asks for it."""

    model: Model
    bones: Mapping[str, Bone]
    place: dict[str, np.ndarray]
    turn: dict[str, np.ndarray]
    scale: float

    def __post_init__(self) -> None:
        m = self.model
        self.links = {x.name: x for x in m.description.links}
        self.neutral, self.root = kinematics(m, m.neutral()), m.joints[0]
        if self.root.kind != "free" or self.root.link not in self.bones:
            raise InputError(f"retarget: figure {m.name!r} needs a free base that the mapping names.")
        self.angle: dict[str, np.ndarray] = {}  # of hinges
        self.q = np.tile(m.neutral(), (len(self.turn[self.root.link]), 1))

    def at_home(self, link: str) -> np.ndarray:
        """Place of a link in the neutral pose."""
        return self.neutral.pose(link)[0]

    def from_base(self, x: np.ndarray) -> np.ndarray:
        """(n, 3): where the base carries what is at x in the neutral pose, from its own place."""
        return self.turn[self.root.link] @ (self.neutral.pose(self.root.link)[1].T @ (x - self.at_home(self.root.link)))

    def fill(self) -> np.ndarray:
        """q (n, nq): the base, then every mapped joint, parents first."""
        model, q, turn, root, bones = self.model, self.q, self.turn, self.root, self.bones
        thighs = [f"{side}_thigh" for side in ("left", "right")]
        middle = np.mean([self.at_home(x) for x in thighs], axis=0)
        hips = [self.place[bones[x].joint] for x in thighs]
        q[:, root.iq : root.iq + 3] = self.scale * 0.5 * (hips[0] + hips[1]) - self.from_base(middle)
        upright = self.neutral.pose(root.link)[1].T @ matrix(model.neutral()[root.iq + 3 : root.iq + 7])
        q[:, root.iq + 3 : root.iq + 7] = steady(turn[root.link] @ upright)
        for j in model.joints:
            if j.nv == 0 or j.kind == "free" or j.link not in bones:
                continue
            parent = self.links[j.link].parent
            while parent is not None and parent not in turn:  # a link that nothing turns goes with its parent
                parent = self.links[parent].parent
            if parent is None:
                raise InputError(f"retarget: {j.link!r} hangs on nothing that is mapped.")
            if j.kind == "hinge" and j.link in self.angle:
                q[:, j.iq] = self.angle[j.link]
            elif j.kind == "ball":
                below = [
                    x
                    for x in model.joints
                    if x.kind == "hinge" and self.links[x.link].parent == j.link and x.link in bones
                ]
                if below and bones[j.link].end and bones[below[0].link].end:
                    self.bend(j, below[0])
                home = self.neutral.pose(parent)[1].T @ self.neutral.pose(j.link)[1]
                q[:, j.q] = steady(home.T @ np.swapaxes(turn[parent], -1, -2) @ turn[j.link])
            else:
                raise InputError(
                    f"retarget: joint {j.name!r} is a {j.kind}; only balls, and hinges below balls, are led by a "
                    "skeleton."
                )
        return q

    def fits(self, bone: Bone, length: float) -> bool:
        """Whether a bone of the source has the length of the figure's, as where the figure was measured on it."""
        theirs = self.scale * np.linalg.norm(self.place[bone.end][0] - self.place[bone.joint][0])
        return abs(float(theirs) - length) < FIT * length

    def bend(self, upper: JointInfo, hinge: JointInfo) -> None:
        """Two links and the hinge between them: z of both along their bones, the hinge's axis across."""
        one, two = self.bones[upper.link], self.bones[hinge.link]
        z1, z2 = (unit(self.place[b.joint] - self.place[b.end]) for b in (one, two))
        sign = float(np.sign(self.links[hinge.link].joints[0].axis[1])) or 1.0
        normal = sign * np.cross(z1, z2)
        sine = np.linalg.norm(normal, axis=1)
        share = np.clip((sine - STRAIGHT[0]) / (STRAIGHT[1] - STRAIGHT[0]), 0.0, 1.0)[:, None]
        y = self.turn[upper.link][:, :, 1]
        y = share * normal / np.maximum(sine, 1e-9)[:, None] + (1.0 - share) * y
        flex = np.arctan2(sign * np.einsum("ij,ij->i", np.cross(z1, z2), unit(y)), np.einsum("ij,ij->i", z1, z2))
        if hinge.link.endswith("shank"):  # the ankle goes where the source's is
            hip, knee, ankle = (self.at_home(x) for x in (upper.link, hinge.link, hinge.link.replace("shank", "foot")))
            l1, l2 = float(np.linalg.norm(knee - hip)), float(np.linalg.norm(ankle - knee))
            base = self.q[:, self.root.iq : self.root.iq + 3]
            d = self.scale * self.place[two.end] - (base + self.from_base(hip))
            most = 1.0 if self.fits(one, l1) and self.fits(two, l2) else STRETCH  # a leg of its own can be straight
            length = np.clip(np.linalg.norm(d, axis=1), abs(l1 - l2) + 1e-6, most * (l1 + l2))
            flex = np.pi - np.arccos(np.clip((l1 * l1 + l2 * l2 - length**2) / (2 * l1 * l2), -1.0, 1.0))
            up = -unit(d)
            y = unit(y - np.einsum("ij,ij->i", y, up)[:, None] * up)
            # of the thigh against the line, about y
            lean = -sign * np.arcsin(np.clip(l2 * np.sin(flex) / length, -1.0, 1.0))
            z1 = np.cos(lean)[:, None] * up + np.sin(lean)[:, None] * np.cross(y, up)
        y = unit(y - np.einsum("ij,ij->i", y, z1)[:, None] * z1)
        x = np.cross(y, z1)
        self.turn[upper.link] = np.stack([x, y, z1], axis=2)
        self.angle[hinge.link] = flex
        c, s = np.cos(sign * flex)[:, None], np.sin(sign * flex)[:, None]
        self.turn[hinge.link] = np.stack([c * x - s * z1, y, c * z1 + s * x], axis=2)


def steady(R: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) of rotations (n, 3, 3) without jumps of sign."""
    return without_jumps(quaternion(R))
