"""Poses of a whole walk at once: soles and centre of mass exactly where they are planned, the trunk upright, all joints
in their ranges.

For every sample, over the base and the legs (all other joints are given):
    min  1/2 |base turned against its plan|^2 + POSTURE/2 |leg - its stance|^2 + barriers at the ends of ranges
    with  soles = their plan (12 rows),  centre of mass = its plan (3 rows) ,
by inverse kinematics (bunraku.dynamics.ik) with exact targets and soft ranges, all samples as one batch: 4000 poses
take about 0.1 s a step. Each sample's pose depends on its own plan only, not on the one before, so smooth plans give
smooth joints. Checked in tests/humanoid/test_walking_ik.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.ik import Pose, inverse_kinematics
from bunraku.dynamics.ik_targets import Target
from bunraku.humanoid.parts import Humanoid

POSTURE = 1e-3
ANKLE_TWIST = 30.0  # a ball at the ankle leaves turning to the hip: so much heavier is its twist
STILL = 1e-8  # rad or m: the step that ends it


def posture_weights(h: Humanoid) -> np.ndarray:
    """(nv,): of staying near the plan; the base's place is free."""
    w = np.full(h.model.nv, POSTURE)
    w[:3], w[3:6] = 0.0, 1.0
    for f in h.feet:
        j = h.model.joint(f.joints[-1])
        if j.kind == "ball":
            w[j.iv + 2] *= ANKLE_TWIST
    return w


def walking_poses(
    h: Humanoid,
    start: np.ndarray,
    given: np.ndarray,
    position: np.ndarray,
    rotation: np.ndarray,
    com: np.ndarray,
    *,
    iterations: int = 60,
) -> Pose:
    """Poses of n samples from the start (n, nq). given (n, nq): plan of the base's rotation, of the legs' posture, and
    of all other joints, which `start` must have too; position (n, 2, 3), rotation (n, 2, 3, 3) of the soles; com
    (n, 3). What is missing is in the result's errors."""
    moving = {h.model.joints[0].name, *(name for f in h.feet for name in f.joints)}
    return inverse_kinematics(
        h.model,
        [Target(f.frame, position[:, f.side], rotation[:, f.side], np.inf) for f in h.feet],
        start,
        com=com,
        com_weight=np.inf,
        fixed=[j.name for j in h.model.joints if j.nv and j.name not in moving],
        rest=given,
        rest_weight=posture_weights(h),
        limits="soft",
        length=1.0,
        damped=False,
        still=STILL,
        iterations=iterations,
    )
