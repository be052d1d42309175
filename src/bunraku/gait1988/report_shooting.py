"""BIDYN's search for the periodic walk (report, sections 3.4 and 4.3), iteration by iteration.

A step must end as the mirror image of its beginning (3.11):

    q(start) = (theta0 + thetaT, psi0 - psiT, theta'0 + theta'T, psi'0 - psi'T) = 0,       PERF.INDEX = |q|

The derivatives of q come from four more integrations with one start value changed by 0.005 each. While |q| > 1 the
start moves against the gradient of |q| (4.5), later by Newton's step (4.6); a move is scaled down so that |d psi| <=
0.025. It stops when |q| < 0.001. From (0.007, 0.3, 0.7, 1.8) this takes 16 iterations, printed in Figs 6.2(a), (b);
tests/gait1988/test_report.py follows them. `shooting.py` has the solver that needs no start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bunraku.gait1988.report_integrator import TOO_BIG, ReportProgram

STOP = 1e-3
GRADIENT_ABOVE = 1.0
NUDGE = 0.005
LARGEST_PSI = 0.025
MIRROR = np.array([1.0, -1.0, 1.0, -1.0])


@dataclass(frozen=True)
class Iteration:
    """One line group of Fig. 6.2(a): the raw move, the scaled move, the new start, where it ends, and |q|."""

    number: int
    move: np.ndarray
    scaled: np.ndarray
    start: np.ndarray
    end: np.ndarray
    index: float


@dataclass(frozen=True)
class ReportSearch:
    """Outcome of one search: status 'converged', 'norm too big', 'singular' or 'too many iterations'; stopped: the time
    index (from 1) at which the norm got too big; failed: what was tried before it."""

    first: np.ndarray
    start: np.ndarray
    status: str
    iterations: tuple[Iteration, ...] = field(default=())
    stopped: int = 0
    failed: tuple[ReportSearch, ...] = ()

    @property
    def told(self) -> str:
        """How it ended, with the report's TIME INDEX where the norm got too big."""
        return f"{self.status}, TIME INDEX {self.stopped}" if self.stopped else self.status

    @property
    def converged(self) -> bool:
        """Whether |q| fell below the bound."""
        return self.status == "converged"


def search(
    program: ReportProgram,
    first: np.ndarray,
    *,
    stop: float = STOP,
    most: int = 100,
    limit: float = TOO_BIG,
    progress: Callable[[Iteration], None] | None = None,
) -> ReportSearch:
    """Follow the report's iteration from the start `first` (theta, psi, theta', psi')."""
    first = np.array(first, dtype=float)
    start, (end, stopped) = first, program.end(first, limit)
    done: list[Iteration] = []
    status = "norm too big" if stopped else "too many iterations"
    while len(done) < most and not stopped:
        q = start + MIRROR * end
        index = float(np.linalg.norm(q))
        if index < stop:
            status = "converged"
            break
        slope = np.empty((4, 4))
        for k in range(4):
            nudged = start.copy()
            nudged[k] += NUDGE
            nudged_end, stopped = program.end(nudged, limit)
            if stopped:
                break
            slope[:, k] = MIRROR * (nudged_end - end) / NUDGE
        if stopped:
            status = "norm too big"
            break
        slope += np.eye(4)
        if index > GRADIENT_ABOVE:
            move = slope.T @ q / index
        else:
            try:
                move = np.linalg.solve(slope, q)
            except np.linalg.LinAlgError:
                status = "singular"
                break
        scale = min(1.0, LARGEST_PSI / abs(move[1])) if move[1] != 0.0 else 1.0
        start = start - scale * move
        end, stopped = program.end(start, limit)
        index = float(np.linalg.norm(start + MIRROR * end))
        done.append(Iteration(len(done) + 1, move, scale * move, start.copy(), end, index))
        if progress is not None:
            progress(done[-1])
        if stopped:
            status = "norm too big"
    return ReportSearch(first, start, status, tuple(done), stopped)


def newton(
    program: ReportProgram, first: np.ndarray, *, stop: float = 1e-9, most: int = 60, limit: float = 1e4
) -> ReportSearch:
    """Newton's iteration on the same equations, halving a step until |q| falls, without the report's limits.

    Quick from a good start (4-6 iterations). From others it may end in a periodic solution that is no walk, with the
    trunk leaning by 0.5 to 1.7 rad: who calls must look (`survey` names them not admissible).
    """
    first = np.array(first, dtype=float)
    start, (end, stopped) = first, program.end(first, limit)
    if stopped:
        return ReportSearch(first, start, "norm too big", (), stopped)
    done: list[Iteration] = []
    index = float(np.linalg.norm(start + MIRROR * end))
    while index >= stop:
        if len(done) == most:
            return ReportSearch(first, start, "too many iterations", tuple(done))
        slope = np.eye(4)
        for k in range(4):
            nudged = start.copy()
            nudged[k] += 1e-6
            slope[:, k] += MIRROR * (program.end(nudged, np.inf)[0] - end) / 1e-6
        if not np.all(np.isfinite(slope)) or np.linalg.cond(slope) > 1e14:
            return ReportSearch(first, start, "singular", tuple(done))
        move = np.linalg.solve(slope, start + MIRROR * end)
        damping = 1.0
        while damping > 1e-6:
            trial = start - damping * move
            trial_end, stopped = program.end(trial, limit)
            trial_index = float(np.linalg.norm(trial + MIRROR * trial_end))
            if not stopped and trial_index < (1.0 - 0.1 * damping) * index:
                break
            damping *= 0.5
        else:
            return ReportSearch(first, start, "stalled", tuple(done))
        start, end, index = trial, trial_end, trial_index
        done.append(Iteration(len(done) + 1, move, damping * move, start.copy(), end, index))
    return ReportSearch(first, start, "converged", tuple(done))
