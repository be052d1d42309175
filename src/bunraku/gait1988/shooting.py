"""The periodic walk found without a guess: multiple shooting with a globalised Newton iteration (mode `exact`).

A walk repeats when a step, seen from the other foot, ends as it began: x_0 = S x(T) with S the mirror of
`Flow.mirror` (3.11). The trunk is an inverted pendulum, so an error at the start grows some 30-fold over a step and
shooting over a whole step needs a good start; that is the patience the report asks for. Here the step is cut into
segments, each with a state of its own, and all gaps

    F_i = flow_i(x_i) - x_{i+1},    F_last = S flow_last(x_last) - x_0

are closed together: Newton's step from the block system, halved until the norm of F falls (Armijo; Deuflhard, Newton
Methods for Nonlinear Problems, 2011). Every segment starts upright and at rest, so no guess is asked for. A given
start is used too (then the segments begin on its own path as far as that stays small).

The answer is `admissible` when the trunk and the legs stay within LARGEST_PSI, LARGEST_THETA: the equations have
other periodic solutions with the trunk hanging (report, section 3.4: "angles abnormally large"), which are no walks.
Checked in tests/gait1988/test_shooting.py (periodic to 1e-8, against scipy's integrator) and timed in `bunraku bench
gait`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bunraku.errors import NoWalk
from bunraku.gait1988.flow import LEVELS, Flow

LARGEST_PSI = 0.90
"""Largest lean of the trunk of an admissible walk, rad (the report accepts 40 degrees = 0.70 rad)."""

LARGEST_THETA = 0.35
"""Largest lateral lean of an admissible walk, rad."""

NUDGE = 1e-6
SEGMENTS = 10


@dataclass(frozen=True)
class Solution:
    """A periodic solution: state at the pieces' ends, |F|, Newton iterations, and whether it is a walk at all."""

    start: np.ndarray
    states: np.ndarray
    gap: float
    iterations: int
    status: str
    history: tuple[float, ...] = ()

    @property
    def converged(self) -> bool:
        """Whether the walk repeats (whatever it looks like)."""
        return self.status in ("walk", "not admissible")

    @property
    def admissible(self) -> bool:
        """Whether it is a walk."""
        return self.status == "walk"


def cuts_of(flow: Flow, segments: int = SEGMENTS) -> np.ndarray:
    """Pieces at which the segments begin, and the end."""
    return np.unique(np.round(np.linspace(0, flow.pieces, segments + 1)).astype(int))


def gaps(flow: Flow, cuts: np.ndarray, x: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray] | None:
    """(F, ends) for segment states x (m, n); None where a segment cannot be integrated."""
    m = len(x)
    ends = np.empty_like(x)
    for i in range(m):
        end = flow.advance(x[i], cuts[i], cuts[i + 1], levels)
        if end is None:
            return None
        ends[i] = end
    gap = np.empty_like(x)
    gap[:-1] = ends[:-1] - x[1:]
    gap[-1] = flow.mirror(ends[-1]) - x[0]
    return gap, ends


def newton_step(
    flow: Flow, cuts: np.ndarray, x: np.ndarray, gap: np.ndarray, ends: np.ndarray, levels: int
) -> np.ndarray | None:
    """Solve the linearised block system for the change of all segment states; None where it cannot be formed."""
    m, n = x.shape
    matrix = np.zeros((m * n, m * n))
    mirror = np.array([flow.mirror(row) for row in np.eye(n)]).T
    for i in range(m):
        block = np.empty((n, n))
        for k in range(n):
            nudged = x[i].copy()
            nudged[k] += NUDGE
            end = flow.advance(nudged, cuts[i], cuts[i + 1], levels)
            if end is None:
                return None
            block[:, k] = (end - ends[i]) / NUDGE
        rows = slice(i * n, (i + 1) * n)
        following = (i + 1) % m
        matrix[rows, rows] += mirror @ block if i == m - 1 else block
        matrix[rows, following * n : (following + 1) * n] -= np.eye(n)
    try:
        return np.linalg.solve(matrix, -gap.ravel()).reshape(m, n)
    except np.linalg.LinAlgError:
        return None


def first_states(flow: Flow, cuts: np.ndarray, start: np.ndarray | None) -> np.ndarray:
    """Upright and at rest everywhere, or the path of a given start as long as it stays below LARGEST_PSI.

    A start that leans more than that to begin with is held still at its lean.
    """
    x = np.zeros((len(cuts) - 1, flow.n))
    if start is None:
        return x
    if abs(start[1]) > LARGEST_PSI:
        x[:, 1] = start[1]
        return x
    x[0] = start
    for i in range(len(x) - 1):
        end = flow.advance(x[i], cuts[i], cuts[i + 1], 2)
        if end is None or np.abs(end[: flow.n // 2]).max() > LARGEST_PSI:
            break
        x[i + 1] = end
    return x


def periodic(
    flow: Flow,
    start: np.ndarray | None = None,
    *,
    tolerance: float = 1e-11,
    most: int = 60,
    segments: int = SEGMENTS,
    levels: int = LEVELS,
    progress: Callable[[int, float], None] | None = None,
) -> Solution:
    """Find the periodic solution, from nothing or from a start (theta, psi, …, theta', psi', …)."""
    cuts = cuts_of(flow, segments)
    x = first_states(flow, cuts, None if start is None else np.asarray(start, dtype=float))
    found = gaps(flow, cuts, x, levels)
    if found is None:
        return Solution(x[0], x, np.inf, 0, "cannot be integrated")
    gap, ends = found
    size = float(np.linalg.norm(gap))
    history = [size]
    status = "too many iterations"
    for number in range(1, most + 1):
        step = newton_step(flow, cuts, x, gap, ends, levels)
        if step is None:
            status = "singular"
            break
        damping = 1.0
        while damping > 1e-5:
            trial = gaps(flow, cuts, x + damping * step, levels)
            if trial is not None and np.linalg.norm(trial[0]) < (1.0 - 0.1 * damping) * size:
                break
            damping *= 0.5
        else:
            if size < 1e-7:  # the gaps are at their rounding error
                status = "closed"
            else:
                status = "stalled"
            break
        x = x + damping * step
        gap, ends = trial
        size = float(np.linalg.norm(gap))
        history.append(size)
        if progress is not None:
            progress(number, size)
        if size < tolerance:
            status = "closed"
            break
    if status == "closed":
        status = judge(flow, x, ends)
    return Solution(x[0].copy(), x, size, len(history) - 1, status, tuple(history))


def judge(flow: Flow, x: np.ndarray, ends: np.ndarray) -> str:
    """'walk', or 'not admissible' where the lean of trunk or legs is abnormally large."""
    angles = np.vstack([x, ends])
    small = np.abs(angles[:, 0]).max() <= LARGEST_THETA and np.abs(angles[:, 1]).max() <= LARGEST_PSI
    return "walk" if small else "not admissible"


def solve(
    flow: Flow, start: np.ndarray | None = None, progress: Callable[[int, float], None] | None = None
) -> Solution:
    """The periodic walk, or NoWalk with what was found instead."""
    solution = periodic(flow, start, progress=progress)
    name = flow.gait.name
    if solution.admissible:
        return solution
    if solution.status == "not admissible":
        psi = float(np.abs(solution.states[:, 1]).max())
        raise NoWalk(
            f"gait {name!r}: the only periodic solution found leans the trunk by {np.degrees(psi):.0f} degrees, "
            "which is not a walk; shorten the step, lengthen the cycle, or move the ZMP."
        )
    raise NoWalk(
        f"gait {name!r}: no periodic walk found ({solution.status} after {solution.iterations} iterations, gap "
        f"{solution.gap:.2g}); shorten the step, lengthen the cycle, or move the ZMP."
    )
