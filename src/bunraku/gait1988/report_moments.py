"""MOMA: positions, velocities, accelerations of the 12 bodies and the moments at the 7 joints (report, Fig. 6.3).

Joints: 1 left ankle, 2 left knee, 3 left hip, 4 right hip, 5 right knee, 6 right ankle, 7 waist. For each joint, over
the bodies beyond it (seen from the support foot),

    TRANSLATION = - sum (r - r_joint) x m (a + g z),    ROTATION = sum M of (3.5),    TOTAL = TRANSLATION - ROTATION

The report puts joint 7 at Z3 + PP although psi turns about Z3; kept here (`servo` has it right). Units kp m. The
numbers belong to the state of the second evaluation of each step (see `report_integrator`). Checked against Figs
6.3(b), (c) in tests/gait1988/test_report.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.gait1988.report_integrator import ReportProgram, ReportRun
from bunraku.gait1988.twelve_bodies import PP, D, G, H

JOINT_NAMES = ("left_ankle", "left_knee", "left_hip", "right_hip", "right_knee", "right_ankle", "waist")

BEYOND = (
    tuple(range(11)),
    tuple(range(1, 11)),
    tuple(range(2, 11)),
    (8, 9, 10),
    (9, 10),
    (10,),
    tuple(range(3, 8)),
)
"""Bodies (from 0) beyond each joint."""


@dataclass(frozen=True)
class ReportMoments:
    """Arrays over the 41 rows: joint positions (41, 7, 3) in m; the three kinds of moment (41, 7, 3) in kp m."""

    joints: np.ndarray
    translation: np.ndarray
    rotation: np.ndarray
    total: np.ndarray


def joint_positions(bodies: np.ndarray, beta3: np.ndarray, waist: float = PP) -> np.ndarray:
    """Joints (n, 7, 3) from the mass centres bodies[n, 12, 3, order 0] and the angle of the support foot beta3[n];
    `waist` above Z3."""
    centre = bodies[..., 0]
    joints = np.empty((centre.shape[0], 7, 3))
    up = np.stack([np.sin(beta3), np.zeros_like(beta3), np.cos(beta3)], axis=1)
    joints[:, 0] = centre[:, 11] + H * up
    joints[:, 1] = 2.0 * centre[:, 0] - joints[:, 0]
    joints[:, 2] = centre[:, 2] + np.array([0.0, D, -PP])
    joints[:, 3] = centre[:, 2] + np.array([0.0, -D, -PP])
    joints[:, 4] = 2.0 * centre[:, 8] - joints[:, 3]
    joints[:, 5] = 2.0 * centre[:, 9] - joints[:, 4]
    joints[:, 6] = centre[:, 2] + np.array([0.0, 0.0, waist])
    return joints


def translation_moments(bodies: np.ndarray, joints: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """TRANSLATION (n, 7, 3), kp m, of mass centres with derivatives bodies[n, 12, 3, 3] about the joints."""
    force = mass[:, None] * (bodies[..., 2] + np.array([0.0, 0.0, G]))
    out = np.empty_like(joints)
    for k, beyond in enumerate(BEYOND):
        arm = bodies[..., 0][:, list(beyond)] - joints[:, None, k]
        out[:, k] = -np.cross(arm, force[:, list(beyond)]).sum(axis=1)
    return out


def report_moments(program: ReportProgram, run: ReportRun, *, corrected: bool = False) -> ReportMoments:
    """The moments of MOMA for every row of a run.

    `corrected` (for SERVO): joint 7 at Z3, and the rotation terms with their proper signs (Mx, Mz of all legs, My of
    the right one).
    """
    rows = np.round(run.time / program.h).astype(int)
    joints = joint_positions(run.bodies, program.table[rows, 2, 0], 0.0 if corrected else PP)
    spins = run.spins.copy()
    if corrected:
        spins[:, :, [0, 2]] *= -1.0
        spins[:, 8:10, 1] *= -1.0
    translation = translation_moments(run.bodies, joints, program.mass)
    rotation = np.stack([spins[:, list(beyond)].sum(axis=1) for beyond in BEYOND], axis=1)
    return ReportMoments(joints, translation, rotation, translation - rotation)
