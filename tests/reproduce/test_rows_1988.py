"""Rows of JAERI-M 88-080 that no test of the product asserts: each is computed here once more, another way."""

from __future__ import annotations

from fractions import Fraction as Q
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import bunraku as bk
from asserts import asserts
from bunraku.cli import main
from bunraku.gait1988.flow import Flow
from bunraku.gait1988.library import flat, usual
from bunraku.gait1988.report_integrator import ReportProgram
from bunraku.gait1988.smooth import leg_table
from bunraku.gait1988.solved_walk import Walk, exact_walk, historical_walk
from bunraku.gait1988.steps import walk_on
from bunraku.gait1988.twelve_bodies import MASS, SOLE_HALF_WIDTH, SOLE_HEEL, SOLE_TOE, report_inertias
from bunraku.gait1988.twelve_body_model import figure_model
from bunraku.gait1988.zmp import FLAT_CASES, USUAL_CASES
from bunraku.model.rotations import about, rotation_matrix
from bunraku_reproduce.documents import DOCUMENTS
from bunraku_reproduce.jaeri_1988.hands_1988 import FINGERS, REACH, TURN, fingers_and_arm
from bunraku_reproduce.jaeri_1988.surveyed_1988 import FORMULAS

START = np.array([-0.00092496, -0.09368652, 0.70267099, 2.32086754])
END = np.array([0.00094424, -0.09460121, -0.70259480, 2.32052324])


@pytest.fixture(scope="module")
def flat_walk() -> Walk:
    return exact_walk(flat(), samples=101)


@pytest.fixture(scope="module")
def usual_walk() -> Walk:
    return exact_walk(usual(), samples=101)


@asserts("1988/table-2.2/*")
def test_costs_of_table_2_2() -> None:
    n = 6
    assert Q(65, 2) * n**4 + Q(1037, 12) * n**3 + Q(685, 4) * n**2 + Q(160, 3) * n - 128 == 67143  # printed 66271
    assert 25 * n**4 + Q(199, 3) * n**3 + Q(259, 2) * n**2 + Q(127, 3) * n - 96 == 51548
    assert (150 * n - 48, 131 * n - 48) == (852, 738)


@asserts("1988/same-torques")
def test_lagrange_and_newton_euler_agree() -> None:
    """The mass matrix column by column from the recursion is the dense one, and torques are linear in a (seed 88)."""
    rng, figure = np.random.default_rng(88), bk.human()
    q, v, a = bk.random_configuration(figure, rng), rng.normal(size=figure.nv), rng.normal(size=figure.nv)
    none = np.zeros(figure.nv)
    columns = [bk.rnea(figure, q, none, one) - bk.rnea(figure, q, none, none) for one in np.eye(figure.nv)]
    np.testing.assert_allclose(np.array(columns).T, bk.crba(figure, q), atol=1e-9)
    np.testing.assert_allclose(
        bk.rnea(figure, q, v, a) - bk.rnea(figure, q, v, none), bk.crba(figure, q) @ a, atol=1e-9
    )


def local_order(values: dict[int, Q], rates: dict[int, Q]) -> float:
    """From the error of one step on y = exp t, halved: 2^(order + 1)."""

    def error(h: float) -> float:
        made = sum(float(c) * np.exp(m * h) for m, c in values.items())
        made += h * sum(float(c) * np.exp(m * h) for m, c in rates.items())
        return abs(made - np.exp(h))

    return float(np.log2(error(0.08) / error(0.04)) - 1.0)


@asserts("1988/table-4.2/*")
@pytest.mark.parametrize("name", list(FORMULAS))
def test_orders_of_table_4_2(name: str) -> None:
    _, printed, values, rates = FORMULAS[name]
    found = round(local_order(values, rates))
    if name == "adams-moulton-4":
        assert (printed, found) == (4, 5)
    elif name == "milne-predictor":
        assert found < printed
        assert round(local_order({-3: Q(1)}, rates)) == printed  # as Milne has it
    else:
        assert found == printed


@asserts("1988/table-4.1/order")
def test_order_of_table_4_1() -> None:
    """One step of the formulas on y' = y is the exponential series up to h^4."""
    h = Q(1, 10)
    f1 = Q(1)
    f2 = 1 + h / 2 * f1
    f3 = 1 + h / 2 * f2
    f4 = 1 + h * f3
    assert 1 + h / 6 * (f1 + 2 * f2 + 2 * f3 + f4) == 1 + h + h**2 / 2 + h**3 / 6 + h**4 / 24


@asserts("1988/joints", "1988/freedoms", "1988/rows", "1988/interval", "1988/input", "1988/bodies")
def test_counts_of_section_3_1() -> None:
    model = figure_model()
    assert len(model.links) == 12 and sum(j.nv > 0 and j.kind != "free" for j in model.joints) == 7
    table = leg_table(flat())
    assert table.shape == (41, 6, 3)
    assert Flow(flat()).n // 2 + table.shape[1] == 8  # theta and psi are solved for, six angles are given
    walk = historical_walk(flat())
    np.testing.assert_allclose(np.diff(walk.time), 0.025)


@asserts("1988/table-3.1/*")
def test_lengths_of_table_3_1(flat_walk: Walk) -> None:
    """Between joints and mass centres of the walk itself, at every time."""
    joints, bodies = flat_walk.joints, flat_walk.bodies[..., 0]

    def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.linalg.norm(a - b, axis=-1)

    np.testing.assert_allclose(apart(joints[:, 1], joints[:, 0]), 2 * 0.193, atol=1e-12)
    np.testing.assert_allclose(apart(joints[:, 2], joints[:, 1]), 2 * 0.214, atol=1e-12)
    np.testing.assert_allclose(apart(joints[:, 2], joints[:, 3]), 0.34, atol=1e-12)  # D = 0.170 is half of it
    np.testing.assert_allclose(bodies[:, 2, 2] - joints[:, 2, 2], 0.092, atol=1e-12)
    np.testing.assert_allclose(apart(bodies[:, 3], bodies[:, 2]), 0.246, atol=1e-12)
    upper = bodies[:, [4, 6]] - bodies[:, [2, 2]]
    np.testing.assert_allclose(np.abs(upper[..., 1]), 0.222, atol=1e-12)
    np.testing.assert_allclose(np.hypot(upper[..., 0], upper[..., 2]), 0.406 - 0.154, atol=1e-12)


@asserts("1988/table-3.2/*")
def test_masses_of_table_3_2() -> None:
    printed = [0.321, 0.841, 0.696, 3.085, 0.207, 0.114, 0.207, 0.114, 0.841, 0.321, 0.153, 0.153]
    np.testing.assert_allclose(MASS, printed)
    assert figure_model().mass == pytest.approx(69.19, abs=5e-3)
    j = report_inertias()
    np.testing.assert_allclose((j.jx - j.jz)[[0, 1, 8, 9]], [0.00352, 0.0082, 0.0082, 0.00352], atol=1e-12)
    rows = [0, 1, 3, 4, 5, 6, 8, 9, 10]
    np.testing.assert_allclose(j.jy[rows], [0.004, 0.012, 0.137, 0.002, 0.00425, 0.002, 0.12, 0.004, 0.0005])


@asserts("1988/mirror/printed")
def test_the_printed_start_and_end_stop_the_search() -> None:
    """Their misfit is 0.00098050, which the listing prints without a zero."""
    q = [START[0] + END[0], START[1] - END[1], START[2] + END[2], START[3] - END[3]]
    assert np.linalg.norm(q) == pytest.approx(0.00098050, abs=2e-8)


def coordinates(s: float, table: np.ndarray, state: np.ndarray, rates: np.ndarray) -> dict[str, float]:
    """X(3), X(11), Z(10), Z(11) of (3.6), written out, all angles moved on by a time s."""
    b1, b2, _, r1, r2, _ = table[:, 0] + s * table[:, 1] + 0.5 * s * s * table[:, 2]
    theta = state[0] + s * state[2] + 0.5 * s * s * rates[2]
    c = np.cos(theta)
    f, o, h, uh = 0.193, 0.214, 0.07, 0.03
    x3 = c * 2 * (f * np.sin(b2) + o * np.sin(b1))
    hip = uh + h + 2 * (f * np.cos(b2) + o * np.cos(b1)) * c
    z10 = hip - (2 * o * np.cos(r1) + f * np.cos(r2)) * c
    return {
        "x3": float(x3),
        "x11": float(x3 + 2 * (o * np.sin(r1) + f * np.sin(r2)) * c),
        "z10": float(z10),
        "z11": float(z10 - f * np.cos(r2) * c - h),
    }


@asserts("1988/error-x11", "1988/error-z10", "1988/error-z10/size", "1988/accelerations")
@pytest.mark.parametrize("row", [5, 10, 22, 33])
def test_errors_of_the_program_are_these(row: int) -> None:
    """Second differences of (3.6) against the accelerations that give the printed tables."""
    program = ReportProgram(flat())
    state = program.run(START).state[row]
    seen = program.at(row, state)
    table, rates, a = program.table[row], seen.rates[0], seen.bodies[0, :, :, 2]
    h = 1e-4
    before, now, after = (coordinates(s, table, state, rates) for s in (-h, 0.0, h))
    second = {k: (after[k] - 2 * now[k] + before[k]) / h**2 for k in now}
    assert a[2, 0] == pytest.approx(second["x3"], abs=1e-5)
    assert a[10, 0] == pytest.approx(second["x11"] - second["x3"], abs=1e-5)
    r2 = table[4]
    wrong = 2 * 0.193 * np.cos(state[0]) * (r2[2] * np.sin(r2[0]) + r2[1] ** 2 * np.cos(r2[0]))
    assert a[9, 2] == pytest.approx(second["z10"] - wrong, abs=1e-5)
    assert a[10, 2] == pytest.approx(second["z11"] - wrong, abs=1e-5)


@asserts("1988/beta1/*", "1988/beta2/*", "1988/gait-1")
def test_the_flat_gait_is_the_printed_one() -> None:
    gait = flat()
    np.testing.assert_allclose(gait.beta1.angle, np.radians([-8, 10, 6, -22, -21, -8]), atol=1e-4)
    np.testing.assert_allclose(gait.beta2.angle, np.radians([-10, 13, 29, 12, -10]), atol=1e-4)
    assert gait.beta1.angle == (-0.1396, 0.1745, 0.1047, -0.3839, -0.3665, -0.1396)
    assert gait.beta2.angle == (-0.1745, 0.2268, 0.5061, 0.2094, -0.1745)
    assert gait.beta1.index == (1, 25, 38, 53, 67, 81) and gait.beta2.index == (1, 35, 43, 50, 81)
    assert gait.beta3 is None  # feet always level


@asserts("1988/case-flat/*", "1988/case-usual/*")
def test_cases_of_figs_5_6_and_5_7() -> None:
    assert [FLAT_CASES[c].x for c in ("I", "II", "III", "IV", "V")] == [
        (0.0,), (0.0, 0.035, 0.07), (0.0, 0.035, 0.07), (-0.02, 0.0), (-0.02, 0.0, 0.035),
    ]  # fmt: skip
    assert [FLAT_CASES[c].until for c in ("II", "III", "IV", "V")] == [
        (0.3, 0.5, 1),
        (0.5, 0.8, 1),
        (0.2, 1),
        (0.2, 0.6, 1),
    ]
    assert [USUAL_CASES[c].x for c in ("I", "II", "III", "IV", "V")] == [
        (-0.05, 0.0, 0.07), (-0.02, 0.0, 0.07), (-0.03, 0.0, 0.1), (0.0,), (-0.05, 0.0),
    ]  # fmt: skip
    assert [USUAL_CASES[c].until for c in ("I", "II", "III", "V")] == [
        (0.15, 0.5, 1),
        (0.15, 0.6, 1),
        (0.15, 0.6, 1),
        (0.15, 1),
    ]


@asserts("1988/switch", "1988/angles")
def test_theta_goes_through_zero_where_the_feet_change(flat_walk: Walk) -> None:
    assert abs(flat_walk.start[0]) < 1e-4 and abs(flat_walk.end[0]) < 1e-4
    assert np.abs(flat_walk.theta).max() == pytest.approx(0.147, abs=0.002)
    assert np.degrees(np.abs(flat_walk.psi).max()) < 40.0


@asserts("1988/fig-7.2", "1988/fig-7.2/flat", "1988/posture/*")
def test_paths_come_back_after_two_steps(usual_walk: Walk, flat_walk: Walk) -> None:
    """Every mass centre, two steps on, is where it was relative to the way; the report's mapping then is the same path.
    The flat gait misses it by its foot's 4.9 mm."""
    for walk, bound, misses in ((usual_walk, 1e-3, False), (flat_walk, 1e-3, True)):
        path, listed = walk_on(walk, 4), walk_on(walk, 4, report=True)
        two = int(np.argmin(np.abs(path.time - 2.0)))
        moved = path.bodies[two] - path.bodies[0]
        moved[:, 0] -= moved[2, 0]
        assert (np.abs(moved).max() > bound) == misses
        assert (np.abs(listed.bodies - path.bodies).max() > bound) == misses


@asserts("1988/fig-7.6/pages", "1988/fig-7.7/pages", "1988/solver")
def test_pages(tmp_path: Path) -> None:
    """MONO: a page a time; LINK: one for all; the solid style has colours, the report's has none."""
    times = ["--end", "1", "--interval", "0.5", "--width", "80", "--height", "60", "--style", "stick"]
    assert main(["gait", "draw", "usual", *times, "--separate", "--out", str(tmp_path / "m.png")]) == 0
    assert len(list(tmp_path.glob("m_*.png"))) == 3
    assert main(["gait", "draw", "usual", *times, "--out", str(tmp_path / "l.png")]) == 0
    assert main(["gait", "draw", "usual", *times[:-1], "solid", "--out", str(tmp_path / "s.png")]) == 0
    lines, solid = (np.asarray(Image.open(tmp_path / f"{n}.png").convert("RGB")).astype(int) for n in "ls")
    assert np.ptp(lines, axis=2).max() == 0 and np.ptp(solid, axis=2).max() > 20


@asserts("1988/fig-2.13")
def test_the_walks_are_dynamic(flat_walk: Walk, usual_walk: Walk) -> None:
    """The mass centre is never above the sole of the foot that carries: it stays between both feet."""
    for walk in (flat_walk, usual_walk):
        com = (MASS[:, None] * walk.bodies[..., 0]).sum(axis=1) / MASS.sum()
        ahead = com[:, 0] + walk.zmp
        over = (ahead > SOLE_HEEL) & (ahead < SOLE_TOE) & (np.abs(com[:, 1]) < SOLE_HALF_WIDTH)
        assert not over.any() and com[:, 1].max() < -SOLE_HALF_WIDTH


def test_there_are_sixty_rows_and_more() -> None:
    """Without running the long parts: keys of all parts that take no world, unique, each with a verdict."""
    from bunraku_reproduce.experiment import Experiment

    document = next(d for d in DOCUMENTS if d.short == "1988")
    rows = []
    for part in document.parts():
        if part.name not in ("wishes", "pictures"):
            e = Experiment()
            part.run(e)
            rows += e.rows
    assert len(rows) > 120 and len({r.key for r in rows}) == len(rows)
    assert {r.verdict for r in rows} == {"good", "differs"}
    assert all(len(r.reason) > 20 for r in rows if r.verdict == "differs")


@asserts("1988/arms/fingers", "1988/arms/fingers-mechanics")
@pytest.mark.slow
def test_fingers_with_an_arm() -> None:
    """Fingertips stay where they took the ball, in its own frame; together they carry what it weighs and what moves
    it (Newton's law of the ball alone); the ball comes to where it was asked."""
    motion = fingers_and_arm()
    model, n = motion.model, len(motion.times)
    root = model.joint("ball.root")
    pose = bk.kinematics(model, motion.q)
    centre = motion.q[:, root.q][:, :3]
    turn = np.array([rotation_matrix(q) for q in motion.q[:, root.q][:, 3:]])
    taken = [np.einsum("nji,nj->ni", turn, pose.pose(f"arm.touch{k}")[0] - centre) for k in range(FINGERS)]
    assert max(np.abs(t - t[0]).max() for t in taken) < 1e-4  # m; the ball goes 0.6 mm a step at the most
    assert all(0.02 < np.linalg.norm(t[0]) < 0.06 for t in taken)
    np.testing.assert_allclose(centre[-1] - centre[0], REACH, atol=1e-4)
    np.testing.assert_allclose(turn[-1] @ turn[0].T, about(2, TURN), atol=1e-3)
    v = motion.v[:, root.v]
    a = np.diff(v, axis=0) / motion.dt
    forces = np.array([-motion.force_on(f"arm.t{k}") for k in range(FINGERS)])
    assert forces.shape == (FINGERS, n, 3) and np.abs(forces).max() > 1.0
    mass = 0.4
    needed = mass * (a[:, :3] + [0.0, 0.0, 9.80665])
    np.testing.assert_allclose(forces.sum(axis=0)[1:], needed, atol=1e-9)
    joints = [j for j in model.joints if j.kind == "hinge"]
    assert len(joints) == 6 + 3 * FINGERS
    assert min(np.ptp(motion.q[:, j.q]) for j in joints) > np.radians(1.0)  # all of them work
