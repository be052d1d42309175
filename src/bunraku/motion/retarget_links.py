"""Retargeting by names: motions that this package exported, and mappings of a figure's own links.

In a pose that source and figure have in common (motion.reference_pose) every link is laid along its source bone by the
smallest turn from the neutral pose, R_ref; from then on it turns as its source joint does: R(t) = S(t) S(ref)' R_ref.
Figures of other joints than balls and hinges below them go by inverse kinematics (motion.retarget_ik). Checked in
tests/motion/test_retarget.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.humanoid.anatomy import anatomy
from bunraku.humanoid.skeletons import NEEDED, Bone, bones_of
from bunraku.model.model import Model
from bunraku.model.rotations import skew
from bunraku.motion.captured import ENDS, PARTS
from bunraku.motion.fitting import Fitting, leg_length, legs_of, ours
from bunraku.motion.person_points import Points, unit
from bunraku.motion.reference_pose import reference_pose
from bunraku.motion.retarget_ik import bone_scale, solve_frames
from bunraku.motion.set_down import set_down
from bunraku.recording.motion import Motion

SAME = 0.95  # cosine: bones that point alike


def same_zero_pose(motion: Motion, model: Model) -> bool:
    """Whether a skeleton with our names has our zero pose, as what this package exports does: each bone points as the
    figure's does, and z is up in the motion."""
    source = motion.model
    points = Points.of(source, motion.q[:: 1 + len(motion) // 60])
    seen = anatomy(points.parents, points.place)
    if not set(NEEDED) <= {f.name for f in model.links} or (
        seen is not None and seen.up[2] < 0.99 and seen.up_margin > 0.5
    ):
        return False
    ours_, theirs = kinematics(model, model.neutral()), kinematics(source, source.neutral())
    for part in PARTS:
        side, _, of = part.partition("_")
        end = f"{side}_{ENDS.get(of, '')}"
        if all(x in {f.name for f in m.links} for x in (part, end) for m in (model, source)):
            one, two = (unit(k.pose(end)[0] - k.pose(part)[0]) for k in (ours_, theirs))
            if float(one @ two) < SAME:
                return False
    return True


def by_links(
    source: Motion,
    model: Model,
    mapping: Mapping[str, str | Sequence[str]] | None,
    reference: str,
    cutoff: float | None,
    floor: bool,
) -> Motion:
    """Retargeting by a mapping of the figure's own links, or of what this package exported: links turn from the pose
    that both have in common (motion.reference_pose) on as their joints do."""
    names, bones = bones_of(model, source.model, mapping)
    by_link = {b.link: b for b in bones}
    common = reference_pose(source, by_link, names, reference)
    source, reference, rows = common.source, common.name, common.rows
    now, ref = kinematics(source.model, source.q[rows]), kinematics(source.model, common.q)
    place = {b.joint: now.pose(b.joint)[0] for b in bones}
    place |= {b.end: now.pose(b.end)[0] for b in bones if b.end}
    neutral = kinematics(model, model.neutral())
    turn: dict[str, np.ndarray] = {}
    for b in bones:
        home = neutral.pose(b.link)[1]
        along = lay(neutral, b, ref) @ home
        turn[b.link] = now.pose(b.joint)[1] @ ref.pose(b.joint)[1].T @ along
    if ours(model, by_link):
        scale = leg_length(neutral, legs_of()) / leg_length(ref, by_link)
        q = Fitting(model, by_link, place, turn, scale).fill()
    else:
        scale = bone_scale(model, ref, by_link)
        q = solve_frames(model, by_link, place, turn, scale)
    done = set_down(model, q, source.times[rows], cutoff, floor)
    meta = {
        "source": str(source.meta.get("title", source.model.name)), "names": names, "reference": reference, "scale": float(scale),
        "begins_s": float(source.times[rows][0] - source.times[0]), **done.meta,
    }  # fmt: skip
    return Motion(model, source.times[rows] - source.times[rows][0], done.q, meta)


def lay(neutral: Kinematics, bone: Bone, ref: Kinematics) -> np.ndarray:
    """The smallest turn that lays a link of the neutral figure along its source bone in the reference pose; feet and
    links without an end stay as they are."""
    if not bone.end or bone.link.endswith("foot"):
        return np.eye(3)
    a, b = -neutral.pose(bone.link)[1][:, 2], ref.pose(bone.end)[0] - ref.pose(bone.joint)[0]
    b = b / np.linalg.norm(b)
    axis, c = np.cross(a, b), float(a @ b)
    if c < -1 + 1e-9:  # half a turn about an axis across the bone: x where it is not along x
        across = np.eye(3)[0 if abs(a[0]) < 0.9 else 1]
        u = unit(across - (across @ a) * a)
        return 2.0 * np.outer(u, u) - np.eye(3)
    K = skew(axis)
    return np.eye(3) + K + K @ K / (1 + c)
