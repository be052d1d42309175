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
from bunraku.gait1988.rigid_model import (
    UNKNOWNS,
    ArmSprings,
    BodyMotion,
    Chain,
    Equations,
    accelerations,
    bodies_at,
    chain,
)
from bunraku.gait1988.smooth import ROWS, smooth_curve
from bunraku.kernel.compile import part
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Many, Record, handle, many, matrix, put, real, reals, ref, whole, zeros

SUBSTEPS = np.array([2, 4, 6, 8])
LEVELS = len(SUBSTEPS)
"""Levels of extrapolation; the order of the method is twice their number."""


class Interval(Record):
    """An interval between two time steps."""

    time = real()  # s that it lasts
    cubic = reals(2, 3, 4)  # left and right leg, beta1-3: coefficients in the fraction of the interval


class Piece(Record):
    """A piece of the step: an interval, or what the ZMP's jumps leave of it."""

    interval = whole()
    begin = real()  # fractions of the interval
    end = real()
    zmp = real()  # m ahead of the foot's centre


class FlowArrays(Record):
    """Everything that the kernels take."""

    figure = ref(Chain)
    equations = ref(Equations)
    intervals = many(Interval)
    pieces = many(Piece)
    scratch = matrix()  # (8, n)


@part
def rate(f: FlowArrays, p: Piece, s, x, dx):
    """dx = d(state)/dt at fraction s of the interval of piece p. Returns 0, or 1 if the equations are singular."""
    c, n = f.equations.c, f.equations.unknowns
    poly, h = f.intervals[p.interval].cubic, f.intervals[p.interval].time
    for leg in range(2):
        for b in range(3):
            k = poly[leg, b]
            c[2 + 3 * leg + b, 0] = k[0] + s * (k[1] + s * (k[2] + s * k[3]))
            c[2 + 3 * leg + b, 1] = (k[1] + s * (2.0 * k[2] + s * 3.0 * k[3])) / h
            c[2 + 3 * leg + b, 2] = (2.0 * k[2] + s * 6.0 * k[3]) / (h * h)
    for j in range(n):
        c[UNKNOWNS[j], 0] = x[j]
        c[UNKNOWNS[j], 1] = x[n + j]
    status = accelerations(f.figure, f.equations, p.zmp)
    for j in range(n):
        dx[j] = x[n + j]
        dx[n + j] = c[UNKNOWNS[j], 2]
    return status


@part
def cross(f: FlowArrays, p: Piece, end, levels, x):
    """Advance x in place from the beginning of piece p to fraction `end` of its interval. Returns 0, or 1 when it
    fails."""
    work = f.scratch
    n = x.shape[0]
    f0, a, b, d = work[4], work[5], work[6], work[7]
    if rate(f, p, p.begin, x, f0) != 0:
        return 1
    for level in range(levels):
        m = SUBSTEPS[level]
        ds = (end - p.begin) / m
        dt = ds * f.intervals[p.interval].time
        for i in range(n):
            a[i] = x[i]
            b[i] = x[i] + dt * f0[i]
        for j in range(1, m):
            if rate(f, p, p.begin + j * ds, b, d) != 0:
                return 1
            for i in range(n):
                nxt = a[i] + 2.0 * dt * d[i]
                a[i] = b[i]
                b[i] = nxt
        if rate(f, p, end, b, d) != 0:
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


@entry("h i i i D")
def advance(h, first, last, levels, x):
    """Advance x in place over the pieces first … last-1. Returns 0, or 1 when it fails."""
    f = FlowArrays(h)
    for k in range(first, last):
        if cross(f, f.pieces[k], f.pieces[k].end, levels, x) != 0:
            return 1
    return 0


@entry("h i d D")
def advance_part(h, piece, end, x):
    """Advance x in place from the beginning of a piece to fraction `end` of its interval."""
    f = FlowArrays(h)
    return cross(f, f.pieces[piece], end, LEVELS, x)


@entry("h i d D D")
def state_rate(h, piece, s, x, dx):
    """`rate`, for Python."""
    f = FlowArrays(h)
    return rate(f, f.pieces[piece], s, x, dx)


def leg_polynomials(gait: Gait) -> np.ndarray:
    """(40, 2, 3, 4): interval of the step, left and right leg, beta1-3, coefficients in the fraction of the interval."""
    h = gait.cycle / (LAST - 1)
    poly = np.zeros((ROWS - 1, 2, 3, 4))
    rows = np.arange(ROWS - 1)
    for b, pattern in enumerate(gait.patterns):
        angle, velocity, acceleration = smooth_curve(pattern, h)
        jump = np.roll(acceleration, -1) - acceleration
        whole = gait.angle_factor * np.stack(
            [angle, h * velocity, h * h * acceleration / 2.0, h * h * jump / 6.0], axis=1
        )
        poly[:, 0, b] = whole[(gait.support_start - 1 + rows) % (LAST - 1)]
        poly[:, 1, b] = -whole[gait.swing_start - 1 + rows]
    return poly


class Flow:
    """One gait in `exact` mode: integrates the state between the pieces of the step."""

    def __init__(self, gait: Gait, *, arms_free: bool = False, springs: ArmSprings | None = None) -> None:
        self.gait = gait
        self.arms_free = arms_free
        self.springs = springs or ArmSprings()
        self.figure = chain(arms_free, self.springs)
        self.n = 12 if arms_free else 4
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
        equations = Equations()
        equations.unknowns = self.n // 2
        self._arrays = put(
            FlowArrays(),
            figure=self.figure,
            equations=equations,
            intervals=zeros(Interval, ROWS - 1),
            pieces=zeros(Piece, self.pieces),
            scratch=np.zeros((8, self.n)),
        )
        intervals, pieces = self._arrays.intervals, self._arrays.pieces
        intervals.column("time")[:], intervals.column("cubic")[:] = self.h, leg_polynomials(gait)
        pieces.column("interval")[:], pieces.column("zmp")[:] = self.interval, self.zmp
        pieces.column("begin")[:], pieces.column("end")[:] = self.frac0, self.frac1

    @property
    def pieces(self) -> int:
        """Number of pieces of the step (intervals, cut where the ZMP jumps)."""
        return len(self.interval)

    def advance(self, x: np.ndarray, first: int, last: int, levels: int = LEVELS) -> np.ndarray | None:
        """State after the pieces first … last-1, or None where it cannot be continued."""
        x = np.array(x, dtype=float)
        if x.shape != (self.n,):
            raise InputError(f"exact walk: a state has {self.n} numbers, got an array of shape {x.shape}.")
        status = advance.call(handle(self._arrays), first, last, levels, x)
        return x if status == 0 else None

    def partway(self, x: np.ndarray, piece: int, part: float) -> np.ndarray:
        """State after the fraction `part` (0 … 1) of one piece, from the state x at its beginning."""
        x = np.array(x, dtype=float)
        end = self.frac0[piece] + part * (self.frac1[piece] - self.frac0[piece])
        advance_part.call(handle(self._arrays), piece, end, x)
        return x

    def mirror(self, x: np.ndarray) -> np.ndarray:
        """The state at the end of a step as seen from the other foot: theta changes sign, the arms change sides."""
        half = np.reshape(x, (2, -1)).copy()
        half[:, 0] *= -1.0
        if self.arms_free:
            half[:, 2:] = half[:, [4, 5, 2, 3]]
        return half.ravel()

    def rate(self, piece: int, frac: float, x: np.ndarray) -> np.ndarray:
        """d(state)/dt at a fraction of interval `interval[piece]`."""
        dx = np.zeros(self.n)
        state_rate.call(handle(self._arrays), piece, frac, np.array(x, dtype=float), dx)
        return dx

    def coordinates(self, piece: int, frac: float, x: np.ndarray) -> np.ndarray:
        """All 12 coordinates with rates and accelerations (12, 3) at a fraction of interval `interval[piece]`."""
        self.rate(piece, frac, x)
        full = self._arrays.equations.c.copy()
        if not self.arms_free:
            full[8:] = full[1]
        return full

    def bodies(self, piece: int, c: np.ndarray) -> Many[BodyMotion]:
        """The 12 bodies at coordinates c."""
        return bodies_at(self.figure, c, self.zmp[piece])
