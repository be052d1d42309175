"""Settling: feet and centre of mass come where they are asked, the rest stays near; legs do not reach farther than they
are long."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.motion import Motion, find_feet, stand
from bunraku.motion.settle import rates, reach, settled


def still(n=10):
    model = bk.human()
    q = stand(model)
    return Motion(model, 0.01 * np.arange(n), np.tile(q, (n, 1)))


def test_the_centre_of_mass_moves_and_the_feet_do_not():
    motion = still()
    feet, com = find_feet(motion), bk.centroidal(motion.model, motion.q).com
    there = com + np.outer(np.linspace(0, 1, 10), [0.02, -0.03, -0.02])
    out = settled(motion, feet, there)
    kin = bk.kinematics(motion.model, out.q)
    assert np.abs(bk.centroidal(motion.model, out.q).com - there).max() < 1e-3
    for f in feet:
        assert np.abs(kin.position[:, f.foot.body] - f.position).max() < 1e-4
    assert np.abs(bk.difference(motion.model, motion.q, out.q)).max() < 0.3
    only = settled(motion, feet, there, 1)
    assert np.array_equal(only.q[1:], motion.q[1:])


def test_reach_is_where_the_legs_end():
    motion = still()
    feet, com = find_feet(motion), bk.centroidal(motion.model, motion.q).com
    top = reach(motion, feet, com)
    # straight legs below hips above the ankles: 0.834 m times 0.9985; now the hips stand lower by the same as the
    # centre of mass may rise
    hip = bk.kinematics(motion.model, motion.q).position[:, motion.model.body("left_thigh")]
    ankle = feet[0].position
    across = np.linalg.norm((hip - ankle)[:, :2], axis=1)
    assert np.allclose(
        top - com[:, 2], np.sqrt((0.9985 * 0.491 * 1.7) ** 2 - across**2) + ankle[:, 2] - hip[:, 2], atol=1e-9
    )


def test_rates_give_twists_and_speed():
    motion = still()
    twist, speed = np.zeros(6), np.array([0.1, 0.0, -0.05])
    v = rates(motion.model, motion.q[0], np.zeros(34), [("left_foot", twist), ("right_foot", twist)], speed)
    J = bk.frame_jacobian(motion.model, motion.q[0], "left_foot")
    assert np.abs(J @ v).max() < 1e-3 and np.allclose(
        bk.centroidal(motion.model, motion.q[0], v).com_velocity, speed, atol=2e-3
    )  # staying near costs 1e-4


@pytest.mark.parametrize("momentum", [(4.0, 0.0, 0.0), (0.0, -5.0, 0.0), (3.0, 2.0, 0.0)])
def test_rates_give_angular_momentum(momentum):
    """About level axes through the centre of mass, which stays; within 5 %, as staying still costs little."""
    motion = still()
    v = rates(motion.model, motion.q[0], np.zeros(34), [], np.zeros(3), np.array(momentum))
    found = bk.centroidal(motion.model, motion.q[0], v)
    assert np.allclose(found.angular, momentum, atol=0.05 * np.linalg.norm(momentum))
    assert np.abs(found.com_velocity).max() < 2e-3
