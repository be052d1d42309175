"""Where every segment of the figure lies: end points for pictures, from the coordinates alone (either mode).

`segments(walk, row, …)` gives for each of the 12 bodies its two end points and for the feet their rotation, in the
fixed frame of `steps`. Uses `rigid_model.motion`, so links keep their length. Checked in tests/gait1988/test_steps.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.errors import InputError
from bunraku.gait1988.checks import progress, sole_of
from bunraku.gait1988.rigid_model import bodies_at, chain
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.steps import OTHER_SIDE
from bunraku.gait1988.twelve_bodies import RR, SS, D


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
