"""A path of the centre of mass that the ground can carry: the nearest one to a recorded path whose zero-moment point stays in the soles.

With forces f = m (c'' + g) at the zero-moment point p on the floor and the rate of angular momentum L' about c:
    px = cx - (z m cx'' + Ly') / fz ,   py = cy - (z m cy'' - Lx') / fz ,   fz = m (cz'' + g)       (Vukobratovic's zero-moment point)
Height first (then fz and z are known and p is linear in the rest), then x, y and L together, cubic B-splines with a knot every KNOT s: minimise
    sum |c - c_rec|^2 + w |c'' - c''_rec|^2 + (|L - L_rec|^2 + w' |L' - L'_rec|^2) / SPIN^2
    with  load_low W <= fz <= load_high W,  p in the support polygon less `margin`,  and in the air  c'' = -g,  L' = 0.
Inequalities enter as quadratic penalties of weight HARD, solved by semi-smooth Newton steps with a line search: always solvable, violated by
millimetres where they must. The whole motion is seen at once, so the path prepares for each step before it comes (what preview control does with a
window). Checked in tests/motion/test_com_plan.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import BSpline
from scipy.sparse import block_diag, csr_matrix, diags, hstack, vstack
from scipy.sparse.linalg import spsolve
from scipy.spatial import ConvexHull, QhullError

from bunraku.motion.lowpass import lowpass

KNOT = 0.04  # s
CALM = (1.5, 3.0)  # Hz: along and across, upwards
CALM_SPIN = 10.0  # Hz: of angular momentum, whose rate swinging legs change fast
HARD, STAGES = 1e6, 9
NEAR_RATE = 3e-4  # weight of accelerations [(m/s^2)^2] against places [m^2]
SPIN, SPIN_RATE = (
    400.0,
    0.05,
)  # N s: an angular momentum that counts as a metre; weight of its rate [(N m)^2] against it


@dataclass(frozen=True, eq=False)
class ComPlan:
    """c(t) and Lx, Ly (t) as splines; zmp (n, 2) and load (n) = fz / W at the frames; `outside` [m]: the most the ZMP leaves the polygons less
    margin."""

    spline: BSpline
    turning: BSpline
    times: np.ndarray
    zmp: np.ndarray
    load: np.ndarray
    outside: float

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(c, c', c'') at a time."""
        t = float(np.clip(t, self.times[0], self.times[-1]))
        return self.spline(t), self.spline(t, 1), self.spline(t, 2)

    def spin(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """(L, L') about x and y at a time [kg m^2/s, N m]."""
        t = float(np.clip(t, self.times[0], self.times[-1]))
        return self.turning(t), self.turning(t, 1)


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


def basis(times: np.ndarray, knot: float = KNOT) -> tuple[np.ndarray, list[Any]]:
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


def penalised(P: Any, g: np.ndarray, A: Any, upper: np.ndarray, x: np.ndarray) -> np.ndarray:
    """min 1/2 x'Px - g'x + HARD/2 sum max(0, A x - upper)^2 by semi-smooth Newton steps, one sparse solve each; the weight of the penalty grows to
    HARD in stages, each started from the last, which keeps the steps from running back and forth between kinks."""
    for weight in HARD ** np.linspace(0.0, 1.0, STAGES):

        def value(y: np.ndarray, w: float = float(weight)) -> float:
            over = np.maximum(A @ y - upper, 0.0)
            return float(0.5 * y @ (P @ y) - g @ y + 0.5 * w * (over @ over))

        best = value(x)
        for _ in range(40):
            active = A @ x - upper > 0
            D = A[active]
            step = spsolve((P + weight * (D.T @ D)).tocsc(), g + weight * (D.T @ upper[active])) - x
            size, now = 1.0, value(x + step)
            while now > best and size > 1e-3:
                size *= 0.5
                now = value(x + size * step)
            if not now < best:
                break
            x, gain, best = x + size * step, best - now, now
            if gain <= 1e-10 * (1.0 + abs(best)):
                break
    return x


def plan_com(
    times: np.ndarray,
    com: np.ndarray,
    momentum: np.ndarray,
    supports: Sequence[np.ndarray],
    mass: float,
    gravity: float,
    *,
    load: tuple[float, float] = (0.5, 1.6),
    margin: float = 0.015,
    highest: np.ndarray | None = None,
) -> ComPlan:
    """See the module text. com (n, 3) recorded; momentum (n, 3) L [kg m^2/s] about it; supports: corners (m, 3) that touch in every frame, none in
    the air; highest (n): heights [m] that the legs reach."""
    knots, (B, B1, B2) = basis(times)
    n, size = int(B.shape[0]), int(B.shape[1])
    recorded = np.gradient(
        np.gradient(
            np.column_stack([calm(times, com[:, :2], CALM[0]), calm(times, com[:, 2], CALM[1])]), times, axis=0
        ),
        times,
        axis=0,
    )
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
    x = penalised(P, B.T @ com[:, 2] + NEAR_RATE * (B2.T @ wanted), A, u, start(B, com[:, 2]))
    z, fz = B @ x, mass * (np.clip(B2 @ x, low, high) + gravity)
    # along and across: the zero-moment point in the polygon, nothing across in the air; unknowns (cx, cy, Lx, Ly)
    ground = np.where(air, 1.0, fz)
    k1 = np.where(air, 0.0, z * mass / ground)
    zero = csr_matrix((n, size))
    Z, D = (B - diags(k1) @ B2).tocsr(), (diags(np.where(air, 0.0, 1.0 / ground)) @ B1).tocsr()
    px, py = hstack([Z, zero, zero, -D]).tocsr(), hstack([zero, Z, D, zero]).tocsr()
    parts: list[Any] = []
    limits = []
    for k, corners in enumerate(supports):
        if not air[k]:
            normals, most = polygon_rows(corners, margin)
            parts.append(csr_matrix(normals[:, :1]) @ px[k] + csr_matrix(normals[:, 1:]) @ py[k])
            limits.append(most)
    free = np.flatnonzero(air)
    if len(free):
        fall = scale * B2[free]
        turn = B1[free] / (mass * gravity)
        none = csr_matrix(fall.shape)
        for sign in (1.0, -1.0):
            parts += [sign * hstack([fall, none, none, none]), sign * hstack([none, fall, none, none])]
            parts += [sign * hstack([none, none, turn, none]), sign * hstack([none, none, none, turn])]
            limits += [np.zeros(len(free))] * 4
    A, u = vstack(parts).tocsr(), np.concatenate(limits)
    spin = (B.T @ B + SPIN_RATE * (B1.T @ B1)).tocsr() * (1.0 / SPIN**2)
    tiny = 1e-12 * csr_matrix(np.eye(size))
    P2 = block_diag([P, P, spin + tiny, spin + tiny]).tocsr()
    held = np.where(air[:, None], 0.0, recorded[:, :2])
    momentum = calm(times, momentum, CALM_SPIN)
    rate = np.gradient(momentum, times, axis=0)
    g = [B.T @ com[:, a] + NEAR_RATE * (B2.T @ held[:, a]) for a in (0, 1)]
    g += [(B.T @ momentum[:, a] + SPIN_RATE * (B1.T @ rate[:, a])) / SPIN**2 for a in (0, 1)]
    first = np.concatenate([start(B, x) for x in (com[:, 0], com[:, 1], momentum[:, 0], momentum[:, 1])])
    y = penalised(P2, np.concatenate(g), A, u, first)
    spline = BSpline(knots, np.column_stack([y[:size], y[size : 2 * size], x]), 3, extrapolate=True)
    turning = BSpline(knots, np.column_stack([y[2 * size : 3 * size], y[3 * size :]]), 3, extrapolate=True)
    zmp = np.column_stack([px @ y, py @ y])
    zmp[air] = np.nan
    load_now = np.where(air, 0.0, fz / (mass * gravity))
    return ComPlan(spline, turning, times, zmp, load_now, float(np.maximum(A @ y - u, 0.0).max(initial=0.0)))


def calm(times: np.ndarray, x: np.ndarray, hertz: float) -> np.ndarray:
    """Low-passed, without delay: what is recorded faster of the whole body is mostly noise once it is differentiated."""
    rate = (len(times) - 1) / float(times[-1] - times[0])
    if len(times) < 16 or rate < 4 * hertz:
        return x
    return lowpass(x, rate, hertz)


def start(B: Any, values: np.ndarray) -> np.ndarray:
    """Coefficients of the spline nearest to values."""
    return np.asarray(spsolve((B.T @ B + 1e-9 * csr_matrix(np.eye(B.shape[1]))).tocsc(), B.T @ values))
