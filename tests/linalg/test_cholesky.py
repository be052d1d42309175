"""Factors of positive forms against NumPy."""

import numpy as np
import pytest

from bunraku.kernel.entry import entry
from bunraku.linalg.cholesky import back, factor


@entry("D i i i D")
def in_two_parts(form, cut, n, width, y):
    """The first `cut` rows, their Schur complement, then the rest."""
    factor(form, 0, 0, cut, n, width, True)
    factor(form, 0, cut, n, n, width, False)
    factor(form, cut, cut, n, n, width, True)
    back(form, n, width, y)
    return 0


@entry("D i i D")
def at_once(form, n, width, y):
    """All rows."""
    factor(form, 0, 0, n, n, width, True)
    back(form, n, width, y)
    return 0


@pytest.mark.parametrize("n", [4, 7, 28, 31, 52, 53])
@pytest.mark.parametrize("cut", [0, 4])
def test_solves_positive_systems(n, cut):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n + 3))
    H, b = A @ A.T + 1e-3 * np.eye(n), rng.normal(size=n)
    width = (n + 4) // 4 * 4
    form = np.zeros((n + 4, width))
    form[:n, :n], form[:n, n] = np.triu(H), b
    flat, y = form.ravel().copy(), np.zeros(width)
    if cut:
        in_two_parts.call(flat, cut, n, width, y)
    else:
        at_once.call(flat, n, width, y)
    want = np.linalg.solve(H, b)
    assert np.abs(y[:n] - want).max() <= 1e-9 * np.abs(want).max()
