"""The stance a figure walks from: soles flat and parallel, knees bent, trunk upright, the centre of mass above the
middle of the soles.

Legs begin bent in the direction in which they bend (the one that lifts the foot with the sole kept flat), then
bunraku.humanoid.walking_ik does the rest. Checked in tests/humanoid/test_parts.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot
from bunraku.humanoid.parts import Humanoid, humanoid, pitch_dofs
from bunraku.humanoid.walking_ik import walking_poses
from bunraku.model.configuration import integrate
from bunraku.model.model import Model

STRETCH = 0.96  # of a leg's full length, in the stance
KNEE = 0.4  # rad: how far knees are bent at first


def posture(h: Humanoid) -> np.ndarray:
    """The described pose with the mapping's stance joints, arms a little bent or as they hold a load, and knees
    bent by KNEE, feet flat."""
    m, q = h.model, h.model.neutral()
    stance = h.mapping.get("stance", {})
    for j in m.joints:
        if j.kind == "hinge" and j.nv:
            bend = float(stance.get(j.name, 0.35 if "elbow" in j.name.lower() and "elbow" not in stance else 0.0))
            q[j.iq] = np.clip(q[j.iq] + bend, m.lower[j.iv], m.upper[j.iv])
    if h.holding is not None:
        for name, x in h.holding.joints.items():
            q[m.joint(name).q] = x
    for f in h.feet:
        bend_leg(h, f, q)
    return q


def bend_leg(h: Humanoid, f: Foot, q: np.ndarray) -> None:
    """Bend the knee by KNEE, hip and ankle so that the sole keeps its direction; q is changed. The knee is the middle
    one of the leg's pitch joints."""
    hip, knee, ankle = pitch_dofs(h, f, q)[:3]
    v = np.zeros(h.model.nv)
    v[hip[0]], v[knee[0]], v[ankle[0]] = -KNEE / 2 * hip[1], KNEE * knee[1], -KNEE / 2 * ankle[1]
    q[:] = integrate(h.model, q, v)


def stance(h: Humanoid, stretch: float = STRETCH, height: float | None = None) -> np.ndarray:
    """q of the stance; see the module text. stretch: of the legs; height [m]: of the centre of mass instead."""
    q, position, rotation, com = stance_plan(h, stretch)
    if height is not None:
        com[2] = height
    poses = walking_poses(h, q[None], q[None], position[None], rotation[None], com[None])
    missing = float(np.max([poses.position_error, poses.rotation_error, poses.com_error]))
    if missing > 1e-8:
        raise InputError(
            f"humanoid: {h.model.name!r} cannot stand with its soles flat, {h.apart:.2f} m apart, and its centre of "
            f"mass above their middle: {1e3 * missing:.1f} mm are missing; look at the ranges of its legs."
        )
    return poses.q[0]


def stand(model: Model, lower: float = 0.03) -> np.ndarray:
    """q of a figure that stands upright on both soles, as far ahead as its described pose has them, its centre of mass
    above their middle and `lower` [m] lower than in that pose, elbows and knees bent a little."""
    h = humanoid(model)
    k = kinematics(h.model, h.model.neutral())
    soles = [k.pose(f.frame)[0] for f in h.feet]
    q = stance(h, height=float(centroidal(h.model, h.model.neutral()).com[2]) - lower)
    q[:2] += np.mean(soles, axis=0)[:2]
    return q


def stance_plan(h: Humanoid, stretch: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(q to begin with, soles' places (2, 3) and rotations (2, 3, 3), centre of mass (3,))."""
    q = posture(h)
    position = np.array([[0.0, 0.5 * h.apart, 0.0], [0.0, -0.5 * h.apart, 0.0]])
    rotation = np.tile(np.eye(3), (2, 1, 1))
    k = kinematics(h.model, q)
    low = min(float(k.pose(f.frame)[0][2]) for f in h.feet)
    middle = np.mean([k.pose(f.frame)[0] for f in h.feet], axis=0)
    q[:3] -= [middle[0], middle[1], low]
    com = centroidal(h.model, q).com
    q[:2] -= com[:2]
    k = kinematics(h.model, q)
    com[:2] = 0.0
    # hips as high as the stretch of the legs wants
    room = []
    for f, length in zip(h.feet, h.legs):
        hip = k.position[h.model.joint(f.joints[0]).body]
        ankle = position[f.side] - rotation[f.side] @ f.rotation.T @ f.position
        across = float(np.sum((hip[:2] - ankle[:2]) ** 2))
        room.append(ankle[2] + np.sqrt(max((stretch * length) ** 2 - across, 1e-4)) - hip[2])
    com[2] += min(room)
    q[2] += min(room)
    return q, position, rotation, com
