"""Dense linear systems of the contact solver, matrices flat: L D L' where the matrix is symmetric, L U with row
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
def regularise(A, n, diagonal, eps):
    """eps D to `diagonal`, A += eps D."""
    for k in range(n):
        d = abs(ld(A, k * n + k))
        st(diagonal, k, eps * d)
        st(A, k * n + k, ld(A, k * n + k) + eps * d)


@inline
def ldl_factor(A, n):
    """A = U' D^-1 U in place from its upper triangle: rows of U, on the diagonal the inverse pivots; 0 for a row that
    has none."""
    for k in range(n):
        row = k * n
        d = ld(A, row + k)
        inverse = 1.0 / d if d > 0.0 else 0.0
        st(A, row + k, inverse)
        for i in range(k + 1, n):
            l = ld(A, row + i) * inverse
            if l != 0.0:
                other = i * n
                for j in range(i, n):
                    st(A, other + j, ld(A, other + j) - l * ld(A, row + j))


@inline
def ldl_solve(A, n, x):
    """x <- A^-1 x."""
    for k in range(n):
        row = k * n
        z = ld(x, k) * ld(A, row + k)
        st(x, k, z)
        for i in range(k + 1, n):
            st(x, i, ld(x, i) - ld(A, row + i) * z)
    for k in range(n - 2, -1, -1):
        row = k * n
        s = 0.0
        for i in range(k + 1, n):
            s += ld(A, row + i) * ld(x, i)
        st(x, k, ld(x, k) - ld(A, row + k) * s)


@inline
def lu_factor(A, n, pivots):
    """P A = L U in place. Returns the sign of the determinant, 0 if singular."""
    sign = 1
    for k in range(n):
        best = k
        size = abs(ld(A, k * n + k))
        for i in range(k + 1, n):
            x = abs(ld(A, i * n + k))
            if x > size:
                size = x
                best = i
        scale = 0.0
        for j in range(n):
            scale = max(scale, abs(ld(A, best * n + j)))
        pivots[k] = best
        if not size > TINY * scale:
            return 0
        if best != k:
            sign = -sign
            for j in range(n):
                x = ld(A, k * n + j)
                st(A, k * n + j, ld(A, best * n + j))
                st(A, best * n + j, x)
        row = k * n
        pivot = ld(A, row + k)
        if pivot < 0.0:
            sign = -sign
        inverse = 1.0 / pivot
        for i in range(k + 1, n):
            other = i * n
            l = ld(A, other + k) * inverse
            st(A, other + k, l)
            if l != 0.0:
                for j in range(k + 1, n):
                    st(A, other + j, ld(A, other + j) - l * ld(A, row + j))
    return sign


@inline
def lu_solve(A, n, pivots, x):
    """x <- A^-1 x."""
    for k in range(n):
        i = pivots[k]
        y = ld(x, i)
        st(x, i, ld(x, k))
        st(x, k, y)
    for k in range(n):
        y = ld(x, k)
        for j in range(k):
            y -= ld(A, k * n + j) * ld(x, j)
        st(x, k, y)
    for k in range(n - 1, -1, -1):
        y = ld(x, k)
        for j in range(k + 1, n):
            y -= ld(A, k * n + j) * ld(x, j)
        st(x, k, y / ld(A, k * n + k))


@inline
def solve(factors, diagonal, eps, x, rest, enough):
    """x moves towards A^-1 b from where it is; `rest` is b - A x before and after. factors: (A, n, pivots, whether it
    is symmetric); diagonal: eps D. Stops when every |rest| / sqrt(D) is at most `enough`; returns the largest."""
    A, n, pivots, symmetric = factors
    error = 0.0
    for _ in range(REPEATS):
        if symmetric:
            ldl_solve(A, n, rest)
        else:
            lu_solve(A, n, pivots, rest)
        error = 0.0
        for k in range(n):
            y = ld(rest, k)
            d = ld(diagonal, k)
            st(x, k, ld(x, k) + y)
            st(rest, k, d * y)
            error = max(error, abs(y) * math.sqrt(eps * d))  # d y / sqrt(d / eps)
        if error <= enough:
            break
    return error
