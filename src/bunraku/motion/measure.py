"""A person measured on a captured skeleton: the lengths of its links, as a figure of ours has them (section 5 of
Nakamura & Yamane 2000: the links are as long as the subject's).

Limbs are as long as their bones; hips, waist, neck, shoulders and the top of the head lie where they are in the reference
pose (motion.reference_pose), so that the skeleton's motion fits the figure without scaling. A spine of several joints
gets its waist, and its neck, at the joint nearest to where the standard figure has them (22 % of the way from the hips to
the neck; 11 % farther from the hips than the shoulders). The toe ends the sole, whose other measures are in proportion; a
forearm without a wrist ends in the hand. Skeletons have no soles: the ankle's height is a fraction of the figure's, as
the sole of one without toes is.

The unit of a BVH file is not written in it: of metres, centimetres, millimetres, inches and the unit of the CMU
collection the one is taken that makes the person's height nearest to 1.7 m, or lengths are scaled to a given height.
Checked in tests/motion/test_measure.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.skeletons import Bone, bones_of
from bunraku.model import body_2000 as body
from bunraku.model.body_lengths import Measures, Place
from bunraku.model.human import HAND, human
from bunraku.motion.reference_pose import reference_pose
from bunraku.recording.motion import Motion

UNITS = (1.0, 0.01, 0.001, 0.0254, 0.0254 / 0.45)  # m: metre, centimetre, millimetre, inch, the CMU collection's
READ_AS = 0.01  # m: what `load_bvh` takes a unit for unless told
SMALLEST, TALLEST = 1.0, 2.4  # m: of a person whose height is not given
SIDES = ("left", "right")
PARTS = {
    "pelvis": "pelvis", "trunk": "spine", "head": "head", "thigh": "hip", "shank": "knee", "foot": "ankle", "upper_arm": "shoulder",
    "lower_arm": "elbow",
}  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """Measures of a person; which joint of the skeleton each link of the figure begins at; `scale`: what the skeleton's
    lengths were multiplied with; `names`: the set of names."""

    measures: Measures
    joints: dict[str, str]
    scale: float
    names: str


class Skeleton:
    """A source in its reference pose: places of joints and ends, and the tree."""

    def __init__(self, source: Motion, mapping: Mapping[str, str | Sequence[str]] | None) -> None:
        self.names, bones = bones_of(human(), source.model, mapping, "human")
        self.bones = {b.link: b for b in bones}
        self.title = source.model.name
        for link in (*("pelvis", "trunk", "head"), *(f"{s}_{x}" for x in list(PARTS)[3:] for s in SIDES)):
            if link not in self.bones:
                side, _, part = link.rpartition("_") if link in PARTS else link.partition("_")
                raise self.error(f"has no {f'{side} ' if side else ''}{PARTS[part]}")
        common = reference_pose(source, self.bones, self.names, "auto")
        self.kin: Kinematics = kinematics(source.model, common.q)
        links = source.model.description.links
        self.parent = {x.name: x.parent for x in links}
        self.ends = {x.name: [f.name for f in source.model.description.frames if f.link == x.name] for x in links}

    def error(self, what: str) -> InputError:
        """The sentence about a skeleton that does not serve."""
        return InputError(
            f"human: the skeleton of {self.title!r} {what}; a figure is measured on one with pelvis, spine, head, and hips, knees, "
            "ankles, shoulders, elbows and what comes after these on both sides."
        )

    def at(self, joint: str) -> np.ndarray:
        """The place of a joint or an end."""
        return self.kin.pose(joint)[0]

    def below(self, joint: str) -> list[str]:
        """Joints and ends below a joint, nearer ones first."""
        out = [joint]
        for name in out:
            out += [x for x, up in self.parent.items() if up == name]
        return [*out[1:], *(end for name in out for end in self.ends[name])]

    def end_of(self, bone: Bone) -> str:
        """Where a bone ends: the joint that its name set says, else the first below that is elsewhere, else its farthest
        end; "" for none."""
        if bone.end in self.parent:
            return bone.end
        there = [x for x in self.below(bone.joint) if self.distance(x, bone.joint) > 1e-9]
        joints = [x for x in there if x in self.parent]
        return joints[0] if joints else max(there, key=lambda x: self.distance(x, bone.joint), default="")

    def distance(self, a: str, b: str) -> float:
        """Between two joints."""
        return float(np.linalg.norm(self.at(a) - self.at(b)))

    def length(self, link: str) -> tuple[float, bool]:
        """(length of a limb's bone, whether a joint ends it)."""
        bone = self.bones[link]
        end = self.end_of(bone)
        length = self.distance(bone.joint, end) if end else 0.0
        if not length > 1e-9:
            raise self.error(f"has nothing at the end of {bone.joint!r}, so that its length is not known")
        return length, end in self.parent

    def between(self, low: str, high: str) -> list[str]:
        """Joints from one up the tree to another, which is left out."""
        out, at = [], low
        while at is not None and at != high:
            out.append(at)
            at = self.parent[at]
        if at is None:
            raise self.error(f"does not carry {low!r} by {high!r}")
        return out


def measured(
    source: Motion, height: float | None = None, mapping: Mapping[str, str | Sequence[str]] | None = None
) -> Measured:
    """The measures of the person whose skeleton moves, e.g. as load_bvh reads it. height [m]: what lengths are scaled
    to; mapping: as for retarget."""
    s = Skeleton(source, mapping)
    joint = {link: b.joint for link, b in s.bones.items()}
    hips, shoulders = (np.array([s.at(joint[f"{x}_{of}"]) for x in SIDES]) for of in ("thigh", "upper_arm"))
    middle, reach = hips.mean(axis=0), float(shoulders[:, 2].mean() - hips[:, 2].mean())
    if not (hips[0] - hips[1])[1] > 0.7 * float(np.linalg.norm(hips[0] - hips[1])) or not reach > 0:
        raise s.error("does not stand upright and face along z in its first frame (a T-pose) or its zero pose")
    joint["head"] = nearest(s, s.between(joint["head"], joint["trunk"]), middle[2] + FROM_SHOULDERS * reach)
    neck = s.at(joint["head"])
    joint["trunk"] = nearest(s, s.between(joint["trunk"], joint["pelvis"]), middle[2] + TO_NECK * (neck[2] - middle[2]))
    waist = s.at(joint["trunk"])
    long = {x: [s.length(f"{side}_{x}") for side in SIDES] for x in ("thigh", "shank", "upper_arm", "lower_arm")}
    tops = [s.at(x) for x in s.below(s.bones["head"].joint) if s.at(x)[2] > neck[2]]
    leg = max(long["thigh"][k][0] + long["shank"][k][0] - (hips[k] - middle)[2] for k in (0, 1))
    if tops:
        top = max(tops, key=lambda x: float(x[2]))
        own = float(leg + top[2] - middle[2]) / (1.0 - body.ANKLE)
    else:
        own = float(leg + neck[2] - middle[2]) / (body.NECK - body.ANKLE)
        top = neck + np.array([0.0, 0.0, (1.0 - body.NECK) * own])
    scale = unit_of(s, own) if height is None else height / own
    L = own / body.HEIGHT
    hand = [0.0 if wrist else HAND * L for _, wrist in long["lower_arm"]]
    sole, heel = sole_of(s, L)
    joints = {link: name for link, name in joint.items() if link != "pelvis"}
    raw = Measures(
        own, pair(hips - middle), place(waist - middle), place(neck - waist), pair(shoulders - waist), place(top - neck),
        two(long["thigh"]), two(long["shank"]), two(long["upper_arm"]),
        (long["lower_arm"][0][0] - hand[0], long["lower_arm"][1][0] - hand[1]), body.ANKLE * own, sole, heel,
    )  # fmt: skip
    if min(raw.lower_arm) <= 0:
        raise s.error("has forearms that are shorter than its hands")
    return Measured(scaled(raw, scale, height), joints, scale, s.names)


FROM_SHOULDERS = (body.NECK - body.HIP) / (body.SHOULDER - body.HIP)
TO_NECK = (body.WAIST - body.HIP) / (body.NECK - body.HIP)


def nearest(s: Skeleton, joints: Sequence[str], height: float) -> str:
    """The joint nearest to a height; of several the lowest in the tree."""
    if not joints:
        raise s.error("has one joint where a head and a spine need two")
    return min(reversed(joints), key=lambda x: abs(float(s.at(x)[2]) - height))


def sole_of(s: Skeleton, size: float) -> tuple[tuple[float, float], float]:
    """((length, width), heel) of the sole: as long as the toes say, mean of both feet, else by `size`."""
    toes = []
    for side in SIDES:
        bone = s.bones[f"{side}_foot"]
        if end := s.end_of(bone):
            toes.append(float(np.linalg.norm((s.at(end) - s.at(bone.joint))[:2])))
    ahead = body.SOLE[0] - body.HEEL
    k = float(np.mean(toes)) / ahead if len(toes) == 2 and min(toes) > 0.3 * ahead * size else size
    return (body.SOLE[0] * k, body.SOLE[1] * k), body.HEEL * k


def unit_of(s: Skeleton, own: float) -> float:
    """What the lengths of a skeleton are to be multiplied with so that they are metres."""
    scale = min((u / READ_AS for u in UNITS), key=lambda x: abs(np.log(x * own / body.HEIGHT)))
    if not SMALLEST <= scale * own <= TALLEST:
        raise s.error(
            f"is {own:.3g} m tall, and in no unit between {SMALLEST:g} and {TALLEST:g} m (say by --height, height=, how tall it is)"
        )
    return float(scale)


def scaled(m: Measures, k: float, height: float | None) -> Measures:
    """The measures times a number; height, where it is given, is exact."""
    values = {f.name: times(getattr(m, f.name), k) for f in fields(m)}
    return Measures(**{**values, "height": values["height"] if height is None else float(height)})


def times(x: Any, k: float) -> Any:
    """Numbers, and tuples of them, times a number."""
    return tuple(times(y, k) for y in x) if isinstance(x, tuple) else k * x


def place(x: np.ndarray) -> Place:
    """Three numbers."""
    return float(x[0]), float(x[1]), float(x[2])


def pair(x: np.ndarray) -> tuple[Place, Place]:
    """Two places."""
    return place(x[0]), place(x[1])


def two(x: list[tuple[float, bool]]) -> tuple[float, float]:
    """Two lengths."""
    return x[0][0], x[1][0]
