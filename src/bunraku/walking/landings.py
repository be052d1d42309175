"""How feet come down: touches before a landing, and the force of each landing.

    for landing in landings(loads): landing.time, landing.side, landing.peak, landing.mean_peak, landing.touches

A foot that lands touches the ground once and stays. It *stands* while its upward force is above `TOUCHES` of the weight
for `STAYS` or longer; a shorter time above it is a *touch*: the foot hit the ground and came off again, whether it
bounced before it stood or scuffed in its swing. Force of a landing: the largest upward one in its first STAYS, as it
is in a step of the world (1 ms: at the rigid edge of a sole that is an impulse of the contact solver, and grows as the
step shrinks) and as the largest mean over `MEAN`, which is the force a plate would show. Shares of the weight; s;
sides (left, right) = (0, 1). Checked in tests/walking/test_landings.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.humanoid.foot_loads import FootLoads, runs

TOUCHES = 0.02  # of the weight
STAYS = 0.08  # s: a shorter contact is a touch
MEAN = 0.005  # s: over which forces are averaged


@dataclass(frozen=True)
class Touch:
    """A short contact: when it begins and ends [s], its largest force in a step, of the weight."""

    begin: float
    end: float
    peak: float


@dataclass(frozen=True)
class Landing:
    """One foot that comes down: when it stands [s], the largest force of its first STAYS in a step and as a mean over
    MEAN, and what it touched before."""

    time: float
    side: int
    peak: float
    mean_peak: float
    touches: tuple[Touch, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        touches = [{"begin_s": t.begin, "end_s": t.end, "peak": t.peak} for t in self.touches]
        side = ("left", "right")[self.side]
        return {"time_s": self.time, "side": side, "peak": self.peak, "mean_peak": self.mean_peak, "touches": touches}


def landings(loads: FootLoads, until: float | None = None, threshold: float = TOUCHES) -> tuple[Landing, ...]:
    """Every landing, in the order of time, that begins before `until` [s] (a fall) and that the loads show for STAYS;
    threshold: of the weight, what counts as touching."""
    out: list[Landing] = []
    t, last = loads.times, np.inf if until is None else until
    for side in (0, 1):
        force = np.maximum(loads.force[:, side, 2], 0.0) / loads.weight
        smooth = mean_force(force, t)
        short: list[Touch] = []
        for a, b in runs(force > threshold):
            end = float(t[b - 1] + t[1] - t[0])
            if t[a] >= last or (b == len(t) and end - t[a] < STAYS):
                break
            if end - t[a] < STAYS:
                short.append(Touch(float(t[a]), end, float(force[a:b].max())))
                continue
            if a > 0:
                first = slice(a, int(np.searchsorted(t, t[a] + STAYS)))
                out.append(
                    Landing(float(t[a]), side, float(force[first].max()), float(smooth[first].max()), tuple(short))
                )
            short = []
    return tuple(sorted(out, key=lambda x: x.time))


def mean_force(force: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Mean of the last MEAN at each time, or of what there is of it, of evenly spaced rows."""
    if len(times) < 2:
        return force
    n = max(1, round(MEAN / float(np.median(np.diff(times)))))
    total = np.concatenate([np.zeros(n), np.cumsum(force)])
    return (total[n:] - total[:-n]) / np.minimum(np.arange(1, len(force) + 1), n)
