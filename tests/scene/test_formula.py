"""Formulas in files: their values by closed forms; nothing but arithmetic is evaluated."""

import math

import numpy as np
import pytest

from bunraku.scene.formula import value

PLACES = {"left_hand": np.array([0.5, -0.25, 1.5]), "com": np.array([0.0, 0.0, 1.0])}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (2, 2.0),
        (0.1, 0.1),
        ("1 + 2 * 3", 7.0),
        ("-(2 ** 3) / 4", -2.0),
        ("left_hand.x + 0.25", 0.75),
        ("com.z - left_hand.y", 1.25),
        ("sin(pi / 6)", math.sin(math.pi / 6)),
        ("max(1, min(5, 3)) + abs(-2) + sqrt(16)", 9.0),
        ("radians(180)", math.pi),
    ],
)
def test_numbers(text, wanted):
    found = value(text, PLACES.__getitem__)
    assert not callable(found) and found == pytest.approx(wanted, rel=1e-15)


def test_functions_of_time():
    kick = value("-20 * sin(2 * pi * t / 1.3)", PLACES.__getitem__)
    assert callable(kick)
    for t in np.random.default_rng(1).uniform(0, 3, 20):
        assert kick(t) == -20.0 * np.sin(2 * np.pi * t / 1.3)


BAD = (
    True, None, [1], "", "  ", "1 +", "x", "t.x", "left_foot.x", "left_hand.w", "left_hand", "__import__('os')", "open('x')", "(1).real",
    "left_hand.__class__", "'a'", "1 if t else 2", "[1]", "lambda: 1", "t := 1", "sin(x=1)", "sin", "1 < 2", "1 // 2", "7 % 2", "1 @ 2", "~1",
    "9 ** 9 ** 9", "1 / 0", "(-1) ** 0.5", "sqrt(-1)", "min()", "(" * 200 + "1" + ")" * 200, "1" * 301, "nan", "1e999", float("nan"), float("inf"),
)  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=lambda x: repr(x)[:20])
def test_all_else_is_refused(text):
    with pytest.raises(ValueError, match=r"a number, or a formula|of a figure that has|a formula that has a value"):
        value(text, PLACES.__getitem__)


def test_no_value_at_a_time():
    half = value("1 / (t - 0.5)", PLACES.__getitem__)
    assert callable(half) and half(0.0) == -2.0
    with pytest.raises(ValueError, match=r"a value at t = 0\.5"):
        half(0.5)
