"""The pose that a captured skeleton and a figure have in common: the skeleton's first frame where that is a T-pose, else
its zero pose.

BVH files have y up; one with another axis up, as some programs write them (z), is turned first: its hips are above its
ankles along that axis in the zero pose. Checked in tests/motion/test_retarget.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.humanoid.skeletons import Bone
from bunraku.model.rotations import matrix, quaternion
from bunraku.recording.motion import Motion

LEVEL, UPRIGHT = 0.5, 0.97  # a T-pose: sine of the arms' slope at most, of the legs' at least
ALONG = 0.8  # cosine: hips and ankles lie along an axis
LEGS = (
    ("left_thigh", "left_shank"),
    ("left_shank", "left_foot"),
    ("right_thigh", "right_shank"),
    ("right_shank", "right_foot"),
)
ARMS = ("left_upper_arm", "right_upper_arm")


@dataclass(frozen=True, eq=False)
class Reference:
    """The source with z up, q of its reference pose, the rows that are motion, and whether it is "first" or "rest"."""

    source: Motion
    q: np.ndarray
    rows: slice
    name: str


def reference_pose(source: Motion, bones: Mapping[str, Bone], names: str, asked: str) -> Reference:
    """See the module text. names: the set of names; asked: "auto", "first" or "rest"."""
    if asked not in ("auto", "first", "rest"):
        raise InputError(f"retarget: reference {asked!r} is none of auto, first, rest.")
    rest = source.model.neutral()
    stands = t_pose(source, bones, source.q[0])
    if not stands:
        turn = up_turn(source, bones)
        if turn is not None:
            source, rest = turned(source, turn), turned(Motion(source.model, np.zeros(1), rest[None]), turn).q[0]
            stands = t_pose(source, bones, source.q[0])
    first = asked == "first" or (asked == "auto" and names != "bunraku" and stands)
    if first and len(source) < 2:
        raise InputError("retarget: a single frame cannot be both reference and motion.")
    if first:
        return Reference(source, source.q[0], slice(1, None), "first")
    return Reference(source, rest, slice(None), "rest")


def t_pose(source: Motion, bones: Mapping[str, Bone], q: np.ndarray) -> bool:
    """Whether the upper arms are about horizontal and the legs upright."""
    k = kinematics(source.model, q)
    for link in (*ARMS, *(x for x, _ in LEGS)):
        b = bones.get(link)
        if b is None or not b.end:
            return False
        d = k.pose(b.end)[0] - k.pose(b.joint)[0]
        up = abs(d[2]) / max(float(np.linalg.norm(d)), 1e-12)
        if (link in ARMS and up > LEVEL) or (link not in ARMS and up < UPRIGHT):
            return False
    return True


def up_turn(source: Motion, bones: Mapping[str, Bone]) -> np.ndarray | None:
    """The quarter turns that put the zero pose upright, facing x; None where it is, or lies along no axis."""
    legs = [bones.get(f"{side}_{part}") for side in ("left", "right") for part in ("thigh", "shank")]
    if source.model.joints[0].kind != "free" or any(b is None or not b.end for b in legs):
        return None
    k = kinematics(source.model, source.model.neutral())
    hips = [k.pose(b.joint)[0] for b in (legs[0], legs[2]) if b]
    ankles = [k.pose(b.end)[0] for b in (legs[1], legs[3]) if b]
    up, left = np.mean(hips, axis=0) - np.mean(ankles, axis=0), hips[0] - hips[1]
    n = int(np.abs(up).argmax())
    if (n == 2 and up[n] > 0) or abs(up[n]) < ALONG * np.linalg.norm(up):
        return None
    z = np.sign(up[n]) * np.eye(3)[n]
    left = left - (left @ z) * z
    m = int(np.abs(left).argmax())
    if left[m] == 0.0:
        return None
    y = np.sign(left[m]) * np.eye(3)[m]
    return np.stack([np.cross(y, z), y, z])


def turned(motion: Motion, turn: np.ndarray) -> Motion:
    """The motion in a world turned by a rotation matrix; its root is free."""
    q = motion.q.copy()
    q[:, :3] = q[:, :3] @ turn.T
    q[:, 3:7] = quaternion(turn @ matrix(q[:, 3:7]))
    return Motion(motion.model, motion.times, q, motion.meta)
