"""A world that runs while it is watched: in real time, or faster or slower by a factor, in portions of a sixtieth of a
second.

A world that cannot keep up is shown as fast as it goes: time that it owes is dropped, and a portion ends after a
sixtieth of a second, so that commands are heard. Only the start can be returned to (seek to it or before): it is a
snapshot. `StepDiverged` and errors of controllers pause it and become the sentence of its status. Checked in
tests/viewer/test_live.py.
"""

from __future__ import annotations

import time
from typing import Any

from bunraku.errors import InputError
from bunraku.viewer.messages import scene_message
from bunraku.viewer.show import PERIOD, Show
from bunraku.viewer.world_frames import WorldFrames, connections_of
from bunraku.world.world import World

SLICE = 0.25 * PERIOD  # s of real time that one call of world.step is to take


class Live(Show):
    """See the module text. `steps` counts those done."""

    def __init__(self, world: World, *, title: str = "", playing: bool = True, speed: float = 1.0) -> None:
        super().__init__(playing=playing, speed=speed)
        self.world, self.title, self.steps = world, title, 0
        self._frames = WorldFrames(world)
        self._model, self._start = world.model, world.snapshot()
        self._owed, self._cost = 0.0, 0.0  # s of simulated time; s of real time a step
        self._held = connections_of(world)

    @property
    def time(self) -> float:
        """The world's time [s]."""
        return self.world.time

    @property
    def duration(self) -> float | None:
        """It has no end."""
        return None

    def scene(self) -> dict[str, Any]:
        """The scene message."""
        return scene_message(self.world, self.title)

    def frame(self) -> bytes:
        """The world as it stands; where figures have changed a scene message goes first, else changed connections."""
        held, other = connections_of(self.world), self.world.model is not self._model
        if other:
            sequence = self._frames.sequence
            self._frames, self._model, self._start = WorldFrames(self.world), self.world.model, self.world.snapshot()
            self._frames.sequence = sequence
        if other and self._audience is not None:
            self._audience.publish("scene", self.scene())
        elif held != self._held and self._audience is not None:
            self._audience.publish("connections", {"type": "connections", "connections": held})
        self._held = held
        return self._frames.frame()

    def advance(self, seconds: float) -> bool:
        """Step by some simulated time, or as far as a sixtieth of a second reaches."""
        self._owed += seconds
        n = int(self._owed / self.world.dt)
        self._owed -= n * self.world.dt
        began, done = time.perf_counter(), 0
        while done < n:
            if time.perf_counter() - began > PERIOD:
                self._owed = 0.0
                break
            done += self._some(n - done)
        return done > 0

    def forward(self, n: int) -> None:
        """n steps, unless something else is ordered before they are done; many of them are watched on their way."""
        shown = time.perf_counter()
        while n > 0 and not self._stopped.is_set() and not self._orders:
            n -= self._some(n)
            if n > 0 and time.perf_counter() - shown > PERIOD and self._audience is not None:
                self._audience.publish("frame", self.frame())
                shown = time.perf_counter()

    def go_to(self, time: float) -> None:
        """Back to the start; no other time is kept."""
        if time > self._start.time + 0.5 * self.world.dt:
            raise InputError(f"seek: a live world keeps no past; only its start, t={self._start.time:g} s, is known.")
        self.world.restore(self._start)
        self._owed = 0.0

    def _some(self, most: int) -> int:
        """Steps for about SLICE, at most `most`; returns how many."""
        k = max(1, min(most, int(SLICE / self._cost))) if self._cost > 0 else 1
        began = time.perf_counter()
        self.world.step(k)
        self._cost = (time.perf_counter() - began) / k
        self.steps += k
        return k
