"""The report's integrator NIODES (section 4.3, Tables 4.1 and 4.2) and what it stores, step by step.

Three Runge-Kutta steps of order 4 start it; their half-step evaluations use the table row n+1. Then, with x' = f,

    p = x + h/24 (55 f0 - 59 f-1 + 37 f-2 - 9 f-3)        Adams-Bashforth predictor, evaluate f(p)
    c = x + h/24 (9 f + 19 f0 - 5 f-1 + f-2)               Adams-Moulton corrector
    x = c - (19/270) (c - p)                               modifier

corrector and modifier twice. The f kept for later steps, and the accelerations, forces and bodies that are printed, are
those of the second evaluation (at the first corrected x), while the printed states are the final ones.
Checked against Figs 6.2(c) and 6.3 in tests/gait1988/test_report.py; one run is timed in `bunraku bench gait`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.gait1988.pattern import Gait
from bunraku.gait1988.report_model import TwelveBodies, derivative
from bunraku.gait1988.smooth import ROWS, leg_table
from bunraku.gait1988.twelve_bodies import MASS, G, Inertias, report_inertias
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Record, handle, inner, real, reals

TOO_BIG = 10.0
"""Norm of the state above which the program gave up with STATE VECTOR NORM IS TOO BIG."""


class Integration(Record):
    """One step of walking: the tables of a gait, and what is stored row by row."""

    h = real()  # s between two rows
    table = reals(ROWS, 6, 3)
    zmp = reals(ROWS)
    state = reals(ROWS, 4)  # final
    seen = reals(ROWS, 4)  # of the second evaluation
    rates = reals(ROWS, 4)
    bodies = reals(ROWS, 12, 3, 3)
    spins = reals(ROWS, 12, 3)
    figure = inner(TwelveBodies)
    tried = reals(7, 4)  # scratch: states and rates on the way


@inline
def keep(rows, n, state):
    """rows[n] = state."""
    for i in range(4):
        rows[n, i] = state[i]


@inline
def keep_bodies(r: Integration, n):
    """Where the bodies are and their moments, in row n."""
    for i in range(12):
        for k in range(3):
            r.spins[n, i, k] = r.figure.spin[i, k]
            for order in range(3):
                r.bodies[n, i, k, order] = r.figure.body[i, k, order]


@entry("h D d")
def integrate(address, start, limit):
    """One step of walking from `start`. Returns 0, or the time index (from 1) at which |state| exceeds limit."""
    r = Integration(address)
    t, table, zmp, h = r.figure, r.table, r.zmp, r.h
    state, seen, rates = r.state, r.seen, r.rates
    p, c, x, f = r.tried[0], r.tried[1], r.tried[2], r.tried[3]
    k2, k3, k4 = r.tried[4], r.tried[5], r.tried[6]
    keep(state, 0, start)
    derivative(t, table[0], zmp[0], state[0], rates[0])
    keep(seen, 0, start)
    keep_bodies(r, 0)
    for n in range(ROWS - 1):
        row, z = table[n + 1], zmp[n + 1]
        if n < 3:
            for i in range(4):
                p[i] = state[n, i] + 0.5 * h * rates[n, i]
            derivative(t, row, z, p, k2)
            for i in range(4):
                p[i] = state[n, i] + 0.5 * h * k2[i]
            derivative(t, row, z, p, k3)
            for i in range(4):
                p[i] = state[n, i] + h * k3[i]
            derivative(t, row, z, p, k4)
            for i in range(4):
                x[i] = state[n, i] + h / 6.0 * (rates[n, i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
            derivative(t, row, z, x, f)
            keep(seen, n + 1, x)
        else:
            for i in range(4):
                p[i] = state[n, i] + h / 24.0 * (
                    55.0 * rates[n, i] - 59.0 * rates[n - 1, i] + 37.0 * rates[n - 2, i] - 9.0 * rates[n - 3, i]
                )
            derivative(t, row, z, p, f)
            for turn in range(2):
                for i in range(4):
                    c[i] = state[n, i] + h / 24.0 * (
                        9.0 * f[i] + 19.0 * rates[n, i] - 5.0 * rates[n - 1, i] + rates[n - 2, i]
                    )
                    x[i] = c[i] - 19.0 / 270.0 * (c[i] - p[i])
                if turn == 0:
                    derivative(t, row, z, x, f)
                    keep(seen, n + 1, x)
        keep(state, n + 1, x)
        keep(rates, n + 1, f)
        keep_bodies(r, n + 1)
        norm = 0.0
        for i in range(4):
            norm += x[i] ** 2
        if not norm <= limit * limit:
            return n + 2
    return 0


@entry("h i D D")
def evaluate(h, row, state, rate):
    """rate = d(state)/dt at one row of the table."""
    r = Integration(h)
    derivative(r.figure, r.table[row], r.zmp[row], state, rate)


@dataclass(frozen=True)
class ReportRun:
    """What one integration leaves: arrays over the 41 rows; `stopped` is 0 or the time index where the norm got too
    big."""

    time: np.ndarray
    state: np.ndarray
    seen: np.ndarray
    rates: np.ndarray
    bodies: np.ndarray
    spins: np.ndarray
    stopped: int


class ReportProgram:
    """The tables of one gait, ready to integrate from any start (mode `historical`)."""

    def __init__(
        self,
        gait: Gait,
        *,
        inertias: Inertias | None = None,
        mass: np.ndarray = MASS,
        table: np.ndarray | None = None,
    ) -> None:
        self.gait = gait
        self.h = gait.step_time / (ROWS - 1)
        self.table = leg_table(gait) if table is None else np.ascontiguousarray(table, dtype=float)
        self.zmp = np.array([gait.zmp.at(n * self.h) for n in range(ROWS)])
        self.mass = np.asarray(mass, dtype=float)
        self.inertias = inertias or report_inertias()
        self._arrays = r = Integration()
        r.h, r.table[:], r.zmp[:] = self.h, self.table, self.zmp
        r.figure.mass[:] = self.mass
        r.figure.jx[:], r.figure.jy[:], r.figure.jz[:] = self.inertias

    def end(self, start: np.ndarray, limit: float = TOO_BIG) -> tuple[np.ndarray, int]:
        """Final state after one step, and the time index where it was given up (0 if not)."""
        stopped = integrate.call(handle(self._arrays), np.array(start, dtype=float), limit)
        return self._arrays.state[-1].copy(), int(stopped)

    def run(self, start: np.ndarray, limit: float = np.inf) -> ReportRun:
        """Integrate one step and keep everything."""
        _, stopped = self.end(start, limit)
        r = self._arrays
        kept = (array.copy() for array in (r.state, r.seen, r.rates, r.bodies, r.spins))
        return ReportRun(np.arange(ROWS) * self.h, *kept, stopped=stopped)

    def forces(self, run: ReportRun) -> np.ndarray:
        """Ground reaction (41, 3) in kp: sum m X'', sum m Y'', sum m (Z'' + g)."""
        force = np.einsum("i,nia->na", self.mass, run.bodies[:, :, :, 2])
        force[:, 2] += G * self.mass.sum()
        return force

    def at(self, row: int, state: np.ndarray) -> ReportRun:
        """Evaluate the equations at one table row and state, as a run of one row."""
        state, rate = np.array(state, dtype=float), np.zeros(4)
        evaluate.call(handle(self._arrays), row, state, rate)
        figure = self._arrays.figure
        rows = (state[None], state[None], rate[None], figure.body[None].copy(), figure.spin[None].copy())
        return ReportRun(np.array([row * self.h]), *rows, stopped=0)
