"""Rotations from elsewhere: SciPy's, to test ours against."""

import numpy as np
from scipy.spatial.transform import Rotation


def matrix(quaternion):
    """(3, 3) of a quaternion w x y z of any length."""
    return Rotation.from_quat(np.roll(np.asarray(quaternion, dtype=float), -1)).as_matrix()


def about(axis, angle):
    """(3, 3) of a turn [rad] about a unit vector."""
    return Rotation.from_rotvec(angle * np.asarray(axis, dtype=float)).as_matrix()
