"""Smooth ways from 0 to 1, and there and back: the minimum-jerk polynomial (Flash and Hogan 1985) and a bump of the
same smoothness.

    min_jerk(s) = 10 s^3 - 15 s^4 + 6 s^5 ,   bump(s) = 64 (s (1 - s))^3     for 0 <= s <= 1;
both have their first and second derivative 0 at both ends, so what follows them has continuous accelerations. Checked
in tests/walking/test_foot_paths.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def min_jerk(s: Any) -> np.ndarray:
    """From 0 to 1 while s goes from 0 to 1; its ends outside."""
    s = np.clip(s, 0.0, 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def bump(s: Any) -> np.ndarray:
    """0 at s = 0 and s = 1 and outside, 1 in the middle."""
    s = np.clip(s, 0.0, 1.0)
    return 64.0 * (s * (1.0 - s)) ** 3
