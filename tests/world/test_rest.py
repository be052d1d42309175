"""Rest without creep: held by friction between plates, towers, heaps; and large islands solved as small ones are."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.step import island

G = 9.80665


def press(contact="pgs", force=60.0, mu=0.5):
    """A box held above the ground between two plates that are pressed together."""
    world = bk.World(dt=1e-3, contact=contact)
    plates = []
    for side in (-1, 1):
        d = bk.Description(f"plate{side}")
        d.add(
            "plate", None, bk.slider("slide", (0, side, 0)), at=(0, -0.08 * side, 1.0), mass=1.0, moments=(0.01, 0.01, 0.01),
            shapes=[bk.Shape("box", (0.1, 0.03, 0.1))],
        )  # fmt: skip
        plates.append(world.add(d.build(), friction=mu))
    box = world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 1.0), friction=mu)
    for p in plates:
        p.tau[0] = force
    return world, box, plates


def test_box_between_pressing_plates_does_not_creep():
    """2 mu F = 60 N > m g: it stays where it is; with 2 mu F = 8 N it slides down with a = g - 2 mu F / m."""
    world, box, _ = press()
    world.run(0.2)
    height = box.q[2]
    world.run(2.0)
    assert np.linalg.norm(box.v[:3]) + 0.09 * np.linalg.norm(box.v[3:]) < 1e-7  # m/s, of its corners
    assert abs(box.q[2] - height) < 1e-8
    assert world.report.residual <= 1e-6 and world.report.penetration < 1e-5
    world, box, _ = press(force=8.0)
    world.run(0.1)
    assert box.v[2] == pytest.approx(-0.1 * (G - 2 * 0.5 * 8.0), rel=0.01)


def test_standing_figure_does_not_creep():
    world = bk.World(dt=1e-3)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human(), at=(0, 0, 0.901))
    fig.servo(1000.0, 60.0)
    world.run(10.0)
    place = fig.q[:3].copy()
    assert np.abs(fig.v).max() < 1e-7
    world.run(1.0)
    assert np.abs(fig.q[:3] - place).max() < 1e-7
    assert world.report.penetration < 1e-5 and world.report.residual <= 1e-6


@pytest.mark.slow
def test_tower_of_ten_stands_for_a_minute():
    """Less than 0.1 mm of drift."""
    world = bk.World(dt=1e-3)
    world.add_ground(friction=0.6)
    boxes = [world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 0.05 + 0.1 * k)) for k in range(10)]
    world.run(60.0)
    for k, b in enumerate(boxes):
        assert np.abs(b.q[:3] - [0, 0, 0.05 + 0.1 * k]).max() < 1e-4
    assert world.report.worst_residual <= 1e-6


def heap(n, dt, friction=0.6, angle=0.25):
    """Boxes of different sizes dropped in a grid over a slope."""
    world = bk.World(dt=dt)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    world.add_fixed(bk.Shape("box", (20.0, 5.0, 0.5), tuple(-0.5 * turn[:, 2]), turn), friction=friction)
    rng = np.random.default_rng(0)
    for k in range(n):
        at_ = turn @ [0.17 * (k % 6), 0.17 * ((k // 6) % 6), 0.15 + 0.17 * (k // 36)] + 0.01 * rng.normal(size=3)
        world.add(bk.box(tuple(0.1 + 0.05 * rng.random(3)), 1.0), at=tuple(at_), rotation=turn)
    return world


def kinetic(world):
    """Kinetic energy [J]."""
    return 0.5 * float(world.v @ bk.crba(world.model, world.q) @ world.v)


@pytest.mark.slow
def test_two_hundred_boxes_come_to_rest():
    """No sleeping, no clamp: below 1e-6 J, and it stays there; most of them are one island of thousands of rows."""
    world = heap(200, 0.004)
    largest = 0
    for _ in range(20):
        world.run(0.25)
        largest = max(largest, world.report.rows)
        if kinetic(world) < 1e-6:
            break
    for _ in range(5):
        world.run(0.05)
        assert kinetic(world) < 1e-6
    assert largest > 1000 and world.report.contacts > 800 and world.report.penetration < 1e-4


def test_large_island_moves_as_a_small_one_does(monkeypatch):
    """A tower of 20 boxes (240 rows): the sparse solver against the dense one with more room, after a shove."""
    ends = []
    for dense in (island.DENSE, 400):
        monkeypatch.setattr("bunraku.world.room.DENSE", dense)
        world = bk.World(dt=1e-3, tolerance=1e-9)
        world.add_ground(friction=0.6)
        boxes = [world.add(bk.box((0.3, 0.3, 0.1), 1.0), at=(0, 0, 0.05 + 0.1 * k)) for k in range(20)]
        world.run(0.02)
        boxes[10].v[0] = 0.05
        world.step(5)
        assert world.report.rows == 240 and world._step.island.K.shape == (dense, dense)
        ends.append(world.v.copy())
    assert np.abs(ends[0] - ends[1]).max() < 1e-5
