"""The law of balance: it leads the capture point of a pendulum to its reference as the equations say, and its users'
forms are one law."""

import numpy as np
import pytest

from bunraku.control.capture_point import (
    away_from_pressure,
    capture_point_of,
    damping_moment,
    held_in,
    pendulum_rate,
    pressure_for,
)

G, HEIGHT, K = 9.81, 0.9, 1.5


def fall(c, rate, reference, seconds, k=K, dt=1e-5):
    """Centre of mass and its rate after some time of a pendulum under the law; reference(t) gives x_ref, x_ref'."""
    w = pendulum_rate(G, HEIGHT)
    for n in range(round(seconds / dt)):
        x, _ = capture_point_of((c, 0.0, HEIGHT), (rate, 0.0, 0.0), w)
        wanted, speed = reference(n * dt)
        p = pressure_for(wanted - speed / w, 1.0 + k, x - wanted)
        rate += dt * away_from_pressure(w * w, c, p)
        c += dt * rate
    return c, rate


def test_the_pendulum_and_its_capture_point():
    w = pendulum_rate(G, HEIGHT)
    assert w == pytest.approx(np.sqrt(G / HEIGHT))
    # with its pressure at the capture point it comes to rest there: c(t) = x + (c - x) exp(-w t)
    c, rate, dt = 0.1, -0.4, 1e-4
    x = capture_point_of((c, 0.0, HEIGHT), (rate, 0.0, 0.0), w)[0]
    for _ in range(round(1.0 / dt)):
        rate += dt * away_from_pressure(w * w, c, x)
        c += dt * rate
    assert c == pytest.approx(x + (0.1 - x) * np.exp(-w), abs=1e-3)


def test_the_error_of_the_capture_point_dies_out_with_k_w():
    """(x - x_ref)' = -k w (x - x_ref), at rest and for a reference that moves."""
    w = pendulum_rate(G, HEIGHT)
    for reference in (lambda t: (0.02, 0.0), lambda t: (0.05 * np.sin(3 * t), 0.15 * np.cos(3 * t))):
        first = 0.06 - reference(0.0)[0]
        c, rate = fall(0.06, 0.0, reference, 0.4)
        x = capture_point_of((c, 0.0, HEIGHT), (rate, 0.0, 0.0), w)[0]
        assert x - reference(0.4)[0] == pytest.approx(first * np.exp(-K * w * 0.4), abs=1e-4)


def test_forms_of_walking_and_dancing_are_one_where_the_reference_rests():
    x, r = 0.07, 0.02
    assert pressure_for(x, K, x - r) == pytest.approx(pressure_for(r, 1.0 + K, x - r), abs=1e-15)


def test_following_a_motion_is_the_law_with_k_1():
    """2 b (c_ref' - c') + b^2 (c_ref - c) on top of c_ref'' = w^2 (c_ref - z) is w^2 (c - p) with w = b, k = 1."""
    b = 7.0
    c, rate, c_ref, rate_ref, z = 0.11, -0.3, 0.08, 0.2, 0.05
    x, wanted = c + rate / b, c_ref + rate_ref / b
    p = pressure_for(z, 2.0, x - wanted)
    followed = b * b * (c_ref - z) + 2 * b * (rate_ref - rate) + b * b * (c_ref - c)
    assert away_from_pressure(b * b, c, p) == pytest.approx(followed, abs=1e-12)


def test_damping_and_holding():
    assert damping_moment(3.0, (1.0, -2.0, 0.5)) == (-3.0, 6.0, -1.5)
    assert [held_in(x, -1.0, 2.0) for x in (-5.0, 0.5, 5.0)] == [-1.0, 0.5, 2.0]
