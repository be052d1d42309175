"""The steps of a walk from standing to standing: how fast each one is, so that the walk goes as far as it is told.

Speeds change by no more than `FASTER` from step to step, from that of the start to the one asked for and back to that of
the stop: with n steps, step k is between two tents, whose sides rise from the speed before the first step and after the last
one, and as near the speed asked for as that allows. Of all n the walk of so many metres takes the one that goes there at
the speed asked for, by rising more slowly; where that is not enough, at the nearest speed that does. Whole steps cannot go
everywhere within the first 1.8 m: then the walk ends as near as they can, and `planned_metres` says where. Checked in
tests/gaits/test_stride_plan.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bunraku.gaits.gait_library import TURNING, check_speed, gait_at, speeds_of
from bunraku.model.body_2000 import HEIGHT

FASTER = 0.2  # m/s that a step is faster or slower than the one before it, for a figure of 1.7 m
GENTLE = 0.25  # of that: what it is at least, where a walk rises more slowly to end where it should
TURN = np.radians(15.0)  # most of a turn in one step
HALVINGS = 32  # of an interval, in search of a speed
NEAR = 1e-6  # m: as far as asked


@dataclass(frozen=True)
class Leg:
    """A part of a walk: metres at a speed [m/s], or a number of steps; or a turn to the left [rad]."""

    speed: float
    metres: float | None = None
    steps: int | None = None
    turn: float = 0.0


@dataclass(frozen=True)
class Stride:
    """One planned step: kind of it, its speed [m/s], how far it turns to the left [rad]."""

    kind: str
    speed: float
    turn: float = 0.0


def strides(legs: Sequence[Leg], height: float = HEIGHT) -> list[Stride]:
    """The steps of a walk of a figure of some height [m] from standing to standing."""
    scale = float(np.sqrt(height / HEIGHT))
    home = TURNING * scale
    out, speed = [Stride("start", home)], home
    spare = step_length(home, height)  # m walked beyond what the legs so far asked for
    for i, leg in enumerate(legs):
        goal, last = check_speed(leg.speed, height), i == len(legs) - 1
        if leg.turn:
            for part in turns(leg.turn):
                speed = towards(goal, speed, FASTER * scale)
                out.append(Stride("step", speed, part))
            continue
        way = Way(height, speed, goal, last)
        if leg.metres is None:
            own = max((leg.steps or 0) - (i == 0) - last, way.fewest)
            speeds, spare = way.speeds(own, goal, FASTER, way.short_of(goal)), 0.0
        else:
            speeds = way.over(leg.metres - spare)
            spare += sum(step_length(x, height) for x in speeds) - leg.metres
        out += [Stride("step", x) for x in speeds]
        speed = speeds[-1] if speeds else speed
    while abs(speed - home) > FASTER * scale + 1e-9:
        speed = towards(home, speed, FASTER * scale)
        out.append(Stride("step", speed))
    return [*out, Stride("stop", home)]


def planned_metres(planned: Sequence[Stride], height: float = HEIGHT) -> float:
    """How far planned steps go along their way [m]; the one that stops puts the feet side by side."""
    return sum(step_length(s.speed, height) for s in planned if s.kind != "stop")


def turns(angle: float) -> list[float]:
    """A turn [rad] in parts of one step each."""
    many = int(np.ceil(abs(angle) / TURN - 1e-9))
    return [angle / many] * many if many else []


def towards(goal: float, speed: float, most: float) -> float:
    """The next speed on the way to another, which changes it by `most` at the most."""
    return speed + float(np.clip(goal - speed, -most, most))


@lru_cache(maxsize=4096)
def step_length(speed: float, height: float) -> float:
    """Of a step [m]."""
    return gait_at(speed, height).plan.length


@dataclass(frozen=True)
class Way:
    """A leg of a walk: of a figure of some height [m], from a speed to a goal [m/s]; `last`: a stop follows."""

    height: float
    speed: float
    goal: float
    last: bool

    @property
    def scale(self) -> float:
        """Of speeds, from a figure of 1.7 m."""
        return float(np.sqrt(self.height / HEIGHT))

    @property
    def fewest(self) -> int:
        """How many steps it takes to brake from the speed before it."""
        beyond = abs(self.speed - TURNING * self.scale) / (FASTER * self.scale)
        return max(int(np.ceil(beyond - 1e-9)) - 1, 0) if self.last else 0

    def short_of(self, goal: float) -> float:
        """What is left above the stop's speed where braking from the goal goes in whole parts of `FASTER` [m/s at 1.7 m]."""
        beyond = abs(goal / self.scale - TURNING)
        return beyond - FASTER * max(int(np.ceil(beyond / FASTER - 1e-9)) - 1, 0)

    def speeds(self, count: int, goal: float, rate: float, end: float = FASTER) -> list[float]:
        """Those of so many steps: near a goal, changed by no more than `rate` from step to step, the last one no more
        than `end` above or below that of the stop [m/s, those two of a figure of 1.7 m]."""
        k, home = np.arange(1, count + 1), TURNING * self.scale
        room = rate * self.scale * k
        low, high = self.speed - room, self.speed + room
        if self.last:
            room = (end + rate * (count - k)) * self.scale
            low, high = np.maximum(low, home - room), np.minimum(high, home + room)
        return np.minimum(np.maximum(goal, low), high).tolist()

    def over(self, metres: float) -> list[float]:
        """Those of the steps that go so far [m]: one step fewer than go farther at the goal's speed, or as many."""
        count = max(self.fewest, round(metres / step_length(self.goal, self.height)))
        while self.far(self.speeds(count, self.goal, FASTER)) < metres:
            count += 1
        while count > self.fewest and self.far(self.speeds(count - 1, self.goal, FASTER)) >= metres:
            count -= 1
        ways = [way for n in (count, count - 1) if n >= self.fewest for way in self.nearest(n, metres)]
        return min(ways, key=lambda x: (max(abs(self.far(x) - metres) - NEAR, 0.0), self.slip(x)))

    def slip(self, speeds: Sequence[float]) -> float:
        """How far steps are from the goal's speed: few that are far from it count less than all a little."""
        return sum(abs(x - self.goal) ** 0.5 for x in speeds)

    def nearest(self, count: int, metres: float) -> tuple[list[float], list[float]]:
        """Speeds of so many steps that go as nearly so far as they can: by gentler changes, and by another goal."""
        if not count:
            return [], []
        brakes = (abs(self.speed / self.scale - TURNING) - FASTER) / count if self.last else 0.0
        gently = lambda x: self.speeds(count, self.goal, x)  # noqa: E731
        rate = halved(lambda x: self.far(gently(x)) - metres, max(GENTLE * FASTER, brakes), FASTER)
        evenly = lambda x: self.speeds(count, x, FASTER)  # noqa: E731
        goal = halved(lambda x: self.far(evenly(x)) - metres, *speeds_of(self.height))
        return gently(rate), evenly(goal)

    def far(self, speeds: Sequence[float]) -> float:
        """The sum of the lengths of steps [m]."""
        return sum(step_length(x, self.height) for x in speeds)


def halved(f: Callable[[float], float], low: float, high: float) -> float:
    """Where f, which rises or falls all the way, is zero; the nearer end where it is nowhere."""
    left, right = f(low), f(high)
    if left * right > 0:
        return low if abs(left) < abs(right) else high
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if f(middle) * left > 0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
