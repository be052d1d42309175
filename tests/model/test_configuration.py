"""Configurations: integrate and difference are inverse to each other, quaternions stay unit, random ones stay inside
limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bunraku as bk
from figures import random_figure


@given(seed=st.integers(0, 10**6))
def test_integrate_and_difference_are_inverse(seed):
    m = random_figure(seed % 7)
    rng = np.random.default_rng(seed)
    q0, q1 = bk.random_configuration(m, rng), bk.random_configuration(m, rng)
    v = bk.difference(m, q0, q1)
    back = bk.integrate(m, q0, v)
    assert np.abs(bk.difference(m, back, q1)).max() < 1e-9
    w = 0.9 * rng.uniform(-1, 1, m.nv)
    assert np.allclose(bk.difference(m, q0, bk.integrate(m, q0, w, 0.5)), 0.5 * w, atol=1e-12)


def test_batches():
    m = bk.human()
    rng = np.random.default_rng(0)
    Q = np.array([bk.random_configuration(m, rng) for _ in range(5)])
    V = rng.normal(size=(5, m.nv))
    out = bk.integrate(m, Q, V, 0.1)
    assert np.allclose(out, [bk.integrate(m, q, v, 0.1) for q, v in zip(Q, V)])
    assert np.allclose(bk.integrate(m, Q[0], V, 0.1)[3], bk.integrate(m, Q[0], V[3], 0.1))


def test_integration_is_the_bodys_own_rotation():
    """With constant body angular velocity about z, the angle is w t, also when the body is tilted."""
    m = bk.box((1, 1, 1))
    q = m.neutral()
    q[3:] = [np.cos(0.4), np.sin(0.4), 0, 0]
    v = np.array([1, 2, 3, 0, 0, 0.5])
    R0 = bk.kinematics(m, q).pose("box")[1]
    out = bk.integrate(m, q, v, 2.0)
    assert np.allclose(out[:3], [2, 4, 6])
    c, s = np.cos(1.0), np.sin(1.0)
    assert np.allclose(bk.kinematics(m, out).pose("box")[1], R0 @ [[c, -s, 0], [s, c, 0], [0, 0, 1]])


@given(seed=st.integers(0, 10**6))
def test_random_configurations_are_inside_limits(seed):
    m = bk.human()
    q = bk.random_configuration(m, seed)
    hinges = [j for j in m.joints if j.kind == "hinge"]
    assert all(m.lower[j.iv] <= q[j.iq] <= m.upper[j.iv] for j in hinges)
    assert np.array_equal(q, bk.random_configuration(m, seed))


def test_wrong_sizes():
    m = bk.human()
    with pytest.raises(bk.InputError, match="43"):
        bk.integrate(m, np.zeros(3), np.zeros(m.nv))
    with pytest.raises(bk.InputError, match="34"):
        bk.integrate(m, m.neutral(), np.zeros(3))
