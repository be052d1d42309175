"""Settling: a recorded motion moved so that its feet stand where they stand and its centre of mass is on its planned
path; nothing dynamic yet.

At each frame Gauss-Newton on  sum w |error|^2  over foot poses, centre of mass, and the recorded pose with a small
weight, from the solution of the frame before; `rates` is the same for v at one instant. `reach` says how high the
centre of mass may be so that the legs are long enough. Checked in tests/motion/test_settle.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.functions import centroidal, frame_jacobian, kinematics, momentum_matrix
from bunraku.model.configuration import difference, integrate
from bunraku.model.model import Model
from bunraku.model.rotations import rotation_vector
from bunraku.motion.footing import Footing
from bunraku.recording.motion import Motion

POSE = 1e-4  # weight of staying near the recorded pose [rad^2] against places [m^2]
# of a leg's length: knees bent by 0.11 rad at least; by 0.35 rad where they push off into the air
STRETCH = 0.9985, 0.985
ITERATIONS = 8
SPIN = 0.01  # an angular momentum of 1 N m s counts as so many m/s
FIRM = 10.0  # feet count so much more than the centre of mass


def settled(motion: Motion, feet: tuple[Footing, ...], com: np.ndarray, frames: int | None = None) -> Motion:
    """The motion with feet at their references and the centre of mass at com (n, 3); the first `frames` frames only, if
    given."""
    model, out = motion.model, motion.q.copy()
    stay = np.full(model.nv, np.sqrt(POSE))
    stay[:3], stay[3:6] = 1e-3 * stay[0], 3 * stay[0]  # the base may go where it must, and turns least
    for j in model.joints:  # legs do what must be done, not the trunk
        if j.kind != "free" and not any(x in j.name for x in ("hip", "knee", "ankle")):
            stay[j.v] *= 5.0
    shift = np.zeros(model.nv)
    for k in range(len(motion) if frames is None else frames):
        q = within(model, integrate(model, motion.q[k], shift))
        for _ in range(ITERATIONS if k else 5 * ITERATIONS):
            kin = kinematics(model, q)
            rows, errors = [np.diag(stay)], [stay * difference(model, q, motion.q[k])]
            for f in feet:
                b = f.foot.body
                rows.append(FIRM * frame_jacobian(model, q, f.foot.link))
                errors.append(
                    FIRM
                    * np.concatenate(
                        [f.position[k] - kin.position[b], rotation_vector(f.rotation[k] @ kin.rotation[b].T)]
                    )
                )
            rows.append(momentum_matrix(model, q)[:3] / model.mass)
            errors.append(com[k] - centroidal(model, q).com)
            J, e = np.vstack(rows), np.concatenate(errors)
            step = np.linalg.solve(J.T @ J + 1e-6 * np.eye(model.nv), J.T @ e)
            q = within(model, integrate(model, q, step * min(1.0, 0.3 / max(1e-12, np.abs(step).max()))))
            if np.abs(step).max() < 1e-6:
                break
        shift = difference(model, motion.q[k], q)
        out[k] = q
    return Motion(model, motion.times, out, motion.meta)


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


def within(model: Model, q: np.ndarray) -> np.ndarray:
    """Hinges and sliders inside their ranges."""
    for j in model.joints:
        if j.nv == 1:
            q[j.iq] = np.clip(q[j.iq], model.lower[j.iv], model.upper[j.iv])
    return q
