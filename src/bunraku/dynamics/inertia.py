"""Articulated inertias as numbers: kept, added, moved and solved.

An articulated inertia maps motion (al, a) at a body's origin to wrench (n, f): n = A al + B a, f = B' al + C a, kept as
A (s3), B (m3), C (s3). Moving it from the origin of c to that of p, arm r = c - p:
    B <- B + [r]C,   A <- A - B[r] + [r](B + [r]C)'
The passes that use them: aba_kernel.py, one_axis.py, gear_group.py. Checked in tests/dynamics/ through aba, crba and delassus.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline
from bunraku.kernel.vec import (
    add,
    cross,
    ld3,
    ld6,
    ld9,
    mm,
    mt,
    mtv,
    mv,
    s_inverse,
    s_to_m,
    scale,
    st3,
    st6,
    st9,
    sub,
    sv,
)
from bunraku.model.layout import DA, IA, LEAF, MASS, NW, RIGID, WRENCH


@inline
def ld_inertia(work, k):
    """(A, B, C) of the inertia that begins at slot k."""
    return ld6(work, k), ld9(work, k + 6), ld6(work, k + 15)


@inline
def st_inertia(work, k, A, B, C):
    """Store an inertia."""
    st6(work, k, A)
    st9(work, k + 6, B)
    st6(work, k + 15, C)


@inline
def st_rigid(work, w, h, I):
    """Store a body's own first moment and inertia (world axes)."""
    st3(work, w + RIGID, h)
    st6(work, w + RIGID + 3, I)


@inline
def ld_articulated(ints, reals, work, i):
    """(A, B, C) of body i with all that reached it from further out: A = I + ..., B = [h] + ..., C = m + ..."""
    w = i * NW
    m = reals[i, MASS]
    h = ld3(work, w + RIGID)
    I = ld6(work, w + RIGID + 3)
    z = 0.0 * h[0]
    if ints[i, LEAF] != 0:
        m = m + z
        return I, (z, -h[2], h[1], h[2], z, -h[0], -h[1], h[0], z), (m, z, z, m, z, m)
    A, B, C = ld_inertia(work, w + IA)
    return (
        add6(A, I),
        (B[0], B[1] - h[2], B[2] + h[1], B[3] + h[2], B[4], B[5] - h[0], B[6] - h[1], B[7] + h[0], B[8]),
        (C[0] + m, C[1], C[2], C[3] + m, C[4], C[5] + m),
    )


@inline
def shifted(A, B, C, r):
    """The inertia seen from an origin that lies r behind."""
    # [r]C, column by column of the symmetric C
    x = cross(r, (C[0], C[1], C[2]))
    y = cross(r, (C[1], C[3], C[4]))
    z = cross(r, (C[2], C[4], C[5]))
    Bp = (
        B[0] + x[0],
        B[1] + y[0],
        B[2] + z[0],
        B[3] + x[1],
        B[4] + y[1],
        B[5] + z[1],
        B[6] + x[2],
        B[7] + y[2],
        B[8] + z[2],
    )
    # -B[r]: row i of B crossed with r from the right is r x row; [r]Bp': column j is r x row j of Bp
    Ap = (
        A[0] + (r[1] * B[2] - r[2] * B[1]) + (r[1] * Bp[2] - r[2] * Bp[1]),
        A[1] + (r[2] * B[0] - r[0] * B[2]) + (r[1] * Bp[5] - r[2] * Bp[4]),
        A[2] + (r[0] * B[1] - r[1] * B[0]) + (r[1] * Bp[8] - r[2] * Bp[7]),
        A[3] + (r[2] * B[3] - r[0] * B[5]) + (r[2] * Bp[3] - r[0] * Bp[5]),
        A[4] + (r[0] * B[4] - r[1] * B[3]) + (r[2] * Bp[6] - r[0] * Bp[8]),
        A[5] + (r[0] * B[7] - r[1] * B[6]) + (r[0] * Bp[7] - r[1] * Bp[6]),
    )
    return Ap, Bp, C


@inline
def add6(x, y):
    """Sum of two 6-tuples."""
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4], x[5] + y[5])


@inline
def add9(x, y):
    """Sum of two 9-tuples."""
    return (
        x[0] + y[0],
        x[1] + y[1],
        x[2] + y[2],
        x[3] + y[3],
        x[4] + y[4],
        x[5] + y[5],
        x[6] + y[6],
        x[7] + y[7],
        x[8] + y[8],
    )


@inline
def reach(work, p, starts, A, B, C):
    """Add an inertia to what has reached the body whose slots begin at p; the first to reach it finds nothing there."""
    if starts != 0:
        st_inertia(work, p + IA, A, B, C)
        return
    A0, B0, C0 = ld_inertia(work, p + IA)
    st_inertia(work, p + IA, add6(A0, A), add9(B0, B), add6(C0, C))


@inline
def less_rank1(A, B, C, n, f, d):
    """I - U d U' with U = (n, f)."""
    dn = scale(d, n)
    df = scale(d, f)
    A1 = (
        A[0] - dn[0] * n[0],
        A[1] - dn[0] * n[1],
        A[2] - dn[0] * n[2],
        A[3] - dn[1] * n[1],
        A[4] - dn[1] * n[2],
        A[5] - dn[2] * n[2],
    )
    B1 = (
        B[0] - dn[0] * f[0],
        B[1] - dn[0] * f[1],
        B[2] - dn[0] * f[2],
        B[3] - dn[1] * f[0],
        B[4] - dn[1] * f[1],
        B[5] - dn[1] * f[2],
        B[6] - dn[2] * f[0],
        B[7] - dn[2] * f[1],
        B[8] - dn[2] * f[2],
    )
    C1 = (
        C[0] - df[0] * f[0],
        C[1] - df[0] * f[1],
        C[2] - df[0] * f[2],
        C[3] - df[1] * f[1],
        C[4] - df[1] * f[2],
        C[5] - df[2] * f[2],
    )
    return A1, B1, C1


@inline
def solve_inertia(A, B, C, n, f):
    """(al, a) with A al + B a = n, B' al + C a = f, by blocks."""
    Ci = s_inverse(C)
    BC = mm(B, s_to_m(Ci))
    S = mm(BC, mt(B))
    al = sv(
        s_inverse((A[0] - S[0], A[1] - S[1], A[2] - S[2], A[3] - S[4], A[4] - S[5], A[5] - S[8])), sub(n, mv(BC, f))
    )
    return al, sv(Ci, sub(f, mtv(B, al)))


@inline
def add_wrench(work, p, n, f):
    """Add a wrench to the one of the body whose slots begin at p."""
    st3(work, p + WRENCH, add(ld3(work, p + WRENCH), n))
    st3(work, p + WRENCH + 3, add(ld3(work, p + WRENCH + 3), f))


@inline
def carried(work, p, r):
    """The part of an acceleration that comes from body p, at a point r from its origin."""
    al = ld3(work, p + DA)
    return al, add(ld3(work, p + DA + 3), cross(al, r))
