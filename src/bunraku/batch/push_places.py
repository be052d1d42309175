"""Pushes on the worlds of a batch: each world has places of its own for them, so that it depends on no other one."""

from __future__ import annotations

import numpy as np

from bunraku.batch.batch_arrays import Push
from bunraku.kernel.record import zeros

WORDS = Push.layout.words
FIELDS = Push.layout.fields


class Pushes:
    """`rows`: the records of all worlds, `each` a world, one world after another."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.rows = zeros(Push, 0)

    @property
    def each(self) -> int:
        """Places a world."""
        return len(self.rows) // self.n

    def table(self) -> np.ndarray:
        """(n, each, words): a view."""
        return self.rows.reshape(self.n, self.each, WORDS)

    def of(self, i: int) -> np.ndarray:
        """The places of one world, a view."""
        return self.rows[i * self.each : (i + 1) * self.each]

    def widen(self, each: int) -> bool:
        """Room for so many a world; whether there was less."""
        old = self.table()
        if old.shape[1] >= each:
            return False
        wider = np.zeros((self.n, each, WORDS))
        wider[:, : old.shape[1]] = old
        self.rows = wider.reshape(-1, WORDS)
        return True

    def add(
        self, chosen: np.ndarray, now: np.ndarray, steps: int, body: int, place: np.ndarray, wrench: np.ndarray
    ) -> bool:
        """A wrench (worlds, 6) at a place of a body, from the present steps of some worlds on; whether room was made."""
        until = FIELDS["until"].offset

        def free() -> np.ndarray:
            return self.table().view(np.int64)[chosen, :, until] <= now[:, None]

        wider = not free().any(axis=1).all() and self.widen(self.each + 1)
        k = np.argmax(free(), axis=1)
        row = np.zeros((len(chosen), WORDS))
        row.view(np.int64)[:, FIELDS["body"].offset] = body
        row.view(np.int64)[:, until] = now + steps
        row[:, FIELDS["force"].offset : FIELDS["force"].offset + 6] = wrench
        row[:, FIELDS["place"].offset : FIELDS["place"].offset + 3] = place
        self.table()[chosen, k] = row
        return wider

    def put(self, chosen: np.ndarray, old: np.ndarray) -> None:
        """Replace those of some worlds by others (each, words) or (worlds, each, words), as many as there is room for."""
        known = min(old.shape[-2], self.each)
        table = self.table()
        table[chosen] = 0.0
        table[chosen, :known] = old[..., :known, :]
