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

from dataclasses import dataclass

import numpy as np

from bunraku.errors import InputError
from bunraku.gait1988.checks import progress, sole_of
from bunraku.gait1988.rigid_model import bodies_at, chain
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.twelve_bodies import RR, SS, D

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


def walk_on(walk: Walk, steps: int, *, report: bool = False) -> Path:
    """Continue a solved step to `steps` steps; the first row of each later step (equal to the last of the one before)
    is left out."""
    if not 1 <= steps <= 10_000:
        raise InputError(f"steps: wanted 1 to 10000, got {steps}.")
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


@dataclass(frozen=True)
class Posture:
    """One instant: joints by name (m, fixed frame), rotation matrices of the 12 bodies, mass centres, and the sole
    (heel, toe)."""

    time: float
    points: dict[str, np.ndarray]
    rotations: np.ndarray
    centres: np.ndarray
    sole: tuple[float, float]


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
    joint, centre, turn = bodies.column("joint"), bodies.column("centre"), bodies.column("turn").reshape(12, 3, 3)
    if walk.arms_free:
        hands = [joint[b] + turn[b] @ np.array([0.0, 0.0, -2.0 * SS]) for b in (5, 7)]
    else:
        hands = [2.0 * centre[b] - joint[b] for b in (5, 7)]
    points = {
        "left_ankle": joint[0],
        "left_knee": joint[1],
        "left_hip": joint[2],
        "right_hip": joint[8],
        "right_knee": joint[9],
        "right_ankle": joint[10],
        "waist": joint[3],
        "neck": joint[3] + turn[3] @ np.array([0.0, 0.0, RR + 0.04]),
        "head": joint[3] + turn[3] @ np.array([0.0, 0.0, RR + 0.20]),
        "right_shoulder": joint[4],
        "right_elbow": joint[5],
        "right_hand": hands[0],
        "left_shoulder": joint[6],
        "left_elbow": joint[7],
        "left_hand": hands[1],
        "left_foot": centre[11],
        "right_foot": centre[10],
    }
    shift = np.array([walk.zmp[row] + number * progress(walk), 0.0, number * walk.gait.rise])
    if number % 2 == 1:
        flip = np.array([1.0, -1.0, 1.0])
        lane = np.array([0.0, -2.0 * D, 0.0])
        points = {other_name(name): p * flip + lane for name, p in points.items()}
        centre = centre[OTHER_SIDE] * flip + lane
        turn = turn[OTHER_SIDE] * flip[:, None] * flip[None, :]
    points = {name: p + shift for name, p in points.items()}
    return Posture(time, points, turn, centre + shift, sole_of(walk.gait))


def other_name(name: str) -> str:
    """left_knee <-> right_knee; names without a side stay."""
    if name.startswith("left_"):
        return "right_" + name[5:]
    if name.startswith("right_"):
        return "left_" + name[6:]
    return name
