"""Where a figure is, from its instruments alone: an IMU on the base, encoders at the joints, force sensors at the feet.

    attitude  base <- IMU;   joints <- encoders;   place: p = sum_f load_f (anchor_f - x_f),   p' = - sum_f load_f x_f'
x_f is the ankle of foot f by kinematics with the base at the origin, anchor_f the place where it came to stand, load_f its share of the
measured weight. A foot that lands is *fresh*: it has no say until it carries `FIRM` of the weight; its anchor is the estimate of that moment,
its height drawn half-way to the one that was planned there, so that small errors do not add up over a walk while a bump is still felt.
Rates pass a first-order low pass (`CUT`). Nothing of the world's true state is read: what the rubber below the ankles does is not known here.
World axes, SI units. Checked in tests/control/test_stabiliser.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.control.balance_arrays import (
    ANCHOR,
    B_SEEN,
    B_STATE,
    BASE,
    BODY_SIZE,
    KEEP,
    OF_BODY,
    OF_SOLE,
    PERIOD,
    SHARE,
    BalanceRoom,
)
from bunraku.control.balance_kernel import see
from bunraku.control.walking_plan import FootLike
from bunraku.control.whole_body_arrays import W_Q, W_V
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.model.model import Model

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.world import World

CUT = 40.0  # Hz, of the base's velocity
FORCE_CUT = 30.0  # Hz, of the measured loads
FIRM = 0.4  # of the weight, with which a foot that landed is taken as firm


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
            world.add_sensor("force_torque", at=figure[f.link], **place_of(model, f), **options.get("force_torque", {}))
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
    """`seen` (bunraku.control.balance_arrays) after `update`; load (2) [N] of the feet, filtered; pressure (2, 2) inside each sole [m]."""

    def __init__(
        self, instruments: Instruments, room: BalanceRoom, model: Model, feet: tuple[FootLike, FootLike], period: float,
        q: np.ndarray,
    ) -> None:  # fmt: skip
        self.instruments, self.handle = instruments, room.table.handle
        self.q, self.v, self.s, self.seen = room.w[W_Q], room.w[W_V], room.w[B_STATE], room.w[B_SEEN]
        k = kinematics(model, q)
        self.s[ANCHOR : ANCHOR + 6] = k.position[[f.body for f in feet]].ravel()
        self.s[BASE : BASE + 3], self.s[PERIOD] = q[:3], period
        self.s[KEEP] = np.exp(-2 * np.pi * CUT * period)
        self.keep_force = float(np.exp(-2 * np.pi * FORCE_CUT * period))
        self.weight = model.mass * float(np.linalg.norm(model.gravity))
        self.load = np.full(2, 0.5 * self.weight)
        self.pressure = np.zeros((2, 2))
        self.fresh, self.planned = [False, False], [0.0, 0.0]

    def update(self, standing: np.ndarray) -> None:
        """Read the instruments; `standing` (2): which feet are at their anchors."""
        i, q, v = self.instruments, self.q, self.v
        attitude, coders = i.imu.read("gyro", "orientation"), i.encoders.read()
        q[3:7], v[3:6] = attitude["orientation"], attitude["gyro"]
        q[i.iq], v[i.iv] = coders["position"], coders["velocity"]
        for side, sensor in enumerate(i.feet):
            wrench = sensor.read()
            force, torque = wrench["force"], wrench["torque"]
            if force[2] < -1.0:
                self.pressure[side] = -torque[1] / force[2], torque[0] / force[2]
            self.load[side] += (1.0 - self.keep_force) * (max(-force[2], 0.0) - self.load[side])
            firm = standing[side] and (not self.fresh[side] or not standing[1 - side])
            self.s[SHARE + side] = max(self.load[side], 0.02 * self.weight) if firm else 0.0
        see.call(self.handle)

    def land(self, side: int, height: float) -> None:
        """A foot stands from now on; `height` [m] was planned for its sole."""
        self.fresh[side], self.planned[side] = True, height

    def firm(self, side: int, standing: np.ndarray) -> bool:
        """Whether a fresh foot became firm now: its anchor is where it is."""
        if not self.fresh[side] or (self.load[side] < FIRM * self.weight and standing[1 - side]):
            return False
        self.s[ANCHOR + 3 * side : ANCHOR + 3 * side + 3] = self.seen[OF_BODY + BODY_SIZE * side :][:3]
        self.s[ANCHOR + 3 * side + 2] += 0.5 * (self.planned[side] - self.seen[OF_SOLE + 6 * side + 2])
        self.fresh[side] = False
        return True

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        kept = {"state": self.s.tolist(), "load": self.load.tolist(), "pressure": self.pressure.tolist()}
        return {**kept, "fresh": list(self.fresh), "planned": [float(x) for x in self.planned]}

    def restore(self, state: dict[str, Any]) -> None:
        """Put it back."""
        self.s[:], self.load[:], self.pressure[:] = state["state"], state["load"], state["pressure"]
        self.fresh, self.planned = [bool(x) for x in state["fresh"]], [float(x) for x in state["planned"]]
