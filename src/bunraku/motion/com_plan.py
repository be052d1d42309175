"""A path of the centre of mass that the ground can carry: the nearest one to a recorded path whose zero-moment point
stays in the soles.

With forces f = m (c'' + g) at the zero-moment point p on the floor and the rate of angular momentum L' about c:
    px = cx - (z m cx'' + Ly') / fz ,   py = cy - (z m cy'' - Lx') / fz ,   fz = m (cz'' + g)       (Vukobratovic's zero-moment point)
Height first (then fz and z are known and p is linear in the rest), then x, y, A = int (L - L_rec) dt and, where asked,
shifts s_i of the stances together, cubic B-splines with a knot every FINE frames: minimise
    sum |c - c_rec|^2 + w |c'' - c''_rec|^2 + (|A|^2 / LEAN^2 + |A'|^2 + w' |A''|^2) / SPIN^2 + STAY sum_i frames_i |s_i|^2
    with  load_low W <= fz <= load_high W,  p in the support polygon less `margin`,  |m cx''|, |m cy''| <= grip fz,  in the air  c'' = -g,  L' = 0,
and Lz last, |Lz'| <= grip fz r, r the distance of the corners from their middle: none on one point, none in the air.
Every edge of a support polygon moves with the stances of its ends. A runner's feet end farther ahead than the figure's:
stances that move by centimetres keep its speed, which fixed ones would brake. Inequalities may give way
(bunraku.motion.interior_point): always solvable, violated by millimetres where they must. A over the figure's moment of
inertia is how far it leans from the recorded attitude: what is borrowed from angular momentum is given back. The whole
motion is seen at once, so the path prepares for each step before it comes (what preview control does with a window),
and for each flight: it leaves the floor with the speed that brings it to the next stance. Checked in
tests/motion/test_com_plan.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.interpolate import BSpline
from scipy.sparse import block_diag, csr_matrix, diags, hstack, vstack
from scipy.sparse.linalg import spsolve
from scipy.spatial import ConvexHull, QhullError

from bunraku.motion.interior_point import giving_way
from bunraku.motion.lowpass import lowpass

FINE = (1.3, 1.2)  # frames from knot to knot, without and with flights: forces begin and end with contacts
THIN = 0.005  # m: half the width of an edge or a point that carries
CALM = (1.5, 3.0)  # Hz: along and across, upwards
CALM_SPIN = 10.0  # Hz: of angular momentum, whose rate swinging legs change fast
NEAR_RATE = 3e-4  # weight of accelerations [(m/s^2)^2] against places [m^2]
# N s: an angular momentum that counts as a metre; weight of its rate [(N m)^2] against it
SPIN, SPIN_RATE = 400.0, 0.05
PULL, SOON = 0.05, 0.3  # m: what an acceleration of 1 m/s^2, a velocity of 1 m/s counts as
LEAN = 0.2  # s: how long an angular momentum may differ before the lean that follows counts as much
TORSION = 1.5  # of grip: what a sole that turns may use of its friction, against one that is pushed
STAY = 1.0  # weight of the place of a stance [m^2] against that of the centre of mass
# how hard a limit pulls that cannot be kept: as a frame so many metres off; where a path begins, and free fall
FIRM, HELD = 1e3, 1e4


@dataclass(frozen=True, eq=False)
class ComPlan:
    """c(t), the recorded L(t) and A(t) as splines; zmp (n, 2) and load (n) = fz / W at the frames; `outside` [m]: the
    most the ZMP leaves the polygons less margin; shifts (stances, 2) [m]: how far stances moved."""

    spline: BSpline
    turning: BSpline
    leaning: BSpline
    times: np.ndarray
    zmp: np.ndarray
    load: np.ndarray
    outside: float
    shifts: np.ndarray

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(c, c', c'') at a time."""
        t = float(np.clip(t, self.times[0], self.times[-1]))
        return self.spline(t), self.spline(t, 1), self.spline(t, 2)

    def spin(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """(L, L') at a time [kg m^2/s, N m]."""
        t = float(np.clip(t, self.times[0], self.times[-1]))
        return self.turning(t) + self.leaning(t, 1), self.turning(t, 1) + self.leaning(t, 2)


def polygon_ends(points: np.ndarray, margin: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(normals (k, 2), limits (k,)) of the convex hull of points from above, moved in by margin, at most to where the
    middle is; and (k, points): how much each edge moves with every point."""
    points, of = np.unique(np.round(points[:, :2], 9), axis=0, return_index=True)
    middle, count = points.mean(axis=0), int(of.max()) + 1
    try:
        hull = ConvexHull(points)
        normals, limits = hull.equations[:, :2], -hull.equations[:, 2]
        ends = hull.simplices
    except (QhullError, ValueError):  # a line or a point
        spread = points - middle
        along = np.linalg.svd(spread, full_matrices=True)[2]
        half = np.maximum(np.abs(spread @ along.T).max(axis=0), THIN)
        normals, limits = np.vstack([along, -along]), np.concatenate([along @ middle + half, -along @ middle + half])
        ends = np.tile(np.arange(len(points)), (len(normals), 1))
    share = np.zeros((len(normals), count))
    for k, e in enumerate(ends):
        share[k, of[e]] = 1.0 / len(e)
    room = limits - normals @ middle
    return normals, limits - np.minimum(margin, 0.9 * room), share


def basis(times: np.ndarray, knot: float) -> tuple[np.ndarray, list[Any]]:
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


@dataclass(frozen=True, eq=False)
class Course:
    """What is known of n frames: times; com, acc (n, 3): the recorded path and its calmed accelerations; momentum (n,
    3), calmed; supports: corners (m, 3) that touch; stances: the number of the stance of each, -1 where it must stay;
    highest (n) [m]; of the figure: mass, gravity; load: least and largest, of the weight; margin [m]; grip: of the
    load, along and across."""

    times: np.ndarray
    com: np.ndarray
    acc: np.ndarray
    momentum: np.ndarray
    supports: Sequence[np.ndarray]
    stances: Sequence[np.ndarray]
    highest: np.ndarray
    mass: float
    gravity: float
    load: tuple[float, float]
    margin: float
    grip: float

    def part(self, first: int, end: int) -> Course:
        """Frames first … end - 1."""
        rows = slice(first, end)
        return replace(
            self, times=self.times[rows], com=self.com[rows], acc=self.acc[rows], momentum=self.momentum[rows],
            supports=self.supports[rows], stances=self.stances[rows], highest=self.highest[rows],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Begin:
    """Where a path begins: centre of mass [m], its velocity [m/s], angular momentum [kg m^2/s]."""

    com: np.ndarray
    rate: np.ndarray
    momentum: np.ndarray


def course_of(
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
    stances: Sequence[np.ndarray] | None = None,
    grip: float = 0.5,
) -> Course:
    """What `planned` needs. com (n, 3) recorded; momentum (n, 3) L [kg m^2/s] about it; supports: corners (m, 3) that
    touch in every frame, none in the air; highest (n): heights [m] that the legs reach; stances: the number of the
    stance of every corner, where stances may move."""
    path = np.column_stack([calm(times, com[:, :2], CALM[0]), calm(times, com[:, 2], CALM[1])])
    acc = np.gradient(np.gradient(path, times, axis=0), times, axis=0)
    top = np.full(len(times), np.inf) if highest is None else highest
    stay = stances if stances is not None else [np.full(len(s), -1) for s in supports]
    return Course(
        times, com, acc, calm(times, momentum, CALM_SPIN), supports, stay, top, mass, gravity, load, margin, grip
    )


def planned(c: Course, begin: Begin | None = None) -> ComPlan:
    """The path of a course, see the module text, from where it begins, if that is given."""
    air = np.array([len(s) == 0 for s in c.supports])
    step = float(c.times[-1] - c.times[0]) / (len(c.times) - 1)
    knots, (B, B1, B2) = basis(c.times, FINE[int(air.any())] * step)
    size, weight = int(B.shape[1]), c.mass * c.gravity
    P = (B.T @ B + NEAR_RATE * (B2.T @ B2)).tocsr() + 1e-9 * csr_matrix(np.eye(size))
    # height: load between its limits on the ground, free fall in the air
    low, high = (np.where(air, -c.gravity, (x - 1) * c.gravity) for x in c.load)
    falls = np.where(air, HELD, FIRM)
    parts, limits, most = [PULL * B2, -PULL * B2, B], [PULL * high, -PULL * low, c.highest], [falls, falls, FIRM]
    if begin is not None:
        first = vstack([B[0], SOON * B1[0]])
        now = np.array([begin.com[2], SOON * begin.rate[2]])
        parts, limits, most = [*parts, first, -first], [*limits, now, -now], [*most, HELD, HELD]
    wanted = np.clip(c.acc[:, 2], low, high)
    x = giving_way(
        P, B.T @ c.com[:, 2] + NEAR_RATE * (B2.T @ wanted), vstack(parts).tocsr(), *stacked(limits, most), start(B, c.com[:, 2])
    )  # fmt: skip
    z, fz = B @ x, np.where(air, 0.0, c.mass * (np.clip(B2 @ x, low, high) + c.gravity))
    known = np.column_stack([start(B, x) for x in c.momentum.T])  # of L_rec
    rate = B1 @ known
    # along and across: unknowns (cx, cy, Ax, Ay, shifts)
    zmp, parts, limits, frames = zmp_rows(c, air, (B, B2), z, fz, rate)
    spins = begin.momentum - (B[0] @ known)[0] if begin is not None else np.zeros(3)

    def rows(part: Any, column: int) -> Any:
        """Rows of one of the four."""
        out: list[Any] = [csr_matrix(part.shape)] * 4
        out[column] = part
        return hstack([*out, csr_matrix((part.shape[0], 2 * len(frames)))]).tocsr()

    rub, most = PULL * c.grip * fz / c.mass, [FIRM] * len(parts)
    free = np.flatnonzero(air)
    for a in (0, 1):
        for sign in (1.0, -1.0):
            parts += [sign * rows(PULL * B2, a), sign * rows(B2[free] / weight, 2 + a)]
            limits += [rub, -sign * rate[free, a] / weight]
            most += [FIRM, HELD]
            if begin is not None:
                parts += [sign * rows(x, a) for x in (B[0], SOON * B1[0])] + [
                    sign * rows(x / SPIN, 2 + a) for x in (B1[0], B[0])
                ]
                limits += [sign * np.array([x[a]]) for x in (begin.com, SOON * begin.rate, spins / SPIN, np.zeros(3))]
                most += [HELD] * 4
    A, (u, most) = vstack(parts).tocsr(), stacked(limits, most)
    spin = (B.T @ B / LEAN**2 + B1.T @ B1 + SPIN_RATE * (B2.T @ B2)).tocsr() * (1.0 / SPIN**2)
    spin = spin + 1e-12 * csr_matrix(np.eye(size))
    P2 = block_diag([P, P, spin, spin, diags(STAY * np.repeat(frames, 2) + 1e-9)]).tocsr()
    held = np.where(air[:, None], 0.0, c.acc[:, :2])
    rest = np.zeros(2 * size + 2 * len(frames))
    g = [B.T @ c.com[:, a] + NEAR_RATE * (B2.T @ held[:, a]) for a in (0, 1)]
    y = giving_way(
        P2, np.concatenate([*g, rest]), A, u, most, np.concatenate([start(B, c.com[:, 0]), start(B, c.com[:, 1]), rest])
    )
    beyond = float(np.maximum(A @ y - u, 0.0).max(initial=0.0))
    # about the vertical: as friction allows
    turn, by = TORSION * c.grip * fz * np.array([spread(s) for s in c.supports]) / weight, rate[:, 2] / weight
    parts, limits, most = [B2 / weight, -B2 / weight], [turn - by, turn + by], [falls, falls]
    if begin is not None:
        first, now = vstack([B1[0], B[0]]) / SPIN, np.array([spins[2], 0.0]) / SPIN
        parts, limits, most = [*parts, first, -first], [*limits, now, -now], [*most, HELD, HELD]
    upright = giving_way(spin, np.zeros(size), vstack(parts).tocsr(), *stacked(limits, most), np.zeros(size))
    spline = BSpline(knots, np.column_stack([y[:size], y[size : 2 * size], x]), 3, extrapolate=True)
    lean = np.column_stack([y[2 * size : 3 * size], y[3 * size : 4 * size], upright])
    leaning = BSpline(knots, lean, 3, extrapolate=True)
    place = np.column_stack([zmp[0][0] @ y, zmp[1][0] @ y]) + np.column_stack([zmp[0][1], zmp[1][1]])
    place[air] = np.nan
    turning = BSpline(knots, known, 3, extrapolate=True)
    return ComPlan(spline, turning, leaning, c.times, place, fz / weight, beyond, y[4 * size :].reshape(-1, 2))


def zmp_rows(
    c: Course, air: np.ndarray, bases: tuple[Any, Any], z: np.ndarray, fz: np.ndarray, rate: np.ndarray
) -> tuple[list[tuple[Any, np.ndarray]], list[Any], list[np.ndarray], np.ndarray]:
    """([(rows, constants) of px, py], rows and limits of p in its polygons, frames of each stance); z, fz, rate (n, …):
    of height, load and L_rec'. In the rows p counts as a moment, of the weight: where little is carried, little
    matters."""
    (B, B2), n, size = bases, len(air), int(bases[0].shape[1])
    numbers = np.concatenate([np.unique(s) for s in c.stances])
    frames = np.bincount(numbers[numbers >= 0])
    one = 1.0 / np.where(air, np.inf, np.maximum(fz, 1e-9))
    zero, moves = csr_matrix((n, size)), csr_matrix((n, 2 * len(frames)))
    Z, D = (B - diags(z * c.mass * one) @ B2).tocsr(), (diags(one) @ B2).tocsr()
    px = hstack([Z, zero, zero, -D, moves]).tocsr(), -one * rate[:, 1]
    py = hstack([zero, Z, D, zero, moves]).tocsr(), one * rate[:, 0]
    at, normals, limits, feet = [], [], [], []
    for k in np.flatnonzero(~air).tolist():
        normal, most, share = polygon_ends(c.supports[k], c.margin)
        with_feet = np.zeros((len(normal), 2 * len(frames)))
        for p, stance in enumerate(c.stances[k][: share.shape[1]]):
            if stance >= 0:
                with_feet[:, 2 * stance : 2 * stance + 2] += share[:, p, None] * normal
        at.append(np.full(len(normal), k))
        normals.append(normal)
        limits.append(most)
        feet.append(with_feet)
    if not at:
        return [px, py], [], [], frames
    k, normal = np.concatenate(at), np.vstack(normals)
    share = fz[k] / (c.mass * c.gravity)
    ahead, left = diags(share * normal[:, 0]), diags(share * normal[:, 1])
    still = csr_matrix((len(k), 4 * size))
    row = ahead @ px[0][k] + left @ py[0][k] - hstack([still, csr_matrix(share[:, None] * np.vstack(feet))])
    most = share * (np.concatenate(limits) - normal[:, 0] * px[1][k] - normal[:, 1] * py[1][k])
    return [px, py], [row.tocsr()], [most], frames


def stacked(limits: Sequence[np.ndarray], most: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Limits of groups of rows one below the other, and how hard each may pull: a number, or one a row, of each group."""
    return np.concatenate(limits), np.concatenate([np.broadcast_to(m, x.shape) for x, m in zip(limits, most)])


def spread(points: np.ndarray) -> float:
    """The mean distance of points from their middle, from above [m]."""
    return float(np.linalg.norm(points[:, :2] - points[:, :2].mean(axis=0), axis=1).mean()) if len(points) else 0.0


def calm(times: np.ndarray, x: np.ndarray, hertz: float) -> np.ndarray:
    """Low-passed, without delay: what is recorded faster of the whole body is mostly noise once it is differentiated."""
    rate = (len(times) - 1) / float(times[-1] - times[0])
    if len(times) < 16 or rate < 4 * hertz:
        return x
    return lowpass(x, rate, hertz)


def start(B: Any, values: np.ndarray) -> np.ndarray:
    """Coefficients of the spline nearest to values."""
    return np.asarray(spsolve((B.T @ B + 1e-9 * csr_matrix(np.eye(B.shape[1]))).tocsc(), B.T @ values))
