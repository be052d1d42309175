"""Retargeting: what a captured person does (motion.captured), on a figure or a robot, scaled by leg length, smoothed and
set on the floor.

Figures built like human() are filled in closed form: a hinge (knee, elbow) bends by the angle between its two bones, and
the link above turns about itself so that the hinge's axis is across both; legs reach for the scaled place of the person's
ankle, so that proportions do not make feet slide: cosine rule for the knee. Robots go by inverse kinematics
(motion.retarget_body). What this package exported, and mappings of a figure's own links, go by the pose that both have in
common (motion.reference_pose): in it every link is laid along its source bone by the smallest turn from the neutral pose,
R_ref, and from then on turns as its source joint does: R(t) = S(t) S(ref)' R_ref.
Lengths scale by the leg (hip to knee to ankle), so the unit of the file does not matter. Smoothing: Butterworth, 4th
order, forwards and backwards (no delay), default 6 Hz after Winter; quaternions component by component. The floor: a
plane through the lowest corners of resting feet becomes z = 0 (captured floors often slope by a centimetre a metre),
and each foot is turned by one constant so that it rests level, as T-poses rarely have level feet. Checked in
tests/motion/test_retarget.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.humanoid.limbs import Body, body_of
from bunraku.humanoid.skeletons import Bone, bones_of, given
from bunraku.model.human import human
from bunraku.model.model import Model
from bunraku.model.named import as_model
from bunraku.motion.captured import ENDS, PARTS, Captured, captured
from bunraku.motion.fitting import Fitting, leg_length, legs_of, ours
from bunraku.motion.person_points import unit
from bunraku.motion.retarget_body import onto_body
from bunraku.motion.retarget_links import by_links, same_zero_pose
from bunraku.motion.set_down import set_down
from bunraku.recording.motion import Motion

CUTOFF = 6.0  # Hz
WRONG = 60.0  # deg: a part that is farther off than this in many frames is a wrong pose


def retarget(
    source: Motion,
    model: Model | str,
    *,
    mapping: Mapping[str, str | Sequence[str]] | None = None,
    reference: str = "auto",
    cutoff: float | None = CUTOFF,
    floor: bool = True,
    up: str | None = None,
    robot: Mapping[str, Any] | None = None,
) -> Motion:
    """The motion of a skeleton, e.g. of a BVH file, as one of `model`: human(), or any humanoid. mapping: joints of the
    skeleton by parts of a person (pelvis, left_thigh, …) where geometry is not to decide; or by the figure's own links.
    reference: "first" frame, "rest" (zero) pose, or "auto". up: the file's axis that is up ("z", "-y"), found by default.
    cutoff [Hz], None for no smoothing. floor: put the feet level on it. `meta` of the result says scale, floor, what was
    clipped at joint limits, how far the parts' directions are off, and which rows of the source were bad."""
    model = as_model(model, "retarget")
    names = name_set(source.model)
    if mapping is not None and not set(mapping) <= set(PARTS) | {"neck"}:
        return by_links(source, model, mapping, reference, cutoff, floor)
    if names == "bunraku" and mapping is None and up is None and same_zero_pose(source, model):
        return by_links(source, model, None, reference, cutoff, floor)
    links = {f.name for f in model.links}
    bones = {x: Bone(x, x, end_of(x)) for x in PARTS if x in links}
    closed = ours(model, bones)
    seen = captured(source, given=given_joints(source.model, mapping), reference=reference, up=up, straight=closed)
    if closed:
        neutral, body = kinematics(model, model.neutral()), body_of(model)
        scale = leg_length(neutral, legs_of()) / seen.leg
        turn = {x: seen.turn[x] @ neutral.pose(x)[1] for x in bones}
        q = Fitting(model, bones, seen.place, turn, scale).fill()
        done = set_down(model, q, seen.times, cutoff, floor, level=seen.reference == "first")
    else:
        model = (body := body_of(model, robot)).model
        q, scale = onto_body(seen, body)
        done = set_down(model, q, seen.times, cutoff, floor, level=False)
    meta = {
        "source": str(source.meta.get("title", source.model.name)), "names": "given" if mapping else names or "by geometry",
        "reference": seen.reference, "scale": float(scale), "joints": seen.joints, "bad_s": [list(x) for x in seen.bad],
        "begins_s": float(seen.times[0] - source.times[0]), "upright": seen.upright.tolist(), **done.meta,
    }  # fmt: skip
    off = directions_off(body, done.q, seen)
    refuse_wrong(off, source.model.name)
    return Motion(model, seen.times - seen.times[0], done.q, meta | {"off_deg": off})


def end_of(part: str) -> str:
    """The point at which a part ends, "" for none."""
    side, _, of = part.partition("_")
    return f"{side}_{ENDS[of]}" if of in ENDS else ""


def name_set(source: Model) -> str | None:
    """Which set of names a skeleton has, where it is a known one."""
    try:
        return bones_of(human(), source)[0]
    except InputError:
        return None


def given_joints(source: Model, mapping: Mapping[str, str | Sequence[str]] | None) -> dict[str, str]:
    """Joints by part, of a mapping whose keys are parts of a person."""
    frames, out = {f.name: f.name for f in source.frames}, {}
    for part, x in (mapping or {}).items():
        bone = given(human(), frames, part, x, "retarget")
        out[part] = bone.joint
        side, _, of = part.partition("_")
        if bone.end and of in ENDS:
            out.setdefault(f"{side}_{ENDS[of]}", bone.end)
    return out


def directions_off(body: Body, q: np.ndarray, seen: Captured) -> dict[str, float]:
    """Part -> the most [deg] its direction is off the source's, 95 of 100 frames: bones of limbs, attitude of pelvis and
    trunk."""
    k, out = kinematics(body.model, q), {}
    for part, frame in (("pelvis", body.pelvis), ("trunk", body.trunk)):
        R = np.swapaxes(k.pose(frame)[1], 1, 2) @ seen.turn[part] @ body.facing.T
        angle = np.arccos(np.clip(0.5 * (np.trace(R, axis1=1, axis2=2) - 1), -1, 1))
        out[part] = float(np.degrees(np.percentile(angle, 95.0)))
    for parts, pair in ((("thigh", "shank", "foot"), body.legs), (("upper_arm", "lower_arm", "hand"), body.arms)):
        for side, limb in zip(("left", "right"), pair):
            for n in (0, 1) if limb else ():
                frames = (limb.top, limb.middle, limb.end)
                one = unit(k.pose(frames[n + 1])[0] - k.pose(frames[n])[0])
                two = unit(seen.place[f"{side}_{parts[n + 1]}"] - seen.place[f"{side}_{parts[n]}"])
                angle = np.arccos(np.clip(np.einsum("ni,ni->n", one, two), -1, 1))
                out[f"{side}_{parts[n]}"] = float(np.degrees(np.percentile(angle, 95.0)))
    return out


def refuse_wrong(off: Mapping[str, float], title: str) -> None:
    """Refuse a pose that is not the source's."""
    worst = max(off, key=lambda x: off[x], default="")
    if worst and off[worst] > WRONG:
        raise InputError(
            f"retarget: {worst} of the figure would be {off[worst]:.0f} degrees off the one of {title!r} in many frames; "
            "say by --mapping (mapping=) which joints are what, or by --up which way is up."
        )
