"""Small dense algebra in lanes against NumPy."""

import numpy as np
import pytest

from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.linalg.dense import factor, multiply, padded, substitute


@entry("D i i i D D D")
def factor_and_solve(A, n, size, symmetric, tiny, inverse, x):
    """x becomes A^-1 x."""
    factor(borrow(A), 0, n, size, size, symmetric == 1, borrow(tiny), borrow(inverse))
    substitute(borrow(A), n, size, borrow(inverse), borrow(x))


@entry("D i i D D D")
def product(A, n, m, x, b, out):
    """A x + b."""
    multiply(borrow(A), n, m, borrow(x), borrow(b), borrow(out))


def solved(A, y, symmetric, n):
    size, matrix, x = len(y), np.full((n, n), np.nan), y.copy()
    matrix[:size, :size] = np.triu(A) if symmetric else A
    factor_and_solve.call(matrix.ravel(), n, size, int(symmetric), np.full(n, 1e-13), np.full(n, np.nan), x)
    return x


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
    out = np.full(n, np.nan)
    product.call(A.ravel(), n, m, x, b, out)
    assert np.abs(out - (A @ x + b)).max() < 1e-13 * m
