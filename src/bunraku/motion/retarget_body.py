"""Retargeting onto a robot: pelvis and trunk turn as the person's do, legs and arms point as theirs, ankles go where
theirs do.

With the robot's limbs (humanoid.limbs) and what the person does (motion.captured) this is inverse kinematics
(dynamics.ik) of all frames in one batch, in two goes. First base, trunk and legs: attitudes of pelvis and trunk, ankles
at the person's times the ratio of leg lengths, knees along the thighs, feet as theirs. Then the arms, the rest held:
elbow and wrist along upper arm and forearm from where the robot's shoulder is now.
Checked in tests/motion/test_retarget_body.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.dynamics.ik import inverse_kinematics
from bunraku.dynamics.ik_targets import Target
from bunraku.humanoid.limbs import Body, RobotLimb
from bunraku.model.configuration import integrate
from bunraku.model.model import FrameInfo
from bunraku.model.rotations import matrix, quaternion
from bunraku.motion.captured import Captured
from bunraku.motion.person_points import SIDES, unit

TURN = 0.15  # m: a turn of 1 rad weighs as much as this distance
STAY = 1e-4  # m^2/rad^2: weight of staying at the pose it begins with
BEND = 0.3  # rad: of knees and elbows in that pose
WEIGHTS = {"pelvis": 4.0, "trunk": 4.0, "ankle": 4.0, "knee": 0.3, "foot": 1.0}
ITERATIONS = 40
REACH = 0.995  # of a leg's length: ankles are not asked for farther away


def onto_body(seen: Captured, body: Body) -> tuple[np.ndarray, float]:
    """(q (n, nq) of all frames, what lengths were multiplied with)."""
    model, scale, n = body.model, body.leg / seen.leg, len(seen.times)
    start = np.tile(begin(body), (n, 1))
    home = kinematics(model, start[0])
    R0, p0 = home.pose(body.pelvis)[1], home.pose(body.pelvis)[0]
    hips = np.mean([home.pose(x.top)[0] for x in body.legs], axis=0)
    turn = {x: seen.turn[x] @ body.facing.T for x in seen.turn}  # of frames with the described pose's axes
    carried = turn["pelvis"] @ R0.T
    middle = scale * seen.place["pelvis"]
    start[:, :3] = middle + np.einsum("nij,j->ni", carried, start[0, :3] - hips)
    start[:, 3:7] = quaternion(carried @ matrix(start[0, 3:7]))
    arms = [j for x in body.arms if x for j in x.joints]
    targets = [
        Target(body.pelvis, middle + np.einsum("nij,j->ni", carried, p0 - hips), turn["pelvis"], WEIGHTS["pelvis"]),
    ]
    if body.trunk.body != body.pelvis.body:
        targets.append(Target(body.trunk, None, turn["trunk"], WEIGHTS["trunk"]))
    for side, leg, foot in zip(SIDES, body.legs, body.feet):
        hip = middle + np.einsum("nij,j->ni", carried, home.pose(leg.top)[0] - hips)
        ankle = scale * seen.place[f"{side}_foot"] + wider(seen, body, side, scale)
        way = ankle - hip
        far = np.linalg.norm(way, axis=1, keepdims=True)
        ankle = hip + way * np.minimum(1.0, REACH * sum(leg.lengths) / np.maximum(far, 1e-9))
        knee = hip - leg.lengths[0] * seen.turn[f"{side}_thigh"][:, :, 2]
        targets.append(Target(leg.end, ankle, None, WEIGHTS["ankle"]))
        targets.append(Target(leg.middle, knee, None, WEIGHTS["knee"]))
        sole = FrameInfo(foot.name, foot.body, foot.position, foot.rotation, False)
        targets.append(Target(sole, None, seen.turn[f"{side}_foot"], WEIGHTS["foot"]))
    stay = np.full(model.nv, STAY)
    stay[:6] = 0.0
    fixed = [j.name for j in model.joints if j.nv and j.name in arms]
    options = {"rest_weight": stay, "length": TURN, "still": 1e-4, "iterations": ITERATIONS}
    q = inverse_kinematics(model, targets, start, rest=start, fixed=fixed, **options).q
    goals, at = [], kinematics(model, q)
    for side, arm in zip(SIDES, body.arms):
        if arm is not None:
            goals += arm_goals(seen, arm, side, at.pose(arm.top)[0])
    if goals:
        held = [j.name for j in model.joints if j.nv and j.name not in arms]
        q = inverse_kinematics(model, goals, q, rest=q, fixed=held, **options).q
    return q, float(scale)


def wider(seen: Captured, body: Body, side: str, scale: float) -> np.ndarray:
    """(n, 3): how far a foot goes sideways, as it heads, because the robot's hips are wider than the person's: a foot
    that rests stays where it is."""
    k = kinematics(body.model, body.model.neutral())
    ours = float(np.linalg.norm(k.pose(body.legs[0].top)[0] - k.pose(body.legs[1].top)[0]))
    theirs = float(np.median(np.linalg.norm(seen.place["left_thigh"] - seen.place["right_thigh"], axis=1)))
    left = seen.turn[f"{side}_foot"][:, :, 1] * np.array([1.0, 1.0, 0.0])
    return 0.5 * (ours - scale * theirs) * (1.0 if side == "left" else -1.0) * unit(left)


def arm_goals(seen: Captured, arm: RobotLimb, side: str, shoulder: np.ndarray) -> list[Target]:
    """Where elbow and wrist should be."""
    ways = [
        unit(seen.place[f"{side}_{b}"] - seen.place[f"{side}_{a}"])
        for a, b in (("upper_arm", "lower_arm"), ("lower_arm", "hand"))
    ]
    elbow = shoulder + arm.lengths[0] * ways[0]
    wrist = elbow + arm.lengths[1] * ways[1]
    return [Target(arm.middle, elbow), Target(arm.end, wrist)]


def begin(body: Body) -> np.ndarray:
    """The described pose with knees and elbows a little bent, inside their ranges."""
    model = body.model
    q, step = model.neutral(), np.zeros(model.nv)
    for x in (*body.legs, *(a for a in body.arms if a)):
        j = next(j for j in model.joints if j.body == x.middle.body and j.nv == 1)
        middle = 0.5 * (model.lower[j.iv] + model.upper[j.iv])
        step[j.iv] = np.sign(middle) * BEND if np.isfinite(middle) else 0.0
    return integrate(model, q, step)
