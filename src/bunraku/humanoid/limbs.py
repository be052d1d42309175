"""Hips, knees, ankles, shoulders, elbows and wrists of a robot, by geometry in its described pose; names are not read.

The middle of a shoulder, a hip or an ankle is the point nearest to the axes of its joints (least squares); a shoulder
lies on the axis about which the upper arm turns along itself, where there is one. Elbow and knee
are the joints that change the distance from the limb's middle to its end most when they turn; a wrist begins at the
first joint beyond the elbow whose axis is not along the forearm. A robot faces +x, or -x (as the iCub does, whose left is
at y < 0), by where its ankles go as its knees bend to the middle of their ranges. Feet and hands are those of
bunraku.humanoid.parts; pelvis and trunk are what carries both legs and both arms. Checked in tests/humanoid/test_limbs.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot
from bunraku.humanoid.parts import Humanoid, chain, humanoid, parent_bodies
from bunraku.model.configuration import integrate
from bunraku.model.model import FrameInfo, JointInfo, Model

TRIED = (-1.2, -0.6, 0.6, 1.2)  # rad: turns of a joint that may be an elbow
ALONG = 0.8  # cosine: an axis along the forearm
SIDES = ("left", "right")


@dataclass(frozen=True, eq=False)
class RobotLimb:
    """A leg or an arm: its joints from the body outwards, and points fixed to links: where it begins (fixed to what
    carries it), its middle joint, its end; lengths of both bones [m]."""

    joints: tuple[str, ...]
    top: FrameInfo
    middle: FrameInfo
    end: FrameInfo
    lengths: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Body:
    """A robot as a person: `facing` turns x ahead into the described pose; legs, feet, arms (None where it has none) left
    and right; pelvis and trunk, with the world's axes in the described pose."""

    model: Model
    facing: np.ndarray
    legs: tuple[RobotLimb, RobotLimb]
    feet: tuple[Foot, Foot]
    arms: tuple[RobotLimb | None, RobotLimb | None]
    pelvis: FrameInfo
    trunk: FrameInfo

    @property
    def leg(self) -> float:
        """Length of thigh and shank [m], mean of both legs."""
        return float(np.mean([sum(x.lengths) for x in self.legs]))


def body_of(model: Model | Humanoid, mapping: Mapping[str, Any] | None = None) -> Body:
    """See the module text; InputError where the figure has no legs to walk on."""
    h = humanoid(model, mapping)
    m = h.model
    k = kinematics(m, m.neutral())
    legs = [leg_of(m, k, f) for f in h.feet]
    backwards = sum(bends_ahead(m, x) for x in legs) > 0.0
    sides, facing = ((1, 0), np.diag([-1.0, -1.0, 1.0])) if backwards else ((0, 1), np.eye(3))
    arms = [arm_of(m, k, name, h) for name in h.hands]
    feet = [replace(h.feet[s], side=n) for n, s in enumerate(sides)]
    if backwards:  # heel and toe, too
        feet = [replace(f, rotation=f.rotation @ facing) for f in feet]
    carried = [carrier(m, [x.end.body for x in pair if x]) for pair in (legs, arms)]
    trunk = carried[1] if all(arms) else m.frame(h.trunk).body
    return Body(
        m, facing, (legs[sides[0]], legs[sides[1]]), (feet[0], feet[1]), (arms[sides[0]], arms[sides[1]]),
        *(fixed(k, b, k.position[b]) for b in (carried[0], trunk)),
    )  # fmt: skip


def carrier(model: Model, bodies: Sequence[int]) -> int:
    """The last body above all of several."""
    parents = parent_bodies(model)
    ways = [chain(parents, b) for b in bodies]
    return next((b for b in ways[0] if all(b in w for w in ways)), 1) if ways else 1


def bends_ahead(model: Model, x: RobotLimb) -> float:
    """How far [m] the end of a limb goes along x as its middle joint bends to the middle of its range."""
    j = next(j for j in model.joints if j.body == x.middle.body and j.nv == 1)
    step, low, high = np.zeros(model.nv), float(model.lower[j.iv]), float(model.upper[j.iv])
    step[j.iv] = np.clip(0.5 * (low + high), -1.0, 1.0) if np.isfinite(low + high) else 0.0
    q = model.neutral()
    one, two = kinematics(model, q), kinematics(model, integrate(model, q, step))
    return float((two.pose(x.end)[0] - two.pose(x.middle)[0] - one.pose(x.end)[0] + one.pose(x.middle)[0])[0])


def leg_of(model: Model, k: Kinematics, foot: Foot) -> RobotLimb:
    """The leg above a foot."""
    joints = [model.joint(x) for x in foot.joints]
    first = joints[0]
    if first.nv > 1 or len(joints) < 4:  # balls: the joints are where they are
        places = [k.position[j.body] for j in joints]
        top, ankle = places[0], places[-1]
    else:
        top, ankle = meeting(model, k, joints[:3]), meeting(model, k, joints[-2:])
    bend = bending(model, joints, top, ankle, foot.body)
    return limb(model, k, joints, bend, (top, k.position[bend.body], ankle), foot.body)


def arm_of(model: Model, k: Kinematics, hand: str | None, h: Humanoid) -> RobotLimb | None:
    """The arm above a hand; None where fewer than three joints carry it."""
    if hand is None:
        return None
    info, parents = model.frame(hand), parent_bodies(model)
    others = [model.frame(x).body for x in h.hands if x and x != hand] or [model.frame(h.trunk).body]
    above = set(chain(parents, others[0]))
    bodies = [b for b in chain(parents, info.body) if b not in above]
    joints = [j for b in reversed(bodies) for j in model.joints if j.body == b and j.nv]
    if sum(j.nv for j in joints) < 3:
        return None
    end = k.pose(hand)[0]
    if joints[0].nv > 1:
        top = k.position[joints[0].body]
    else:
        top = meeting(model, k, joints[: min(3, max(2, len(joints) - 1))])
    bend = bending(model, joints, top, end, info.body)
    elbow = k.position[bend.body]
    twist = joints[joints.index(bend) - 1]
    if twist.nv == 1:
        a = axis_of(model, k, twist)
        on = k.position[twist.body] + a * float(a @ (top - k.position[twist.body]))
        upper = (elbow - on) / max(float(np.linalg.norm(elbow - on)), 1e-9)
        top = on if abs(float(a @ upper)) > ALONG else top
    beyond = joints[joints.index(bend) + 1 :]
    along = (end - elbow) / max(float(np.linalg.norm(end - elbow)), 1e-9)
    wrist = next((j for j in beyond if abs(float(axis_of(model, k, j) @ along)) < ALONG), None)
    if wrist is not None and np.linalg.norm(k.position[wrist.body] - elbow) > 0.05:
        end = k.position[wrist.body]
        carried = parents[wrist.body]
    else:
        carried = info.body
    return limb(model, k, joints, bend, (top, elbow, end), carried)


def limb(
    model: Model, k: Kinematics, joints: Sequence[JointInfo], bend: JointInfo, places: Sequence[np.ndarray], last: int
) -> RobotLimb:
    """A limb by its places in the described pose; its end is fixed to the body `last`."""
    above = parent_bodies(model)[joints[0].body]
    top, middle, end = (fixed(k, b, x) for b, x in zip((above, bend.body, last), places))
    lengths = tuple(float(np.linalg.norm(a - b)) for a, b in pairwise(places))
    if min(lengths) < 1e-3:
        raise InputError(
            f"retarget: a limb of {model.name!r} has no length between {joints[0].name!r} and {joints[-1].name!r}."
        )
    return RobotLimb(tuple(j.name for j in joints), top, middle, end, (lengths[0], lengths[1]))


def fixed(k: Kinematics, body: int, place: np.ndarray) -> FrameInfo:
    """A point of the world as one fixed to a body, its axes those of the world in the described pose."""
    R, p = k.rotation[body], k.position[body]
    return FrameInfo("point", body, R.T @ (place - p), R.T.copy(), False)


def axis_of(model: Model, k: Kinematics, j: JointInfo) -> np.ndarray:
    """The direction about which a hinge turns, in the world of the described pose."""
    from bunraku.dynamics.functions import frame_jacobian

    J = frame_jacobian(model, model.neutral(), FrameInfo("axis", j.body, np.zeros(3), np.eye(3), False))[3:, j.iv]
    return J / max(float(np.linalg.norm(J)), 1e-12)


def meeting(model: Model, k: Kinematics, joints: Sequence[JointInfo]) -> np.ndarray:
    """The point nearest to the axes of joints."""
    A, b = 1e-3 * np.eye(3), 1e-3 * np.mean([k.position[j.body] for j in joints], axis=0)
    for j in joints:
        a = axis_of(model, k, j)
        across = np.eye(3) - np.outer(a, a)
        A, b = A + across, b + across @ k.position[j.body]
    return np.linalg.solve(A, b)


def bending(model: Model, joints: Sequence[JointInfo], top: np.ndarray, end: np.ndarray, last: int) -> JointInfo:
    """The joint that changes the distance of a limb's ends most."""
    q = model.neutral()
    k = kinematics(model, q)
    upper, lower = fixed(k, parent_bodies(model)[joints[0].body], top), fixed(k, last, end)
    one = [j for j in joints[1:] if j.nv == 1]
    change = []
    for j in one:
        poses = np.zeros((len(TRIED), model.nv))
        poses[:, j.iv] = TRIED
        at = kinematics(model, integrate(model, np.tile(q, (len(TRIED), 1)), poses))
        length = np.linalg.norm(at.pose(upper)[0] - at.pose(lower)[0], axis=1)
        change.append(float(np.ptp([*length, float(np.linalg.norm(top - end))])))
    if not change or max(change) < 0.01:
        raise InputError(
            f"retarget: no joint between {joints[0].name!r} and {joints[-1].name!r} of {model.name!r} bends its limb as an elbow or a knee does."
        )
    return one[int(np.argmax(change))]
