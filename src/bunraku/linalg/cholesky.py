"""Cholesky factors R'R of a small positive form, in tiles of four rows and a lane; the right side rides along as a
column.

The form lies row after row, `width` numbers (whole lanes) a row, upper triangle; numbers below the diagonal are not
used. Column n is the right side: after factoring it holds R'^-1 b, so that only the way back is left. Factoring may
stop after some rows (`finish` False), which leaves the Schur complement of the rest in their place. Cost of n = 52: 2
us. (bunraku.linalg.dense takes as long, but wants whole tiles of unknowns and begins at the first; here the last tile
may be cut short, and the rows behind a Schur complement are factored again and again.) Checked in
tests/linalg/test_cholesky.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import ld, split, st, wide_ld, wide_st

TINY = 1e-14  # least pivot, of the diagonal entry


@inline
def add_tile(form, i, c, width, rows, first, last, sign):
    """Add to the tile (i, c) of a form sign times the sum over rows first … last - 1 of row' row."""
    k = i * width + c
    w = wide_ld(form, k)
    x = wide_ld(form, k + width)
    y = wide_ld(form, k + 2 * width)
    z = wide_ld(form, k + 3 * width)
    for r in range(first, last):
        at = r * width
        lane = wide_ld(rows, at + c)
        w = w + sign * ld(rows, at + i) * lane
        x = x + sign * ld(rows, at + i + 1) * lane
        y = y + sign * ld(rows, at + i + 2) * lane
        z = z + sign * ld(rows, at + i + 3) * lane
    wide_st(form, k, w)
    wide_st(form, k + width, x)
    wide_st(form, k + 2 * width, y)
    wide_st(form, k + 3 * width, z)


@part
def factor(form, above, first, last, n, width, finish):
    """Take from rows first … last - 1 what rows above … (up to `first`, then each tile's own) contribute; `first`,
    `above`, `last` at whole lanes or last = n. Without `finish` rows above … first - 1 alone count and the rows stay a
    Schur complement."""
    for i in range(first, last, 4):
        until = i if finish else first
        for c in range(i, width, 4):
            add_tile(form, i, c, width, form, above, until, -1.0)
        if not finish:
            continue
        for t in range(i, min(i + 4, n)):
            at = t * width
            for r in range(i, t):
                s = ld(form, r * width + t)
                for c in range(i, width, 4):
                    wide_st(form, at + c, wide_ld(form, at + c) - s * wide_ld(form, r * width + c))
            d = ld(form, at + t)
            s = 1.0 / (d if d > TINY else TINY) ** 0.5
            for c in range(i, width, 4):
                wide_st(form, at + c, s * wide_ld(form, at + c))


@part
def back(form, n, width, y):
    """y (width) = R^-1 (column n)."""
    for k in range(width):
        y[k] = 0.0
    for k in range(n - 1, -1, -1):
        at = k * width
        total = wide_ld(form, at + width - 4) * 0.0
        for c in range((k + 1) // 4 * 4, width, 4):
            total = total + wide_ld(form, at + c) * wide_ld(y, c)
        a, b, c2, d = split(total)
        st(y, k, (ld(form, at + n) - (a + b + c2 + d)) / ld(form, at + k))
