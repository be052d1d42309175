"""Steps that were not done as planned: where a foot landed far from where the one before it was to bring it.

    for step in missed_steps(model, q, loads, pattern, landings): step.number, step.short, step.limits

A walker that cannot reach a footstep - too long for its legs at that pace, or it had to catch itself - goes on from
where it landed. So a step is judged by itself: its way, from the foot that stands to the one that lands, in the frame
of the standing sole, against that of the pattern. It was missed where the two differ by more than `MISSED`. Joints that
came to a limit then, within `NEAR` of their range's width, say why. World axes, m, s, rad; sides (left, right)
= (0, 1). Checked in tests/walking/test_missed_steps.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.humanoid.foot_loads import FootLoads
from bunraku.model.model import Model
from bunraku.walking.landings import STAYS
from bunraku.walking.walking_pattern import WalkingPattern

MISSED = 0.05  # m between the way of a step and the planned one
NEAR = 0.03  # of a joint's range: the stabiliser keeps that far away
SWING = 1.0  # s before a landing in which limits are looked for: this step and the one before


@dataclass(frozen=True)
class MissedStep:
    """The `number`-th step (from 1) that landed at `time` [s] with its `side`: how far ahead and to the left of its
    planned way it went (2) [m], and the joints that were at a limit."""

    number: int
    time: float
    side: int
    off: tuple[float, float]
    limits: tuple[str, ...]

    @property
    def distance(self) -> float:
        """m from where it was to land."""
        return float(np.hypot(*self.off))

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        side = ("left", "right")[self.side]
        return {
            "step": self.number,
            "time_s": self.time,
            "side": side,
            "off_m": list(self.off),
            "limits": list(self.limits),
        }

    def __str__(self) -> str:
        ahead, left = self.off
        ways = [
            (abs(ahead), "too far" if ahead > 0 else "short"),
            (abs(left), "too far left" if left > 0 else "too far right"),
        ]
        much, how = max(ways)
        reached = " and ".join(name.replace("_", " ") for name in self.limits)
        why = f", {reached} at {'their limits' if len(self.limits) > 1 else 'its limit'}" if self.limits else ""
        return f"step {self.number} ({('left', 'right')[self.side]}) {100 * much:.0f} cm {how}{why}"


def missed_steps(
    model: Model, q: np.ndarray, loads: FootLoads, pattern: WalkingPattern, landings: Sequence[tuple[float, int]]
) -> tuple[MissedStep, ...]:
    """Of the landings (time, side), as long as they come in the order of the pattern's; q: rows of the loads' times."""
    contact = np.asarray(pattern.contact)
    planned = sorted(
        (int(k) + 1, side) for side in (0, 1) for k in np.flatnonzero(~contact[:-1, side] & contact[1:, side])
    )
    place, turn = np.asarray(pattern.sole_position), np.asarray(pattern.sole_rotation)
    out: list[MissedStep] = []
    for number, ((time, side), (row, other)) in enumerate(zip(landings, planned), start=1):
        if side != other:
            break
        now = min(int(np.searchsorted(loads.times, time + STAYS)), len(loads.times) - 1)
        done = way_of(loads.position[now], loads.rotation[now], side)
        off = done - way_of(place[row], turn[row], side)
        if np.hypot(*off) > MISSED:
            swing = (loads.times > time - SWING) & (loads.times <= time)
            out.append(MissedStep(number, time, side, (float(off[0]), float(off[1])), at_limits(model, q[swing])))
    return tuple(out)


def way_of(place: np.ndarray, turn: np.ndarray, side: int) -> np.ndarray:
    """(2,): from the standing sole to the other one, ahead and left of the standing one; place (2, 3), turn (2, 3, 3)."""
    ahead = turn[1 - side, :2, 0] / np.linalg.norm(turn[1 - side, :2, 0])
    apart = (place[side] - place[1 - side])[:2]
    return np.array([apart @ ahead, ahead[0] * apart[1] - ahead[1] * apart[0]])


def at_limits(model: Model, q: np.ndarray) -> tuple[str, ...]:
    """Hinges and sliders that come within NEAR of an end of their range in rows q."""
    found: list[str] = []
    for j in model.joints:
        if j.nv != 1 or not j.ranged or not len(q):
            continue
        low, high = float(model.lower[j.iv]), float(model.upper[j.iv])
        near = NEAR * (high - low)
        if np.isfinite(near) and (q[:, j.iq].min() < low + near or q[:, j.iq].max() > high - near):
            found.append(j.name)
    return tuple(found)
