"""Known solutions of problems with equations and inequalities, and SciPy's on random ones."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from bunraku.gaits.constrained_squares import Point, banded, least_squares, solved
from draws import fresh_rng


def test_the_nearest_point_of_a_circle_beyond_a_line():
    """Nearest to (2, 1) on the unit circle with x <= 0.6: (0.6, 0.8), both rows acting."""

    def problem(x, jacobians=True):
        r = x - np.array([2.0, 1.0])
        c, h = np.array([x @ x - 1]), np.array([0.6 - x[0]])
        if not jacobians:
            return Point(r, c, h)
        return Point(r, c, h, csr_matrix(np.eye(2)), csr_matrix(2 * x[None]), csr_matrix([[-1.0, 0.0]]))

    found = least_squares(problem, np.array([0.1, 0.3]), tolerance=1e-9)
    assert found.settled and found.x == pytest.approx([0.6, 0.8], abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_random_problems_as_scipy_solves_them(seed):
    rng = fresh_rng()
    n = 8
    A, b = rng.standard_normal((12, n)), rng.standard_normal(12)
    C, d = rng.standard_normal((2, n)), rng.standard_normal(2)
    H, e = rng.standard_normal((6, n)), rng.standard_normal(6) - 0.5

    def problem(x, jacobians=True):
        r, c, h = A @ x - b, C @ x - d + 0.05 * np.sin(x[:2]), H @ x - e
        bent = C.copy()
        bent[[0, 1], [0, 1]] += 0.05 * np.cos(x[:2])
        return Point(r, c, h, csr_matrix(A), csr_matrix(bent), csr_matrix(H)) if jacobians else Point(r, c, h)

    found = least_squares(problem, np.zeros(n), steps=400, tolerance=1e-9)
    rows = (
        {"type": "eq", "fun": lambda x: problem(x, False).c},
        {"type": "ineq", "fun": lambda x: problem(x, False).h},
    )
    peer = minimize(lambda x: 0.5 * np.sum((A @ x - b) ** 2), np.zeros(n), constraints=rows, tol=1e-12)
    if not peer.success:
        pytest.skip("SciPy found no solution of this problem")
    assert found.violation < 1e-8
    assert found.cost == pytest.approx(peer.fun, rel=1e-3)


def test_banded_solution_is_the_dense_one():
    rng = fresh_rng()
    A = np.tril(np.triu(rng.standard_normal((30, 30)), -3), 3)
    N = A @ A.T + np.eye(30)
    shuffle = rng.permutation(30)
    mixed = np.empty_like(N)
    mixed[np.ix_(shuffle, shuffle)] = N
    right = rng.standard_normal(30)
    band = banded(csr_matrix(mixed), shuffle)
    assert len(band) <= 7
    assert solved(band, 0.5, shuffle, right) == pytest.approx(
        np.linalg.solve(mixed + 0.5 * np.eye(30), right), rel=1e-10
    )
