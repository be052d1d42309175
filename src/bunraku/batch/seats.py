"""Seats: what a world of a batch has for itself, and how a thread's scratch takes a seat in it.

A World is the arrays of a Step (bunraku.step.step_arrays), most of which are scratch: of 0.9 MB, 12 kB are state. Here
the state of all worlds stands in one array (n, …) a name, the *bank*, and each thread has one set of scratch. To step
world w, the addresses of its rows are written into the thread's table: no number is copied. A world whose contacts
outgrow the bank has arrays of its own.

    bank["q"][w]          what kernels see as Step.q while they sit at w
    rows[w]               the table's rows of all of them: address and sizes

Checked in tests/batch/test_worlds.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.collision.shape_layout import PAIR_POINTS, Detection
from bunraku.kernel.compile import compiled_by
from bunraku.kernel.table import COLUMNS, Table
from bunraku.step.step_arrays import Step

# of a Step, and of its Detection: all that affects the next step, and what can be read of the last one
STATE = (
    "q", "v", "tau", "also", "target_q", "target_v", "drive", "applied", "numbers", "info", "joint_impulse",
    "tie_kinds", "ties", "tie_impulse", "tie_last", "start_q", "start_v", "last_v", "last_tau", "last_f_ext", "known",
)  # fmt: skip
CONTACTS = ("ids", "contacts", "last_ids", "memory")  # a row a contact
PLACES = ("reals", "materials")  # only where they differ from world to world
ROOM = 32  # contacts of a world, at first


def slot(name: str) -> int:
    """The number of a field's array in the table of a step."""
    fields = Detection.layout.fields if name in ("ids", "contacts") else Step.layout.fields
    return int(fields[name].slot)  # pyright: ignore[reportArgumentType]


class SeatTable(Table):
    """A table that knows its seats: as plain Python, kernels reach them through it."""

    seats: Seats


class Seats:
    """See the module text. `first`: the arrays of the table that all worlds begin as."""

    def __init__(self, first: Sequence[Any], n: int) -> None:
        self.n = n
        used = len(first[slot("ids")])
        self.room = ROOM if _filled(first) + 2 * PAIR_POINTS <= ROOM else used
        self.bank: dict[str, np.ndarray] = {}
        for name in STATE:
            self.bank[name] = np.repeat(first[slot(name)][None], n, 0)
        for name in CONTACTS:
            self.bank[name] = np.repeat(first[slot(name)][None, : self.room], n, 0)
        self.own: dict[int, dict[str, np.ndarray]] = {}  # of worlds that outgrew the bank
        self.seated: dict[str, str] = {}  # which array of the bank a field has, where not its own
        self.refresh()

    def refresh(self) -> None:
        """The table's rows anew, after an array has come or gone."""
        self.names = [*STATE, *CONTACTS, *(p for p in PLACES if p in self.bank)]
        self.slots = np.array([slot(name) for name in self.names], dtype=np.int64)
        rows = np.zeros((self.n, len(self.names), COLUMNS), dtype=np.int64)
        for k, name in enumerate(self.names):
            a = self.bank[self.seated.get(name, name)]
            rows[:, k, 0] = a.ctypes.data + np.arange(self.n) * a[0].nbytes if self.n else 0
            rows[:, k, 1 : a.ndim] = a.shape[1:]
        self.rows = rows.reshape(self.n, -1)
        for w in self.own:
            self._point(w)

    def row(self, name: str, w: int) -> np.ndarray:
        """What world w has under a name: a view."""
        own = self.own.get(w, {})
        return own[name] if name in own else self.bank[self.seated.get(name, name)][w]

    def rows_of_contacts(self, w: int) -> int:
        """How many contacts world w has room for."""
        return len(self.row("ids", w))

    def widen(self, w: int, rows: int) -> None:
        """Room for so many contacts in world w alone."""
        own = {name: np.zeros((rows, self.bank[name].shape[2]), self.bank[name].dtype) for name in CONTACTS}
        for name, a in own.items():
            old = self.row(name, w)
            a[: len(old)] = old[:rows]
        self.own[w] = own
        self._point(w)

    def sit(self, table: Table, w: int) -> None:
        """What `take_seat` does, as plain Python."""
        for k, name in zip(self.slots, self.names):
            table.arrays[k] = self.row(name, w)

    def _point(self, w: int) -> None:
        rows = self.rows[w].reshape(-1, COLUMNS)
        for name, a in self.own[w].items():
            k = self.names.index(name)
            rows[k, 0], rows[k, 1] = a.ctypes.data, len(a)


def _filled(first: Sequence[Any]) -> int:
    """Contacts of the first world, now and in its last step."""
    info = Step.layout.fields["info"].of.layout.fields
    numbers = first[slot("info")].reshape(-1)
    return max(int(numbers[info[name].offset]) for name in ("contacts", "warm"))


@compiled_by("bunraku.batch.seats_numba")
def take_seat(h: Any, batch: Any, w: Any) -> None:
    """The scratch of table `h` works on world w of a batch from now on."""
    batch.seats.sit(h, int(w))
