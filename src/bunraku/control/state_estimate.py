"""Where a figure is, from its instruments alone: an IMU on the base, encoders at the joints, force sensors at the feet.

    attitude  base <- IMU;   joints <- encoders;   place: p = sum_f load_f (anchor_f - x_f),   p' = - sum_f load_f x_f'
x_f is the ankle of foot f by kinematics with the base at the origin, anchor_f the place where it came to stand, load_f
its share of the measured weight. A foot that lands is *fresh*: it has no say until it carries `balance_law.FIRM` of the
weight; its anchor is the estimate of that moment, its height drawn half-way to the one that was planned there, so that
small errors do not add up over a walk while a bump is still felt. Rates pass a first-order low pass (`CUT`), loads
another (`FORCE_CUT`). Computed in control.balance_kernel (`take_in`, `see`) and control.balance_law (`watch_feet`);
here are the sensors and the state. Nothing of the world's true state is read: what the rubber below the ankles does is
not known. World axes, SI units. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.control.balance_arrays import BalanceRoom
from bunraku.control.walking_plan import FootLike
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.kernel.record import flat
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
        self, world: World, figure: Figure, model: Model, feet: tuple[FootLike, FootLike], **options: dict[str, Any]
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


def place_of(model: Model, foot: FootLike) -> dict[str, Any]:
    """Where a force sensor sits in its link so that it reads in the sole's frame."""
    f = model.frame(foot.link)
    return {"offset": f.rotation.T @ (foot.position - f.position), "rotation": f.rotation.T @ foot.rotation}


class StateEstimate:
    """The estimate in the arrays of the law (bunraku.control.balance_arrays): what is `seen`; `load` (2) [N] of the
    feet, filtered; `pressure` (2, 2) inside each sole [m]; which foot is `fresh`, and the height `planned` for it."""

    def __init__(
        self, room: BalanceRoom, model: Model, feet: tuple[FootLike, FootLike], period: float, q: np.ndarray
    ) -> None:
        state, feel, figure = room.b.state, room.b.feel, room.b.figure
        self.numbers, self.seen = flat(state), room.b.seen
        self.load, self.pressure, self.fresh, self.planned = feel.loads, feel.felt.rows, feel.fresh, feel.planned
        for f, foot in enumerate(feet):
            state.anchor.rows[f] = kinematics(model, q).position[foot.body]
        state.base[:], state.period = q[:3], period
        state.keep, figure.keep_load = np.exp(-2 * np.pi * np.array([CUT, FORCE_CUT]) * period)
        figure.heavy = model.mass * float(np.linalg.norm(model.gravity))
        self.load[:] = 0.5 * figure.heavy

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        kept = {"state": self.numbers.tolist(), "load": self.load.tolist(), "pressure": self.pressure.tolist()}
        return {**kept, "fresh": [bool(x) for x in self.fresh], "planned": self.planned.tolist()}

    def restore(self, state: dict[str, Any]) -> None:
        """Put it back."""
        self.numbers[:], self.load[:], self.pressure[:] = state["state"], state["load"], state["pressure"]
        self.fresh[:], self.planned[:] = state["fresh"], state["planned"]
