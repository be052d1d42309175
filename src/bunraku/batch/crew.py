"""The threads of a batch: each has the scratch of one World and steps worlds with it, a few at a time.

Worlds are handed out in small groups, so that threads end together; which thread takes which group changes nothing, as
scratch is never read before it is written. Kernels leave Python free while they run. Checked in tests/batch/.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bunraku.batch.batch_arrays import Batch
from bunraku.batch.batch_kernel import run_worlds
from bunraku.batch.twin import twin
from bunraku.collision.shape_layout import FULL
from bunraku.kernel.record import flat, handle
from bunraku.world import contact_models as models
from bunraku.world.room import Room
from bunraku.world.stopped import make_room
from bunraku.world.world import World

GROUP = 32  # worlds at a time, at the most
TURNS = 4  # groups of each thread, at the least


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Crew:
    """See the module text."""

    def __init__(self, world: World, threads: int) -> None:
        self.world, self.threads = world, threads
        self.hands = [twin(world)]
        self._pool: ThreadPoolExecutor | None = None

    def work(self, batch: Batch, chosen: np.ndarray) -> None:
        """Do the steps that are left of the chosen worlds."""
        size = max(1, min(GROUP, -(-len(chosen) // (TURNS * self.threads)) if self.threads > 1 else GROUP))
        groups = deque(np.ascontiguousarray(chosen[k : k + size]) for k in range(0, len(chosen), size))
        used = min(self.threads, len(groups))
        while len(self.hands) < used:
            self.hands.append(self._another())
        if used <= 1:
            _until_empty(self.hands[0], batch, groups)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, "bunraku-worlds")
        doing = [self._pool.submit(_until_empty, hand, batch, groups) for hand in self.hands[:used]]
        for one in doing:
            one.result()

    def grow(self, status: int, info: np.ndarray) -> None:
        """Room in all hands for what a world's step, which left `info`, found too small; StepDiverged beyond what a
        machine can hold."""
        for hand in self.hands:
            flat(hand._info)[:] = info.reshape(-1)
            make_room(hand, status)

    def hold(self, contacts: int) -> None:
        """Room for so many contacts in all hands."""
        for hand in self.hands:
            while len(hand._contacts.ids) < contacts:
                make_room(hand, FULL)

    @property
    def contacts(self) -> int:
        """How many contacts the hands have room for."""
        return len(self.hands[0]._contacts.ids)

    def _another(self) -> World:
        """One more, with as much room as the others."""
        new, first = twin(self.world), self.hands[0]
        while len(new._contacts.ids) < self.contacts:
            make_room(new, FULL)
        if len(new._contacts.pairs) < len(first._contacts.pairs):
            new._contacts.pairs = np.zeros_like(first._contacts.pairs)
            new._contacts.put_into(new._step.detection)
        asked = first._room
        room = Room(
            new._room.model, new._step, new._room.large, rows=asked.rows, pool=asked.pool, entries=asked.entries
        )
        new._room = models.furnish_contact(new.contact, room)
        return new

    def close(self) -> None:
        """End the threads; they come back when there is work."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _until_empty(hand: World, batch: Batch, groups: deque[np.ndarray]) -> None:
    """Take groups of worlds as long as there are some."""
    table, address = handle(hand._step), handle(batch)
    while True:
        try:
            group = groups.popleft()
        except IndexError:
            return
        run_worlds.call(table, address, group)
