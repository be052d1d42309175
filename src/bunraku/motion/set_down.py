"""A retargeted motion made presentable: smoothed, inside joint limits, on the floor.

Smoothing: Butterworth, 4th order, forwards and backwards (no delay), default 6 Hz after Winter; quaternions component by
component. The floor: a plane through the lowest corners of resting feet becomes z = 0 (captured floors often slope by a
centimetre a metre). Feet may be turned by one constant each so that they rest level, as T-poses rarely have level feet.
Checked in tests/motion/test_retarget.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.humanoid.foot import feet_of
from bunraku.model.configuration import normalized
from bunraku.model.limits import clamp
from bunraku.model.model import Model
from bunraku.model.rotations import exponential, multiply
from bunraku.motion.lowpass import lowpass
from bunraku.recording.motion import Motion

SLOW = 0.25  # m/s: a foot rests
STEEP, MOST_TILT = 0.05, 0.6  # slope of a floor, turn of a foot [rad] that is put right


@dataclass(frozen=True, eq=False)
class SetDown:
    """Frames on the floor, and what was done to them."""

    q: np.ndarray
    meta: dict[str, Any]


def set_down(
    model: Model, q: np.ndarray, times: np.ndarray, cutoff: float | None, floor: bool, level: bool = True
) -> SetDown:
    """Frames smoothed, inside joint limits, on the floor; level: each foot is turned by a constant so that it rests
    level."""
    if cutoff is not None:
        q = smoothed(model, q, times, cutoff)
    tilt = level_feet(model, q, times) if floor and level else {}
    q, clipped = inside(model, q)
    drop = floor_height(model, q, times) if floor else np.zeros(len(q))
    q[:, 2] -= drop
    return SetDown(q, {
        "floor_m": [float(drop.min()), float(drop.max())], "feet_levelled_rad": tilt, "cutoff_Hz": cutoff, "clipped_rad": clipped,
    })  # fmt: skip


def smoothed(model: Model, q: np.ndarray, times: np.ndarray, cutoff: float) -> np.ndarray:
    """q low-passed forwards and backwards; evenly spaced frames."""
    steps = np.diff(times)
    rate = 1.0 / float(steps.mean()) if len(steps) else 0.0
    if len(q) < 16 or not cutoff > 0:
        return q
    if cutoff >= 0.45 * rate:
        return q
    return normalized(model, lowpass(q, rate, cutoff))


def inside(model: Model, q: np.ndarray) -> tuple[np.ndarray, dict[str, float]]:
    """(q moved inside all joint limits, joint -> the most it was moved [rad or m])."""
    out = clamp(model, q)
    moved: dict[str, float] = {}
    for j in model.joints:
        if j.nv and j.kind != "free":
            gap = float(np.abs(out[:, j.q] - q[:, j.q]).max()) * (2.0 if j.kind == "ball" else 1.0)
            if gap > 1e-9:
                moved[j.name] = gap
    return out, moved


def resting(motion_speed: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Frames in which a point is slow and low."""
    low = height < np.percentile(height, 50.0) + 0.02
    return low & (motion_speed < max(SLOW, float(np.percentile(motion_speed, 8.0))))


def level_feet(model: Model, q: np.ndarray, times: np.ndarray) -> dict[str, float]:
    """Turn each foot by one constant so that it is level while it rests (a T-pose rarely has level feet); returns foot
    -> angle [rad]. Changes q."""
    k, out = kinematics(model, q, Motion(model, times, q).v), {}
    for s in feet_of(model, missing=True):
        j = next((x for x in model.joints if x.link == s.link and x.kind == "ball"), None)
        if j is None or len(q) < 8:
            continue
        speed = np.linalg.norm(np.gradient(k.position[:, s.body], times, axis=0), axis=1)
        w = k.twist[:, s.body, 3:]
        rows = resting(speed, k.position[:, s.body, 2]) & (
            np.linalg.norm(w, axis=1) < max(1.0, float(np.percentile(np.linalg.norm(w, axis=1), 15.0)))
        )
        if np.count_nonzero(rows) < 8:
            continue
        up = np.median(k.rotation[rows, s.body, 2, :], axis=0)  # the world's z in the foot
        up = up / np.linalg.norm(up)
        angle = float(np.arccos(np.clip(up[2], -1.0, 1.0)))
        if 1e-6 < angle < MOST_TILT:
            axis = np.array([-up[1], up[0], 0.0]) / np.hypot(up[0], up[1])
            c = exponential(angle * axis)
            q[:, j.q] = multiply(q[:, j.q], np.broadcast_to(c, (len(q), 4)))
            out[s.link] = angle
    return out


def floor_height(model: Model, q: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(n,): the height of the floor below the base: a plane through the lowest corners of resting feet, its slope at
    most STEEP."""
    k = kinematics(model, q)
    low = []
    if not feet_of(model, missing=True):  # no boxes below its feet: the lowest origin of a link
        return np.full(len(q), float(np.percentile(k.position[:, 1:, 2].min(axis=1), 5.0)))
    for s in feet_of(model):
        corners = k.position[:, s.body, None] + np.einsum("nij,kj->nki", k.rotation[:, s.body], s.corners)
        if len(q) < 8:
            low.append(corners.reshape(-1, 3))
            continue
        speed = np.linalg.norm(np.gradient(corners.mean(axis=1), times, axis=0), axis=1)
        rows = resting(speed, corners[:, :, 2].min(axis=1))
        low.append(np.take_along_axis(corners, corners[:, :, 2].argmin(axis=1)[:, None, None], axis=1)[rows, 0])
    points = np.concatenate(low)
    if len(points) == 0:
        return np.full(len(q), q[:, 2].min())
    middle = points[:, :2].mean(axis=0)
    A = np.column_stack([np.ones(len(points)), points[:, :2] - middle])
    ridge = np.diag([0.0, 0.02, 0.02]) * len(points)  # metres squared of spread that a slope must show to be believed
    x = np.linalg.solve(A.T @ A + ridge + 1e-9 * np.eye(3), A.T @ points[:, 2])
    slope = float(np.hypot(x[1], x[2]))
    x[1:] *= min(1.0, STEEP / slope) if slope > 0 else 1.0
    level = x[0] + (q[:, :2] - middle) @ x[1:]
    own = x[0] + (points[:, :2] - middle) @ x[1:]
    return level + float(np.median(points[:, 2] - own))
