"""Makes a gait from nothing but a figure, a speed and mechanics: `bunraku gaits make`.

First on half the nodes from a crude guess, then on all of them from there. Cadence and times of people at a speed are
where it begins: step length by the square root of the Froude number, both feet down for less of the step the faster it is
(docs/gaits.md). Checked in tests/gaits/test_make_gait.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bunraku.errors import InputError
from bunraku.gaits.constrained_squares import Found, least_squares
from bunraku.gaits.first_guess import first_guess, guess_between
from bunraku.gaits.gait import Gait, walking_twin
from bunraku.gaits.standing_pose import standing_pose
from bunraku.gaits.step_plan import StepPlan
from bunraku.gaits.step_problem import UNIT, StepProblem
from bunraku.model.body_2000 import HEIGHT
from bunraku.model.body_lengths import standard
from bunraku.model.human import in_range

SPEEDS = (0.3, 0.8, 1.3, 1.7, 1.9)  # m/s, of a figure of 1.7 m
LENGTHS = (0.30, 0.54, 0.68, 0.80, 0.85)  # m, steps of people at these speeds
LASTING = {"start": 1.75, "stop": 1.75}  # times of the step they lead into or out of
KNOWN = 8  # coefficients that are kept of what comes before and after
BOTH = (0.37, 0.30, 0.22, 0.17, 0.15)  # of a step: both feet down
MOST = (1.08, 1.08, 1.12, 1.3, 1.38)  # weights on a foot


def plan_of(speed: float, height: float = HEIGHT, length: float | None = None) -> StepPlan:
    """What people do at a speed [m/s], for a figure of some height [m]; length [m]: of a step, where it is given."""
    in_range("height", height, 0.3, 3.0)
    scale = height / HEIGHT
    own = speed / np.sqrt(scale)  # of the figure of 1.7 m with the same Froude number
    if not 0.25 <= own <= 1.9:
        least, most = 0.25 * np.sqrt(scale), 1.9 * np.sqrt(scale)
        raise InputError(
            f"gaits: {speed:g} m/s is no walk of a figure of {height:g} m; give {least:.2f} to {most:.2f} m/s."
        )
    step = float(np.interp(own, SPEEDS, LENGTHS)) * scale if length is None else length
    if not 0.15 * height < step < 0.6 * height:
        raise InputError(f"gaits: a step of {step:g} m is none of a figure of {height:g} m.")
    return StepPlan(
        speed, step, both=float(np.interp(own, SPEEDS, BOTH)), width=0.15 * scale, clearance=0.04 * scale,
        force=float(np.interp(own, SPEEDS, MOST)),
    )  # fmt: skip


def make_gait(
    plan: StepPlan,
    height: float = HEIGHT,
    mass: float = 69.0,
    *,
    steps: int = 150,
    watch: Callable[[float, float], None] | None = None,
) -> Gait:
    """The gait of a plan for human(height [m], mass [kg]); `watch` hears cost and violation. Raises InputError where no
    step is found that keeps all laws."""
    in_range("height", height, 0.3, 3.0)
    in_range("mass", mass, 1.0, 500.0)
    twin, m = walking_twin(height, mass), standard(height)

    def problem_of(nodes: int) -> StepProblem:
        return StepProblem(twin, replace(plan, nodes=nodes), m.sole[1] / 2, m.sole[0])

    def told(_: int, cost: float, off: float) -> None:
        if watch is not None:
            watch(cost, off)

    def solve(problem: StepProblem, x: np.ndarray, tolerance: float) -> Found:
        return least_squares(
            problem, x, steps=steps, tolerance=tolerance, order=problem.order,
            watch=told,
        )  # fmt: skip

    coarse = problem_of(plan.nodes // 2)
    found = solve(coarse, first_guess(coarse), 1e-3)
    fine = problem_of(plan.nodes)
    found = solve(fine, finer(coarse, fine, found.x), 1e-6)
    if found.violation > 1e-4:
        raise InputError(
            f"gaits: no step of {plan.length:.2f} m at {plan.speed:g} m/s was found that keeps the laws of mechanics "
            f"(off by {found.violation:.1e}); give another length."
        )
    forces = fine.parts(found.x)[3]
    return Gait(fine.plan, height, mass, found.x[: fine.N * fine.n].reshape(fine.N, fine.n), forces)


def make_transition(
    kind: str, gait: Gait, *, steps: int = 150, watch: Callable[[float, float], None] | None = None
) -> Gait:
    """The step from standing into a gait ("start": it ends as the right heel strikes) or out of it ("stop": it begins
    as the left heel strikes), by the same optimiser with other ends, on half as many nodes a second as the gait has."""
    twin, m, g = gait.twin, standard(gait.height), gait.plan
    half, length = m.sole[1] / 2, m.sole[0]
    nodes, part = round(LASTING[kind] * g.nodes / 2), 1 / LASTING[kind]
    times = {"flat": g.flat * part}
    if kind == "start":
        times |= {"both": 1 - (1 - g.both) * part, "heel_off": 1 - (1 - g.heel_off) * part}
    else:
        times |= {"both": g.both * part, "heel_off": 1.0, "land": part}
    plan = replace(g, kind=kind, lasting=LASTING[kind] * g.seconds, nodes=nodes, **times)
    stand = standing_pose(twin, g.width, length, half)

    h = plan.lasting / nodes
    q, _, a = gait.at(np.arange(-KNOWN, KNOWN) * h + (g.seconds if kind == "start" else 0.0))
    walk, rest = q - h * h * a / 6, np.tile(stand, (KNOWN, 1))  # a cubic's coefficient at a node: q - h^2 q'' / 6
    ends = (rest, walk[KNOWN:]) if kind == "start" else (walk[:KNOWN], rest)
    problem = StepProblem(twin, plan, half, length, ends)

    def told(_: int, cost: float, off: float) -> None:
        if watch is not None:
            watch(cost, off)

    x = guess_between(problem, ends[0][-1], ends[1][0])
    found = least_squares(problem, x, steps=steps, tolerance=1e-5, order=problem.order, watch=told)
    if found.violation > 1e-4:
        raise InputError(f"gaits: no {kind} of a walk at {g.speed:g} m/s was found (off by {found.violation:.1e}).")
    C = found.x[: problem.N * problem.n].reshape(problem.N, problem.n)
    return Gait(problem.plan, gait.height, gait.mass, C, problem.parts(found.x)[3], problem.ends)


def finer(coarse: StepProblem, fine: StepProblem, x: np.ndarray) -> np.ndarray:
    """The unknowns of a finer problem that stand for the same step."""
    c = x[: coarse.N * coarse.n].reshape(coarse.N, coarse.n)
    times = np.arange(fine.N) * fine.plan.seconds / fine.N
    q, _, acceleration = coarse.spline.at(c, times)
    h = fine.plan.seconds / fine.N
    # a cubic's coefficient at a node: q - h^2 q'' / 6
    C = q - h * h * acceleration / 6
    F = coarse.parts(x)[3]
    at = times / coarse.plan.seconds * coarse.N
    k = np.minimum(at.astype(int), coarse.N - 1)
    return np.concatenate([C.ravel(), (F[k] / UNIT).reshape(-1)[fine.free]])
