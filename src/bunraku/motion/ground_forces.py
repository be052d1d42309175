"""Forces of a motion by inverse dynamics: what the ground must have done, and the joints, for a figure to move so.

    f = ground_forces(retarget(load_bvh("walk.bvh"), human(like="walk.bvh", mass=72), cutoff=None))
    f.force, f.zmp, f.torques, f.powers;   f.beside(plates)

With the centre of mass c and the angular momentum L about it the ground's force and its zero-moment point are
    F = m (c'' - g) ,   p = c - (c_z F_xy + (L'_y, -L'_x)) / F_z          (on z = 0, c_z its height) .
c, and the sum of L over time, which both have the white noise of the recording, are smoothed by the noise that is in
them (bunraku.motion.noise_cut) before they are differentiated twice, and so are coordinates for the joints; what comes
out is low-passed at `cutoff` without delay, as plates are that it is compared with. Where two feet stand (heels and toes
by bunraku.motion.footing), each carries a share by the lever between the points of both that are nearest to p; torques
are those of inverse dynamics with these forces on the feet. World axes, SI units. Checked in
tests/motion/test_ground_forces.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.functions import centroidal, frame_jacobian, kinematics, momentum_matrix, rnea
from bunraku.errors import InputError
from bunraku.model.configuration import continuous, difference, normalized
from bunraku.model.model import Model
from bunraku.motion.filter import even
from bunraku.motion.footing import Footing, find_feet
from bunraku.motion.lowpass import lowpass
from bunraku.motion.noise_cut import smooth_by_noise
from bunraku.recording.motion import Motion

CUTOFF = 6.0  # Hz
CARRIES, ENDS = 0.2, 0.1  # of the weight: where a zero-moment point is compared; s at both ends that are not


@dataclass(frozen=True, eq=False)
class Plates:
    """What was measured: times (n,) [s], force (n, 3) [N] and zero-moment point (n, 2) [m] of all plates together, in the
    axes of the motion."""

    times: np.ndarray
    force: np.ndarray
    zmp: np.ndarray


@dataclass(frozen=True, eq=False)
class Beside:
    """Differences from plates: root mean square and largest of the force along x, y, z [of the weight] and of the
    zero-moment point along x, y [m]; over so many seconds."""

    force_rms: np.ndarray
    force_most: np.ndarray
    zmp_rms: np.ndarray
    zmp_most: np.ndarray
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "seconds": self.seconds,
            "force_percent_of_weight": {
                "rms": (100 * self.force_rms).tolist(),
                "max": (100 * self.force_most).tolist(),
            },
            "zmp_mm": {"rms": (1000 * self.zmp_rms).tolist(), "max": (1000 * self.zmp_most).tolist()},
        }


@dataclass(frozen=True, eq=False)
class GroundForces:
    """Of n frames: times [s]; force (n, 3) [N] and zmp (n, 2) [m] of the ground; feet: links, and force_on (n, feet, 3);
    torques, powers (n, nv) [N m, W] of the joints, zero on the base; air (n,): where no foot touches."""

    model: Model
    times: np.ndarray
    force: np.ndarray
    zmp: np.ndarray
    feet: tuple[str, ...]
    force_on: np.ndarray
    torques: np.ndarray
    powers: np.ndarray
    air: np.ndarray

    @property
    def weight(self) -> float:
        """Of the figure [N]."""
        return self.model.mass * float(np.linalg.norm(self.model.gravity))

    def beside(self, plates: Plates, cutoff: float = CUTOFF) -> Beside:
        """How far it is from what was measured, low-passed alike."""
        rate = (len(plates.times) - 1) / float(plates.times[-1] - plates.times[0])
        if not rate > 2.5 * cutoff:
            raise InputError(f"forces: plates of {rate:.3g} frames a second cannot be low-passed at {cutoff:g} Hz.")
        moment = lowpass(plates.zmp * plates.force[:, 2:], rate, cutoff)
        force = lowpass(plates.force, rate, cutoff)
        inside = (self.times > max(plates.times[0], self.times[0]) + ENDS) & (
            self.times < min(plates.times[-1], self.times[-1]) - ENDS
        )
        if np.count_nonzero(inside) < 8:
            raise InputError("forces: motion and plates are not of the same time, or shorter than 0.3 s.")
        at = self.times[inside]
        measured = np.column_stack([np.interp(at, plates.times, x) for x in force.T])
        carried = (measured[:, 2] > CARRIES * self.weight) & (self.force[inside, 2] > CARRIES * self.weight)
        lever = np.column_stack([np.interp(at, plates.times, x) for x in moment.T]) / np.maximum(measured[:, 2:], 1.0)
        off = (self.force[inside] - measured) / self.weight
        apart = (self.zmp[inside] - lever)[carried]
        return Beside(*_sizes(off), *_sizes(apart), float(at[-1] - at[0]))

    def as_dict(self) -> dict[str, Any]:
        """For JSON: least and largest, and peaks of every joint, but for ENDS at both ends, where nothing is known beyond."""
        inner = (self.times > self.times[0] + ENDS) & (self.times < self.times[-1] - ENDS)
        inner |= not inner.any()
        load, torques, powers = self.force[inner, 2] / self.weight, self.torques[inner], self.powers[inner]
        joints = {
            j.name: {
                "torque_Nm": float(np.linalg.norm(torques[:, j.v], axis=1).max()),
                "power_W": [float(powers[:, j.v].sum(axis=1).min()), float(powers[:, j.v].sum(axis=1).max())],
            }
            for j in self.model.joints
            if j.nv and j.kind != "free"
        }
        return {
            "seconds": float(self.times[-1] - self.times[0]), "mass_kg": self.model.mass, "weight_N": self.weight,
            "vertical_of_weight": {"min": float(load.min()), "max": float(load.max()), "mean": float(load.mean())},
            "level_of_weight": float(np.linalg.norm(self.force[inner, :2], axis=1).max() / self.weight), "joints": joints,
        }  # fmt: skip


def _sizes(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.sqrt(np.mean(x * x, axis=0)), np.abs(x).max(axis=0)


def ground_forces(motion: Motion, cutoff: float = CUTOFF, *, smooth: bool = True) -> GroundForces:
    """The forces of a motion, see the module text. cutoff [Hz] of what comes out; smooth: by the noise that is in the
    motion first."""
    model = motion.model
    if not model.joints or model.joints[0].kind != "free":
        raise InputError(f"forces: {model.name!r} has no free base, so the ground need not carry it.")
    motion = even(motion)
    dt, rate = motion.duration / (len(motion) - 1), (len(motion) - 1) / motion.duration
    if not 0 < cutoff < 0.4 * rate:
        raise InputError(
            f"forces: a cutoff of {cutoff:g} Hz must be above 0 and below {0.4 * rate:.3g} Hz, 0.4 of the frames a second."
        )
    com, turned = centroidal(model, motion.q).com, spun(motion)
    if smooth:
        com, turned = np.split(smooth_by_noise(np.hstack([com, turned])), 2, axis=1)
        q = normalized(model, smooth_by_noise(continuous(model, motion.q)))
        motion = Motion(model, motion.times, q, motion.meta)
    q, v = motion.q, motion.v
    acc, spin = (lowpass(np.gradient(np.gradient(x, dt, axis=0), dt, axis=0), rate, cutoff) for x in (com, turned))
    force = model.mass * (acc - model.gravity)
    least = 1e-3 * model.mass * float(np.linalg.norm(model.gravity))
    lever = np.column_stack([spin[:, 1], -spin[:, 0]])
    zmp = com[:, :2] - (com[:, 2:] * force[:, :2] + lever) / np.maximum(force[:, 2:], least)
    feet = find_feet(motion)
    share, points = shares(feet, zmp)
    twist = spin[:, 2] - (np.cross(np.column_stack([zmp, 0 * zmp[:, 0]]) - com, force))[:, 2]
    torques, place = rnea(model, q, v, lowpass(np.gradient(v, dt, axis=0), rate, cutoff)), kinematics(model, q).position
    for n, f in enumerate(feet):
        on, link = share[:, n, None] * force, f.foot.link
        arm = np.column_stack([points[:, n], np.zeros(len(q))]) - place[:, f.foot.body]
        moment = np.cross(arm, on) + share[:, n, None] * twist[:, None] * [0.0, 0.0, 1.0]
        J = np.array([frame_jacobian(model, x, link) for x in q])
        torques -= np.einsum("nij,ni->nj", J, np.hstack([on, moment]))
    torques[:, :6] = 0.0
    force_on = share[:, :, None] * force[:, None]
    names, air = tuple(f.foot.link for f in feet), share.sum(axis=1) == 0.0
    return GroundForces(model, motion.times, force, zmp, names, force_on, torques, torques * v, air)


def spun(motion: Motion) -> np.ndarray:
    """(n, 3): the sum of the angular momentum about the centre of mass over time [kg m^2], from one frame to the next."""
    turns = momentum_matrix(motion.model, motion.q)[:, 3:]
    step = np.einsum(
        "nij,nj->ni", 0.5 * (turns[1:] + turns[:-1]), difference(motion.model, motion.q[:-1], motion.q[1:])
    )
    return np.vstack([np.zeros(3), np.cumsum(step, axis=0)])


def shares(feet: Sequence[Footing], zmp: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, feet): what each foot carries, of all; (n, feet, 2): where. Sum of both is the zero-moment point."""
    n = len(zmp)
    share, points = np.zeros((n, len(feet))), np.repeat(zmp[:, None], len(feet), axis=1)
    for k in range(n):
        stand = [i for i, f in enumerate(feet) if f.touches[k]]
        if len(stand) == 1:
            share[k, stand[0]] = 1.0
        elif len(stand) > 1:
            near = [nearest(feet[i].corners(k)[:, :2], zmp[k]) for i in stand[:2]]
            way = near[1] - near[0]
            second = float(np.clip((zmp[k] - near[0]) @ way / max(float(way @ way), 1e-12), 0.0, 1.0))
            share[k, stand[:2]] = 1.0 - second, second
            left = zmp[k] - (1.0 - second) * near[0] - second * near[1]
            points[k, stand[:2]] = near[0] + left, near[1] + left
    return share, points


def nearest(corners: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The point (2,) of a sole or an edge, seen from above, that is nearest to another; corners (2 or 4, 2), or one."""
    if len(corners) == 1:
        return corners[0]
    first = corners[0]
    sides = [corners[1] - first, *([corners[2] - first] if len(corners) == 4 else [])]
    at = [np.clip((point - first) @ s / max(float(s @ s), 1e-12), 0.0, 1.0) for s in sides]  # square to each other
    return first + sum(a * s for a, s in zip(at, sides))
