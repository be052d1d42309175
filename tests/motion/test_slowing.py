"""Slowing: only around the time that is given, never faster, every frame kept; times add up."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.motion import Motion
from bunraku.motion.slowing import AFTER, BEFORE, RAMP, STEP, lasting, slower, stretched, told


def test_a_pace_is_slower_around_a_time_and_as_it_was_elsewhere():
    t = np.linspace(0.0, 6.0, 601)
    once = slower(t, np.ones(601), 3.0, 3.0)
    inside = (t >= 3.0 - BEFORE) & (t <= 3.0 + AFTER)
    assert np.allclose(once[inside], STEP) and once.min() == 1.0
    assert np.all(once[(t < 2.99 - BEFORE - RAMP) | (t > 3.01 + AFTER + RAMP)] == 1.0)
    assert np.abs(np.diff(once)).max() < 0.03  # ramps
    many = once
    for _ in range(5):
        many = slower(t, many, 3.0, 3.0)
    assert many.max() == pytest.approx(3.0) and np.all(many >= once)
    assert np.all(slower(t, many, 3.0, 2.0) >= many)  # never faster again


def test_times_of_a_paced_motion_add_up():
    t = np.linspace(1.0, 5.0, 401)
    pace = slower(t, np.ones(401), 3.5, 3.0)
    at = lasting(t, pace)
    assert at[0] == 1.0 and at[-1] - at[0] == pytest.approx(np.trapezoid(pace, t), rel=1e-12)
    assert np.allclose(np.diff(at) / np.diff(t), 0.5 * (pace[1:] + pace[:-1]))
    [part] = told(t, pace)
    assert part["times"] == pytest.approx(STEP) and 2.1 < part["from_s"] < 2.5 < 3.9 < part["to_s"] < 4.3
    assert told(t, np.ones(401)) == []


def test_a_stretched_motion_has_the_same_poses_later():
    model = bk.human()
    q = np.tile(model.neutral(), (50, 1))
    q[:, 0] = np.linspace(0.0, 1.0, 50)
    motion = Motion(model, np.linspace(0.0, 0.49, 50), q)
    assert stretched(motion, np.ones(50)) is motion
    twice = stretched(motion, np.full(50, 2.0))
    assert np.array_equal(twice.q, q) and np.allclose(twice.times, 2.0 * motion.times)
    assert np.allclose(twice.v[10, 0], motion.v[10, 0] / 2.0)
