"""One sweep of block Gauss-Seidel: every block in turn takes the impulse that solves it alone, the others held (001, section 3).

Against (17)-(21) of 001 a contact's three rows move together, by the exact solution on the true cone (bunraku.constraint.contact.cone) instead
of a row at a time and a radial projection. v is kept up to date by columns of K, so a sweep costs m^2 multiply-adds and no products are repeated.
A contact whose own 3x3 block is singular is solved with 1e-9 of its scale added and the old impulse's share taken off the right-hand side,
which moves no fixed point. Checked in tests/constraint/contact/test_solver.py.
"""

from __future__ import annotations

import math

from bunraku.constraint.contact.blocks import CONTACT, EQUALITY
from bunraku.constraint.contact.cone import cone_impulse
from bunraku.constraint.contact.dense import add_rows
from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import LANES, ld, st, wide_ld, wide_st

LOCAL = 1e-7  # of a contact's scale, added to its diagonal


@inline
def sweep(ints, reals, nblocks, work, K, n, root, v, lam):
    """Pass over all blocks once; work[lam] and work[v] = K lam + b are updated."""
    for k in range(nblocks):
        i = ints[k, 1]
        row = K + i * n
        s = ld(work, root + i)
        c = reals[k, 0]
        old = ld(work, lam + i)
        if ints[k, 0] == CONTACT:
            new = (0.0, 0.0, 0.0)
            oldx = ld(work, lam + i + 1)
            oldy = ld(work, lam + i + 2)
            if s > 0.0:
                t = ld(work, root + i + 1)
                extra = LOCAL * max(s * s, t * t)
                A = (
                    ld(work, row + i) + extra,
                    ld(work, row + i + 1),
                    ld(work, row + i + 2),
                    ld(work, row + n + i + 1) + extra,
                    ld(work, row + n + i + 2),
                    ld(work, row + 2 * n + i + 2) + extra,
                )
                q = (
                    ld(work, v + i) - A[0] * old - A[1] * oldx - A[2] * oldy,
                    ld(work, v + i + 1) - A[1] * old - A[3] * oldx - A[4] * oldy,
                    ld(work, v + i + 2) - A[2] * old - A[4] * oldx - A[5] * oldy,
                )
                slip = ld(work, v + i + 1) * ld(work, v + i + 1) + ld(work, v + i + 2) * ld(work, v + i + 2)
                held = oldx * oldx + oldy * oldy
                new = cone_impulse(A, q, c, math.sqrt(slip / held) if held > 0.0 else A[3])
            st(work, lam + i, new[0])
            st(work, lam + i + 1, new[1])
            st(work, lam + i + 2, new[2])
            dn = new[0] - old
            dx = new[1] - oldx
            dy = new[2] - oldy
            for j in range(0, n, LANES):
                change = wide_ld(work, row + j) * dn + wide_ld(work, row + n + j) * dx
                wide_st(work, v + j, wide_ld(work, v + j) + change + wide_ld(work, row + 2 * n + j) * dy)
        else:
            w = ld(work, v + i) + c * old
            if s > 0.0:
                x = old - w / (s * s)
            else:
                x = 0.0  # nothing moves this row
            if ints[k, 0] != EQUALITY:
                if s < 0.0 and w != 0.0:
                    x = reals[k, 1] if w > 0.0 else reals[k, 2]
                    x = x if abs(x) < math.inf else 0.0
                x = min(max(x, reals[k, 1]), reals[k, 2])
            st(work, lam + i, x)
            add_rows(work, n, v, row, x - old)
