"""What the values in a scene file may be: small readers that return a value or raise ValueError with what was wanted.

Angles are degrees in a scene file (rotations, poses); rates are rad/s, all else SI. A rotation is three numbers (roll,
pitch, yaw: about x, then y, then z, all fixed axes) or a quaternion w x y z. Checked in tests/scene/test_scene.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from bunraku.model.rotations import rotation_matrix, rpy_matrix

Reader = Callable[[Any], Any]


def reader(wanted: str, good: Callable[[Any], Any], made: Callable[[Any], Any] | None = None) -> Reader:
    """A reader of values that are `good`; what is `made` of them is read."""

    def read(x: Any) -> Any:
        if not good(x):
            raise ValueError(wanted)
        return x if made is None else made(x)

    return read


def is_number(x: Any) -> bool:
    """Whether it is a finite number; true and false are none."""
    return isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= sys.float_info.max


def is_whole(x: Any) -> bool:
    """Whether it is a whole number."""
    return isinstance(x, int) and not isinstance(x, bool)


def one_of(*choices: str) -> Reader:
    """One of some words."""
    return reader("one of " + ", ".join(repr(c) for c in choices), lambda x: x in choices)


number = reader("a number", is_number, float)
positive = reader("a number above 0", lambda x: is_number(x) and x > 0, float)
not_negative = reader("a number of 0 or more", lambda x: is_number(x) and x >= 0, float)
share = reader("a number between 0 and 1", lambda x: is_number(x) and 0 <= x <= 1, float)
whole = reader("a whole number of 0 or more", lambda x: is_whole(x) and 0 <= x < 2**53)
count = reader("a whole number between 1 and 10000", lambda x: is_whole(x) and 1 <= x <= 10_000)
text = reader("some text", lambda x: isinstance(x, str) and x.strip())
flag = reader("true or false", lambda x: isinstance(x, bool))
name = reader(  # it stands before a full stop in figure.link
    "a name without a full stop, other than 'world'",
    lambda x: isinstance(x, str) and x.strip() and "." not in x and x != "world",
)
names = reader("a list of names", lambda x: isinstance(x, list) and x and all(isinstance(i, str) for i in x))


def numbers(x: Any, lengths: tuple[int, ...], wanted: str) -> np.ndarray:
    """A list of finite numbers."""
    if not isinstance(x, list) or len(x) not in lengths:
        raise ValueError(wanted)
    try:
        return np.array([number(i) for i in x])
    except ValueError:
        raise ValueError(wanted) from None


def numbers_of(n: int) -> Reader:
    """So many numbers of 0 or more."""
    return reader(
        f"{n} numbers of 0 or more",
        lambda x: isinstance(x, list) and len(x) == n and all(is_number(i) and i >= 0 for i in x),
    )


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


def shares(x: Any) -> float | dict[str, float]:
    """A number between 0 and 1, or a table of them; which keys fit is known with the rest."""
    try:
        return {str(key): share(value) for key, value in x.items()} if isinstance(x, dict) else share(x)
    except ValueError:
        raise ValueError("a number between 0 and 1, or a table { axis = number } of them") from None


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
