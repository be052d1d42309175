"""Read a robot from a URDF file.

`read` returns a `Description`: links in depth-first order, each with the joint above it. revolute and continuous
become a hinge, prismatic a slider, floating a free joint, fixed no joint (the builder merges the link and keeps its
frame), planar the three joints slider, slider, hinge with the names NAME_x, NAME_y, NAME_yaw. `mimic` becomes a
`Gear`; on a fixed joint it is ignored with a note, and a joint that mimics a fixed one is fixed itself at the offset.
Elements and attributes that are not understood are listed in the notes by name and line.

The root link gets a free joint ("root") with root="free", or is fixed in the world with root="fixed". With
root="auto" (the default) it is free, unless it *is* the world: called "world", or with floating joints only on it.
The children of such a link hang on the world directly.

Frames and units as in URDF: SI, the joint frame is the child link's frame, rpy = fixed axes roll, pitch, yaw [rad].
Source: wiki.ros.org/urdf/XML. Tested by tests/formats/test_urdf.py against Pinocchio, bad input by test_bad_files.py.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bunraku.errors import InputError, closest
from bunraku.formats import xmlsafe
from bunraku.formats.meshpath import MeshFinder
from bunraku.formats.notebook import Notebook
from bunraku.formats.terrain_mesh import terrain_mesh
from bunraku.formats.urdf_drives import read_transmissions
from bunraku.formats.urdf_link import Reader, read_link, read_materials
from bunraku.formats.xmlsafe import Element
from bunraku.model.description import Description, Gear, Joint, Link
from bunraku.model.joint_kinds import KINDS, TABLE
from bunraku.model.rotations import rotation_matrix

JOINTS = {name: kind for kind in TABLE for name in kind.urdf}
TYPES = (*JOINTS, "planar")
ROOTS = ("auto", "free", "fixed")
UNBOUNDED = 1e16  # simulators write this for "no limit"


@dataclass
class _Arc:
    """A `<joint>` while it is read: which links it ties and what it mimics."""

    element: Element
    name: str
    type: str
    parent: str
    child: str
    mimic: Element | None = None
    leader: str = ""
    joints: list[Joint] = field(default_factory=list)


def read(
    path: str | os.PathLike[str],
    *,
    root: str = "auto",
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    meshes: bool = True,
    strict: bool = False,
) -> Description:
    """The robot in a URDF file. `package_dirs`: where to look for packages; meshes=False leaves mesh shapes out."""
    element = xmlsafe.read(path)
    return from_element(element, Path(path), root=root, package_dirs=package_dirs, meshes=meshes, strict=strict)


def from_element(
    robot: Element,
    path: Path,
    *,
    root: str = "auto",
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    meshes: bool = True,
    strict: bool = False,
) -> Description:
    """The same from a parsed `<robot>` element."""
    if root not in ROOTS:
        raise InputError(f"root={root!r}: choose one of {', '.join(map(repr, ROOTS))}.")
    if robot.tag != "robot":
        raise robot.error(f"the root element is <{robot.tag}>; a URDF file starts with <robot>.")
    reader = Reader(Notebook(), MeshFinder(path, package_dirs), meshes, strict=strict)
    _refuse_xacro(robot)
    reader.book.attributes(robot, ("name", "version"))
    reader.book.children(robot, ("link", "joint", "material", "transmission"))
    read_materials(reader, robot)

    links = _links(reader, robot)
    arcs = _arcs(reader, robot, links)
    order = _tree_order(robot, links, arcs)
    by_child = {arc.child: arc for arc in arcs}
    _fix_followers_of_fixed(reader, arcs, links)

    is_world = root != "free" and _is_world(order[0], arcs)
    for name in order[1:]:
        arc, link = by_child[name], links[name]
        link.parent = None if is_world and arc.parent == order[0] else arc.parent
        link.joints = arc.joints
    ordered = [links[name] for name in order]
    if is_world and not ordered[0].shapes and ordered[0].inertia.mass == 0.0:
        ordered = ordered[1:]  # nothing on it: the world itself
    elif not is_world and root != "fixed":
        taken = {joint.name for arc in arcs for joint in arc.joints}
        ordered[0].joints = [Joint(_unused("root", taken), "free", where=ordered[0].where)]
    gears = [_gear(arc) for arc in arcs if arc.mimic is not None]
    name = robot.attributes.get("name", "").strip() or path.stem
    actuators = read_transmissions(reader, robot, {joint.name: joint for arc in arcs for joint in arc.joints})
    stay_concave(reader, ordered)
    return Description(name, ordered, gears, actuators=actuators, notes=reader.book.notes(), source=str(path))


def _refuse_xacro(robot: Element) -> None:
    for _, child in robot.walk():
        if child.tag.startswith("xacro:"):
            raise child.error(f"<{child.tag}> is a xacro macro; run xacro on the file first.")


def _links(reader: Reader, robot: Element) -> dict[str, Link]:
    links: dict[str, Link] = {}
    for element in robot.all("link"):
        link = read_link(reader, element)
        if link.name in links:
            raise element.error(f"duplicate link name {link.name!r}; the first is at {links[link.name].where}.")
        links[link.name] = link
    if not links:
        hint = " It is what xacro leaves of macros alone." if "xmlns:xacro" in robot.attributes else ""
        raise robot.error(f"the robot has no links.{hint}")
    return links


def _arcs(reader: Reader, robot: Element, links: dict[str, Link]) -> list[_Arc]:
    """Every joint, tied to links that exist; sets the pose of each child link."""
    arcs: dict[str, _Arc] = {}
    parent_joint: dict[str, _Arc] = {}
    for element in robot.all("joint"):
        name = element.text("name")
        if name in arcs:
            raise element.error(f"duplicate joint name {name!r}; the first is at {arcs[name].element.where}.")
        arc = arcs[name] = _arc(reader, element, name, links)
        if arc.child in parent_joint:
            other = parent_joint[arc.child]
            raise element.error(
                f"link {arc.child!r} is already the child of joint {other.name!r} (line {other.element.line}); "
                "a loop of links is not a tree."
            )
        parent_joint[arc.child] = arc
        links[arc.child].position, links[arc.child].rotation = reader.origin(element, f"joint {name!r}")
    taken = set(arcs)
    for arc in arcs.values():
        arc.joints = _joints(reader, arc, taken)
    for arc in arcs.values():
        _mimic(reader, arc, arcs)
    return list(arcs.values())


def _arc(reader: Reader, element: Element, name: str, links: dict[str, Link]) -> _Arc:
    kind = element.text("type", f"joint {name!r}")
    if kind not in TYPES:
        raise element.error(f"joint {name!r} has the unknown type {kind!r}; choose one of {', '.join(TYPES)}.")
    reader.book.attributes(element, ("name", "type"), name)
    reader.book.children(element, ("origin", "parent", "child", "axis", "dynamics", "limit", "mimic"), name)
    ends = []
    for tag in ("parent", "child"):
        end = reader.only(element, tag, name)
        if end is None:
            raise element.error(f'joint {name!r} has no {tag}; write <{tag} link="…"/>.')
        link = end.text("link", f"joint {name!r}")
        if link not in links:
            raise end.error(f"joint {name!r}: there is no {tag} link {link!r}.{closest(link, links)}")
        ends.append(link)
    if ends[0] == ends[1]:
        raise element.error(f"joint {name!r} ties link {ends[0]!r} to itself; a loop is not a tree.")
    return _Arc(element, name, kind, ends[0], ends[1])


def _joints(reader: Reader, arc: _Arc, taken: set[str]) -> list[Joint]:
    """The joints of the description that stand for one URDF joint."""
    element, name, what = arc.element, arc.name, f"joint {arc.name!r}"
    axis = reader.only(element, "axis", name)
    if axis is not None:
        reader.book.attributes(axis, ("xyz",), name)
    direction = (1.0, 0.0, 0.0) if axis is None else axis.numbers("xyz", 3, None, what)
    limit, dynamics = reader.only(element, "limit", name), reader.only(element, "dynamics", name)
    if arc.type == "fixed":
        for child in (limit, dynamics):
            if child is not None:
                reader.book.ignored(child, "has no meaning on a fixed joint", name=name)
        return []
    kind = "free" if arc.type == "planar" else JOINTS[arc.type].name
    joint = Joint(name, kind, direction, where=element.where)
    if dynamics is not None:
        reader.book.attributes(dynamics, ("damping", "friction"), name)
        joint.damping = dynamics.number("damping", 0.0, what)
        joint.friction = dynamics.number("friction", 0.0, what)
    if arc.type in ("floating", "planar"):
        if limit is not None:
            reader.book.ignored(limit, f"has no meaning on a {arc.type} joint", name=name)
        return [joint] if arc.type == "floating" else _planar(reader, arc, joint, taken)
    _limits(reader, arc, limit, joint)
    return [joint]


def _limits(reader: Reader, arc: _Arc, limit: Element | None, joint: Joint) -> None:
    name, what = arc.name, f"joint {arc.name!r}"
    if limit is None:
        if arc.type != "continuous":
            remark = "has no <limit>, which URDF requires; it is taken as unlimited"
            reader.book.add("warning", f"a {arc.type} joint", remark, arc.element)
        return
    known = ("effort", "velocity", "lower", "upper") if arc.type != "continuous" else ("effort", "velocity")
    reader.book.attributes(limit, known, name)
    joint.effort, joint.velocity = limit.number("effort", math.inf, what), limit.number("velocity", math.inf, what)
    if arc.type != "continuous":
        if "lower" not in limit.attributes and "upper" not in limit.attributes:
            remark = "of a joint that is not continuous has neither lower nor upper: by URDF's definition both are 0"
            reader.book.add("warning", "<limit>", remark, limit, name)
        joint.lower, joint.upper = limit.number("lower", 0.0, what), limit.number("upper", 0.0, what)
    for key in known:
        value = getattr(joint, key)
        if UNBOUNDED <= abs(value) < math.inf and (value > 0.0 or key == "lower"):
            setattr(joint, key, math.copysign(math.inf, value))
            reader.book.add("changed", f"{key} of <limit>", f"beyond {UNBOUNDED:g} is taken as no limit", limit, name)


def _planar(reader: Reader, arc: _Arc, joint: Joint, taken: set[str]) -> list[Joint]:
    """Motion in the plane normal to the axis: two sliders along it, then a hinge about the axis."""
    normal = np.asarray(joint.axis, dtype=float)
    length = float(np.linalg.norm(normal))
    if length < 1e-9:
        raise arc.element.error(f"joint {arc.name!r} axis {joint.axis} has no direction; write e.g. 0 0 1.")
    normal = normal / length
    largest = int(np.argmax(np.abs(normal)))
    first = np.eye(3)[(largest + 1) % 3]  # z -> x, y; x -> y, z; y -> z, x
    first = first - normal * (first @ normal)
    first /= np.linalg.norm(first)
    remark = "became the joints _x, _y (sliders) and _yaw (hinge), each with the damping and friction given"
    reader.book.add("changed", "a planar joint", remark, arc.element)
    parts = [("_x", "slider", first), ("_y", "slider", np.cross(normal, first)), ("_yaw", "hinge", normal)]
    return [
        replace(joint, name=_unused(arc.name + end, taken), kind=kind, axis=tuple(axis.tolist()))
        for end, kind, axis in parts
    ]


def _mimic(reader: Reader, arc: _Arc, arcs: dict[str, _Arc]) -> None:
    """Note which joint this one follows."""
    mimic = reader.only(arc.element, "mimic", arc.name)
    if mimic is None:
        return
    if arc.type == "fixed":
        reader.book.ignored(mimic, "has no meaning on a fixed joint", name=arc.name)
        return
    what = f"joint {arc.name!r}"
    reader.book.attributes(mimic, ("joint", "multiplier", "offset"), arc.name)
    arc.mimic, arc.leader = mimic, mimic.text("joint", what)
    if arc.leader not in arcs:
        if reader.strict:
            raise mimic.error(f"{what} mimics the unknown joint {arc.leader!r}.{closest(arc.leader, arcs)}")
        reader.book.add("warning", "<mimic>", f"of the unknown joint {arc.leader!r} is not used", mimic, arc.name)
        arc.mimic = None
        return
    for other in (arc, arcs[arc.leader]):
        if other.type == "planar" or JOINTS[other.type].dof > 1:
            raise mimic.error(f"{what} mimics {arc.leader!r}, but {other.name!r} is {other.type}, not of one DoF.")


def _fix_followers_of_fixed(reader: Reader, arcs: list[_Arc], links: dict[str, Link]) -> None:
    """A joint that mimics a joint at rest is at rest at q = multiplier * q_leader + offset (fixed: q_leader = 0)."""
    at_rest = {arc.name: 0.0 for arc in arcs if arc.type == "fixed"}
    while found := [arc for arc in arcs if arc.mimic is not None and arc.leader in at_rest]:
        for arc in found:
            multiplier, offset = _ratio(arc)
            q = at_rest[arc.name] = multiplier * at_rest[arc.leader] + offset
            link, axis = links[arc.child], np.asarray(arc.joints[0].axis, dtype=float)
            if q != 0.0 and float(np.linalg.norm(axis)) < 1e-9:
                raise arc.element.error(f"joint {arc.name!r} axis {arc.joints[0].axis} has no direction.")
            if q != 0.0:
                turn, shift = _displacement(arc.joints[0], axis / np.linalg.norm(axis), q)
                rotation = rotation_matrix(link.rotation)
                link.position = np.asarray(link.position) + rotation @ shift
                link.rotation = rotation @ turn
            reader.book.add("changed", "a joint", "that mimics a fixed joint became fixed", arc.element)
            arc.mimic, arc.joints = None, []


def _displacement(joint: Joint, axis: np.ndarray, q: float) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and translation of a joint with one axis at q, in joint axes."""
    kind = KINDS[joint.kind]
    w, (x, y, z) = math.cos(q / 2), axis * math.sin(q / 2)
    return rotation_matrix((w, x, y, z) if kind.turns else None), axis * (kind.slide(joint) * q)


def _ratio(arc: _Arc) -> tuple[float, float]:
    assert arc.mimic is not None
    what = f"joint {arc.name!r}"
    return arc.mimic.number("multiplier", 1.0, what), arc.mimic.number("offset", 0.0, what)


def _gear(arc: _Arc) -> Gear:
    assert arc.mimic is not None
    ratio, offset = _ratio(arc)
    return Gear(arc.name, arc.leader, ratio, offset, where=arc.mimic.where)


def _tree_order(robot: Element, links: dict[str, Link], arcs: list[_Arc]) -> list[str]:
    """Link names, parents first, children in the order of the file; refuses several roots and loops."""
    children: dict[str, list[str]] = {name: [] for name in links}
    for arc in arcs:
        children[arc.parent].append(arc.child)
    below = {arc.child for arc in arcs}
    roots = [name for name in links if name not in below]
    if len(roots) > 1:
        listed = ", ".join(repr(name) for name in roots[:5]) + (" …" if len(roots) > 5 else "")
        raise robot.error(f"the links {listed} all lack a parent; a robot has one root, so tie the others by joints.")
    order, stack = [], list(roots)
    while stack:
        name = stack.pop()
        order.append(name)
        stack.extend(reversed(children[name]))
    if len(order) < len(links):
        reached = set(order)
        arc = next(arc for arc in arcs if arc.child not in reached)
        raise arc.element.error(f"joint {arc.name!r} closes a loop through link {arc.child!r}; a loop is not a tree.")
    return order


def stay_concave(reader: Reader, links: list[Link]) -> None:
    """Make terrain of the meshes marked `concave="yes"` (PyBullet's word) of links that stand still; others stay hulls."""
    moves: dict[str | None, bool] = {None: False}
    for link in links:
        moves[link.name] = bool(link.joints) or moves[link.parent]
    for link, shape in reader.concave:
        if moves[link.text("name")]:
            reader.book.add("ignored", "concave meshes", "of links that move stand as their convex hulls", link)
            continue
        made = terrain_mesh(shape.mesh or "", scale=shape.scale)
        shape.kind, shape.mesh, shape.scale, shape.relief = "terrain", None, (1.0, 1.0, 1.0), made.relief


def _is_world(root: str, arcs: list[_Arc]) -> bool:
    """Whether the root link stands for the world: by its name, or because only floating joints hang on it."""
    types = {arc.type for arc in arcs if arc.parent == root}
    return root == "world" or types == {"floating"}


def _unused(name: str, taken: set[str]) -> str:
    """`name`, with underscores appended while a joint is already called so; adds it to the taken names."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name
