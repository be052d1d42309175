"""Cholesky factors R'R of a small positive form, in tiles of four rows and a lane; the right side rides along as a
column.

The form lies row after row, `width` numbers (whole lanes) a row, upper triangle; numbers below the diagonal are not
used. Column n is the right side: after factoring it holds R'^-1 b, so that only the way back is left. Factoring may
stop after some rows (`finish` False), which leaves the Schur complement of the rest in their place. Cost of n = 52: 2
us. Checked in tests/linalg/test_cholesky.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import part
from bunraku.kernel.lanes import ld, split, st, wide_ld, wide_st

TINY = 1e-14  # least pivot, of the diagonal entry


@part
def factor(form, above, first, last, n, width, finish):
    """Take from rows first … last - 1 what rows above … (up to `first`, then each tile's own) contribute; `first`,
    `above`, `last` at whole lanes or last = n. Without `finish` rows above … first - 1 alone count and the rows stay a
    Schur complement."""
    for i in range(first, last, 4):
        until = i if finish else first
        for c in range(i, width, 4):
            k = i * width + c
            w, x, y, z = (
                wide_ld(form, k),
                wide_ld(form, k + width),
                wide_ld(form, k + 2 * width),
                wide_ld(form, k + 3 * width),
            )
            for r in range(above, until):
                at = r * width
                lane = wide_ld(form, at + c)
                w = w - ld(form, at + i) * lane
                x = x - ld(form, at + i + 1) * lane
                y = y - ld(form, at + i + 2) * lane
                z = z - ld(form, at + i + 3) * lane
            wide_st(form, k, w)
            wide_st(form, k + width, x)
            wide_st(form, k + 2 * width, y)
            wide_st(form, k + 3 * width, z)
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
