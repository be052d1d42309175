"""The periodic walk: periodic to 1e-8, the known start, every ZMP case, what is not a walk, and what does not exist."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from asserts import asserts
from bunraku.errors import NoWalk
from bunraku.gait1988.flow import Flow
from bunraku.gait1988.library import flat, usual
from bunraku.gait1988.shooting import periodic, solve
from bunraku.gait1988.solved_walk import Walk, exact_walk
from bunraku.gait1988.zmp import FLAT_CASES, USUAL_CASES, Zmp


@asserts("1988/mirror/exact")
def test_exact_start_and_period(flat_walk: Walk) -> None:
    """(0.00003, -0.0783, 0.6975, 2.240) was found by a separately written program; periodic to 1e-8."""
    found = np.abs(flat_walk.start - [0.00003, -0.0783, 0.6975, 2.240])
    np.testing.assert_array_less(found, [2e-4, 2e-3, 1e-3, 5e-3])
    mirror = np.array([-1.0, 1.0, -1.0, 1.0])
    assert np.abs(mirror * flat_walk.end - flat_walk.start).max() < 1e-8


@asserts("1988/zero-moment", "1988/arms/zero-moment")
def test_zero_moment_at_every_time(flat_walk: Walk, usual_walk: Walk, free_walk: Walk) -> None:
    for walk in (flat_walk, usual_walk, free_walk):
        assert np.abs(walk.residual).max() < 1e-9


def test_difference_from_the_report(flat_walk: Walk, report_walk: Walk) -> None:
    """Largest differences over the step: theta 0.0015, psi 0.03, theta' 0.011, psi' 0.084."""
    rows = flat_walk.coordinates[::4, :2, :2] - report_walk.coordinates[:, :2, :2]
    np.testing.assert_array_less(np.abs(rows).max(axis=0), [[0.002, 0.013], [0.035, 0.1]])


@pytest.mark.parametrize("case", list(FLAT_CASES))
@asserts("1988/case-flat/*")
def test_flat_gait_with_every_zmp_case(case: str) -> None:
    solution = solve(Flow(flat(case)))
    assert solution.admissible
    assert solution.gap < 1e-10
    assert solution.iterations <= 8


@pytest.mark.parametrize("case", list(USUAL_CASES))
@asserts("1988/case-usual/*")
def test_usual_gait_with_every_zmp_case(case: str) -> None:
    assert solve(Flow(usual(case))).admissible


def test_convergence_is_quadratic() -> None:
    """Newton's last steps at least square the gap (down to rounding)."""
    history = periodic(Flow(flat())).history
    assert history[-1] < 1e-10
    assert history[-2] < 1e-5
    assert history[-3] < 1e-2


def test_a_hanging_trunk_is_named_not_admissible() -> None:
    """The equations have a periodic solution with the trunk hanging (psi near pi); it is not called a walk."""
    flow = Flow(flat())
    solution = periodic(flow, np.array([0.007, 3.1, 0.7, 0.0]))
    assert solution.converged
    assert not solution.admissible
    assert solution.status == "not admissible"
    with pytest.raises(NoWalk, match="not a walk"):
        solve(flow, np.array([0.007, 3.1, 0.7, 0.0]))


def test_a_walk_that_does_not_exist_says_so() -> None:
    """ZMP 20 cm ahead of the foot's centre; a step of 4 s; five times the speed: each refused with its own reason."""
    with pytest.raises(NoWalk, match=r"'flat': no periodic walk found .*move the ZMP"):
        solve(Flow(replace(flat(), zmp=Zmp((1.0,), (0.2,)))))
    with pytest.raises(NoWalk, match="leans the trunk by 55 degrees"):
        solve(Flow(replace(flat(), time_factor=4.0, zmp=Zmp((4.0,), (0.0,)))))
    with pytest.raises(NoWalk, match="the ground would have to pull"):
        exact_walk(replace(flat(), time_factor=0.2))
