"""Touches and forces of landings, from made-up forces of feet."""

import numpy as np
import pytest

from bunraku.humanoid.foot_loads import FootLoads
from bunraku.walking.landings import landings, mean_force

WEIGHT = 700.0


def loads_of(left, right=None, dt=0.001):
    """Two feet with upward forces [of the weight], a step of the world apart."""
    n = len(left)
    force = np.zeros((n, 2, 3))
    force[:, 0, 2] = WEIGHT * np.asarray(left)
    force[:, 1, 2] = WEIGHT * np.asarray(np.ones(n) if right is None else right)
    place, turn = np.zeros((n, 2, 3)), np.tile(np.eye(3), (n, 2, 1, 1))
    state = np.where(force[..., 2] > 0, 3, 0)
    t = dt * np.arange(1, n + 1)
    return FootLoads(t, force, place, state, place, turn, np.full((2, 2), 0.1), WEIGHT, np.zeros(n))


def swing(*contacts, n=2000):
    """Standing, 0.5 s in the air from row 500 on, standing; contacts: (first row, rows, force) on the way."""
    force = np.full(n, 0.5)
    force[500:1000] = 0.0
    for at, rows, much in contacts:
        force[at : at + rows] = much
    return force


def test_a_foot_that_comes_down_once():
    (one,) = landings(loads_of(swing((1000, 1, 1.2))))
    assert one.side == 0 and one.time == pytest.approx(1.001) and one.touches == ()
    assert one.peak == pytest.approx(1.2) and one.mean_peak == pytest.approx((1.2 + 4 * 0.5) / 5)


def test_what_bounces_is_told():
    """A scuff in the swing and two hits before the foot stays; one of 1 % counts only for who asks for it."""
    loads = loads_of(swing((700, 5, 0.01), (800, 10, 0.3), (960, 3, 2.0), (985, 4, 0.4)))
    (one,) = landings(loads)
    assert [(round(t.begin, 3), round(t.end, 3), t.peak) for t in one.touches] == [
        (0.801, 0.811, pytest.approx(0.3)),
        (0.961, 0.964, pytest.approx(2.0)),
        (0.986, 0.99, pytest.approx(0.4)),
    ]
    assert len(landings(loads, threshold=0.005)[0].touches) == 4
    assert one.plain()["touches"][1] == {
        "begin_s": pytest.approx(0.961),
        "end_s": pytest.approx(0.964),
        "peak": pytest.approx(2.0),
    }


@pytest.mark.parametrize(("rows", "stands"), [(79, False), (81, True)])
def test_what_stays_for_80_ms_stands(rows, stands):
    assert len(landings(loads_of(swing((600, rows, 0.4))))) == (2 if stands else 1)


def test_both_feet_in_the_order_of_time_until_a_fall_or_the_end():
    left, right = swing(), np.roll(swing(), 700)
    right[:700] = 0.5
    loads = loads_of(left, right)
    assert [(x.side, round(x.time, 3)) for x in landings(loads)] == [(0, 1.001), (1, 1.701)]
    assert [x.side for x in landings(loads, until=1.5)] == [0]
    assert landings(loads_of(swing(n=1040))) == ()  # 40 ms are too few to say that it stays


def test_a_mean_over_5_ms():
    t = 0.001 * np.arange(1, 101)
    force = np.zeros(100)
    force[50] = 1.0
    smooth = mean_force(force, t)
    assert smooth.sum() == pytest.approx(1.0) and smooth.max() == pytest.approx(0.2)
    assert np.flatnonzero(smooth > 1e-12).tolist() == [50, 51, 52, 53, 54]
    assert np.array_equal(mean_force(np.ones(100), t), np.ones(100))
    assert np.array_equal(mean_force(force, 10 * t), force)  # rows farther apart than that
