"""Smoothing by noise: parabolas and what has no noise stay; noise goes, and more of it where there is more; the least of
GCV is found over all that was tried."""

import numpy as np
import pytest

from bunraku.motion.noise_cut import ORDER, bands, smooth_by_noise


def test_bands_are_those_of_third_differences():
    n = 9
    D = np.diff(np.eye(n), ORDER, axis=0)
    whole, out = D.T @ D, bands(n)
    for offset in range(ORDER + 1):
        assert np.allclose(out[offset, : n - offset], np.diag(whole, -offset))


def test_parabolas_and_smooth_ways_stay():
    t = np.linspace(0.0, 2.0, 240)
    x = np.column_stack([3.0 + 2.0 * t - 5.0 * t * t, np.sin(2 * np.pi * t)])
    assert np.abs(smooth_by_noise(x) - x).max() < 1e-6
    assert np.array_equal(smooth_by_noise(x[:8]), x[:8])  # too short


@pytest.mark.parametrize("noise", [0.002, 0.02])
def test_accelerations_of_noisy_ways(noise):
    """Second derivatives of a sine of 1 Hz and size 1 (peak 39.5) under white noise: within what is left at 240 Hz."""
    t = np.arange(480) / 240.0
    rng = np.random.default_rng(3)
    x = np.sin(2 * np.pi * t)[:, None] + noise * rng.normal(size=(480, 6))
    y = smooth_by_noise(x)
    acc, raw = (np.gradient(np.gradient(z, t, axis=0), t, axis=0)[24:-24] for z in (y, x))
    true = -((2 * np.pi) ** 2) * np.sin(2 * np.pi * t)[24:-24, None]
    assert np.sqrt(np.mean((acc - true) ** 2)) < 0.02 * np.sqrt(np.mean((raw - true) ** 2))
    assert np.sqrt(np.mean((y - np.sin(2 * np.pi * t)[:, None]) ** 2)) < 0.4 * noise
