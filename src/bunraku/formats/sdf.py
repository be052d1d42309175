"""Read a robot from an SDF file (SDFormat 1.4 to 1.12), one model a file.

Links stand in the model's frame (or `relative_to` a link, joint or frame); a joint's pose is in its child's frame, its
axis in the joint's frame (before 1.5, and where `use_parent_model_frame` says so, in the model's; or `expressed_in`).
revolute, continuous, prismatic, fixed, ball, universal and screw joints are read. A joint whose child has one already
closes a loop: it becomes a closure, held in a World. A link without a parent is free, unless the model is static. What
is not understood is listed by name and line: nested models, includes, plugins, sensors.

Source: sdformat.org/spec. Tested by tests/formats/test_sdf.py.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import closest
from bunraku.formats import xmlsafe
from bunraku.formats.meshpath import MeshFinder
from bunraku.formats.notebook import Notebook
from bunraku.formats.xmlsafe import Element, shorten
from bunraku.model.description import Description, Frame, Inertia, Joint, Link, Shape
from bunraku.model.equipment import Closure
from bunraku.model.rotations import frame_along, rpy_matrix

KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slider", "ball": "ball", "universal": "universal"}
KINDS |= {"screw": "helical", "fixed": "fixed"}
AXES = {"ball": "x y z", "hinge": "x y z rx ry", "fixed": "x y z rx ry rz", "universal": "x y z rz"}
AXES |= {"slider": "x y rx ry rz"}
UNBOUNDED = 1e15  # what SDF writes for "no limit" is 1e16
MODEL = "__model__"
Pose = tuple[np.ndarray, np.ndarray]


@dataclass
class Reader:
    """What the reading of one model shares."""

    model: Element
    book: Notebook
    finder: MeshFinder
    version: float
    meshes: bool = True
    raw: dict[str, tuple[Pose, str]] = field(default_factory=dict)  # pose and the frame it is given in
    known: dict[str, Pose] = field(default_factory=dict)  # poses in the model's frame
    grounded: set[str] = field(default_factory=set)  # links that a joint ties to the world

    def pose(self, element: Element, what: str) -> tuple[Pose, str]:
        """The pose of an element and the name of the frame it is given in."""
        child = element.first("pose")
        if child is None or not child.content.strip():
            return (np.zeros(3), np.eye(3)), ""
        x, y, z, roll, pitch, yaw = element.inside("pose", 6, None, what)
        if child.attributes.get("degrees", "false") in ("true", "1"):
            roll, pitch, yaw = (math.radians(a) for a in (roll, pitch, yaw))
        return (np.array([x, y, z]), rpy_matrix(roll, pitch, yaw)), child.attributes.get("relative_to", "")

    def placed(self, name: str, element: Element, above: tuple[str, ...] = ()) -> Pose:
        """The pose of a link, joint or frame in the model's frame."""
        if name in ("", MODEL):
            return np.zeros(3), np.eye(3)
        if name in self.known:
            return self.known[name]
        if name not in self.raw:
            raise element.error(f"there is no frame {name!r}.{closest(name, self.raw)}")
        if name in above:
            raise element.error(f"the poses of {' and '.join(map(repr, sorted(above)))} are given in each other.")
        (p, R), base = self.raw[name]
        q, Q = self.placed(base, element, (*above, name))
        self.known[name] = q + Q @ p, Q @ R
        return self.known[name]


def read(path: str | os.PathLike[str], *, root: str = "auto", meshes: bool = True) -> Description:
    """The robot in an SDF file."""
    return from_element(xmlsafe.read(path), Path(path), root=root, meshes=meshes)


def from_element(
    sdf: Element, path: Path, *, root: str = "auto", meshes: bool = True, package_dirs: Any = ()
) -> Description:
    """The same from a parsed `<sdf>` element."""
    book = Notebook()
    home = sdf.first("world") or sdf
    models = home.all("model")
    if len(models) != 1:
        count = "no" if not models else f"{len(models)}"
        raise home.error(f"the file has {count} models; Bunraku reads SDF files with one.")
    for child in home.children:
        if child is not models[0]:
            book.ignored(child, inside=home.tag)
    model = models[0]
    version = xmlsafe.parse_number(sdf.attributes.get("version", "1.7")) or 1.7
    reader = Reader(model, book, MeshFinder(path, package_dirs), version, meshes)
    book.children(model, ("link", "joint", "frame", "pose", "static", "self_collide"))
    elements = _named(model, "link")
    joints = _named(model, "joint")
    _frames(reader, elements, joints)
    figure = Description(model.attributes.get("name", "").strip() or path.stem, source=str(path))
    links = {name: _link(reader, element, name) for name, element in elements.items()}
    if not links:
        raise model.error("the model has no links.")
    _tree(reader, figure, links, joints)
    static = _flag(model, "static")
    (p, R), _ = reader.pose(model, "the model")
    for link in links.values():
        if link.parent is None:
            own = np.asarray(link.position), link.rotation
            link.position, link.rotation = p + R @ own[0], R @ own[1]
            if not link.joints and not static and root != "fixed" and link.name not in reader.grounded:
                link.joints = [Joint("root" if "root" not in joints else f"{link.name}_root", "free", where=link.where)]
                joints.setdefault(link.joints[0].name, model)
    figure.links = list(links.values())
    for element in model.all("frame"):
        _frame(reader, figure, element, links, joints)
    figure.notes = book.notes()
    return figure


def _flag(element: Element, tag: str) -> bool:
    child = element.first(tag)
    return child is not None and child.content.strip().lower() in ("1", "true")


def _named(model: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in model.all(tag):
        name = element.text("name")
        if name in found:
            raise element.error(f"duplicate {tag} name {name!r}; the first is at {found[name].where}.")
        found[name] = element
    return found


def _frames(reader: Reader, links: dict[str, Element], joints: dict[str, Element]) -> None:
    """Poses of links, joints and frames, each in the frame it is given in."""
    for name, element in links.items():
        reader.raw[name] = reader.pose(element, f"link {name!r}")
    for name, element in joints.items():
        child = element.first("child")
        pose, base = reader.pose(element, f"joint {name!r}")
        reader.raw.setdefault(name, (pose, base or (child.content.strip() if child is not None else "")))
    for element in reader.model.all("frame"):
        name = element.text("name")
        pose, base = reader.pose(element, f"frame {name!r}")
        reader.raw.setdefault(name, (pose, base or element.attributes.get("attached_to", "")))


def _link(reader: Reader, element: Element, name: str) -> Link:
    reader.book.attributes(element, ("name",), name)
    reader.book.children(
        element, ("pose", "inertial", "collision", "visual", "gravity", "self_collide", "kinematic"), name
    )
    link = Link(name, where=element.where)
    link.position, link.rotation = reader.placed(name, element)
    inertial, what = element.first("inertial"), f"link {name!r}"
    if inertial is not None:
        reader.book.children(inertial, ("pose", "mass", "inertia"), name)
        (com, turn), _ = reader.pose(inertial, what)
        link.inertia = Inertia(inertial.inside("mass", 1, (1.0,), what)[0], tuple(com.tolist()))
        inertia = inertial.first("inertia")
        if inertia is not None:
            six = [inertia.inside(key, 1, (float(key in ("ixx", "iyy", "izz")),), what)[0] for key in SIX]
            link.inertia.moments = six
            moments = turn @ link.inertia.matrix() @ turn.T
            link.inertia.moments = 0.5 * (moments + moments.T)
    for role in ("collision", "visual"):
        for child in element.all(role):
            link.shapes += _shape(reader, child, role, name)
    return link


SIX = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def _shape(reader: Reader, element: Element, role: str, link: str) -> list[Shape]:
    what = f"link {link!r}"
    known = ("pose", "geometry", "material", "surface", "laser_retro", "max_contacts", "cast_shadows", "transparency")
    reader.book.children(element, known, link)
    (p, R), base = reader.pose(element, what)
    if base:
        q, Q = reader.placed(base, element)
        home, turn = reader.placed(link, element)
        p, R = turn.T @ (q + Q @ p - home), turn.T @ Q @ R
    geometry = element.first("geometry")
    if geometry is None or not geometry.children:
        raise element.error(f"{what}: <{role}> has no <geometry>.")
    child = geometry.children[0]
    shape = Shape(child.tag, (), tuple(p.tolist()), R, role, element.attributes.get("name", ""))
    if child.tag == "box":
        shape.size = tuple(0.5 * x for x in child.inside("size", 3, None, what))
    elif child.tag == "sphere":
        shape.size = child.inside("radius", 1, None, what)
    elif child.tag in ("cylinder", "capsule", "cone"):
        shape.size = child.inside("radius", 1, None, what)[0], 0.5 * child.inside("length", 1, None, what)[0]
    elif child.tag == "ellipsoid":
        shape.size = child.inside("radii", 3, None, what)
    elif child.tag == "plane":
        shape.rotation = R @ _onto(np.asarray(child.inside("normal", 3, (0.0, 0.0, 1.0), what)))
    elif child.tag == "mesh":
        if not _mesh(reader, child, shape):
            return []
    else:
        if child.tag != "empty":
            reader.book.ignored(child, "is no shape that is read", "geometry", link)
        return []
    material, surface = element.first("material"), element.first("surface")
    if material is not None and (diffuse := material.first("diffuse") or material.first("ambient")) is not None:
        rgba = [*material.inside(diffuse.tag, len(diffuse.content.split()), None, what)]
        if len(rgba) in (3, 4):
            r, g, b, a = (*rgba, 1.0)[:4]
            shape.color = (r, g, b, a)
    friction = surface.first("friction") if surface is not None else None
    ode = friction.first("ode") if friction is not None else None
    if ode is not None and ode.first("mu") is not None:
        shape.friction = ode.inside("mu", 1, None, what)[0]
    shape.name = f"{link}/{shape.name}" if shape.name else ""
    return [shape]


def _onto(normal: np.ndarray) -> np.ndarray:
    """A rotation whose z is the normal."""
    length = float(np.linalg.norm(normal))
    return frame_along(normal / length) if length > 0 and not np.array_equal(normal, (0, 0, 1)) else np.eye(3)


def _mesh(reader: Reader, element: Element, shape: Shape) -> bool:
    uri = element.first("uri")
    address = uri.content.strip() if uri is not None else ""
    if not address:
        raise element.error("a <mesh> has no <uri>.")
    reader.book.children(element, ("uri", "scale"))
    sx, sy, sz = element.inside("scale", 3, (1.0, 1.0, 1.0))
    if not reader.meshes:
        return False
    path = reader.finder.find(address)
    if path is None:
        reader.book.add("ignored", "mesh files", "were not found; give package_dirs", element, shorten(address)[1:-1])
        return False
    shape.mesh, shape.scale = str(path), (sx, sy, sz)
    return True


def _tree(reader: Reader, figure: Description, links: dict[str, Link], joints: dict[str, Element]) -> None:
    """Tie links by joints; a second joint above a link, or one that would close a circle, closes a loop."""
    for name, element in joints.items():
        kind = element.text("type", f"joint {name!r}")
        if kind in ("gearbox", "revolute2"):
            reader.book.ignored(element, f"of the type {kind!r} is not used", name=name)
            continue
        if kind not in KINDS:
            raise element.error(f"joint {name!r} has the type {kind!r}; choose one of {', '.join(KINDS)}.")
        ends = []
        for tag in ("parent", "child"):
            end = element.first(tag)
            link = end.content.strip() if end is not None else ""
            if link not in links and not (tag == "parent" and link == "world"):
                raise element.error(f"joint {name!r}: there is no {tag} link {link!r}.{closest(link, links)}")
            ends.append(link)
        parent, child = ends
        if parent == child:
            raise element.error(f"joint {name!r} ties link {parent!r} to itself.")
        made = _joint(reader, element, name, KINDS[kind], child)
        if (
            links[child].parent is not None
            or links[child].joints
            or child in reader.grounded
            or _below(links, parent, child)
        ):
            _close(reader, figure, (name, made), (parent, child), element)
            continue
        q, Q = reader.placed(child, element)
        home, turn = reader.placed("" if parent == "world" else parent, element)
        links[child].parent = None if parent == "world" else parent
        links[child].joints = [] if kind == "fixed" else [made]
        links[child].position, links[child].rotation = turn.T @ (q - home), turn.T @ Q
        if parent == "world":
            reader.grounded.add(child)


def _below(links: dict[str, Link], name: str, top: str) -> bool:
    """Whether a link hangs on `top`."""
    at: str | None = name if name in links else None
    while at is not None and at != top:
        at = links[at].parent
    return at == top


def _joint(reader: Reader, element: Element, name: str, kind: str, child: str) -> Joint:
    what = f"joint {name!r}"
    known = (
        "pose",
        "parent",
        "child",
        "axis",
        "axis2",
        "thread_pitch",
        "screw_thread_pitch",
        "physics",
        "gearbox_ratio",
    )
    reader.book.children(element, known, name)
    home, turn = reader.placed(child, element)
    p, R = reader.placed(name, element)
    joint = Joint(name, kind, anchor=tuple((turn.T @ (p - home)).tolist()), where=element.where)
    for tag in ("axis", "axis2") if kind == "universal" else ("axis",):
        axis = element.first(tag)
        if axis is None:
            if kind in ("fixed", "ball"):
                continue
            raise element.error(f"{what} has no <{tag}>.")
        xyz = np.asarray(axis.inside("xyz", 3, (0.0, 0.0, 1.0), what))
        direction = axis.first("xyz")
        base = direction.attributes.get("expressed_in", "") if direction is not None else ""
        if base:
            in_model = reader.placed(base, axis)[1] @ xyz
        elif reader.version < 1.5 or _flag(axis, "use_parent_model_frame"):
            in_model = xyz
        else:
            in_model = R @ xyz
        setattr(joint, tag, tuple((turn.T @ in_model).tolist()))
        if kind != "ball":
            _axis(joint, axis, what, tag == "axis2")
    if kind == "helical":
        joint.pitch = element.inside("screw_thread_pitch", 1, (0.0,), what)[0]
        old = element.inside("thread_pitch", 1, (0.0,), what)[0]
        if not joint.pitch and old:
            joint.pitch = -2.0 * math.pi / old
    return joint


def _axis(joint: Joint, axis: Element, what: str, second: bool) -> None:
    """Limits and passive forces of one axis."""
    limit, dynamics = axis.first("limit"), axis.first("dynamics")
    values: dict[str, float] = {}
    if limit is not None:
        for key, default in (("lower", -math.inf), ("upper", math.inf), ("effort", math.inf), ("velocity", math.inf)):
            child = limit.first(key)
            word = child.content.strip().lower() if child is not None else ""
            value = default if word in ("", "inf", "-inf", "+inf") else limit.inside(key, 1, None, what)[0]
            if key in ("effort", "velocity") and value < 0:  # SDF: no limit
                value = math.inf
            values[key] = math.copysign(math.inf, value) if abs(value) >= UNBOUNDED else value
    if dynamics is not None:
        words = {
            "damping": "damping",
            "friction": "friction",
            "spring_stiffness": "stiffness",
            "spring_reference": "rest",
        }
        for tag, key in words.items():
            values[key] = dynamics.inside(tag, 1, (0.0,), what)[0]
    for key, value in values.items():
        setattr(joint, key, (getattr(joint, key), value) if second else value)


def _close(
    reader: Reader, figure: Description, made: tuple[str, Joint], ends: tuple[str, str], element: Element
) -> None:
    """A joint that closes a loop."""
    name, joint = made
    parent, child = ends
    if joint.kind not in AXES:
        raise element.error(f"joint {name!r} closes a loop; a screw cannot.")
    q, Q = reader.placed(child, element)
    at = q + Q @ np.asarray(joint.anchor)
    turn = np.eye(3)
    if joint.kind in ("hinge", "slider", "universal"):
        turn = Q @ _onto(np.asarray(joint.axis, dtype=float))
        if joint.kind == "universal":  # x of the first link stays square to y of the second
            x, y = (
                Q @ (a / np.linalg.norm(a))
                for a in (np.asarray(joint.axis, dtype=float), np.asarray(joint.axis2, dtype=float))
            )
            turn = np.column_stack([x, y - x * (x @ y), np.cross(x, y)])
            turn = turn / np.linalg.norm(turn, axis=0)
    base = "" if parent == "world" else parent
    home, frame = reader.placed(base, element)
    closure = Closure(name, child, base or None, AXES[joint.kind], where=element.where)
    closure.place, closure.rotation = tuple(np.asarray(joint.anchor).tolist()), Q.T @ turn
    closure.other_place, closure.other_rotation = tuple((frame.T @ (at - home)).tolist()), frame.T @ turn
    figure.closures.append(closure)
    if joint.stiffness or joint.damping:
        reader.book.add("ignored", "the spring or damper", "of a joint that closes a loop is not used", element, name)
    reader.book.add("changed", "a joint", "closes a loop: it is held by a connection, in a World", element, name)


def _frame(
    reader: Reader, figure: Description, element: Element, links: dict[str, Link], joints: dict[str, Element]
) -> None:
    """A named frame on the link it is attached to."""
    name, base = element.attributes["name"], element.attributes.get("attached_to", "")
    frames = {e.attributes.get("name", ""): e.attributes.get("attached_to", "") for e in reader.model.all("frame")}
    for _ in range(len(frames) + 1):
        if base in frames:
            base = frames[base]
    if base in joints and base not in links:
        child = joints[base].first("child")
        base = child.content.strip() if child is not None else ""
    base = base or next(iter(links))
    if base not in links or name in links or any(f.name == name for f in figure.frames):
        reader.book.ignored(element, "has no link of its own", name=name)
        return
    p, R = reader.placed(name, element)
    home, turn = reader.placed(base, element)
    figure.frames.append(Frame(name, base, tuple((turn.T @ (p - home)).tolist()), turn.T @ R))
