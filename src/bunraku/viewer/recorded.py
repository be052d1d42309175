"""Frames of a recording, by number: the same bytes as those of a live world.

Poses follow from q, curves from q, torques and contact forces; the energy from q and v. `contacts[k]` has arrays patch,
state, point, force, bodies (two, 0 the world) of the points that touch in frame k, forces on the first body; NaN stands
for a zero-moment point in the air. Checked in tests/viewer/test_player.py and test_recorded.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from bunraku.model.description import Shape
from bunraku.model.forest import combine
from bunraku.model.model import Model
from bunraku.motion import Motion
from bunraku.recording.reader import Recording
from bunraku.viewer.messages import CONTACT
from bunraku.viewer.world_frames import FrameMaker, Touch

NOTHING = SimpleNamespace(point=np.zeros((0, 3)), force=np.zeros((0, 3)), patch=(), state=(), bodies=np.zeros((0, 2)))
GRAVITY = (0.0, 0.0, -9.80665)


class Moved:
    """A Motion, such as a BVH file holds, as something to play: one figure above a ground at z = 0, without forces and
    contacts."""

    def __init__(self, motion: Motion, name: str = "figure") -> None:
        n, nv = len(motion), motion.model.nv
        self.models, self.fixed, self.gravity = {name: motion.model}, (Shape("plane", name="ground"),), GRAVITY
        self.times, self.q, self.v = motion.times, motion.q, motion.v
        self.dt = motion.duration / (n - 1) if n > 1 else 0.0
        self.torques, self.forces, self.zmp = np.zeros((n, nv)), np.zeros((n, 1, 3)), np.full((n, 1, 3), np.nan)
        self.contacts: Sequence[Any] = [NOTHING] * n
        self.events: Sequence[dict[str, Any]] = ()


Recorded = Recording | Moved


def figures_of(recording: Recorded) -> list[tuple[str, Model]]:
    """(name, model) of the figures."""
    return list(recording.models.items())


class RecordedFrames:
    """Makes the frames of a recording."""

    def __init__(self, recording: Recorded) -> None:
        figures = figures_of(recording)
        self.times, self._contacts = np.asarray(recording.times, dtype=float), recording.contacts
        self._rows = recording.q, recording.v, recording.torques, recording.forces, recording.zmp
        self.maker = FrameMaker(combine(figures, recording.gravity)[0], figures)

    def __len__(self) -> int:
        return len(self.times)

    def frame(self, k: int) -> bytes:
        """Frame k; its sequence number is k."""
        q, v, torques, forces, zmp = (np.array(a[k], dtype=float) for a in self._rows)
        touch = Touch(contact_rows_of(self._contacts[k]), forces, zmp)
        return self.maker.frame(k, self.times[k], q, v, torques, touch)


def contact_rows_of(contacts: Any) -> np.ndarray:
    """(n, 10) of a frame's contacts."""
    rows = np.zeros((len(contacts.point), CONTACT))
    if len(rows):
        rows[:, :3], rows[:, 3:6] = contacts.point, contacts.force
        rows[:, 6], rows[:, 7], rows[:, 8:] = contacts.patch, contacts.state, np.asarray(contacts.bodies) - 1.0
    return rows
