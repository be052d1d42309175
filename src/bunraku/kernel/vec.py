"""Small vectors and matrices as tuples, written out, so that LLVM keeps them in registers.

v3 = (x, y, z); m3 = 9 entries row by row; s3 = symmetric 3x3 as (xx, xy, xz, yy, yz, zz). Entries are float64 or lanes
(bunraku.kernel.lanes). `A @ x` in Numba allocates and is ten times slower than these. Nothing here has a branch.
Checked in tests/kernel/test_vec.py against NumPy.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st


@inline
def ld3(a, i):
    """Three consecutive values a[i..i+2]."""
    return (ld(a, i), ld(a, i + 1), ld(a, i + 2))


@inline
def ld6(a, i):
    """Six consecutive values."""
    return (ld(a, i), ld(a, i + 1), ld(a, i + 2), ld(a, i + 3), ld(a, i + 4), ld(a, i + 5))


@inline
def ld9(a, i):
    """Nine consecutive values: a 3x3 matrix."""
    return (
        ld(a, i),
        ld(a, i + 1),
        ld(a, i + 2),
        ld(a, i + 3),
        ld(a, i + 4),
        ld(a, i + 5),
        ld(a, i + 6),
        ld(a, i + 7),
        ld(a, i + 8),
    )


@inline
def st3(a, i, x):
    """Store three values from a[i] on."""
    st(a, i, x[0])
    st(a, i + 1, x[1])
    st(a, i + 2, x[2])


@inline
def st6(a, i, x):
    """Store six values."""
    st3(a, i, (x[0], x[1], x[2]))
    st3(a, i + 3, (x[3], x[4], x[5]))


@inline
def st9(a, i, x):
    """Store nine values."""
    st6(a, i, (x[0], x[1], x[2], x[3], x[4], x[5]))
    st3(a, i + 6, (x[6], x[7], x[8]))


@inline
def add(a, b):
    """a + b of two v3."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inline
def sub(a, b):
    """a - b of two v3."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inline
def scale(s, a):
    """s a for a number and a v3."""
    return (s * a[0], s * a[1], s * a[2])


@inline
def axpy(s, a, b):
    """s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2])


@inline
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inline
def col(m, j):
    """Column j of an m3."""
    return (m[j], m[3 + j], m[6 + j])


@inline
def row(m, i):
    """Row i of an m3."""
    return (m[3 * i], m[3 * i + 1], m[3 * i + 2])


@inline
def mv(m, x):
    """M x."""
    return (
        m[0] * x[0] + m[1] * x[1] + m[2] * x[2],
        m[3] * x[0] + m[4] * x[1] + m[5] * x[2],
        m[6] * x[0] + m[7] * x[1] + m[8] * x[2],
    )


@inline
def mtv(m, x):
    """M' x."""
    return (
        m[0] * x[0] + m[3] * x[1] + m[6] * x[2],
        m[1] * x[0] + m[4] * x[1] + m[7] * x[2],
        m[2] * x[0] + m[5] * x[1] + m[8] * x[2],
    )


@inline
def mm(a, b):
    """A B."""
    x = mv(a, (b[0], b[3], b[6]))
    y = mv(a, (b[1], b[4], b[7]))
    z = mv(a, (b[2], b[5], b[8]))
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@inline
def mt(a):
    """A'."""
    return (a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8])


@inline
def sv(s, x):
    """S x for a symmetric S."""
    return (
        s[0] * x[0] + s[1] * x[1] + s[2] * x[2],
        s[1] * x[0] + s[3] * x[1] + s[4] * x[2],
        s[2] * x[0] + s[4] * x[1] + s[5] * x[2],
    )


@inline
def s_to_m(s):
    """A symmetric s3 as a full m3."""
    return (s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5])


@inline
def s_inverse(s):
    """The inverse of a symmetric s3 by cofactors."""
    a = s[3] * s[5] - s[4] * s[4]
    b = s[2] * s[4] - s[1] * s[5]
    c = s[1] * s[4] - s[2] * s[3]
    d = 1.0 / (s[0] * a + s[1] * b + s[2] * c)
    return (
        d * a,
        d * b,
        d * c,
        d * (s[0] * s[5] - s[2] * s[2]),
        d * (s[1] * s[2] - s[0] * s[4]),
        d * (s[0] * s[3] - s[1] * s[1]),
    )


@inline
def rotate_s(r, s):
    """R S R' for a rotation m3 and a symmetric s3."""
    a = sv(s, (r[0], r[1], r[2]))  # S times the rows of R
    b = sv(s, (r[3], r[4], r[5]))
    c = sv(s, (r[6], r[7], r[8]))
    return (
        r[0] * a[0] + r[1] * a[1] + r[2] * a[2],
        r[3] * a[0] + r[4] * a[1] + r[5] * a[2],
        r[6] * a[0] + r[7] * a[1] + r[8] * a[2],
        r[3] * b[0] + r[4] * b[1] + r[5] * b[2],
        r[6] * b[0] + r[7] * b[1] + r[8] * b[2],
        r[6] * c[0] + r[7] * c[1] + r[8] * c[2],
    )


@inline
def quat_matrix(w, x, y, z):
    """Rotation matrix of the quaternion w x y z; a length other than one is divided out."""
    k = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - k * (y * y + z * z),
        k * (x * y - w * z),
        k * (x * z + w * y),
        k * (x * y + w * z),
        1.0 - k * (x * x + z * z),
        k * (y * z - w * x),
        k * (x * z - w * y),
        k * (y * z + w * x),
        1.0 - k * (x * x + y * y),
    )
