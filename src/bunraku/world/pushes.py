"""Pushes: forces and torques on links for some time, put into the forces of the next step. Checked in tests/world/."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.world.figure import LinkOf

if TYPE_CHECKING:
    from bunraku.world.world import World

Push = tuple[str, str, np.ndarray, float]  # figure, link, force [N] and torque [N m] in world axes, time of its end [s]


def push_of(on: LinkOf, force: Sequence[float], torque: Sequence[float], seconds: float, time: float) -> Push:
    """A push on a link's origin for some seconds from `time`."""
    wrench = np.array([*force, *torque], dtype=float)
    if wrench.shape != (6,) or not np.all(np.isfinite(wrench)) or not seconds > 0:
        raise InputError("push: force and torque need three finite numbers each, seconds a positive one.")
    return on.figure.name, on.name, wrench, time + seconds


def push_now(world: World) -> None:
    """Pushes into the forces of the next step; those that are over are forgotten."""
    world._pushes = [p for p in world._pushes if p[3] > world.time + 0.5 * world.dt]
    for figure, link, wrench, _ in world._pushes:
        f = world._figures[figure]
        info = f.model.frame(link)
        arm = kinematics(f.model, f.q.copy()).rotation[info.body] @ info.position
        k = 6 * (f.part.body + info.body)
        world._f_ext[k : k + 3] += wrench[:3]
        world._f_ext[k + 3 : k + 6] += wrench[3:] + np.cross(arm, wrench[:3])
