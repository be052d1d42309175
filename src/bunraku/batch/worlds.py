"""Worlds: many worlds of one scene, stepped together on all cores.

A world of a batch is its state, 12 to 20 kB; scratch belongs to a thread. One kernel does all steps of a group of worlds
without a word of Python (bunraku.batch.batch_kernel), threads take groups (bunraku.batch.crew). A world's result depends
on nothing but itself, to the last bit: not on its neighbours, its place, the size of the batch or the number of threads.
Checked in tests/batch/.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.batch import chance
from bunraku.batch.batch_arrays import Batch
from bunraku.batch.crew import Crew, cores
from bunraku.batch.masks import Mask, chosen_of, index_of
from bunraku.batch.push_places import Pushes
from bunraku.batch.ranges import OWN_DRAWS, RANDOMISED, Ranges, checked, drawn
from bunraku.batch.reasons import ROOM_STATUSES, TOO_LARGE, reason, scene_world
from bunraku.batch.seats import CONTACTS, Seats, SeatTable
from bunraku.batch.single import as_world
from bunraku.batch.twin import twin
from bunraku.batch.vary import Variation
from bunraku.batch.worlds_snapshot import WorldsSnapshot, put_back, take_all, take_first
from bunraku.batch.worlds_state import WorldsState
from bunraku.collision.shape_layout import FULL, PAIR_POINTS
from bunraku.errors import InputError
from bunraku.kernel.record import put
from bunraku.world.diverged import StepDiverged, steps_in, whole_steps
from bunraku.world.figure import Figure, LinkOf, link_of
from bunraku.world.world import World

COMMANDS = ("target_q", "target_v", "tau")


class Worlds(WorldsState):
    """n worlds of one scene: worlds = bk.Worlds(world, 1024); worlds.target_q[:] = …; worlds.step(4).

    `q v tau target_q target_v` are live arrays (n, nq) or (n, nv); so are `applied`, `residual`, `contacts` and `status`.
    A world that diverges stands still at its last good state: `status` is then not 0, `why(i)` says why, `reset` starts
    it again. world: a World, a Scene, or the name or path of a scene; its present state is where all begin. threads: as
    many as there are cores by default; they change no result. seed: of all chance (`uniform`, `normal`, `randomise`). See
    docs/worlds.md.
    """

    n: int
    seed: int
    status: np.ndarray  # (n,) 0, or why a world stands still
    numbers: np.ndarray  # (n,) of each world, for chance
    episode: np.ndarray  # (n,) episodes that ended before this one

    def __init__(self, world: Any, n: int, threads: int | None = None, *, seed: int = 0) -> None:
        for what, x in (("n", n), ("threads", 1 if threads is None else threads)):
            if not (isinstance(x, int | np.integer) and not isinstance(x, bool) and x >= 1):
                raise InputError(f"Worlds: {what} is {x!r}; it takes a whole number of 1 or more.")
        given = scene_world(world)
        self._world = twin(given)
        self._said = given.notes
        self._sensors = len(given.sensors)
        self._scene = getattr(world, "name", "") if not isinstance(world, World) else ""
        self.n = int(n)
        self._crew = Crew(self._world, int(threads) if threads is not None else cores())
        self._seats = Seats(self._world._step.source.arrays, self.n)
        self._vary = Variation(self._world, self._seats)
        self._ranges: Ranges = {}
        self._batch = Batch(SeatTable(Batch.layout.slots))
        self._table: SeatTable = self._batch.source
        self._table.seats = self._seats
        self.seed = _seed(seed)
        whole = np.int64
        self._left, self.status, self._now = (np.zeros(self.n, whole) for _ in range(3))
        self.numbers = np.arange(self.n)  # of each world's chance
        self.episode, self._draws = np.zeros(self.n, whole), np.zeros((2, self.n), whole)
        self._begun = float(given.time)
        put(self._batch, left=self._left, status=self.status, now=self._now, delays=np.zeros(self.n, whole))
        nq, nv = self._world.q.size, self._world.v.size
        put(self._batch, ring=np.zeros((self.n, 0, nq + 2 * nv)))
        self._wanted = {name: self._seats.bank[name] for name in COMMANDS}
        self._pushes = Pushes(self.n)
        self._place()
        for figure, link, wrench, end in given._pushes:
            self._push(np.arange(self.n), given[figure][link], wrench, end - given.time)
        self._start = take_first(self)

    def __repr__(self) -> str:
        still = int(np.count_nonzero(self.status))
        return f"<{self.n} worlds of {', '.join(f.name for f in self._world.figures)}, dt {self.dt:g} s, {self.threads} threads, {still} stand still>"

    def __len__(self) -> int:
        return self.n

    def why(self, i: int) -> str:
        """Why world i stands still; empty while it does not."""
        return reason(self, self._index(i))

    # ---- stepping -----------------------------------------------------------------------------------------------

    def step(self, n: int = 1, mask: Mask = None) -> None:
        """Advance the worlds of a mask (None: all) that do not stand still by n steps."""
        steps = n if type(n) is int and n >= 0 else whole_steps(n)
        chosen = self._chosen(mask)
        todo = chosen[self.status[chosen] == 0]
        self._left[:] = 0
        self._left[todo] = steps
        while len(todo) and steps:
            self._crew.work(self._batch, todo)
            stopped = todo[self.status[todo] != 0]
            todo = self._again(stopped) if len(stopped) else stopped

    def run(self, seconds: float) -> None:
        """Advance by a time [s], rounded to whole steps."""
        self.step(steps_in(seconds, self.dt))

    def _again(self, stopped: np.ndarray) -> np.ndarray:
        """Make room where that was missing: the worlds that go on."""
        on = []
        asked: dict[int, bool] = {}  # one answer a round serves all
        for w in map(int, stopped):
            status = int(self.status[w])
            if status not in ROOM_STATUSES:
                continue
            if status == FULL:
                rows = 2 * self._seats.rows_of_contacts(w) + PAIR_POINTS
                self._seats.widen(w, rows)
                self._crew.hold(rows)
            elif status not in asked:
                try:
                    self._crew.grow(status, self._seats.bank["info"][w])
                    asked[status] = True
                except StepDiverged:
                    asked[status] = False
            if not asked.get(status, True):
                self.status[w] = TOO_LARGE
                continue
            self.status[w] = 0
            on.append(w)
        return np.array(on, dtype=np.int64)

    def push(
        self,
        mask: Mask,
        link: LinkOf | Figure | str,
        force: Any,
        seconds: float,
        torque: Any = (0.0, 0.0, 0.0),
    ) -> None:
        """A force [N] and torque [N m], world axes, on a link's origin for some seconds from now, in the worlds of a mask
        (None: all). force, torque: one for all, or a row for each world of the mask."""
        chosen = self._chosen(mask)
        try:
            wrench = np.concatenate(
                [np.broadcast_to(np.asarray(x, dtype=float), (len(chosen), 3)) for x in (force, torque)], axis=1
            )
        except (TypeError, ValueError):
            raise InputError(f"push: force and torque are three numbers, or ({len(chosen)}, 3).") from None
        if not np.all(np.isfinite(wrench)) or not (np.isfinite(seconds) and seconds > 0):
            raise InputError("push: force and torque need finite numbers, seconds a positive one.")
        self._push(chosen, link_of(self._world, "push", link), wrench, float(seconds))

    def _push(self, chosen: np.ndarray, on: LinkOf, wrench: np.ndarray, seconds: float) -> None:
        info = on.figure.model.frame(on.name)
        steps = int(np.ceil(seconds / self.dt - 0.5 - 1e-9))
        body = on.figure.part.body + info.body
        if info.body and steps >= 1 and self._pushes.add(chosen, self._now[chosen], steps, body, info.position, wrench):
            self._place()

    # ---- episodes -----------------------------------------------------------------------------------------------

    def reset(self, mask: Mask = None, *, seed: int | None = None) -> None:
        """Put the worlds of a mask (None: all) back to where they began, into their next episode; what `randomise` names
        is drawn anew. seed: chance begins anew with it, at episode 0."""
        chosen = self._chosen(mask)
        if seed is not None:
            self.seed = _seed(seed)
            self.episode[chosen] = -1
        self.episode[chosen] += 1
        self._draws[:, chosen] = 0
        self._put_start(chosen)

    def _put_start(self, chosen: np.ndarray) -> None:
        first = self._start
        for name, a in first.arrays.items():
            self._fill(name, chosen, np.broadcast_to(a[0], (len(chosen), *a.shape[1:])))
        self.status[chosen] = 0
        self._now[chosen] = 0
        self._pushes.put(chosen, first.pushes)
        for name, of, x in drawn(self._ranges, self.seed, self.numbers[chosen], self.episode[chosen]):
            self._set(name, x, of, chosen)
        self._apply(chosen)
        self._fill_ring(chosen)

    def randomise(self, ranges: Mapping[str, Sequence[float]] | None) -> None:
        """What is drawn at every reset: {"friction": (0.4, 1.0), "mass of robot.trunk": (0.9, 1.1)}, uniform between two
        numbers; names are those of `vary`. None switches it off: each reset gives the scene's own values. The drawn ones
        are in `varied`."""
        new = checked(ranges, self._vary)
        for key in self._ranges:
            if key in self._vary.values:
                self._vary.values[key][:] = np.nan
        self._ranges = new

    def uniform(self, count: int, mask: Mask = None) -> np.ndarray:
        """(worlds of the mask, count) numbers in [0, 1) by chance: each world's next ones, which follow from seed, world
        and episode alone."""
        return self._chance(chance.uniform, 0, count, mask)

    def normal(self, count: int, mask: Mask = None) -> np.ndarray:
        """The same, of mean 0 and standard deviation 1."""
        return self._chance(chance.normal, 1, count, mask)

    def _chance(self, draw: Any, kind: int, count: int, mask: Mask) -> np.ndarray:
        chosen = self._chosen(mask)
        stream = OWN_DRAWS if kind == 0 else RANDOMISED + kind
        first = self._draws[kind, chosen]
        self._draws[kind, chosen] += count
        return draw(self.seed, self.numbers[chosen], self.episode[chosen], first, count, stream)

    def replay(self, world: int, episode: int) -> Worlds:
        """One world alone, at the start of an episode of a run: with the same commands and pushes it goes the same way
        bit by bit, and draws the same numbers."""
        i = self._index(world)
        if episode < 0:
            raise InputError(f"replay: episode {episode} is below 0.")
        alone = Worlds(self._world, 1, 1, seed=self.seed)
        alone.numbers[0], alone.episode[0], alone._begun = self.numbers[i], episode, self._begun
        alone._ranges = dict(self._ranges)
        for key, x in self._vary.values.items():
            if key not in self._ranges:
                name, _, of = key.partition(" of ")
                if not np.all(np.isnan(x[i])):
                    alone._set(name, x[i : i + 1], of or None, np.array([0]))
        alone._start = self._start
        alone._pushes.widen(len(self._start.pushes))
        alone._place()
        alone._put_start(np.array([0]))
        return alone

    # ---- what differs -------------------------------------------------------------------------------------------

    def vary(self, name: str, values: Any, of: str | None = None, mask: Mask = None) -> None:
        """Let worlds differ: values (n, …), or a row for each world of the mask, of "friction", "mass", "com", "gains",
        "armature", "gravity" or "delay" (bunraku.batch.vary says what they mean); of: a link, "figure.link", for mass and
        com. Values stay until they are set again, through resets, too."""
        chosen = self._chosen(mask)
        self._set(name, values, of, chosen)
        self._apply(chosen)

    def _set(self, name: str, values: Any, of: str | None, chosen: np.ndarray) -> None:
        key, x = self._vary.check(name, values, of, len(chosen))
        self._vary.keep(key, x, chosen)
        if name == "delay":
            self._delay(chosen)

    @property
    def varied(self) -> dict[str, np.ndarray]:
        """What `vary` and `randomise` have set, (n, …) by name; not a number where a world has the scene's own."""
        return {key: x.copy() for key, x in self._vary.values.items()}

    def _delay(self, chosen: np.ndarray) -> None:
        """Commands of some worlds come late: room for those on their way."""
        steps = self._vary.delays(chosen)
        batch, bank = self._batch, self._seats.bank
        rows = batch.ring.shape[1]
        most = int(steps.max(initial=0)) + 1
        if not rows:
            for name in COMMANDS:
                bank[f"late {name}"] = bank[name].copy()
                self._seats.seated[name] = f"late {name}"
            self._wanted = {name: bank[name] for name in COMMANDS}
        if most > rows:
            put(batch, ring=np.zeros((self.n, most, batch.ring.shape[2])))
            batch.delays[chosen] = steps
            self._place()
            self._fill_ring(np.arange(self.n))
        batch.delays[chosen] = steps

    def _fill_ring(self, chosen: np.ndarray) -> None:
        """What is asked for now counts as asked for ever before."""
        if self._batch.ring.shape[1]:
            now = np.concatenate([self._wanted[name] for name in COMMANDS], axis=1)
            self._batch.ring[chosen] = now[chosen, None]

    # ---- keeping ------------------------------------------------------------------------------------------------

    def snapshot(self) -> WorldsSnapshot:
        """The state of all worlds, to go on from with `restore`, bit for bit."""
        return take_all(self)

    def restore(self, snapshot: WorldsSnapshot, mask: Mask = None) -> None:
        """Put the worlds of a mask (None: all) back to a snapshot of this batch."""
        put_back(self, snapshot, self._chosen(mask))

    def save(self, path: str | Path) -> Path:
        """Write all worlds into one file, to go on with `Worlds.load` bit for bit."""
        from bunraku.batch.keeping import save

        return save(self, path)

    @classmethod
    def load(cls, path: str | Path, threads: int | None = None) -> Worlds:
        """Worlds that were saved."""
        from bunraku.batch.keeping import load

        return load(path, threads)

    def __getitem__(self, i: int) -> World:
        """World i as a World of its own, at its present state: what happens to it later does not come back."""
        return as_world(self, self._index(i))

    def close(self) -> None:
        """End the threads; they come back when there is work."""
        self._crew.close()

    # ---- inside -------------------------------------------------------------------------------------------------

    def _place(self) -> None:
        """Tell the kernel where all arrays are."""
        self._seats.refresh()
        bank = self._seats.bank
        put(self._batch, slots=self._seats.slots, rows=self._seats.rows, pushes=self._pushes.rows)
        put(self._batch, wanted_q=bank["target_q"], wanted_v=bank["target_v"], wanted_tau=bank["tau"])

    def _apply(self, chosen: np.ndarray) -> None:
        """Let what differs between worlds act."""
        self._vary.apply(chosen)
        if "delay" in self._vary.values:
            self._batch.delays[chosen] = self._vary.delays(chosen)
        if self._seats.rows is not self._batch.rows:
            self._place()

    def _fill(self, name: str, chosen: np.ndarray, values: np.ndarray) -> None:
        """Rows of an array for some worlds."""
        if name in CONTACTS and self._seats.own:
            for w, a in zip(chosen.tolist(), values):
                row = self._seats.row(name, w)
                k = min(len(a), len(row))
                row[:k] = a[:k]
        else:
            self._seats.bank[name][chosen] = values

    def _index(self, i: int) -> int:
        return index_of(i, self.n)

    def _chosen(self, mask: Mask) -> np.ndarray:
        return chosen_of(mask, self.n)


def _seed(seed: Any) -> int:
    if not (isinstance(seed, int | np.integer) and 0 <= seed < 2**64):
        raise InputError(f"Worlds: seed {seed!r} is not a whole number from 0 to 2^64 - 1.")
    return int(seed)
