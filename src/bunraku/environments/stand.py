"""Stand: stay on one's feet when shoved.

Once an episode, at a time between 0.2 and 2 s, the trunk is pushed for 0.1 s in a direction of chance, so that the
figure would gain up to `shove` [m/s] as a whole.

    observed   up (3), height [m], velocity [m/s] and turning [rad/s] of the base in its own axes, joints [rad or m from
               rest], their rates, the last action
    rewarded   alive: 1; upright: the base's z against the world's, less 1; effort: -0.05 mean square of the action
    fell       base lower than 0.7 of what it was, or leaning by more than 60 degrees

Checked in tests/environments/test_stand.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bunraku.environments.base_motion import up, velocity
from bunraku.environments.task import DT, STEPS, Task
from bunraku.errors import InputError

PUSHED = 0.1  # s
EARLIEST, LATEST = 0.2, 2.0  # s
LOW, LEAN = 0.7, math.cos(math.radians(60.0))
EFFORT = 0.05


class Stand(Task):
    """See the module text."""

    def __init__(self, n: int, *, shove: float = 1.2, **options: Any) -> None:
        if not (math.isfinite(shove) and shove >= 0):
            raise InputError(f"Stand: shove {shove!r} is not a speed of 0 or more.")
        super().__init__(n, **options)
        figure = self.worlds.figures[0]
        self.link = figure[self.model.links[0].name]
        self.shove, self.mass = float(shove), float(figure.model.mass)
        self.due = np.zeros(n, dtype=np.int64)
        self.force = np.zeros((n, 3))

    def begins(self, chosen: np.ndarray) -> None:
        u = self.worlds.uniform(3, chosen)
        self.due[chosen] = np.floor((EARLIEST + (LATEST - EARLIEST) * u[:, 0]) / (DT * STEPS)).astype(np.int64)
        newtons, angle = self.mass * self.shove * u[:, 1] / PUSHED, 2.0 * np.pi * u[:, 2]
        self.force[chosen] = np.stack([newtons * np.cos(angle), newtons * np.sin(angle), 0.0 * angle], axis=1)

    def acts(self, chosen: np.ndarray) -> None:
        now = chosen[(self.due[chosen] == self.ticks[chosen]) & (self.shove > 0)]
        if len(now):
            self.worlds.push(now, self.link, self.force[now], PUSHED)

    def terms(self) -> dict[str, np.ndarray]:
        q, v = self.worlds.q, self.worlds.v
        return {
            "up": up(q),
            "height": q[:, 2:3],
            "velocity": velocity(q, v),
            "turning": v[:, 3:6],
            "joints": self.pose.read(q),
            "rates": v[:, self.pose.rates],
            "last action": np.nan_to_num(self.actions),
        }

    def rewards(self) -> dict[str, np.ndarray]:
        action = np.nan_to_num(self.actions)
        effort = np.zeros(self.n)
        for column in action.T:
            effort += column * column
        return {
            "alive": np.ones(self.n),
            "upright": up(self.worlds.q)[:, 2] - 1.0,
            "effort": -EFFORT * effort / action.shape[1],
        }

    def fell(self) -> np.ndarray:
        q = self.worlds.q
        return (q[:, 2] < LOW * self.height) | (up(q)[:, 2] < LEAN)
