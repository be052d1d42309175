"""Frames of a world: poses, contacts with their states, forces of connections, centres of mass, zero-moment points and curves, read off its
arrays.

Poses and centres of mass are of now. Contacts, forces and zero-moment points are means of the last step at the pose of
its start, as in bunraku.world.views and bunraku.world.measures. Checked in tests/viewer/test_world_frames.py against
world.contacts, fig.com and fig.zmp.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bunraku.dynamics.kinematics_kernel import centroidal_many, kinematics_many
from bunraku.dynamics.work import Work
from bunraku.kernel.record import handle, put, zeros
from bunraku.model.layout import FIRST, MASS
from bunraku.model.model import Model
from bunraku.step.step_log import LogCorner
from bunraku.step.tie_rows import SPRING
from bunraku.viewer.curves import Curves
from bunraku.viewer.frame_kernel import (
    BodyMass,
    ContactRow,
    FigureForce,
    FigureFrame,
    MassPoint,
    WorldFrame,
    body_rows,
    contact_rows,
    figure_rows,
    zero_moment_rows,
)
from bunraku.viewer.messages import FIGURE, POSE, pack_frame
from bunraku.viewer.shapes import Figures
from bunraku.world.world import World


class Touch(NamedTuple):
    """What contacts do: rows of a frame (nc, 10); of the figures contact forces and zero-moment points (ng, 3)."""

    contacts: np.ndarray
    forces: np.ndarray
    zmp: np.ndarray


class WorldFrames:
    """Makes frames of a world whose figures do not change any more; `sequence` counts them."""

    def __init__(self, world: World) -> None:
        world._prepare()
        self.world, self.sequence = world, 0
        figures = [(f.name, f.model) for f in world.figures]
        self.maker = FrameMaker(world.model, figures)
        self._zmp = np.zeros((len(figures), 3))
        self._contacts = put(WorldFrame(), figures=zeros(FigureForce, len(figures)), zmp=self._zmp)
        self._make_room(0)
        self._forces = self._contacts.figures.column("force")

    def _make_room(self, contacts: int) -> None:
        self._rows = zeros(ContactRow, contacts)
        put(self._contacts, rows=self._rows, corners=zeros(LogCorner, contacts))

    def frame(self) -> bytes:
        """The world as it stands."""
        w = self.world
        n = int(w._info.contacts) + len(w._ties.ints)
        if len(self._rows) < n:
            self._make_room(2 * n)
        count = contact_rows.call(handle(w._step), handle(self._contacts))
        zero_moment_rows.call(handle(self._contacts))
        self.sequence += 1
        touch = Touch(self._rows[:count], self._forces, self._zmp)
        return self.maker.frame(self.sequence, w.time, w.q, w.v, w.applied, touch)


class FrameMaker:
    """Frames of figures side by side in one model, from their coordinates, rates and torques, and what contacts do to
    them."""

    def __init__(self, model: Model, figures: Figures) -> None:
        self.model, self.work, ng = model, Work(model), len(figures)
        self.curves = Curves(model, figures)
        nb = model.nb
        self._kinematics = tuple(np.zeros((1, nb, k)) for k in (9, 3, 6, 6))
        self._whole = np.zeros((1, 12))
        sizes = np.cumsum([(nb - 1) * POSE, ng * FIGURE, len(self.curves.channels)])
        self._out = np.zeros(sizes[-1])
        poses, figure_part, self._channels = np.split(self._out, sizes[:-1])
        self._poses, self._figures = poses.reshape(nb - 1, POSE), figure_part.reshape(ng, FIGURE)
        rotation, position = (x[0] for x in self._kinematics[:2])
        arrays = put(FigureFrame(), rotation=rotation, position=position, bodies=zeros(BodyMass, nb - 1))
        self.arrays = put(arrays, poses=self._poses, centres=zeros(MassPoint, ng), figures=self._figures)
        bodies = arrays.bodies
        bodies.column("figure")[:] = np.repeat(np.arange(ng), [m.nb - 1 for _, m in figures])
        of_bodies = model.reals[1 : model.nb]
        bodies.column("mass")[:], bodies.column("first")[:] = of_bodies[:, MASS], of_bodies[:, FIRST : FIRST + 3]

    def frame(
        self, sequence: int, time: float, q: np.ndarray, v: np.ndarray, torques: np.ndarray, touch: Touch
    ) -> bytes:
        """The bytes of a frame."""
        contacts, forces, zmp = touch
        kinematics_many.call(self.work.handle, q[None], v[None], *self._kinematics)
        centroidal_many.call(self.work.handle, q[None], v[None], self._whole)
        body_rows.call(handle(self.arrays))
        figure_rows.call(handle(self.arrays), zmp)
        energy = self._whole[0, 9] + self._whole[0, 10]
        self.curves.fill(self._channels, energy, forces, zmp, q, torques)
        return pack_frame(sequence, time, self._poses, contacts, self._figures, self._channels)


def connections_of(world: World) -> list[dict[str, Any]]:
    """Connections and springs that hold now: bodies (-1: the world) and the points they tie, in the bodies' frames."""
    t = world._ties
    return [
        {
            "number": k,
            "kind": "spring" if kind.active == SPRING else "connection",
            "body_a": int(kind.body_a) - 1,
            "body_b": int(kind.body_b) - 1,
            "point_a": [float(x) for x in tie.place_a],
            "point_b": [float(x) for x in tie.place_b],
        }
        for k, (kind, tie) in enumerate(zip(t.kinds, t.ties))
        if kind.active
    ]
