"""Footsteps: where each sole is put down, in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.gait.humanoid import Humanoid


@dataclass(frozen=True)
class Footstep:
    """Where a sole is put: side 0 left, 1 right; position [m] of the sole's middle, heading yaw [rad] about z, the ground's normal."""

    side: int
    position: tuple[float, float, float]
    yaw: float = 0.0
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)


def beside(h: Humanoid, side: int, x: float, y: float, yaw: float, z: float = 0.0) -> Footstep:
    """The footstep on one side of a place with a heading."""
    half = 0.5 * h.apart * (1.0 if side == 0 else -1.0)
    return Footstep(side, (float(x - half * np.sin(yaw)), float(y + half * np.cos(yaw)), float(z)), float(yaw))


def standing(
    h: Humanoid, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, z: float = 0.0
) -> tuple[Footstep, Footstep]:
    """Both feet side by side."""
    return beside(h, 0, x, y, yaw, z), beside(h, 1, x, y, yaw, z)
