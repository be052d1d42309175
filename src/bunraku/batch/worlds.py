"""Worlds: many worlds of one scene, stepped together on all cores.

A world of a batch is its state, 12 to 20 kB; scratch belongs to a thread. One kernel does all steps of a group of worlds
without a word of Python (bunraku.batch.batch_kernel), threads take groups (bunraku.batch.crew). A world's result depends
on nothing but itself, to the last bit: not on its neighbours, its place, the size of the batch or the number of threads.
Checked in tests/batch/.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.batch import chance
from bunraku.batch.batch_arrays import Batch, Push
from bunraku.batch.crew import Crew, cores
from bunraku.batch.reasons import ROOM_STATUSES, TOO_LARGE, reason, scene_world
from bunraku.batch.seats import CONTACTS, Seats, SeatTable
from bunraku.batch.single import as_world
from bunraku.batch.twin import twin
from bunraku.batch.vary import Variation
from bunraku.collision.shape_layout import FULL, PAIR_POINTS
from bunraku.errors import InputError
from bunraku.kernel.record import put, zeros
from bunraku.model.description import Note
from bunraku.model.model import Model
from bunraku.step.step_arrays import Info, Numbers
from bunraku.world.diverged import StepDiverged, steps_in, whole_steps
from bunraku.world.figure import Figure, LinkOf, link_of
from bunraku.world.world import World

Mask = np.ndarray | Sequence[bool] | Sequence[int] | int | slice | None
COMMANDS = ("target_q", "target_v", "tau")
RANDOMISED, OWN_DRAWS = 1, 0  # streams of chance


@dataclass(frozen=True)
class WorldsSnapshot:
    """The state of all worlds of a batch: `worlds.snapshot()`."""

    arrays: dict[str, np.ndarray]
    own: dict[int, dict[str, np.ndarray]]
    values: dict[str, np.ndarray]
    counters: dict[str, np.ndarray]
    ring: np.ndarray
    pushes: np.ndarray


class Worlds:
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
        self._ranges: dict[str, tuple[float, float]] = {}
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
        self._pushes = zeros(Push, 0)
        self._place()
        for figure, link, wrench, end in given._pushes:
            self._push(np.arange(self.n), given[figure][link], wrench, end - given.time)
        self._start = self._one()

    def __repr__(self) -> str:
        still = int(np.count_nonzero(self.status))
        return f"<{self.n} worlds of {', '.join(f.name for f in self._world.figures)}, dt {self.dt:g} s, {self.threads} threads, {still} stand still>"

    def __len__(self) -> int:
        return self.n

    # ---- what they are ------------------------------------------------------------------------------------------

    @property
    def dt(self) -> float:
        """A step [s]."""
        return self._world.dt

    @property
    def threads(self) -> int:
        """How many threads share the work."""
        return self._crew.threads

    @property
    def model(self) -> Model:
        """All figures of a world as one Model: what q and v are."""
        return self._world.model

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of the scene; `figure.part.q` and `.v` are their columns."""
        return self._world.figures

    @property
    def q(self) -> np.ndarray:
        """(n, nq) coordinates [m, rad; quaternions w x y z]: live, writable."""
        return self._seats.bank["q"]

    @property
    def v(self) -> np.ndarray:
        """(n, nv) rates [m/s, rad/s]: live, writable."""
        return self._seats.bank["v"]

    @property
    def tau(self) -> np.ndarray:
        """(n, nv) torques of motors [N m or N]: live, writable, kept until changed."""
        return self._wanted["tau"]

    @property
    def target_q(self) -> np.ndarray:
        """(n, nq) where servos lead [m, rad]: live, writable."""
        return self._wanted["target_q"]

    @property
    def target_v(self) -> np.ndarray:
        """(n, nv) rates that servos follow [m/s, rad/s]: live, writable."""
        return self._wanted["target_v"]

    @property
    def applied(self) -> np.ndarray:
        """(n, nv) torques that all drives gave in the last step [N m or N]: live."""
        return self._seats.bank["applied"]

    @property
    def time(self) -> np.ndarray:
        """(n,) of each world [s]."""
        return self._begun + self._now * self.dt

    @property
    def steps_done(self) -> np.ndarray:
        """(n,) steps since each world's start."""
        return self._now.copy()

    @property
    def residual(self) -> np.ndarray:
        """(n,) worst relative residual of the contact problem since each world's start: live."""
        return self._seats.bank["numbers"].reshape(self.n, -1)[:, Numbers.layout.fields["worst_residual"].offset]

    @property
    def contacts(self) -> np.ndarray:
        """(n,) contacts seen in the last step: live."""
        return self._seats.bank["info"].reshape(self.n, -1)[:, Info.layout.fields["contacts"].offset]

    @property
    def track_at(self) -> np.ndarray:
        """(n,) which row of the scene's track (`figure.follow`) each world does next: live, writable."""
        return self._seats.bank["info"].reshape(self.n, -1)[:, Info.layout.fields["track_at"].offset]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What stands for meshes in collisions, and what worlds of a batch do otherwise than a World, in words."""
        more = []
        if self._sensors:
            said = (
                f"{self._sensors} sensors are not part of worlds of a batch; add them to worlds[i] and read them there."
            )
            more.append(Note("ignored", said))
        return (*self._said, *more)

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
        if not info.body or steps < 1:
            return
        until = Push.layout.fields["until"].offset

        def free() -> np.ndarray:  # places of each world, so that it depends on no other one
            table = self._pushes.reshape(self.n, len(self._pushes) // self.n, Push.layout.words)
            return table.view(np.int64)[chosen, :, until] <= self._now[chosen, None]

        if not free().any(axis=1).all():
            self._place_pushes(len(self._pushes) // self.n + 1)
        k = np.argmax(free(), axis=1)
        row = np.zeros((len(chosen), Push.layout.words))
        fields = Push.layout.fields
        row.view(np.int64)[:, fields["body"].offset] = on.figure.part.body + info.body
        row.view(np.int64)[:, until] = self._now[chosen] + steps
        row[:, fields["force"].offset : fields["force"].offset + 6] = wrench
        row[:, fields["place"].offset : fields["place"].offset + 3] = info.position
        self._pushes.reshape(self.n, -1, Push.layout.words)[chosen, k] = row

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
        if len(self._pushes):
            each = len(self._pushes) // self.n
            known = len(first.pushes)
            table = self._pushes.reshape(self.n, each, Push.layout.words)
            table[chosen] = 0.0
            table[chosen, : min(known, each)] = first.pushes[:each]
        self._draw(chosen)
        self._apply(chosen)
        self._fill_ring(chosen)

    def randomise(self, ranges: Mapping[str, Sequence[float]] | None) -> None:
        """What is drawn at every reset: {"friction": (0.4, 1.0), "mass of robot.trunk": (0.9, 1.1)}, uniform between two
        numbers; names are those of `vary`. None switches it off: each reset gives the scene's own values. The drawn ones
        are in `varied`."""
        checked: dict[str, tuple[float, float]] = {}
        for key, pair in dict(ranges or {}).items():
            try:
                low, high = (float(x) for x in pair)
            except (TypeError, ValueError):
                raise InputError(f"randomise: {key} needs a pair of numbers (low, high), got {pair!r:.60}.") from None
            if not low <= high:
                raise InputError(f"randomise: {key} goes from {low:g} to {high:g}; write the lower one first.")
            name, _, of = key.partition(" of ")
            ends = np.array([low, high])
            self._vary.check(name, np.repeat(ends[:, None], 3, 1) if name == "com" else ends, of or None, 2)
            checked[key] = low, high
        for key in self._ranges:
            if key in self._vary.values:
                self._vary.values[key][:] = np.nan
        self._ranges = checked

    def _draw(self, chosen: np.ndarray) -> None:
        for k, key in enumerate(sorted(self._ranges)):
            low, high = self._ranges[key]
            name, _, of = key.partition(" of ")
            width = 3 if name == "com" else 1
            first = np.full(len(chosen), 8 * k)
            u = chance.uniform(self.seed, self.numbers[chosen], self.episode[chosen], first, width, RANDOMISED)
            x = low + (high - low) * u
            if name == "delay":
                x = np.floor(low + (high - low + 1) * u)
            self._set(name, x if name == "com" else x[:, 0], of or None, chosen)

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
        alone._place_pushes(len(self._start.pushes))
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
        seats = self._seats
        return WorldsSnapshot(
            {name: a.copy() for name, a in seats.bank.items() if name not in ("reals", "materials")},
            {w: {name: a.copy() for name, a in own.items()} for w, own in seats.own.items()},
            {key: x.copy() for key, x in self._vary.values.items()},
            {name: getattr(self, name).copy() for name in COUNTERS},
            self._batch.ring.copy(),
            self._pushes.copy(),
        )

    def restore(self, snapshot: WorldsSnapshot, mask: Mask = None) -> None:
        """Put the worlds of a mask (None: all) back to a snapshot of this batch."""
        chosen = self._chosen(mask)
        if len(snapshot.counters["_now"]) != self.n or snapshot.arrays["q"].shape != self.q.shape:
            raise InputError("restore: the snapshot is of another batch; worlds and figures differ.")
        for key in [*self._vary.values, *snapshot.values]:
            name, _, of = key.partition(" of ")
            old = snapshot.values.get(key)
            if old is None:
                self._vary.values[key][chosen] = np.nan
            else:
                self._vary.check(name, np.nan_to_num(old, nan=1.0), of or None, self.n)
                self._vary.keep(key, old[chosen], chosen)
            if name == "delay":
                self._delay(chosen)
        for name, a in snapshot.arrays.items():
            if name in self._seats.bank:
                self._fill(name, chosen, a[chosen])
        for w, own in snapshot.own.items():
            if w in set(chosen.tolist()):
                rows = len(own["ids"])
                if self._seats.rows_of_contacts(w) < rows:
                    self._seats.widen(w, rows)
                    self._crew.hold(rows)
                for name, a in own.items():
                    self._seats.row(name, w)[:rows] = a
        for name, a in snapshot.counters.items():
            getattr(self, name)[..., chosen] = a[..., chosen]
        self._apply(chosen)
        if snapshot.ring.shape[1]:
            self._ring_back(snapshot.ring, chosen)
        else:
            self._fill_ring(chosen)
        old = snapshot.pushes.reshape(self.n, len(snapshot.pushes) // self.n, Push.layout.words)
        self._place_pushes(old.shape[1])
        table = self._pushes.reshape(self.n, len(self._pushes) // self.n, Push.layout.words)
        table[chosen] = 0.0
        table[chosen, : old.shape[1]] = old[chosen]

    def _ring_back(self, old: np.ndarray, chosen: np.ndarray) -> None:
        """Commands on their way, into a ring that may have grown since."""
        ring, rows = self._batch.ring, old.shape[1]
        self._fill_ring(chosen)
        for back in range(1, min(rows, ring.shape[1]) + 1):  # that of `back` steps ago
            then = self._now[chosen] - back
            ring[chosen, then % ring.shape[1]] = old[chosen, then % rows]

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

    def _one(self) -> WorldsSnapshot:
        """The first world's state: where all begin."""
        arrays = {name: a[:1].copy() for name, a in self._seats.bank.items()}
        return WorldsSnapshot(arrays, {}, {}, {}, np.zeros(0), self._pushes[: len(self._pushes) // self.n].copy())

    def _place(self) -> None:
        """Tell the kernel where all arrays are."""
        self._seats.refresh()
        bank = self._seats.bank
        put(self._batch, slots=self._seats.slots, rows=self._seats.rows, pushes=self._pushes)
        put(self._batch, wanted_q=bank["target_q"], wanted_v=bank["target_v"], wanted_tau=bank["tau"])

    def _apply(self, chosen: np.ndarray) -> None:
        """Let what differs between worlds act."""
        self._vary.apply(chosen)
        if "delay" in self._vary.values:
            self._batch.delays[chosen] = self._vary.delays(chosen)
        if self._seats.rows is not self._batch.rows:
            self._place()

    def _place_pushes(self, each: int) -> None:
        """Room for so many pushes of each world."""
        old = self._pushes.reshape(self.n, len(self._pushes) // self.n, Push.layout.words)
        if old.shape[1] < each:
            wider = np.zeros((self.n, each, Push.layout.words))
            wider[:, : old.shape[1]] = old
            self._pushes = wider.reshape(-1, Push.layout.words)
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
        if not (isinstance(i, int | np.integer) and -self.n <= i < self.n):
            raise InputError(f"there is no world {i!r}; they are numbered 0 to {self.n - 1}.")
        return int(i) % self.n

    def _chosen(self, mask: Mask) -> np.ndarray:
        """The numbers of the worlds of a mask: None, (n,) booleans, numbers, or a slice."""
        if mask is None:
            return np.arange(self.n)
        if isinstance(mask, slice):
            return np.arange(self.n)[mask]
        x = np.atleast_1d(np.asarray(mask))
        if x.dtype == bool and x.shape == (self.n,):
            return np.flatnonzero(x)
        whole = x.dtype.kind in "iu" and x.ndim == 1
        if whole and np.all((x >= -self.n) & (x < self.n)) and len(np.unique(x % self.n)) == len(x):
            return x.astype(np.int64) % self.n
        raise InputError(f"a mask of worlds is {self.n} booleans, or different numbers from 0 to {self.n - 1}.")


COUNTERS = ("_now", "status", "episode", "_draws")


def _seed(seed: Any) -> int:
    if not (isinstance(seed, int | np.integer) and 0 <= seed < 2**64):
        raise InputError(f"Worlds: seed {seed!r} is not a whole number from 0 to 2^64 - 1.")
    return int(seed)
