"""Write a figure as URDF.

The root is a link called "world"; a free joint is a floating one, so that bunraku.formats.urdf reads the same figure.
URDF has one joint a link, at the link's origin, with q = 0 in the described pose. So a joint with an anchor, one of
several, or a universal joint becomes a link without mass of its own, called LINK/JOINT (JOINT.1, JOINT.2 of a universal
one), and the pose at q = 0 is written where the described pose has another `reference`. Ball and screw joints are
refused: URDF has none. What URDF has no word for is told in notes.

Checked in tests/formats/test_save.py: mass matrix, poses of links, limits and shapes are equal when read back.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import FormatError
from bunraku.formats.xml_text import Node, mesh_address, nonzero
from bunraku.model.description import Description, Joint, Link, Note, Shape
from bunraku.model.joint_kinds import JointKind
from bunraku.model.link_bodies import elementary_joints, parents_first, value
from bunraku.model.rotations import exponential, matrix, rotation_matrix

WORLD = "world"
UNLIMITED = 1e300


def urdf_text(d: Description, folder: Path) -> tuple[str, list[Note]]:
    """(the file's text, what it could not hold)."""
    lost: dict[str, list[str]] = {}
    robot = Node("robot", name=d.name)
    mimics = {g.follower: g for g in d.gears}
    taken = {joint.name for link in d.links for joint in link.joints}
    if d.matrix_gears:
        raise FormatError("a coupling by a matrix cannot be written as URDF; its mimic has one leader.")
    if not any(link.name == WORLD for link in d.links):
        robot.add("link", name=WORLD)
    for link in parents_first(d.links):
        if link.name == WORLD:
            _link(robot, link, folder, lost)
            continue
        parent, p, R = link.parent or WORLD, np.asarray(link.position, dtype=float), rotation_matrix(link.rotation)
        chain = elementary_joints(link)
        for k, (joint, part, kind, axis) in enumerate(chain):
            last = k == len(chain) - 1
            anchor = np.asarray(joint.anchor, dtype=float) if kind.name != "free" else np.zeros(3)
            name = joint.name if kind.name == joint.kind else f"{joint.name}.{part + 1}"
            child = link.name if last and not anchor.any() else f"{link.name}/{name}"
            place, turn = _at_zero(joint, part, kind, axis, (p + R @ anchor, R))
            _joint(robot, (name, joint, part, kind, axis), (parent, child), (place, turn), mimics.get(joint.name), lost)
            if child != link.name:
                robot.add("link", name=child)
            parent, p, R = child, -anchor, np.eye(3)
        if parent != link.name:
            _fixed(robot, link.name, parent, (p, R), taken)
        _link(robot, link, folder, lost)
    for frame in d.frames:
        robot.add("link", name=frame.name)
        pose = np.asarray(frame.position, dtype=float), rotation_matrix(frame.rotation)
        _fixed(robot, frame.name, frame.link, pose, taken)
    for what in ("actuators", "tendons", "closures", "keyframes", "sensors", "collide_exclude", "collide_pairs"):
        if getattr(d, what):
            lost.setdefault(what.replace("_", " "), []).append(f"{len(getattr(d, what))} of them")
    notes = [Note("ignored", f"URDF has no {what}: left out ({', '.join(of[:5])}).") for what, of in lost.items()]
    return robot.text(), notes


def _fixed(robot: Node, link: str, parent: str, pose: tuple[np.ndarray, np.ndarray], taken: set[str]) -> None:
    """A fixed joint, with a name that no other has."""
    name = f"{link}_fixed"
    while name in taken:
        name += "_"
    taken.add(name)
    tie = robot.add("joint", name=name, type="fixed")
    _origin(tie, *pose)
    tie.add("parent", link=parent)
    tie.add("child", link=link)


def _at_zero(
    joint: Joint, part: int, kind: JointKind, axis: np.ndarray, pose: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The pose at q = 0 of a joint whose described pose is at q = reference."""
    p, R = pose
    r = value(joint.reference, part) if kind.one_axis else 0.0
    if r:
        z = axis / np.linalg.norm(axis)
        p = p - R @ z * (kind.slide(joint) * r)
        R = R @ matrix(exponential(-r * z)) if kind.turns else R
    return p, R


def _joint(
    robot: Node,
    what: tuple[str, Joint, int, JointKind, np.ndarray],
    ends: tuple[str, str],
    pose: tuple[np.ndarray, np.ndarray],
    mimic: Any,
    lost: dict[str, list[str]],
) -> None:
    name, joint, part, kind, axis = what
    if kind.name in ("ball", "helical"):
        raise FormatError(f"joint {joint.name!r} is {kind.name}, which URDF has not; save it as .xml (MJCF).")
    lower, upper = (value(x, part) if kind.one_axis else math.inf for x in (joint.lower, joint.upper))
    limited = kind.one_axis and (math.isfinite(lower) or math.isfinite(upper))
    if kind.name == "free":
        type_ = "floating"
    else:
        type_ = "prismatic" if kind.name == "slider" else "revolute" if limited else "continuous"
    node = robot.add("joint", name=name, type=type_)
    _origin(node, *pose)
    node.add("parent", link=ends[0])
    node.add("child", link=ends[1])
    if kind.one_axis:
        node.add("axis", xyz=axis)
        effort, velocity = (value(x, part) for x in (joint.effort, joint.velocity))
        bounds = {"lower": max(lower, -UNLIMITED), "upper": min(upper, UNLIMITED)} if type_ != "continuous" else {}
        finite = {k: x for k, x in (("effort", effort), ("velocity", velocity)) if math.isfinite(x)}
        if bounds or finite:
            node.add("limit", **bounds, **finite)
        damping, friction = (value(x, part) for x in (joint.damping, joint.friction))
        if damping or friction:
            node.add("dynamics", damping=damping, friction=friction)
    for word in ("stiffness", "armature"):
        if np.any(np.asarray(getattr(joint, word), dtype=float)):
            lost.setdefault(f"{word} of joints", []).append(repr(joint.name))
    if mimic is not None:
        node.add("mimic", joint=mimic.leader, multiplier=float(mimic.ratio), offset=float(mimic.offset))


def _origin(node: Node, p: np.ndarray, R: np.ndarray) -> None:
    rpy = nonzero(rpy_of(R))
    if rpy is not None or np.any(p):
        node.add("origin", xyz=np.asarray(p, dtype=float), rpy=rpy)


def rpy_of(R: np.ndarray) -> tuple[float, float, float]:
    """(roll, pitch, yaw) with Rz(yaw) Ry(pitch) Rx(roll) = R; where pitch is a right angle, yaw is 0."""
    flat = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], flat)
    if flat > 1e-9:
        return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])
    return math.atan2(-R[1, 2], R[1, 1]), pitch, 0.0


def _link(robot: Node, link: Link, folder: Path, lost: dict[str, list[str]]) -> None:
    node = robot.add("link", name=link.name)
    if link.gravcomp:
        lost.setdefault("gravity compensation", []).append(repr(link.name))
    inertia = link.inertia
    moments = inertia.matrix()
    if inertia.mass or np.any(moments):
        inside = node.add("inertial")
        if np.any(np.asarray(inertia.com, dtype=float)):
            inside.add("origin", xyz=np.asarray(inertia.com, dtype=float))
        inside.add("mass", value=float(inertia.mass))
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        inside.add("inertia", **dict(zip(names, moments[np.triu_indices(3)].tolist())))
    for shape in link.shapes:
        geometry = _geometry(shape, folder)
        if geometry is None:
            lost.setdefault(f"{shape.kind} shapes", []).append(repr(link.name))
            continue
        for role in ("collision", "visual"):
            if shape.role in ("both", role):
                outer = node.add(role, name=shape.name or None)
                _origin(outer, np.asarray(shape.position, dtype=float), rotation_matrix(shape.rotation))
                outer.add("geometry").children.append(geometry)
                if role == "visual" and shape.color is not None:
                    outer.add("material", name=f"rgba {' '.join(f'{x:g}' for x in shape.color)}").add(
                        "color", rgba=shape.color
                    )


def _geometry(shape: Shape, folder: Path) -> Node | None:
    size = [float(x) for x in shape.size]
    if shape.kind == "box":
        return Node("box", size=[2.0 * x for x in size])
    if shape.kind == "sphere":
        return Node("sphere", radius=size[0])
    if shape.kind in ("cylinder", "capsule"):
        return Node(shape.kind, radius=size[0], length=2.0 * size[1])
    if shape.kind == "mesh" and shape.mesh:
        scale = tuple(float(x) for x in shape.scale)
        return Node(
            "mesh", filename=mesh_address(shape.mesh, folder), scale=scale if scale != (1.0, 1.0, 1.0) else None
        )
    return None
