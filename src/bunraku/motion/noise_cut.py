"""Smoothing by the noise that is in a recording: as much as generalised cross-validation says, channel by channel.

Of each channel x the y is taken that minimises  sum (x - y)^2 + lam sum (D^3 y)^2  (Whittaker 1923; D^3: third
differences, so that second derivatives are continuous, as Woltring 1986 asks for of captured motion), with the lam of
least
    GCV = n sum (x - y)^2 / (n - trace)^2        (Craven and Wahba 1979)
trace being what the smoother has of degrees of freedom. What has no noise stays as it is, to rounding; a straight line or
a parabola comes back unchanged. Nothing is delayed. Checked in tests/motion/test_noise_cut.py.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigvals_banded, solveh_banded

ORDER = 3
RANGE, TRIES = (-6.0, 9.0), 31  # powers of ten of lam; how many are tried


def smooth_by_noise(x: np.ndarray) -> np.ndarray:
    """x (n, channels) at even times, each channel smoothed by its own noise."""
    n = len(x)
    if n < 4 * ORDER:
        return x.copy()
    band = bands(n)
    eigen = np.maximum(eigvals_banded(band, lower=True), 0.0)
    best, out = np.full(x.shape[1], np.inf), x.copy()
    for lam in np.logspace(*RANGE, TRIES):
        left = lam * band
        left[0] += 1.0
        y = solveh_banded(left, x, lower=True)
        free = n - float(np.sum(1.0 / (1.0 + lam * eigen)))
        score = n * np.sum((x - y) ** 2, axis=0) / free**2
        better = score < best
        best, out[:, better] = np.where(better, score, best), y[:, better]
    return out


def bands(n: int) -> np.ndarray:
    """(ORDER + 1, n): D'D of third differences, lower bands as SciPy has them."""
    row = np.array([-1.0, 3.0, -3.0, 1.0])
    out = np.zeros((ORDER + 1, n))
    for offset in range(ORDER + 1):
        for k in range(ORDER + 1 - offset):
            out[offset, k : k + n - ORDER] += row[k] * row[k + offset]
    return out
