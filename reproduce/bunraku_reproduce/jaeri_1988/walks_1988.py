"""What several parts of JAERI-M 88-080 need: walks solved once, and small calculations."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from bunraku.gait1988.library import library_gait
from bunraku.gait1988.report_integrator import ReportProgram, ReportRun
from bunraku.gait1988.solved_walk import Walk, exact_walk, historical_walk
from bunraku_reproduce.jaeri_1988.printed import START


@lru_cache(maxsize=32)
def exact(name: str = "flat", case: str | None = None, samples: int = 201) -> Walk:
    """A gait of the library in mode exact."""
    return exact_walk(library_gait(name, case), samples=samples)


@lru_cache(maxsize=32)
def historical(name: str = "flat", case: str | None = None) -> Walk:
    """A gait of the library as the report computed it."""
    return historical_walk(library_gait(name, case))


@lru_cache(maxsize=1)
def printed_run() -> ReportRun:
    """One step of the flat gait, case IV, from the printed start."""
    return ReportProgram(library_gait("flat")).run(START, 1e3)


def same_torques(seed: int) -> float:
    """The largest difference [N m or N] of torques by recursion (Newton and Euler) from M a + h (Lagrange), on the human
    figure in random states."""
    import bunraku as bk

    rng, figure, worst = np.random.default_rng(seed), bk.human(), 0.0
    for _ in range(20):
        q, v, a = bk.random_configuration(figure, rng), rng.normal(size=figure.nv), rng.normal(size=figure.nv)
        dense = bk.crba(figure, q) @ a + bk.rnea(figure, q, v, np.zeros(figure.nv))
        worst = max(worst, float(np.abs(bk.rnea(figure, q, v, a) - dense).max()))
    return worst


def runge_kutta_order() -> float:
    """How the error of Table 4.1's formulas on x' = -x + sin t falls with the step."""

    def end(n: int) -> float:
        x, h = 1.0, 1.0 / n
        for k in range(n):
            t = k * h
            f1 = -x + math.sin(t)
            f2 = -(x + 0.5 * h * f1) + math.sin(t + 0.5 * h)
            f3 = -(x + 0.5 * h * f2) + math.sin(t + 0.5 * h)
            f4 = -(x + h * f3) + math.sin(t + h)
            x += h / 6.0 * (f1 + 2.0 * f2 + 2.0 * f3 + f4)
        return x

    true = 1.5 * math.exp(-1.0) + 0.5 * (math.sin(1.0) - math.cos(1.0))
    return math.log2(abs(end(32) - true) / abs(end(64) - true))


def angle_path(program: ReportProgram, row: int, state: np.ndarray, step: float) -> np.ndarray:
    """(3, 12, 3): mass centres a time `step` before, at and after a row, all angles moved on by their printed rates and
    accelerations: what a second derivative is to be compared with."""
    rates = program.at(row, state).rates[0]
    legs = program.table[row].copy()
    out = []
    for s in (-step, 0.0, step):
        other = ReportProgram(program.gait, table=program.table)
        other._arrays.table[row, :, 0] = legs[:, 0] + s * legs[:, 1] + 0.5 * s * s * legs[:, 2]
        moved = state.copy()
        moved[:2] += s * state[2:] + 0.5 * s * s * rates[2:]
        out.append(other.at(row, moved).bodies[0, :, :, 0])
    return np.array(out)


def acceleration_errors(row: int = 10) -> np.ndarray:
    """(12, 3): the program's accelerations less the second derivatives of its own coordinates, m/s2, at a row of the
    printed walk."""
    program, run = ReportProgram(library_gait("flat")), printed_run()
    h = 1e-4
    before, now, after = angle_path(program, row, run.state[row], h)
    return program.at(row, run.state[row]).bodies[0, :, :, 2] - (after - 2.0 * now + before) / h**2
