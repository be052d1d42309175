"""Frames of a world: poses, contacts with their states, centres of mass, zero-moment points and curves, read off its arrays.

Poses and centres of mass are of now. Contacts, forces and zero-moment points are means of the last step at the pose of its start, as in
bunraku.world.views and bunraku.world.measures. Checked in tests/viewer/test_frames.py against world.contacts, fig.com and fig.zmp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.constraint.tie_rows import ACTIVE, BODY_A, BODY_B, PLACE_A, PLACE_B, SPRING
from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.dynamics.work import Work
from bunraku.model.layout import FIRST, MASS
from bunraku.model.model import Model
from bunraku.viewer.curves import Curves
from bunraku.viewer.frame_kernel import body_rows, contact_rows
from bunraku.viewer.messages import CONTACT, POSE, Channel, pack_frame
from bunraku.viewer.shapes import Figures
from bunraku.world.views import PRESSING
from bunraku.world.world import World


class WorldFrames:
    """Makes frames of a world whose figures do not change any more; `sequence` counts them."""

    def __init__(self, world: World) -> None:
        world._prepare()
        self.world, self.sequence = world, 0
        figures = [(f.name, f.model) for f in world.figures]
        self.bodies = Bodies(world.model, figures)
        self.curves = Curves(world.model, figures)
        self._rows, self._sums = np.zeros((0, CONTACT)), np.zeros((len(figures), 10))

    def frame(self) -> bytes:
        """The world as it stands."""
        w, b = self.world, self.bodies
        poses, com = b.poses_and_centres(w.q)
        contacts, forces, zmp = self._contacts()
        energy = float(centroidal(w.model, w.q, w.v, work=b.work).energy)
        channels = self.curves.values(energy, forces, zmp, w.q, w.applied)
        self.sequence += 1
        return pack_frame(self.sequence, w.time, poses, contacts, np.hstack([com, zmp]), channels)

    def _contacts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(contacts (nc, 8), forces on figures (ng, 3), zero-moment points (ng, 3))."""
        w = self.world
        n = int(w._info[0])
        if len(self._rows) < n:
            self._rows = np.zeros((2 * n, CONTACT))
        arrays = w._contacts.ids, w._contacts.data, w._warm_force, w._geometry.ints
        count = contact_rows.call(n, w.dt, *arrays, self._rows, self._sums)
        return self._rows[:count], self._sums[:, :3], zero_moment_points(self._sums[:, 3:])


class Bodies:
    """Poses and centres of mass of figures side by side in one model."""

    def __init__(self, model: Model, figures: Figures) -> None:
        self.model, self.work, self.ng = model, Work(model), len(figures)
        self.owner = np.repeat(np.arange(self.ng), [m.nb - 1 for _, m in figures]).reshape(-1, 1)
        self.mass = model.reals[1:, MASS].copy()
        self.first = model.reals[1:, FIRST : FIRST + 3].copy()
        self._centres = np.zeros((self.ng, 4))

    def poses_and_centres(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(poses (nb, 7), centres of mass (ng, 3)); NaN for a figure without mass."""
        k = kinematics(self.model, q, work=self.work)
        poses, nb = np.empty((self.model.nb - 1, POSE)), self.model.nb
        still = k.rotation.reshape(nb, 9), k.position, self.owner, self.mass, self.first
        body_rows.call(*still, poses, self._centres)
        with np.errstate(invalid="ignore"):
            return poses, self._centres[:, :3] / self._centres[:, 3:]


def zero_moment_points(ground: np.ndarray) -> np.ndarray:
    """(ng, 3) from sums (ng, 7) of ground forces, their moments about the origin, and height times upward force: bunraku.world.measures."""
    fx, fy, fz, mx, my, _, hz = ground.T
    with np.errstate(divide="ignore", invalid="ignore"):
        h = hz / fz
        out = np.stack([(h * fx - my) / fz, (mx + h * fy) / fz, h], axis=1)
    out[~(fz > PRESSING)] = np.nan
    return out


def channels_of(model: Model, figures: Figures) -> list[Channel]:
    """The curves of a world."""
    return Curves(model, figures).channels


def connections_of(world: World) -> list[dict[str, Any]]:
    """Connections and springs that hold now: bodies (-1: the world) and the points they tie, in the bodies' frames."""
    t = world._ties
    return [
        {
            "number": int(k),
            "kind": "spring" if t.ints[k, ACTIVE] == SPRING else "connection",
            "body_a": int(t.ints[k, BODY_A]) - 1,
            "body_b": int(t.ints[k, BODY_B]) - 1,
            "point_a": t.reals[k, PLACE_A : PLACE_A + 3].tolist(),
            "point_b": t.reals[k, PLACE_B : PLACE_B + 3].tolist(),
        }
        for k in np.flatnonzero(t.ints[:, ACTIVE])
    ]
