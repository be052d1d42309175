"""What a run of a scene keeps: forces on each figure, from all that is not itself."""

import numpy as np

import bunraku as bk
from bunraku.scene.run import contact_forces, place


def test_forces_on_a_stack():
    """At rest each of two boxes is held up with its own weight: the upper one by the lower, which bears it and stands on
    the ground."""
    world = bk.World(dt=1e-3)
    world.add_ground()
    world.add(bk.box((0.2, 0.2, 0.1), 3.0), at=(0, 0, 0.05), name="lower")
    world.add(bk.box((0.2, 0.2, 0.1), 1.0), at=(0, 0, 0.15), name="upper")
    world.step(20)
    found = contact_forces(world)
    assert np.allclose(found["lower"], [0, 0, 3.0 * 9.80665], atol=1e-3)
    assert np.allclose(found["upper"], [0, 0, 1.0 * 9.80665], atol=1e-3)
    assert np.allclose(place(world["upper"]), (0, 0, 0.15), atol=1e-5)
