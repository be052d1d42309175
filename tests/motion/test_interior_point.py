"""The quadratic programs of paths: SciPy's optimum of the same problem, and its own conditions of an optimum."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from bunraku.motion.interior_point import HARD, penalised


@pytest.mark.parametrize("seed", range(5))
def test_conditions_of_an_optimum_and_scipy(seed):
    rng = np.random.default_rng(seed)
    n, m = 6, 15
    R = rng.normal(size=(n, n))
    P, g = R @ R.T + 0.1 * np.eye(n), rng.normal(size=n)
    A, upper = rng.normal(size=(m, n)), rng.normal(size=m) + 0.5
    upper[0] = np.inf
    x = penalised(csr_matrix(P), g, csr_matrix(A), upper, np.zeros(n))
    over = np.where(np.isfinite(upper), np.maximum(A @ x - upper, 0.0), 0.0)
    assert np.abs(P @ x - g + HARD * (A.T @ over)).max() < 1e-3  # of a penalty whose gradient changes by HARD a unit
    rows = np.isfinite(upper)
    peer = minimize(
        lambda y: 0.5 * y @ P @ y - g @ y, x, jac=lambda y: P @ y - g, method="SLSQP",
        constraints={"type": "ineq", "fun": lambda y: (upper - A @ y)[rows], "jac": lambda y: -A[rows]}, options={"ftol": 1e-14},
    )  # fmt: skip
    if peer.success:  # feasible: the same up to what the penalty gives way
        assert np.abs(x - peer.x).max() < 1e-4


def test_equations_as_pairs_and_what_contradicts_gives_way():
    one = csr_matrix(np.array([[1.0, 1.0], [-1.0, -1.0]]))
    x = penalised(csr_matrix(np.eye(2)), np.zeros(2), one, np.array([2.0, -2.0]), np.zeros(2))
    assert np.abs(x - 1.0).max() < 1e-5
    x = penalised(csr_matrix(np.eye(2)), np.zeros(2), one, np.array([1.0, -3.0]), np.zeros(2))  # 1 and 3 at once
    assert np.abs(x.sum() - 2.0) < 1e-5
