"""GAIT: from polylines to smooth leg angles with velocity and acceleration (report, sections 4.1 and 5.2, Fig. 6.1).

The polyline is read at the time steps 1 … 81, continued periodically by 4 points on each side, and each point
replaced by the value of the polynomial of degree 4 that fits it and its 4 neighbours on each side best (least
squares); the 4 points at each end use the nearest 9-point polynomial off its centre. Velocity and acceleration are
central differences. `leg_table` cuts out one step: the support (left) leg takes the steps support_start … 80, 1 …
swing_start, the swinging (right) leg the negative of swing_start … support_start.

`smooth_curve` is the curve of mode `exact`, whose velocity and acceleration are true derivatives. `historical`: 3
significant digits, as the report's programs handed the numbers on. Checked against Figs 6.1(b), 6.1(c) in
tests/gait1988/test_report.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.gait1988.pattern import LAST, Gait, Pattern

HALF = 4
ROWS = 41
"""Time steps of one step of walking, both ends counted."""


@dataclass(frozen=True)
class Curve:
    """A smoothed pattern at the time steps 1 … 81: polyline, angle (rad), velocity (rad/s), acceleration (rad/s2)."""

    name: str
    polyline: np.ndarray
    angle: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def fit_matrix() -> np.ndarray:
    """9x9 projection on polynomials of degree 4; its middle row is (15, -55, 30, 135, 179, 135, 30, -55, 15)/429."""
    powers = np.vander(np.arange(-HALF, HALF + 1.0), 5, increasing=True)
    return powers @ np.linalg.pinv(powers)


def smooth(pattern: Pattern, dt: float) -> Curve:
    """Smooth one pattern; dt is the time between two time steps (cycle / 80)."""
    polyline = np.interp(np.arange(1, LAST + 1), pattern.index, pattern.angle)
    period = polyline[:-1]
    extended = np.concatenate([period[-HALF:], period, period[: HALF + 1]])
    fit = fit_matrix()
    angle = np.convolve(extended, fit[HALF], "same")
    angle[:HALF] = fit[:HALF] @ extended[:9]
    angle[-HALF:] = fit[-HALF:] @ extended[-9:]
    velocity = np.gradient(angle, dt)
    acceleration = np.gradient(velocity, dt)
    inner = slice(HALF, HALF + LAST)
    return Curve(pattern.name, polyline, angle[inner], velocity[inner], acceleration[inner])


def smooth_curve(pattern: Pattern, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angle, velocity, acceleration at the time steps 1 … 80 of a curve that is what it says (mode `exact`).

    GAIT's three columns are not derivatives of one another. The curve whose second derivative is GAIT's acceleration
    (central difference of a central difference), linear between time steps, has at the time steps the velocity (1, 2,
    1)/4 and the angle (1, 6, 10, 6, 1)/24 of GAIT's columns: integrate twice and sum the shifts. Everything is
    periodic.
    """
    polyline = np.interp(np.arange(1, LAST), pattern.index, pattern.angle)
    smoothed = spread(polyline, fit_matrix()[HALF])
    velocity = (np.roll(smoothed, -1) - np.roll(smoothed, 1)) / (2.0 * dt)
    acceleration = (np.roll(velocity, -1) - np.roll(velocity, 1)) / (2.0 * dt)
    return (
        spread(smoothed, np.array([1, 6, 10, 6, 1]) / 24.0),
        spread(velocity, np.array([1, 2, 1]) / 4.0),
        acceleration,
    )


def spread(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Periodic weighted mean with symmetric weights."""
    half = len(weights) // 2
    return sum((w * np.roll(values, k - half) for k, w in enumerate(weights)), np.zeros_like(values))


def significant(values: np.ndarray, digits: int) -> np.ndarray:
    """Round to a number of significant decimal digits, halves away from zero.

    The printed slopes end in exact halves (0.5235); a relative slack of 1e-9 keeps rounding errors from deciding them.
    """
    scale = np.where(values == 0.0, 1.0, np.abs(values))
    power = 10.0 ** (digits - 1 - np.floor(np.log10(scale)))
    return np.sign(values) * np.floor(np.abs(values) * power * (1.0 + 1e-9) + 0.5) / power


def support_rows(gait: Gait) -> np.ndarray:
    """Indices (0-based) into the 81 time steps of the support leg; the wrap goes to step 1, not 81."""
    return np.concatenate([np.arange(gait.support_start - 1, LAST - 1), np.arange(0, gait.swing_start)])


def swing_rows(gait: Gait) -> np.ndarray:
    """Indices (0-based) into the 81 time steps of the swinging leg."""
    return np.arange(gait.swing_start - 1, gait.support_start)


def curves(gait: Gait) -> dict[str, Curve]:
    """All patterns smoothed, by name beta1, beta2, beta3 (velocities for the unscaled cycle of the cards)."""
    dt = gait.cycle / (LAST - 1)
    return {f"beta{k + 1}": smooth(pattern, dt) for k, pattern in enumerate(gait.patterns)}


def leg_table(gait: Gait, digits: int | None = 3) -> np.ndarray:
    """(41, 6, 3): rows of one step; left beta1-3, right beta1-3; angle, velocity, acceleration. None = do not round."""
    table = np.zeros((ROWS, 6, 3))
    for k, curve in enumerate(curves(gait).values()):
        columns = np.stack([curve.angle, curve.velocity, curve.acceleration], axis=1)
        table[:, k] = columns[support_rows(gait)]
        table[:, 3 + k] = -columns[swing_rows(gait)]
    if digits is not None:
        table = significant(table, digits)
    scale = gait.angle_factor / np.array([1.0, gait.time_factor, gait.time_factor**2])
    return np.ascontiguousarray(table * scale)
