"""Motions: between frames numbers go straight and quaternions by slerp; rates; even frames; mistakes."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.motion import Motion


def spinning(n=11):
    """A sphere that moves at 2 m/s and turns at 0.6 rad/s about a fixed axis."""
    model = bk.sphere(0.1)
    times = 0.5 * np.arange(n)
    axis = np.array([1.0, 2.0, 2.0]) / 3
    q = np.zeros((n, 7))
    q[:, 0] = 2.0 * times
    q[:, 3] = np.cos(0.3 * times)
    q[:, 4:] = np.sin(0.3 * times)[:, None] * axis
    return Motion(model, times, q), axis


def test_between_frames_a_constant_motion_is_exact():
    motion, axis = spinning()
    t = np.array([0.0, 0.13, 1.0, 3.777, 5.0])
    q = motion.at(t)
    assert np.allclose(q[:, 0], 2.0 * t, atol=1e-14)
    assert np.allclose(q[:, 3], np.cos(0.3 * t), atol=1e-14)
    assert np.allclose(q[:, 4:], np.sin(0.3 * t)[:, None] * axis, atol=1e-14)
    assert np.allclose(motion.at(0.13), q[1]) and motion.at(0.13).shape == (7,)
    assert np.allclose(motion.at(99.0), motion.q[-1], atol=1e-14) and np.array_equal(motion.at(-1.0), motion.q[0])


def test_rates_and_even_frames():
    motion, axis = spinning()
    assert np.allclose(motion.v, [2.0, 0, 0, *(0.6 * axis)], atol=1e-12)
    even = motion.resampled(10)
    assert len(even) == 51 and np.allclose(np.diff(even.times), 0.1) and np.allclose(even.q[:, 0], 2.0 * even.times)
    single = Motion(motion.model, motion.times[:1], motion.q[:1])
    assert len(single.resampled(10)) == 1 and not single.v.any() and np.array_equal(single.at(3.0), motion.q[0])


def test_rates_inside_are_central():
    """Exact for a parabola: x = t^2 has the rate 2 t at every inner frame, half a step less or more at the ends."""
    model, t = bk.sphere(0.1), 0.25 * np.arange(9)
    q = np.tile(model.neutral(), (9, 1))
    q[:, 0] = t * t
    v = Motion(model, t, q).v[:, 0]
    assert np.allclose(v[1:-1], 2.0 * t[1:-1]) and np.allclose(v[[0, -1]], [0.25, 2.0 * t[-1] - 0.25])


def test_mistakes():
    motion, _ = spinning()
    for times, q, words in (
        ([], np.zeros((0, 7)), "times"),
        ([0, 0], motion.q[:2], "rise"),
        ([0, np.nan], motion.q[:2], "finite"),
        ([0, 1], motion.q[:3], "2 rows of 7"),
        ([0, 1], np.full((2, 7), np.inf), "finite"),
    ):
        with pytest.raises(InputError, match=words):
            Motion(motion.model, np.array(times, dtype=float), q)
    with pytest.raises(InputError, match="finite"):
        motion.at(np.nan)
    with pytest.raises(InputError, match="fps"):
        motion.resampled(-1)
