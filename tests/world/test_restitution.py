"""Impacts within a step: the ball hits at its own time, not at the step's start or end. Closed forms whose errors are
of second order in the step, with every contact model; without the time of impact they are of first order."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.world import World
from bunraku.world.contact_models import MODELS

G = 9.80665


@pytest.fixture(params=sorted(MODELS))
def contact(request):
    return request.param


def ball_over_ground(contact, e, height, speed=0.0, dt=0.001, gravity=G):
    """(world, ball): a ball of 5 cm whose lowest point is `height` above the ground, coming down with `speed`."""
    world = World(dt=dt, contact=contact, gravity=(0, 0, -gravity))
    world.add_ground(restitution=e)
    ball = world.add(bk.sphere(0.05, 1.0).with_gravity((0, 0, -gravity)), at=(0, 0, 0.05 + height))
    ball.v[2] = -speed
    return world, ball


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("e", [0.3, 1.0])
@pytest.mark.parametrize("dt", [1e-3, 1e-4])
def test_a_step_with_an_impact_in_it(contact, dt, e, share):
    """It falls until t: g t^2 / 2 + v t = gap, comes back with e (v + g t) and falls again. The step takes v for its
    speed until t: t is off by at most g dt^2 / (2 v), the speed by (1 + e) g times that, the place by g dt^2."""
    v = 4.0
    gap = share * v * dt
    world, ball = ball_over_ground(contact, e, gap, v, dt)
    world.step()
    t = (np.sqrt(v * v + 2 * G * gap) - v) / G
    back, rest = e * (v + G * t), dt - t
    assert ball.v[2] == pytest.approx(back - G * rest, abs=1.01 * (1 + e) * (G * dt) ** 2 / (2 * v) + 1e-9)
    assert ball.q[2] - 0.05 == pytest.approx(back * rest - 0.5 * G * rest**2, abs=G * dt**2)


@pytest.mark.parametrize(("e", "v"), [(1.0, 3.0), (0.7, 2.1), (0.2, 0.7)])
def test_without_weight_the_way_back_is_exact(contact, e, v):
    """z = e v (t - h / v) behind the impact, whenever in its step that is."""
    for height in (0.0123, 0.0141, 0.0157):
        world, ball = ball_over_ground(contact, e, height, v, gravity=0.0)
        world.step(40)
        assert ball.v[2] == pytest.approx(e * v, rel=1e-6)
        assert ball.q[2] - 0.05 == pytest.approx(e * v * (world.time - height / v), rel=1e-6)


@pytest.mark.parametrize("e", [0.4, 1.0])
@pytest.mark.parametrize("height", [0.2, 0.23, 0.27])
def test_a_dropped_ball_comes_back_to_e2_h_less_what_the_integrator_takes(contact, height, e):
    """Semi-implicit Euler is g dt / 2 slow at the ground and loses e v dt / 2 of height on the way up: together
    e^2 h - (e + e^2) v dt / 2, v^2 = 2 g h, within 5 % of the loss; the impact itself takes nothing."""
    dt, v = 0.002, np.sqrt(2 * G * height)
    world, ball = ball_over_ground(contact, e, height, dt=dt)
    world.step(int(v / G / dt) + 3)
    apex = 0.0
    for _ in range(int(e * v / G / dt) + 5):
        world.step()
        apex = max(apex, ball.q[2] - 0.05)
    loss = (e + e * e) * v * dt / 2
    assert apex == pytest.approx(e * e * height - loss, abs=0.05 * loss)
