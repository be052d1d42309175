"""A figure or thing in a world: views of its part of the state, and what can be measured on it.

Nothing is computed here: kinematics and momentum are those of `dynamics`, forces those of `world.measures`. SI units, world axes.
Checked in tests/world/test_measures.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import Centroidal, centroidal, kinematics
from bunraku.model.forest import Part
from bunraku.model.model import Model
from bunraku.world import measures
from bunraku.world.views import ContactInfo

if TYPE_CHECKING:
    from bunraku.world.world import World


@dataclass(frozen=True)
class LinkOf:
    """A link or frame of a figure in a world: `figure["left_hand"]`."""

    figure: Figure
    name: str


class Figure:
    """A figure or thing in a world: views of its part of the state."""

    def __init__(self, world: World, name: str, model: Model) -> None:
        self.world, self.name, self.model = world, name, model

    def __getitem__(self, name: str) -> LinkOf:
        self.model.frame(name)
        return LinkOf(self, name)

    @property
    def part(self) -> Part:
        """Where it stands in the world's arrays."""
        return self.world._parts[self.name]

    @property
    def q(self) -> np.ndarray:
        """Its coordinates: a view, writable."""
        return self.world.q[self.part.q]

    @property
    def v(self) -> np.ndarray:
        """Its rates: a view, writable."""
        return self.world.v[self.part.v]

    @property
    def tau(self) -> np.ndarray:
        """Torques on its degrees of freedom [N m or N]: a view, writable, kept until changed."""
        return self.world.tau[self.part.v]

    # ---- what it is doing now -------------------------------------------------------------------------------------------------

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

    def pose(self, link: str) -> tuple[np.ndarray, np.ndarray]:
        """(position, rotation) of a link or frame in the world."""
        return kinematics(self.model, self.q.copy()).pose(link)

    def velocity(self, link: str) -> np.ndarray:
        """(linear, angular) velocity of a link or frame, world axes."""
        return kinematics(self.model, self.q.copy(), self.v.copy()).velocity(link)

    # ---- what the last step did to it -----------------------------------------------------------------------------------------

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
