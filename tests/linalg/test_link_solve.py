"""Dense factorisations of the virtual-link solver against NumPy, and least-norm answers of singular systems."""

import numpy as np
import pytest

from bunraku.linalg import link_solve as lin


def run(A: np.ndarray, b: np.ndarray, symmetric: bool) -> tuple[np.ndarray, int]:
    n = len(A)
    A = (np.triu(A) if symmetric else A).flatten()
    diagonal, x, rest, pivots = np.zeros(n), np.zeros(n), b.copy(), np.zeros(n, np.int64)
    lin.regularise(A, n, diagonal, 1e-5)
    sign = 1
    if symmetric:
        lin.ldl_factor(A, n)
    else:
        sign = lin.lu_factor(A, n, pivots)
    if sign != 0:
        lin.solve((A, n, pivots, symmetric), diagonal, 1e-5, x, rest, 0.0)
    return x, sign


@pytest.mark.parametrize("n", [1, 2, 6, 12, 25])
@pytest.mark.parametrize("symmetric", [True, False])
def test_regular(n, symmetric):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    A = A @ A.T + np.eye(n) if symmetric else A + 3 * np.eye(n)
    b = rng.normal(size=n)
    x, sign = run(A, b, symmetric)
    assert np.abs(x - np.linalg.solve(A, b)).max() < 1e-10 * np.abs(x).max() * np.linalg.cond(A)
    assert sign == (1 if symmetric else np.sign(np.linalg.det(A)))


@pytest.mark.parametrize("symmetric", [True, False])
def test_singular_and_consistent_gives_the_least_norm(symmetric):
    # equal diagonals: the metric D is a multiple of the identity, so the answer is the pseudo-inverse's
    rng = np.random.default_rng(3)
    H = rng.normal(size=(12, 5))
    H /= np.linalg.norm(H, axis=1)[:, None]
    A = H @ H.T
    b = A @ rng.normal(size=12)
    x, _ = run(A, b, symmetric)
    assert np.abs(A @ x - b).max() < 1e-11
    assert (
        np.abs(x - np.linalg.pinv(A, rcond=1e-10) @ b).max() < 1e-4
    )  # rounding over eps in the directions that do nothing


def test_rows_without_inertia_carry_nothing():
    x, _ = run(np.diag([2.0, 0.0, 4.0]), np.array([2.0, 1.0, 2.0]), True)
    assert x == pytest.approx([1.0, 0.0, 0.5])


def test_singular_and_unsymmetric_is_said():
    assert run(np.array([[1.0, 1.0], [0.0, 0.0]]), np.ones(2), False)[1] == 0
