"""The twin of a Bunraku description in MuJoCo: the same links, inertias and hinges, boxes and a plane, position
actuators. For benchmarks and tests of one against the other."""

from __future__ import annotations

import importlib
import time
from typing import Any

import numpy as np

from bunraku.model.description import Description
from bunraku.model.rotations import quaternion, rotation_matrix


def twin(mujoco: Any, d: Description, kp: float, kd: float, friction: float) -> tuple[Any, list[str]]:
    """(MjSpec, names of the actuated joints in order). Links with hinges, a free base or no joint; boxes."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.balanceinertia = True
    plane = spec.worldbody.add_geom()
    plane.type, plane.size, plane.friction = mujoco.mjtGeom.mjGEOM_PLANE, [10, 10, 1], [friction, 0.005, 0.0001]
    names: list[str] = []
    bodies: dict[str | None, Any] = {None: spec.worldbody}
    for link in d.links:
        body = bodies[link.name] = bodies[link.parent].add_body()
        body.name = link.name
        body.pos, body.quat = link.position, quaternion(rotation_matrix(link.rotation))
        for j in link.joints:
            if j.kind == "fixed":
                continue
            joint = body.add_freejoint() if j.kind == "free" else body.add_joint()
            joint.name = j.name
            if j.kind == "free":
                continue
            kind = {"hinge": mujoco.mjtJoint.mjJNT_HINGE, "slider": mujoco.mjtJoint.mjJNT_SLIDE}[j.kind]
            joint.type, joint.axis, joint.pos = kind, j.axis, j.anchor
            joint.armature, joint.damping = float(np.max(j.armature)), [kd, 0, 0] if np.ndim(joint.damping) else kd
            act = spec.add_actuator()
            act.target, act.trntype = j.name, mujoco.mjtTrn.mjTRN_JOINT
            act.gainprm[0], act.biasprm[1] = kp, -kp
            act.biastype = mujoco.mjtBias.mjBIAS_AFFINE
            names.append(j.name)
        if link.inertia.mass > 0:
            I = link.inertia.matrix() + 1e-9 * np.eye(3)  # MuJoCo refuses none at all
            body.mass, body.ipos, body.explicitinertial = link.inertia.mass, link.inertia.com, True
            body.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        for s in link.shapes:
            geom = body.add_geom()
            geom.type, geom.size, geom.pos = mujoco.mjtGeom.mjGEOM_BOX, s.size, s.position
            geom.quat, geom.friction, geom.mass = (
                quaternion(rotation_matrix(s.rotation)),
                [friction, 0.005, 0.0001],
                0.0,
            )
    return spec, names


class MujocoReplay:
    """A walking pattern replayed by MuJoCo on the twin of a description: position actuators with joint damping, led so
    that their torque is ours, kp (q_ref - q) + kd (v_ref - v): the control is q_ref + kd / kp v_ref."""

    def __init__(
        self, d: Description, pattern: Any, dt: float, friction: float, kp: float, kd: float, *, cone: str = "pyramidal"
    ) -> None:
        self.mujoco, self.rollout = importlib.import_module("mujoco"), importlib.import_module("mujoco.rollout")
        spec, names = twin(self.mujoco, d, kp, kd, friction)
        cones = {"pyramidal": self.mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": self.mujoco.mjtCone.mjCONE_ELLIPTIC}
        spec.option.timestep, spec.option.cone, spec.option.gravity = dt, cones[cone], list(d.gravity)
        self.model = spec.compile()
        self.data, known = self.mujoco.MjData(self.model), pattern.humanoid.model
        q, v = pattern.q, pattern.v
        joints = [known.joint(n) for n in names]
        self.controls = np.stack([q[:, j.iq] + kd / kp * v[:, j.iv] for j in joints], axis=1)
        self.data.qpos[:7] = q[0, :7]
        for n, j in zip(names, joints):
            self.data.qpos[self.model.joint(n).qposadr[0]] = q[0, j.iq]
        self.data.ctrl[:] = self.controls[0]
        self.mujoco.mj_step(self.model, self.data, 300)
        full = self.mujoco.mjtState.mjSTATE_FULLPHYSICS
        self.start = np.zeros(self.mujoco.mj_stateSize(self.model, full))
        self.mujoco.mj_getState(self.model, self.data, self.start, full)
        self.end = q[-1, :3]

    def whole(self) -> float:
        """Seconds a step of the whole walk at once."""
        began = time.perf_counter()
        self.rollout.rollout(self.model, self.data, self.start, self.controls[None])
        return (time.perf_counter() - began) / len(self.controls)

    @property
    def upright(self) -> bool:
        """Whether it stands where the pattern ends, within a quarter of a metre."""
        return bool(np.abs(self.data.qpos[:3] - self.end).max() < 0.25)
