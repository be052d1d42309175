"""Sine and cosine of the kernels against NumPy, as scalars and as lanes."""

import numpy as np
import pytest

from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import LANES, ld, st
from bunraku.kernel.trig import sincos, sincos_all


@entry("D D")
def sincos_flat(x, out):
    """All of x at once."""
    sincos_all(x, x.shape[0], out, 0)


@entry("DD DD")
def sincos_lanes(x, out):
    """A lane a row."""
    for i in range(x.shape[0]):
        s, c = sincos(ld(x, i))
        st(out, 2 * i, s)
        st(out, 2 * i + 1, c)


@pytest.mark.parametrize("size", [1.0, 100.0, 1e6])
def test_against_numpy(size):
    x = np.random.default_rng(0).uniform(-size, size, 4003)
    out = np.empty(2 * len(x))
    sincos_flat.call(x, out)
    # two roundings of the result, and one of the reduced argument
    assert np.abs(out[: len(x)] - np.sin(x)).max() < 4e-16
    assert np.abs(out[len(x) :] - np.cos(x)).max() < 4e-16


def test_quadrants():
    x = np.arange(-16, 17) * np.pi / 8
    out = np.empty(2 * len(x))
    sincos_flat.call(x, out)
    assert np.abs(out[: len(x)] - np.sin(x)).max() < 3e-16
    assert np.abs(out[len(x) :] - np.cos(x)).max() < 3e-16


def test_lanes_equal_scalars():
    x = np.random.default_rng(1).uniform(-9, 9, (50, LANES))
    out, flat = np.empty((100, LANES)), np.empty(2 * x.size)
    sincos_lanes.call(x, out)
    sincos_flat.call(x.ravel().copy(), flat)
    assert np.array_equal(out[0::2].ravel(), flat[: x.size])
    assert np.array_equal(out[1::2].ravel(), flat[x.size :])
