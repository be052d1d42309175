"""Gaits and patterns refuse what cannot be a walk; ZMP step functions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asserts import asserts
from bunraku.errors import InputError, UnknownName
from bunraku.gait1988.library import flat, library_gait
from bunraku.gait1988.pattern import Pattern
from bunraku.gait1988.zmp import FLAT_CASES, USUAL_CASES, Zmp, from_card, zmp_case


@pytest.mark.parametrize(
    ("index", "angle", "what"),
    [
        ((1, 81), (0.1,), "one angle each"),
        ((2, 81), (0.1, 0.1), "start at 1"),
        ((1, 80), (0.1, 0.1), "end at 81"),
        ((1, 50, 50, 81), (0.1, 0.2, 0.2, 0.1), "must increase"),
        ((1, 81), (0.1, 0.2), "must agree"),
        ((1, 81), (float("nan"), 0.2), "radians"),
    ],
)
def test_bad_patterns(index: tuple[int, ...], angle: tuple[float, ...], what: str) -> None:
    with pytest.raises(InputError, match=what):
        Pattern("p", index, angle)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"cycle": 0.0}, "0.05 to 60"),
        ({"swing_start": 30}, "40 time steps apart"),
        ({"swing_start": 1, "support_start": 41}, "1 < swing start"),
        ({"time_factor": -1.0}, "time factor"),
        ({"rise": 2.0}, "rise"),
        ({"starts": ((0.0, 1.0, 2.0),)}, "four numbers"),
        ({"zmp": Zmp((0.5,), (0.0,))}, "the step lasts 1 s"),
    ],
)
def test_bad_gaits(change: dict, what: str) -> None:
    with pytest.raises(InputError, match=what):
        replace(flat(), **change)


@asserts("1988/fig-3.3")
def test_old_zmp_holds_at_the_switch() -> None:
    zmp = FLAT_CASES["V"]
    assert [zmp.at(t) for t in (0.0, 0.2, 0.2001, 0.6, 0.61, 1.0)] == [-0.02, -0.02, 0.0, 0.0, 0.035, 0.035]


@asserts("1988/be1")
def test_cases_of_the_report() -> None:
    """Figs 5.6 and 5.7; all lie in the sole; some can be put on cards and come back."""
    for cases in (FLAT_CASES, USUAL_CASES):
        assert list(cases) == ["I", "II", "III", "IV", "V"]
        for zmp in cases.values():
            assert zmp.inside_sole()
            card = zmp.to_card()
            if card is not None:
                again = from_card(*card, 1.0)
                assert (again.until, again.x) == (zmp.until, zmp.x)
    assert FLAT_CASES["V"].to_card() == (0.2, 0.6, 0.035, 0.02)
    assert FLAT_CASES["II"].to_card() is None
    assert not Zmp((1.0,), (0.2,)).inside_sole()


def test_unknown_names_are_helped() -> None:
    with pytest.raises(UnknownName, match="Closest: 'stairs_up'"):
        library_gait("stair_up")
    with pytest.raises(UnknownName, match="not in the report"):
        zmp_case("flat", "VI")
    with pytest.raises(UnknownName, match="has no ZMP cases"):
        library_gait("smooth", "I")
