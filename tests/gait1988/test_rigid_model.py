"""The rigid figure: links keep their length, velocities are derivatives, the kernel also runs as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from bunraku.gait1988.rigid_model import FIXED_UNKNOWNS, FREE_UNKNOWNS, PARENT, accelerations, chain, motion, residual


def moved(c: np.ndarray, dt: float) -> np.ndarray:
    """Coordinates a little later, at constant acceleration."""
    out = c.copy()
    out[:, 0] += dt * c[:, 1] + 0.5 * dt * dt * c[:, 2]
    out[:, 1] += dt * c[:, 2]
    return out


def placed(figure, c: np.ndarray, zmp: float) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[no-untyped-def]
    out, wrench = np.zeros((12, 11, 3)), np.zeros((12, 2, 3))
    motion(figure, c, zmp, out, wrench)
    return out, wrench


@pytest.mark.parametrize("arms_free", [False, True])
def test_velocities_and_accelerations_are_derivatives(arms_free: bool) -> None:
    """Central differences of position and velocity; error O(dt^2) = 1e-8 times the third derivatives (up to 1e3)."""
    rng = np.random.default_rng(3)
    figure = chain(arms_free)
    dt = 1e-4
    for _ in range(10):
        c = rng.uniform(-1.0, 1.0, (12, 3)) * [0.6, 3.0, 10.0]
        out, _ = placed(figure, c, 0.03)
        before, after = placed(figure, moved(c, -dt), 0.03)[0], placed(figure, moved(c, dt), 0.03)[0]
        np.testing.assert_allclose((after[:, 1] - before[:, 1]) / (2 * dt), out[:, 2], atol=1e-5)
        np.testing.assert_allclose((after[:, 2] - before[:, 2]) / (2 * dt), out[:, 3], atol=1e-4)
        turn = (after[:, 6:9] - before[:, 6:9]) / (2 * dt)
        for i in range(12):
            spin = turn[i] @ out[i, 6:9].T  # = [w]x
            np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], out[i, 4], atol=1e-5)
        np.testing.assert_allclose((after[:, 4] - before[:, 4]) / (2 * dt), out[:, 5], atol=1e-4)


def test_links_keep_their_length() -> None:
    """Unlike the report's (cos theta in X): distances between the ends of a segment do not change."""
    figure = chain()
    rng = np.random.default_rng(1)
    lengths = []
    for _ in range(5):
        out, _ = placed(figure, rng.uniform(-0.5, 0.5, (12, 3)), 0.0)
        lengths.append([np.linalg.norm(out[i, 0] - out[PARENT[i], 0]) for i in range(11)])
        lengths[-1] += [np.linalg.norm(out[i, 1] - out[i, 0]) for i in range(12)]
    np.testing.assert_allclose(lengths, np.tile(lengths[0], (5, 1)), atol=1e-15)


@pytest.mark.parametrize(("arms_free", "unknowns"), [(False, FIXED_UNKNOWNS), (True, FREE_UNKNOWNS)])
def test_accelerations_solve_the_equations(arms_free: bool, unknowns: np.ndarray) -> None:
    """Random states: the residual left is rounding of moments of some 1e3 N m."""
    rng = np.random.default_rng(5)
    figure = chain(arms_free)
    n = len(unknowns)
    for _ in range(20):
        c = rng.uniform(-1.0, 1.0, (12, 3)) * [0.5, 2.0, 5.0]
        out, wrench, q = np.zeros((12, 11, 3)), np.zeros((12, 2, 3)), np.zeros(n)
        assert accelerations(figure, c, 0.02, unknowns, out, wrench, q, np.zeros((n, n + 1))) == 0
        residual(figure, c, 0.02, arms_free, out, wrench, q)
        assert np.abs(q).max() < 1e-9


def test_standing_still_needs_the_zmp_under_the_mass_centre() -> None:
    """Closed form: at rest Mx = sum m g y, My = -sum m g x."""
    figure = chain()
    c = np.zeros((12, 3))
    c[1, 0] = 0.2
    out, wrench, q = np.zeros((12, 11, 3)), np.zeros((12, 2, 3)), np.zeros(2)
    residual(figure, c, 0.0, False, out, wrench, q)
    np.testing.assert_allclose(q[0], 9.81 * figure.mass @ out[:, 1, 1], rtol=1e-13)
    np.testing.assert_allclose(q[1], -9.81 * figure.mass @ out[:, 1, 0], rtol=1e-13)


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
