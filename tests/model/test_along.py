"""A frame along a direction: a rotation, its third column the direction, also along and near coordinate axes."""

import numpy as np

from bunraku.model.along import frame_along


def test_it_is_a_rotation_along_z():
    rng = np.random.default_rng(0)
    near = np.eye(3) + 1e-9 * rng.normal(size=(3, 3))
    for z in (*np.eye(3), *-np.eye(3), *near, *rng.normal(size=(50, 3))):
        z = z / np.linalg.norm(z)
        R = frame_along(z)
        assert np.array_equal(R[:, 2], z) and np.allclose(R.T @ R, np.eye(3), atol=1e-15 * 4)
        assert np.isclose(np.linalg.det(R), 1.0, atol=1e-14)
