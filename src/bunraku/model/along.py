"""A frame along a direction, for what lies along its own z axis: capsules, bones, axes of joints.

Checked in tests/model/test_along.py.
"""

from __future__ import annotations

import numpy as np


def frame_along(z: np.ndarray) -> np.ndarray:
    """A rotation whose third column is the unit vector z; the first is square to the coordinate axis that z is farthest
    from."""
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
