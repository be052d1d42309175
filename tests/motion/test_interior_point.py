"""The quadratic programs of paths: their own conditions of an optimum, SciPy's optimum of the same problem, and what
cannot hold pulls with no more than it may."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from bunraku.motion.interior_point import HARD, giving_way


@pytest.mark.parametrize("seed", range(5))
def test_conditions_of_an_optimum_and_scipy(seed):
    """Of a convex problem they are enough: the gradient is zero with multipliers min(HARD * over, most)."""
    rng = np.random.default_rng(seed)
    n, m = 6, 15
    R = rng.normal(size=(n, n))
    P, g = R @ R.T + 0.1 * np.eye(n), rng.normal(size=n)
    A, upper, most = rng.normal(size=(m, n)), rng.normal(size=m) + 0.5, rng.uniform(0.1, 20.0, m)
    upper[0] = np.inf
    rows = np.isfinite(upper)
    for pull in (most, np.full(m, 1e4)):
        x = giving_way(csr_matrix(P), g, csr_matrix(A), upper, pull, np.zeros(n))
        over = np.where(rows, np.maximum(A @ x - upper, 0.0), 0.0)
        # over is known to 1e-8, and its multiplier to HARD times that
        assert np.abs(P @ x - g + A.T @ np.minimum(HARD * over, pull)).max() < 1e-8 * HARD
    peer = minimize(
        lambda y: 0.5 * y @ P @ y - g @ y, x, jac=lambda y: P @ y - g, method="SLSQP",
        constraints={"type": "ineq", "fun": lambda y: (upper - A @ y)[rows], "jac": lambda y: -A[rows]}, options={"ftol": 1e-14},
    )  # fmt: skip
    if peer.success:  # feasible: the same up to what the penalty gives way
        assert np.abs(x - peer.x).max() < 1e-4


def test_equations_as_pairs_and_what_contradicts_gives_way():
    one, most = csr_matrix(np.array([[1.0, 1.0], [-1.0, -1.0]])), np.full(2, 1e4)
    x = giving_way(csr_matrix(np.eye(2)), np.zeros(2), one, np.array([2.0, -2.0]), most, np.zeros(2))
    assert np.abs(x - 1.0).max() < 1e-5
    x = giving_way(csr_matrix(np.eye(2)), np.zeros(2), one, np.array([1.0, -3.0]), most, np.zeros(2))  # 1 and 3 at once
    assert 1.0 - 1e-5 < x.sum() < 3.0 + 1e-5  # all between are as good for the pair, and P takes the least


@pytest.mark.parametrize("far", [10.0, 1e3, 1e5])
def test_what_is_impossible_pulls_with_most_however_far_it_is(far):
    """x <= -far and -x <= -far: with 3 and 1 as the most they pull with 2 together, so x = -2, whatever far is."""
    A, upper = csr_matrix(np.array([[1.0], [-1.0]])), np.array([-far, -far])
    x = giving_way(csr_matrix(np.eye(1)), np.zeros(1), A, upper, np.array([3.0, 1.0]), np.zeros(1))
    assert x[0] == pytest.approx(-2.0, abs=1e-6)
