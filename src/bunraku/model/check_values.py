"""Numbers of a description: finite, of the right count, not absurd.

`HUGE` is far above anything of a human figure in SI units and far below where float64 loses a millimetre.
Tested by tests/model/test_check.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bunraku.errors import ModelError

HUGE = 1e12


def place(where: str) -> str:
    """'file:line: ' where the place is known, else nothing."""
    return f"{where}: " if where else ""


def vector(value: Any, count: int, at: str, what: str, *, infinite: bool = False) -> np.ndarray:
    """`count` numbers that are not NaN and not absurd; infinite ones only where allowed."""
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{at}: the {what} {value!r} is not made of numbers.") from None
    if numbers.shape != (count,):
        got = numbers.size if numbers.ndim == 1 else f"an array of shape {numbers.shape}"
        wanted = "one number" if count == 1 else f"{count} numbers"
        raise ModelError(f"{at}: the {what} needs {wanted}, got {got}.")
    bad = np.isnan(numbers) if infinite else ~np.isfinite(numbers)
    if bad.any():
        wanted = "a number" if infinite else "a finite number"
        raise ModelError(f"{at}: the {what} contains {numbers[bad][0]}; write {wanted}.")
    large = np.isfinite(numbers) & (np.abs(numbers) > HUGE)
    if large.any():
        raise ModelError(f"{at}: the {what} {numbers[large][0]:g} is absurd (beyond {HUGE:g} in SI units).")
    return numbers


def finite(value: Any, at: str, what: str) -> float:
    """One finite number."""
    return float(vector([value], 1, at, what)[0])


def per_dof(value: Any, dof: int, at: str, what: str, *, infinite: bool = False) -> np.ndarray:
    """One number for all of `dof` values, or one for each."""
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{at}: the {what} {value!r} is not made of numbers.") from None
    if numbers.ndim == 0:
        return vector(np.full(dof, float(numbers)), dof, at, what, infinite=infinite)
    return vector(numbers, dof, at, what, infinite=infinite)


def direction(value: Any, at: str, what: str) -> np.ndarray:
    """A unit vector along three numbers that are not all zero."""
    numbers = vector(value, 3, at, what)
    length = math.hypot(*numbers)
    if length < 1e-9:
        shown = ", ".join(f"{x:g}" for x in numbers)
        raise ModelError(f"{at} {what} ({shown}) has no direction; write e.g. 0 1 0.")
    return numbers / length
