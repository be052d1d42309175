"""What the values in a scene file may be: small readers that return a value or raise ValueError with what was wanted.

Angles are degrees in a scene file (rotations, poses); rates are rad/s, all else SI. A rotation is three numbers (roll,
pitch, yaw: about x, then y, then z, all fixed axes) or a quaternion w x y z. Checked in tests/scene/test_scene.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bunraku.model.rotations import rotation_matrix, rpy_matrix

Reader = Callable[[Any], Any]


def number(x: Any) -> float:
    """A finite number."""
    if isinstance(x, bool) or not isinstance(x, int | float) or not math.isfinite(x):
        raise ValueError("a number")
    return float(x)


def positive(x: Any) -> float:
    """A number above zero."""
    if not isinstance(x, bool) and isinstance(x, int | float) and math.isfinite(x) and x > 0:
        return float(x)
    raise ValueError("a number above 0")


def not_negative(x: Any) -> float:
    """A number of zero or more."""
    if not isinstance(x, bool) and isinstance(x, int | float) and math.isfinite(x) and x >= 0:
        return float(x)
    raise ValueError("a number of 0 or more")


def share(x: Any) -> float:
    """A number between zero and one."""
    if not isinstance(x, bool) and isinstance(x, int | float) and 0 <= x <= 1:
        return float(x)
    raise ValueError("a number between 0 and 1")


def whole(x: Any) -> int:
    """A whole number of zero or more."""
    if isinstance(x, bool) or not isinstance(x, int) or not 0 <= x < 2**53:
        raise ValueError("a whole number of 0 or more")
    return x


def count(x: Any) -> int:
    """A number of copies."""
    if isinstance(x, bool) or not isinstance(x, int) or not 1 <= x <= 10_000:
        raise ValueError("a whole number between 1 and 10000")
    return x


def text(x: Any) -> str:
    """Some text."""
    if not isinstance(x, str) or not x.strip():
        raise ValueError("some text")
    return x


def name(x: Any) -> str:
    """A name, which stands before a full stop in figure.link."""
    if not isinstance(x, str) or not x.strip() or "." in x or x == "world":
        raise ValueError("a name without a full stop, other than 'world'")
    return x


def flag(x: Any) -> bool:
    """true or false."""
    if not isinstance(x, bool):
        raise ValueError("true or false")
    return x


def numbers(x: Any, lengths: tuple[int, ...], wanted: str) -> np.ndarray:
    """A list of finite numbers."""
    if not isinstance(x, list) or len(x) not in lengths:
        raise ValueError(wanted)
    try:
        return np.array([number(i) for i in x])
    except ValueError:
        raise ValueError(wanted) from None


def vector(x: Any) -> np.ndarray:
    """Three numbers."""
    return numbers(x, (3,), "three numbers, e.g. [0, 0, 1]")


def edges(x: Any) -> np.ndarray:
    """Three lengths above zero."""
    out = numbers(x, (3,), "three lengths above 0")
    if out.min() <= 0:
        raise ValueError("three lengths above 0")
    return out


def rotation(x: Any) -> np.ndarray:
    """A rotation matrix."""
    out = numbers(x, (3, 4), "roll, pitch and yaw in degrees, or a quaternion w x y z")
    if len(out) == 3:
        return rpy_matrix(*np.radians(out))
    if np.linalg.norm(out) < 1e-9:
        raise ValueError("a quaternion with a direction, e.g. [1, 0, 0, 0]")
    return rotation_matrix(out)


def pose(x: Any) -> dict[str, Any]:
    """joint -> number or list of numbers; which of them fits is known with the figure."""
    if not isinstance(x, dict):
        raise ValueError("a table { joint = value }")
    for key, value in x.items():
        try:
            number(value) if not isinstance(value, list) else numbers(value, (2, 3, 4), "")
        except ValueError:
            raise ValueError(f"a number or a list of 2 to 4 numbers for {key!r}") from None
    return x


def names(x: Any) -> list[str]:
    """A list of names."""
    if not isinstance(x, list) or not x or not all(isinstance(i, str) for i in x):
        raise ValueError("a list of names")
    return x


def one_of(*choices: str) -> Reader:
    """One of some words."""

    def read(x: Any) -> str:
        if x not in choices:
            raise ValueError("one of " + ", ".join(repr(c) for c in choices))
        return x

    return read
