"""Poses of a whole walk at once: soles and centre of mass exactly where they are planned, the trunk upright, all joints
in their ranges.

For every sample, over the base and the legs (all other joints are given):
    min  1/2 |base turned against its plan|^2 + POSTURE/2 |leg - its stance|^2 + barriers at the ends of ranges
    with  soles = their plan (12 rows),  centre of mass = its plan (3 rows).
Newton steps on the rows with the Hessian H of the rest, a block a joint (the gradient is exact, so the end is the
minimum):
    (J H^-1 J^T) y = e + J H^-1 g,   step = H^-1 (J^T y - g) .
All samples are stacked, so that a step is a few calls of batched kernels: 4000 poses take about 0.1 s a step. Each
sample's pose depends on its own plan only, not on the one before, so smooth plans give smooth joints. Checked in
tests/humanoid/test_walking_ik.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.dynamics.functions import centroidal, frame_jacobian, kinematics, momentum_matrix
from bunraku.humanoid.parts import Humanoid
from bunraku.model.configuration import difference, integrate
from bunraku.model.limits import swing_twist, swing_twist_rates
from bunraku.model.model import Model
from bunraku.model.rotations import rotation_vector

POSTURE, LIMIT = 1e-3, 3.0
ANKLE_TWIST = 30.0  # a ball at the ankle leaves turning to the hip: so much heavier is its twist
ZONE = 0.05  # rad: how far inside a range its barrier begins
BIG_STEP = 0.3  # rad or m
DAMP = 1e-14  # of the trace: keeps a straight leg from dividing by zero


@dataclass(frozen=True, eq=False)
class Poses:
    """q (n, nq), and what is left of the errors: soles [m, rad times 1 m] (n, 2), centre of mass [m] (n), beyond a
    range [rad] (n, joints)."""

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


def barrier(excess: np.ndarray, zone: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """(slope, curvature) of  LIMIT zone^2 / 4 (excess / zone)^4 : so smooth that a walk along it has no jerk in its
    joints."""
    x = excess / zone
    return LIMIT * zone * x**3, 3.0 * LIMIT * x**2


def near_ranges(h: Humanoid, q: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, list]:
    """Gradient (n, nv) of the barriers that keep the legs inside their ranges, which begin ZONE inside; diagonal (n,
    nv) of their Hessian and the weights (nv); and for balls at a barrier [(samples, where in v, inverse of its block
    (k, 3, 3)), …]."""
    model = h.model
    g, H = np.zeros((len(q), model.nv)), np.tile(weights, (len(q), 1))
    blocks = []
    for j in (h.model.joint(n) for f in h.feet for n in f.joints):
        if j.kind == "ball":
            swing, twist = swing_twist(q[:, j.q])
            zone = min(ZONE, 0.1 * (j.twist[1] - j.twist[0]))
            over = np.maximum(swing - (j.swing - ZONE), 0.0)
            turn = np.maximum(twist - (j.twist[1] - zone), 0.0) + np.minimum(twist - (j.twist[0] + zone), 0.0)
            rows = np.flatnonzero((over != 0.0) | (turn != 0.0))
            if len(rows):
                swing_row, twist_row = np.moveaxis(swing_twist_rates(q[rows, j.q])[1], 1, 0)
                (gs, hs), (gt, ht) = barrier(over[rows], ZONE), barrier(turn[rows], zone)
                g[rows, j.v] = gs[:, None] * swing_row + gt[:, None] * twist_row
                block = hs[:, None, None] * swing_row[:, :, None] * swing_row[:, None, :]
                block += ht[:, None, None] * twist_row[:, :, None] * twist_row[:, None, :] + np.diag(weights[j.v])
                blocks.append((rows, j.v, np.linalg.inv(block)))
        else:
            low, high = model.lower[j.v], model.upper[j.v]
            zone = np.minimum(ZONE, 0.1 * (high - low))
            x = q[:, j.q]
            slope, bend = barrier(np.maximum(x - (high - zone), 0.0) + np.minimum(x - (low + zone), 0.0), zone)
            g[:, j.v], H[:, j.v] = slope, H[:, j.v] + bend
    return g, H, blocks


def over_hessian(J: np.ndarray, H: np.ndarray, blocks: list, chosen: np.ndarray) -> np.ndarray:
    """J H^-1, with J (n, rows, chosen), the diagonal H (n, nv) and the blocks of some samples."""
    out = J / H[:, None, chosen]
    for rows, v, inverse in blocks:
        at = int(np.flatnonzero(chosen == v.start)[0])
        out[rows, :, at : at + 3] = J[rows, :, at : at + 3] @ inverse
    return out


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


def sole_errors(h: Humanoid, q: np.ndarray, position: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """(n, 12): for both soles, plan minus place [m] and the rotation vector to the plan [rad], world axes."""
    k, parts = kinematics(h.model, q), []
    for f in h.feet:
        p, R = k.pose(f.frame)
        parts += [position[:, f.side] - p, rotation_vector(rotation[:, f.side] @ np.swapaxes(R, -1, -2))]
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
    """q (n, nq) from the start (n, nq). given (n, nq): plan of the base's rotation, of the legs' posture, and of all
    other joints, which `start` must have too; position (n, 2, 3), rotation (n, 2, 3, 3) of the soles; com (n, 3)."""
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
        g, H, blocks = near_ranges(h, x, weights)
        away = weights * difference(m, given[open_], x)
        away[:, :3] = 0.0
        g = (g + away)[:, chosen]
        JH = over_hessian(J, H, blocks, chosen)
        K = JH @ np.swapaxes(J, 1, 2)
        K += DAMP * np.trace(K, axis1=1, axis2=2)[:, None, None] * np.eye(K.shape[1])
        y = np.linalg.solve(K, e[:, :, None] + JH @ g[:, :, None])
        step = (np.swapaxes(JH, 1, 2) @ y)[:, :, 0] - over_hessian(g[:, None, :], H, blocks, chosen)[:, 0]
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
