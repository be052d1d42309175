"""The state of all worlds of a batch: taken, and put back into some of them, bit for bit."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.batch.push_places import WORDS
from bunraku.errors import InputError

if TYPE_CHECKING:
    from bunraku.batch.worlds import Worlds

COUNTERS = ("_now", "status", "episode", "_draws")


@dataclass(frozen=True)
class WorldsSnapshot:
    """The state of all worlds of a batch: `worlds.snapshot()`."""

    arrays: dict[str, np.ndarray]
    own: dict[int, dict[str, np.ndarray]]
    values: dict[str, np.ndarray]
    counters: dict[str, np.ndarray]
    ring: np.ndarray
    pushes: np.ndarray


def take_all(worlds: Worlds) -> WorldsSnapshot:
    """Of all worlds."""
    seats = worlds._seats
    return WorldsSnapshot(
        {name: a.copy() for name, a in seats.bank.items() if name not in ("reals", "materials")},
        {w: {name: a.copy() for name, a in own.items()} for w, own in seats.own.items()},
        {key: x.copy() for key, x in worlds._vary.values.items()},
        {name: getattr(worlds, name).copy() for name in COUNTERS},
        worlds._batch.ring.copy(),
        worlds._pushes.rows.copy(),
    )


def take_first(worlds: Worlds) -> WorldsSnapshot:
    """Of the first world: where all begin."""
    arrays = {name: a[:1].copy() for name, a in worlds._seats.bank.items()}
    return WorldsSnapshot(arrays, {}, {}, {}, np.zeros(0), worlds._pushes.of(0).copy())


def put_back(worlds: Worlds, snapshot: WorldsSnapshot, chosen: np.ndarray) -> None:
    """Put some worlds back."""
    if len(snapshot.counters["_now"]) != worlds.n or snapshot.arrays["q"].shape != worlds.q.shape:
        raise InputError("restore: the snapshot is of another batch; worlds and figures differ.")
    _vary_back(worlds, snapshot, chosen)
    for name, a in snapshot.arrays.items():
        if name in worlds._seats.bank:
            worlds._fill(name, chosen, a[chosen])
    for w, own in snapshot.own.items():
        if w in set(chosen.tolist()):
            rows = len(own["ids"])
            if worlds._seats.rows_of_contacts(w) < rows:
                worlds._seats.widen(w, rows)
                worlds._crew.hold(rows)
            for name, a in own.items():
                worlds._seats.row(name, w)[:rows] = a
    for name, a in snapshot.counters.items():
        getattr(worlds, name)[..., chosen] = a[..., chosen]
    worlds._apply(chosen)
    worlds._fill_ring(chosen)
    if snapshot.ring.shape[1]:
        _ring_back(worlds, snapshot.ring, chosen)
    old = snapshot.pushes.reshape(worlds.n, len(snapshot.pushes) // worlds.n, WORDS)
    if worlds._pushes.widen(old.shape[1]):
        worlds._place()
    worlds._pushes.put(chosen, old[chosen])


def _vary_back(worlds: Worlds, snapshot: WorldsSnapshot, chosen: np.ndarray) -> None:
    """What differed between worlds."""
    vary = worlds._vary
    for key in [*vary.values, *snapshot.values]:
        name, _, of = key.partition(" of ")
        old = snapshot.values.get(key)
        if old is None:
            vary.values[key][chosen] = np.nan
        else:
            vary.check(name, np.nan_to_num(old, nan=1.0), of or None, worlds.n)
            vary.keep(key, old[chosen], chosen)
        if name == "delay":
            worlds._delay(chosen)


def _ring_back(worlds: Worlds, old: np.ndarray, chosen: np.ndarray) -> None:
    """Commands on their way, into a ring that may have grown since."""
    ring, rows = worlds._batch.ring, old.shape[1]
    for back in range(1, min(rows, ring.shape[1]) + 1):  # that of `back` steps ago
        then = worlds._now[chosen] - back
        ring[chosen, then % ring.shape[1]] = old[chosen, then % rows]
