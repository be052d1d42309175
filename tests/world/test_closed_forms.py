"""Closed forms at dt = 1 ms with the models of rigid contact, each with its equation."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.world import World

G = 9.80665


@pytest.fixture(params=["pgs", "virtual_link", "pgs_2007"])
def contact(request):
    return request.param


@pytest.fixture(params=["pgs", "virtual_link"])
def exact(request):
    """Those whose residual vanishes; what pgs_2007 does instead: tests/world/test_pgs_2007_world.py."""
    return request.param


@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_drop(e, contact):
    """A ball dropped from h0 = 1 m comes back to e^2 h0 (within 1 %); with e = 0 it stays down (below 0.1 mm)."""
    world = World(dt=0.001, contact=contact)
    world.add_ground(restitution=e)
    ball = world.add(bk.sphere(0.05, 1.0), at=(0, 0, 1.05))
    fall = round(np.sqrt(2 / G) / world.dt)
    world.step(fall + 5)
    apex = 0.0
    for _ in range(round((e * np.sqrt(2 / G) + 0.05) / world.dt)):
        world.step()
        apex = max(apex, ball.q[2] - 0.05)
    if e == 0:
        assert abs(apex) < 1e-4
    else:
        assert apex == pytest.approx(e * e, rel=0.01)


def on_slope(contact, angle, mu, velocity=0.0, yaw=0.0, seconds=0.5, thing=None):
    """A box (or thing) on a slope that falls towards +x; returns (world, body, downhill direction)."""
    world = World(dt=0.001, contact=contact)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])  # z of the slope is (s, 0, c)
    world.add_fixed(bk.Shape("box", (20.0, 5.0, 0.5), tuple(-0.5 * turn[:, 2]), turn), friction=mu)
    cz, sz = np.cos(yaw), np.sin(yaw)
    spin = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    body = world.add(
        thing or bk.box((0.2, 0.2, 0.1), 1.0),
        at=tuple((0.05 if thing is None else 0.1) * turn[:, 2]),
        rotation=turn @ spin,
    )
    body.v[:3] = velocity * turn[:, 0]
    world.run(seconds)
    return world, body, turn[:, 0]


@pytest.mark.parametrize("mu", [0.1, 0.4, 0.7, 1.0])
def test_sticks_below_and_slides_above_the_friction_angle(mu, exact):
    """The threshold is atan(mu), within 0.3 degrees; above it a = g (sin - mu cos)."""
    below, above = np.arctan(mu) - np.radians(0.3), np.arctan(mu) + np.radians(0.3)
    _, body, down = on_slope(exact, below, mu)
    assert abs(body.v[:3] @ down) < 1e-7
    _, body, down = on_slope(exact, above, mu)
    wanted = 0.5 * G * (np.sin(above) - mu * np.cos(above))
    assert body.v[:3] @ down == pytest.approx(wanted, rel=0.02)


def test_friction_does_not_depend_on_the_boxs_yaw(contact):
    speeds = [on_slope(contact, 0.5, 0.3, yaw=yaw)[1].v[:3] for yaw in (0.0, 0.3, np.pi / 4, 1.2)]
    downs = [np.linalg.norm(v) for v in speeds]
    assert max(downs) / min(downs) - 1 < 0.005


def test_sliding_distance(contact):
    """v0^2 / (2 mu g) within 0.5 %."""
    mu, v0 = 0.5, 2.0
    _, body, _ = on_slope(contact, 0.0, mu, velocity=v0, seconds=1.0)
    assert body.q[0] == pytest.approx(v0**2 / (2 * mu * G), rel=0.005)
    assert np.abs(body.v).max() < 1e-7


def test_rolling_ball(contact):
    """a = 5/7 g sin(a) within 0.5 %."""
    angle = 0.2
    _, body, down = on_slope(contact, angle, 0.8, seconds=0.5, thing=bk.sphere(0.1, 1.0))
    assert body.v[:3] @ down == pytest.approx(0.5 * 5 / 7 * G * np.sin(angle), rel=0.005)


def test_tall_box_tips_over_when_the_slope_leads_its_weight_past_the_edge(contact):
    check_tipping(contact)


def test_tall_box_tips_over_with_penalty():
    check_tipping("penalty")


def check_tipping(contact):
    """Half width / half height = tan(a) is the limit."""
    for a, falls in ((np.arctan(0.2) - 0.02, False), (np.arctan(0.2) + 0.02, True)):
        world = World(dt=0.001, contact=contact)
        c, s = np.cos(a), np.sin(a)
        turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        world.add_fixed(bk.Shape("box", (5.0, 5.0, 0.5), tuple(-0.5 * turn[:, 2]), turn), friction=1.0)
        body = world.add(bk.box((0.1, 0.1, 0.5), 1.0), at=tuple(0.25 * turn[:, 2]), rotation=turn)
        world.run(1.0)
        lean = np.arccos(np.clip(body.pose("box")[1][:, 2] @ turn[:, 2], -1, 1))
        assert (lean > 0.2) == falls


def test_rest_without_creep(contact):
    world = World(dt=0.001, contact=contact)
    world.add_ground(friction=0.5)
    box = world.add(bk.box((0.2, 0.3, 0.1), 2.0), at=(0, 0, 0.05))
    world.run(1.0)
    assert np.abs(box.v).max() < 1e-7
    assert world.report.penetration < 1e-5 and world.report.residual <= 1e-6 and world.report.unsolved == 0
    (patch,) = world.contacts
    assert patch.state == "surface"
    assert np.abs(patch.force - [0, 0, 2.0 * G]).max() < world.tolerance * 2.0 * G
    assert np.allclose(patch.cop[:2], [0, 0], atol=1e-6)


def test_tower_of_ten(exact):
    world = World(dt=0.001, contact=exact)
    world.add_ground(friction=0.6)
    boxes = [world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 0.05 + 0.1 * k)) for k in range(10)]
    world.run(1.0)
    for k, b in enumerate(boxes):
        assert np.abs(b.q[:3] - [0, 0, 0.05 + 0.1 * k]).max() < 1e-4
    assert world.report.residual <= 1e-6
