"""The report's integrator NIODES (section 4.3, Tables 4.1 and 4.2) and what it stores, step by step.

Three Runge-Kutta steps of order 4 start it; their half-step stages use the table row n+1. Then, with x' = f,

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
from bunraku.gait1988.report_model import derivative, workspace
from bunraku.gait1988.smooth import ROWS, leg_table
from bunraku.gait1988.twelve_bodies import MASS, Inertias, report_inertias
from bunraku.kernel.compile import kernel

TOO_BIG = 10.0
"""Norm of the state above which the program gave up with STATE VECTOR NORM IS TOO BIG."""


@kernel
def integrate(
    table, zmp, h, mass, jx, jy, jz, start, limit, state, seen, rates, bodies, spins, body, spin, work, angles
):
    """One step of walking from `start`. Fills state[41, 4] (final), seen[41, 4] (second evaluation), rates[41, 4],
    bodies[41, 12, 3, 3], spins[41, 12, 3]. Returns 0, or the time index (from 1) at which |state| exceeds limit.
    """
    rows = table.shape[0]
    p, c, x, f, k2, k3, k4 = angles[2], angles[3], angles[4], angles[5], angles[6], angles[7], angles[8]
    state[0] = start
    derivative(table[0], zmp[0], mass, jx, jy, jz, state[0], rates[0], body, spin, work, angles)
    seen[0] = start
    bodies[0] = body
    spins[0] = spin
    for n in range(rows - 1):
        row, z = table[n + 1], zmp[n + 1]
        if n < 3:
            for i in range(4):
                p[i] = state[n, i] + 0.5 * h * rates[n, i]
            derivative(row, z, mass, jx, jy, jz, p, k2, body, spin, work, angles)
            for i in range(4):
                p[i] = state[n, i] + 0.5 * h * k2[i]
            derivative(row, z, mass, jx, jy, jz, p, k3, body, spin, work, angles)
            for i in range(4):
                p[i] = state[n, i] + h * k3[i]
            derivative(row, z, mass, jx, jy, jz, p, k4, body, spin, work, angles)
            for i in range(4):
                x[i] = state[n, i] + h / 6.0 * (rates[n, i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
            derivative(row, z, mass, jx, jy, jz, x, f, body, spin, work, angles)
            seen[n + 1] = x[:4]
        else:
            for i in range(4):
                p[i] = state[n, i] + h / 24.0 * (
                    55.0 * rates[n, i] - 59.0 * rates[n - 1, i] + 37.0 * rates[n - 2, i] - 9.0 * rates[n - 3, i]
                )
            derivative(row, z, mass, jx, jy, jz, p, f, body, spin, work, angles)
            for turn in range(2):
                for i in range(4):
                    c[i] = state[n, i] + h / 24.0 * (
                        9.0 * f[i] + 19.0 * rates[n, i] - 5.0 * rates[n - 1, i] + rates[n - 2, i]
                    )
                    x[i] = c[i] - 19.0 / 270.0 * (c[i] - p[i])
                if turn == 0:
                    derivative(row, z, mass, jx, jy, jz, x, f, body, spin, work, angles)
                    seen[n + 1] = x[:4]
        state[n + 1] = x[:4]
        rates[n + 1] = f[:4]
        bodies[n + 1] = body
        spins[n + 1] = spin
        norm = 0.0
        for i in range(4):
            norm += x[i] ** 2
        if not norm <= limit * limit:
            return n + 2
    return 0


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
        self._arrays = (
            np.zeros((ROWS, 4)),
            np.zeros((ROWS, 4)),
            np.zeros((ROWS, 4)),
            np.zeros((ROWS, 12, 3, 3)),
            np.zeros((ROWS, 12, 3)),
        )
        body, spin, work, _ = workspace()
        self._work = (body, spin, work, np.zeros((9, 4)))

    def end(self, start: np.ndarray, limit: float = TOO_BIG) -> tuple[np.ndarray, int]:
        """Final state after one step, and the time index where it was given up (0 if not)."""
        stopped = integrate(
            self.table, self.zmp, self.h, self.mass, *self.inertias, start, limit, *self._arrays, *self._work
        )
        return self._arrays[0][-1].copy(), int(stopped)

    def run(self, start: np.ndarray, limit: float = np.inf) -> ReportRun:
        """Integrate one step and keep everything."""
        _, stopped = self.end(np.asarray(start, dtype=float), limit)
        state, seen, rates, bodies, spins = (array.copy() for array in self._arrays)
        return ReportRun(np.arange(ROWS) * self.h, state, seen, rates, bodies, spins, stopped)

    def forces(self, run: ReportRun) -> np.ndarray:
        """Ground reaction (41, 3) in kp: sum m X'', sum m Y'', sum m (Z'' + g)."""
        from bunraku.gait1988.twelve_bodies import G

        force = np.einsum("i,nia->na", self.mass, run.bodies[:, :, :, 2])
        force[:, 2] += G * self.mass.sum()
        return force

    def at(self, row: int, state: np.ndarray) -> ReportRun:
        """Evaluate the equations at one table row and state, as a run of one row."""
        body, spin, work, angles = workspace()
        rate = np.zeros(4)
        state = np.asarray(state, dtype=float)
        derivative(self.table[row], self.zmp[row], self.mass, *self.inertias, state, rate, body, spin, work, angles)
        rows = (state[None], state[None], rate[None], body[None], spin[None])
        return ReportRun(np.array([row * self.h]), *rows, stopped=0)
