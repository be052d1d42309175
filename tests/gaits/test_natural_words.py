"""Natural walks in words."""

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.gaits.natural_words import legs_of


def test_parts():
    legs = legs_of("walk 5 m at 0.8 m/s, turn right 90 degrees then ten steps and go 150 cm", 1.4)
    assert [(x.speed, x.metres, x.steps) for x in legs] == [
        (0.8, 5.0, None), (1.0, None, None), (1.4, None, 10), (1.4, 1.5, None)
    ]  # fmt: skip
    assert legs[1].turn == pytest.approx(-np.pi / 2)


def test_what_cannot_be_is_one_sentence():
    for words, why in (
        ("walk 2 m back", "no natural walk"), ("walk 5 m at 3 m/s", "give 0.30 to 1.80"), ("", "nothing to walk"),
        ("walk 0 m", "more than 0"), ("one step", "2 to 2000"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=why):
            legs_of(words, 1.3)
