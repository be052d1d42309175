"""The compiled side of seats: rows of a table, written by a kernel. See bunraku.batch.seats."""

# pyright: reportPrivateImportUsage=false, reportCallIssue=false

from __future__ import annotations

from numba import carray

from bunraku.batch.batch_arrays import Batch
from bunraku.kernel.compile import inline
from bunraku.kernel.pointers_numba import int_pointer
from bunraku.kernel.table import COLUMNS, PHASES


@inline
def take_seat(h, batch, w):
    """Copy the addresses and sizes of world w's arrays into the table."""
    b = Batch(batch)
    slots = b.slots
    rows = b.rows
    for k in range(slots.shape[0]):
        row = carray(int_pointer(h + 8 * COLUMNS * (PHASES + slots[k])), COLUMNS)
        for c in range(COLUMNS):
            row[c] = rows[w, COLUMNS * k + c]


COMPILED = {"take_seat": take_seat}
