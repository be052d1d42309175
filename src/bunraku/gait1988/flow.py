"""The `exact` walk as a flow: smooth leg angles and an accurate integrator for the equations of `rigid_model`.

Legs: the curve whose acceleration is GAIT's table, linear between the time steps (`smooth.smooth_curve`): cubic on
each interval, angle, velocity and acceleration continuous, each the derivative of the other; a pattern that rests
stays exactly at rest.

Time: every interval between time steps, cut where the ZMP jumps, is crossed by one extrapolation step (Gragg,
Bulirsch, Stoer: modified midpoint rule with 2, 4, 6, 8 substeps, order 8; Hairer, Norsett, Wanner, Solving ODEs I,
II.9). The right-hand side is analytic inside an interval, so the order is reached; tests/gait1988/test_flow.py compares
with scipy's DOP853.

State: (unknown angles, their rates), 4 numbers with arms fixed, 12 with arms free. SI units.
"""

from __future__ import annotations

import numpy as np

from bunraku.errors import InputError
from bunraku.gait1988.pattern import LAST, Gait
from bunraku.gait1988.rigid_model import FIXED_UNKNOWNS, FREE_UNKNOWNS, ArmSprings, accelerations, chain, motion
from bunraku.gait1988.smooth import ROWS, smooth_curve
from bunraku.kernel.compile import kernel

SUBSTEPS = np.array([2, 4, 6, 8])
LEVELS = len(SUBSTEPS)
"""Levels of extrapolation; the order of the method is twice their number."""


@kernel
def legs(poly, k, s, h, c):
    """Set the six leg coordinates c[2:8] (angle, rate, acceleration) at fraction s of interval k of the step."""
    for leg in range(2):
        for b in range(3):
            p = poly[leg, k, b]
            c[2 + 3 * leg + b, 0] = p[0] + s * (p[1] + s * (p[2] + s * p[3]))
            c[2 + 3 * leg + b, 1] = (p[1] + s * (2.0 * p[2] + s * 3.0 * p[3])) / h
            c[2 + 3 * leg + b, 2] = (2.0 * p[2] + s * 6.0 * p[3]) / (h * h)


@kernel
def rate(figure, poly, unknowns, k, s, h, zmp, x, dx, c, out, wrench, q, matrix):
    """dx = d(state)/dt at fraction s of interval k. Returns 0, or 1 if the equations are singular."""
    n = unknowns.shape[0]
    legs(poly, k, s, h, c)
    for j in range(n):
        c[unknowns[j], 0] = x[j]
        c[unknowns[j], 1] = x[n + j]
    status = accelerations(figure, c, zmp, unknowns, out, wrench, q, matrix)
    for j in range(n):
        dx[j] = x[n + j]
        dx[n + j] = c[unknowns[j], 2]
    return status


@kernel
def cross_interval(figure, poly, unknowns, k, s0, s1, h, zmp, levels, x, c, out, wrench, q, matrix, work):
    """Advance x in place from fraction s0 to s1 of interval k. work[8, n]. Returns 0, or 1 when it fails."""
    n = x.shape[0]
    f0, a, b, d = work[4], work[5], work[6], work[7]
    if rate(figure, poly, unknowns, k, s0, h, zmp, x, f0, c, out, wrench, q, matrix) != 0:
        return 1
    for level in range(levels):
        m = SUBSTEPS[level]
        ds = (s1 - s0) / m
        dt = ds * h
        for i in range(n):
            a[i] = x[i]
            b[i] = x[i] + dt * f0[i]
        for j in range(1, m):
            if rate(figure, poly, unknowns, k, s0 + j * ds, h, zmp, b, d, c, out, wrench, q, matrix) != 0:
                return 1
            for i in range(n):
                nxt = a[i] + 2.0 * dt * d[i]
                a[i] = b[i]
                b[i] = nxt
        if rate(figure, poly, unknowns, k, s1, h, zmp, b, d, c, out, wrench, q, matrix) != 0:
            return 1
        for i in range(n):
            work[level, i] = 0.5 * (a[i] + b[i] + dt * d[i])
        for back in range(level - 1, -1, -1):  # Aitken-Neville in the squared step
            factor = (m / SUBSTEPS[back]) ** 2 - 1.0
            for i in range(n):
                work[back, i] = work[back + 1, i] + (work[back + 1, i] - work[back, i]) / factor
    for i in range(n):
        x[i] = work[0, i]
        if not abs(x[i]) < 1e6:
            return 1
    return 0


@kernel
def advance(
    figure, poly, unknowns, interval, frac0, frac1, zmp, h, first, last, levels, x, c, out, wrench, q, matrix, work
):
    """Advance x in place over the pieces first … last-1. Returns 0, or 1 when it fails."""
    for p in range(first, last):
        status = cross_interval(
            figure,
            poly,
            unknowns,
            interval[p],
            frac0[p],
            frac1[p],
            h,
            zmp[p],
            levels,
            x,
            c,
            out,
            wrench,
            q,
            matrix,
            work,
        )
        if status != 0:
            return status
    return 0


def leg_polynomials(gait: Gait) -> np.ndarray:
    """(2, 40, 3, 4): left and right leg, interval of the step, beta1-3, coefficients in the fraction of the
    interval."""
    h = gait.cycle / (LAST - 1)
    poly = np.zeros((2, ROWS - 1, 3, 4))
    rows = np.arange(ROWS - 1)
    for b, pattern in enumerate(gait.patterns):
        angle, velocity, acceleration = smooth_curve(pattern, h)
        jump = np.roll(acceleration, -1) - acceleration
        whole = gait.angle_factor * np.stack(
            [angle, h * velocity, h * h * acceleration / 2.0, h * h * jump / 6.0], axis=1
        )
        poly[0, :, b] = whole[(gait.support_start - 1 + rows) % (LAST - 1)]
        poly[1, :, b] = -whole[gait.swing_start - 1 + rows]
    return poly


class Flow:
    """One gait in `exact` mode: integrates the state between the pieces of the step."""

    def __init__(self, gait: Gait, *, arms_free: bool = False, springs: ArmSprings | None = None) -> None:
        self.gait = gait
        self.arms_free = arms_free
        self.springs = springs or ArmSprings()
        self.figure = chain(arms_free, self.springs)
        self.unknowns = FREE_UNKNOWNS if arms_free else FIXED_UNKNOWNS
        self.n = 2 * len(self.unknowns)
        self.poly = leg_polynomials(gait)
        self.h = gait.step_time / (ROWS - 1)
        cuts = sorted({*range(ROWS), *(t / self.h for t in gait.zmp.until if t < gait.step_time - 1e-9)})
        nodes = [cuts[0]]
        for cut in cuts[1:]:
            if cut - nodes[-1] > 1e-7:
                nodes.append(cut)
        start, end = np.array(nodes[:-1], dtype=float), np.array(nodes[1:], dtype=float)
        self.interval = np.floor(start + 1e-7).astype(np.int64)
        self.frac0, self.frac1 = start - self.interval, end - self.interval
        self.time = np.array(nodes, dtype=float) * self.h
        self.zmp = np.array([gait.zmp.at(t) for t in 0.5 * (self.time[1:] + self.time[:-1])])
        unknown = len(self.unknowns)
        self._work = (
            np.zeros((12, 3)),
            np.zeros((12, 11, 3)),
            np.zeros((12, 2, 3)),
            np.zeros(unknown),
            np.zeros((unknown, unknown + 1)),
            np.zeros((8, self.n)),
        )

    @property
    def pieces(self) -> int:
        """Number of pieces of the step (intervals, cut where the ZMP jumps)."""
        return len(self.interval)

    def advance(self, x: np.ndarray, first: int, last: int, levels: int = LEVELS) -> np.ndarray | None:
        """State after the pieces first … last-1, or None where it cannot be continued."""
        x = np.array(x, dtype=float)
        if x.shape != (self.n,):
            raise InputError(f"exact walk: a state has {self.n} numbers, got an array of shape {x.shape}.")
        status = advance(
            self.figure,
            self.poly,
            self.unknowns,
            self.interval,
            self.frac0,
            self.frac1,
            self.zmp,
            self.h,
            first,
            last,
            levels,
            x,
            *self._work,
        )
        return x if status == 0 else None

    def partway(self, x: np.ndarray, piece: int, part: float) -> np.ndarray:
        """State after the fraction `part` (0 … 1) of one piece, from the state x at its beginning."""
        x = np.array(x, dtype=float)
        end = self.frac0[piece] + part * (self.frac1[piece] - self.frac0[piece])
        cross_interval(
            self.figure,
            self.poly,
            self.unknowns,
            self.interval[piece],
            self.frac0[piece],
            end,
            self.h,
            self.zmp[piece],
            LEVELS,
            x,
            *self._work,
        )
        return x

    def mirror(self, x: np.ndarray) -> np.ndarray:
        """The state at the end of a step as seen from the other foot: theta changes sign, the arms change sides."""
        half = np.reshape(x, (2, -1)).copy()
        half[:, 0] *= -1.0
        if self.arms_free:
            half[:, 2:] = half[:, [4, 5, 2, 3]]
        return half.ravel()

    def coordinates(self, piece: int, frac: float, x: np.ndarray) -> np.ndarray:
        """All 12 coordinates with rates and accelerations (12, 3) at a fraction of interval `interval[piece]`."""
        c, out, wrench, q, matrix, _ = self._work
        dx = np.zeros(self.n)
        rate(
            self.figure,
            self.poly,
            self.unknowns,
            self.interval[piece],
            frac,
            self.h,
            self.zmp[piece],
            np.asarray(x, dtype=float),
            dx,
            c,
            out,
            wrench,
            q,
            matrix,
        )
        full = c.copy()
        if not self.arms_free:
            full[8:] = full[1]
        return full

    def bodies(self, piece: int, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(out[12, 11, 3], wrench[12, 2, 3]) of `rigid_model.motion` for coordinates c."""
        out, wrench = np.zeros((12, 11, 3)), np.zeros((12, 2, 3))
        motion(self.figure, np.ascontiguousarray(c), self.zmp[piece], out, wrench)
        return out, wrench
