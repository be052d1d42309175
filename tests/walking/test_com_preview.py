"""The centre of mass of a zero-moment point: closed forms of the cart-table equation."""

import numpy as np
import pytest

from bunraku.walking.com_preview import at_rest, cart_table, second_difference
from bunraku.walking.min_jerk import bump

G, HEIGHT = 9.80665, 0.85


def test_a_cosine_of_the_zmp():
    # p = cos(w t): c = cos(w t) / (1 + w^2 h / g) far from the ends, where solutions e^(±t sqrt(g/h)) have died out
    w, dt = 3.0, 0.005
    t = dt * np.arange(4001)
    p = np.cos(w * t)
    c = cart_table(p[:, None], np.full(len(t), HEIGHT), np.zeros(len(t)), dt, G)[:, 0]
    exact = p / (1.0 + w**2 * HEIGHT / G)
    inner = slice(1000, 3001)  # 5 s from both ends: e^-17
    # central differences: w^4 dt^2 / 12 h / g of the amplitude
    assert np.abs(c - exact)[inner].max() < 2.0 * w**4 * dt**2 / 12 * HEIGHT / G


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_second_order_in_dt(ratio):
    # a step-free smooth reference: the error against a four times finer solution falls by four when dt is halved
    def solve(dt):
        t = dt * np.arange(round(6.0 / dt) + 1)
        p = bump((t - 2.0) / 2.0)
        return cart_table(p[:, None], np.full(len(t), HEIGHT), np.zeros(len(t)), dt, G)[:, 0]

    dt = 0.02 * ratio
    fine = solve(dt / 8)
    errors = [np.abs(solve(d) - fine[:: round(d / (dt / 8))]).max() for d in (dt, dt / 2)]
    assert 3.5 < errors[0] / errors[1] < 4.6


def test_equation_with_a_height_that_changes():
    dt = 0.005
    t = dt * np.arange(1201)
    z = HEIGHT + 0.1 * bump((t - 1.0) / 3.0)
    p = np.column_stack([bump((t - 2.0) / 2.0), -bump((t - 1.5) / 1.0)])
    up = second_difference(z, dt)
    c = cart_table(p, z, up, dt, G)
    back = c - (z / (G + up))[:, None] * second_difference(c, dt)
    assert np.abs(back - p)[1:-1].max() < 1e-12


def test_at_rest_at_both_ends():
    dt = 0.005
    t = dt * np.arange(1201)
    p = np.column_stack([0.5 * (1.0 + np.tanh(2.0 * (t - 3.0))), 0.1 * np.sin(4.0 * t) * bump((t - 1.0) / 4.0)])
    first, last = bump(t / 0.8), bump((t - t[-1]) / 0.8 + 1.0)
    c, added = at_rest(p, np.full(len(t), HEIGHT), np.zeros(len(t)), dt, G, first, last)
    assert np.abs(c[1] - c[0]).max() < 1e-13 and np.abs(c[-1] - c[-2]).max() < 1e-13
    assert np.abs(added[(t > 0.8) & (t < t[-1] - 0.8)]).max() == 0.0
    back = c - HEIGHT / G * second_difference(c, dt)
    assert np.abs(back - p - added)[1:-1].max() < 1e-10
