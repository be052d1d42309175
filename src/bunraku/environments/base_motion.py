"""How the free bases of many worlds stand and move: coordinates q (n, nq) begin with position and quaternion wxyz, rates v
with the velocity in world axes and the angular velocity in the base's own.

Every row is found by itself, number by number, so that it does not depend on how many there are. Checked in
tests/environments/test_stand.py.
"""

from __future__ import annotations

import numpy as np


def up(q: np.ndarray) -> np.ndarray:
    """(n, 3) the world's z in the axes of the base."""
    w, x, y, z = q[:, 3:7].T
    return np.stack([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)], axis=1)


def velocity(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(n, 3) the base's velocity in its own axes [m/s]."""
    w, x, y, z = q[:, 3:7].T
    a, b, c = v[:, :3].T
    return np.stack(
        [
            (1.0 - 2.0 * (y * y + z * z)) * a + 2.0 * (x * y + w * z) * b + 2.0 * (x * z - w * y) * c,
            2.0 * (x * y - w * z) * a + (1.0 - 2.0 * (x * x + z * z)) * b + 2.0 * (y * z + w * x) * c,
            2.0 * (x * z + w * y) * a + 2.0 * (y * z - w * x) * b + (1.0 - 2.0 * (x * x + y * y)) * c,
        ],
        axis=1,
    )
