"""The standard walk: nineteen steps in 20 s, ahead, around a bend, ahead again, and backwards.

It has the measures of the walk of Nakaoka et al. 2007, section 4 (19 steps, 20 s, turning and backward steps,
zero-moment point within the soles), whose footsteps are not printed; these are ours: five ahead, four that turn by 60
degrees to the left, three ahead, one that closes the feet, five backwards, one that closes them. Times: 1.4 s of
standing, 19 x 0.7 s on one foot, 18 x 0.2 s on both, 1.7 s of standing: 20.0 s. Checked in
tests/walking/test_walking_pattern.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.model import Model
from bunraku.walking.footsteps import Footstep, Way
from bunraku.walking.pace import LEVEL, careful_step
from bunraku.walking.walking_pattern import WalkingPattern, walking_pattern

BEND = np.radians(60.0)
TIMES = {"single": 0.7, "double": 0.2, "start": 1.4, "end": 1.7}  # s


def nineteen_footsteps(figure: Humanoid | Model) -> tuple[Footstep, ...]:
    """The footsteps: as long as the walker's careful ones, three quarters of it in the bend, half of it backwards."""
    h = humanoid(figure)
    step = careful_step(h)
    way = Way(h)
    for _ in range(5):
        way.move(step)
    for _ in range(4):
        way.move(0.75 * step, turn=BEND / 4)
    for _ in range(3):
        way.move(step)
    way.close()
    for _ in range(5):
        way.move(-0.5 * step)
    way.close()
    return tuple(way.steps)


def nineteen_steps(
    figure: Humanoid | Model, steps: tuple[Footstep, ...] | None = None, **options: Any
) -> WalkingPattern:
    """The pattern, hips level and swinging soles flat; steps: the same as they lie on a ground; options as for
    walking_pattern."""
    h = humanoid(figure)
    return walking_pattern(h, nineteen_footsteps(h) if steps is None else steps, **{**TIMES, "style": LEVEL, **options})
