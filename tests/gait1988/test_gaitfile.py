"""TOML gait files: every library gait survives a round trip to the bit; bad files are explained."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.errors import BunrakuError, FormatError
from bunraku.gait1988.gaitfile import read_gait_toml, write_gait_toml
from bunraku.gait1988.library import GAITS, flat, library_gait


@pytest.mark.parametrize("name", list(GAITS))
def test_library_round_trip(name: str) -> None:
    gait = library_gait(name)
    assert read_gait_toml(write_gait_toml(gait)) == gait


GOOD = write_gait_toml(flat())
BAD = [
    ("=", "not TOML"),
    ("", "'name' is missing"),
    (GOOD.replace("cycle = 2.0", 'cycle = "two"'), "cycle must be a number, got 'two'"),
    (GOOD.replace("cycle = 2.0", "cycle = -2.0"), "0.05 to 60"),
    (GOOD.replace("cycle", "cicle"), "unknown key 'cicle'. Closest: 'cycle'"),
    (GOOD.replace("x = [-0.02, 0.0]", "x = [-0.02]"), "as many times as positions"),
    (GOOD.replace("swing_start = 33", "swing_start = 40"), "40 time steps apart"),
    (GOOD.replace("swing_start = 33", "swing_start = true"), "whole number, got True"),
    (GOOD.replace("until = [0.2, 1.0]", "until = [0.2, 0.9]"), "the step lasts 1 s"),
    (GOOD.replace("-0.1396", "-13.96"), "radians"),
    (GOOD.replace("cycle = 2.0", "cycle = nan"), "0.05 to 60"),
]


@pytest.mark.parametrize(("text", "what"), BAD)
def test_bad_files(text: str, what: str) -> None:
    with pytest.raises(FormatError) as error:
        read_gait_toml(text, "walk.toml")
    assert str(error.value).startswith("walk.toml:")
    assert what in str(error.value)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(GOOD)), st.integers(0, len(GOOD)), st.text(max_size=30))
def test_damaged_files_give_no_traceback(a: int, b: int, piece: str) -> None:
    with contextlib.suppress(BunrakuError):
        read_gait_toml(GOOD[: min(a, b)] + piece + GOOD[max(a, b) :])
