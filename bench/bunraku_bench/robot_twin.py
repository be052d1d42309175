"""The twin in MuJoCo of any robot that Bunraku has read: the same links, inertias, joints with their limits, springs,
friction and rotor inertia, the same shapes (a mesh as the hull that Bunraku made of it), the same pairs that never touch,
one ground. For benchmarks side by side.

Left out of both sides before: gears by a matrix, helical and universal joints (a robot that has some is refused).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.model.description import Description, Link, Shape
from bunraku.model.model import Model
from bunraku.model.rotations import quaternion, rotation_matrix

FRICTION = 0.8


def twin(mujoco: Any, model: Model, ground: float | None, gains: dict[str, tuple[float, float]], own: bool) -> Any:
    """MjSpec of a model. ground: height of a plane, None for none; gains: stiffness and damping of servos by joint; own:
    whether its own links touch each other."""
    d = model.description
    if d.matrix_gears:
        raise InputError(f"{model.name}: gears by a matrix have no twin.")
    spec = mujoco.MjSpec()
    spec.compiler.degree, spec.compiler.balanceinertia = False, True
    spec.compiler.boundmass, spec.compiler.boundinertia = 1e-9, 1e-12
    spec.compiler.discardvisual = False
    if ground is not None:
        plane = spec.worldbody.add_geom()
        plane.type, plane.size, plane.pos = mujoco.mjtGeom.mjGEOM_PLANE, [20, 20, 1], [0, 0, ground]
        plane.friction, plane.contype, plane.conaffinity = [FRICTION, 0.005, 0.0001], 1, 1
    bodies: dict[str | None, Any] = {None: spec.worldbody}
    hulls: dict[tuple[str, tuple[float, ...]], str | None] = {}
    for link in _parents_first(d):
        if link.name == "world" and link.parent is None:
            body = bodies[link.name] = spec.worldbody
        else:
            body = bodies[link.name] = bodies[link.parent].add_body()
            body.name = link.name
            body.pos, body.quat = link.position, _turn(link.rotation)
        for j in link.joints:
            _add_joint(mujoco, spec, body, j, gains)
        if link.inertia.mass > 0 and body is not spec.worldbody:
            moments = link.inertia.matrix() + 1e-9 * np.eye(3)  # MuJoCo refuses none at all
            body.mass, body.ipos, body.explicitinertial = link.inertia.mass, link.inertia.com, True
            body.fullinertia = [*np.diag(moments), moments[0, 1], moments[0, 2], moments[1, 2]]
        for shape in link.shapes:
            if shape.role != "visual" and shape.kind != "plane":
                _add_geom(mujoco, spec, body, shape, hulls, own)
    for gear in d.gears:
        e = spec.add_equality()
        e.type, e.name1, e.name2 = mujoco.mjtEq.mjEQ_JOINT, gear.follower, gear.leader
        e.objtype = mujoco.mjtObj.mjOBJ_JOINT
        e.data[:5] = gear.offset, gear.ratio, 0, 0, 0
    for a, b in d.collide_exclude:
        if a in bodies and b in bodies:
            pair = spec.add_exclude()
            pair.bodyname1, pair.bodyname2 = a, b
    return spec


def _parents_first(d: Description) -> list[Link]:
    known: set[str | None] = {None}
    out: list[Link] = []
    rest = list(d.links)
    while rest:
        now = [link for link in rest if link.parent in known]
        if not now:
            raise InputError(f"{d.name}: its links are no tree.")
        out += now
        known |= {link.name for link in now}
        rest = [link for link in rest if link.name not in known]
    return out


def _turn(rotation: Any) -> np.ndarray:
    return quaternion(rotation_matrix(rotation))


def _add_joint(mujoco: Any, spec: Any, body: Any, j: Any, gains: dict[str, tuple[float, float]]) -> None:
    if j.kind == "fixed":
        return
    if j.kind == "free":
        body.add_freejoint().name = j.name
        return
    kinds = {"hinge": "mjJNT_HINGE", "slider": "mjJNT_SLIDE", "ball": "mjJNT_BALL"}
    if j.kind not in kinds:
        raise InputError(f"joint {j.name!r}: a {j.kind} joint has no twin.")
    joint = body.add_joint()
    joint.name, joint.type = j.name, getattr(mujoco.mjtJoint, kinds[j.kind])
    joint.pos, joint.armature = j.anchor, float(np.max(j.armature))
    kp, kd = gains.get(j.name, (0.0, 0.0))
    damping, friction = float(np.max(j.damping)) + kd, float(np.max(j.friction))
    joint.damping = [damping, 0, 0] if np.ndim(joint.damping) else damping
    joint.frictionloss = friction
    if j.kind == "ball":
        return
    joint.axis, joint.ref = j.axis, float(j.reference)
    stiffness = float(np.max(j.stiffness))
    joint.stiffness = [stiffness, 0, 0] if np.ndim(joint.stiffness) else stiffness
    joint.springref = float(np.max(j.rest))
    if j.lower < j.upper and (np.isfinite(j.lower) or np.isfinite(j.upper)):
        joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        joint.range = [max(float(j.lower), -1e3), min(float(j.upper), 1e3)]
    if kp > 0:
        act = spec.add_actuator()
        act.target, act.trntype = j.name, mujoco.mjtTrn.mjTRN_JOINT
        act.gainprm[0], act.biasprm[1] = kp, -kp
        act.biastype = mujoco.mjtBias.mjBIAS_AFFINE


def _add_geom(mujoco: Any, spec: Any, body: Any, s: Shape, hulls: dict[Any, str | None], own: bool) -> None:
    kinds = {"sphere": "SPHERE", "capsule": "CAPSULE", "box": "BOX", "cylinder": "CYLINDER", "ellipsoid": "ELLIPSOID"}
    mesh = None
    if s.kind == "mesh":
        mesh = _hull(spec, s, hulls)
        if mesh is None:
            return
    elif s.kind not in kinds:
        raise InputError(f"a {s.kind} has no twin.")
    geom = body.add_geom()
    geom.type = getattr(mujoco.mjtGeom, f"mjGEOM_{kinds.get(s.kind, 'MESH')}")
    if mesh is None:
        geom.size = [*s.size, *[0.0] * (3 - len(s.size))]
    else:
        geom.meshname = mesh
    geom.pos, geom.quat = s.position, _turn(s.rotation)
    geom.friction, geom.mass = [FRICTION, 0.005, 0.0001], 0.0
    geom.contype, geom.conaffinity = (1, 1) if own else (0, 1)


def _hull(spec: Any, s: Shape, hulls: dict[Any, str | None]) -> str | None:
    from bunraku.collision.mesh_hulls import hull_of_mesh

    key = (str(s.mesh), tuple(s.scale))
    if key not in hulls:
        hull, _ = hull_of_mesh(s.mesh, s.scale, "hull")
        hulls[key] = None
        if hull is not None:
            mesh = spec.add_mesh()
            mesh.name = hulls[key] = f"hull{len(hulls)}"
            mesh.uservert = (hull.vertices + hull.centre).ravel()
            mesh.userface = hull.triangles.astype(np.int32).ravel()
    return hulls[key]
