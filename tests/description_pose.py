"""Forward kinematics of a Description, written from its docstring alone: what a reader's result means in space.

For every link, parents first: X_link = X_parent * (position, rotation), then its joints from inner to outer. A hinge
turns by q - reference about the axis through the anchor, a slider moves along the axis, a ball turns by its
quaternion about the anchor, a free joint *is* the pose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from bunraku.model.description import Description, Joint
from bunraku.model.rotations import rotation_matrix

Pose = tuple[np.ndarray, np.ndarray]  # position, rotation


def turn(axis, angle: float) -> np.ndarray:
    """Rotation about an axis of any length."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis) * math.sin(angle / 2)
    return rotation_matrix((math.cos(angle / 2), x, y, z))


def joint_pose(joint: Joint, q, pose: Pose) -> Pose:
    """The pose of the link after this joint."""
    position, rotation = pose
    q = np.atleast_1d(np.asarray(q, dtype=float))
    if joint.kind == "free":
        return q[:3], rotation_matrix(q[3:])
    if joint.kind == "slider":
        axis = np.asarray(joint.axis, dtype=float)
        return position + rotation @ axis / np.linalg.norm(axis) * (q[0] - joint.reference), rotation
    assert joint.kind in ("hinge", "ball")
    after = rotation @ (turn(joint.axis, q[0] - joint.reference) if joint.kind == "hinge" else rotation_matrix(q))
    anchor = np.asarray(joint.anchor, dtype=float)
    return position + rotation @ anchor - after @ anchor, after


def link_poses(figure: Description, q: Mapping[str, object]) -> dict[str, Pose]:
    """World pose of every link for joint values by name; a joint that is not named stays at its reference."""
    poses: dict[str | None, Pose] = {None: (np.zeros(3), np.eye(3))}
    for link in figure.links:
        position, rotation = poses[link.parent]
        pose = position + rotation @ np.asarray(link.position, float), rotation @ rotation_matrix(link.rotation)
        for joint in link.joints:
            if joint.name in q:
                pose = joint_pose(joint, q[joint.name], pose)
        poses[link.name] = pose
    return {name: pose for name, pose in poses.items() if name is not None}


def joints(figure: Description) -> dict[str, Joint]:
    """All joints by name."""
    return {joint.name: joint for link in figure.links for joint in link.joints}
