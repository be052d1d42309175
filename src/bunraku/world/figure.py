"""Figure: a figure or thing in a world, as views of its part of the world's state; what is measured on it stands in `world.measured`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.model.forest import Part
from bunraku.model.model import Model
from bunraku.world.measured import Measured

if TYPE_CHECKING:
    from bunraku.world.world import World


@dataclass(frozen=True)
class LinkOf:
    """A link or frame of a figure in a world: `figure["left_hand"]`."""

    figure: Figure
    name: str


class Figure(Measured):
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

    def pose(self, link: str) -> tuple[np.ndarray, np.ndarray]:
        """(position, rotation) of a link or frame in the world."""
        return kinematics(self.model, self.q.copy()).pose(link)

    def velocity(self, link: str) -> np.ndarray:
        """(linear, angular) velocity of a link or frame, world axes."""
        return kinematics(self.model, self.q.copy(), self.v.copy()).velocity(link)
