"""Trials of a figure on stage that may step: pushes from all sides, and drags of a hand as far as 1.5 m.

    largest_stage_pushes(choreography(), degrees)   the largest push [N s/kg] survived, one a direction
    far_drags(...)                                  what ends standing, how near the hand came, and how many steps

A push is a level force on the trunk for 0.1 s, F 0.1 s / mass [N s/kg]; survived: the figure stands `AFTER` s later.
The largest one is the end of the unbroken range from zero, to STEP. A drag: the left hand's target moves away in a
second, is held there for three, released; the hand's distance counts at the end of the hold, and whether the figure
stands `LATER` s after the release, on its soles, nearly at rest. Used by `bunraku bench choreography --pushes` and
`--drags`; checked in tests/bench/test_stage_trials.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.choreography.engine import Choreography
from bunraku.choreography.report import state_of
from bunraku.errors import BunrakuError
from bunraku_bench.drag_trials import NEAR, REST, directions

PUSH_SECONDS, AFTER, STEP, FIRST = 0.1, 4.0, 0.05, 0.3
FAR = (0.3, 0.6, 0.9, 1.2, 1.5)  # m
GO, HOLD, LATER = 1.0, 3.0, 3.0  # s


def stands(c: Choreography) -> str:
    """How it ended: "standing", "moving", "falling" or "fallen"."""
    state = state_of(c.dancers[0])
    if state == "standing" and np.linalg.norm(c.figure.momentum) / c.model.mass > REST:
        return "moving"
    return state


def push(c: Choreography, size: float, degrees: float, seconds: float = AFTER) -> str:
    """Push it now, and see how it ends."""
    a = np.radians(degrees)
    force = size * c.model.mass / PUSH_SECONDS * np.array([np.cos(a), np.sin(a), 0.0])
    trunk = "trunk" if c.world.stepper is None else c.world.stepper.humanoid.trunk
    c.world.push(c.figure[trunk], force.tolist(), PUSH_SECONDS)
    try:
        for _ in range(8):
            c.run(seconds / 8)
            if c.report.state == "fallen":
                return "fallen"
    except BunrakuError as error:
        return f"error: {error}"
    return stands(c)


def largest_stage_pushes(
    c: Choreography, degrees: Sequence[float], most: float = 2.0, progress: Callable[[float], None] | None = None
) -> list[float]:
    """The largest push of each direction."""
    c.run(0.3)
    start, out = c.snapshot(), []
    for k, a in enumerate(degrees):

        def survives(size: float, a: float = a) -> bool:
            c.restore(start)
            return push(c, size, a) in ("standing", "moving")

        good, bad = 0.0, FIRST
        while bad < most and survives(bad):
            good, bad = bad, bad + 0.2
        while bad - good > STEP:
            middle = 0.5 * (good + bad)
            good, bad = (middle, bad) if survives(middle) else (good, middle)
        out.append(good)
        if progress is not None:
            progress((k + 1) / len(degrees))
    c.restore(start)
    return out


@dataclass(frozen=True)
class FarDrag:
    """One drag: direction, distance [m], hand's distance from its target at the end of the hold and the least while it
    was held [m], steps while held and in all, how it ended."""

    direction: tuple[float, ...]
    distance: float
    reached: float
    nearest: float
    steps: int
    steps_in_all: int
    end: str

    @property
    def good(self) -> bool:
        """Ends standing and had the hand near its target while held."""
        return self.end == "standing" and self.reached <= NEAR


def far_drag(direction: np.ndarray, distance: float, hand: str = "left_hand", **options: Any) -> FarDrag:
    """One of them."""
    c = Choreography(**options)
    c.run(0.2)
    drag = c.drag(hand)
    start, reached, nearest, steps = drag.target.copy(), np.inf, np.inf, 0
    try:
        for k in range(50):
            drag.to(start + direction * distance * (k + 1) / 50)
            c.run(GO / 50)
        for _ in range(30):
            c.run(HOLD / 30)
            reached = c.violations[0].metres
            nearest = min(nearest, reached)
            if c.report.state == "fallen":
                break
        steps = int(c.world.step_state.taken)
        drag.release()
        c.run(LATER)
        end = stands(c)
    except BunrakuError as error:
        end = f"error: {error}"
    taken = int(c.world.step_state.taken)
    return FarDrag(tuple(map(float, direction)), distance, float(reached), float(nearest), steps, taken, end)


def far_drags(
    progress: Callable[[float], None] | None = None,
    ways: np.ndarray | None = None,
    distances: Sequence[float] = FAR,
    **options: Any,
) -> list[FarDrag]:
    """All directions and distances."""
    ways = directions() if ways is None else ways
    out = []
    for d in ways:
        for x in distances:
            out.append(far_drag(d, x, **options))
            if progress is not None:
                progress(len(out) / (len(ways) * len(distances)))
    return out
