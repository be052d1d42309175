"""Contact patches as they are read: state, motion, frame, region, wrench and margins against closed forms."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.world import World

G = 9.80665


def crate(size=(0.2, 0.2, 0.1), mass=2.0, mu=0.5, at=None, **options):
    """A box on the ground, at rest."""
    world = World(dt=0.001)
    world.add_ground(friction=mu)
    box = world.add(bk.box(size, mass), at=at or (0, 0, size[2] / 2), name="crate", **options)
    return world, box


@asserts("2000/fig-2/surface")
def test_box_at_rest():
    """fz = m g; edge: half the width; friction: mu m g; spin: d mu m g with d = s (sqrt 2 + asinh 1) / 6 for a square
    of side s (N9)."""
    world, _ = crate()
    world.step()
    assert world.contacts[0].solves >= 1  # the first step has no warm start; later ones may need no sweep at all
    world.step(20)
    (c,) = world.contacts
    assert (c.state, c.motion) == ("surface", "stick")
    assert c.bodies == (("crate", "box"), ("world", "plane"))
    origin, rotation = c.frame
    assert np.allclose(origin, 0, atol=1e-8) and np.allclose(rotation.T @ rotation, np.eye(3))
    assert np.linalg.det(rotation) == pytest.approx(1.0) and np.allclose(rotation[:, 2], [0, 0, 1])
    x, y = c.region[:, 0], c.region[:, 1]
    assert 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() == pytest.approx(
        0.04, abs=1e-8
    )  # anticlockwise: positive
    weight, d = 2.0 * G, 0.2 * (np.sqrt(2) + np.arcsinh(1)) / 6
    wanted = {"normal": weight, "edge": 0.1, "friction": 0.5 * weight, "spin": d * 0.5 * weight}
    assert c.margins == pytest.approx(wanted, rel=10 * world.tolerance)
    assert np.allclose(c.wrench, [0, 0, weight, 0, 0, 0], atol=10 * world.tolerance * weight)
    assert np.abs(c.slip).max() < 1e-9


@pytest.mark.parametrize("force", [0.0, 2.0, 6.0, -9.0])
def test_centre_of_pressure_of_a_box_that_is_pushed(force):
    """A push F at the height h of the centre of mass moves pv by F h / (m g); the ground answers with -F, the margin is
    mu m g - |F|."""
    world, box = crate()
    world.step(20)
    world.push(box["box"], force=(force, 0, 0), seconds=1.0)
    world.step(20)
    (c,) = world.contacts
    weight, shift = 2.0 * G, force * 0.05 / (2.0 * G)
    assert c.state == "surface" and c.motion == "stick"
    assert c.cop[0] == pytest.approx(shift, abs=1e-6) and c.margins["edge"] == pytest.approx(0.1 - abs(shift), abs=1e-6)
    assert c.margins["friction"] == pytest.approx(0.5 * weight - abs(force), abs=20 * world.tolerance * weight)
    # about the frame's origin (the middle): n = pv x f
    assert np.allclose(c.wrench[3:], np.cross(c.cop, c.force), atol=1e-6)
    assert np.allclose(c.torque[:2], 0, atol=1e-9)


def test_pushed_beyond_tipping_it_stands_on_a_line():
    """m g w / (2 h) is the tipping force; beyond it pv is on the edge, which is the frame's x axis."""
    world, box = crate((0.1, 0.2, 0.4), mu=2.0)
    world.step(20)
    world.push(box["box"], force=(1.2 * 2.0 * G * 0.05 / 0.2, 0, 0), seconds=1.0)
    world.step(1)
    (c,) = world.contacts
    assert c.state == "line" and c.cop[0] == pytest.approx(0.05, abs=1e-6)
    assert c.margins["edge"] == pytest.approx(0.0, abs=1e-6) and len(c.region) == 4
    origin, rotation = c.frame
    assert np.allclose(np.abs(rotation[:, 0]), [0, 1, 0], atol=1e-9) and np.allclose(origin[:2], [0.05, 0], atol=1e-9)
    world.step(60)  # now the other edge is up
    (c,) = world.contacts
    assert c.state == "line" and len(c.region) == 2 and c.margins["edge"] == pytest.approx(0.1, rel=1e-3)


def test_states_of_a_ball_and_a_capsule():
    world = World(dt=0.001)
    world.add_ground()
    ball = world.add(bk.sphere(0.1, 1.0), at=(0, 0, 0.1))
    side = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # z of the capsule along x
    rod = world.add(bk.capsule(0.05, 0.4, 1.0), at=(1, 0, 0.05), rotation=side)
    far = world.add(bk.sphere(0.1, 1.0), at=(0, 3, 0.105), name="far")
    world.step()
    (point,), (line,), (none,) = ball.contacts, rod.contacts, far.contacts
    assert point.state == "point" and point.margins["edge"] == 0.0 and len(point.region) == 1
    assert line.state == "line" and line.margins["edge"] == pytest.approx(0.2, abs=1e-6)
    assert np.allclose(np.abs(line.frame[1][:, 0]), [1, 0, 0], atol=1e-9)
    # d of a line of length L from its middle is L / 4
    assert line.margins["spin"] == pytest.approx(0.1 * line.mu * G, rel=1e-5)
    assert (none.state, none.motion, len(none.region)) == ("none", "none", 0) and not any(none.margins.values())


def test_sliding_box():
    """v = v0 - mu g t; friction is mu m g against it, its margin 0."""
    world, box = crate()
    world.step(20)
    box.v[:2] = 1.0, 0.5
    world.step(100)
    (c,) = world.contacts
    direction = np.array([1.0, 0.5, 0]) / np.hypot(1, 0.5)
    assert c.motion == "slide"
    assert np.allclose(c.slip, (np.hypot(1, 0.5) - 0.5 * G * 0.1) * direction, atol=1e-4)
    assert np.allclose(c.force[:2], -0.5 * 2.0 * G * direction[:2], rtol=1e-4)
    assert c.margins["friction"] == pytest.approx(0.0, abs=1e-6 * 2 * G)


def test_spinning_box_turns_about_a_point_of_its_region_a_wide_turn_slides():
    """Centre of rotation (-vy/wz, vx/wz): inside the region it spins, outside it slides (N7)."""
    for speed, motion in ((0.0, "spin"), (0.05, "spin"), (1.0, "slide")):
        world, box = crate()
        world.step(20)
        box.v[0], box.v[5] = speed, 2.0  # 0 m, 0.025 m and 0.5 m from the middle
        world.step()
        (c,) = world.contacts
        assert c.motion == motion and c.twist[5] == pytest.approx(2.0, rel=0.1)
        assert c.torque[2] < 0  # friction brakes the turn


def test_friction_of_a_pair_and_names_of_equal_figures():
    world = World(dt=0.001)
    world.add_ground(friction=0.5)
    low = world.add(bk.box((0.2, 0.2, 0.1), 1.0), at=(0, 0, 0.05), name="low")
    high = world.add(bk.box((0.1, 0.1, 0.1), 3.0), at=(0, 0, 0.15), name="high")
    world.set_pair(low, high, friction=0.25)
    world.step(50)
    between = next(c for c in high.contacts)
    assert {b[0] for b in between.bodies} == {"low", "high"} and len(high.contacts) == 1 and len(low.contacts) == 2
    up = 1.0 if between.bodies[0][0] == "high" else -1.0
    assert up * between.force[2] == pytest.approx(3.0 * G, rel=1e-5) and between.normal[2] == pytest.approx(up)
    assert between.mu == 0.25 and between.margins["friction"] == pytest.approx(0.25 * 3 * G, rel=1e-5)
