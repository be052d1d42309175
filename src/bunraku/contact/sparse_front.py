"""Factorisation of the Newton matrix of a large island by fronts: dense work on small matrices, one for every join of
two clusters.

The multifrontal method [Duff and Reid, ACM TOMS 9 (1983) 302] on the fronts of bunraku.linalg.sparse_order. A front's
matrix has its pivots first, then its border, both filled up to whole lanes. It collects the matrix entries of its
pivots and what its children left of their borders, eliminates the pivots (bunraku.linalg.dense.factor, stopped there),
and leaves its own border's matrix on a stack. What is kept of a front: its pivot rows (inner rows of inner + outer),
the multipliers of its border (outer rows of inner), the inverse pivots (inner).

The matrix is T K G + Gamma + h D + R of bunraku.contact.active; its pattern is symmetric, its values are unless
something slips. Unknowns stand in block order in vectors (FIRST). The buffer is work[low .. high): factors grow from
the left, the stack from the right. Checked in tests/linalg/test_sparse_order.py against NumPy.
"""

from __future__ import annotations

from bunraku.contact.active import REGULAR, ROW, SLIP, SMALLEST
from bunraku.contact.memory import CLASS, FX, FY, GAMMA, INVERSE, STEP, TINY, TRIAL, block_at
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import LANES, join, ld, st, wide_ld, wide_st
from bunraku.linalg.dense import factor, rows_times
from bunraku.linalg.sparse_order import (
    BLOCKS,
    BORDER,
    CHILD_A,
    CHILD_B,
    FACTOR,
    FIRST,
    INNER,
    ORDER,
    OUTER,
    PIVOTS,
    POSITION,
    STAMP,
    START,
    WEIGHT,
    front_at,
)


@inline
def trial_columns_of(K, state, fx, fy, mu):
    """K_ij (columns of three, nine numbers) times G of block j: up to three columns."""
    if state != SLIP:
        return K
    return (
        K[0] + mu * (fx * K[3] + fy * K[6]),
        K[1] + mu * (fx * K[4] + fy * K[7]),
        K[2] + mu * (fx * K[5] + fy * K[8]),
        fx * K[6] - fy * K[3],
        fx * K[7] - fy * K[4],
        fx * K[8] - fy * K[5],
        0.0,
        0.0,
        0.0,
    )


@inline
def test_rows_of(K, state, fx, fy):
    """T of block i times K_ij (columns of three): up to three rows."""
    if state != SLIP:
        return K
    return (
        K[0],
        fx * K[2] - fy * K[1],
        0.0,
        K[3],
        fx * K[5] - fy * K[4],
        0.0,
        K[6],
        fx * K[8] - fy * K[7],
        0.0,
    )


@inline
def put(work, at, n, K, rows, columns):
    """Add the leading rows and columns of K to the matrix at `at`, rows of n."""
    for c in range(columns):
        for r in range(rows):
            to = at + r * n + c
            st(work, to, ld(work, to) + K[3 * c + r])


@part
def collect_entries(starts, cols, values, reals, nblocks, clusters, work, n, iwork, f, at, symmetric, h):
    """Add to the front's matrix at `at` the entries of its pivots, and the identity in what fills up its lanes."""
    here = front_at(nblocks, clusters, f)
    inner = iwork[here + INNER]
    size = inner + iwork[here + OUTER]
    place = 0
    for b in range(iwork[here + BLOCKS]):
        k = iwork[iwork[here + START] + b]
        if b == iwork[here + PIVOTS]:
            place = inner
        iwork[POSITION * nblocks + k] = place
        iwork[STAMP * nblocks + k] = f
        place += iwork[WEIGHT * nblocks + k]
    pivots = 0
    for b in range(iwork[here + PIVOTS]):
        i = iwork[iwork[here + START] + b]
        rows = iwork[WEIGHT * nblocks + i]
        p = iwork[POSITION * nblocks + i]
        own = block_at(n, i)
        state = ld(work, own + CLASS)
        pivots += rows
        for e in range(starts[i], starts[i + 1]):
            j = cols[e]
            columns = iwork[WEIGHT * nblocks + j]
            if columns == 0 or iwork[STAMP * nblocks + j] != f:
                continue
            q = iwork[POSITION * nblocks + j]
            if symmetric and q < p:
                continue
            a = 9 * e
            K = (
                ld(values, a),
                ld(values, a + 1),
                ld(values, a + 2),
                ld(values, a + 3),
                ld(values, a + 4),
                ld(values, a + 5),
                ld(values, a + 6),
                ld(values, a + 7),
                ld(values, a + 8),
            )
            if symmetric:
                put(work, at + p * size + q, size, K, rows, columns)
                continue
            o = block_at(n, j)
            other = ld(work, o + CLASS)
            M = trial_columns_of(K, other, ld(work, o + FX), ld(work, o + FY), reals[j, 0])
            M = test_rows_of(M, state, ld(work, own + FX), ld(work, own + FY))
            put(work, at + p * size + q, size, M, rows, columns)
            if q >= inner:  # T_j K_ji G_i
                K = (K[0], K[3], K[6], K[1], K[4], K[7], K[2], K[5], K[8])
                M = trial_columns_of(K, state, ld(work, own + FX), ld(work, own + FY), reals[i, 0])
                M = test_rows_of(M, other, ld(work, o + FX), ld(work, o + FY))
                put(work, at + q * size + p, size, M, columns, rows)
    # Gamma + h D + R on the diagonal; the smallest pivots
    for b in range(iwork[here + PIVOTS]):
        i = iwork[iwork[here + START] + b]
        p = iwork[POSITION * nblocks + i]
        u = iwork[FIRST * nblocks + i]
        state = ld(work, block_at(n, i) + CLASS)
        last = iwork[WEIGHT * nblocks + i] - 1
        for r in range(last + 1):
            d = ld(work, TINY * n + u + r) * (1.0 / SMALLEST)
            x = (h + REGULAR) * d
            if r == last and (state == SLIP or state == ROW):
                x += ld(work, block_at(n, i) + GAMMA)
            to = at + (p + r) * (size + 1)
            st(work, to, ld(work, to) + x)
            st(work, INVERSE * n + p + r, SMALLEST * d)
    for p in range(pivots, inner):
        st(work, at + p * (size + 1), 1.0)
        st(work, INVERSE * n + p, 0.0)


@part
def collect_child(nblocks, clusters, work, iwork, child, at, size, symmetric):
    """Add a child's border matrix to the front's at `at`."""
    c = front_at(nblocks, clusters, child)
    first = iwork[c + START] + iwork[c + PIVOTS]
    last = iwork[c + START] + iwork[c + BLOCKS]
    outer = iwork[c + OUTER]
    row = iwork[c + BORDER]
    r0 = 0
    for i in range(first, last):
        rows = iwork[WEIGHT * nblocks + iwork[i]]
        p = iwork[POSITION * nblocks + iwork[i]]
        if symmetric:
            for r in range(rows):
                for s in range(r, rows):
                    to = at + (p + r) * size + p + s
                    st(work, to, ld(work, to) + ld(work, row + r * outer + r0 + s))
            c0 = r0 + rows
            for j in range(i + 1, last):
                columns = iwork[WEIGHT * nblocks + iwork[j]]
                q = iwork[POSITION * nblocks + iwork[j]]
                to = at + p * size + q if q > p else at + q * size + p
                down = size if q > p else 1
                right = 1 if q > p else size
                for r in range(rows):
                    for s in range(columns):
                        a = to + r * down + s * right
                        st(work, a, ld(work, a) + ld(work, row + r * outer + c0 + s))
                c0 += columns
        else:
            c0 = 0
            for j in range(first, last):
                columns = iwork[WEIGHT * nblocks + iwork[j]]
                to = at + p * size + iwork[POSITION * nblocks + iwork[j]]
                for r in range(rows):
                    for s in range(columns):
                        a = to + r * size + s
                        st(work, a, ld(work, a) + ld(work, row + r * outer + c0 + s))
                c0 += columns
        row += rows * outer
        r0 += rows


@inline
def copy_numbers(work, to, at, count):
    """count numbers, a multiple of the lanes, from a place that is not overwritten before it is read."""
    for j in range(0, count, LANES):
        wide_st(work, to + j, wide_ld(work, at + j))


@part
def factor_fronts(starts, cols, values, reals, nblocks, clusters, fronts, work, n, iwork, low, high, symmetric, h):
    """Factor the whole matrix. Returns whether there was room."""
    zero = join(0.0, 0.0, 0.0, 0.0)
    for k in range(nblocks):
        iwork[STAMP * nblocks + k] = -1
    top = high
    for s in range(fronts):
        f = iwork[front_at(nblocks, clusters, s) + ORDER]
        here = front_at(nblocks, clusters, f)
        inner = iwork[here + INNER]
        outer = iwork[here + OUTER]
        size = inner + outer
        if low + size * size + inner + outer * outer > top:
            return False
        for j in range(low, low + size * size, LANES):
            wide_st(work, j, zero)
        collect_entries(starts, cols, values, reals, nblocks, clusters, work, n, iwork, f, low, symmetric, h)
        for which in (CHILD_A, CHILD_B):
            child = iwork[here + which]
            if child >= 0:
                collect_child(nblocks, clusters, work, iwork, child, low, size, symmetric)
                c = front_at(nblocks, clusters, child)
                top = max(top, iwork[c + BORDER] + iwork[c + OUTER] * iwork[c + OUTER])
        inverse = TRIAL * n
        factor(work, low, size, size, inner, symmetric, INVERSE * n, inverse)
        top -= outer * outer
        iwork[here + BORDER] = top
        iwork[here + FACTOR] = low
        for r in range(outer):
            copy_numbers(work, top + r * outer, low + (inner + r) * size + inner, outer)
        for r in range(outer):
            copy_numbers(work, low + inner * size + r * inner, low + (inner + r) * size, inner)
        low += inner * size + outer * inner
        copy_numbers(work, low, inverse, inner)
        low += inner
    return True


@part
def substitute_fronts(nblocks, clusters, fronts, work, n, iwork):
    """Solve for work[STEP] in place."""
    x = TRIAL * n  # a front's part of it
    for s in range(fronts):
        here = front_at(nblocks, clusters, iwork[front_at(nblocks, clusters, s) + ORDER])
        inner = iwork[here + INNER]
        outer = iwork[here + OUTER]
        size = inner + outer
        at = iwork[here + FACTOR]
        exchange(nblocks, work, n, iwork, here, x, True, False)
        for k in range(0, inner, LANES):
            row = at + k * size
            s0, s1, s2, s3 = rows_times(work, row, size, x, 0, k)
            y0 = ld(work, x + k) - s0
            y1 = ld(work, x + k + 1) - s1 - ld(work, row + size + k) * y0
            row += 2 * size + k
            y2 = ld(work, x + k + 2) - s2 - ld(work, row) * y0 - ld(work, row + 1) * y1
            row += size
            y3 = ld(work, x + k + 3) - s3 - ld(work, row) * y0 - ld(work, row + 1) * y1 - ld(work, row + 2) * y2
            wide_st(work, x + k, join(y0, y1, y2, y3))
        row = at + inner * size
        for r in range(0, outer, LANES):
            s0, s1, s2, s3 = rows_times(work, row + r * inner, inner, x, 0, inner)
            wide_st(work, x + inner + r, join(-s0, -s1, -s2, -s3))
        exchange(nblocks, work, n, iwork, here, x, False, False)
    for s in range(fronts - 1, -1, -1):
        here = front_at(nblocks, clusters, iwork[front_at(nblocks, clusters, s) + ORDER])
        inner = iwork[here + INNER]
        outer = iwork[here + OUTER]
        size = inner + outer
        at = iwork[here + FACTOR]
        inverse = at + inner * size + outer * inner
        exchange(nblocks, work, n, iwork, here, x, True, True)
        for k in range(inner - LANES, -1, -LANES):
            row = at + k * size
            s0, s1, s2, s3 = rows_times(work, row, size, x, k + LANES, size)
            y3 = (ld(work, x + k + 3) - s3) * ld(work, inverse + k + 3)
            row += 2 * size + k + 3
            y2 = (ld(work, x + k + 2) - s2 - ld(work, row) * y3) * ld(work, inverse + k + 2)
            row -= size
            y1 = (ld(work, x + k + 1) - s1 - ld(work, row - 1) * y2 - ld(work, row) * y3) * ld(work, inverse + k + 1)
            row -= size
            y0 = ld(work, x + k) - s0 - ld(work, row - 2) * y1 - ld(work, row - 1) * y2 - ld(work, row) * y3
            wide_st(work, x + k, join(y0 * ld(work, inverse + k), y1, y2, y3))
        exchange(nblocks, work, n, iwork, here, x, False, True)


@inline
def exchange(nblocks, work, n, iwork, here, x, inwards, back):
    """Between work[STEP] and a front's part x. In: the pivots (and going back, the border). Out: the pivots (and going
    forth, the border's change is added)."""
    at = x
    zero = join(0.0, 0.0, 0.0, 0.0)
    if inwards:
        if iwork[here + INNER] > 0:
            wide_st(work, x + iwork[here + INNER] - LANES, zero)
        if iwork[here + OUTER] > 0:
            wide_st(work, x + iwork[here + INNER] + iwork[here + OUTER] - LANES, zero)
    for b in range(iwork[here + BLOCKS]):
        if b == iwork[here + PIVOTS]:
            if inwards and not back:
                break
            if back and not inwards:
                break
            at = x + iwork[here + INNER]
        k = iwork[iwork[here + START] + b]
        u = STEP * n + iwork[FIRST * nblocks + k]
        for r in range(iwork[WEIGHT * nblocks + k]):
            if inwards:
                st(work, at + r, ld(work, u + r))
            elif b < iwork[here + PIVOTS]:
                st(work, u + r, ld(work, at + r))
            else:
                st(work, u + r, ld(work, u + r) + ld(work, at + r))
        at += iwork[WEIGHT * nblocks + k]
