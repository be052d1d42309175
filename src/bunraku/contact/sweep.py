"""One sweep of block Gauss-Seidel: every block in turn takes the impulse that solves it alone, the others held (001,
section 3).

Against (17)-(21) of 001 a contact's three rows move together, by the exact solution on the true cone
(bunraku.contact.cone) instead of a row at a time and a radial projection. v is kept up to date by columns of K, so a
sweep costs m^2 multiply-adds and no products are repeated. A contact's own 3x3 block may be singular: 1e-7 of its scale
is added, and the old impulse's share of that taken off the right-hand side, which moves no fixed point. Checked in
tests/contact/test_pgs.py.
"""

from __future__ import annotations

import math

from bunraku.contact.blocks import BOUNDED, CONTACT
from bunraku.contact.cone import cone_impulse
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import LANES, ld, st, wide_ld, wide_st

LOCAL = 1e-7  # of a contact's scale, added to its diagonal


@inline
def settle_immovable(ints, reals, nblocks, work, root, b, lam):
    """Blocks that nothing moves (v = b) take the impulse their law asks for, once: a bound, or none."""
    for k in range(nblocks):
        i = ints[k, 1]
        if ld(work, root + i) > 0.0:
            continue
        x = 0.0
        if ints[k, 0] == CONTACT:
            st(work, lam + i + 1, 0.0)
            st(work, lam + i + 2, 0.0)
        elif ints[k, 0] == BOUNDED:
            v = ld(work, b + i)
            x = reals[k, 1] if v > 0.0 else reals[k, 2] if v < 0.0 else 0.0
            x = min(max(x if abs(x) < math.inf else 0.0, reals[k, 1]), reals[k, 2])
        st(work, lam + i, x)


@inline
def sweep(ints, reals, nblocks, work, K, n, root, v, lam):
    """Pass over all blocks once; work[lam] and work[v] = K lam + b are updated. Immovable blocks are left alone."""
    for k in range(nblocks):
        i = ints[k, 1]
        s = ld(work, root + i)
        if s < 0.0:
            continue
        row = K + i * n
        c = reals[k, 0]
        old = ld(work, lam + i)
        if ints[k, 0] == CONTACT:
            oldx = ld(work, lam + i + 1)
            oldy = ld(work, lam + i + 2)
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
            x = old - (ld(work, v + i) + c * old) / (ld(work, row + i) + c)
            if ints[k, 0] == BOUNDED:
                x = min(max(x, reals[k, 1]), reals[k, 2])
            st(work, lam + i, x)
            for j in range(0, n, LANES):
                wide_st(work, v + j, wide_ld(work, v + j) + wide_ld(work, row + j) * (x - old))
