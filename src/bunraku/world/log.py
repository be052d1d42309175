"""Log: the frames of a world while it steps, gathered inside the step (step.step_log) and read out ROOM at a time.

`sink(frames, events)` gets them – views, good until it returns, with the types of the file – at the latest SECONDS
after they were made as long as the world goes on. Steps are the same with and without: bit for bit. A world that is
recorded may connect, cut, push; it may not get new figures or shapes, nor go back in time. Checked in
tests/recording/test_recorder.py.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.errors import InputError
from bunraku.kernel.record import put, zeros
from bunraku.step.euler import FREE, MOVE
from bunraku.step.step_log import (
    FIRST,
    LAST,
    LOG_FULL,
    PRESSING,
    TOUCH,
    LogCorner,
    LogState,
    StepLog,
    ahead,
    behind,
    behind_precise,
)
from bunraku.world import contact_models as models
from bunraku.world.events import Watch
from bunraku.world.frames import LAYOUT, STATES, Frames, file_kind, tails
from bunraku.world.laststep import last_contacts

if TYPE_CHECKING:
    from bunraku.world.world import World

ROOM = 1536  # frames; fewer of a large world
NUMBERS = 2**20  # in all
SECONDS = 1.0
Event = dict[str, Any]
Sink = Callable[[Frames, list[Event]], None]


class Log:
    """See the module text. every: steps a frame; the state at the start is the first frame.

    precise: float64 instead of float32.
    """

    def __init__(self, world: World, sink: Sink, every: int = 1, precise: bool = False) -> None:
        world._prepare()
        self.world, self.sink, self.precise, self.table, m = world, sink, precise, world._table, world.model
        self.watch, self.last, self.when = Watch(world), world.time, time.monotonic()
        self.room, self.points = max(32, min(ROOM, NUMBERS // (m.nq + 2 * m.nv))), 0
        self.state = LogState()
        self.state.every = every
        self.log = put(StepLog(world._step), state=self.state, breaks=self.watch.breaks)
        self.arrays: dict[str, np.ndarray] = {}
        self._make_arrays("n", self.room)
        self._make_room()
        self._first_frame()
        self.enter()

    def enter(self) -> None:
        """Steps are logged from now on."""
        own = models.phases(self.world.contact, self.world.integrator)
        self.world._log = self
        self.table.plan(FIRST, own[FREE])
        self.table.plan(LAST, own[MOVE])
        self.table.plan(FREE, ahead)
        self.table.plan(MOVE, behind_precise if self.precise else behind)

    def leave(self) -> None:
        """Steps are logged no more."""
        self.world._log = None
        for k, before in ((FREE, FIRST), (MOVE, LAST)):
            self.table.plan(k, self.table.phases[before])

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
        self.state.start, self.state.steps = w.time, 0
        self.watch.look(w.time)
        if self.log.breaks is not self.watch.breaks:
            put(self.log, breaks=self.watch.breaks)
        done = 0
        try:
            while True:
                k, status = w._run(n - done)
                done += k
                if status != LOG_FULL:
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

    def end(self) -> None:
        """Read out the rest."""
        self.watch.look(self.world.time)
        self.read_out()

    def read_out(self) -> None:
        """Give what there is to the sink, and make room."""
        state, events = self.state, self.watch.taken()
        rows = {"n": slice(state.frames), "p": slice(state.patches), "m": slice(state.points)}
        if rows["n"].stop or events:
            self.sink(Frames(*[self.arrays[name][rows[axis]] for name, _, axis, _ in LAYOUT]), events)
        state.frames = state.patches = state.points = 0
        self.when = time.monotonic()
        self._make_room()

    def _make_room(self) -> None:
        """Arrays for patches and points, larger than those of a step."""
        need = 8 * len(self.world._contacts.ids)
        if self.points < need:
            self.points = need + 8 * self.room
            self._make_arrays("pm", self.points)
            put(self.log, corners=zeros(LogCorner, self.points))
        if self.log.breaks is not self.watch.breaks:
            put(self.log, breaks=self.watch.breaks)

    def _make_arrays(self, axes: str, rows: int) -> None:
        """Those along these axes: kernels see them as int64, Python as what they are."""
        more = tails(self.world.model.nq, self.world.model.nv)
        for name, kind, axis, tail in LAYOUT:
            if axis in axes:
                shape, of_file = (rows, *more[tail]), file_kind(kind, self.precise)
                count = math.prod(shape)
                plain = np.zeros(-(-count * of_file.itemsize // 8), dtype=np.int64)
                put(self.log, **{name: plain})
                self.arrays[name] = plain.view(of_file)[:count].reshape(shape)

    def _first_frame(self) -> None:
        """The state at the start, with the forces of the step before it."""
        w, to, m = self.world, self.arrays, 0
        to["times"][0], to["q"][0], to["v"][0], to["torques"][0] = w.time, w.q, w.v, w.applied
        last = last_contacts(w)
        shapes = zip(last.a[::-1].tolist(), last.b[::-1].tolist())
        pairs = dict(zip(last.patch[::-1].tolist(), shapes))  # a patch -> its shapes
        touching = [(pair, c) for pair, c in zip(reversed(pairs.values()), w.contacts) if len(c.region)]
        for p, (pair, c) in enumerate(touching):
            some = (c.gaps <= TOUCH) | (c.forces @ c.normal > PRESSING)
            n = int(some.sum())
            to["patches"][p], to["normal"][p] = (*pair, n, STATES.index(c.state)), c.normal
            to["points"][m : m + n], to["forces"][m : m + n] = c.points[some], c.forces[some]
            m += n
        to["patch_count"][0] = len(touching)
        self.state.frames, self.state.patches, self.state.points = 1, len(touching), m
