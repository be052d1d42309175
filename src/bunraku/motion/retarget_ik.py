"""Retargeting onto any tree, such as a robot whose hips are three hinges: places of mapped links along the source's
bones, and inverse kinematics.

The base goes where the source's does, times the scale. A link mapped below another lies from it in the direction of the
source's bone, as far as its own bone is long in the neutral pose; directly below the base it moves with the base. Base,
links directly below it and feet (the lowest mapped ends) also turn as their source joints do. Each frame is found from
the one before by a few Gauss-Newton steps. Checked in tests/motion/test_retarget.py.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bunraku.dynamics.functions import Kinematics, frame_jacobian, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.skeletons import Bone
from bunraku.model.configuration import difference, integrate
from bunraku.model.model import Model
from bunraku.model.rotations import rotation_vector
from bunraku.motion.settle import within

TURN = 0.1  # m: a turn of 1 rad weighs as much as this distance
STAY = 1e-3  # weight of staying at the frame before
FIRST, ITERATIONS = 60, 6


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
    turned = [base, *(x for x in order if up[x] == base and x not in feet and not_a_hip(up, x)), *feet]
    places = [x for x in order if up[x] != base]
    out, q = np.zeros((n, model.nq)), model.neutral()
    q[:3] = at[base][0]
    for k in range(n):
        q = nearest(
            model, q, {x: at[x][k] for x in places}, {x: turn[x][k] for x in turned}, ITERATIONS if k else FIRST
        )
        out[k] = q
    return out


def nearest(
    model: Model, q: np.ndarray, places: Mapping[str, np.ndarray], turns: Mapping[str, np.ndarray], iterations: int
) -> np.ndarray:
    """q from which Gauss-Newton steps bring links nearest to places and turns (weight TURN), hinges and sliders inside
    their ranges."""
    nv = model.nv
    home = q
    for _ in range(iterations):
        kin = kinematics(model, q)
        rows, errors = [STAY * np.eye(nv)], [STAY * difference(model, q, home)]
        for x in {**places, **turns}:
            J, (p, R) = frame_jacobian(model, q, x), kin.pose(x)
            if x in places:
                rows.append(J[:3])
                errors.append(places[x] - p)
            if x in turns:
                rows.append(TURN * J[3:])
                errors.append(TURN * rotation_vector(turns[x] @ R.T))
        J, e = np.vstack(rows), np.concatenate(errors)
        step = np.linalg.solve(J.T @ J + 1e-8 * np.eye(nv), J.T @ e)
        q = within(model, integrate(model, q, step * min(1.0, 0.5 / max(1e-12, float(np.abs(step).max())))))
        if np.abs(step).max() < 1e-5:
            break
    return q


def not_a_hip(up: Mapping[str, str | None], link: str) -> bool:
    """Whether nothing that ends in a foot hangs on a link: its children are arms or none."""
    return not any(parent == link for parent in up.values())


def depth(up: Mapping[str, str | None], link: str) -> int:
    """How many mapped links are above."""
    n, at = 0, up[link]
    while at is not None:
        n, at = n + 1, up[at]
    return n
