"""Products and sweeps with the block-sparse matrix of a large island (layout: bunraku.linalg.sparse_pattern).

A softened problem has K + h D in the place of K and b - h D lam0 in the place of b (D: squares of the scales, lam0:
CENTRE); h D is added here as it is needed, K itself is never changed. Vectors lie in `work` as in
bunraku.contact.memory, n numbers each, with n at least m + 3: a block with one row reads two numbers beyond it and
multiplies them by zero.

A sweep solves every block exactly in turn, the others held, as bunraku.contact.sweep does, but gathers v_i = K_i lam +
b_i when it comes to block i. Cost of both: 12 multiply-adds an entry, in lanes. Checked in
tests/contact/test_sparse.py.
"""

from __future__ import annotations

import math

from bunraku.contact.blocks import BOUNDED, CONTACT, finish_scales
from bunraku.contact.cone import cone_impulse
from bunraku.contact.memory import CENTRE, LAM, ROOT, B, V
from bunraku.contact.sweep import LOCAL
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import join, ld, split, st, wide_ld


@part
def sparse_scales(starts, values, ints, reals, nblocks, work, n):
    """sqrt(d) of every row into work[ROOT], negative for an immovable one (bunraku.contact.blocks)."""
    largest = 0.0
    at = ROOT * n
    for k in range(nblocks):
        i = ints[k, 1]
        e = 9 * starts[k]
        d = ld(values, e)
        if ints[k, 0] == CONTACT:
            t = 0.5 * (ld(values, e + 4) + ld(values, e + 8))
            st(work, at + i + 1, t)
            st(work, at + i + 2, t)
            largest = max(largest, t)
        else:
            d = d + reals[k, 0]
        st(work, at + i, d)
        largest = max(largest, d)
    finish_scales(ints, nblocks, work, at, largest)


@inline
def gather(starts, cols, values, ints, work, lam, k):
    """Block row k of K times work[lam]: three numbers, the last two of no use for a block with one row."""
    left = join(0.0, 0.0, 0.0, 0.0)
    right = left
    more = left
    for e in range(starts[k], starts[k + 1]):
        j = lam + ints[cols[e], 1]
        left = left + wide_ld(values, 9 * e) * ld(work, j)
        more = more + wide_ld(values, 9 * e + 3) * ld(work, j + 1)
        right = right + wide_ld(values, 9 * e + 5) * ld(work, j + 2)  # its first lane is not of this column
    a, b, c, _ = split(left + more)
    _, d, e, f = split(right)
    return a + d, b + e, c + f


@part
def sparse_multiply(starts, cols, values, ints, nblocks, work, n, h):
    """work[V] = (K + h D) work[LAM] + work[B], where B holds b - h D lam0."""
    for k in range(nblocks):
        x, y, z = gather(starts, cols, values, ints, work, LAM * n, k)
        i = ints[k, 1]
        d = h * ld(work, ROOT * n + i) * ld(work, ROOT * n + i)
        st(work, V * n + i, x + ld(work, B * n + i) + d * ld(work, LAM * n + i))
        if ints[k, 0] == CONTACT:
            d = h * ld(work, ROOT * n + i + 1) * ld(work, ROOT * n + i + 1)
            st(work, V * n + i + 1, y + ld(work, B * n + i + 1) + d * ld(work, LAM * n + i + 1))
            st(work, V * n + i + 2, z + ld(work, B * n + i + 2) + d * ld(work, LAM * n + i + 2))


@part
def soften_sparse(b, m, work, n, h):
    """Make the present impulses the centre: B = b - h D lam."""
    for i in range(m):
        x = ld(work, LAM * n + i)
        st(work, CENTRE * n + i, x)
        st(work, B * n + i, b[i] - h * ld(work, ROOT * n + i) * ld(work, ROOT * n + i) * x)


@part
def sparse_sweep(starts, cols, values, ints, reals, nblocks, work, n, h):
    """Pass over all blocks once; work[LAM] is updated, work[V] is not. Immovable blocks are left alone."""
    for k in range(nblocks):
        i = LAM * n + ints[k, 1]
        s = ld(work, ROOT * n + ints[k, 1])
        if s < 0.0:
            continue
        vn, vx, vy = gather(starts, cols, values, ints, work, LAM * n, k)
        b = B * n + ints[k, 1]
        e = 9 * starts[k]
        c = reals[k, 0]
        old = ld(work, i)
        soft = h * s * s
        if ints[k, 0] == CONTACT:
            t = ld(work, ROOT * n + ints[k, 1] + 1)
            oldx = ld(work, i + 1)
            oldy = ld(work, i + 2)
            extra = LOCAL * max(s * s, t * t)
            vn += ld(work, b) + soft * old
            vx += ld(work, b + 1) + h * t * t * oldx
            vy += ld(work, b + 2) + h * t * t * oldy
            A = (
                ld(values, e) + soft + extra,
                ld(values, e + 1),
                ld(values, e + 2),
                ld(values, e + 4) + h * t * t + extra,
                ld(values, e + 5),
                ld(values, e + 8) + h * t * t + extra,
            )
            q = (
                vn - A[0] * old - A[1] * oldx - A[2] * oldy,
                vx - A[1] * old - A[3] * oldx - A[4] * oldy,
                vy - A[2] * old - A[4] * oldx - A[5] * oldy,
            )
            held = oldx * oldx + oldy * oldy
            new = cone_impulse(A, q, c, math.sqrt((vx * vx + vy * vy) / held) if held > 0.0 else A[3])
            st(work, i, new[0])
            st(work, i + 1, new[1])
            st(work, i + 2, new[2])
        else:
            vn += ld(work, b) + soft * old
            x = old - (vn + c * old) / (ld(values, e) + soft + c)
            if ints[k, 0] == BOUNDED:
                x = min(max(x, reals[k, 1]), reals[k, 2])
            st(work, i, x)
