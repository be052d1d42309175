"""Poses of a whole walk at once: soles and centre of mass exactly where they are planned, the trunk upright, all joints in their ranges.

For every sample, over the base and the legs (all other joints are given):
    min  1/2 |base turned against its plan|^2 + POSTURE/2 |leg - its stance|^2 + barriers at the ends of ranges
    with  soles = their plan (12 rows),  centre of mass = its plan (3 rows).
Newton steps on the rows with a diagonal Hessian H of the rest (the gradient is exact, so the end is the minimum):
    (J H^-1 J^T) y = e + J H^-1 g,   step = H^-1 (J^T y - g) .
All samples are stacked, so that a step is a few calls of batched kernels: 4000 poses take about 0.1 s a step. Each sample's pose depends on its own
plan only, not on the one before, so smooth plans give smooth joints. Checked in tests/gait/test_walking_ik.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.dynamics.functions import centroidal, frame_jacobian, kinematics, momentum_matrix
from bunraku.gait.humanoid import Humanoid
from bunraku.model.configuration import difference, integrate
from bunraku.model.limits import swing_twist, swing_twist_rates
from bunraku.model.model import JointInfo, Model

POSTURE, LIMIT = 1e-3, 1e2
ANKLE_TWIST = 30.0  # a ball at the ankle leaves turning to the hip: so much heavier is its twist
ZONE = 0.1  # rad: how far inside a range its barrier begins
BIG_STEP = 0.3  # rad or m
DAMP = 1e-14  # of the trace: keeps a straight leg from dividing by zero


@dataclass(frozen=True, eq=False)
class Poses:
    """q (n, nq), and what is left of the errors: soles [m, rad times 1 m] (n, 2), centre of mass [m] (n), beyond a range [rad] (n, joints)."""

    q: np.ndarray
    sole_error: np.ndarray
    com_error: np.ndarray
    beyond: np.ndarray


def leg_dofs(h: Humanoid) -> np.ndarray:
    """Indices into v of the base and the legs."""
    legs = [np.arange(j.iv, j.iv + j.nv) for f in h.feet for j in (h.model.joint(n) for n in f.joints)]
    return np.concatenate([np.arange(6), *legs])


def posture_weights(h: Humanoid) -> np.ndarray:
    """(nv,): the diagonal of the Hessian without ranges; the base's place is free."""
    w = np.full(h.model.nv, POSTURE)
    w[:3], w[3:6] = 1e-2 * POSTURE, 1.0
    for f in h.feet:
        j = h.model.joint(f.joints[-1])
        if j.kind == "ball":
            w[j.iv + 2] *= ANKLE_TWIST
    return w


def leg_joints(h: Humanoid) -> list[JointInfo]:
    """The joints of both legs."""
    return [h.model.joint(n) for f in h.feet for n in f.joints]


def barrier(excess: np.ndarray, zone: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """(slope, curvature) of  LIMIT zone^2 / 4 (excess / zone)^4 : so smooth that a walk along it has no jerk in its joints."""
    x = excess / zone
    return LIMIT * zone * x**3, 3.0 * LIMIT * x**2


def near_ranges(h: Humanoid, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(gradient, diagonal of the Hessian), (n, nv) each, of the barriers that keep the legs inside their ranges; they begin ZONE inside."""
    model = h.model
    g, H = np.zeros((len(q), model.nv)), np.zeros((len(q), model.nv))
    for j in leg_joints(h):
        if j.kind == "ball":
            swing, twist = swing_twist(q[:, j.q])
            zone = min(ZONE, 0.1 * (j.twist[1] - j.twist[0]))
            over = np.maximum(swing - (j.swing - ZONE), 0.0)
            turn = np.maximum(twist - (j.twist[1] - zone), 0.0) + np.minimum(twist - (j.twist[0] + zone), 0.0)
            (gs, hs), (gt, ht) = barrier(over, ZONE), barrier(turn, zone)
            for k in np.flatnonzero((over != 0.0) | (turn != 0.0)):
                _, rows = swing_twist_rates(q[k, j.q])
                g[k, j.v] = gs[k] * rows[0] + gt[k] * rows[1]
            H[:, j.v] = np.maximum(hs, ht)[:, None]
        else:
            low, high = model.lower[j.v], model.upper[j.v]
            zone = np.minimum(ZONE, 0.1 * (high - low))
            x = q[:, j.q]
            g[:, j.v], H[:, j.v] = barrier(np.maximum(x - (high - zone), 0.0) + np.minimum(x - (low + zone), 0.0), zone)
    return g, H


def beyond_ranges(model: Model, q: np.ndarray) -> np.ndarray:
    """(n, number of joints): how far [rad or m] each joint is beyond its range, 0 inside."""
    out = np.zeros((len(q), len(model.joints)))
    for n, j in enumerate(model.joints):
        if j.kind == "ball":
            swing, twist = swing_twist(q[:, j.q])
            out[:, n] = np.maximum.reduce([swing - j.swing, j.twist[0] - twist, twist - j.twist[1]])
        elif j.kind != "free" and j.nv:
            x = q[:, j.q]
            out[:, n] = np.maximum(model.lower[j.v] - x, x - model.upper[j.v]).max(axis=1)
    return np.maximum(out, 0.0)


def rotation_vectors(R: np.ndarray) -> np.ndarray:
    """Rotation vectors [rad] of matrices (…, 3, 3) that turn by less than half a turn."""
    w = 0.5 * np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    s = np.linalg.norm(w, axis=-1, keepdims=True)
    c = 0.5 * (np.trace(R, axis1=-2, axis2=-1)[..., None] - 1.0)
    return w * np.where(s > 1e-9, np.arctan2(s, c) / np.maximum(s, 1e-9), 1.0)


def sole_errors(h: Humanoid, q: np.ndarray, position: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """(n, 12): for both soles, plan minus place [m] and the rotation vector to the plan [rad], world axes."""
    k, parts = kinematics(h.model, q), []
    for f in h.feet:
        p, R = k.pose(f.frame)
        parts += [position[:, f.side] - p, rotation_vectors(rotation[:, f.side] @ np.swapaxes(R, -1, -2))]
    return np.concatenate(parts, axis=1)


def walking_poses(
    h: Humanoid,
    start: np.ndarray,
    given: np.ndarray,
    position: np.ndarray,
    rotation: np.ndarray,
    com: np.ndarray,
    *,
    tolerance: float = 1e-8,
    iterations: int = 60,
) -> Poses:
    """q (n, nq) from the start (n, nq). given (n, nq): plan of the base's rotation, of the legs' posture, and of all other joints, which `start` must have too;
    position (n, 2, 3), rotation (n, 2, 3, 3) of the soles; com (n, 3)."""
    m, q = h.model, start.copy()
    chosen, weights = leg_dofs(h), posture_weights(h)
    open_ = np.arange(len(q))  # samples that are not done
    for _ in range(iterations):
        x = q[open_]
        e = np.concatenate(
            [sole_errors(h, x, position[open_], rotation[open_]), com[open_] - centroidal(m, x).com], axis=1
        )
        J = np.concatenate(
            [*(frame_jacobian(m, x, f.frame) for f in h.feet), momentum_matrix(m, x)[:, :3] / m.mass], axis=1
        )[:, :, chosen]
        g, H = near_ranges(h, x)
        away = weights * difference(m, given[open_], x)
        away[:, :3] = 0.0
        g, H = (g + away)[:, chosen], (H + weights)[:, chosen]
        JH = J / H[:, None, :]
        K = JH @ np.swapaxes(J, 1, 2)
        K += DAMP * np.trace(K, axis1=1, axis2=2)[:, None, None] * np.eye(K.shape[1])
        y = np.linalg.solve(K, (e + np.einsum("nij,nj->ni", JH, g))[:, :, None])[:, :, 0]
        step = np.einsum("nij,ni->nj", JH, y) - g / H
        size = np.abs(step).max(axis=1)
        full = np.zeros((len(x), m.nv))
        full[:, chosen] = step * np.minimum(1.0, BIG_STEP / np.maximum(size, 1e-12))[:, None]
        q[open_] = integrate(m, x, full)
        open_ = open_[size > tolerance]
        if not len(open_):
            break
    e = sole_errors(h, q, position, rotation)
    left = np.linalg.norm(e.reshape(-1, 2, 6), axis=2)
    return Poses(q, left, np.linalg.norm(com - centroidal(m, q).com, axis=1), beyond_ranges(m, q))
