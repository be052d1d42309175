"""Where a figure is, from its instruments alone: an IMU on the base, encoders at the joints, force sensors at the feet.

    attitude  base <- IMU;   joints <- encoders;   place: p = sum_f load_f (anchor_f - x_f),   p' = - sum_f load_f x_f'
x_f is the ankle of foot f by kinematics with the base at the origin, anchor_f the place where it came to stand, load_f
its share of the measured weight. A foot that lands is *fresh*: it has no say until it carries `balance_law.FIRM` of the
weight; its anchor is the estimate of that moment, its height drawn half-way to the one that was planned there, so that
small errors do not add up over a walk while a bump is still felt. Rates pass a first-order low pass (`CUT`), loads
another (`FORCE_CUT`). Computed in control.balance_kernel (`take_in`, `see`) and control.balance_law (`watch_feet`);
here are the sensors and its beginning. Nothing of the world's true state is read: what the rubber below the ankles does is
not known. World axes, SI units. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.control.balance_arrays import Balance
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot
from bunraku.model.model import Model
from bunraku.world.readings import Readings

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.world import World

CUT = 40.0  # Hz, of the base's velocity
FORCE_CUT = 30.0  # Hz, of the measured loads


class Instruments:
    """The sensors of one figure: `imu` on its base, `encoders` of the joints that the rigid model has, `feet`
    force/torque; `readings` of all, in this order (BalanceRoom.wire)."""

    def __init__(
        self, world: World, figure: Figure, model: Model, feet: tuple[Foot, Foot], **options: dict[str, Any]
    ) -> None:
        base = model.joints[0] if model.joints else None
        if base is None or base.kind != "free":
            raise InputError(f"stabiliser: figure {model.name!r} has no free base.")
        names = tuple(j.name for j in model.joints if j.nv and j.kind != "free")
        self.imu = world.add_sensor("imu", at=figure[base.link], **options.get("imu", {}))
        self.feet = tuple(
            world.add_sensor("force_torque", at=figure[f.link], **place_of(model, f), **options.get("force_torque", {}))
            for f in feet
        )
        self.encoders = world.add_sensor("encoders", at=figure, joints=names, **options.get("encoders", {}))
        self.readings = Readings(world, (self.imu, self.encoders, *self.feet))
        self.iq = np.concatenate([np.arange(j.iq, j.iq + j.nq) for j in (model.joint(n) for n in names)])
        self.iv = np.concatenate([np.arange(j.iv, j.iv + j.nv) for j in (model.joint(n) for n in names)])


def place_of(model: Model, foot: Foot) -> dict[str, Any]:
    """Where a force sensor sits in its link so that it reads in the sole's frame."""
    f = model.frame(foot.link)
    return {"offset": f.rotation.T @ (foot.position - f.position), "rotation": f.rotation.T @ foot.rotation}


def begin_estimate(b: Balance, model: Model, feet: tuple[Foot, Foot], period: float, q: np.ndarray) -> None:
    """Put the estimate at q, a state at rest with the weight on both feet; period [s]: of what comes."""
    state, figure = b.state, b.figure
    for f, foot in enumerate(feet):
        state.anchor.rows[f] = kinematics(model, q).position[foot.body]
    state.base[:], state.period = q[:3], period
    state.keep, figure.keep_load = np.exp(-2 * np.pi * np.array([CUT, FORCE_CUT]) * period)
    figure.heavy = model.mass * float(np.linalg.norm(model.gravity))
    b.feel.loads[:] = 0.5 * figure.heavy
