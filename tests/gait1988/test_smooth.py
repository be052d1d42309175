"""Smoothing: the kernel, what it keeps, and the curve of mode `exact`."""

from __future__ import annotations

import numpy as np

from asserts import asserts
from bunraku.gait1988.library import flat
from bunraku.gait1988.pattern import Pattern
from bunraku.gait1988.smooth import HALF, curves, fit_matrix, significant, smooth, smooth_curve


@asserts("1988/smoothing")
def test_kernel_is_the_nine_point_quartic() -> None:
    """(15, -55, 30, 135, 179, 135, 30, -55, 15)/429 (Savitzky and Golay 1964)."""
    wanted = np.array([15, -55, 30, 135, 179, 135, 30, -55, 15]) / 429.0
    np.testing.assert_allclose(fit_matrix()[HALF], wanted, atol=1e-14)


def test_constant_stays_and_is_at_rest() -> None:
    curve = smooth(Pattern("p", (1, 81), (0.3, 0.3)), 0.025)
    np.testing.assert_allclose(curve.angle, 0.3, atol=1e-14)
    np.testing.assert_allclose(curve.acceleration, 0.0, atol=1e-9)


def test_exact_curve_is_what_it_says() -> None:
    """Cubic pieces with GAIT's acceleration at their ends join in angle and velocity: each is the other's
    derivative."""
    h = 0.025
    for pattern in flat().patterns:
        angle, velocity, acceleration = smooth_curve(pattern, h)
        jump = np.roll(acceleration, -1) - acceleration
        end_velocity = velocity + h * (acceleration + jump / 2.0)
        end_angle = angle + h * velocity + h * h * (acceleration / 2.0 + jump / 6.0)
        np.testing.assert_allclose(end_velocity, np.roll(velocity, -1), atol=1e-13)
        np.testing.assert_allclose(end_angle, np.roll(angle, -1), atol=1e-13)


def test_exact_curve_has_gaits_acceleration() -> None:
    """Away from the cycle's ends (where GAIT fits off-centre) the acceleration is GAIT's column."""
    gait = flat()
    for k, pattern in enumerate(gait.patterns):
        acceleration = smooth_curve(pattern, 0.025)[2]
        np.testing.assert_allclose(acceleration[3:77], curves(gait)[f"beta{k + 1}"].acceleration[3:77], atol=1e-9)


def test_a_resting_pattern_rests_exactly() -> None:
    """Six steps away from any break point nothing moves: a foot on the floor stays there."""
    pattern = Pattern("p", (1, 40, 50, 60, 81), (0.0, 0.0, 0.4, 0.0, 0.0))
    angle, velocity, acceleration = smooth_curve(pattern, 0.025)
    assert np.abs(angle[6:33]).max() < 1e-16
    assert np.abs(velocity[6:33]).max() < 1e-14
    assert np.abs(acceleration[6:33]).max() < 1e-12


def test_significant_digits() -> None:
    """Halves go away from zero, whichever side of the half rounding errors put them."""
    values = np.array([0.0, 0.26931, -12.1504, 4.4e-5, 0.5235, np.nextafter(0.5235, 0.0), -0.01745])
    wanted = [0.0, 0.269, -12.2, 4.4e-5, 0.524, 0.524, -0.0175]
    np.testing.assert_allclose(significant(values, 3), wanted, rtol=1e-12)
