"""Every Jacobian of the problem by differences, at a random place; the order of unknowns makes it banded."""

import numpy as np
import pytest

from bunraku.gaits.constrained_squares import banded
from bunraku.gaits.first_guess import first_guess
from bunraku.gaits.gait import walking_twin
from bunraku.gaits.make_gait import plan_of
from bunraku.gaits.step_plan import StepPlan
from bunraku.gaits.step_problem import StepProblem
from draws import fresh_rng


@pytest.fixture(scope="module", params=[0.5, 1.3])
def problem(request):
    plan = plan_of(request.param)
    return StepProblem(walking_twin(1.7, 69.0), StepPlan(plan.speed, plan.length, nodes=12), 0.06, 0.19)


def test_jacobians(problem):
    rng, h = fresh_rng(), 1e-6
    x = first_guess(problem)
    x = x + 0.02 * rng.standard_normal(len(x))
    d = rng.standard_normal(len(x))
    here, low, high = problem(x), problem(x - h * d, False), problem(x + h * d, False)
    for values, J in (("r", here.R), ("c", here.C), ("h", here.H)):
        slope = (getattr(high, values) - getattr(low, values)) / (2 * h)
        assert np.abs(J @ d - slope).max() < 1e-7 * max(1.0, np.abs(slope).max()), values


def test_normal_matrices_are_banded(problem):
    p = problem(first_guess(problem))
    N = (p.R.T @ p.R + p.C.T @ p.C + p.H.T @ p.H).tocsr()
    width = len(banded(N, problem.order))
    assert width < 8 * (problem.n + 24)  # of neighbours, whatever the number of nodes


def test_forces_that_no_edge_gives_are_no_unknowns(problem):
    F = problem.parts(np.ones(problem.size))[3]
    for k, (a, b) in enumerate(zip(problem.plan.leading, problem.plan.trailing)):
        corners = {"h": [0, 1], "f": [0, 1, 2, 3], "t": [2, 3]}[a] + ([6, 7] if b == "t" else [])
        assert np.flatnonzero(F[k, :, 2]).tolist() == corners
