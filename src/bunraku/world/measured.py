"""What can be read off a figure: centre of mass, momentum, energy now; contacts, ground reaction and zero-moment point
of the last step.

Nothing is computed here: momentum is that of `dynamics`, forces those of `world.measures`. SI units, world axes.
Checked in tests/world/test_measures.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import Centroidal, centroidal
from bunraku.model.model import Model
from bunraku.world import measures
from bunraku.world.views import ContactInfo

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

    # ---- what the last step did to it
    # -----------------------------------------------------------------------------------------

    @property
    def contacts(self) -> list[ContactInfo]:
        """Patches of the last step in which it takes part."""
        return measures.contacts_of(self.world, self.name)

    @property
    def ground_reaction(self) -> np.ndarray:
        """(6,): force [N] and moment about the world's origin [N m] of all fixed shapes on it, mean of the last step."""
        return measures.ground_reaction(self.world, self.name)

    @property
    def zmp(self) -> np.ndarray | None:
        """Point of the ground [m] where the horizontal moment of the ground reaction vanishes; None in the air."""
        return measures.zmp(self.world, self.name)

    @property
    def support(self) -> np.ndarray:
        """(n, 2): convex polygon [m], anticlockwise, of all points where it touches fixed shapes, seen from above."""
        return measures.support(self.world, self.name)

    def _whole(self) -> Centroidal:
        return centroidal(self.model, self.q.copy(), self.v.copy())
