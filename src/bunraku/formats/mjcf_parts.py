"""Parts of a compiled MuJoCo model as parts of a description: names, joints, shapes, force limits.

A name that MuJoCo leaves empty is made up and told. A hinge or slide keeps MuJoCo's q: `ref` is the reference,
`springref` the rest of the spring. A free or ball joint has its spring at the described pose. The effort limit of a
joint is what its actuators can exert at most, sum of |gear| * min(|forcerange|, gain * |ctrlrange|), and no more than
`actuatorfrcrange`; one bound for both directions. MuJoCo moves a mesh into its own inertial frame (mesh_pos,
mesh_quat); the pose here is that of the file's axes.

Source: mujoco.readthedocs.io ("XML Reference", "mjModel"). Tested by tests/formats/test_mjcf.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.formats.kept_mesh import kept_mesh
from bunraku.formats.mjcf_source import Source
from bunraku.model.description import Description, Joint, Link, Note, Shape
from bunraku.model.joint_kinds import KINDS, TABLE
from bunraku.model.relief import Relief, grid
from bunraku.model.rotations import rotation_matrix

JOINTS = {kind.mjcf: kind for kind in TABLE if kind.mjcf}
SHAPES = {"PLANE": ("plane", 0), "SPHERE": ("sphere", 1), "CAPSULE": ("capsule", 2), "CYLINDER": ("cylinder", 2)}
SHAPES |= {"BOX": ("box", 3), "ELLIPSOID": ("ellipsoid", 3)}
UNBOUNDED = 1e10  # rad or m: no limit
HIDDEN = 3  # geoms of this group and above are not shown by MuJoCo's viewer
DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)


class Names:
    """The names of bodies, joints, sites and equalities by their number in the model."""

    def __init__(self, mujoco: Any, model: Any) -> None:
        kinds = mujoco.mjtObj

        def given(kind: Any, count: int) -> list[str]:
            return [mujoco.mj_id2name(model, kind, i) or "" for i in range(count)]

        self.body = given(kinds.mjOBJ_BODY, model.nbody)
        self.joint = given(kinds.mjOBJ_JOINT, model.njnt)
        self.site = given(kinds.mjOBJ_SITE, model.nsite)
        self.equality = given(kinds.mjOBJ_EQUALITY, model.neq)
        self.made_up: list[str] = []
        self._fill(self.body, [f"body{i}" for i in range(model.nbody)])
        self._fill(self.joint, [f"{self.body[b]}_joint" for b in model.jnt_bodyid])

    def _fill(self, names: list[str], proposals: list[str]) -> None:
        taken = set(names)
        for i, name in enumerate(names):
            if not name:
                new, k = proposals[i], 1
                while new in taken:
                    k += 1
                    new = f"{proposals[i]}{k}"
                names[i] = new
                taken.add(new)
                self.made_up.append(new)

    def notes(self, source: Source) -> list[Note]:
        """Which names are ours."""
        if not self.made_up:
            return []
        listed = ", ".join(repr(name) for name in self.made_up)
        return [Note("changed", f"bodies and joints without a name are called {listed}.", source.file)]


def joint(mujoco: Any, model: Any, names: Names, j: int, source: Source, link: Link, notes: list[Note]) -> Joint:
    """Joint `j` of the model, which moves `link`."""
    kind = JOINTS[mujoco.mjtJoint(int(model.jnt_type[j])).name.removeprefix("mjJNT_").lower()]
    dof, q = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
    element = source.find("worldbody", names.joint[j], "joint", "freejoint")
    result = Joint(names.joint[j], kind.name, where=element.where if element else link.where)
    result.damping, result.friction = float(model.dof_damping[dof]), float(model.dof_frictionloss[dof])
    result.armature, result.stiffness = float(model.dof_armature[dof]), float(model.jnt_stiffness[j])
    if kind.name != "free":
        result.anchor = vector(model.jnt_pos[j])
    if kind.one_axis:
        result.axis = vector(model.jnt_axis[j])
        result.reference, result.rest = float(model.qpos0[q]), float(model.qpos_spring[q])
    limited, (low, high) = bool(model.jnt_limited[j]), (float(x) for x in model.jnt_range[j])
    if limited and kind.limits == "range":
        result.lower, result.upper = (x if abs(x) < UNBOUNDED else math.copysign(math.inf, x) for x in (low, high))
    elif limited and kind.limits == "cone":
        result.swing, result.twist = high, (-high, high)
        both = 2.0 * math.acos(math.cos(high / 2.0) ** 2)
        text = f"ball joint {result.name!r}: MuJoCo limits its whole angle to {high:g} rad; here swing and twist are"
        text = f"{text} each limited to it, which allows a whole angle of {both:g} rad where both reach their limit."
        notes.append(Note("changed", text, result.where))
    for array, what in (("dof_dampingpoly", "damping"), ("jnt_stiffnesspoly", "stiffness")):
        terms = getattr(model, array, None)  # newer MuJoCo only
        if terms is not None and np.any(terms[dof if what == "damping" else j]):
            text = f"joint {result.name!r}: only the linear term of its {what} is used."
            notes.append(Note("ignored", text, result.where))
    return result


def shape(mujoco: Any, model: Any, geom: int, source: Source, link: Link, notes: list[Note]) -> Shape | None:
    """Geom `geom` of the model, or None with a note where there is no such shape."""
    name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, geom) or ""
    kind = mujoco.mjtGeom(int(model.geom_type[geom])).name.removeprefix("mjGEOM_")
    element = source.find("worldbody", name, "geom")
    where = element.where if element else link.where
    paired = geom in model.pair_geom1 or geom in model.pair_geom2
    touches = bool(model.geom_contype[geom]) or bool(model.geom_conaffinity[geom]) or paired
    shown = int(model.geom_group[geom]) < HIDDEN
    role = "visual" if not touches else "both" if shown else "collision"
    result = Shape("mesh", role=role, name=name, color=_color(model, geom))
    result.masks = int(model.geom_contype[geom]), int(model.geom_conaffinity[geom])
    slide = float(model.geom_friction[geom][0])
    result.friction = slide if slide != 1.0 else None  # MuJoCo's default leaves it to the World
    result.position, result.rotation = vector(model.geom_pos[geom]), quaternion(model.geom_quat[geom])
    reason = "there is no such shape"
    if kind in SHAPES:
        result.kind, count = SHAPES[kind]
        result.size = vector(model.geom_size[geom][:count])
        return result
    if kind == "HFIELD":
        reason = _height_field(model, geom, result)
    if kind == "MESH":
        reason = _mesh(mujoco, model, int(model.geom_dataid[geom]), source, result)
    if reason:
        title = f"{kind.lower()} geom {name!r}" if name else f"{kind.lower()} geom"
        notes.append(
            Note("ignored", f"{title} of {link.name!r} is not kept: {reason}.", where, f"<geom> {kind.lower()}")
        )
        return None
    return result


def _height_field(model: Any, geom: int, result: Shape) -> str:
    """Make a terrain of a height field that stands still; a text says why it is not kept."""
    if int(model.body_weldid[model.geom_bodyid[geom]]):
        return "only height fields that are fixed to the world are kept"
    k = int(model.geom_dataid[geom])
    rows, columns, first = int(model.hfield_nrow[k]), int(model.hfield_ncol[k]), int(model.hfield_adr[k])
    rx, ry, top, _ = (float(x) for x in model.hfield_size[k])
    heights = top * np.asarray(model.hfield_data[first : first + rows * columns], dtype=float).reshape(rows, columns)
    x, y = np.meshgrid(np.linspace(-rx, rx, columns), np.linspace(-ry, ry, rows), indexing="ij")
    result.kind = "terrain"
    result.relief = Relief(np.stack([x.ravel(), y.ravel(), heights.T.ravel()], axis=1), grid(columns, rows), True)
    return ""


def _mesh(mujoco: Any, model: Any, mesh: int, source: Source, result: Shape) -> str:
    """Fill in file, scale and pose of a mesh; a text says why it is not kept."""
    address = int(model.mesh_pathadr[mesh])
    path = model.paths[address:].split(b"\0", 1)[0].decode("utf-8", "replace") if address >= 0 else ""
    own = _has_own_reference(source, mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_MESH, mesh) or "")
    if own or Path(path).suffix.lower() not in (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf"):
        result.mesh = kept_mesh(model, mesh)  # as MuJoCo has it: scaled, in its inertial frame, where the geom is, too
        return "" if result.mesh else "its mesh has no triangles"
    result.mesh = str(Path(path).absolute())
    sx, sy, sz = (float(x) for x in model.mesh_scale[mesh])
    result.scale = (sx, sy, sz)
    turn = rotation_matrix(result.rotation) @ rotation_matrix(model.mesh_quat[mesh]).T
    result.position = vector(np.asarray(result.position) - turn @ model.mesh_pos[mesh])
    result.rotation = turn
    return ""


def _has_own_reference(source: Source, name: str) -> bool:
    """Whether the mesh of that name, or any default, moves the vertices of its file by refpos or refquat."""
    assets = [e for e in source.elements("asset") if e.tag == "mesh"]
    own = [e for e in assets if name == (e.attributes.get("name") or Path(e.attributes.get("file", "")).stem)]
    defaults = [e for root in source.roots for part in root.all("default") for _, e in part.walk() if e.tag == "mesh"]
    return any("refpos" in e.attributes or "refquat" in e.attributes for e in own + defaults)


def _color(model: Any, geom: int) -> tuple[float, float, float, float]:
    """The geom's own colour, or its material's where it has none."""
    own, material = model.geom_rgba[geom], int(model.geom_matid[geom])
    rgba = model.mat_rgba[material] if material >= 0 and np.allclose(own, DEFAULT_RGBA) else own
    r, g, b, a = (float(x) for x in rgba)
    return r, g, b, a


def effort_limits(mujoco: Any, model: Any, names: Names, figure: Description) -> None:
    """Set `effort` of the hinges and sliders that actuators drive."""
    joints = {joint.name: joint for link in figure.links for joint in link.joints}
    by_joint: dict[int, list[tuple[float, float]]] = {}
    on_joint = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    for a in range(len(model.actuator_trntype)):
        if int(model.actuator_trntype[a]) in on_joint:
            by_joint.setdefault(int(model.actuator_trnid[a, 0]), []).append(_actuator_range(mujoco, model, a))
    for j in range(model.njnt):
        target = joints[names.joint[j]]
        if not KINDS[target.kind].one_axis:
            continue
        ranges = by_joint.get(j, [(-math.inf, math.inf)])
        low, high = sum(r[0] for r in ranges), sum(r[1] for r in ranges)
        if model.jnt_actfrclimited[j]:
            low, high = max(low, float(model.jnt_actfrcrange[j, 0])), min(high, float(model.jnt_actfrcrange[j, 1]))
        target.effort = max(abs(low), abs(high))
        if not math.isclose(-low, high, rel_tol=1e-9):
            text = f"joint {target.name!r}: its actuator force range {low:g} to {high:g} became +-{target.effort:g}."
            figure.notes.append(Note("changed", text, target.where))


def _actuator_range(mujoco: Any, model: Any, a: int) -> tuple[float, float]:
    """The least and largest generalised force of one actuator [N or N m]."""
    low, high = -math.inf, math.inf
    if model.actuator_forcelimited[a]:
        low, high = (float(x) for x in model.actuator_forcerange[a])
    plain = (
        int(model.actuator_gaintype[a]) == int(mujoco.mjtGain.mjGAIN_FIXED)
        and int(model.actuator_biastype[a]) == int(mujoco.mjtBias.mjBIAS_NONE)
        and int(model.actuator_dyntype[a]) == int(mujoco.mjtDyn.mjDYN_NONE)
    )
    if plain and model.actuator_ctrllimited[a]:
        gain = float(model.actuator_gainprm[a, 0])
        ends = sorted(gain * float(x) for x in model.actuator_ctrlrange[a])
        low, high = max(low, ends[0]), min(high, ends[1])
    gear = float(model.actuator_gear[a, 0])
    if gear == 0.0:
        return 0.0, 0.0
    low, high = sorted((gear * low, gear * high))
    return low, high


def vector(values: Sequence[float] | np.ndarray) -> tuple[float, ...]:
    """Plain floats."""
    return tuple(float(x) for x in values)


def quaternion(quat: np.ndarray) -> tuple[float, ...] | None:
    """wxyz as plain floats, None for no rotation."""
    return None if quat[0] == 1.0 and not np.any(quat[1:]) else vector(quat)
