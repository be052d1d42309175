"""The parts of Tazaki 2013, in its order. Each file beside this one has the parts of one subject."""

from __future__ import annotations

from bunraku_reproduce.experiment import Part
from bunraku_reproduce.tazaki_2013 import (
    articulated,
    between_bodies,
    cost,
    gears_2013,
    joints_2013,
    propagation,
)

PARTS: tuple[Part, ...] = (
    propagation.frames,
    propagation.bodies,
    articulated.algorithm,
    joints_2013.kinds,
    joints_2013.swing_and_twist,
    gears_2013.series,
    gears_2013.parallel,
    between_bodies.between,
    cost.cost,
)
