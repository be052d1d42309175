"""Friction with two numbers, pairs of materials, and what is refused."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.world.materials import DEFAULT, Materials

G = 9.80665


@pytest.mark.parametrize("contact", ["pgs", "virtual_link"])
def test_static_friction_holds_and_dynamic_friction_brakes(contact):
    """On a slope with tan = 0.45 between dynamic 0.3 and static 0.6: at rest it stays; once sliding it goes on, a = g
    (sin - 0.3 cos)."""
    angle = np.arctan(0.45)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    for v0 in (0.0, 1.0):
        world = bk.World(dt=1e-3, contact=contact)
        slope = bk.Shape("box", (20.0, 5.0, 0.5), tuple(-0.5 * turn[:, 2]), turn)
        world.add_fixed(slope, friction=(0.6, 0.3))
        box = world.add(bk.box((0.4, 0.4, 0.1), 1.0), at=tuple(0.05 * turn[:, 2]), rotation=turn)
        box.v[:3] = v0 * turn[:, 0]
        world.run(0.5)
        speed = box.v[:3] @ turn[:, 0]
        if v0 == 0.0:
            assert abs(speed) < 1e-7
        else:
            assert speed == pytest.approx(1.0 + 0.5 * G * (s - 0.3 * c), rel=0.01)


def test_what_slides_is_braked_by_dynamic_friction_at_once():
    """v = v0 - mu_d g t from the second step on; in the first one, static friction still counts."""
    world = bk.World(dt=1e-3)
    world.add_ground(friction=(0.8, 0.2))
    box = world.add(bk.box((0.4, 0.4, 0.1), 1.0), at=(0, 0, 0.05))
    box.v[0] = 2.0
    world.step(30)
    assert box.v[0] == pytest.approx(2.0 - (0.8 + 29 * 0.2) * 1e-3 * G, abs=1e-5)


def test_two_materials_meet():
    """Friction: the geometric mean, the other's where one names none, DEFAULT where none does; restitution: the larger."""
    m = Materials()
    rough, smooth, silent = m.add((0.9, 0.4), 0.2), m.add(0.1, 0.6), m.add(None, None)
    n, kinds = 3, m.kinds()
    table = m.table().reshape(n, n, 3)
    meets = {(a, b): table[kinds[a], kinds[b]] for a in range(n) for b in range(n)}
    assert np.allclose(meets[rough, smooth], [0.3, 0.2, 0.6]) and np.allclose(meets[smooth, rough], [0.3, 0.2, 0.6])
    assert np.allclose(meets[rough, rough], [0.9, 0.4, 0.2]) and np.allclose(meets[rough, silent], [0.9, 0.4, 0.2])
    assert np.allclose(meets[silent, silent], [DEFAULT, DEFAULT, 0.0])


def test_pairs_come_before_materials():
    """m a = -mu m g with the pair's mu."""
    world = bk.World(dt=1e-3)
    world.add_ground(friction=0.9)
    box = world.add(bk.box((0.4, 0.4, 0.1), 1.0), at=(0, 0, 0.05))
    world.set_pair(box, None, friction=0.2)
    box.v[0] = 2.0
    world.run(0.5)
    assert box.v[0] == pytest.approx(2.0 - 0.5 * 0.2 * G, rel=0.005)


@pytest.mark.parametrize("bad", [-0.1, np.nan, (0.3, 0.6), (0.5,), "smooth"])
def test_bad_friction(bad):
    with pytest.raises(bk.BunrakuError):
        bk.World().add_ground(friction=bad)
