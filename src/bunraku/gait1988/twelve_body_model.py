"""The 12-body figure as a Bunraku Model, and a solved walk as its q, v, v': an independent check and a figure for
other parts.

Root: the left foot, free. Ankles and hips are balls (they pitch and lean), knees, waist, shoulders and elbows hinges
about y; with fixed arms the arms are fixed to the trunk. Lengths, masses and inertias are those of
`rigid_model.chain`; shapes (ours) make it visible. v of the free joint: linear in world axes, angular in body axes;
of a ball: relative angular velocity u in the child's axes, so its derivative is R'(w'_child - w'_parent + w_child x
w_parent). rnea(model, q, v, a) must give the ground reaction at the root and `Walk.moments` at the joints:
tests/gait1988/test_twelve_body_model.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bunraku.gait1988.rigid_model import PARENT, bodies_at, chain
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.twelve_bodies import (
    BODY_NAMES,
    FF,
    RR,
    SOLE_HALF_WIDTH,
    SOLE_HEEL,
    SOLE_TOE,
    UH,
    D,
    G,
    H,
)
from bunraku.model.description import Description, Joint, Shape, ball, free, hinge
from bunraku.model.model import Model
from bunraku.model.rotations import frame_along, quaternion

BALLS = {0: "left_ankle", 2: "left_hip", 8: "right_hip", 10: "right_ankle"}
HINGES = {1: "left_knee", 3: "waist", 9: "right_knee"}
ARM_HINGES = {4: "right_shoulder", 5: "right_elbow", 6: "left_shoulder", 7: "left_elbow"}
ROOT = 11
RADIUS = {0: 0.046, 1: 0.062, 4: 0.038, 5: 0.031, 6: 0.038, 7: 0.031, 8: 0.062, 9: 0.046}
"""Of the limbs as they are seen, m (ours)."""
HEAD = (0.93, 0.76, 0.62, 1.0)
LEFT, RIGHT, MIDDLE = (0.20, 0.42, 0.78), (0.90, 0.50, 0.16), (0.42, 0.46, 0.52)
"""Colours of left limbs, right limbs, and trunk."""
Color = tuple[float, float, float, float] | None


def joint_of(body: int, arms_free: bool) -> Joint | None:
    """The joint that carries a body; None = fixed to its parent."""
    if body == ROOT:
        return free("root")
    if body in BALLS:
        return ball(BALLS[body])
    if body in HINGES:
        return hinge(HINGES[body], (0.0, 1.0, 0.0))
    return hinge(ARM_HINGES[body], (0.0, 1.0, 0.0)) if arms_free else None


def shapes_of(body: int, arms_free: bool, sole: tuple[float, float] = (SOLE_HEEL, SOLE_TOE)) -> list[Shape]:
    """What is seen of a body (ours), in the link's frame (origin at its joint; left foot: at its centre); sole: its heel
    and toe, m from the foot's centre."""
    if body in (10, 11):
        middle, half, drop = 0.5 * (sole[0] + sole[1]), 0.5 * (sole[1] - sole[0]), -H if body == 10 else 0.0
        box = Shape("box", (half, SOLE_HALF_WIDTH, 0.025), (middle, 0.0, drop - UH + 0.025))
        return [box, between((0.0, 0.0, drop + 0.01), (0.0, 0.0, drop + H), 0.036)]
    if body == 2:
        return [between((0.0, -2.0 * D, 0.0), (0.0, 0.0, 0.0), 0.075)]
    if body == 3:
        neck, head = np.array([0.0, 0.0, RR + 0.04]), np.array([0.0, 0.0, RR + 0.20])
        shoulder = 0.85 * np.array([0.0, FF, RR])
        trunk = [between((0.0, 0.0, 0.0), 0.72 * neck, 0.115), between(shoulder * [1, -1, 1], shoulder, 0.06)]
        return [*trunk, between(neck, head, 0.045, HEAD), Shape("sphere", (0.105,), tuple(head), color=HEAD)]
    end = 2.0 * chain(arms_free).centre[body]  # the mass centre of a limb is half-way
    return [between((0.0, 0.0, 0.0), end, RADIUS[body])]


def between(
    a: Sequence[float] | np.ndarray, b: Sequence[float] | np.ndarray, radius: float, color: Color = None
) -> Shape:
    """A capsule from one point to another."""
    way = np.subtract(b, a)
    length = float(np.linalg.norm(way))
    middle = tuple(0.5 * np.add(a, b))
    return Shape("capsule", (radius, 0.5 * length), middle, frame_along(way / length), color=color)


def describe_figure(arms_free: bool = False) -> Description:
    """The figure as a description: 12 links named as in `figure.BODY_NAMES`."""
    figure = chain(arms_free)
    out = Description("report_1988")
    for body in (ROOT, *range(11)):
        parent = int(PARENT[body])
        place, com = figure.joint[body], figure.centre[body]
        if body == ROOT:
            com = np.zeros(3)  # the foot's frame is its centre here
        elif parent == ROOT:
            place = place - np.array([0.0, 0.0, UH])
        out.add(
            BODY_NAMES[body],
            None if body == ROOT else BODY_NAMES[parent],
            joint_of(body, arms_free),
            at=(0.0, 0.0, UH) if body == ROOT else tuple(place),
            mass=float(figure.mass[body]),
            com=tuple(com),
            moments=tuple(figure.inertia[body]),
            shapes=shapes_of(body, arms_free),
        )
    return out


def figure_model(arms_free: bool = False) -> Model:
    """The figure as a Model under the report's gravity, 9.81 m/s2."""
    return describe_figure(arms_free).build().with_gravity((0.0, 0.0, -G))


def model_state(model: Model, walk: Walk, row: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v, v' of the Model for one row of an exact walk; origin of the world at the ZMP of that instant."""
    figure = chain(walk.arms_free, walk.springs)
    c = walk.coordinates[row]
    bodies = bodies_at(figure, c, walk.zmp[row])
    q, v, a = model.neutral(), np.zeros(model.nv), np.zeros(model.nv)
    turn, w, wd = bodies.column("turn").reshape(12, 3, 3), bodies.column("w"), bodies.column("dw")
    root = model.joint("root")
    q[root.iq : root.iq + 3] = bodies[ROOT].centre
    q[root.iq + 3 : root.iq + 7] = quaternion(turn[ROOT])
    v[root.iv : root.iv + 6] = np.concatenate([bodies[ROOT].velocity, turn[ROOT].T @ w[ROOT]])
    a[root.iv : root.iv + 6] = np.concatenate([bodies[ROOT].acceleration, turn[ROOT].T @ wd[ROOT]])
    for body, name in BALLS.items():
        joint, parent = model.joint(name), int(PARENT[body])
        q[joint.q] = quaternion(turn[parent].T @ turn[body])
        v[joint.v] = turn[body].T @ (w[body] - w[parent])
        a[joint.v] = turn[body].T @ (wd[body] - wd[parent] + np.cross(w[body], w[parent]))
    hinges = {**HINGES, **(ARM_HINGES if walk.arms_free else {})}
    for body, name in hinges.items():
        joint, parent = model.joint(name), int(PARENT[body])
        angle = figure.sign[body] * c[figure.pitch[body]] - figure.sign[parent] * c[figure.pitch[parent]]
        q[joint.iq], v[joint.iv], a[joint.iv] = angle
    return q, v, a
