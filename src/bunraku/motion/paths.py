"""Paths in time for motion generation: a path is a function of t [s] that gives a number, a position, or a rotation.

`waypoints([(t, x), …])` goes from each x to the next along the minimum-jerk polynomial  10 s^3 - 15 s^4 + 6 s^5  (Flash
and Hogan 1985), at rest at every one of them; `swing` is the way of a foot from one place to the next, lifted by
`height` in the middle; `samples` is a cubic spline through given rows. Rates and accelerations are central differences
(`rates`, `turn_rates`): of second order in H, 1e-3 s. Checked in tests/motion/test_paths.py.
"""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.model.rotations import rotation_matrix, rotation_vector
from bunraku.walking.min_jerk import bump, min_jerk

Path = Callable[[float], Any]
H = 1e-3  # s


def waypoints(points: Sequence[tuple[float, Any]]) -> Path:
    """A path with minimum jerk from each (t [s], x) to the next; it stays at the ends."""
    times = np.array([float(t) for t, _ in points])
    values = np.array([np.asarray(x, dtype=float) for _, x in points])
    if len(times) == 0 or np.any(np.diff(times) <= 0) or not np.all(np.isfinite(values)):
        raise InputError("waypoints: needs (time, value) pairs with rising times and finite values.")

    def at(t: float) -> np.ndarray:
        if t <= times[0] or len(times) == 1:
            return values[0]
        if t >= times[-1]:
            return values[-1]
        k = int(np.searchsorted(times, t, side="right")) - 1
        s = (t - times[k]) / (times[k + 1] - times[k])
        return values[k] + float(min_jerk(s)) * (values[k + 1] - values[k])

    return at


def swing(begin: float, end: float, start: Any, goal: Any, height: float = 0.06) -> Path:
    """A foot's way from `start` to `goal` [m] between two times [s], lifted by height [m]: 64 (s (1 - s))^3 is 0 with
    its rate and acceleration at both ends and 1 in the middle."""
    across = waypoints([(begin, start), (end, goal)])

    def at(t: float) -> np.ndarray:
        s = min(max((t - begin) / (end - begin), 0.0), 1.0)
        return across(t) + np.array([0.0, 0.0, height * float(bump(s))])

    return at


def samples(times: Sequence[float] | np.ndarray, values: Any) -> Path:
    """A path: the cubic spline through rows of values at rising times [s]; it stays at the ends."""
    from scipy.interpolate import CubicSpline

    t, x = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    if t.ndim != 1 or len(t) < 2 or np.any(np.diff(t) <= 0) or len(x) != len(t) or not np.all(np.isfinite(x)):
        raise InputError("samples: needs two or more rising times and as many finite values.")
    spline = CubicSpline(t, x)
    return lambda now: spline(min(max(now, t[0]), t[-1]))


def rates(path: Path, t: float, h: float = H) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(value, rate, acceleration) of a path of numbers."""
    before, now, after = (np.atleast_1d(np.asarray(path(x), dtype=float)) for x in (t - h, t, t + h))
    return now, (after - before) / (2 * h), (after - 2 * now + before) / (h * h)


def turn_rates(path: Path, t: float, h: float = H) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(R, angular velocity, angular acceleration), world axes, of a path of rotations (3x3 or wxyz)."""
    before, now, after = (rotation_matrix(path(x)) for x in (t - h, t, t + h))
    first, second = rotation_vector(now @ before.T) / h, rotation_vector(after @ now.T) / h
    return now, 0.5 * (first + second), (second - first) / h
