"""What a captured person does, whatever the skeleton: where hips, knees, shoulders, … are and how each part of the body
is turned, from the places of joints (humanoid.anatomy) and not from rest poses, axes of bones, names or units.

A part's rotation is the identity where a person stands upright, facing x, arms hanging: x ahead, y left, z up along the
part. Thighs, shanks, arms and forearms lie along their joints; knees and elbows are hinges, whose axis, where they bend,
is across both bones, so that y is known. Pelvis, trunk, head, hands and feet, and straight limbs, turn as their joints
do times a constant, S(t) = R(t) C, so that the axes of the file's joints drop out. C comes from what the clip shows:
    limbs        the mean of R' S over the frames in which they bend;
    feet         level, and along ankle and toe from above, where they rest;
    pelvis, trunk, head    upright in the reference, if there is one: the first frame where that is a T-pose (it is no motion
                 then), else the file's zero pose where that stands; else along hips, neck and both shoulders in the frames that
                 stand, legs in line with the trunk, else in all frames;
    hands        in line with the forearm on the average.
Means of rotations are nearest to all of them (by singular values). Lengths are those of the file. Checked in
tests/motion/test_captured.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from bunraku.errors import InputError
from bunraku.humanoid.anatomy import Anatomy
from bunraku.motion.bad_rows import mended
from bunraku.motion.person_found import axis, no_person, person_in, upright
from bunraku.motion.person_points import SIDES, Points, at_joint, lengths, mean_turn, named, places
from bunraku.motion.person_turns import (
    ENOUGH,
    LEG,
    Reference,
    foot_turn,
    heading_of,
    limb_turns,
    standing,
    t_pose,
    upright_by,
    upright_in,
)
from bunraku.recording.motion import Motion

LIMBS = {"thigh": 1.0, "upper_arm": -1.0}  # sign of the hinge's axis about y
BELOW = {"thigh": "shank", "upper_arm": "lower_arm"}
PARTS = (
    "pelvis", "trunk", "head",
    *(f"{s}_{x}" for s in ("left", "right") for x in ("thigh", "shank", "foot", "upper_arm", "lower_arm", "hand")),
)  # fmt: skip
ENDS = {"thigh": "shank", "shank": "foot", "foot": "toe", "upper_arm": "lower_arm", "lower_arm": "hand"}
MODES = ("auto", "first", "rest")


@dataclass(frozen=True, eq=False)
class Captured:
    """A person in motion: times (n,); `place` of the joints at which parts begin, and of tips (n, 3), in the file's unit;
    `turn` of the parts (n, 3, 3), z up; `reference`: what upright was taken from; `names` of the points by part; `found`:
    the anatomy; `leg`: length of thigh and shank;
    `upright`: how the file's world was turned; `bad`: times [s] of bad rows, first and last, which were bridged, or left
    out at the ends (motion.bad_rows)."""

    times: np.ndarray
    place: dict[str, np.ndarray]
    turn: dict[str, np.ndarray]
    reference: str
    joints: dict[str, str]
    found: Anatomy
    leg: float
    upright: np.ndarray
    bad: tuple[tuple[float, float], ...] = ()


def captured(
    source: Motion,
    *,
    given: Mapping[str, str] | None = None,
    reference: str = "auto",
    up: str | None = None,
    straight: bool = False,
    who: str = "retarget",
) -> Captured:
    """See the module text. straight: feet are level and straight ahead in a T-pose, and what they are off where they rest is
    left to whoever puts the figure on the floor. given: joints by part ("left_thigh": where the thigh begins), where
    geometry is not to decide; up: the axis of the file that is up, "z", "-y", …; InputError where there is no person, which begins with `who`."""
    if reference not in MODES:
        raise InputError(f"{who}: reference {reference!r} is none of {', '.join(MODES)}.")
    title, upwards = source.model.name, axis(up, who)
    above = {f.link for f in source.model.description.frames} | {x.parent for x in source.model.description.links}
    names = [f.name for f in source.model.frames]
    if len(set(names) - above) < 4:  # two hands and two feet at least, before anything is computed
        raise no_person(names, title, who)
    points = Points.of(source.model, source.q)
    a = person_in(points, given or {}, upwards, title, who)
    turn = upright(a, points)
    points, zero = points.turned(turn), Points.of(source.model, source.model.neutral()).turned(turn)
    z = np.array([0.0, 0.0, 1.0])
    a = replace(a, up=z)
    first = reference == "first" or (reference == "auto" and t_pose(points.row(0), a))
    if first and len(source) < 2:
        raise InputError(f"{who}: a single frame cannot be both reference and motion.")
    leg = float(np.mean([lengths(points, x).sum() for x in a.legs]))
    if not leg > 0:
        raise InputError(f"{who}: the legs of {title!r} have no length.")
    times, q, pose, weight = source.times, source.q, None, np.ones(0)
    if first:
        pose, points, times, q = points.row(0), points.later(1), times[1:], q[1:]
    hips = np.mean([points.place[:, x.top] for x in a.legs], axis=0)
    body = np.stack([*places(points, a).values()], axis=1)  # what matters, whatever else the skeleton has
    good = mended(source.model, times, q, LEG / leg * body, LEG / leg * hips, title, who)
    bad = tuple((float(times[i]), float(times[k - 1])) for i, k in good.bad)
    if good.bad:
        points, times = Points.of(source.model, good.q).turned(turn), times[good.rows]
    if first:
        name = "first"
    elif reference == "rest":
        name, pose = "rest", zero
    else:
        weight = standing(points, a)
        if standing(zero, a)[0] > 0.5:
            name, pose = "rest", zero
        elif weight.sum() > ENOUGH:
            name = "standing"
        else:
            name, weight = "mean", np.ones(len(points.place))
    ref = None if pose is None else Reference(pose, heading_of(pose, a))
    turns = upright_by(points, a, weight) if ref is None else upright_in(ref, points, a)
    for part, pair in (("thigh", a.legs), ("upper_arm", a.arms)):
        body = turns["pelvis" if part == "thigh" else "trunk"]
        for side, limb in zip(SIDES, pair):
            one, two = limb_turns(points, limb, LIMBS[part], ref, body)
            turns[f"{side}_{part}"], turns[f"{side}_{BELOW[part]}"] = one, two
    step = float(np.diff(times).mean()) if len(times) > 1 else 1.0
    for side, below, arm in zip(SIDES, a.legs, a.arms):
        turns[f"{side}_foot"] = foot_turn(points, below, ref, turns[f"{side}_shank"], step, leg, straight and first)
        hand = points.turn[:, at_joint(points, arm.end, arm)]
        turns[f"{side}_hand"] = hand @ mean_turn(np.swapaxes(hand, 1, 2) @ turns[f"{side}_lower_arm"])
    return Captured(times, places(points, a), turns, name, named(points, a), a, leg, turn, bad)
