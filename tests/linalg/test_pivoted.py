"""L U with row exchanges against NumPy."""

import numpy as np
import pytest

from bunraku.linalg.dense import padded
from bunraku.linalg.pivoted import lu_factor, lu_solve


def run(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, int]:
    m, n = len(A), padded(len(A))
    rows, x, pivots = np.full((n, n), np.nan), b.copy(), np.zeros(m, np.int64)
    rows[:m, :m] = A
    flat = rows.ravel()
    sign = lu_factor(flat, m, pivots)
    if sign != 0:
        lu_solve(flat, m, pivots, x)
    return x, sign


@pytest.mark.parametrize("m", [1, 2, 6, 12, 25])
def test_regular(m):
    rng = np.random.default_rng(m)
    A, b = rng.normal(size=(m, m)), rng.normal(size=m)
    x, sign = run(A, b)
    assert np.abs(x - np.linalg.solve(A, b)).max() < 1e-13 * np.abs(x).max() * np.linalg.cond(A)
    assert sign == np.sign(np.linalg.det(A))


def test_no_pivot_at_first():
    x, sign = run(np.array([[0.0, 2.0], [1.0, 1.0]]), np.array([2.0, 3.0]))
    assert x == pytest.approx([2.0, 1.0]) and sign == -1


def test_singular_is_said():
    assert run(np.array([[1.0, 1.0], [0.0, 0.0]]), np.ones(2))[1] == 0
