"""Torques of a walking pattern: inverse dynamics with the ground's forces shared between the feet as planned.

rnea gives the wrench w that the ground must apply (its first six rows, at the base) and the torques that the joints
would need without it. The feet carry  w_i = load_i f  at their middles and of the moment that is left the same shares,
so that they sum to w exactly; then
    tau = rnea(q, v, v') - sum_i J_i^T w_i ,
with nothing left at the base. Servos that are given tau / stiffness as an offset of their target hold the pattern
without sagging. Checked in tests/walking/test_walking_pattern.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.functions import frame_jacobian, kinematics, rnea
from bunraku.errors import InputError
from bunraku.model.configuration import integrate
from bunraku.walking.walking_pattern import WalkingPattern
from bunraku.walking.whole_zmp import rates


def walking_torques(pattern: WalkingPattern) -> np.ndarray:
    """(n, nv) [N m or N]; the first six columns, of the free base, are zero to rounding."""
    m, h = pattern.model, pattern.humanoid
    v, a = rates(m, pattern.q, pattern.dt)
    tau = rnea(m, pattern.q, v, a)
    k = kinematics(m, pattern.q)
    body = m.joints[0].body
    base, R = k.position[:, body], k.rotation[:, body]
    force, moment = tau[:, :3], np.einsum("nij,nj->ni", R, tau[:, 3:6])
    middles = pattern.sole_position
    for side in (0, 1):  # what forces at the middles do not give
        share = pattern.load[:, side, None]
        moment = moment - np.cross(middles[:, side] - base, share * force)
    for f in h.feet:
        share = pattern.load[:, f.side, None]
        wrench = np.concatenate([share * force, share * moment], axis=1)
        tau = tau - np.einsum("nij,ni->nj", frame_jacobian(m, pattern.q, f.frame), wrench)
    return tau


def servo_targets(pattern: WalkingPattern, stiffness: float | np.ndarray) -> np.ndarray:
    """(n, nq): targets that lead position servos of a stiffness [N m/rad] (one, or one a degree of freedom, (nv,))
    along the pattern: each is ahead of the pattern by tau / stiffness, so that the servo's torque is the one the walk
    needs where the figure is on the pattern."""
    m = pattern.model
    k = np.broadcast_to(np.asarray(stiffness, dtype=float), (m.nv,)).copy()
    k[:6] = np.inf  # the base has no servo
    if not np.all(k > 0):
        raise InputError("servo_targets: stiffness must be above 0; a servo without it has no target.")
    return integrate(m, pattern.q, walking_torques(pattern) / k)
