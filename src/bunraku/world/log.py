"""Log: the frames of a world while it steps, gathered inside the step (world.step_log) and read out ROOM at a time.

`sink(frames, events)` gets them – views, good until it returns – at the latest SECONDS after they were made as long as the world goes on.
Steps are the same with and without: bit for bit.
A world that is recorded may connect, cut, push; it may not get new figures or shapes, nor go back in time. Checked in
tests/world/test_recorder.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.collision.layout import PATCH, SHAPE_B
from bunraku.errors import InputError
from bunraku.world import models
from bunraku.world import step_log as of
from bunraku.world.events import Watch
from bunraku.world.frames import STATES, Frames
from bunraku.world.laststep import last_contacts
from bunraku.world.step import FREE, MOVE

if TYPE_CHECKING:
    from bunraku.world.world import World

ROOM = 512  # frames; fewer of a large world
NUMBERS = 2**20  # in all
SECONDS = 1.0
Event = dict[str, Any]
Sink = Callable[[Frames, list[Event]], None]


class Log:
    """See the module text. every: steps a frame; the state at the start is the first frame."""

    def __init__(self, world: World, sink: Sink, every: int = 1) -> None:
        world._prepare()
        self.world, self.sink, self.table, m = world, sink, world._table, world.model
        self.watch, self.last, self.when = Watch(world), world.time, time.monotonic()
        room = max(32, min(ROOM, NUMBERS // (m.nq + 2 * m.nv)))
        self.log = np.zeros(of.LOG_INTS, dtype=np.int64)
        self.log[of.EVERY] = every
        self.start, self.times, self.points = np.zeros(1), np.zeros(room), np.zeros((0, 3))
        self.q, self.v, self.torques = np.zeros((room, m.nq)), np.zeros((room, m.nv)), np.zeros((room, m.nv))
        self.count = np.zeros(room, dtype=np.int64)
        numbers = (of.LOG, of.LOG_START, of.LOG_TIME, of.LOG_Q, of.LOG_V, of.LOG_TORQUES, of.LOG_COUNT)
        arrays = (self.log, self.start, self.times, self.q, self.v, self.torques, self.count)
        for number, array in zip(numbers, arrays):
            self.table.put(number, array)
        self._make_room()
        self._first_frame()
        own = models.stages(world.contact, world.integrator)
        self.around = ((FREE, own[FREE]), (MOVE, own[MOVE]))
        self.table.plan(of.FIRST, own[FREE])
        self.table.plan(of.LAST, own[MOVE])
        self.table.plan(FREE, of.ahead)
        self.table.plan(MOVE, of.behind)

    def run(self, n: int) -> tuple[int, int]:
        """n steps, or fewer: (steps done, status), as the step itself says."""
        w = self.world
        if w._table is not self.table:
            raise InputError(
                "recording: a figure or shape was added meanwhile; end the recording first, then begin another."
            )
        if w.time < self.last - 0.5 * w.dt:
            raise InputError(
                f"recording: the world went back from {self.last:g} s to {w.time:g} s; end the recording before `restore`."
            )
        self.start[0], self.log[of.STEPS] = w.time, 0
        self.watch.look(w.time)
        if len(self.watch.breaks) != len(self.table.arrays[of.LOG_BREAKS]):
            self.table.put(of.LOG_BREAKS, self.watch.breaks)
        done = 0
        try:
            while True:
                k, status = w._run(n - done)
                done += k
                if status != of.LOG_FULL:
                    break
                self.read_out()
        except BaseException:  # the sink failed; the steps before it were made
            w.time += done * w.dt
            raise
        self.last = w.time + done * w.dt
        if self.watch.breaks.any():
            self.watch.look(w.time)
        if time.monotonic() - self.when > SECONDS and status >= 0:
            try:
                self.read_out()
            except BaseException:
                w.time += done * w.dt
                raise
        return done, status

    def leave(self) -> None:
        """Steps are logged no more."""
        for k, what in self.around:
            self.table.plan(k, what)

    def end(self) -> None:
        """Read out the rest."""
        self.watch.look(self.world.time)
        self.read_out()

    def read_out(self) -> None:
        """Give what there is to the sink, and make room."""
        n, p, m = (int(self.log[k]) for k in (of.FRAMES, of.PATCHES, of.POINTS))
        events = self.watch.taken()
        if n or events:
            arrays = self.times[:n], self.q[:n], self.v[:n], self.torques[:n], self.count[:n]
            self.sink(Frames(*arrays, self.patches[:p], self.normals[:p], self.points[:m], self.forces[:m]), events)
        self.log[[of.FRAMES, of.PATCHES, of.POINTS]] = 0
        self.when = time.monotonic()
        self._make_room()

    def _make_room(self) -> None:
        """Arrays for patches and points, larger than those of a step."""
        need = 8 * len(self.world._contacts.ids)
        if len(self.points) < need:
            rows = max(need, 8 * len(self.times))
            self.patches = np.zeros((rows, of.PATCH_COLUMNS), dtype=np.int64)
            self.normals, self.points, self.forces = (np.zeros((rows, 3)) for _ in range(3))
            self.table.put(of.LOG_PATCHES, self.patches)
            self.table.put(of.LOG_NORMALS, self.normals)
            self.table.put(of.LOG_POINTS, self.points)
            self.table.put(of.LOG_FORCES, self.forces)
        self.table.put(of.LOG_BREAKS, self.watch.breaks)

    def _first_frame(self) -> None:
        """The state at the start, with the forces of the step before it."""
        w, m = self.world, 0
        self.times[0], self.q[0], self.v[0], self.torques[0] = w.time, w.q, w.v, w.applied
        ids = last_contacts(w)[0]
        pairs = dict(zip(ids[::-1, PATCH].tolist(), ids[::-1, : SHAPE_B + 1].tolist()))  # a patch -> its shapes
        touching = [(pair, c) for pair, c in zip(reversed(pairs.values()), w.contacts) if len(c.region)]
        for p, (pair, c) in enumerate(touching):
            some = (c.gaps <= of.TOUCH) | (c.forces @ c.normal > of.PRESSING)
            n = int(some.sum())
            self.patches[p], self.normals[p] = (*pair, n, STATES.index(c.state)), c.normal
            self.points[m : m + n], self.forces[m : m + n] = c.points[some], c.forces[some]
            m += n
        self.count[0] = len(touching)
        self.log[[of.FRAMES, of.PATCHES, of.POINTS]] = 1, len(touching), m
