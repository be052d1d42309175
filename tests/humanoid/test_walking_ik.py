"""Poses of a walk at once: plans met, ranges kept, smooth where plans are."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.humanoid.parts import humanoid
from bunraku.humanoid.walking_ik import barrier, beyond_ranges, walking_poses
from bunraku.model.rotations import exponential, rotation_matrix


@pytest.fixture(scope="module")
def h():
    return humanoid(bk.human())


def plan(h, n):
    """A sway of the centre of mass over standing soles, and one foot that rises and turns."""
    s = np.linspace(0.0, 1.0, n)
    position = np.tile([[0.0, 0.5 * h.apart, 0.0], [0.0, -0.5 * h.apart, 0.0]], (n, 1, 1))
    rotation = np.tile(np.eye(3), (n, 2, 1, 1))
    position[:, 0, 0], position[:, 0, 2] = 0.15 * np.sin(np.pi * s), 0.1 * np.sin(np.pi * s) ** 2
    rotation[:, 0] = [rotation_matrix(exponential(np.array([0.0, 0.0, 0.3 * x]))) for x in s]
    com = bk.centre_of_mass(h.model, h.stand) + np.column_stack([0.05 * s, -0.06 * s, -0.02 * np.sin(np.pi * s)])
    return position, rotation, com


def test_plans_are_met_and_ranges_kept(h):
    position, rotation, com = plan(h, 40)
    q = np.tile(h.stand, (40, 1))
    poses = walking_poses(h, q, q, position, rotation, com)
    k = bk.kinematics(h.model, poses.q)
    for f in h.feet:
        p, R = k.pose(f.frame)
        assert np.abs(p - position[:, f.side]).max() < 1e-9 and np.abs(R - rotation[:, f.side]).max() < 1e-9
    assert np.abs(bk.centroidal(h.model, poses.q).com - com).max() < 1e-9
    assert poses.beyond.max() == 0.0 and poses.sole_error.max() < 1e-9 and poses.com_error.max() < 1e-9
    others = [j for j in h.model.joints[1:] if j.name not in h.feet[0].joints + h.feet[1].joints]
    assert all(np.array_equal(poses.q[:, j.q], q[:, j.q]) for j in others)


def test_each_pose_is_its_own(h):
    """A sample's pose depends on its plan only: from another start, and alone, it is the same."""
    position, rotation, com = plan(h, 9)
    q = np.tile(h.stand, (9, 1))
    together = walking_poses(h, q, q, position, rotation, com).q
    alone = walking_poses(h, together[7:8], q[:1], position[4:5], rotation[4:5], com[4:5]).q[0]
    assert np.abs(bk.difference(h.model, together[4], alone)).max() < 1e-6


def test_unreachable_plans_are_reported(h):
    position, rotation, com = plan(h, 3)
    position[1, 0, 0] = 2.0
    q = np.tile(h.stand, (3, 1))
    poses = walking_poses(h, q, q, position, rotation, com, iterations=20)
    assert np.all(np.isfinite(poses.q)) and poses.sole_error[1].max() > 0.1 and poses.sole_error[[0, 2]].max() < 1e-8


def test_barrier_is_a_gradient():
    x, h = np.array([0.01, 0.04, 0.1]), 1e-6
    slope, bend = barrier(x, 0.05)
    assert np.allclose((barrier(x + h, 0.05)[0] - barrier(x - h, 0.05)[0]) / (2 * h), bend, rtol=1e-6)
    assert np.all(slope > 0) and barrier(np.zeros(1), 0.05)[0][0] == 0.0


def test_beyond_ranges_agrees_with_within_limits(h):
    q = np.stack([bk.random_configuration(h.model, k) for k in range(10)])
    q[:, h.model.joint("left_knee").iq] = 3.0
    for x, row in zip(q, beyond_ranges(h.model, q)):
        said = bk.within_limits(h.model, x)
        assert all(np.isclose(row[k], said.get(j.name, 0.0)) for k, j in enumerate(h.model.joints))
