"""The search for key frames: its strategy on a known function, and what its costs say of good and bad poses."""

import numpy as np
import pytest

from bunraku.choreography import rising_search as R
from bunraku.choreography.rising_frames import searched


def test_the_strategy_finds_the_least_of_a_bowl():
    bounds = -np.ones(3), np.ones(3)
    goal = np.array([[0.3, -0.2, 0.6], [0.1, 0.5, -0.4]])
    cost, rows = R.evolve(
        lambda x: float(((x - goal) ** 2).sum()), np.zeros((2, 3)), bounds,
        seconds=20.0, rng=np.random.default_rng(0), enough=1e-3,
    )  # fmt: skip
    assert cost <= 1e-3 and rows == pytest.approx(goal, abs=0.04)


def test_the_shipped_frames_lead_where_they_should():
    """From lying on the front, on a floor and at a height that were not among the search's."""
    found, rng = searched(), np.random.default_rng(3)
    x = R.lying(0.7, 1.62, True, rng)
    assert R.off_knees(x) > 0.5
    x = x.played(R.even_frames(x.model, np.array(found["knees"])), 0.25)
    assert R.off_knees(x) < 0.1 < R.off_squat(x)
    x = x.played(R.even_frames(x.model, np.array(found["squat"])), 0.25)
    assert R.off_squat(x) < 0.3


def test_the_shipped_roll_leads_to_the_front():
    x = R.lying(0.7, 1.62, False, np.random.default_rng(4))
    assert R.off_front(x) > 2.0
    x = x.played(R.roll_frames(x.model, np.array(searched()["roll"])), 0.05)
    assert R.off_front(x) < 0.3
