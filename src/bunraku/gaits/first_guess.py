"""A crude first guess of a step, drawn by hand: legs that swing past each other, weight shared. The optimiser does the rest.
Checked in tests/gaits/test_step_problem.py."""

from __future__ import annotations

import numpy as np

from bunraku.gaits.step_problem import CORNERS, GRAVITY, UNIT, StepProblem


def first_guess(problem: StepProblem) -> np.ndarray:
    """Unknowns to begin with."""
    p, name = problem.plan, problem.twin.index
    N, S, both = p.nodes, p.length, p.both
    u = np.arange(N) / N
    scale = problem.twin.figure.q0[2] / 0.901
    Q = np.zeros((N, problem.n))
    Q[:, name["x"]] = 0.065 * scale - S / 2 + S * u
    Q[:, name["y"]] = 0.03 * np.sin(np.pi * u)
    Q[:, name["z"]] = scale * (0.87 + 0.015 * np.sin(np.pi * u))
    lean = np.arctan2(Q[:, name["x"]] - 0.065 * scale, 0.83 * scale)
    hip, knee = (
        lean - 0.08,
        0.12 + 0.1 * np.sin(np.pi * np.clip(u / 0.4, 0, 1)) + 0.5 * np.clip((u - 0.75) / 0.25, 0, 1) ** 2,
    )
    Q[:, name["left_hip y"]], Q[:, name["left_knee"]] = hip, knee
    Q[:, name["left_ankle y"]] = (
        -(hip + knee) + np.where(u > 0.66, (u - 0.66) * 1.2, 0) - np.where(u < 0.14, (0.14 - u) * 2, 0)
    )
    Q[:, name["right_hip y"]] = np.interp(u, [0, 0.3, 0.7, 1], [0.33, -0.1, -0.55, -0.42])
    Q[:, name["right_knee"]] = np.interp(u, [0, 0.22, 0.5, 0.85, 1], [0.6, 0.9, 1.05, 0.3, 0.1])
    Q[:, name["right_ankle y"]] = np.interp(u, [0, 0.22, 0.5, 1], [-0.05, 0.25, 0.0, 0.05])
    Q[:, name["left_shoulder y"]], Q[:, name["right_shoulder y"]] = 0.3 * np.cos(np.pi * u), -0.3 * np.cos(np.pi * u)
    Q[:, name["left_elbow"]] = Q[:, name["right_elbow"]] = 0.4
    F = np.zeros((N, CORNERS, 3))
    W = problem.mass * GRAVITY / UNIT
    for k in range(N):
        behind = max(0.0, 1 - u[k] / both) if p.trailing[k] == "t" else 0.0
        lead = np.flatnonzero(problem.stands[k, :4])
        F[k, lead, 2] = W * (1 - behind) / max(len(lead), 1)
        F[k, 6:, 2] = W * behind / 2
    return np.concatenate([Q.ravel(), F.reshape(-1)[problem.free]])


def guess_between(problem: StepProblem, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Unknowns to begin with of a step that starts or stops a walk: from one pose (n,) to another, over the leading
    foot, with the other knee bent on the way."""
    p, name = problem.plan, problem.twin.index
    u = np.arange(p.nodes)[:, None] / p.nodes
    Q = begin + (end - begin) * u**2 * (3 - 2 * u)
    swing = np.clip((u[:, 0] - p.both) / (p.land - p.both), 0, 1)
    bump = np.sin(np.pi * swing) ** 2
    Q[:, name["y"]] += 0.03 * np.sin(np.pi * u[:, 0]) ** 2
    Q[:, name["right_knee"]] += 0.7 * bump
    Q[:, name["right_hip y"]] -= 0.35 * bump
    W = problem.mass * GRAVITY / UNIT
    F = np.zeros((p.nodes, CORNERS, 3))
    F[:, :, 2] = problem.stands * W / np.maximum(problem.stands.sum(axis=1, keepdims=True), 1)
    return np.concatenate([Q.ravel(), F.reshape(-1)[problem.free]])
