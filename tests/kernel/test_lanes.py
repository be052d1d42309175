"""The vector type: arithmetic, mixing with numbers, roots, joining and splitting, against NumPy rows."""

import numpy as np

from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import LANES, down, join, ld, root, split, st


@entry("DD DD d")
def arithmetic(x, out, number):
    """A bit of everything on the two rows of x."""
    a = ld(x, 0)
    b = ld(x, 1)
    total = 0.0
    total += a
    total -= 2 * b
    total *= number
    total /= b
    st(out, 0, a + b)
    st(out, 1, a * b - b / a)
    st(out, 2, -a + number)
    st(out, 3, number * a - 3)
    st(out, 4, root(a * a))
    st(out, 5, down(b))
    st(out, 6, total)
    parts = split(a)
    st(out, 7, join(parts[3], parts[2], parts[1], parts[0]))
    st(out, 8, 1.5)


def test_arithmetic():
    x = np.random.default_rng(0).normal(size=(2, LANES))
    out = np.empty((9, LANES))
    arithmetic.call(x, out, 0.7)
    a, b = x
    wanted = [
        a + b,
        a * b - b / a,
        -a + 0.7,
        0.7 * a - 3,
        abs(a),
        np.floor(b),
        0.7 * (a - 2 * b) / b,
        a[::-1],
        np.full(4, 1.5),
    ]
    assert np.allclose(out, wanted, rtol=1e-14, atol=1e-15)
