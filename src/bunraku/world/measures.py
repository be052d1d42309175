"""What can be read off a figure: centre of mass, momentum, energy now; contacts, ground reaction, zero-moment point and
support polygon of the last step.

With F, M the force and moment about the world's origin of all fixed shapes on the figure, the zero-moment point at
height h is where M - p x F has no horizontal part:
    x = (h Fx - My) / Fz,    y = (Mx + h Fy) / Fz
h is the mean height of the ground's points weighted with their vertical forces: the ground's own height where it is
level. Forces are means of the step, so dP/dt = F + m g and dL/dt = M + ... hold for its velocities to rounding, for its
positions to O(dt). World axes, SI units. Checked in tests/world/test_measures.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import Centroidal, centroidal
from bunraku.model.model import Model
from bunraku.world.laststep import cross, last_contacts
from bunraku.world.views import PRESSING, TOUCH, ContactInfo, contact_views

if TYPE_CHECKING:
    from bunraku.world.world import World


class Measured:
    """Readings of a figure with a name and a model in a world, at coordinates q and rates v."""

    world: World
    name: str
    model: Model

    @property
    def q(self) -> np.ndarray:
        """Its coordinates."""
        raise NotImplementedError

    @property
    def v(self) -> np.ndarray:
        """Its rates."""
        raise NotImplementedError

    # ---- what it is doing now
    # -------------------------------------------------------------------------------------------------

    @property
    def com(self) -> np.ndarray:
        """Its centre of mass [m]."""
        return self._whole().com

    @property
    def momentum(self) -> np.ndarray:
        """Its linear momentum [kg m/s]."""
        return self._whole().linear

    @property
    def angular_momentum(self) -> np.ndarray:
        """Its angular momentum about the centre of mass [kg m^2/s]."""
        return self._whole().angular

    @property
    def energy(self) -> float:
        """Its kinetic and potential energy [J] under the world's gravity; the potential is zero at the world's origin."""
        c = self._whole()
        return float(c.kinetic - c.mass * np.dot(self.world.gravity, c.com))

    def _whole(self) -> Centroidal:
        return centroidal(self.model, self.q.copy(), self.v.copy())

    # ---- what the last step did to it
    # -----------------------------------------------------------------------------------------

    @property
    def contacts(self) -> list[ContactInfo]:
        """Patches of the last step in which it takes part."""
        self.world._prepare()
        return [c for c in contact_views(self.world) if self.name in (c.bodies[0][0], c.bodies[1][0])]

    @property
    def ground_reaction(self) -> np.ndarray:
        """(6,): force [N] and moment about the world's origin [N m] of all fixed shapes on it, mean of the last step."""
        points, forces, _ = self._ground_points()
        return np.concatenate([forces.sum(0), cross(points, forces).sum(0)])

    @property
    def zmp(self) -> np.ndarray | None:
        """Point of the ground [m] where the horizontal moment of the ground reaction vanishes; None in the air."""
        points, forces, _ = self._ground_points()
        fx, fy, fz = forces.sum(0)
        if not fz > PRESSING:
            return None
        mx, my, _ = cross(points, forces).sum(0)
        h = points[:, 2] @ forces[:, 2] / fz
        return np.array([(h * fx - my) / fz, (mx + h * fy) / fz, h])

    @property
    def support(self) -> np.ndarray:
        """(n, 2): convex polygon [m], anticlockwise, of all points where it touches fixed shapes, seen from above."""
        points, forces, gaps = self._ground_points()
        pressing = np.linalg.norm(forces, axis=1) > PRESSING
        return convex_hull(points[(gaps <= TOUCH) | pressing, :2])

    def _ground_points(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(points (n, 3), forces on it (n, 3), gaps (n,)) of its contacts with what does not move."""
        self.world._prepare()
        last, g, number = last_contacts(self.world), self.world._geometry, list(self.world._figures).index(self.name)
        sign = np.zeros(len(last))
        for ours, theirs, s in ((last.a, last.b, 1.0), (last.b, last.a, -1.0)):
            ground = (g.figure[ours] == number) & (g.body[theirs] == 0)
            sign[ground & (g.body[ours] > 0)] = s
        rows = np.flatnonzero(sign)
        return last.point[rows], sign[rows, None] * last.force[rows], last.gap[rows]


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points (n, 2), anticlockwise, by two monotone chains; points within 1e-12 m^2 of an
    edge are left out."""
    p = np.unique(points, axis=0)
    if len(p) < 3:
        return p

    def chain(some: np.ndarray) -> list[np.ndarray]:
        kept: list[np.ndarray] = []
        for x in some:
            while len(kept) > 1:
                a, b = kept[-1] - kept[-2], x - kept[-2]
                if a[0] * b[1] - a[1] * b[0] > 1e-12:
                    break
                kept.pop()
            kept.append(x)
        return kept

    return np.array(chain(p)[:-1] + chain(p[::-1])[:-1])
