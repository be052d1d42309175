"""Retargeting onto any tree, such as a robot whose hips are three hinges: places of mapped links along the source's
bones, and inverse kinematics.

The base goes where the source's does, times the scale. A link mapped below another lies from it in the direction of the
source's bone, as far as its own bone is long in the neutral pose; directly below the base it moves with the base. Base,
links directly below it and feet (the lowest mapped ends) also turn as their source joints do. All frames are one batch
of inverse kinematics (bunraku.dynamics.ik), from the neutral pose and near to it. Checked in
tests/motion/test_retarget.py.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.dynamics.ik import inverse_kinematics
from bunraku.dynamics.ik_targets import Target
from bunraku.errors import InputError
from bunraku.humanoid.skeletons import Bone
from bunraku.model.model import Model
from bunraku.model.rotations import matrix, quaternion

TURN = 0.1  # m: a turn of 1 rad weighs as much as this distance
STAY = 1e-4  # m^2/rad^2: weight of staying at the neutral pose
ITERATIONS = 30


def above(model: Model, bones: Mapping[str, Bone]) -> dict[str, str | None]:
    """Link -> the nearest mapped link above it; None for the base."""
    parent = {x.name: x.parent for x in model.description.links}
    out: dict[str, str | None] = {}
    for link in bones:
        up = parent.get(link)
        while up is not None and up not in bones:
            up = parent[up]
        out[link] = up
    bases = [link for link, up in out.items() if up is None]
    root = model.joints[0] if model.joints else None
    if len(bases) != 1 or root is None or root.kind != "free" or model.body(bases[0]) != model.body(root.link):
        raise InputError(
            f"retarget: the mapping must name the free base of {model.name!r}, and links below it; its tops are {bases}."
        )
    return out


def bone_scale(model: Model, source: Kinematics, bones: Mapping[str, Bone]) -> float:
    """Length of all mapped bones below others than the base, of the figure's to the source's."""
    neutral, up = kinematics(model, model.neutral()), above(model, bones)
    ours = theirs = 0.0
    for link, parent in up.items():
        if parent is not None and up[parent] is not None:
            ours += float(np.linalg.norm(neutral.pose(link)[0] - neutral.pose(parent)[0]))
            theirs += float(np.linalg.norm(source.pose(bones[link].joint)[0] - source.pose(bones[parent].joint)[0]))
    if not (ours > 0 and theirs > 0):
        raise InputError("retarget: the mapping has no two links below each other; name hips, knees and ankles.")
    return ours / theirs


def solve_frames(
    model: Model,
    bones: Mapping[str, Bone],
    place: Mapping[str, np.ndarray],
    turn: Mapping[str, np.ndarray],
    scale: float,
) -> np.ndarray:
    """q (n, nq) of all frames."""
    neutral, up = kinematics(model, model.neutral()), above(model, bones)
    base = next(link for link, parent in up.items() if parent is None)
    order = sorted(up, key=lambda x: depth(up, x))
    n = len(place[bones[base].joint])
    at: dict[str, np.ndarray] = {base: scale * place[bones[base].joint]}
    R0, p0 = neutral.pose(base)[1], neutral.pose(base)[0]
    for link in order[1:]:
        parent = up[link]
        assert parent is not None
        offset = neutral.pose(link)[0] - neutral.pose(parent)[0]
        way = place[bones[link].joint] - place[bones[parent].joint]
        length = np.linalg.norm(way, axis=1, keepdims=True)
        if parent == base or np.any(length < 1e-9):
            at[link] = at[parent] + turn[base] @ (R0.T @ (neutral.pose(link)[0] - p0)) if parent == base else at[parent]
        else:
            at[link] = at[parent] + np.linalg.norm(offset) * way / length
    ends = [link for link in order if link not in up.values()]
    low = min(float(neutral.pose(x)[0][2]) for x in ends)
    feet = [x for x in ends if neutral.pose(x)[0][2] < 0.5 * (low + p0[2])]
    # nothing that ends in a foot hangs on these: their children are arms, or none
    arms = [x for x in order if up[x] == base and x not in feet and x not in up.values()]
    turned = [base, *arms, *feet]
    goals = [(x, at[x] if up[x] != base else None, turn[x] if x in turned else None) for x in order]
    goals = [(x, p, R) for x, p, R in goals if p is not None or R is not None]
    q, carried = np.tile(model.neutral(), (n, 1)), turn[base] @ R0.T  # the neutral pose, its base in place
    q[:, :3] = at[base] + carried @ (q[0, :3] - p0)
    q[:, 3:7] = quaternion(carried @ matrix(q[0, 3:7]))
    stay = np.full(model.nv, STAY)
    stay[:6] = 0.0
    targets = [Target(x, p, R) for x, p, R in goals]
    return inverse_kinematics(
        model, targets, q, rest=q, rest_weight=stay, length=TURN, damped=False, still=1e-5, iterations=ITERATIONS
    ).q


def depth(up: Mapping[str, str | None], link: str) -> int:
    """How many mapped links are above."""
    n, at = 0, up[link]
    while at is not None:
        n, at = n + 1, up[at]
    return n
