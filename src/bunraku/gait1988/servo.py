"""SERVO: angle, speed, torque, power and energy of every drive (report, section 4.1 (4); described there, never built).

A drive turns the body beyond a joint against the body before it. With e = (0, cos theta, -sin theta), the pitch axis
of both leaning legs, -e_x their roll axis, and N the moment on everything beyond the joint (Walk.moments),

    pitch torque = N . e,   roll torque = - N . e_x,   P = N . (w_beyond - w_before)

Angles (before -> beyond): left ankle b2 - b3, knee b1 - b2, hip -b1; right hip -r1, knee r1 - r2, ankle r2 - r3; waist
psi; lateral (roll) left ankle theta, left hip -theta, right hip theta, right ankle -theta. The report lists only the
ankle's roll; without the other three the powers do not add up. With all of them the sum equals dE/dt to rounding error,
and that is the test (tests/gait1988/test_servo.py). With free arms, shoulders and elbows are listed too: what their
springs and dampers give. Units: rad, rad/s, N m, W, J.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.gait1988.solved_walk import Walk

LEFT1, LEFT2, LEFT3, RIGHT1, RIGHT2, RIGHT3 = range(2, 8)


@dataclass(frozen=True)
class Drive:
    """One drive over the samples of a walk."""

    name: str
    angle: np.ndarray
    speed: np.ndarray
    torque: np.ndarray
    power: np.ndarray


@dataclass(frozen=True)
class Energy:
    """Work of one drive over a step, J: given out (positive), taken in (negative), and their sum."""

    positive: float
    negative: float
    net: float


def drives(walk: Walk) -> list[Drive]:
    """All drives of a walk."""
    c = walk.coordinates
    theta, dtheta = c[:, 0, 0], c[:, 0, 1]
    e = np.stack([np.zeros_like(theta), np.cos(theta), -np.sin(theta)], axis=1)
    n = walk.moments
    out: list[Drive] = []

    def angle(*terms: tuple[int, float], order: int = 0) -> np.ndarray:
        return sum((sign * c[:, k, order] for k, sign in terms), np.zeros_like(theta))

    def pitch(name: str, joint: int, *terms: tuple[int, float], level: tuple[int, float] | None = None) -> None:
        torque = np.einsum("na,na->n", n[:, joint], e)
        speed = angle(*terms, order=1)
        power = torque * speed
        all_terms = terms
        if level is not None:  # a foot does not lean: it turns about e_y, not e
            rate = level[1] * c[:, level[0], 1]
            power = power + n[:, joint, 1] * rate
            speed = speed + rate
            all_terms = (*terms, level)
        out.append(Drive(name, angle(*all_terms), speed, torque, power))

    def roll(name: str, joint: int, sign: float) -> None:
        torque = -n[:, joint, 0]
        out.append(Drive(name, sign * theta, sign * dtheta, torque, torque * sign * dtheta))

    pitch("left_ankle", 0, (LEFT2, 1.0), level=(LEFT3, -1.0))
    pitch("left_knee", 1, (LEFT1, 1.0), (LEFT2, -1.0))
    pitch("left_hip", 2, (LEFT1, -1.0))
    pitch("right_hip", 3, (RIGHT1, -1.0))
    pitch("right_knee", 4, (RIGHT1, 1.0), (RIGHT2, -1.0))
    pitch("right_ankle", 5, (RIGHT2, 1.0), level=(RIGHT3, -1.0))
    out.append(Drive("waist", c[:, 1, 0], c[:, 1, 1], n[:, 6, 1], n[:, 6, 1] * c[:, 1, 1]))
    roll("left_ankle_roll", 0, 1.0)
    roll("left_hip_roll", 2, -1.0)
    roll("right_hip_roll", 3, 1.0)
    roll("right_ankle_roll", 5, -1.0)
    if walk.arms_free:
        out += arm_drives(walk)
    return out


def arm_drives(walk: Walk) -> list[Drive]:
    """Shoulders and elbows of a walk with free arms: the passive spring and damper of `rigid_model.ArmSprings`."""
    from bunraku.gait1988.rigid_model import ArmSprings

    springs = walk.springs or ArmSprings()
    c = walk.coordinates
    out = []
    for name, inner, outer, (stiffness, damping, rest) in (
        ("right_shoulder", 1, 8, springs.shoulder),
        ("right_elbow", 8, 9, springs.elbow),
        ("left_shoulder", 1, 10, springs.shoulder),
        ("left_elbow", 10, 11, springs.elbow),
    ):
        angle, speed = c[:, outer, 0] - c[:, inner, 0], c[:, outer, 1] - c[:, inner, 1]
        torque = -stiffness * (angle - rest) - damping * speed
        out.append(Drive(name, angle, speed, torque, torque * speed))
    return out


def energies(walk: Walk) -> dict[str, Energy]:
    """Work of every drive over the step by the trapezium rule on the walk's samples (error O(dt^2))."""
    out = {}
    for drive in drives(walk):
        positive = float(np.trapezoid(np.maximum(drive.power, 0.0), walk.time))
        negative = float(np.trapezoid(np.minimum(drive.power, 0.0), walk.time))
        out[drive.name] = Energy(positive, negative, positive + negative)
    return out
