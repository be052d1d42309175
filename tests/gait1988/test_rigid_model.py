"""The rigid figure: links keep their length, velocities are derivatives, the kernel also runs as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from asserts import asserts
from bunraku.gait1988.rigid_model import PARENT, Chain, Equations, accelerations, bodies_at, chain, residual
from bunraku.kernel.entry import entry
from bunraku.kernel.record import handle


def moved(c: np.ndarray, dt: float) -> np.ndarray:
    """Coordinates a little later, at constant acceleration."""
    out = c.copy()
    out[:, 0] += dt * c[:, 1] + 0.5 * dt * dt * c[:, 2]
    out[:, 1] += dt * c[:, 2]
    return out


@entry("h h d")
def solve(figure, equations, zmp):
    """`accelerations`, then what is left."""
    status = accelerations(Chain(figure), Equations(equations), zmp)
    residual(Chain(figure), Equations(equations), zmp)
    return status


@entry("h h d")
def left(figure, equations, zmp):
    """`residual`, for Python."""
    residual(Chain(figure), Equations(equations), zmp)


@pytest.mark.parametrize("arms_free", [False, True])
def test_velocities_and_accelerations_are_derivatives(arms_free: bool) -> None:
    """Central differences of position and velocity; error O(dt^2) = 1e-8 times the third derivatives (up to 1e3)."""
    rng = np.random.default_rng(3)
    figure = chain(arms_free)
    dt = 1e-4
    for _ in range(10):
        c = rng.uniform(-1.0, 1.0, (12, 3)) * [0.6, 3.0, 10.0]
        now = bodies_at(figure, c, 0.03)
        before, after = bodies_at(figure, moved(c, -dt), 0.03), bodies_at(figure, moved(c, dt), 0.03)

        def slope(name: str) -> np.ndarray:
            return (after.column(name) - before.column(name)) / (2 * dt)  # noqa: B023 - called at once

        np.testing.assert_allclose(slope("centre"), now.column("velocity"), atol=1e-5)
        np.testing.assert_allclose(slope("velocity"), now.column("acceleration"), atol=1e-4)
        turning = slope("turn").reshape(12, 3, 3)
        for i in range(12):
            spin = turning[i] @ np.reshape(now[i].turn, (3, 3)).T  # = [w]x
            np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], now[i].w, atol=1e-5)
        np.testing.assert_allclose(slope("w"), now.column("dw"), atol=1e-4)


@asserts("1988/rigid")
def test_links_keep_their_length() -> None:
    """Unlike the report's (cos theta in X): distances between the ends of a segment do not change."""
    figure = chain()
    rng = np.random.default_rng(1)
    lengths = []
    for _ in range(5):
        bodies = bodies_at(figure, rng.uniform(-0.5, 0.5, (12, 3)), 0.0)
        joint, centre = bodies.column("joint"), bodies.column("centre")
        lengths.append([np.linalg.norm(joint[i] - joint[PARENT[i]]) for i in range(11)])
        lengths[-1] += [np.linalg.norm(centre[i] - joint[i]) for i in range(12)]
    np.testing.assert_allclose(lengths, np.tile(lengths[0], (5, 1)), atol=1e-15)


@pytest.mark.parametrize("arms_free", [False, True])
def test_accelerations_solve_the_equations(arms_free: bool) -> None:
    """Random states: the residual left is rounding of moments of some 1e3 N m."""
    rng = np.random.default_rng(5)
    figure, equations = chain(arms_free), Equations()
    equations.unknowns = 6 if arms_free else 2
    for _ in range(20):
        equations.c[:] = rng.uniform(-1.0, 1.0, (12, 3)) * [0.5, 2.0, 5.0]
        assert solve.call(handle(figure), handle(equations), 0.02) == 0
        assert np.abs(equations.residual).max() < 1e-9


def test_standing_still_needs_the_zmp_under_the_mass_centre() -> None:
    """Closed form: at rest Mx = sum m g y, My = -sum m g x."""
    figure, equations = chain(), Equations()
    equations.unknowns = 2
    equations.c[1, 0] = 0.2
    left.call(handle(figure), handle(equations), 0.0)
    moment = 9.81 * figure.mass @ equations.body.of.column("centre")
    np.testing.assert_allclose(equations.residual[:2], [moment[1], -moment[0]], rtol=1e-13)


def test_the_same_source_runs_as_plain_python() -> None:
    """NUMBA_DISABLE_JIT=1: one rate evaluation of both models gives the compiled numbers."""
    code = (
        "import numpy as np\n"
        "from bunraku.gait1988.library import flat\n"
        "from bunraku.gait1988.flow import Flow\n"
        "from bunraku.gait1988.report_integrator import ReportProgram\n"
        "f = Flow(flat())\n"
        "print(repr(f.advance(np.array([0.0, -0.07, 0.7, 2.2]), 0, 2).tolist()))\n"
        "print(repr(ReportProgram(flat()).at(7, np.array([0.1, 0.2, 0.3, 0.4])).rates[0].tolist()))\n"
    )
    answers = []
    for flag in ("1", "0"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": flag, "BUNRAKU_QUIET": "1"}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        answers.append([eval_list(line) for line in done.stdout.splitlines()])
    for plain, compiled in zip(*answers):
        np.testing.assert_allclose(plain, compiled, rtol=1e-12)


def eval_list(line: str) -> list[float]:
    """A printed list of numbers."""
    return [float(part) for part in line.strip("[]").split(",")]
