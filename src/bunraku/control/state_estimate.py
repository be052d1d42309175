"""Where a figure is, from its instruments alone: an IMU on the base, encoders at the joints, force sensors at the feet.

    attitude  base <- IMU;   joints <- encoders;   place: p = sum_f load_f (anchor_f - x_f),   p' = - sum_f load_f x_f'
x_f is the ankle of foot f by kinematics with the base at the origin, anchor_f the place where it came to stand, load_f its share of the measured
weight. A foot that lands gets an anchor from the estimate of that moment; its height is drawn half-way to the height that was planned there, so
that small errors do not add up over a walk while a bump is still felt. Rates are passed through a first-order low pass (`CUT`).
Nothing of the world's true state is read: what the rubber below the ankles does is not known here. World axes, SI units.
Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.control.walking_plan import FootLike
from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.dynamics.work import Work
from bunraku.errors import InputError
from bunraku.model.model import Model

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.world import World

CUT = 40.0  # Hz, of the base's velocity
FORCE_CUT = 30.0  # Hz, of the measured loads


class Instruments:
    """The sensors of one figure: `imu` on its base, `feet` force/torque, `encoders` of the joints that the rigid model has."""

    def __init__(
        self, world: World, figure: Figure, model: Model, feet: tuple[FootLike, FootLike], **options: dict[str, Any]
    ) -> None:
        base = model.joints[0] if model.joints else None
        if base is None or base.kind != "free":
            raise InputError(f"stabiliser: figure {model.name!r} has no free base.")
        names = tuple(j.name for j in model.joints if j.nv and j.kind != "free")
        self.imu = world.add_sensor("imu", at=figure[base.link], **options.get("imu", {}))
        self.feet = tuple(
            world.add_sensor(
                "force_torque", at=figure[f.link], **place_of(model, f), **options.get("force_torque", {})
            )
            for f in feet
        )
        self.encoders = world.add_sensor("encoders", at=figure, joints=names, **options.get("encoders", {}))
        frame = model.frame(base.link)
        self.base_from_imu = frame.rotation.T
        self.iq = np.concatenate([np.arange(j.iq, j.iq + j.nq) for j in (model.joint(n) for n in names)])
        self.iv = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in (model.joint(n) for n in names)])


def place_of(model: Model, foot: FootLike) -> dict[str, Any]:
    """Where a force sensor sits in its link so that it reads in the sole's frame."""
    f = model.frame(foot.link)
    return {"offset": f.rotation.T @ (foot.position - f.position), "rotation": f.rotation.T @ foot.rotation}


class StateEstimate:
    """q, v of the rigid model; com, com_rate; load (2) [N]; pressure (2, 2) per foot; zmp. See the module text."""

    def __init__(
        self, instruments: Instruments, model: Model, feet: tuple[FootLike, FootLike], period: float, q: np.ndarray
    ) -> None:
        self.instruments, self.model, self.feet, self.period = instruments, model, feet, period
        self.bodies = [f.body for f in feet]
        self.soles = np.array([f.position for f in feet])
        self.work = Work(model)
        self.q, self.v = q.copy(), np.zeros(model.nv)
        k = kinematics(model, q)
        self.anchor = k.position[self.bodies].copy()
        self.weight = model.mass * float(np.linalg.norm(model.gravity))
        self.load = np.full(2, 0.5 * self.weight)
        self.raw = self.load.copy()
        self.pressure = np.zeros((2, 2))
        self.velocity, self.last = np.zeros(3), q[:3].copy()
        self.keep = float(np.exp(-2 * np.pi * CUT * period))
        self.keep_force = float(np.exp(-2 * np.pi * FORCE_CUT * period))

    def update(self, standing: np.ndarray) -> None:
        """Read the instruments; `standing` (2): which feet are at their anchors."""
        i, q, v = self.instruments, self.q, self.v
        seen, coders = i.imu.read("gyro", "orientation"), i.encoders.read()
        q[3:7], v[3:6] = seen["orientation"], seen["gyro"]
        q[i.iq], v[i.iv] = coders["position"], coders["velocity"]
        for side, sensor in enumerate(i.feet):
            wrench = sensor.read()
            force, torque = wrench["force"], wrench["torque"]
            self.raw[side] = -force[2]
            if force[2] < -1.0:
                self.pressure[side] = -torque[1] / force[2], torque[0] / force[2]
        self.load += (1.0 - self.keep_force) * (np.maximum(self.raw, 0.0) - self.load)
        q[:3], v[:3] = 0.0, 0.0
        k = kinematics(self.model, q, v, work=self.work)
        share = np.where(standing, np.maximum(self.load, 0.02 * self.weight), 0.0)
        if share.sum() > 0.0:
            share /= share.sum()
            at, rate = k.position[self.bodies], k.twist[self.bodies, :3]
            self.velocity += (1.0 - self.keep) * (-share @ rate - self.velocity)
            q[:3] = share @ (self.anchor - at)
        else:  # in the air: on along a parabola
            self.velocity += self.period * self.model.gravity
            q[:3] = self.last + self.period * self.velocity
        v[:3] = self.velocity
        self.last = q[:3].copy()
        self.rotation = k.rotation
        self.position = k.position + q[:3]
        self.twist = k.twist
        self.twist[:, :3] += self.velocity
        c = centroidal(self.model, q, v, work=self.work)
        self.com, self.com_rate, self.spin = c.com, c.com_velocity, c.angular

    def land(self, side: int, height: float) -> None:
        """A foot stands from now on; `height` [m] was planned for its sole."""
        body = self.bodies[side]
        self.anchor[side] = self.position[body]
        sole = self.position[body, 2] + (self.rotation[body] @ self.soles[side])[2]
        self.anchor[side, 2] += 0.5 * (height - sole)

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        names = ("anchor", "load", "velocity", "last")
        return {name: getattr(self, name).tolist() for name in names}

    def restore(self, state: dict[str, Any]) -> None:
        """Put it back."""
        for name, x in state.items():
            setattr(self, name, np.array(x, dtype=float))
