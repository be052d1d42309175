"""Many steps in a fixed frame: the mapping of Figs 7.2, 7.3 to any number of steps, left and right foot alternating.

The solved step has its origin at the ZMP. In a frame fixed to the floor, with its origin under the centre of the foot
that carries first (so that foot walks on y = 0, as in the report), the k-th step is

    x -> x + zmp + k * step,    z -> z + k * rise,    y -> y            (k even, left foot carries)
                                                      y -> -w - y       (k odd, right foot carries, sides exchanged)

where w = 2 D is the distance of the feet's tracks. Odd steps exchange the numbers of left and right bodies (1-10,
2-9, 5-7, 6-8, 11-12), as the report's listing does. Its own listing adds displacements body by body, which is the
same for a walk that fits at the switch of feet and hides the gap for one that does not; `report=True` does it that
way. `posture` says where every segment of the figure lies then, from the coordinates alone, so that links keep their
length in either mode. Checked in tests/gait1988/test_steps.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bunraku.errors import InputError
from bunraku.gait1988.checks import progress
from bunraku.gait1988.rigid_model import bodies_at, chain
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.twelve_bodies import D

OTHER_SIDE = np.array([9, 8, 2, 3, 6, 7, 4, 5, 1, 0, 11, 10])
"""Body on the other side of each body (from 0)."""


@dataclass(frozen=True)
class Path:
    """Several steps in a fixed frame: time (n,), bodies (n, 12, 3) m, index of the step and whether the left foot
    carries, the row of the solved step, and the ZMP (n, 3) m on the floor (Fig. 7.3)."""

    time: np.ndarray
    bodies: np.ndarray
    step: np.ndarray
    left_carries: np.ndarray
    row: np.ndarray
    zmp: np.ndarray


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
    parts, times, numbers, index, under = [], [], [], [], []
    for k in range(steps):
        first = 0 if k == 0 else 1
        here = (centre if k % 2 == 0 else mirrored) + np.array([k * forward, 0.0, k * rise])
        if report and k > 0:
            here = here - here[0] + parts[-1][-1]
        parts.append(here[first:])
        times.append(walk.time[first:] + k * time)
        numbers.append(np.full(rows - first, k))
        index.append(np.arange(first, rows))
        lane = -2.0 * D * (k % 2)
        under.append(np.column_stack([walk.zmp + k * forward, np.full(rows, lane), np.full(rows, k * rise)])[first:])
    step = np.concatenate(numbers)
    joined = (np.concatenate(x) for x in (times, parts, index, under))
    time_of, bodies, row, zmp = joined
    return Path(time_of, bodies, step, step % 2 == 0, row, zmp)


@dataclass(frozen=True)
class Posture:
    """One instant of the figure: the mass centres of its bodies (12, 3), m, in the fixed frame. `places` and `rotations`
    of its links (bunraku.gait1988.twelve_body_model) are those of the step that was solved, in which the left foot
    carries; `fixed` takes points from there to the fixed frame, where sides are exchanged in an odd step."""

    centres: np.ndarray
    places: np.ndarray
    rotations: np.ndarray
    odd: bool
    shift: np.ndarray

    @property
    def flip(self) -> np.ndarray:
        """The signs of x, y, z that an odd step changes."""
        return np.array([1.0, -1.0 if self.odd else 1.0, 1.0])

    def fixed(self, points: np.ndarray) -> np.ndarray:
        """Points of the solved step in the fixed frame."""
        return points * self.flip + self.shift


def posture(walk: Walk, time: float) -> Posture:
    """The figure at any time >= 0 of the endless walk (nearest sampled row)."""
    if not time >= 0.0:
        raise InputError(f"time: wanted 0 s or later, got {time}.")
    span = walk.gait.step_time
    number = int(np.floor(time / span + 1e-9))
    inside = time - number * span
    if number > 0 and inside < 1e-9:  # the end of the step before, as the report counts
        number, inside = number - 1, span
    row = int(np.argmin(np.abs(walk.time - inside)))
    bodies = bodies_at(chain(walk.arms_free, walk.springs), walk.coordinates[row], walk.zmp[row])
    centres, places = bodies.column("centre"), bodies.column("joint").copy()
    places[11] = centres[11]
    odd = number % 2 == 1
    lane = -2.0 * D if odd else 0.0
    shift = np.array([walk.zmp[row] + number * progress(walk), lane, number * walk.gait.rise])
    pose = Posture(centres, places, bodies.column("turn").reshape(12, 3, 3), odd, shift)
    return replace(pose, centres=pose.fixed(centres[OTHER_SIDE] if odd else centres))
