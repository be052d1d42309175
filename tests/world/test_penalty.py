"""The springy contact model: the closed forms within five times the limits of the rigid models, and its own laws."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.world import World

G = 9.80665


@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_drop(e):
    """A ball from h0 = 1 m comes back to e^2 h0 (within 5 %); with e = 0 it stays down but for the spring's m g / k."""
    world = World(dt=0.001, contact="penalty")
    world.add_ground(restitution=e)
    ball = world.add(bk.sphere(0.05, 1.0), at=(0, 0, 1.05))
    world.step(round(np.sqrt(2 / G) / world.dt) + 5)
    apex = -1.0
    for _ in range(round((e * np.sqrt(2 / G) + 0.05) / world.dt)):
        world.step()
        apex = max(apex, ball.q[2] - 0.05)
    if e == 0:
        assert abs(apex) < 5e-4
    else:
        assert apex == pytest.approx(e * e, rel=0.05)


def slope(angle, mu, v0=0.0, yaw=0.0, seconds=0.5, thing=None):
    """A box (or ball) on a slope that falls towards +x: (body, downhill speed, downhill way)."""
    world = World(dt=0.001, contact="penalty")
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    world.add_fixed(bk.Shape("box", (20.0, 5.0, 0.5), tuple(-0.5 * turn[:, 2]), turn), friction=mu)
    cz, sz = np.cos(yaw), np.sin(yaw)
    spin = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    start = (0.05 if thing is None else 0.1) * turn[:, 2]
    body = world.add(thing or bk.box((0.2, 0.2, 0.1), 1.0), at=tuple(start), rotation=turn @ spin)
    body.v[:3] = v0 * turn[:, 0]
    world.run(seconds)
    return world, body.v[:3] @ turn[:, 0], (body.q[:3] - start) @ turn[:, 0]


@pytest.mark.parametrize("mu", [0.1, 0.4, 0.7, 1.0])
def test_friction_angle(mu):
    """Sticks 1.5 degrees below atan(mu), slides 1.5 degrees above with a = g (sin - mu cos)."""
    below, above = np.arctan(mu) - np.radians(1.5), np.arctan(mu) + np.radians(1.5)
    assert abs(slope(below, mu)[1]) < 1e-6
    assert slope(above, mu)[1] == pytest.approx(0.5 * G * (np.sin(above) - mu * np.cos(above)), rel=0.05)


def test_friction_does_not_depend_on_yaw():
    speeds = [slope(0.5, 0.3, yaw=yaw)[1] for yaw in (0.0, 0.3, np.pi / 4, 1.2)]
    assert max(speeds) / min(speeds) - 1 < 0.025


def test_sliding_distance_and_rolling():
    """v0^2 / (2 mu g); a = 5/7 g sin."""
    assert slope(0.0, 0.5, v0=2.0, seconds=1.0)[2] == pytest.approx(4.0 / (2 * 0.5 * G), rel=0.025)
    assert slope(0.2, 0.8, thing=bk.sphere(0.1, 1.0))[1] == pytest.approx(0.5 * 5 / 7 * G * np.sin(0.2), rel=0.025)


def test_depth_is_weight_over_stiffness_and_never_pulls():
    """m g = 4 k depth at rest; lifted, it comes off without a pull."""
    world = World(dt=0.001, contact="penalty", stiffness=1e5, damping=500.0)
    world.add_ground(friction=0.5)
    box = world.add(bk.box((0.2, 0.2, 0.1), 4.0), at=(0, 0, 0.05))
    world.run(1.0)
    assert 0.05 - box.q[2] == pytest.approx(4 * G / (4 * 1e5), rel=1e-6)
    assert np.abs(box.v).max() < 1e-7
    (patch,) = world.contacts
    assert patch.force[2] == pytest.approx(4 * G, rel=1e-9)
    box.v[2] = 1.0
    world.step()
    assert box.v[2] == pytest.approx(1.0 - G * world.dt, abs=0.01) and all(p.force[2] >= 0 for p in world.contacts)


def test_stiff_spring_is_stable():
    """A stiffness far beyond m / dt^2: implicit, so at rest it stays at rest."""
    world = World(dt=0.001, contact="penalty", stiffness=1e9, damping=1e5)
    world.add_ground(friction=0.5)
    box = world.add(bk.box((0.2, 0.2, 0.1), 1.0), at=(0, 0, 0.1))
    world.run(1.0)
    assert np.abs(box.v).max() < 1e-6 and abs(box.q[2] - 0.05) < 1e-6


def test_same_forces_as_rigid_contact():
    """A human held by servos: its weight on both feet, foot by foot as with pgs (5 %)."""
    loads = []
    for contact in ("pgs", "penalty"):
        world = World(dt=0.001, contact=contact)
        world.add_ground(friction=0.8)
        fig = world.add(bk.human(), at=(0, 0, 0.901))
        fig.servo(2000.0, 60.0)
        world.run(1.5)
        feet = sorted((p.bodies, p.force[2], p.cop) for p in world.contacts)
        assert sum(f[1] for f in feet) == pytest.approx(fig.model.mass * G, rel=0.01)
        loads.append([f[1] for f in feet])
    assert np.allclose(loads[0], loads[1], rtol=0.05)


def test_bad_numbers():
    for bad in ({"stiffness": 0.0}, {"stiffness": np.nan}, {"damping": -1.0}):
        with pytest.raises(bk.BunrakuError):
            World(contact="penalty", **bad)
