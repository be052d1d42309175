"""Batches of states: LANES of them side by side through the same kernel source.

States are rows. `pack` lays LANES rows into lane arrays (the last rows repeat where fewer are left) and `unpack` writes
the result rows back; the transposition costs a few percent.
"""

from __future__ import annotations

from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import LANES


@inline
def pack(rows, first, lanes):
    """lanes[k, j] = rows[first + j, k]."""
    last = rows.shape[0] - 1
    for j in range(LANES):
        r = min(first + j, last)
        for k in range(rows.shape[1]):
            lanes[k, j] = rows[r, k]


@inline
def unpack(lanes, first, rows):
    """rows[first + j, k] = lanes[k, j]."""
    for j in range(min(LANES, rows.shape[0] - first)):
        for k in range(rows.shape[1]):
            rows[first + j, k] = lanes[k, j]
