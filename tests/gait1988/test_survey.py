"""Surveys of starts: what converges, to what; the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import InputError, UnknownName
from bunraku.gait1988.library import flat
from bunraku.gait1988.survey import random_starts, survey, survey_csv, survey_text


def test_printed_starts_historical() -> None:
    """(0.007, 0.4, 0.7, 1.8) and (0.007, 0.3, 0.7, 2.0) fail, the other three reach the one walk."""
    result = survey(flat(), np.array(flat().starts), "historical")
    assert [t.status for t in result.trials] == ["walk", "walk", "norm too big", "norm too big", "walk"]
    assert result.trials[0].iterations == 16
    assert len(result.solutions()) == 1


def test_exact_needs_no_good_start() -> None:
    """Every one of 60 starts spread over half a radian of psi reaches the same walk."""
    result = survey(flat(), random_starts(60), "exact")
    assert result.counts() == {"walk": 60}
    ((start, status, found, iterations),) = result.solutions()
    assert (status, found) == ("walk", 60)
    assert iterations < 8
    np.testing.assert_allclose(start, [0.00006, -0.0767, 0.6975, 2.2407], atol=1e-3)


def test_spurious_solutions_are_named() -> None:
    """Newton from a deep lean ends with the trunk hanging: periodic, but not admissible."""
    result = survey(flat(), np.array([[-0.0034, 2.432, 0.7, -2.0943], [0.007, 0.3, 0.7, 1.8]]), "newton")
    assert [t.status for t in result.trials] == ["not admissible", "walk"]
    assert result.trials[0].largest_psi > 3.0
    assert result.trials[1].iterations <= 6
    assert "not admissible" in survey_text(result)
    assert len(survey_csv(result).splitlines()) == 3


def test_same_seed_same_starts() -> None:
    np.testing.assert_array_equal(random_starts(5, 7), random_starts(5, 7))
    assert not np.array_equal(random_starts(5, 7), random_starts(5, 8))


def test_bad_surveys() -> None:
    with pytest.raises(InputError, match="1 to 1000000"):
        random_starts(0)
    with pytest.raises(UnknownName, match="no method"):
        survey(flat(), random_starts(1), "magic")
    with pytest.raises(InputError, match="4 numbers"):
        survey(flat(), np.zeros((1, 3)))
