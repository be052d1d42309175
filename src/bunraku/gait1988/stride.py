"""Gaits of our own from a few lengths: the path of hip and foot, turned into the report's leg polylines by inverse
kinematics.

Over the time u since the left foot landed (0 … 2T, T one step) the hip moves forward by one step length a step, a
little faster at the switch of feet than in between (`surge`), and up by `rise` with a small `dip`. While the foot
carries it is at rest, except that it may roll over its rear edge until `heel_until` (toe up by `heel_pitch` at
landing) and over its front edge from `toe_from` (heel up by `toe_pitch` at lift-off). While it swings, its ankle and
pitch follow polynomials of degree 5 that join position, velocity and acceleration at both ends, plus a lift (u
(1-u))^3, so nothing jumps at the switch of feet. Shank and thigh angles follow from the triangle hip-knee-ankle (law
of cosines, knee forward).

The polylines have a break point at every time step and are sharpened beforehand so that `smooth.smooth_curve` gives
the wanted angles (to about 1e-4 rad). The feet roll about the very points at which the ZMP stands then, as (3.6) of
the report has it. Checked in tests/gait1988/test_library.py (clearance, contact, continuity).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.errors import InputError
from bunraku.gait1988.pattern import LAST, Gait, Pattern
from bunraku.gait1988.smooth import HALF, fit_matrix, spread
from bunraku.gait1988.twelve_bodies import SOLE_HEEL, SOLE_TOE, UH, F, H, O
from bunraku.gait1988.zmp import Zmp

ANKLE = UH + H


@dataclass(frozen=True)
class Stride:
    """Lengths in m, angles in rad, times in s; heights are above the sole of the support foot.

    `forward`, `upward` (stairs, flat feet): parts of the swing, 0 … 1, during which the foot moves forward and up or
    down.
    """

    step: float
    hip: float
    rise: float = 0.0
    surge: float = 0.02
    dip: float = 0.0
    lift: float = 0.05
    heel_pitch: float = 0.0
    toe_pitch: float = 0.0
    heel_until: float = 0.15
    toe_from: float = 0.6
    cycle: float = 2.0
    lead: float = 0.0
    heel: float = SOLE_HEEL
    toe: float = SOLE_TOE
    forward: tuple[float, float] | None = None
    upward: tuple[float, float] | None = None

    @property
    def step_time(self) -> float:
        """Duration of one step, s."""
        return 0.5 * self.cycle


def ease(x: np.ndarray) -> np.ndarray:
    """0 to 1 with zero first and second derivatives at both ends (degree 5), constant outside."""
    x = np.clip(x, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x * x)


def hip_path(stride: Stride, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hip (x, z) at times u since the left foot landed, that foot's centre at x = 0 and its sole at z = 0."""
    phase = u / stride.step_time
    x = stride.step * (phase - 0.5) + stride.surge * np.sin(2.0 * np.pi * phase) + stride.lead
    z = stride.hip + stride.rise * phase - 0.5 * stride.dip * (1.0 + np.cos(2.0 * np.pi * phase))
    return x, z


def stance(stride: Stride, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ankle (x, z) and foot pitch of the carrying foot."""
    landing = -stride.heel_pitch * (1.0 - ease(u / stride.heel_until)) if stride.heel_pitch else np.zeros_like(u)
    # leaving: quartic start from rest, still turning at lift-off
    late = np.clip((u - stride.toe_from) / (stride.step_time - stride.toe_from), 0.0, None)
    leaving = stride.toe_pitch * late**3
    pitch = landing + leaving
    edge = np.where(pitch < 0.0, stride.heel, np.where(pitch > 0.0, stride.toe, 0.0))
    x = edge - edge * np.cos(pitch) + ANKLE * np.sin(pitch)
    z = edge * np.sin(pitch) + ANKLE * np.cos(pitch)
    return x, z, pitch


def quintic(u: np.ndarray, span: float, ends: np.ndarray) -> np.ndarray:
    """Degree-5 polynomial over 0 … span with ends[2, 3] = (value, rate, acceleration) at both ends."""
    (p0, v0, a0), (p1, v1, a1) = ends * np.array([1.0, span, span * span])
    d = p1 - p0
    s = u / span
    c3 = 10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
    c5 = 6.0 * d - 3.0 * v0 - 3.0 * v1 - 0.5 * a0 + 0.5 * a1
    return p0 + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))))


def foot_path(stride: Stride, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ankle (x, z) and pitch of the left foot over the whole cycle 0 … 2T."""
    time = stride.step_time
    held = stance(stride, np.minimum(u, time))
    small = 1e-4
    derivative = []
    for at, side in ((time, -1.0), (0.0, 1.0)):  # one-sided differences of the stance at lift-off and at landing
        three = np.array(stance(stride, at + side * small * np.arange(4.0)))
        rate = side * (-11.0 * three[:, 0] + 18.0 * three[:, 1] - 9.0 * three[:, 2] + 2.0 * three[:, 3]) / (6.0 * small)
        bend = (2.0 * three[:, 0] - 5.0 * three[:, 1] + 4.0 * three[:, 2] - three[:, 3]) / small**2
        derivative.append(np.stack([three[:, 0], rate, bend], axis=1))
    leave, land = derivative
    land[0, 0] += 2.0 * stride.step
    land[1, 0] += 2.0 * stride.rise
    swing = u - time
    s = np.clip(swing / time, 0.0, 1.0)
    out = []
    for k in range(3):
        window = (stride.forward, stride.upward, None)[k]
        if window is None:
            moved = quintic(np.clip(swing, 0.0, time), time, np.stack([leave[k], land[k]]))
        else:
            moved = leave[k, 0] + (land[k, 0] - leave[k, 0]) * ease((s - window[0]) / (window[1] - window[0]))
        if k == 1:
            moved = moved + stride.lift * 64.0 * (s * (1.0 - s)) ** 3
        out.append(np.where(u <= time, held[k], moved))
    return out[0], out[1], out[2]


def leg_angles(stride: Stride, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """beta1, beta2, beta3 of the left leg at times u in 0 … 2T since it landed."""
    hip_x, hip_z = hip_path(stride, u)
    ankle_x, ankle_z, pitch = foot_path(stride, u)
    dx, dz = hip_x - ankle_x, hip_z - ankle_z
    length = np.hypot(dx, dz)
    shank, thigh = 2.0 * F, 2.0 * O
    if length.max() > 0.999 * (shank + thigh) or length.min() < 0.3:
        raise InputError(
            f"stride: the leg would have to be {length.max():.3f} m long (at least {length.min():.3f}), but shank "
            f"and thigh are {shank + thigh:.3f} m; lower the hip or shorten the step."
        )
    lean = np.arctan2(dx, dz)
    at_ankle = np.arccos((length**2 + shank**2 - thigh**2) / (2.0 * length * shank))
    at_hip = np.arccos((length**2 + thigh**2 - shank**2) / (2.0 * length * thigh))
    return lean - at_hip, lean + at_ankle, pitch


def sharpen(angle: np.ndarray) -> np.ndarray:
    """Periodic samples whose smoothed curve passes near `angle`: three rounds of adding what smoothing took away."""
    kernel9, kernel5 = fit_matrix()[HALF], np.array([1, 6, 10, 6, 1]) / 24.0
    out = angle.copy()
    for _ in range(3):
        out += angle - spread(spread(out, kernel9), kernel5)
    return out


def make_gait(name: str, stride: Stride, zmp: Zmp, note: str, *, swing_start: int = 33) -> Gait:
    """A gait from a stride, with a break point at every time step."""
    support_start = swing_start + 40
    steps = np.arange(1, LAST)
    u = ((steps - support_start) % (LAST - 1)) / (LAST - 1) * stride.cycle
    patterns = []
    for k, angle in enumerate(leg_angles(stride, u)):
        if k == 2 and stride.heel_pitch == stride.toe_pitch == 0.0:
            continue
        values = np.round(sharpen(angle), 5)
        patterns.append(Pattern(f"BETA{k + 1}", tuple(range(1, LAST + 1)), (*map(float, values), float(values[0]))))
    return Gait(
        name,
        patterns[0],
        patterns[1],
        zmp,
        patterns[2] if len(patterns) > 2 else None,
        cycle=stride.cycle,
        swing_start=swing_start,
        support_start=support_start,
        rise=stride.rise,
        source="Bunraku",
        note=note,
    )
