"""A Motion (bunraku.motion), such as a BVH file holds, as something to play: one figure above a ground, without forces
and contacts.

The ground lies at z = 0. Checked in tests/viewer/test_motion_show.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from bunraku.model.description import Shape
from bunraku.motion import Motion

NOTHING = SimpleNamespace(point=np.zeros((0, 3)), force=np.zeros((0, 3)), patch=(), state=(), bodies=np.zeros((0, 2)))
GRAVITY = (0.0, 0.0, -9.80665)


class Moved:
    """What the viewer asks of a recording, of a motion."""

    def __init__(self, motion: Motion, name: str = "figure") -> None:
        n, nv = len(motion), motion.model.nv
        self.models, self.fixed, self.gravity = {name: motion.model}, (Shape("plane", name="ground"),), GRAVITY
        self.times, self.q, self.v = motion.times, motion.q, motion.v
        self.dt = motion.duration / (n - 1) if n > 1 else 0.0
        self.torques, self.forces, self.zmp = np.zeros((n, nv)), np.zeros((n, 1, 3)), np.full((n, 1, 3), np.nan)
        self.contacts: Sequence[Any] = [NOTHING] * n
        self.events: Sequence[dict[str, Any]] = ()
