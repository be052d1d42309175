"""Batches of states: LANES of them side by side through the same kernel source.

States are rows. `pack` lays LANES rows into lane arrays (the last rows repeat where fewer are left) and `unpack` writes
the result rows back; the transposition costs a few percent. `over` makes an algorithm's two ways in, for one state and
for many.
"""

from __future__ import annotations

from typing import Any

from bunraku.dynamics.arguments import BAD_SIZE, OK
from bunraku.dynamics.work import opened, opened_lanes, sizes
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import LANES, borrow, join, ld, split, st


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


def over(passes: Any) -> Any:
    """(one, many) of an algorithm passes(ints, reals, q, v, x, f_ext, work, out), where x and out have nv numbers."""

    @inline
    def one(handle, q, v, x, f_ext, out):
        """Fill `out` (nv,) for one state; returns a status."""
        nb, nq, nv = sizes(handle)
        if q.shape[0] != nq or v.shape[0] != nv or x.shape[0] != nv or out.shape[0] != nv:
            return BAD_SIZE
        if f_ext is not None and f_ext.shape[0] != 6 * nb:
            return BAD_SIZE
        ints, reals, work = opened(handle)
        passes(ints, reals, borrow(q), borrow(v), borrow(x), borrow(f_ext), work, borrow(out))
        return OK

    @inline
    def many(handle, q, v, x, f_ext, out):
        """Fill `out` (batch, nv), LANES states at a time; returns a status."""
        nb, nq, nv = sizes(handle)
        n = q.shape[0]
        if v.shape[0] != n or x.shape[0] != n or out.shape[0] != n:
            return BAD_SIZE
        if q.shape[1] != nq or v.shape[1] != nv or x.shape[1] != nv or out.shape[1] != nv:
            return BAD_SIZE
        if f_ext is not None and (f_ext.shape[0] != n or f_ext.shape[1] != 6 * nb):
            return BAD_SIZE
        ints, reals, work, q4, v4, x4, out4, f4 = opened_lanes(handle)
        for first in range(0, n, LANES):
            pack(borrow(q), first, q4)
            pack(borrow(v), first, v4)
            pack(borrow(x), first, x4)
            if f_ext is None:
                passes(ints, reals, q4, v4, x4, None, work, out4)
            else:
                pack(borrow(f_ext), first, f4)
                passes(ints, reals, q4, v4, x4, f4, work, out4)
            unpack(out4, first, borrow(out))
        return OK

    return one, many
