"""Smoothing: what is slow stays, what is fast goes, lines come back, and ends do not keep the noise of a single frame."""

import numpy as np

from bunraku.motion.lowpass import lowpass


def test_lines_stay_and_frequencies_are_passed_as_a_butterworth_filter_does():
    t = np.arange(400) / 100
    line = np.column_stack([1.0 + 2.0 * t, -3.0 * t])
    assert np.abs(lowpass(line, 100.0, 6.0) - line).max() < 1e-6  # three periods of the filter, exp(-2 pi 3 / 2^0.5)
    for hertz in (1.0, 6.0, 20.0):
        x = np.sin(2 * np.pi * hertz * t)
        # twice |H|^2 = 1 / (1 + (tan(pi f / fs) / tan(pi fc / fs))^4) of the bilinear second order
        gain = 1.0 / (1.0 + (np.tan(np.pi * hertz / 100) / np.tan(np.pi * 6 / 100)) ** 4)
        assert np.abs((lowpass(x, 100.0, 6.0) - gain * x)[100:300]).max() < 1e-3


def test_the_ends_do_not_hang_on_one_frame():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(200, 300))
    out = lowpass(noise, 100.0, 6.0)
    middle = out[80:120].std()
    assert middle < 0.4 and max(out[0].std(), out[-1].std()) < 2.2 * middle
    speed = np.diff(out, axis=0) * 100
    assert max(speed[0].std(), speed[-1].std()) < 2.5 * speed[80:120].std()
