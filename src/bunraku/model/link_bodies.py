"""The bodies of a figure: links whose fixed joints are merged, joints split into parts that one body each moves by.

Every link becomes one body a joint (a link with k joints: k bodies, all but the last massless), or part of its parent's
body if it has none. A body's axes are chosen so that a hinge or slider goes along one of them; inertias are added about
its origin. Checked in tests/model/test_build.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bunraku.model.description import Description, Joint, Link
from bunraku.model.joint_kinds import KINDS, JointKind
from bunraku.model.rotations import about, frame_along, quaternion, rotation_matrix


@dataclass
class Body:
    """A body while the model is being built; `turn`, `place` put it in its parent's frame at q = 0."""

    parent: int
    kind: JointKind
    joint: Joint
    part: int  # which of the joint's parts this body is moved by; 0 where it has none
    link: str
    place: np.ndarray
    turn: np.ndarray
    axis: int = 2
    mass: float = 0.0
    first: np.ndarray = field(default_factory=lambda: np.zeros(3))
    second: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    q0: np.ndarray = field(default_factory=lambda: np.zeros(0))


def make_bodies(description: Description) -> tuple[list[Body], dict[str, tuple[int, np.ndarray, np.ndarray]]]:
    """Bodies (index 0: the world) and, for every link, (body, position, rotation) in that body's frame."""
    world = Body(0, KINDS["fixed"], Joint("world", "fixed"), 0, "world", np.zeros(3), np.eye(3))
    bodies = [world]
    poses: dict[str, tuple[int, np.ndarray, np.ndarray]] = {}
    for link in parents_first(description.links):
        body, p, R = poses[link.parent] if link.parent is not None else (0, np.zeros(3), np.eye(3))
        p = p + R @ np.asarray(link.position, dtype=float)
        R = R @ rotation_matrix(link.rotation)
        for joint, part, kind, axis in elementary_joints(link):
            anchor = np.asarray(joint.anchor, dtype=float)
            Q, k = axes_for(axis) if kind.one_axis else (np.eye(3), 2)
            new = Body(body, kind, joint, part, link.name, p + R @ anchor, R @ Q, k)
            start(new)
            bodies.append(new)
            body = len(bodies) - 1
            p, R = -Q.T @ anchor, Q.T  # the link, seen from the new body
        poses[link.name] = (body, p, R)
        lump(bodies[body], link, p, R)
    return bodies, poses


def start(body: Body) -> None:
    """q of the described pose, and the body's placement at q = 0."""
    kind, k = body.kind, body.axis
    if kind.one_axis:
        reference = value(body.joint.reference, body.part)
        body.q0 = np.array([reference])
        if reference:
            body.place = body.place - body.turn[:, k] * (kind.slide(body.joint) * reference)
            body.turn = body.turn @ about(k, -reference) if kind.turns else body.turn
    elif kind.pivots:
        body.q0 = np.array([1.0, 0.0, 0.0, 0.0])
    else:
        body.q0 = np.concatenate([body.place, quaternion(body.turn)])
        body.place, body.turn = np.zeros(3), np.eye(3)


def parents_first(links: list[Link]) -> list[Link]:
    """Depth first from the roots, children in the order given."""
    children: dict[str | None, list[Link]] = {}
    for link in links:
        children.setdefault(link.parent, []).append(link)
    ordered: list[Link] = []
    stack = list(reversed(children.get(None, [])))
    while stack:
        link = stack.pop()
        ordered.append(link)
        stack.extend(reversed(children.get(link.name, [])))
    return ordered


def elementary_joints(link: Link) -> list[tuple[Joint, int, JointKind, np.ndarray]]:
    """(joint, part, kind, axis) from inner to outer; a universal joint is two hinges; fixed joints vanish."""
    out = []
    for joint in link.joints:
        kind = KINDS[joint.kind]
        if kind.dof:
            for part, (name, axis) in enumerate(zip(kind.parts or (kind.name,), (joint.axis, joint.axis2))):
                out.append((joint, part, KINDS[name], np.asarray(axis, dtype=float)))
    return out


def axes_for(axis: np.ndarray) -> tuple[np.ndarray, int]:
    """(Q, k): a rotation link <- body whose column k is the joint's axis; the identity where that is a coordinate axis."""
    z = axis / np.linalg.norm(axis)
    for k in range(3):
        if z[k] == 1.0:
            return np.eye(3), k
    return frame_along(z), 2


def lump(body: Body, link: Link, p: np.ndarray, R: np.ndarray) -> None:
    """Add a link's inertia to its body, about the body's origin."""
    m = float(link.inertia.mass)
    c = p + R @ np.asarray(link.inertia.com, dtype=float)
    body.mass += m
    body.first = body.first + m * c
    body.second = body.second + R @ link.inertia.matrix() @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))


def value(x: Any, part: int) -> float:
    """A joint value that may be one number or, for a universal joint, a pair."""
    a = np.asarray(x, dtype=float)
    return float(a) if a.ndim == 0 else float(a[part])
