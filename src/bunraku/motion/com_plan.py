"""A path of the centre of mass that the ground can carry: the nearest one to a recorded path whose zero-moment point stays in the soles.

With forces f = m (c'' + g) at the zero-moment point p on the floor and the recorded rate of angular momentum L' about c:
    px = cx - (z m cx'' + Ly') / fz ,   py = cy - (z m cy'' - Lx') / fz ,   fz = m (cz'' + g)       (Vukobratovic; 000, section 1)
Height first (then fz and z are known and p is linear in the rest), then x and y together, each a cubic B-spline with a knot every KNOT s: minimise
    sum w |c - c_rec|^2 + |c'' - c''_rec|^2 / w_a    with   load_low W <= fz <= load_high W, p in the support polygon less `margin`, c'' = -g in the air.
Inequalities enter as quadratic penalties of weight HARD, solved by semi-smooth Newton steps with a line search: always solvable, violated by
fractions of a millimetre. The whole motion is seen at once, so the path prepares for each step before it comes (what preview control does with a
window). Checked in tests/motion/test_com_plan.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline
from scipy.sparse import csr_matrix, vstack
from scipy.sparse.linalg import spsolve
from scipy.spatial import ConvexHull, QhullError

KNOT = 0.04  # s
HARD = 1e6
NEAR_RATE = 3e-4  # weight of accelerations [(m/s^2)^2] against places [m^2]


@dataclass(frozen=True, eq=False)
class ComPlan:
    """c(t) as a spline; zmp (n, 2) and load (n) = fz / W at the frames; `outside` [m]: the most the ZMP leaves the polygons less margin."""

    spline: BSpline
    times: np.ndarray
    zmp: np.ndarray
    load: np.ndarray
    outside: float

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(c, c', c'') at a time."""
        t = float(np.clip(t, self.times[0], self.times[-1]))
        return self.spline(t), self.spline(t, 1), self.spline(t, 2)


def polygon_rows(points: np.ndarray, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """(normals (k, 2), limits (k,)) of the convex hull of points from above, moved in by margin, at most to where the middle is."""
    points = np.unique(np.round(points[:, :2], 9), axis=0)
    middle = points.mean(axis=0)
    try:
        hull = ConvexHull(points)
        normals, limits = hull.equations[:, :2], -hull.equations[:, 2]
    except (QhullError, ValueError):  # a line or a point
        spread = points - middle
        along = np.linalg.svd(spread, full_matrices=True)[2]
        half = np.abs(spread @ along.T).max(axis=0)
        normals, limits = np.vstack([along, -along]), np.concatenate([along @ middle + half, -along @ middle + half])
    room = limits - normals @ middle
    return normals, limits - np.minimum(margin, 0.9 * room)


def basis(times: np.ndarray, knot: float = KNOT) -> tuple[np.ndarray, list[csr_matrix]]:
    """(knots, [B, B', B'']) of a cubic spline, (n, coefficients) each."""
    count = max(1, int(np.ceil((times[-1] - times[0]) / knot)))
    inner = np.linspace(times[0], times[-1], count + 1)
    h = inner[1] - inner[0]
    knots = np.concatenate([inner[0] - h * np.arange(3, 0, -1), inner, inner[-1] + h * np.arange(1, 4)])
    at = np.clip(times, inner[0], inner[-1] - 1e-12)
    n, out = len(knots) - 4, []
    for order in range(3):
        spline = BSpline(knots, np.eye(n), 3).derivative(order) if order else BSpline(knots, np.eye(n), 3)
        out.append(csr_matrix(np.asarray(spline(at))))
    return knots, out


def penalised(P: csr_matrix, g: np.ndarray, A: csr_matrix, upper: np.ndarray, x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """min 1/2 x'Px - g'x + 1/2 sum w max(0, A x - upper)^2 by semi-smooth Newton; each step is one sparse solve."""

    def value(y: np.ndarray) -> float:
        over = np.maximum(A @ y - upper, 0.0)
        return float(0.5 * y @ (P @ y) - g @ y + 0.5 * (weight * over) @ over)

    best = value(x)
    for _ in range(60):
        active = A @ x - upper > 0
        D = A[active]
        H = (P + D.T @ D.multiply(weight[active][:, None])).tocsc()
        step = spsolve(H, g + D.T @ (weight[active] * upper[active])) - x
        size, now = 1.0, value(x + step)
        while now > best and size > 1e-4:
            size *= 0.5
            now = value(x + size * step)
        if now > best:
            break
        x, gain, best = x + size * step, best - now, now
        if gain <= 1e-12 * (1.0 + abs(best)):
            break
    return x


def plan_com(
    times: np.ndarray,
    com: np.ndarray,
    momentum_rate: np.ndarray,
    supports: Sequence[np.ndarray],
    mass: float,
    gravity: float,
    *,
    load: tuple[float, float] = (0.5, 1.6),
    margin: float = 0.015,
    highest: np.ndarray | None = None,
) -> ComPlan:
    """See the module text. com (n, 3) recorded; momentum_rate (n, 3) L' [N m]; supports: corners (m, 3) that touch in every frame, none in the air;
    highest (n): heights [m] that the legs reach."""
    knots, (B, B1, B2) = basis(times)
    n, size = B.shape
    recorded = np.gradient(np.gradient(com, times, axis=0), times, axis=0)
    air = np.array([len(s) == 0 for s in supports])
    P = (B.T @ B + NEAR_RATE * (B2.T @ B2)).tocsr() + 1e-9 * csr_matrix(np.eye(size))
    # height: load between its limits on the ground, free fall in the air
    low, high = np.where(air, -gravity, (load[0] - 1) * gravity), np.where(air, -gravity, (load[1] - 1) * gravity)
    scale = 0.05  # an acceleration of 1 m/s^2 counts as so many metres
    parts, limits = [scale * B2, -scale * B2], [scale * high, -scale * low]
    if highest is not None:
        parts.append(B)
        limits.append(highest)
    A, u = vstack(parts).tocsr(), np.concatenate(limits)
    wanted = np.clip(recorded[:, 2], low, high)
    x = penalised(P, B.T @ com[:, 2] + NEAR_RATE * (B2.T @ wanted), A, u, start(B, com[:, 2]), np.full(len(u), HARD))
    z, fz = B @ x, mass * (np.clip(B2 @ x, low, high) + gravity)
    # along and across: the zero-moment point in the polygon, nothing across in the air
    rows, limits, weights = [], [], []
    cols = np.arange(size)
    ground = np.where(air, 1.0, fz)
    k1 = np.where(air, 0.0, z * mass / ground)
    shift = np.where(air[:, None], 0.0, np.column_stack([-momentum_rate[:, 1], momentum_rate[:, 0]]) / ground[:, None])
    Z = (B - csr_matrix(k1[:, None]).multiply(B2)).tocsr()  # p = Z c + shift, for x and y alike
    Bd, Zd = B2.toarray(), Z.toarray()
    for k, corners in enumerate(supports):
        if air[k]:
            row = scale * Bd[k]
            for axis in (0, 1):
                for sign in (1.0, -1.0):
                    rows.append(np.concatenate([sign * row if axis == 0 else 0 * row, sign * row if axis == 1 else 0 * row]))
                    limits.append(0.0)
            continue
        normals, most = polygon_rows(corners, margin)
        rows += list(np.hstack([normals[:, :1] * Zd[k], normals[:, 1:] * Zd[k]]))
        limits += list(most - normals @ shift[k])
    del cols, weights
    A, u = csr_matrix(np.array(rows)), np.array(limits)
    both = csr_matrix(np.kron(np.eye(2), np.ones((1, 1))))
    from scipy.sparse import kron

    P2 = kron(both, P).tocsr()
    held = np.where(air[:, None], 0.0, recorded[:, :2])
    g = np.concatenate([B.T @ com[:, a] + NEAR_RATE * (B2.T @ held[:, a]) for a in (0, 1)])
    y = penalised(P2, g, A, u, np.concatenate([start(B, com[:, a]) for a in (0, 1)]), np.full(len(u), HARD))
    spline = BSpline(knots, np.column_stack([y[:size], y[size:], x]), 3, extrapolate=True)
    zmp = np.column_stack([Z @ y[:size], Z @ y[size:]]) + shift
    zmp[air] = np.nan
    return ComPlan(spline, times, zmp, np.where(air, 0.0, fz / (mass * gravity)), float(np.maximum(A @ y - u, 0.0).max(initial=0.0)))


def start(B: csr_matrix, values: np.ndarray) -> np.ndarray:
    """Coefficients of the spline nearest to values."""
    return spsolve((B.T @ B + 1e-9 * csr_matrix(np.eye(B.shape[1]))).tocsc(), B.T @ values)
