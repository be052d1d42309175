"""Write a figure as MJCF.

Angles are radians and inertias are written whole, so that MuJoCo changes nothing; a universal joint becomes the hinges
JOINT.1 and JOINT.2. Shapes that touch and are not shown are in geom group 3, those that are shown only touch nothing. An
actuator on several joints acts through a fixed tendon, its own if the figure has none that fits. Where MuJoCo would not
take a link's inertia (a point mass, none at all), that of all links fixed to each other is written for the first of
them. Screw joints, bodies that move without mass and inertias of no real body are refused. What MJCF has no word for is
told in notes.

Source: mujoco.readthedocs.io ("XML Reference"). Checked in tests/formats/test_save.py, there and back.
"""

from __future__ import annotations

import math
from itertools import count
from pathlib import Path

import numpy as np

from bunraku.errors import FormatError
from bunraku.formats.mjcf_parts import HIDDEN
from bunraku.formats.xml_text import Node, mesh_address, nonzero
from bunraku.model.description import Description, Inertia, Joint, Link, Note, Shape
from bunraku.model.equipment import Actuator, Closure
from bunraku.model.joint_kinds import KINDS
from bunraku.model.link_bodies import elementary_joints, parents_first, value
from bunraku.model.repair import moves, rigid_body, sum_of
from bunraku.model.rotations import quaternion, rotation_matrix

WORLD = "world"
GEOMS = ("plane", "sphere", "capsule", "cylinder", "box", "ellipsoid")
MESHES = (".stl", ".obj", ".msh")
LEAST = 1e-14  # MuJoCo's least mass and moment is 1e-15


class Writer:
    """One file while it is written."""

    def __init__(self, d: Description, folder: Path) -> None:
        self.d, self.folder = d, folder
        self.lost: dict[str, list[str]] = {}
        self.root = Node("mujoco", model=d.name)
        self.assets: dict[tuple[str, tuple[float, ...]], str] = {}
        self.joints: list[str] = []  # in MuJoCo's order
        self.inertias = inertias_of(d.links)

    def text(self) -> str:
        """The whole file."""
        d, root = self.d, self.root
        if d.matrix_gears:
            raise FormatError("a coupling by a matrix cannot be written as MJCF; its equality has one leader.")
        root.add("compiler", angle="radian", autolimits=True, inertiafromgeom=False, fusestatic=False)
        root.add("option", gravity=[float(x) for x in d.gravity])
        asset, worldbody = root.add("asset"), root.add("worldbody")
        nodes: dict[str | None, Node] = {None: worldbody}
        for link in parents_first(d.links):
            is_world = link.name == WORLD and link.parent is None and not link.joints
            nodes[link.name] = worldbody if is_world else self._body(nodes[link.parent], link)
            for shape in link.shapes:
                self._geom(nodes[link.name], shape, link)
            for frame in d.frames:
                if frame.link == link.name:
                    pose = self._pose(frame.position, frame.rotation)
                    nodes[link.name].add("site", name=frame.name, **pose)
        for (file, scale), name in self.assets.items():
            given = scale if scale != (1.0, 1.0, 1.0) else None
            asset.add("mesh", name=name, file=mesh_address(file, self.folder), scale=given)
        if not self.assets:
            root.children.remove(asset)
        self._contact()
        self._equality()
        self._tendons_and_actuators()
        self._keyframes()
        return root.text()

    def notes(self) -> list[Note]:
        """What could not be held."""
        names = ", ".join(repr(m.name) for m in self.d.sensors[:5])
        unwritten = [Note("ignored", f"sensors are not written: left out ({names}).")] if names else []
        return unwritten + [
            Note("ignored", f"MJCF has no {what}: left out ({', '.join(of[:5])}).") for what, of in self.lost.items()
        ]

    def _pose(self, position: object, rotation: object) -> dict[str, object]:
        R = rotation_matrix(rotation)
        turned = not np.array_equal(R, np.eye(3))
        return {"pos": nonzero(np.asarray(position, dtype=float)), "quat": quaternion(R) if turned else None}

    def _body(self, parent: Node, link: Link) -> Node:
        node = parent.add("body", name=link.name, **self._pose(link.position, link.rotation))
        if link.gravcomp:
            node.attributes["gravcomp"] = float(link.gravcomp)
        inertia = self.inertias[link.name]
        moments = inertia.matrix()
        if inertia.mass or np.any(moments):
            if not possible(inertia):
                shown = ", ".join(f"{x:.4g}" for x in np.linalg.eigvalsh(moments))
                raise FormatError(
                    f"link {link.name!r}: MuJoCo takes no inertia of mass {inertia.mass:g} with the moments {shown}."
                )
            order = moments[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            node.add("inertial", pos=np.asarray(inertia.com, dtype=float), mass=float(inertia.mass), fullinertia=order)
        elif moves(link):
            raise FormatError(f"link {link.name!r} moves and has no mass; MuJoCo takes no such body.")
        for joint, part, kind, axis in elementary_joints(link):
            name = joint.name if kind.name == joint.kind else f"{joint.name}.{part + 1}"
            self.joints.append(name)
            self._joint(node, name, joint, part, axis)
        return node

    def _joint(self, body: Node, name: str, joint: Joint, part: int, axis: np.ndarray) -> None:
        kind = KINDS[joint.kind]
        one = kind.one_axis or bool(kind.parts)
        if kind.name == "helical":
            raise FormatError(f"joint {joint.name!r} is a screw, which MJCF has not.")
        tag = KINDS[kind.parts[part]].mjcf if kind.parts else kind.mjcf
        node = body.add("joint", name=name, type=tag)

        def put(**values: float) -> None:
            node.attributes.update({k: x for k, x in values.items() if x})

        if kind.name != "free":
            anchor = nonzero(np.asarray(joint.anchor, dtype=float))
            node.attributes.update({"pos": anchor} if anchor is not None else {})
        if one:
            node.attributes["axis"] = axis
            lower, upper = value(joint.lower, part), value(joint.upper, part)
            if math.isfinite(lower) or math.isfinite(upper):
                node.attributes["range"] = (max(lower, -1e10), min(upper, 1e10))
            put(ref=value(joint.reference, part), springref=value(joint.rest, part))
            effort = value(joint.effort, part)
            if math.isfinite(effort):
                node.attributes["actuatorfrcrange"] = (-effort, effort)
            if math.isfinite(value(joint.velocity, part)):
                self.lost.setdefault("velocity limits", []).append(repr(name))
        elif kind.name == "ball" and math.isfinite(joint.swing):
            if tuple(joint.twist) == (-joint.swing, joint.swing):
                node.attributes["range"] = (0.0, float(joint.swing))
            else:
                self.lost.setdefault("swing and twist limits", []).append(repr(name))
        put(
            stiffness=value(joint.stiffness, part),
            damping=value(joint.damping, part),
            frictionloss=value(joint.friction, part),
            armature=value(joint.armature, part),
        )

    def _geom(self, body: Node, shape: Shape, link: Link) -> None:
        node = Node("geom", name=shape.name or None)
        if shape.kind == "mesh" and shape.mesh and readable(Path(shape.mesh)):
            key = shape.mesh, tuple(float(x) for x in shape.scale)
            stem, taken = Path(shape.mesh).stem, set(self.assets.values())
            name = next(n for n in (f"{stem}_{k}" if k > 1 else stem for k in count(1)) if n not in taken)
            node.attributes |= {"type": "mesh", "mesh": self.assets.setdefault(key, name)}
        elif shape.kind in GEOMS:
            size = [float(x) for x in shape.size] or [0.0, 0.0, 1.0]
            node.attributes |= {"type": shape.kind, "size": size}
        else:
            what = f"{shape.kind} shapes" if shape.kind != "mesh" else "meshes but binary STL, OBJ and MSH"
            self.lost.setdefault(what, []).append(repr(link.name))
            return
        node.attributes |= {k: x for k, x in self._pose(shape.position, shape.rotation).items() if x is not None}
        has, touches = (0, 0) if shape.role == "visual" else shape.masks
        if (has, touches) != (1, 1):
            node.attributes |= {"contype": has, "conaffinity": touches}
        if shape.role == "collision":
            node.attributes["group"] = HIDDEN
        if shape.friction is not None:
            node.attributes["friction"] = float(np.max(shape.friction))
        if shape.color is not None:
            node.attributes["rgba"] = shape.color
        body.children.append(node)

    def _contact(self) -> None:
        d = self.d
        if not d.collide_exclude and not d.collide_pairs:
            return
        contact = self.root.add("contact")
        for pair in d.collide_pairs:
            mu = None if pair.friction is None else (float(np.max(pair.friction)),) * 2
            contact.add("pair", geom1=pair.a, geom2=pair.b, friction=mu)
        for a, b in d.collide_exclude:
            contact.add("exclude", body1=a, body2=b)

    def _equality(self) -> None:
        d = self.d
        if not d.gears and not d.closures:
            return
        equality = self.root.add("equality")
        joints = {joint.name: joint for link in d.links for joint in link.joints}
        for g in d.gears:
            ref1, ref2 = (value(joints[name].reference, 0) for name in (g.follower, g.leader))
            start = float(g.offset) - ref1 + float(g.ratio) * ref2
            coefficients = (start, float(g.ratio), 0.0, 0.0, 0.0)
            equality.add("joint", name=g.name or None, joint1=g.follower, joint2=g.leader, polycoef=coefficients)
        for closure in d.closures:
            self._closure(equality, closure)

    def _closure(self, equality: Node, closure: Closure) -> None:
        """A weld says where its second body is against the first; a connect is where the described pose has it."""
        names = {"name": closure.name, "body1": closure.link, "body2": closure.other}
        place, other = (np.asarray(x, dtype=float) for x in (closure.place, closure.other_place))
        if closure.axes == "x y z":
            equality.add("connect", **names, anchor=place)
            return
        if set(closure.axes.split()) != {"x", "y", "z", "rx", "ry", "rz"}:
            self.lost.setdefault(f"loops closed along {closure.axes!r}", []).append(repr(closure.name))
            return
        turn = rotation_matrix(closure.rotation) @ rotation_matrix(closure.other_rotation).T
        pose = (*(place - turn @ other), *quaternion(turn))
        equality.add("weld", **names, anchor=other, relpose=pose)

    def _tendons_and_actuators(self) -> None:
        d = self.d
        wanted = [(t.name, t.joints) for t in d.tendons]
        for a in d.actuators:
            if len(a.joints) > 1 and _tendon_for(a, wanted) is None:
                wanted.append((f"{a.name}_tendon", a.joints))
        if wanted:
            section, known = self.root.add("tendon"), {t.name: t for t in d.tendons}
            for name, joints in wanted:
                node = section.add("fixed", name=name)
                t = known.get(name)
                if t is not None and (t.stiffness or t.damping):
                    node.attributes |= {"stiffness": t.stiffness, "damping": t.damping, "springlength": t.rest}
                for joint, coefficient in joints:
                    node.add("joint", joint=joint, coef=float(coefficient))
        if d.actuators:
            section = self.root.add("actuator")
            for a in d.actuators:
                node = section.add("general", name=a.name)
                if len(a.joints) == 1:
                    node.attributes |= {"joint": a.joints[0][0], "gear": float(a.joints[0][1])}
                else:
                    found = _tendon_for(a, wanted)
                    assert found is not None
                    node.attributes |= {"tendon": found[0], "gear": found[1]}
                affine = any(a.gain[1:])
                node.attributes |= {"gaintype": "affine" if affine else "fixed", "gainprm": a.gain}
                if any(a.bias):
                    node.attributes |= {"biastype": "affine", "biasprm": a.bias}
                for key, bounds in (("ctrlrange", a.control), ("forcerange", a.force)):
                    if any(map(math.isfinite, bounds)):
                        node.attributes[key] = (max(bounds[0], -1e10), min(bounds[1], 1e10))

    def _keyframes(self) -> None:
        d = self.d
        if not d.keyframes:
            return
        section, joints = self.root.add("keyframe"), {joint.name: joint for link in d.links for joint in link.joints}
        for key in d.keyframes:
            q, v, controls = dict(key.q), dict(key.v), dict(key.controls)
            poses: list[float] = []
            rates: list[float] = []
            for name in self.joints:
                base, _, part = name.rpartition(".") if name not in joints else (name, "", "")
                kind = KINDS[joints[base].kind]
                rest = [value(joints[base].reference, 0)] if kind.one_axis else [1.0, 0.0, 0.0, 0.0][: kind.coordinates]
                given, speed = list(q.get(base, rest)), list(v.get(base, [0.0] * kind.dof))
                if part:
                    given, speed = given[int(part) - 1 : int(part)], speed[int(part) - 1 : int(part)]
                if kind.name == "free" and base not in q:
                    raise FormatError(f"keyframe {key.name!r} does not say where {base!r} is.")
                poses, rates = poses + given, rates + speed
            node = section.add("key", name=key.name, qpos=poses)
            if any(rates):
                node.attributes["qvel"] = rates
            if d.actuators:
                node.attributes["ctrl"] = [float(controls.get(a.name, 0.0)) for a in d.actuators]


def _tendon_for(a: Actuator, tendons: list[tuple[str, list[tuple[str, float]]]]) -> tuple[str, float] | None:
    """(tendon, gear) of a tendon whose coefficients, times a gear, are the actuator's."""
    for name, joints in tendons:
        if [joint for joint, _ in joints] == [joint for joint, _ in a.joints] and joints[0][1]:
            gear = a.joints[0][1] / joints[0][1]
            if all(math.isclose(gear * c, own, rel_tol=1e-12) for (_, c), (_, own) in zip(joints, a.joints)):
                return name, gear
    return None


def readable(mesh: Path) -> bool:
    """Whether MuJoCo reads a mesh: by its ending; an STL must be binary, of at most 200,000 faces."""
    if mesh.suffix.lower() != ".stl":
        return mesh.suffix.lower() in MESHES
    try:
        with mesh.open("rb") as file:
            head = file.read(84)
        faces = int.from_bytes(head[80:84], "little")
        return len(head) == 84 and 1 <= faces <= 200_000 and mesh.stat().st_size == 84 + 50 * faces
    except OSError:
        return False


def possible(inertia: Inertia) -> bool:
    """Whether MuJoCo takes it."""
    least, middle, most = np.linalg.eigvalsh(inertia.matrix())
    return inertia.mass >= LEAST and least >= LEAST and most <= (least + middle) * (1.0 + 1e-9)


def inertias_of(links: list[Link]) -> dict[str, Inertia]:
    """The inertia to write for every link: its own, or, where MuJoCo would not take one of a body (links fixed to each
    other), the body's in its first link and none in the others, which is the same mass matrix."""
    by_name = {link.name: k for k, link in enumerate(links)}
    out = {link.name: link.inertia for link in links}
    for link in links:
        own = link.inertia
        empty = not own.mass and not np.any(own.matrix())
        if possible(own) or (empty and not moves(link)):
            continue
        found = rigid_body(links, by_name, link)
        if found is not None:
            base, members = found
            out |= {member.name: Inertia() for member, _, _ in members}
            if moves(base):
                out[base.name] = sum_of([(member.inertia, p, turn) for member, p, turn in members])
    return out


def mjcf_text(d: Description, folder: Path) -> tuple[str, list[Note]]:
    """(the file's text, what it could not hold)."""
    writer = Writer(d, folder)
    return writer.text(), writer.notes()
