"""The numbers of bunraku.choreography.stepping, for any figure with two feet: lengths grow with its legs, times with
their root."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from bunraku.choreography.stepping_arrays import StepGains as Numbers
from bunraku.kernel.record import flat, load

LEG = 0.8347  # m: that of human(), for which the numbers are given
LENGTHS = ("beyond", "clear", "ahead", "back", "wide", "stride", "aside", "margin", "lift_error", "trigger")


@dataclass(frozen=True)
class StepGains:
    """Lengths [m] of a figure of 1.7 m, times [s], angles [rad], weights as those of bunraku.choreography.gains.Gains.

    quick, slow: a swing; trigger: the capture point outside the soles; beyond: a quick step goes so much farther than
    where it will be; clear: height of a swing; ahead, back, wide: farthest quick step; near: nearest to the other foot,
    in parts of `apart`; stride, aside: farthest slow one; turn_out, turn_in: a slow step's; far, enough: parts of a
    limb's length beyond which a drag asks for steps, and at which they end; swing_weight, upright_weight,
    height_weight; margin of the pressure from the edges; legs: what is left of the weight of the legs' desired values;
    shift_gain; lift_error of the capture point with which a slow swing may begin; drag_part: what is left of the weight
    of what is dragged."""

    quick: float = 0.28
    slow: float = 0.42
    trigger: float = 0.0
    beyond: float = 0.03
    clear: float = 0.05
    ahead: float = 0.65
    back: float = 0.55
    near: float = 0.88
    wide: float = 0.65
    stride: float = 0.42
    aside: float = 0.40
    turn_out: float = 0.7
    turn_in: float = 0.25
    far: float = 1.08
    enough: float = 0.88
    swing_weight: float = 1000.0
    upright_weight: float = 100.0
    height_weight: float = 1e3
    margin: float = 0.008
    legs: float = 0.1
    shift_gain: float = 2.5
    lift_error: float = 0.04
    drag_part: float = 0.2
    crouch: float = 0.0

    def numbers(self, leg: float, apart: float) -> np.ndarray:
        """As the kernels read them, for a figure with legs so long [m] and feet so far apart [m]."""
        size = leg / LEG
        out = asdict(self)
        for name in LENGTHS:
            out[name] *= size
        out["near"] *= apart
        out["quick"] *= size**0.5
        out["slow"] *= size**0.5
        return flat(load(Numbers(), {**out, "size": size, "apart": apart}))
