"""Frames of a recording, by number: the same bytes as those of a live world.

Poses follow from q, curves from q, torques and contact forces; the energy from q and v. A recording gives what
`Recorded` lists; `contacts[k]` has arrays patch, state, point, force, bodies (two, 0 the world) of the points that
touch in frame k, forces on the first body; NaN stands for a zero-moment point in the air. Checked in
tests/viewer/test_player.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from bunraku.model.description import Shape
from bunraku.model.forest import combine
from bunraku.model.model import Model
from bunraku.viewer.curves import Curves
from bunraku.viewer.messages import CONTACT, Channel
from bunraku.viewer.world_frames import FrameMaker, Touch


class Recorded(Protocol):
    """What is read of a recording: n frames of figures with nq coordinates and nv rates in all."""

    @property
    def models(self) -> Mapping[str, Model]:
        """Figure -> model, in their order."""
        ...

    @property
    def fixed(self) -> Sequence[Shape]:
        """What does not move."""
        ...

    @property
    def gravity(self) -> Sequence[float]:
        """M/s^2."""
        ...

    @property
    def dt(self) -> float:
        """S, a step of the simulation."""
        ...

    @property
    def times(self) -> np.ndarray:
        """(n,) s, ascending."""
        ...

    @property
    def q(self) -> np.ndarray:
        """(n, nq)."""
        ...

    @property
    def v(self) -> np.ndarray:
        """(n, nv)."""
        ...

    @property
    def torques(self) -> np.ndarray:
        """(n, nv) N m or N."""
        ...

    @property
    def contacts(self) -> Sequence[Any]:
        """N times the contacts of a frame."""
        ...

    @property
    def events(self) -> Sequence[Mapping[str, Any]]:
        """What happened besides, see bunraku.world.events."""
        ...

    @property
    def zmp(self) -> np.ndarray:
        """(n, figures, 3) m."""
        ...

    @property
    def forces(self) -> np.ndarray:
        """(n, figures, 3) N: on each figure from all that is not itself."""
        ...


def figures_of(recording: Recorded) -> list[tuple[str, Model]]:
    """(name, model) of the figures."""
    return list(recording.models.items())


def fixed_of(recording: Recorded) -> list[Shape]:
    """What does not move."""
    return list(recording.fixed)


def channels_of_recording(recording: Recorded) -> list[Channel]:
    """Its curves."""
    figures = figures_of(recording)
    return Curves(combine(figures)[0], figures).channels


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
