"""Equalities of least norm against NumPy's pseudo-inverse, full rank or not."""

import numpy as np
import pytest

from bunraku.contact.dense_front import Dense, make_dense
from bunraku.kernel.entry import entry
from bunraku.kernel.record import handle
from bunraku.step.loops import least_norm


@entry("h i")
def least_once(h, m):
    """`least_norm` for Python."""
    least_norm(Dense(h), m)
    return 0


def solve(K: np.ndarray, b: np.ndarray) -> np.ndarray:
    """lam for K and b."""
    m = len(b)
    island = make_dense(m, 1)
    island.K[:], island.problem.b[:] = K, b
    least_once.call(handle(island), m)
    return island.problem.lam[:m]


@pytest.mark.parametrize(("m", "rank"), [(1, 1), (6, 6), (6, 4), (12, 5), (30, 24)])
def test_against_the_pseudo_inverse(m, rank):
    """K = J J' with rows of J of length one (K has a unit diagonal, the norm is the plain one) and b in its range:
    rounding over SOFT, 1e-5."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        J = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, rank))
        J /= np.linalg.norm(J, axis=1, keepdims=True)
        K, b = J @ J.T, J @ rng.normal(size=rank)
        x = solve(K, b)
        assert np.abs(K @ x + b).max() < 1e-8
        wanted = -np.linalg.pinv(K, rcond=1e-9) @ b
        assert np.abs(x - wanted).max() < 1e-4 * max(1.0, np.abs(wanted).max())


def test_rows_of_very_different_size_and_rows_that_nothing_moves():
    rng = np.random.default_rng(5)
    J = np.concatenate([rng.normal(size=(4, 6)), 1e-3 * rng.normal(size=(2, 6)), np.zeros((1, 6))])
    b = np.concatenate([J[:6] @ rng.normal(size=6), [0.3]])
    x = solve(J @ J.T, b)
    assert x[6] == 0.0 and np.abs((J @ J.T @ x + b)[:6]).max() < 1e-9


def test_contradicting_rows_stay_bounded():
    """The same row twice with different wishes has no solution: the answer is finite and its push is the mean of the
    two."""
    x = solve(np.ones((2, 2)), np.array([1.0, 3.0]))
    assert np.all(np.isfinite(x)) and x.sum() == pytest.approx(-2.0, rel=1e-6)
