"""The foot: a body with a sole, a rectangle it stands on. Every room that knows feet uses this type.

The sole's frame has its origin in the middle of the rectangle, x ahead, y left, z up out of the ground; it is given in
the frame of the body that carries it, as are the corners. A figure that walks has two feet with legs, found by
bunraku.humanoid.parts; `feet_of` finds feet by the names of links and the boxes under them, which is all that recorded
motions need; `feet_in` finds the same feet in another model of the figure. Units m. Checked in
tests/humanoid/test_foot.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.model.model import FrameInfo, Model

SIDES = ("left", "right")
# corners, heel to toe and right to left: signs of half length and half width
AROUND = np.array([(-1.0, -1.0, 0.0), (-1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0)])
HEEL, TOE = [0, 1], [2, 3]  # corners of each edge


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot: its side (0 left, 1 right), link and body; the pose of its sole in the body's frame, half length and half
    width of the sole; and, where they are known, the joints of its leg from hip to ankle."""

    side: int
    link: str
    body: int
    position: np.ndarray  # (3,)
    rotation: np.ndarray  # (3, 3)
    half: np.ndarray  # (2,)
    joints: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Of the sole: "left sole" or "right sole"."""
        return f"{SIDES[self.side]} sole"

    @cached_property
    def frame(self) -> FrameInfo:
        """The sole as a frame, for frame_jacobian and Kinematics.pose."""
        return FrameInfo(self.name, self.body, self.position, self.rotation, False)

    @cached_property
    def outline(self) -> np.ndarray:
        """(4, 3): heel right, heel left, toe right, toe left, in the sole's frame."""
        return AROUND * np.array([*self.half, 0.0])

    @cached_property
    def corners(self) -> np.ndarray:
        """(4, 3): the same corners in the body's frame."""
        return self.position + self.outline @ self.rotation.T

    @cached_property
    def heel(self) -> np.ndarray:
        """(3,): the middle of the heel's edge, in the body's frame."""
        return self.corners[HEEL].mean(axis=0)

    @cached_property
    def toe(self) -> np.ndarray:
        """(3,): the middle of the toe's edge, in the body's frame."""
        return self.corners[TOE].mean(axis=0)


def box_foot(model: Model, link: str, side: int = 0) -> Foot | None:
    """A link as a foot whose sole is the lower face of the link's lowest box; None where the link has no box."""
    boxes = [s for s in model.shapes if s.link == link and s.kind == "box" and s.role != "visual"]
    if not boxes:
        return None
    box = min(boxes, key=lambda s: s.position[2] - s.size[2])
    below = box.position + np.array([0.0, 0.0, -box.size[2]]) @ box.rotation.T
    return Foot(side, link, box.body, below, box.rotation, np.array(box.size[:2]))


def feet_of(model: Model, *, missing: bool = False) -> tuple[Foot, ...]:
    """The feet of a figure: its links called foot or sole that have a box, else those that geometry finds
    (bunraku.humanoid.limbs); none where `missing` allows it."""
    names = [f.name for f in model.links if "foot" in f.name.lower() or "sole" in f.name.lower()]
    described = kinematics(model, model.neutral())
    sides = [0 if described.pose(name)[0][1] > 0.0 else 1 for name in names]
    found = [f for f in (box_foot(model, name, side) for name, side in zip(names, sides)) if f is not None]
    if not found and model.joints and model.joints[0].kind == "free":
        from bunraku.humanoid.limbs import body_of

        try:
            return body_of(model).feet
        except InputError:
            pass
    if not found and not missing:
        raise InputError(
            f"figure {model.name!r} has no link with 'foot' in its name and a box as its sole; "
            "name the contacts yourself."
        )
    return tuple(found)


def feet_in(model: Model, feet: Sequence[Foot], of: Model) -> tuple[Foot, ...]:
    """Feet of the model `of` in another one with the same links, e.g. with bushes above them."""
    out = []
    for foot in feet:
        old, new = of.frame(foot.link), model.frame(foot.link)
        turn = new.rotation @ old.rotation.T
        place = new.position + turn @ (foot.position - old.position)
        out.append(replace(foot, body=new.body, position=place, rotation=turn @ foot.rotation))
    return tuple(out)
