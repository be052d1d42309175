"""Contact times: flights are where the centre of mass falls, what cannot fly stands on the cheapest edge, and turns of
a foot are found."""

import numpy as np
import pytest

from bunraku.humanoid.foot_loads import runs
from bunraku.motion.contact_times import (
    SWITCH,
    best_stretch,
    cheapest,
    drop_haste,
    ground_what_cannot_fly,
    leave_together,
    pivots,
)

G, DT = 9.80665, 0.01


def test_the_best_stretch_and_the_cheapest_way_are_those_of_all():
    rng = np.random.default_rng(1)
    for _ in range(20):
        x = rng.normal(size=12)
        sums = {(a, b): x[a:b].sum() for a in range(12) for b in range(a + 1, 13)}
        a, b, most = best_stretch(x)
        assert abs(most - max(0.0, *sums.values())) < 1e-12 and (most == 0.0 or abs(sums[a, b] - most) < 1e-12)
        cost = rng.uniform(size=(2, 6))
        ends = rng.uniform(size=(2, 2))
        ways = [np.array([(w >> k) & 1 for k in range(6)]) for w in range(64)]
        price = [
            cost[w, np.arange(6)].sum() + SWITCH * np.abs(np.diff(w)).sum() + ends[0, w[0]] + ends[1, w[-1]]
            for w in ways
        ]
        assert np.array_equal(cheapest(cost, ends[0], ends[1]), ways[int(np.argmin(price))])


def stretch_in_the_air(fall):
    """Two edges that touch before 0.4 s (the first) and from 0.8 s on (the second), with a centre of mass that falls as
    given in between."""
    n = 120
    touches, middle = np.zeros((2, n), dtype=bool), np.zeros((2, n, 3))
    touches[0, :40] = touches[1, 80:] = True
    middle[0, 40:, 2] = 0.01 * np.arange(80)
    middle[1, :80, 2] = 0.01 * np.arange(80)[::-1]
    ground_what_cannot_fly(touches, middle, fall, DT, G)
    return touches


def test_a_flight_is_where_the_centre_of_mass_falls():
    fall = np.zeros(120)
    fall[48:70] = -G  # it leaves the floor after the first foot seems to have left
    touches = stretch_in_the_air(fall)
    assert runs(~touches.any(axis=0)) == [(48, 70)]
    assert touches[0, :48].all() and touches[1, 70:].all()


def test_what_does_not_fall_stands():
    touches = stretch_in_the_air(np.full(120, -0.3 * G))
    assert touches.any(axis=0).all()
    change = np.flatnonzero(touches[1])[0]
    assert 55 < change < 65 and touches[0, :change].all()  # where the second becomes the lower one


def test_feet_leave_and_land_together():
    touches = np.ones((2, 100), dtype=bool)
    touches[0, 40:60] = touches[1, 38:63] = False
    leave_together(touches, DT)
    assert [runs(~x) for x in touches] == [[(40, 60)], [(40, 60)]]
    touches = np.ones((2, 100), dtype=bool)
    touches[0, 40:60] = touches[1, 20:80] = False  # a step, no hop
    leave_together(touches, DT)
    assert [runs(~x) for x in touches] == [[(40, 60)], [(20, 80)]]


def test_turns_are_found_and_wavering_is_none():
    t = np.arange(300) * DT
    heading = 0.05 * np.sin(2 * np.pi * 2.0 * t) + 2 * np.pi * np.clip(t - 1.0, 0.0, 1.0)
    on = pivots(heading, DT)
    assert [(abs(a - 100) < 5, abs(b - 200) < 5) for a, b in runs(on)] == [(True, True)]
    assert not pivots(0.1 * np.sin(2 * np.pi * 3.0 * t), DT).any()


@pytest.mark.parametrize("other", [True, False])
def test_taps_and_gaps_of_noise_are_dropped_while_another_foot_stands(other):
    n = 300
    touches, edges = np.full((2, n), other), np.zeros((2, 2, n, 2))
    touches[1] = True
    for a, b in ((60, 80), (92, 120), (150, 160), (200, 210)):
        touches[1, a:b] = False
    edges[1, :, 80:92, 0], edges[1, :, 120:, 0] = 0.2, 0.4  # a step with a tap in its middle
    edges[1, 0, 160:, 0] += 0.1  # the heel moves while the toe stays: no step
    edges[1, :, 210:, 0] += 0.1  # a step, however short
    before = touches.copy()
    drop_haste(touches, edges, DT)
    if other:
        assert touches[0].all() and runs(touches[1]) == [(0, 60), (120, 200), (210, n)]
    else:
        assert np.array_equal(touches, before)
