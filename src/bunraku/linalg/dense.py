"""Small dense algebra in lanes, on padded square matrices inside flat arrays: product, factorisation, solve.

A matrix starts at `at` of its array and has rows of n numbers, of which `size` count, both multiples of 4; vectors are
arrays from 0 on. Factorisation A = L U without pivoting, four pivots at a time, in place: U on and above the diagonal,
the multipliers below (a symmetric A is read above the diagonal only: L D L', half the work). That is safe for what
comes here, a positive semi-definite matrix plus a small diagonal; a pivot that still is too small is replaced by
`tiny`, and where that is infinite the row is left out: its unknown is zero. A right side may ride along as a column
behind the unknowns; it becomes L^-1 b. (Matrices that sliding has made indefinite need row exchanges, which four pivots
at a time do not have: bunraku.linalg.pivoted.) Cost size^3/6 (symmetric) or size^3/3 multiply-adds; 52: 2.7 us.

The answer nearest to a given one, for over-constrained sets, with D = |diagonal of A|:
    x <- x + (A + eps D)^-1 (b - A x), again and again
until what is left of b, which after a step is eps D (x_new - x_old), is small enough (`regularise`, `factor_regular`,
`approach`). An over-constrained but consistent A (straight knees, a box on four blocks) so yields the x nearest to the
first one in the metric D, from zero the one of least norm. Each repetition costs n^2 and takes off eps / lambda along
an eigenvector of D^-1/2 A D^-1/2 with eigenvalue lambda; where rows contradict one another by a little (gaps that
differ by rounding), x moves by little / eps, not by little / rounding. Checked in tests/linalg/test_dense.py against
NumPy.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import LANES, join, ld, split, st, wide_ld, wide_st


@inline
def padded(m):
    """m rounded up to a multiple of the lanes."""
    return (m + LANES - 1) // LANES * LANES


@inline
def multiply(A, n, m, x, b, out):
    """out = A' x + b for the leading m rows of A, all n columns (A symmetric: A x + b)."""
    for i in range(0, n, LANES):
        even = wide_ld(b, i)
        odd = join(0.0, 0.0, 0.0, 0.0)
        for j in range(0, m - 1, 2):
            even = even + wide_ld(A, j * n + i) * ld(x, j)
            odd = odd + wide_ld(A, (j + 1) * n + i) * ld(x, j + 1)
        if m % 2 == 1:
            even = even + wide_ld(A, (m - 1) * n + i) * ld(x, m - 1)
        wide_st(out, i, even + odd)


@inline
def pivot(a, tiny):
    """1 / a, or 1 / tiny where a is too small to divide by."""
    return 1.0 / a if abs(a) > tiny else 1.0 / tiny


@inline
def factor(work, at, n, size, pivots, symmetric, tiny, inverse):
    """A = L U in place; gives the inverse pivots, takes the smallest allowed ones, `tiny`.

    With pivots < size (a multiple of 4 too) it stops there: the rest of A becomes what is left of it (its Schur
    complement; above the diagonal only, if symmetric)."""
    for k in range(0, pivots, LANES):
        r0 = at + k * n
        r1 = r0 + n
        r2 = r1 + n
        r3 = r2 + n
        # the 4x4 block on the diagonal
        u00, u01, u02, u03 = split(wide_ld(work, r0 + k))
        a10, a11, a12, a13 = split(wide_ld(work, r1 + k))
        a20, a21, a22, a23 = split(wide_ld(work, r2 + k))
        a30, a31, a32, a33 = split(wide_ld(work, r3 + k))
        if symmetric:
            a10 = u01
            a20 = u02
            a30 = u03
            a21 = a12
            a31 = a13
            a32 = a23
        p0 = pivot(u00, ld(tiny, k))
        l10 = a10 * p0
        l20 = a20 * p0
        l30 = a30 * p0
        u11 = a11 - l10 * u01
        u12 = a12 - l10 * u02
        u13 = a13 - l10 * u03
        p1 = pivot(u11, ld(tiny, k + 1))
        l21 = (a21 - l20 * u01) * p1
        l31 = (a31 - l30 * u01) * p1
        u22 = a22 - l20 * u02 - l21 * u12
        u23 = a23 - l20 * u03 - l21 * u13
        p2 = pivot(u22, ld(tiny, k + 2))
        l32 = (a32 - l30 * u02 - l31 * u12) * p2
        u33 = a33 - l30 * u03 - l31 * u13 - l32 * u23
        p3 = pivot(u33, ld(tiny, k + 3))
        wide_st(inverse, k, join(p0, p1, p2, p3))
        wide_st(work, r1 + k, join(l10, u11, u12, u13))
        wide_st(work, r2 + k, join(l20, l21, u22, u23))
        wide_st(work, r3 + k, join(l30, l31, l32, u33))
        # its four rows to the right
        for j in range(k + LANES, size, LANES):
            x0 = wide_ld(work, r0 + j)
            x1 = wide_ld(work, r1 + j) - x0 * l10
            x2 = wide_ld(work, r2 + j) - x0 * l20 - x1 * l21
            x3 = wide_ld(work, r3 + j) - x0 * l30 - x1 * l31 - x2 * l32
            wide_st(work, r1 + j, x1)
            wide_st(work, r2 + j, x2)
            wide_st(work, r3 + j, x3)
        # the rows below, two at a time
        for i in range(k + LANES, size, 2):
            row = at + i * n
            low = row + n
            if symmetric:
                l0 = ld(work, r0 + i) * p0
                l1 = ld(work, r1 + i) * p1
                l2 = ld(work, r2 + i) * p2
                l3 = ld(work, r3 + i) * p3
                m0 = ld(work, r0 + i + 1) * p0
                m1 = ld(work, r1 + i + 1) * p1
                m2 = ld(work, r2 + i + 1) * p2
                m3 = ld(work, r3 + i + 1) * p3
                start = i // LANES * LANES
            else:
                a0, a1, a2, a3 = split(wide_ld(work, row + k))
                l0 = a0 * p0
                l1 = (a1 - l0 * u01) * p1
                l2 = (a2 - l0 * u02 - l1 * u12) * p2
                l3 = (a3 - l0 * u03 - l1 * u13 - l2 * u23) * p3
                a0, a1, a2, a3 = split(wide_ld(work, low + k))
                m0 = a0 * p0
                m1 = (a1 - m0 * u01) * p1
                m2 = (a2 - m0 * u02 - m1 * u12) * p2
                m3 = (a3 - m0 * u03 - m1 * u13 - m2 * u23) * p3
                start = k + LANES
            wide_st(work, row + k, join(l0, l1, l2, l3))
            wide_st(work, low + k, join(m0, m1, m2, m3))
            for j in range(start, size, LANES):
                x0 = wide_ld(work, r0 + j)
                x1 = wide_ld(work, r1 + j)
                x2 = wide_ld(work, r2 + j)
                x3 = wide_ld(work, r3 + j)
                wide_st(work, row + j, (wide_ld(work, row + j) - x0 * l0 - x1 * l1) - (x2 * l2 + x3 * l3))
                wide_st(work, low + j, (wide_ld(work, low + j) - x0 * m0 - x1 * m1) - (x2 * m2 + x3 * m3))


@inline
def total(x):
    """Sum of a lane's numbers."""
    a, b, c, d = split(x)
    return (a + b) + (c + d)


@inline
def rows_times(work, row, n, x, start, stop):
    """Four neighbouring rows, the first of which starts at `row`, times x, from column start to stop."""
    s0 = join(0.0, 0.0, 0.0, 0.0)
    s1 = s0
    s2 = s0
    s3 = s0
    for j in range(start, stop, LANES):
        y = wide_ld(x, j)
        s0 = s0 + wide_ld(work, row + j) * y
        s1 = s1 + wide_ld(work, row + n + j) * y
        s2 = s2 + wide_ld(work, row + 2 * n + j) * y
        s3 = s3 + wide_ld(work, row + 3 * n + j) * y
    return total(s0), total(s1), total(s2), total(s3)


@inline
def forth(work, at, n, size, x):
    """Solve L y = x in place."""
    for k in range(0, size, LANES):
        row = at + k * n
        s0, s1, s2, s3 = rows_times(work, row, n, x, 0, k)
        y0 = ld(x, k) - s0
        y1 = ld(x, k + 1) - s1 - ld(work, row + n + k) * y0
        row += 2 * n + k
        y2 = ld(x, k + 2) - s2 - ld(work, row) * y0 - ld(work, row + 1) * y1
        row += n
        y3 = ld(x, k + 3) - s3 - ld(work, row) * y0 - ld(work, row + 1) * y1 - ld(work, row + 2) * y2
        wide_st(x, k, join(y0, y1, y2, y3))


@inline
def back(work, at, n, size, columns, inverse, first, x):
    """Solve U y = x in place for the leading `size` numbers of x; the others, up to `columns`, are known. The inverse
    pivots stand in `inverse` from `first` on."""
    for k in range(size - LANES, -1, -LANES):
        row = at + k * n
        p = first + k
        s0, s1, s2, s3 = rows_times(work, row, n, x, k + LANES, columns)
        y3 = (ld(x, k + 3) - s3) * ld(inverse, p + 3)
        row += 2 * n + k + 3
        y2 = (ld(x, k + 2) - s2 - ld(work, row) * y3) * ld(inverse, p + 2)
        row -= n
        y1 = (ld(x, k + 1) - s1 - ld(work, row - 1) * y2 - ld(work, row) * y3) * ld(inverse, p + 1)
        row -= n
        y0 = ld(x, k) - s0 - ld(work, row - 2) * y1 - ld(work, row - 1) * y2 - ld(work, row) * y3
        wide_st(x, k, join(y0 * ld(inverse, p), y1, y2, y3))


@inline
def substitute(A, n, size, inverse, x):
    """Solve L U y = x in place."""
    forth(A, 0, n, size, x)
    back(A, 0, n, size, size, inverse, 0, x)


@inline
def regularise(A, m, eps, noise, added):
    """A += eps D + noise in its leading m rows, which `added` keeps; nothing where D is no more than noise."""
    n = padded(m)
    for k in range(m):
        d = abs(ld(A, k * n + k))
        more = 0.0 if d <= noise else eps * d + noise  # not a number stays one
        st(added, k, more)
        st(A, k * n + k, ld(A, k * n + k) + more)


@inline
def factor_regular(A, m, added, tiny, inverse):
    """`factor` of a symmetric A of m rows after `regularise`, from its upper triangle; zeros around it up to whole
    lanes. No pivot is smaller than what was added, but for rounding; rows to which nothing was are left out."""
    n = padded(m)
    for k in range(n):
        more = ld(added, k) if k < m else 0.0
        st(tiny, k, math.inf if more == 0.0 else more)
        for j in range(m if k < m else m // LANES * LANES, n):
            st(A, k * n + j, 0.0)
    factor(A, 0, n, n, n, True, tiny, inverse)


@inline
def approach(m, eps, added, x, rest):
    """x += y, where `rest` holds y = (A + eps D)^-1 (b - A x), then what is left, b - A x; returns its largest size
    over sqrt(D)."""
    error = 0.0
    for k in range(m):
        y = ld(rest, k)
        d = ld(added, k)
        st(x, k, ld(x, k) + y)
        st(rest, k, d * y)
        error = max(error, abs(y) * math.sqrt(eps * d))  # d y / sqrt(d / eps)
    return error
