"""Many steps in a fixed frame: the mapping of Figs 7.2, 7.3 to any number of steps, left and right foot alternating.

The solved step has its origin at the ZMP. In a frame fixed to the floor, with its origin under the centre of the foot
that carries first (so that foot walks on y = 0, as in the report), the k-th step is

    x -> x + zmp + k * step,    z -> z + k * rise,    y -> y            (k even, left foot carries)
                                                      y -> -w - y       (k odd, right foot carries, sides exchanged)

where w = 2 D is the distance of the feet's tracks. Odd steps exchange the numbers of left and right bodies (1-10,
2-9, 5-7, 6-8, 11-12), as the report's listing does. Its own listing adds displacements body by body, which is the
same for a walk that fits at the switch of feet and hides the gap for one that does not; `report=True` does it that
way. Checked in tests/gait1988/test_steps.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.errors import InputError
from bunraku.gait1988.checks import progress
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.twelve_bodies import D

OTHER_SIDE = np.array([9, 8, 2, 3, 6, 7, 4, 5, 1, 0, 11, 10])
"""Body on the other side of each body (from 0)."""


@dataclass(frozen=True)
class Path:
    """Several steps in a fixed frame: time (n,), bodies (n, 12, 3) m, index of the step and whether the left foot
    carries."""

    time: np.ndarray
    bodies: np.ndarray
    step: np.ndarray
    left_carries: np.ndarray
    row: np.ndarray


def check_steps(steps: int) -> None:
    """InputError for a number of steps that cannot be walked on."""
    if not 1 <= steps <= 10_000:
        raise InputError(f"steps: wanted 1 to 10000, got {steps}.")


def walk_on(walk: Walk, steps: int, *, report: bool = False) -> Path:
    """Continue a solved step to `steps` steps; the first row of each later step (equal to the last of the one before)
    is left out."""
    check_steps(steps)
    centre = walk.bodies[..., 0].copy()
    centre[:, :, 0] += walk.zmp[:, None]
    forward, rise, time = progress(walk), walk.gait.rise, walk.gait.step_time
    mirrored = centre[:, OTHER_SIDE] * np.array([1.0, -1.0, 1.0]) - np.array([0.0, 2.0 * D, 0.0])
    rows = len(walk.time)
    parts, times, numbers, index = [], [], [], []
    for k in range(steps):
        first = 0 if k == 0 else 1
        here = (centre if k % 2 == 0 else mirrored) + np.array([k * forward, 0.0, k * rise])
        if report and k > 0:
            here = here - here[0] + parts[-1][-1]
        parts.append(here[first:])
        times.append(walk.time[first:] + k * time)
        numbers.append(np.full(rows - first, k))
        index.append(np.arange(first, rows))
    step = np.concatenate(numbers)
    return Path(np.concatenate(times), np.concatenate(parts), step, step % 2 == 0, np.concatenate(index))
