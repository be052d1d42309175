"""Smoothing without delay: a Butterworth filter, forwards and backwards, with ends that do not hang on a single noisy
frame.

Before its first and after its last frame a signal is continued by its own reflection in the end of the parabola that
fits its first (last) 1 / cutoff seconds best. (Reflection in the first frame itself, as is usual, would keep that
frame's noise, and a foot that stands would leave with metres a second.) A straight line comes back unchanged. Checked
in tests/motion/test_lowpass.py.
"""

from __future__ import annotations

import numpy as np
from scipy.signal import butter, sosfiltfilt


def lowpass(x: np.ndarray, rate: float, cutoff: float) -> np.ndarray:
    """x (n, …) with `rate` frames a second, smoothed at cutoff [Hz]; 4th order in all."""
    fit, pad = (max(2, min(len(x) - 1, int(times * rate / cutoff))) for times in (1, 3))
    before, after = (continued(y, fit, pad) for y in (x, x[::-1]))
    whole = np.concatenate([before[::-1], x, after])
    return sosfiltfilt(butter(2, cutoff, fs=rate, output="sos"), whole, axis=0, padlen=0)[pad : pad + len(x)]


def continued(x: np.ndarray, fit: int, pad: int) -> np.ndarray:
    """(pad, …): frames before x[0], the nearest first: 2 parabola(0) - x, the parabola through the first `fit` frames."""
    t = np.arange(fit + 1.0) / fit
    end = np.linalg.pinv(np.vander(t, 3))[2] @ x[: fit + 1].reshape(fit + 1, -1)
    return 2.0 * end.reshape(x.shape[1:]) - x[1 : pad + 1]
