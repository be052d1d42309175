"""Settling: a recorded motion moved so that its feet stand where they stand and its centre of mass is on its planned
path; nothing dynamic yet.

Each frame by inverse kinematics (bunraku.dynamics.ik, all frames as one batch) over foot poses, centre of mass, and the
recorded pose with a small weight; `rates` is the same for v at one instant. `reach` says how high the centre of mass
may be so that the legs are long enough. Checked in tests/motion/test_settle.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.functions import centroidal, frame_jacobian, kinematics, momentum_matrix
from bunraku.dynamics.ik import inverse_kinematics
from bunraku.dynamics.ik_targets import Target
from bunraku.model.model import Model
from bunraku.motion.footing import Footing
from bunraku.recording.motion import Motion

POSE = 1e-4  # weight of staying near the recorded pose [rad^2] against places [m^2]
# of a leg's length: knees bent by 0.11 rad at least; by 0.35 rad where they push off into the air
STRETCH = 0.9985, 0.985
ITERATIONS = 40
SPIN = 0.01  # an angular momentum of 1 N m s counts as so many m/s
FIRM = 100.0  # feet count so much more than the centre of mass


def settled(motion: Motion, feet: tuple[Footing, ...], com: np.ndarray, frames: int | None = None) -> Motion:
    """The motion with feet at their references and the centre of mass at com (n, 3); the first `frames` frames only, if
    given."""
    model, q = motion.model, motion.q[:frames]
    n, out = len(q), motion.q.copy()
    targets = [
        Target(f.foot.frame, f.position[:n] + f.rotation[:n] @ f.foot.position, f.rotation[:n] @ f.foot.rotation, FIRM)
        for f in feet
    ]
    out[:n] = inverse_kinematics(
        model, targets, q, com=com[:n], rest=q, rest_weight=stay(model), length=1.0, still=1e-6, iterations=ITERATIONS,
    ).q  # fmt: skip
    return Motion(model, motion.times, out, motion.meta)


def stay(model: Model) -> np.ndarray:
    """(nv,): weights of staying near the recorded pose: the base may go where it must and turns least, legs do what
    must be done, not the trunk."""
    out = np.full(model.nv, POSE)
    out[:3], out[3:6] = 0.0, 9.0 * POSE
    for j in model.joints:
        if j.kind != "free" and not any(x in j.name for x in ("hip", "knee", "ankle")):
            out[j.v] = 25.0 * POSE
    return out


def rates(
    model: Model,
    q: np.ndarray,
    v: np.ndarray,
    twists: list[tuple[str, np.ndarray]],
    com_rate: np.ndarray,
    momentum: np.ndarray | None = None,
) -> np.ndarray:
    """v near a given one with which links have given twists, the centre of mass a given velocity and the figure nearly
    a given angular momentum."""
    rows, wanted = [np.sqrt(POSE) * np.eye(model.nv)], [np.sqrt(POSE) * v]
    for link, twist in twists:
        rows.append(frame_jacobian(model, q, link))
        wanted.append(twist)
    rows.append(momentum_matrix(model, q)[:3] / model.mass)
    wanted.append(com_rate)
    if momentum is not None:
        rows.append(SPIN * momentum_matrix(model, q)[3:])
        wanted.append(SPIN * momentum)
    return np.linalg.lstsq(np.vstack(rows), np.concatenate(wanted), rcond=None)[0]


def reach(motion: Motion, feet: tuple[Footing, ...], com: np.ndarray, flies: bool = False) -> np.ndarray:
    """(n,): the greatest height of the centre of mass at which legs reach their feet, those that stand where it flies
    (in the air ways of feet are free), the rest as in the motion, moved along with com."""
    model, k = motion.model, kinematics(motion.model, motion.q)
    moved = com - centroidal(model, motion.q).com
    out = np.full(len(motion), np.inf)
    for f in feet:
        chain = leg_of(model, f.foot.link)
        if chain is None:
            continue
        hip, knee = (model.frame(x).body for x in chain)
        rest = kinematics(model, model.neutral()).position
        length = STRETCH[flies] * (
            np.linalg.norm(rest[hip] - rest[knee]) + np.linalg.norm(rest[knee] - rest[f.foot.body])
        )
        at = k.position[:, hip] + moved
        across = np.sum((at[:, :2] - f.position[:, :2]) ** 2, axis=1)
        top = f.position[:, 2] + np.sqrt(np.maximum(length**2 - across, 0.0))
        out = np.where(f.touches | (not flies), np.minimum(out, com[:, 2] + top - at[:, 2]), out)
    return out


def leg_of(model: Model, foot: str) -> tuple[str, str] | None:
    """(thigh, shank) above a foot."""
    parent = {x.name: x.parent for x in model.description.links}
    shank = parent.get(foot)
    thigh = parent.get(shank) if shank else None
    return (thigh, shank) if shank and thigh else None
