"""L U with row exchanges, for the matrices of sliding contacts.

Friction that follows the pressure makes them unsymmetric and, where it is large, indefinite: a leading minor may vanish
although the matrix is regular, and the determinant's sign tells whether there is an answer at all (Painleve). So each
pivot is the largest of its column, one at a time, which bunraku.linalg.dense (four at a time, without exchanges, in
lanes) cannot do. Rows are as long as there, whole lanes; what lies beyond m unknowns is not used. Cost m^3/3
multiply-adds. Checked in tests/linalg/test_pivoted.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.linalg.dense import padded

TINY = 1e-14  # of the matrix' largest entry in a row: a smaller pivot means singular


@inline
def lu_factor(A, m, pivots):
    """P A = L U in place, of the leading m rows, with the inverse pivots on the diagonal. Returns the sign of the
    determinant, 0 if singular."""
    n = padded(m)
    sign = 1
    for k in range(m):
        best = k
        size = abs(ld(A, k * n + k))
        for i in range(k + 1, m):
            x = abs(ld(A, i * n + k))
            if x > size:
                size = x
                best = i
        scale = 0.0
        for j in range(m):
            scale = max(scale, abs(ld(A, best * n + j)))
        pivots[k] = best
        if not size > TINY * scale:
            return 0
        if best != k:
            sign = -sign
            for j in range(m):
                x = ld(A, k * n + j)
                st(A, k * n + j, ld(A, best * n + j))
                st(A, best * n + j, x)
        row = k * n
        pivot = ld(A, row + k)
        if pivot < 0.0:
            sign = -sign
        inverse = 1.0 / pivot
        st(A, row + k, inverse)
        for i in range(k + 1, m):
            other = i * n
            l = ld(A, other + k) * inverse
            st(A, other + k, l)
            if l != 0.0:
                for j in range(k + 1, m):
                    st(A, other + j, ld(A, other + j) - l * ld(A, row + j))
    return sign


@inline
def lu_solve(A, m, pivots, x):
    """x <- A^-1 x."""
    n = padded(m)
    for k in range(m):
        i = pivots[k]
        y = ld(x, i)
        st(x, i, ld(x, k))
        st(x, k, y)
    for k in range(m):
        y = ld(x, k)
        for j in range(k):
            y -= ld(A, k * n + j) * ld(x, j)
        st(x, k, y)
    for k in range(m - 1, -1, -1):
        y = ld(x, k)
        for j in range(k + 1, m):
            y -= ld(A, k * n + j) * ld(x, j)
        st(x, k, y * ld(A, k * n + k))
