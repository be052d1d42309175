"""Gains of a choreography: how briskly links follow pins and drags, what counts before what, how balance is kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from bunraku.choreography.dance_arrays import DanceGains
from bunraku.errors import InputError
from bunraku.kernel.record import flat, load


@dataclass(frozen=True)
class Gains:
    """Numbers of bunraku.choreography.feedback and bunraku.choreography.balance. Rates and gains [1/s], speeds [m/s],
    pulls [m/s^2], stiffness [1/s^2], damping [1/s]; weights are those of squared accelerations, of forces [1/N^2];
    patience: iterations of the whole-body problem at most; cone_penalty: see control.whole_body_solve; friction_part:
    how much of the floor's friction choreography.dance_step counts on."""

    pin_rate: float = 15.0
    pin_gain: float = 30.0
    pin_speed: float = 1.0
    pin_pull: float = 40.0
    drag_rate: float = 8.0
    drag_gain: float = 20.0
    drag_speed: float = 1.0
    drag_pull: float = 8.0
    pose_stiffness: float = 40.0
    pose_damping: float = 12.6
    pose_weight: float = 1.0
    contact_weight: float = 1e6
    balance_gain: float = 1.5
    balance_weight: float = 1e4
    spin_gain: float = 3.0
    spin_weight: float = 10.0
    inert_weight: float = 1e2
    force_weight: float = 1e-4
    friction_part: float = 0.9
    patience: float = 30.0
    cone_penalty: float = 0.03

    def numbers(self) -> np.ndarray:
        """All, as the kernels read them (choreography.dance_arrays.DanceGains)."""
        out = flat(load(DanceGains(), asdict(self)))
        if not np.all(np.isfinite(out)) or np.any(out < 0):
            raise InputError("choreography: gains must be finite numbers of 0 or more.")
        return out
