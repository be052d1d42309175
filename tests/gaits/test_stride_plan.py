"""Steps of a walk: it goes as far as it is told, and changes its speed little by little."""

import numpy as np
import pytest

from bunraku.gaits.gait_library import gait_at, speeds_of
from bunraku.gaits.stride_plan import FASTER, Leg, Stride, planned_metres, step_length, strides
from draws import fresh_rng

ANYWHERE = 1.9  # m, of a figure of 1.7 m: from here on whole steps can go everywhere


def lengths(planned: list[Stride], height: float) -> float:
    """How far steps go that are not the last."""
    return sum(gait_at(s.speed, height).plan.length for s in planned[:-1])


def test_a_walk_of_so_many_metres_goes_there():
    rng = fresh_rng()
    for _ in range(40):
        height = float(rng.uniform(1.5, 1.9))
        least, most = speeds_of(height)
        metres, speed = float(rng.uniform(ANYWHERE * height / 1.7, 12)), float(rng.uniform(least, most))
        planned = strides([Leg(speed, metres=metres)], height)
        assert lengths(planned, height) == pytest.approx(metres, abs=1e-3)
        assert planned_metres(planned, height) == pytest.approx(metres, abs=1e-3)
        speeds = [s.speed for s in planned]
        assert least - 1e-9 <= min(speeds) and max(speeds) <= most + 1e-9
        assert np.abs(np.diff(speeds)).max() < FASTER * np.sqrt(height / 1.7) + 1e-9


def test_a_long_walk_goes_at_the_speed_asked_for():
    """As fast as whole steps allow that must end at the place: never slower at its fastest, at most one step's change faster."""
    rng = fresh_rng()
    for _ in range(20):
        planned = strides([Leg(1.3, metres=float(rng.uniform(8, 12)))])
        assert 1.3 - 1e-9 <= max(s.speed for s in planned) < 1.3 + FASTER


def test_shorter_ways_end_as_near_as_whole_steps_can():
    """One step and the one that stops, or one between them, whose speeds may differ by so much: lengths of 0.44 to 0.60 m."""
    first, short, long = (step_length(x, 1.7) for x in (0.8, 0.6, 1.0))
    for metres, ends in ((0.2, first), (0.7, first), (0.9, first + short), (1.05, 1.05), (1.2, first + long)):
        assert planned_metres(strides([Leg(0.8, metres=metres)])) == pytest.approx(ends, abs=1e-5)


def test_steps_of_a_walk_change_speed_little_by_little():
    rng = fresh_rng()
    speed, metres = rng.uniform(0.4, 1.7, 3), rng.uniform(0.5, 6, 3)
    planned = strides([Leg(float(x), metres=float(m)) for x, m in zip(speed, metres)])
    kinds = [s.kind for s in planned]
    assert kinds[0] == "start" and kinds[-1] == "stop" and set(kinds[1:-1]) == {"step"}
    assert np.abs(np.diff([s.speed for s in planned])).max() < FASTER + 1e-9
    count = int(rng.integers(3, 25))
    assert len(strides([Leg(float(speed[0]), steps=count)])) == count  # however little room there is to brake
    turned = strides([Leg(1.0, steps=4), Leg(1.0, turn=np.pi / 2), Leg(1.0, steps=4)])
    assert sum(s.turn for s in turned) == pytest.approx(np.pi / 2)


def test_ten_steps_reach_their_speed_and_brake_in_whole_parts():
    speeds = [s.speed for s in strides([Leg(1.3, steps=10)])]
    assert speeds == pytest.approx([0.8, 1.0, 1.2, 1.3, 1.3, 1.3, 1.3, 1.1, 0.9, 0.8])
