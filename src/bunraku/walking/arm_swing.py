"""What a walker's body does beside its steps: the base heads between the feet, the arms swing against the legs.

Arms turn at the shoulder by  arms * (right foot ahead of the left one) / leg length, the left one ahead with the right
foot; an arm that holds something does not. Checked in tests/walking/test_walking_pattern.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.functions import frame_jacobian
from bunraku.humanoid.parts import Humanoid
from bunraku.model.configuration import integrate
from bunraku.model.rotations import multiply, quaternion_about
from bunraku.walking.zmp_reference import TimeTable

ROOM = 0.02  # rad: arms keep so far from the ends of their ranges


def wanted_poses(h: Humanoid, table: TimeTable, arms: float) -> np.ndarray:
    """(n, nq): the stance, its base headed between the feet, its arms swinging against the legs."""
    m, n = h.model, len(table.times)
    given = np.tile(h.stand, (n, 1))
    heading = table.heading
    given[:, 3:7] = multiply(quaternion_about(2, heading), given[:, 3:7])
    ahead = np.einsum(
        "ni,ni->n",
        table.position[:, 1, :2] - table.position[:, 0, :2],
        np.column_stack([np.cos(heading), np.sin(heading)]),
    )
    swing = arms * ahead / h.legs[0]
    v = np.zeros((n, m.nv))
    for side, hand in enumerate(h.hands):
        found = shoulder_pitch(h, hand) if hand and not holds(h, hand) else None
        if found is not None:
            dof, sign = found
            v[:, dof] = (-1.0 if side == 0 else 1.0) * sign * within(h, dof, swing)
    return integrate(m, given, v)


def holds(h: Humanoid, hand: str) -> bool:
    """Whether a hand carries something, so that its arm does not swing."""
    return h.holding is not None and h.holding.load.held.get(hand) is not None


def within(h: Humanoid, dof: int, swing: np.ndarray) -> np.ndarray:
    """A swing [rad] of one degree of freedom about the stance, made smaller where a hinge's range has no room for it."""
    joint = next(j for j in h.model.joints if j.iv <= dof < j.iv + j.nv)
    if joint.kind == "ball":
        return swing
    at = h.stand[joint.iq]
    room = max(min(h.model.upper[dof] - at, at - h.model.lower[dof]) - ROOM, 0.0)
    most = float(np.abs(swing).max())
    return swing if most <= room else swing * (room / most)


def shoulder_pitch(h: Humanoid, hand: str) -> tuple[int, float] | None:
    """(index into v, sign) of the first degree of freedom beyond the trunk that swings a hand about the figure's y
    axis."""
    J = frame_jacobian(h.model, h.stand, hand)
    trunk = frame_jacobian(h.model, h.stand, h.trunk)
    for i in range(6, h.model.nv):
        if abs(J[4, i]) > 0.9 and np.abs(trunk[:, i]).max() < 1e-12:
            return i, float(np.sign(J[4, i]))
    return None
