"""What a walker's body does beside its steps: the base heads between the feet, the arms swing against the legs.

Arms turn at the shoulder by  arms * (right foot ahead of the left one) / leg length, the left one ahead with the right foot. Checked in
tests/gait/test_walking_pattern.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.functions import frame_jacobian
from bunraku.gait.humanoid import Humanoid
from bunraku.gait.zmp_reference import TimeTable
from bunraku.model.configuration import exponential, integrate, multiply


def wanted_poses(h: Humanoid, table: TimeTable, arms: float) -> np.ndarray:
    """(n, nq): the stance, its base headed between the feet, its arms swinging against the legs."""
    m, n = h.model, len(table.times)
    given = np.tile(h.stand, (n, 1))
    heading = table.yaw.mean(axis=1)
    turn = exponential(np.outer(heading, [0.0, 0.0, 1.0]))
    given[:, 3:7] = multiply(turn, given[:, 3:7])
    ahead = np.einsum(
        "ni,ni->n",
        table.position[:, 1, :2] - table.position[:, 0, :2],
        np.column_stack([np.cos(heading), np.sin(heading)]),
    )
    swing = arms * ahead / h.legs[0]
    v = np.zeros((n, m.nv))
    for side, hand in enumerate(h.hands):
        found = shoulder_pitch(h, hand) if hand else None
        if found is not None:
            dof, sign = found
            v[:, dof] = (-1.0 if side == 0 else 1.0) * sign * swing
    return integrate(m, given, v)


def shoulder_pitch(h: Humanoid, hand: str) -> tuple[int, float] | None:
    """(index into v, sign) of the first degree of freedom beyond the trunk that swings a hand about the figure's y axis."""
    J = frame_jacobian(h.model, h.stand, hand)
    trunk = frame_jacobian(h.model, h.stand, h.trunk)
    for i in range(6, h.model.nv):
        if abs(J[4, i]) > 0.9 and np.abs(trunk[:, i]).max() < 1e-12:
            return i, float(np.sign(J[4, i]))
    return None
