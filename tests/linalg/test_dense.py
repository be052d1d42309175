"""Small dense algebra in lanes against NumPy."""

import numpy as np
import pytest

from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.linalg.dense import approach, back, factor, factor_regular, multiply, padded, regularise, substitute


@entry("D i i i D D D")
def factor_and_solve(A, n, size, symmetric, tiny, inverse, x):
    """x becomes A^-1 x."""
    factor(borrow(A), 0, n, size, size, symmetric == 1, borrow(tiny), borrow(inverse))
    substitute(borrow(A), n, size, borrow(inverse), borrow(x))


@entry("D i i D D D")
def factor_in_parts(A, cut, m, tiny, inverse, x):
    """The first `cut` unknowns, then the rest of m; the right side, in the last column, becomes L^-1 b, x = A^-1 b."""
    size, n = padded(m), padded(m + 1)
    rows, least, found = borrow(A), borrow(tiny), borrow(inverse)
    factor(rows, 0, n, n, cut, True, least, found)
    factor(rows, cut * (n + 1), n, n - cut, size - cut, True, least[cut:], found[cut:])
    for k in range(m):
        x[k] = rows[k * n + n - 1]
    back(rows, 0, n, size, size, found, 0, borrow(x))


@entry("D i d d i D D D D D")
def nearest(A, m, eps, noise, repeats, added, tiny, inverse, x, rest):
    """x becomes the answer nearest to what it is; `rest` is b - A x."""
    n = padded(m)
    regularise(A, m, eps, noise, added)
    factor_regular(A, m, added, tiny, inverse)
    for _ in range(repeats):
        substitute(A, n, n, inverse, rest)
        approach(m, eps, added, x, rest)


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


@pytest.mark.parametrize("m", [3, 7, 28, 31, 52, 53])
@pytest.mark.parametrize("cut", [0, 4])
def test_in_parts_with_a_right_side(m, cut):
    """The right side stands in the last column, behind unknowns that do not fill their lanes."""
    rng = np.random.default_rng(m)
    F = rng.normal(size=(m, m + 3))
    H, b = F @ F.T + 1e-3 * np.eye(m), rng.normal(size=m)
    size, n = padded(m), padded(m + 1)
    A, x = np.zeros((n, n)), np.zeros(size)
    A[:m, :m], A[:m, n - 1] = np.triu(H), b
    factor_in_parts.call(A.ravel(), cut, m, np.full(n, 1e-14), np.zeros(n), x)
    want = np.linalg.solve(H, b)
    assert np.abs(x[:m] - want).max() <= 1e-9 * np.abs(want).max()


def nearest_to_zero(K, b, noise=0.0):
    m, n = len(b), padded(len(b))
    A, (x, rest), (added, tiny, inverse) = np.full((n, n), np.nan), np.zeros((2, n)), np.full((3, n), np.nan)
    A[:m, :m], rest[:m] = np.triu(K), b
    nearest.call(A.ravel(), m, 1e-5, noise, 12, added, tiny, inverse, x, rest)
    return x[:m]


@pytest.mark.parametrize("m", [1, 2, 6, 12, 25])
def test_nearest_of_a_regular_matrix(m):
    rng = np.random.default_rng(m)
    F = rng.normal(size=(m, m))
    A, b = F @ F.T + np.eye(m), rng.normal(size=m)
    x = nearest_to_zero(A, b)
    assert np.abs(x - np.linalg.solve(A, b)).max() < 1e-10 * np.abs(x).max() * np.linalg.cond(A)


def test_singular_and_consistent_gives_the_least_norm():
    # equal diagonals: the metric D is a multiple of the identity, so the answer is the pseudo-inverse's
    rng = np.random.default_rng(3)
    H = rng.normal(size=(12, 5))
    H /= np.linalg.norm(H, axis=1)[:, None]
    A = H @ H.T
    b = A @ rng.normal(size=12)
    x = nearest_to_zero(A, b)
    assert np.abs(A @ x - b).max() < 1e-11
    assert np.abs(x - np.linalg.pinv(A, rcond=1e-10) @ b).max() < 1e-4  # rounding over eps where A does nothing


@pytest.mark.parametrize(("least", "noise"), [(0.0, 0.0), (1e-9, 1e-8)])
def test_rows_without_inertia_carry_nothing(least, noise):
    x = nearest_to_zero(np.diag([2.0, least, 4.0]), np.array([2.0, 1.0, 2.0]), noise)
    assert x == pytest.approx([1.0, 0.0, 0.5], rel=1e-6) and x[1] == 0.0


def test_not_a_number_is_seen():
    assert np.isnan(nearest_to_zero(np.diag([2.0, np.nan, 4.0]), np.ones(3))[1])


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
