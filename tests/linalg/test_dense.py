"""Small dense algebra in lanes against NumPy."""

import numpy as np
import pytest

from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.linalg.dense import factor, multiply, padded, substitute


@entry("D i i i i")
def factor_and_solve(work, n, size, symmetric, x):
    """The matrix is at 0, the smallest pivots before x, the inverse pivots before those."""
    w = borrow(work)
    factor(w, 0, n, size, size, symmetric == 1, x - n, x - 2 * n)
    substitute(w, 0, n, size, x - 2 * n, x)


@entry("D i i i")
def product(work, n, m, x):
    """x, b and the result follow one another."""
    multiply(borrow(work), 0, n, m, x, x + n, x + 2 * n)


def solved(A, y, symmetric, n):
    size = len(y)
    work = np.full(n * n + 3 * n, np.nan)
    work[: n * n].reshape(n, n)[:size, :size] = np.triu(A) if symmetric else A
    work[n * n + n : n * n + 2 * n] = 1e-13
    work[n * n + 2 * n : n * n + 2 * n + size] = y
    factor_and_solve.call(work, n, size, int(symmetric), n * n + 2 * n)
    return work[n * n + 2 * n :][:size]


@pytest.mark.parametrize("size", [4, 8, 12, 24, 60])
@pytest.mark.parametrize("symmetric", [True, False])
def test_solve(size, symmetric):
    rng = np.random.default_rng(size)
    F = rng.normal(size=(size, size))
    A = F @ F.T + np.eye(size)
    if not symmetric:
        A = A + 0.1 * rng.normal(size=(size, size))
    y = rng.normal(size=size)
    x = solved(A, y, symmetric, size + 8)
    assert np.abs(x - np.linalg.solve(A, y)).max() < 1e-11 * np.linalg.cond(A) * np.abs(x).max()


def test_singular_matrix_stays_finite():
    A = np.ones((8, 8))
    x = solved(A, np.ones(8), True, 8)
    assert np.isfinite(x).all() and np.abs(A @ x - 1).max() < 1e-9


@pytest.mark.parametrize("m", [1, 2, 3, 7, 24, 33])
def test_product(m):
    rng = np.random.default_rng(m)
    n = padded(m)
    A = np.zeros((n, n))
    A[:m, :m] = rng.normal(size=(m, m))
    A += A.T
    x, b = np.zeros((2, n))
    x[:m], b[:m] = rng.normal(size=(2, m))
    work = np.concatenate([A.ravel(), x, b, np.full(n, np.nan)])
    product.call(work, n, m, n * n)
    assert np.abs(work[-n:] - (A @ x + b)).max() < 1e-13 * m
