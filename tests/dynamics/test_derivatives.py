"""Derivatives of rnea and aba against central differences on random trees, with external forces and gears."""

import numpy as np
import pytest

import bunraku as bk
from figures import KINDS, SCREWS, random_figure, random_forces, random_state, relative

H = 1e-6  # central differences: error about H^2 plus rounding / H, so 1e-7 of the largest entry is what they can show


def by_q(f, m, q):
    return np.array([(f(bk.integrate(m, q, e, H)) - f(bk.integrate(m, q, e, -H))) / (2 * H) for e in np.eye(m.nv)]).T


def by_vector(f, x):
    return np.array([(f(x + H * e) - f(x - H * e)) / (2 * H) for e in np.eye(len(x))]).T


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("pushed", "kinds"), [(False, KINDS), (True, KINDS), (True, SCREWS)])
def test_rnea(seed, pushed, kinds):
    m = random_figure(seed, links=8, kinds=kinds)
    q, v, a = random_state(m, seed)
    f = random_forces(m, seed) if pushed else None
    d = bk.rnea_derivatives(m, q, v, a, f)
    assert relative(d.dq, by_q(lambda x: bk.rnea(m, x, v, a, f), m, q)) < 1e-7
    assert relative(d.dv, by_vector(lambda x: bk.rnea(m, q, x, a, f), v)) < 1e-7
    assert relative(d.dx, by_vector(lambda x: bk.rnea(m, q, v, x, f), a)) < 1e-7


@pytest.mark.parametrize("kinds", [KINDS, SCREWS])
@pytest.mark.parametrize("seed", range(6))
def test_aba(seed, kinds):
    m = random_figure(seed, links=8, kinds=kinds)
    q, v, tau = random_state(m, seed)
    f = random_forces(m, seed)
    d = bk.aba_derivatives(m, q, v, tau, f)
    assert relative(d.dq, by_q(lambda x: bk.aba(m, x, v, tau, f), m, q)) < 1e-6
    assert relative(d.dv, by_vector(lambda x: bk.aba(m, q, x, tau, f), v)) < 1e-6
    assert relative(d.dx, by_vector(lambda x: bk.aba(m, q, v, x, f), tau)) < 1e-6


def test_batch():
    m = bk.human()
    states = [random_state(m, s) for s in range(3)]
    Q, V, T = (np.array(x) for x in zip(*states))
    many, one = bk.aba_derivatives(m, Q, V, T), [bk.aba_derivatives(m, *s) for s in states]
    for k in range(3):
        assert relative(many[k], np.array([d[k] for d in one])) < 1e-9
