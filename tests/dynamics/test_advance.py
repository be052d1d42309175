"""The kernel that moves q against its NumPy twin."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.dynamics.passes import advance
from bunraku.dynamics.work import opened
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from figures import random_figure, random_state


@entry("h D D d")
def move(handle, q, v, dt):
    """advance as a function."""
    ints, reals, _ = opened(handle)
    advance(ints, reals, borrow(q), borrow(v), dt)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dt", [1e-3, 0.7, 0.0])
def test_equals_integrate(seed, dt):
    m = random_figure(seed)
    q, v, _ = random_state(m, seed)
    work, got = bk.Work(m), q.copy()
    move.call(work.handle, got, v, dt)
    assert np.abs(got - bk.integrate(m, q, v, dt)).max() < 1e-14 * max(1, np.abs(got).max())


def test_resting_quaternion_stays():
    m = bk.human()
    q, work = m.neutral(), bk.Work(m)
    move.call(work.handle, q, np.zeros(m.nv), 0.1)
    assert np.array_equal(q, m.neutral())
