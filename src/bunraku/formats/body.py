"""Read a robot from a Choreonoid `.body` file (YAML, format ChoreonoidBody; extra `body` for PyYAML).

A link stands in its parent's frame by `translation` and `rotation` (axis and angle); its joint (revolute, prismatic or
slide, fixed, free, pseudoContinuousTrack as fixed) turns about `jointAxis` at its origin. Angles are in degrees unless
the file says `angleUnit: radian`. Masses, `inertia` (nine numbers about the centre of mass), `rotorInertia` and
`gearRatio` (armature = rotor * ratio^2), limits, and the shapes Box, Sphere, Cylinder, Capsule, Cone in `elements`
(Choreonoid's axis of the last three is y), also inside Transform, Visual, Collision and RigidBody groups, are read.
Devices and meshes of resources other than STL, OBJ, DAE are named.

A stranger's YAML is composed, never constructed: no tags, no objects; aliases are counted, so that a small file cannot
unfold into a large one. Source: the Choreonoid manual, "Body file reference". Tested by tests/formats/test_body.py.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import FormatError, MissingExtra, closest
from bunraku.formats.meshpath import MeshFinder
from bunraku.formats.xmlsafe import parse_number, shorten
from bunraku.model.description import Description, Inertia, Joint, Link, Note, Shape
from bunraku.model.rotations import exponential, matrix

JOINTS = {"revolute": "hinge", "rotate": "hinge", "prismatic": "slider", "slide": "slider", "free": "free"}
JOINTS |= {"fixed": "fixed", "pseudocontinuoustrack": "fixed", "pseudo_continuous_track": "fixed"}
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
MAX_BYTES, MAX_NODES, MAX_DEPTH = 8 * 1024 * 1024, 200_000, 60
GROUPS = ("transform", "visual", "collision", "rigidbody", "group")
UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # our z is Choreonoid's y
LINK_KEYS = [
    "name",
    "parent",
    "translation",
    "rotation",
    "jointType",
    "jointAxis",
    "jointRange",
    "jointId",
    "jointVelocityRange",
    "maxJointVelocity",
    "centerOfMass",
    "mass",
    "inertia",
    "rotorInertia",
    "gearRatio",
    "elements",
    "jointEffortRange",
    "maxJointEffort",
    "jointDisplacement",
    "rotorResistor",
    "torqueConst",
    "encoderPulse",
]


class Map(dict[str, Any]):
    """A mapping of the file, with the line it starts at."""

    line: int = 0


def is_body(text: str) -> bool:
    """Whether a text looks like a Choreonoid body."""
    return "ChoreonoidBody" in text[:4000] and not text.lstrip().startswith("<")


def parse(text: str, path: Path, *, root: str = "auto", meshes: bool = True) -> Description:
    """The robot in the text of a `.body` file."""
    data = _composed(text, path.name)
    reader = Reader(path, data, meshes)
    return reader.description(root)


def _composed(text: str, file: str) -> Map:
    """The file as maps, lists and words."""
    try:
        import yaml
    except ImportError:
        raise MissingExtra(
            f"{file}: reading .body files needs the package PyYAML; install it with: pip install 'bunraku[body]'"
        ) from None
    if len(text) > MAX_BYTES:
        raise FormatError(f"{file}: is larger than {MAX_BYTES // 2**20} MiB, more than any figure needs.")
    _refuse_deep(text, file)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        reason = " ".join(str(getattr(error, "problem", None) or "it cannot be read").split())
        raise FormatError(f"{file}{line}: broken YAML: {reason[:150]}.") from None
    except RecursionError:
        raise FormatError(f"{file}: is nested deeper than {MAX_DEPTH} levels.") from None
    left = [MAX_NODES]

    def value(node: Any, depth: int) -> Any:
        left[0] -= 1
        if left[0] < 0 or depth > MAX_DEPTH:
            what = (
                f"unfolds into more than {MAX_NODES} values"
                if left[0] < 0
                else f"is nested deeper than {MAX_DEPTH} levels"
            )
            raise FormatError(f"{file}:{node.start_mark.line + 1}: it {what}.")
        if isinstance(node, yaml.ScalarNode):
            return node.value
        if isinstance(node, yaml.SequenceNode):
            return [value(child, depth + 1) for child in node.value]
        found = Map()
        found.line = node.start_mark.line + 1
        for key, child in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            inner = value(child, depth + 1)
            if name == "<<" and isinstance(inner, Map):
                for k, x in inner.items():
                    found.setdefault(k, x)
            else:
                found[name] = inner
        return found

    data = value(node, 0) if node is not None else None
    if not isinstance(data, Map):
        raise FormatError(f"{file}:1: a body file is a list of names with values; this one is not.")
    return data


def _refuse_deep(text: str, file: str) -> None:
    """Refuse brackets or dashes nested beyond any need, on which PyYAML spends minutes."""
    depth = 0
    for line, words in enumerate(text.split("\n"), 1):
        depth += words.count("[") + words.count("{") - words.count("]") - words.count("}")
        if depth > MAX_DEPTH or max(words.count("["), words.count("{"), words.count("- ")) > 50 * MAX_DEPTH:
            raise FormatError(f"{file}:{line}: is nested deeper than {MAX_DEPTH} levels.")
        if "- " * MAX_DEPTH in words or "[" * MAX_DEPTH in words or "{a: " * MAX_DEPTH in words:
            raise FormatError(f"{file}:{line}: is nested deeper than {MAX_DEPTH} levels.")


class Reader:
    """One body file while it is read."""

    def __init__(self, path: Path, data: Map, meshes: bool) -> None:
        self.path, self.file, self.data, self.meshes = path, path.name, data, meshes
        self.finder = MeshFinder(path)
        self.degrees = str(data.get("angleUnit", "degree")).lower() != "radian"
        self.unused: dict[str, list[str]] = {}

    def error(self, at: Map, text: str) -> FormatError:
        """A FormatError that says the place."""
        return FormatError(f"{self.file}:{at.line}: {text}")

    def description(self, root: str) -> Description:
        """The whole figure."""
        d = self.data
        links = d.get("links")
        if not isinstance(links, list) or not links:
            raise self.error(d, "the body has no links.")
        figure = Description(str(d.get("name") or d.get("modelName") or self.path.stem), source=str(self.path))
        known: dict[str, Link] = {}
        for item in links:
            if not isinstance(item, Map):
                raise self.error(d, "a link is not a list of names with values.")
            link = self._link(item)
            if link.name in known:
                raise self.error(item, f"duplicate link name {link.name!r}; the first is at {known[link.name].where}.")
            known[link.name] = link
        names = {joint.name for link in known.values() for joint in link.joints}
        for link in known.values():
            if link.parent is not None and link.parent not in known:
                near = closest(link.parent, known)
                raise FormatError(f"{link.where}: link {link.name!r} has the unknown parent {link.parent!r}.{near}")
            if link.parent is None and root == "fixed":
                link.joints = []
            elif link.parent is None and root == "free" and not link.joints:
                link.joints = [Joint("root" if "root" not in names else f"{link.name}_root", "free", where=link.where)]
        figure.links = list(known.values())
        for key in d:
            if key not in ("format", "formatVersion", "name", "modelName", "angleUnit", "links", "rootLink", "body"):
                self.unused.setdefault(key, []).append("the file")
        figure.notes = [
            Note("ignored", f"{key!r} is not used ({len(of)}: {', '.join(map(str, of[:6]))}).", self.file, key, len(of))
            for key, of in self.unused.items()
        ]
        return figure

    def numbers(self, at: Map, key: str, count: int, default: tuple[float, ...] | None, what: str) -> tuple[float, ...]:
        """Exactly `count` finite numbers."""
        if key not in at:
            if default is None:
                raise self.error(at, f"{what} has no {key}.")
            return default
        given = at[key]
        words = given if isinstance(given, list) else str(given).split()
        found = []
        for word in words:
            x = parse_number(word) if isinstance(word, str) else None
            if x is None or not math.isfinite(x):
                raise self.error(at, f"{what}: {key} {shorten(str(word))} is not a finite number.")
            found.append(x)
        if len(found) != count:
            raise self.error(at, f"{what}: {key} has {len(found)} values; {count} wanted.")
        return tuple(found)

    def angle(self, x: float) -> float:
        """An angle of the file in radians."""
        return math.radians(x) if self.degrees else x

    def turn(self, at: Map, key: str, what: str) -> np.ndarray:
        """A rotation by axis and angle."""
        x, y, z, angle = self.numbers(at, key, 4, (0.0, 0.0, 1.0, 0.0), what)
        axis = np.array([x, y, z])
        length = float(np.linalg.norm(axis))
        if length == 0.0 and angle:
            raise self.error(at, f"{what}: the axis of its {key} has no direction.")
        return matrix(exponential(axis * (self.angle(angle) / length))) if angle else np.eye(3)

    def _link(self, item: Map) -> Link:
        name = str(item.get("name") or "").strip()
        if not name:
            raise self.error(item, "a link has no name.")
        what, where = f"link {name!r}", f"{self.file}:{item.line}"
        for key in item:
            if key not in LINK_KEYS:
                self.unused.setdefault(key, []).append(name)
        parent = str(item["parent"]) if item.get("parent") else None
        link = Link(name, parent, self.numbers(item, "translation", 3, (0.0, 0.0, 0.0), what), where=where)
        link.rotation = self.turn(item, "rotation", what)
        moments = np.reshape(self.numbers(item, "inertia", 9, (0.0,) * 9, what), (3, 3))
        mass = self.numbers(item, "mass", 1, (0.0,), what)[0]
        link.inertia = Inertia(
            mass, self.numbers(item, "centerOfMass", 3, (0.0,) * 3, what), 0.5 * (moments + moments.T)
        )
        kind = str(item.get("jointType", "fixed" if parent else "free")).replace("-", "_").lower()
        if kind not in JOINTS:
            raise self.error(item, f"{what} has the joint type {kind!r}; choose one of {', '.join(JOINTS)}.")
        if JOINTS[kind] != "fixed":
            link.joints = [self._joint(item, name, JOINTS[kind], where)]
        for shape in self._shapes(item.get("elements"), (np.zeros(3), np.eye(3)), "both", name, 0):
            link.shapes.append(shape)
        return link

    def _joint(self, item: Map, name: str, kind: str, where: str) -> Joint:
        what = f"link {name!r}"
        joint = Joint(name, kind, where=where)
        if kind == "free":
            return joint
        joint.axis = self._axis(item, what)
        rotor, ratio = (
            self.numbers(item, key, 1, (default,), what)[0]
            for key, default in (("rotorInertia", 0.0), ("gearRatio", 1.0))
        )
        joint.armature = rotor * ratio * ratio
        scale = self.angle(1.0) if kind == "hinge" else 1.0
        low, high = self._range(item, "jointRange", what)
        joint.lower, joint.upper = scale * low, scale * high
        low, high = self._range(item, "jointVelocityRange", what)
        top = (
            self.numbers(item, "maxJointVelocity", 1, (min(-low, high),), what)[0]
            if "maxJointVelocity" in item
            else min(-low, high)
        )
        joint.velocity = scale * top
        low, high = self._range(item, "jointEffortRange", what)
        joint.effort = (
            self.numbers(item, "maxJointEffort", 1, None, what)[0] if "maxJointEffort" in item else min(-low, high)
        )
        return joint

    def _axis(self, item: Map, what: str) -> tuple[float, ...]:
        given = item.get("jointAxis", "Z")
        if isinstance(given, str) and given.lower().lstrip("+-") in AXES:
            sign = -1.0 if given.startswith("-") else 1.0
            return tuple(sign * x for x in AXES[given.lower().lstrip("+-")])
        return self.numbers(item, "jointAxis", 3, None, what)

    def _range(self, item: Map, key: str, what: str) -> tuple[float, float]:
        given = item.get(key, "unlimited")
        if isinstance(given, str) and given.lower() == "unlimited":
            return -math.inf, math.inf
        if isinstance(given, list) and any(str(x).lower() == "unlimited" for x in given):
            return -math.inf, math.inf
        if isinstance(given, str):  # one number: both ways
            (x,) = self.numbers(item, key, 1, None, what)
            return -abs(x), abs(x)
        low, high = self.numbers(item, key, 2, None, what)
        return low, high

    def _shapes(
        self, elements: Any, pose: tuple[np.ndarray, np.ndarray], role: str, link: str, depth: int
    ) -> list[Shape]:
        """Shapes of a link's elements, which may be a list, or a map by their types."""
        if elements is None or depth > MAX_DEPTH:
            return []
        items: list[tuple[str, Map]] = []
        if isinstance(elements, Map):
            items = [(key, x) for key, x in elements.items() if isinstance(x, Map)]
        elif isinstance(elements, list):
            items = [(str(x.get("type", "")), x) for x in elements if isinstance(x, Map)]
        out: list[Shape] = []
        for kind, item in items:
            p = pose[0] + pose[1] @ np.array(self.numbers(item, "translation", 3, (0.0,) * 3, f"link {link!r}"))
            R = pose[1] @ self.turn(item, "rotation", f"link {link!r}")
            name = kind.lower()
            if name == "shape":
                out += self._shape(item, (p, R), role, link)
            elif name in GROUPS:
                inner = {"visual": "visual", "collision": "collision"}.get(name, role)
                shapes = item.get("elements")
                if shapes is None and "shape" in item:
                    shapes = Map({"Shape": item["shape"]})
                out += self._shapes(shapes, (p, R), inner, link, depth + 1)
            elif name == "resource":
                self._resource(item, (p, R), role, link, out)
            else:
                self.unused.setdefault(kind or "an element without a type", []).append(link)
        return out

    def _shape(self, item: Map, pose: tuple[np.ndarray, np.ndarray], role: str, link: str) -> list[Shape]:
        geometry, what = item.get("geometry"), f"link {link!r}"
        if not isinstance(geometry, Map):
            raise self.error(item, f"{what}: a Shape has no geometry.")
        kind = str(geometry.get("type", "")).lower()
        shape = Shape(kind, (), tuple(pose[0].tolist()), pose[1], role, color=self._color(item, what))
        if kind == "box":
            shape.size = tuple(0.5 * x for x in self.numbers(geometry, "size", 3, (1.0,) * 3, what))
        elif kind == "sphere":
            shape.size = self.numbers(geometry, "radius", 1, (1.0,), what)
        elif kind in ("cylinder", "capsule", "cone"):
            radius = self.numbers(geometry, "radius", 1, (1.0,), what)[0]
            shape.size = radius, 0.5 * self.numbers(geometry, "height", 1, (1.0,), what)[0]
            shape.rotation = pose[1] @ UPRIGHT
        elif kind == "resource":
            out: list[Shape] = []
            self._resource(geometry, pose, role, link, out)
            return out
        else:
            self.unused.setdefault(f"geometry {kind or 'without a type'}", []).append(link)
            return []
        return [shape]

    def _resource(self, item: Map, pose: tuple[np.ndarray, np.ndarray], role: str, link: str, out: list[Shape]) -> None:
        address = str(item.get("uri", ""))
        path = self.finder.find(address) if address else None
        if not self.meshes:
            return
        if path is None or path.suffix.lower() not in (".stl", ".obj", ".dae"):
            self.unused.setdefault("Resource", []).append(address or link)
            return
        out.append(Shape("mesh", (), tuple(pose[0].tolist()), pose[1], role, mesh=str(path)))

    def _color(self, item: Map, what: str) -> tuple[float, float, float, float] | None:
        look = item.get("appearance")
        material = look.get("material") if isinstance(look, Map) else None
        if not isinstance(material, Map):
            return None
        key = next((k for k in ("diffuse", "diffuseColor") if k in material), "")
        if not key:
            return None
        r, g, b = self.numbers(material, key, 3, None, what)
        return r, g, b, 1.0 - self.numbers(material, "transparency", 1, (0.0,), what)[0]
