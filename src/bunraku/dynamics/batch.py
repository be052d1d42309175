"""Batches of states: LANES of them side by side through the same kernel source.

States are rows. `pack` lays LANES rows into lane arrays (the last rows repeat where fewer are left) and `unpack` writes
the result rows back; the transposition costs a few percent.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import join, ld, split, st


@inline
def pack(rows, first, lanes):
    """lanes[k, j] = rows[first + j, k]; whole lanes are stored at once, so that the kernel need not wait for four
    parts."""
    last = rows.shape[0] - 1
    a = rows[first]
    b = rows[min(first + 1, last)]
    c = rows[min(first + 2, last)]
    d = rows[min(first + 3, last)]
    for k in range(rows.shape[1]):
        st(lanes, k, join(ld(a, k), ld(b, k), ld(c, k), ld(d, k)))


@inline
def unpack(lanes, first, rows):
    """rows[first + j, k] = lanes[k, j]."""
    last = rows.shape[0] - 1
    a = rows[first]
    b = rows[min(first + 1, last)]
    c = rows[min(first + 2, last)]
    d = rows[min(first + 3, last)]
    for k in range(rows.shape[1]):
        x = split(ld(lanes, k))
        st(d, k, x[3])  # last first: where rows are too few, a repeated row ends with its own value
        st(c, k, x[2])
        st(b, k, x[1])
        st(a, k, x[0])
