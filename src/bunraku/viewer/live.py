"""A world that runs while it is watched: in real time, or faster or slower by a factor, in portions of a sixtieth of a
second.

A world that cannot keep up is shown as fast as it goes: time that it owes is dropped, and a portion ends after a
sixtieth of a second, so that commands are heard. Any earlier moment can be returned to, exactly, and gone on from: the
nearest snapshot before it (bunraku.viewer.past) is put back, and steps lead to it. `StepDiverged` and errors of
controllers pause it and become the sentence of its status. Checked in tests/viewer/test_live.py.
"""

from __future__ import annotations

import math
import time
from typing import Any

from bunraku.errors import InputError
from bunraku.viewer.messages import scene_message
from bunraku.viewer.past import Past
from bunraku.viewer.show import PERIOD, Show
from bunraku.viewer.world_frames import WorldFrames, connections_of
from bunraku.world.world import World

SLICE = 0.25 * PERIOD  # s of real time that one call of world.step is to take


class Live(Show):
    """See the module text. `steps` counts those done."""

    def __init__(
        self, world: World, *, title: str = "", playing: bool = True, speed: float = 1.0, wait: bool = False
    ) -> None:
        super().__init__(playing=playing, speed=speed, wait=wait)
        self.world, self.title, self.steps = world, title, 0
        self._frames = WorldFrames(world)
        self._model, self._past = world.model, Past(world.snapshot())
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
            self._frames, self._model = WorldFrames(self.world), self.world.model
            self._past = Past(self.world.snapshot())
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
        """n steps, unless something else is ordered before they are done; many of them are watched on their way. Back
        where n < 0."""
        if n < 0:
            self.go_to(self.world.time + n * self.world.dt)
        shown = time.perf_counter()
        while n > 0 and not self._stopped.is_set() and not self._orders:
            n -= self._some(n)
            if n > 0 and time.perf_counter() - shown > PERIOD and self._audience is not None:
                self._audience.publish("frame", self.frame())
                shown = time.perf_counter()

    def by_frames(self, n: int) -> None:
        """So many sixtieths of a second, in whole steps."""
        self.forward(n * max(1, round(PERIOD / self.world.dt)))

    def go_to(self, time: float) -> None:
        """Back to an earlier moment, or to the start where it is before that."""
        world = self.world
        if time > world.time + 0.5 * world.dt:
            raise InputError(f"seek: a live world has no future; it is at t={world.time:g} s, {time:g} s is to come.")
        half = 0.5 * world.dt
        snapshot = self._past.before(time + half)
        world.restore(snapshot)
        self._past.cut(snapshot.time + half)
        self._owed = 0.0
        self.forward(max(0, round((time - world.time) / world.dt)) if math.isfinite(time) else 0)

    def _some(self, most: int) -> int:
        """Steps for about SLICE, at most `most`; returns how many."""
        k = max(1, min(most, int(SLICE / self._cost))) if self._cost > 0 else 1
        began = time.perf_counter()
        self.world.step(k)
        self._cost = (time.perf_counter() - began) / k
        self.steps += k
        if self.goes_back:
            self._past.note(self.world.time, self.world.snapshot)
        return k
