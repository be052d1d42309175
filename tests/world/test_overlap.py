"""Overlap is taken back at a bounded speed of the bodies, whatever the lever and the contact model, and leaves no
velocity behind."""

import numpy as np
import pytest
from tests.draws import fresh_rng

import bunraku as bk
from bunraku.step.contact_rows import FAINT, PLAY, PUSH, PUSH_SPEED, SLOP
from bunraku.step.push_apart import TURN_SPEED

G = 9.80665
MODELS = [
    {"contact": "pgs"},
    {"contact": "virtual_link"},
    {"contact": "pgs_2007"},
    {"contact": "penalty"},
    {"integrator": "rk4"},
]
RIGID = [m for m in MODELS if m.get("contact") != "penalty"]
RADIUS = 0.05


def names(m):
    return next(iter(m.values()))


def hinged(lever, gap, **model):
    """A sphere on an arm, `lever` beside its hinge, above a fixed one: nearer to the hinge, less of its normal moves it."""
    d = bk.Description("arm")
    d.add(
        "arm", None, bk.hinge("turn", (0, 1, 0)), mass=1.0, com=(0.1, 0, 0), moments=(0.001, 0.004, 0.004),
        shapes=[bk.Shape("sphere", (RADIUS,), (lever, 0, 0))],
    )  # fmt: skip
    world = bk.World(dt=0.001, gravity=(0, 0, 0), **model)
    arm = world.add(d.build())
    world.add_fixed(bk.Shape("sphere", (RADIUS,), (lever, 0, -2 * RADIUS - gap)), friction=0.0)
    return world, arm


@pytest.mark.parametrize("model", MODELS, ids=names)
def test_bodies_part_at_a_bounded_speed_whatever_the_lever(model):
    """Levers from 1e-7 to 0.1 m, overlaps from 1 um to 9 mm."""
    rng = fresh_rng()
    for k in range(8):
        lever = 10.0 ** rng.uniform(-7 if k else -4, -1)
        gap = -(10.0 ** rng.uniform(-6, np.log10(0.009)))
        world, arm = hinged(lever, gap, **model)
        for _ in range(60):
            before = arm.q[0]
            world.step()
            turn = abs(arm.q[0] - before) / world.dt
            assert turn * (RADIUS + lever) <= PUSH_SPEED * 1.05 + abs(arm.v[0]) * (RADIUS + lever), (lever, gap)
            assert turn <= TURN_SPEED + abs(arm.v[0])
            assert abs(arm.v[0]) * (RADIUS + lever) <= 0.5
            if gap < -SLOP and world.report.penetration > SLOP:
                assert abs(arm.v[0]) < 0.01, (lever, gap)  # positions alone move


@pytest.mark.parametrize("model", RIGID, ids=names)
def test_a_long_lever_comes_out(model):
    world, arm = hinged(0.1, -0.005, **model)
    world.step(100)
    assert world.report.penetration < SLOP + 1e-5
    assert abs(arm.v[0]) * 0.1 < 0.021  # m/s, of what is left below SLOP


@pytest.mark.parametrize("model", MODELS, ids=names)
def test_a_box_in_the_floor_rises_and_rests(model):
    """It comes up from 30 mm below in less than 0.2 s and stays: nothing is thrown."""
    world = bk.World(dt=0.001, **model)
    world.add_ground()
    box = world.add(bk.box((0.1, 0.1, 0.1), mass=1.0), at=(0, 0, 0.02))
    highest, fastest = 0.0, 0.0
    for _ in range(300):
        before = box.q[2]
        world.step()
        assert box.q[2] - before < 1.01 * PUSH_SPEED * world.dt + abs(box.v[2]) * world.dt
        highest, fastest = max(highest, box.q[2]), max(fastest, float(np.abs(box.v).max()))
    assert highest < 0.05 + 3e-5 and fastest < 0.03
    sunk = G / (4 * world.stiffness) if model.get("contact") == "penalty" else 0.0
    assert box.q[2] == pytest.approx(0.05 - sunk, abs=2e-5)


def test_what_is_apart_does_not_know_of_it():
    """An island beside one with overlap moves bit for bit as it does alone; the other's impulses stay those of its weight."""
    paths = []
    for deep in (False, True):
        world = bk.World(dt=0.001)
        world.add_ground(friction=0.5)
        other = world.add(bk.box((0.2, 0.1, 0.1), mass=2.0), at=(3, 0, 0.05 - (0.01 if deep else 0.0)))
        box = world.add(bk.box((0.1, 0.1, 0.1), mass=1.0), at=(0, 0, 0.05))
        box.v[:3] = (1.0, 0.3, 0.0)
        path = []
        for _ in range(30):
            world.step()
            path.append(box.q.copy())
            if deep:
                assert sum(c.force[2] for c in other.contacts) == pytest.approx(2 * G, rel=1.1 * PLAY / (G * world.dt))
        paths.append(np.array(path))
    assert np.array_equal(*paths)


@pytest.mark.parametrize("model", RIGID, ids=names)
def test_too_small_a_gap_is_no_contradiction(model):
    """A box of 100 mm in a gap of 95 mm: overlap that nothing can take back moves nothing and costs no second solution."""
    world = bk.World(dt=0.001, **model)
    world.add_ground()
    world.add_fixed(bk.Shape("box", (0.5, 0.5, 0.05), (0, 0, 0.145)))
    box = world.add(bk.box((0.1, 0.1, 0.1), mass=1.0), at=(0, 0, 0.0475))
    world.step(60)
    if model.get("contact") != "pgs_2007":  # whose sweeps leave 3e-4 here
        assert world.report.unsolved_in_all == 0
    assert world.report.worst_residual < 1e-3
    assert np.abs(box.v).max() < 1e-3
    assert box.q[2] == pytest.approx(0.0475, abs=1e-3)


def test_a_wedge_is_bounded():
    """A ball pressed into a groove whose walls are nearly opposed: a cap for each row alone would not bound it."""
    rng = fresh_rng()
    for _ in range(4):
        half = rng.uniform(0.005, 0.2)  # rad: half of the angle between the walls
        world = bk.World(dt=0.001, gravity=(0, 0, 0))
        for side in (-1.0, 1.0):
            turn = np.array(
                [
                    [np.cos(side * half), 0, np.sin(side * half)],
                    [0, 1, 0],
                    [-np.sin(side * half), 0, np.cos(side * half)],
                ]
            )
            normal = turn @ np.array([-side, 0.0, 0.0])
            centre = -normal * (0.5 + 0.045)
            world.add_fixed(bk.Shape("box", (0.5, 0.5, 1.0), tuple(centre), turn), friction=0.0)
        ball = world.add(bk.sphere(0.05, 1.0))
        for _ in range(50):
            before = ball.q[:3].copy()
            world.step()
            assert np.linalg.norm(ball.q[:3] - before) <= 1.01 * PUSH_SPEED * world.dt + 1e-3 * np.linalg.norm(
                ball.v[:3]
            )
            assert np.linalg.norm(ball.v[:3]) < 0.5


@pytest.mark.parametrize("side", [0, 1])
def test_what_is_ahead_is_seen(side):
    """A push does not carry a box through a wall that it did not touch."""
    world = bk.World(dt=0.001, gravity=(0, 0, 0))
    way = 1.0 if side else -1.0
    world.add_fixed(bk.Shape("box", (0.05, 0.5, 0.5), (-0.095 * way, 0, 0)))
    world.add_fixed(bk.Shape("box", (0.05, 0.5, 0.5), (0.1002 * way, 0, 0)))
    box = world.add(bk.box((0.1, 0.1, 0.1), mass=1.0))
    for _ in range(60):
        world.step()
        assert box.q[0] * way < 2.5e-3 + 2e-4  # as deep in the one as in the other, at the most
    assert abs(box.v[0]) < 0.03


def test_a_spring_born_compressed_has_its_rest_there():
    """Springy contact: bodies that are put into each other are no drawn bow; a load later sinks in by m g / k."""
    world = bk.World(dt=0.001, contact="penalty", gravity=(0, 0, 0))
    world.add_ground()
    ball = world.add(bk.sphere(0.05, 1.0), at=(0, 0, 0.03))
    world.step(200)
    left = FAINT * np.sqrt(world.stiffness)  # m/s, of the last rest that counts as nothing
    assert np.abs(ball.v).max() < 1.01 * left and ball.q[2] == pytest.approx(0.05, abs=1e-5)
    snap = world.snapshot()
    world.push(ball, force=(0, 0, -20.0), seconds=1.0)
    world.step(500)
    assert ball.q[2] == pytest.approx(0.05 - 20.0 / world.stiffness, abs=2e-6)
    world.restore(snap)
    assert ball.q[2] == pytest.approx(0.05, abs=1e-5)


@pytest.mark.slow
def test_a_large_island_parts_at_a_bounded_speed():
    """Sixteen boxes in a tower, each 2 mm into the next: 192 rows and more, solved sparsely."""
    world = bk.World(dt=0.001)
    world.add_ground(friction=0.8)
    boxes = [world.add(bk.box((0.1, 0.1, 0.1), mass=1.0), at=(0, 0, 0.048 + 0.098 * k)) for k in range(16)]
    for _ in range(200):
        before = np.array([b.q[2] for b in boxes])
        world.step()
        assert np.abs(np.array([b.q[2] for b in boxes]) - before).max() <= 1.05 * PUSH_SPEED * world.dt
        assert max(np.abs(b.v[:3]).max() for b in boxes) < 16 * PUSH * SLOP / world.dt  # of what velocities take back
    assert world.report.rows > 150 and world.report.penetration < 2 * SLOP
