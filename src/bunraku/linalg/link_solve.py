"""Dense linear systems of the contact solver inside one flat buffer: L D L' where the matrix is symmetric, L U with row
exchanges where friction has made it unsymmetric; both with the answer nearest to a given one for over-constrained sets.

    x <- x + (A + eps D)^-1 (b - A x),  D = |diagonal of A|, again and again
until what is left of b, which after a step is eps D (x_new - x_old), is small enough. An over-constrained but
consistent A (straight knees, a box on four blocks) so yields the x nearest to the first one in the metric D, from zero
the one of least norm. Each repetition costs n^2 and takes off eps / lambda along an eigenvector of D^-1/2 A D^-1/2 with
eigenvalue lambda; where rows contradict one another by a little (gaps that differ by rounding), x moves by little /
eps, not by little / rounding. Cost n^3/6 (L D L') or n^3/3 (L U) multiply-adds. Checked in
tests/linalg/test_link_solve.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st

REPEATS = 12
TINY = 1e-14  # of the matrix' largest entry in a column: a smaller pivot means singular


@inline
def regularise(work, A, n, diagonal, eps):
    """eps D to work[diagonal], A += eps D."""
    for k in range(n):
        d = abs(ld(work, A + k * n + k))
        st(work, diagonal + k, eps * d)
        st(work, A + k * n + k, ld(work, A + k * n + k) + eps * d)


@inline
def ldl_factor(work, A, n):
    """A = U' D^-1 U in place from its upper triangle: rows of U, on the diagonal the inverse pivots; 0 for a row that
    has none."""
    for k in range(n):
        row = A + k * n
        d = ld(work, row + k)
        inverse = 1.0 / d if d > 0.0 else 0.0
        st(work, row + k, inverse)
        for i in range(k + 1, n):
            l = ld(work, row + i) * inverse
            if l != 0.0:
                other = A + i * n
                for j in range(i, n):
                    st(work, other + j, ld(work, other + j) - l * ld(work, row + j))


@inline
def ldl_solve(work, A, n, x):
    """work[x] <- A^-1 work[x]."""
    for k in range(n):
        row = A + k * n
        z = ld(work, x + k) * ld(work, row + k)
        st(work, x + k, z)
        for i in range(k + 1, n):
            st(work, x + i, ld(work, x + i) - ld(work, row + i) * z)
    for k in range(n - 2, -1, -1):
        row = A + k * n
        s = 0.0
        for i in range(k + 1, n):
            s += ld(work, row + i) * ld(work, x + i)
        st(work, x + k, ld(work, x + k) - ld(work, row + k) * s)


@inline
def lu_factor(work, A, n, iwork, pivots):
    """P A = L U in place. Returns the sign of the determinant, 0 if singular."""
    sign = 1
    for k in range(n):
        best = k
        size = abs(ld(work, A + k * n + k))
        for i in range(k + 1, n):
            x = abs(ld(work, A + i * n + k))
            if x > size:
                size = x
                best = i
        scale = 0.0
        for j in range(n):
            scale = max(scale, abs(ld(work, A + best * n + j)))
        iwork[pivots + k] = best
        if not size > TINY * scale:
            return 0
        if best != k:
            sign = -sign
            for j in range(n):
                x = ld(work, A + k * n + j)
                st(work, A + k * n + j, ld(work, A + best * n + j))
                st(work, A + best * n + j, x)
        row = A + k * n
        pivot = ld(work, row + k)
        if pivot < 0.0:
            sign = -sign
        inverse = 1.0 / pivot
        for i in range(k + 1, n):
            other = A + i * n
            l = ld(work, other + k) * inverse
            st(work, other + k, l)
            if l != 0.0:
                for j in range(k + 1, n):
                    st(work, other + j, ld(work, other + j) - l * ld(work, row + j))
    return sign


@inline
def lu_solve(work, A, n, iwork, pivots, x):
    """work[x] <- A^-1 work[x]."""
    for k in range(n):
        i = iwork[pivots + k]
        y = ld(work, x + i)
        st(work, x + i, ld(work, x + k))
        st(work, x + k, y)
    for k in range(n):
        y = ld(work, x + k)
        for j in range(k):
            y -= ld(work, A + k * n + j) * ld(work, x + j)
        st(work, x + k, y)
    for k in range(n - 1, -1, -1):
        y = ld(work, x + k)
        for j in range(k + 1, n):
            y -= ld(work, A + k * n + j) * ld(work, x + j)
        st(work, x + k, y / ld(work, A + k * n + k))


@inline
def solve(work, A, n, iwork, pivots, symmetric, diagonal, eps, x, rest, enough):
    """work[x] moves towards A^-1 b from where it is; work[rest] is b - A x before and after. `diagonal`: eps D. Stops
    when every |rest| / sqrt(D) is at most `enough`; returns the largest."""
    error = 0.0
    for _ in range(REPEATS):
        if symmetric:
            ldl_solve(work, A, n, rest)
        else:
            lu_solve(work, A, n, iwork, pivots, rest)
        error = 0.0
        for k in range(n):
            y = ld(work, rest + k)
            d = ld(work, diagonal + k)
            st(work, x + k, ld(work, x + k) + y)
            st(work, rest + k, d * y)
            error = max(error, abs(y) * math.sqrt(eps * d))  # d y / sqrt(d / eps)
        if error <= enough:
            break
    return error
