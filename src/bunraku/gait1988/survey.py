"""A survey of starts: from which (theta, psi, theta', psi') does the solver reach a walk, which one, in how many
iterations?

The report asks its reader to try starts "patiently and systematically" (section 5.1). `survey` does it: random or
given starts, with the report's own iteration (`historical`), with Newton's on the same equations (`newton`), or with
our solver (`exact`, here with integration of order 4). Solutions are grouped; those with abnormally large angles are
named not admissible. Deterministic for a seed. Checked in tests/gait1988/test_survey.py; 1,000 starts are timed in
`bunraku bench gait`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bunraku.errors import InputError, UnknownName, closest
from bunraku.gait1988.flow import Flow
from bunraku.gait1988.pattern import Gait
from bunraku.gait1988.report_integrator import ReportProgram
from bunraku.gait1988.report_shooting import ReportSearch, newton, search
from bunraku.gait1988.shooting import LARGEST_PSI, LARGEST_THETA, periodic

METHODS = ("exact", "historical", "newton")
CENTRE = np.array([0.007, 0.1, 0.7, 1.8])
SPREAD = np.array([0.05, 0.5, 0.3, 1.0])


@dataclass(frozen=True)
class Trial:
    """One start and what became of it: 'walk', 'not admissible', or why the solver stopped; stopped: the report's TIME
    INDEX (from 1) of the row at which the state got too big, 0 where it did not."""

    start: np.ndarray
    status: str
    iterations: int
    solution: np.ndarray
    largest_psi: float
    stopped: int = 0


@dataclass(frozen=True)
class Survey:
    """All trials, and the distinct solutions with how often each was reached."""

    mode: str
    trials: tuple[Trial, ...]

    def counts(self) -> dict[str, int]:
        """Trials by status."""
        out: dict[str, int] = {}
        for trial in self.trials:
            out[trial.status] = out.get(trial.status, 0) + 1
        return dict(sorted(out.items(), key=lambda item: -item[1]))

    def solutions(self, near: float = 0.02) -> list[tuple[np.ndarray, str, int, float]]:
        """Distinct periodic solutions: (start, status, times found, mean iterations), most frequent first."""
        groups: list[tuple[np.ndarray, str, list[int]]] = []
        for trial in self.trials:
            if trial.status not in ("walk", "not admissible"):
                continue
            for centre, status, its in groups:
                if status == trial.status and np.abs(centre - trial.solution).max() < near:
                    its.append(trial.iterations)
                    break
            else:
                groups.append((trial.solution, trial.status, [trial.iterations]))
        out = [(centre, status, len(its), float(np.mean(its))) for centre, status, its in groups]
        return sorted(out, key=lambda item: -item[2])


def random_starts(count: int, seed: int = 0) -> np.ndarray:
    """Starts spread evenly over CENTRE +- SPREAD (count, 4)."""
    if not 1 <= count <= 1_000_000:
        raise InputError(f"survey: wanted 1 to 1000000 starts, got {count}.")
    return CENTRE + SPREAD * np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 4))


def survey(
    gait: Gait,
    starts: np.ndarray,
    mode: str = "exact",
    progress: Callable[[int], None] | None = None,
) -> Survey:
    """Try every start (rows of theta, psi, theta', psi')."""
    starts = np.atleast_2d(np.asarray(starts, dtype=float))
    if starts.shape[1] != 4:
        raise InputError(f"survey: a start has 4 numbers, got {starts.shape[1]}.")
    if mode not in METHODS:
        raise UnknownName(f"survey: there is no method {mode!r}.{closest(mode, METHODS)}")
    program = ReportProgram(gait)
    flow = Flow(gait)
    trials = []
    for number, start in enumerate(starts):
        if mode == "exact":
            trials.append(exact_trial(flow, start))
        else:
            trials.append(report_trial(program, (search if mode == "historical" else newton)(program, start)))
        if progress is not None:
            progress(number + 1)
    return Survey(mode, tuple(trials))


def exact_trial(flow: Flow, start: np.ndarray) -> Trial:
    """Our solver from one start."""
    found = periodic(flow, start, levels=2, tolerance=1e-8)
    return Trial(start, found.status, found.iterations, found.start, float(np.abs(found.states[:, 1]).max()))


def report_trial(program: ReportProgram, found: ReportSearch) -> Trial:
    """What an iteration on the report's equations led to."""
    status, largest = found.status, float("nan")
    if found.converged:
        state = program.run(found.start, 1e4).state
        largest = float(np.abs(state[:, 1]).max())
        small = largest <= LARGEST_PSI and np.abs(state[:, 0]).max() <= LARGEST_THETA
        status = "walk" if small else "not admissible"
    return Trial(found.first, status, len(found.iterations), found.start, largest, found.stopped)


def survey_text(result: Survey) -> str:
    """A short report: statuses, distinct solutions."""
    total = len(result.trials)
    lines = [f"{total} starts, method {result.mode}", ""]
    lines += [f"{count:8d}  {100.0 * count / total:5.1f} %  {status}" for status, count in result.counts().items()]
    lines += ["", f"{'found':>8}{'iterations':>12}{'theta':>12}{'psi':>12}{'dtheta':>12}{'dpsi':>12}  kind"]
    for start, status, count, iterations in result.solutions():
        lines.append(f"{count:8d}{iterations:12.1f}" + "".join(f"{value:12.5f}" for value in start) + f"  {status}")
    return "\n".join([*lines, ""])


def survey_csv(result: Survey) -> str:
    """Every trial as a line of CSV."""
    names = [f"{kind}_{name}" for kind in ("start", "end") for name in ("theta", "psi", "dtheta", "dpsi")]
    lines = [",".join([*names, "iterations", "largest_psi", "time_index", "status"])]
    for t in result.trials:
        values = [f"{v:.10g}" for v in (*t.start, *t.solution)]
        lines.append(",".join([*values, str(t.iterations), f"{t.largest_psi:.6g}", str(t.stopped), t.status]))
    return "\n".join(lines) + "\n"
