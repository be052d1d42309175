"""The ways of swinging feet: flat and at rest where they leave and land, first up, then ahead, then down.

With s from 0 to 1 in a swing: the place goes from start to goal along the minimum-jerk polynomial 10 s^3 - 15 s^4 + 6
s^5 (Flash and Hogan
1985) between the parts of the swing that a style waits; the height goes to the higher end plus `lift` in the first part and down in the second
one, the parts longer where there is more to rise or to fall. Velocities and accelerations are 0 at both ends. A sole's
frame has its z along the ground's normal and its x above the heading. On stairs an ankle would bend too far with a flat
sole, so the foot rolls about its toe edge (`roll`): a foot that swings up hangs its heel high on the way, and one on
level ground a little in the first part (`hang`); a foot that stands above the one that takes the weight lifts its heel
before it leaves, when the zero-moment point has passed its toes; with `heel` it does so on level ground too, as people
do, and can step farther. Checked in tests/walking/test_foot_paths.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.model.rotations import about
from bunraku.walking.footsteps import Footstep
from bunraku.walking.min_jerk import bump, min_jerk
from bunraku.walking.pace import LEVEL, Style

STEPPED = 0.06  # of a leg: feet that differ less in height stay flat
ROLL, MOST_ROLL = 1.9, 0.8  # rad a leg of height, and at most
ROLLING = 0.6  # of the double support: its last part in which a heel may rise
HANGING = 0.8  # of a swing: its first part, in which toes hang


@dataclass(frozen=True, eq=False)
class StepPlan:
    """What the feet of a walk are to do: where both (left, right) stand at first, the steps, and of each of them, or of
    all, how long it stands on one foot and, after that, on both [s]; lift [m]: of a swinging foot; toe [m]: half of a
    sole's length; leg [m]: its length; heel [rad]: how far heels rise before a foot leaves that is half a leg's length
    or more behind the other, and less for shorter steps."""

    begin: tuple[Footstep, Footstep]
    steps: Sequence[Footstep]
    single: np.ndarray
    double: np.ndarray
    lift: float
    toe: float
    leg: float
    heel: float = 0.0
    style: Style = LEVEL

    def __post_init__(self) -> None:
        for name in ("single", "double"):
            each = np.broadcast_to(np.asarray(getattr(self, name), dtype=float), len(self.steps))
            object.__setattr__(self, name, each)


def sole_frames(yaw: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """(n, 3, 3) rotations with z along normals (n, 3) and x in the vertical plane of the heading yaw (n)."""
    z = normal / np.linalg.norm(normal, axis=1)[:, None]
    left = np.column_stack([-np.sin(yaw), np.cos(yaw), np.zeros(len(yaw))])
    x = np.cross(left, z)
    x /= np.linalg.norm(x, axis=1)[:, None]
    return np.stack([x, np.cross(z, x), z], axis=2)


def swing(
    s: np.ndarray, a: Footstep, b: Footstep, lift: float, wait: tuple[float, float] = LEVEL.wait
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(positions (m, 3), yaws (m), normals (m, 3)) at s (m) of a swing from a to b; wait: parts of it on level ground
    in which the foot does not go ahead yet, and no longer; up a stair with 0.1 and 0.1: 0.35 and 0.05, down 0.05 and
    0.35."""
    p0, p1 = np.array(a.position, dtype=float), np.array(b.position, dtype=float)
    top = max(p0[2], p1[2]) + lift
    much = float(np.clip((p1[2] - p0[2]) / (2.0 * lift), -1.0, 1.0))  # 1: up a stair, -1: down
    early, late = wait[0] + max(0.25 * much, 0.05 * much), 1.0 - wait[1] + min(0.25 * much, 0.05 * much)
    middle = 0.5 + 0.1 * much
    x = min_jerk((s - early) / (late - early))
    place = p0 + x[:, None] * (p1 - p0)
    place[:, 2] = p0[2] + min_jerk(s / middle) * (top - p0[2]) + min_jerk((s - middle) / (1.0 - middle)) * (p1[2] - top)
    turn = (b.yaw - a.yaw + np.pi) % (2.0 * np.pi) - np.pi
    n0, n1 = np.array(a.normal, dtype=float), np.array(b.normal, dtype=float)
    return place, a.yaw + x * turn, n0 + x[:, None] * (n1 - n0)


def rolls(
    times: np.ndarray, t: float, single: float, double: float, above: float, rise: float, heel: float, hang: float = 0.0
) -> np.ndarray:
    """Angles [rad] by which a foot that swings from t on is rolled about its toes; above, rise: its height above the
    other foot before, and above its own place after, both over a leg's length; heel [rad]: how far its heel shall rise
    in any case before it leaves; hang [rad]: how far its toes hang in the first part of its swing."""
    out = np.zeros(len(times))
    most = max(min(ROLL * above, MOST_ROLL) if above > STEPPED else 0.0, heel)
    if most > 0.0:
        out += most * (
            min_jerk((times - t + ROLLING * double) / (ROLLING * double)) - min_jerk((times - t) / (0.6 * single))
        )
    if hang > 0.0:
        out += hang * bump((times - t) / (HANGING * single))
    if rise > STEPPED:
        out += min(ROLL * rise, MOST_ROLL) * bump((times - t) / (0.95 * single))
    return out


def rolled(position: np.ndarray, rotation: np.ndarray, angle: np.ndarray, toe: float) -> tuple[np.ndarray, np.ndarray]:
    """Poses (n, 3), (n, 3, 3) rolled about the toe edge, `toe` [m] ahead of the sole's middle."""
    offset = np.column_stack([toe * (1.0 - np.cos(angle)), np.zeros(len(angle)), toe * np.sin(angle)])
    return position + np.einsum("nij,nj->ni", rotation, offset), rotation @ about(1, angle)


def foot_paths(
    walk: StepPlan, times: np.ndarray, begins: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(position (n, 2, 3), rotation (n, 2, 3, 3), yaw (n, 2) without jumps, contact (n, 2)) of both soles; begins: when
    each step's swing begins [s]."""
    n, one, both, toe, leg = len(times), walk.single, walk.double, walk.toe, walk.leg
    position, rotation, yaw = np.zeros((n, 2, 3)), np.zeros((n, 2, 3, 3)), np.zeros((n, 2))
    contact = np.ones((n, 2), dtype=bool)
    normal, roll = np.zeros((n, 2, 3)), np.zeros((n, 2))
    for side, foot in enumerate(walk.begin):
        position[:, side], yaw[:, side], normal[:, side] = foot.position, foot.yaw, foot.normal
    feet = list(walk.begin)
    for k, (s, t) in enumerate(zip(walk.steps, begins)):
        side, at = s.side, feet[s.side]
        rows = times > t - 1e-9
        place, turned, up = swing((times[rows] - t) / one[k], at, s, walk.lift, walk.style.wait)
        position[rows, side], normal[rows, side] = place, up
        yaw[rows, side] = yaw[-1, side] + turned - at.yaw
        contact[(times > t + 1e-9) & (times < t + one[k] - 1e-9), side] = False
        above, rise = at.position[2] - feet[1 - side].position[2], s.position[2] - at.position[2]
        apart = np.array(feet[1 - side].position[:2]) - np.array(at.position[:2])
        behind = float(apart @ [np.cos(at.yaw), np.sin(at.yaw)])
        much = min(behind / (0.5 * leg), 1.0) if behind > 2.2 * toe else 0.0
        before = both[max(k - 1, 0)]
        roll[:, side] += rolls(
            times, t, one[k], before, above / leg, rise / leg, walk.heel * much, walk.style.hang * much
        )
        feet[side] = s
    for side in (0, 1):
        flat = sole_frames(yaw[:, side], normal[:, side])
        position[:, side], rotation[:, side] = rolled(position[:, side], flat, roll[:, side], toe)
    return position, rotation, yaw, contact
