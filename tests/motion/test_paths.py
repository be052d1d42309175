"""Paths in time: closed forms of minimum jerk, rates of numbers and of rotations."""

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.model.rotations import exponential, rotation_matrix, rotation_vector
from bunraku.motion.paths import rates, samples, swing, turn_rates, waypoints
from turns import about


def test_minimum_jerk_rests_at_its_points_and_is_half_way_in_the_middle():
    path = waypoints([(1.0, [0.0, 0.0]), (3.0, [2.0, -4.0])])
    assert np.array_equal(path(0.0), [0, 0]) and np.array_equal(path(9.0), [2, -4])
    assert np.allclose(path(2.0), [1.0, -2.0])
    # x(s) = 10 s^3 - 15 s^4 + 6 s^5 over 2 s: largest speed 15/8 of the mean one, in the middle; a = 60 s - 180 s^2 +
    # 120 s^3 over 4 s^2
    _, v, a = rates(path, 2.0)
    assert np.allclose(v, 15 / 8 * np.array([1.0, -2.0]), atol=1e-5) and np.allclose(a, 0.0, atol=1e-8)
    _, _, a = rates(path, 1.5)
    s = 0.25
    assert np.allclose(a, (60 * s - 180 * s**2 + 120 * s**3) / 4 * np.array([2.0, -4.0]), atol=1e-4)
    assert np.allclose(rates(path, 1.0)[1], 0, atol=1e-4)


def test_a_swing_lands_and_leaves_without_speed():
    path = swing(0.0, 0.5, (0, 0, 0), (0.3, 0, 0), height=0.06)
    assert np.isclose(path(0.25)[2], 0.06) and np.allclose(path(0.5), [0.3, 0, 0]) and np.allclose(path(0.0), 0)
    for t in (0.0, 0.5):
        assert np.abs(rates(path, t, 1e-4)[1]).max() < 1e-4


def test_a_spline_goes_through_its_rows():
    t = np.linspace(0, 1, 11)
    path = samples(t, np.sin(t))
    assert np.allclose([path(x) for x in t], np.sin(t)) and path(5.0) == pytest.approx(np.sin(1.0))
    assert abs(path(0.55) - np.sin(0.55)) < 1e-5


def test_rotation_vectors_and_rates_of_a_constant_turn():
    rng = np.random.default_rng(1)
    for _ in range(50):
        w = rng.normal(size=3)
        w *= rng.uniform(0, 3.1) / np.linalg.norm(w)
        assert np.allclose(rotation_vector(rotation_matrix(exponential(w))), w, atol=1e-9)
    assert np.allclose(rotation_vector(np.eye(3)), 0)
    w = np.array([0.3, -1.0, 2.0])
    R, omega, rate = turn_rates(lambda t: exponential(w * t), 0.4)
    assert np.allclose(R, rotation_matrix(exponential(0.4 * w))) and np.allclose(omega, w, atol=1e-9)
    assert np.allclose(rate, 0.0, atol=1e-6)


def test_rates_of_a_turn_whose_axis_moves():
    """R = Rz(a t) Rx(b t): omega = a z + b Rz x in world axes, and its rate a b Rz y; differences of second order."""
    a, b, t = 0.7, -1.9, 0.6

    def path(now):
        return about((0, 0, 1), a * now) @ about((1, 0, 0), b * now)

    R, omega, rate = turn_rates(path, t)
    x, y = np.array([np.cos(a * t), np.sin(a * t), 0.0]), np.array([-np.sin(a * t), np.cos(a * t), 0.0])
    assert np.allclose(R, path(t)) and np.allclose(omega, b * x + [0, 0, a], atol=1e-5)
    assert np.allclose(rate, a * b * y, atol=1e-5)


@pytest.mark.parametrize("points", [[], [(1.0, 0.0), (1.0, 1.0)], [(0.0, np.nan)]])
def test_mistakes(points):
    with pytest.raises(InputError, match="waypoints"):
        waypoints(points)
    with pytest.raises(InputError, match="samples"):
        samples([0.0, 0.0], [1.0, 2.0])
