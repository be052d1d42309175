"""Mode `historical` against every printed table of JAERI-M 88-080 (tolerances: single-precision noise of 1988, see
TOL)."""

from __future__ import annotations

import numpy as np
import pytest

from asserts import asserts
from bunraku.gait1988.library import flat
from bunraku.gait1988.report_integrator import ReportProgram
from bunraku.gait1988.report_moments import report_moments
from bunraku.gait1988.report_shooting import search
from bunraku.gait1988.smooth import curves, leg_table, significant, support_rows, swing_rows
from bunraku.gait1988.twelve_bodies import report_inertias
from bunraku_reproduce.jaeri_1988.printed import (
    COLUMNS,
    CONTRADICTED_63,
    DAMAGED_62C,
    DAMAGED_63,
    END,
    FAILS_ARITHMETIC,
    FIRST,
    NOISE_OF_1988,
    START,
    TOL_62C,
    printed_path,
    table,
)


@pytest.mark.parametrize("figure", ["b", "c"])
@asserts("1988/fig-6.1b/*", "1988/fig-6.1c/*")
def test_smoothing_gives_fig_6_1(figure: str) -> None:
    """Original, angle, velocity, acceleration of beta1, 41 rows, for the support and the swinging leg."""
    rows = table(f"fig6_1{figure}.csv")
    gait = flat()
    curve = curves(gait)["beta1"]
    index, sign = (support_rows(gait), 1.0) if figure == "b" else (swing_rows(gait), -1.0)
    assert len(rows) == len(index) == 41
    for k, row in enumerate(rows):
        if figure == "c" and k == 4:
            row["acceleration"] = "12.1504"  # printed 1.2.1504
        velocity = float(row["velocity"])
        if figure == "c" and k >= 22:
            # the minus signs of rows 23-41 are lost in the scan: restored from the printed angles' own slope
            velocity = -abs(velocity)
        assert abs(float(row["original"]) - curve.polyline[index[k]]) < 1e-4
        assert abs(float(row["angle"]) - sign * curve.angle[index[k]]) < 1e-4, k
        assert abs(velocity - sign * curve.velocity[index[k]]) < 2e-4, k
        bound = 1e-2 if (figure == "b" and k == 7) else 5e-3
        assert abs(float(row["acceleration"]) - sign * curve.acceleration[index[k]]) < bound, k


def computed_62c(program: ReportProgram) -> dict[str, np.ndarray]:
    """The columns of Fig. 6.2(c) from the printed initial value."""
    run = program.run(START, 1e3)
    columns = np.column_stack([run.state, program.forces(run), run.rates[:, 2:]])
    return dict(zip(TOL_62C, columns.T))


def misses_62c(computed: dict[str, np.ndarray]) -> list[tuple[str, float]]:
    """Cells of Fig. 6.2(c) outside the tolerance; damaged ones against their calculated value."""
    bad = []
    for k, row in enumerate(table("fig6_2c.csv")):
        time = round(0.025 * k, 3)
        assert float(row["time"]) == time
        for name, tolerance in TOL_62C.items():
            wanted = DAMAGED_62C.get(name, {}).get(time, float(row[name]))
            if not abs(computed[name][k] - wanted) <= tolerance:
                bad.append((name, time))
    return bad


@asserts("1988/fig-6.2c/*")
def test_integration_gives_fig_6_2c() -> None:
    """41 rows x 9 columns from the printed initial value."""
    assert misses_62c(computed_62c(ReportProgram(flat()))) == []


@pytest.mark.parametrize(("body", "value"), [(8, 0.012), (0, 0.04), (3, 0.130)])
def test_a_changed_inertia_breaks_fig_6_2c(body: int, value: float) -> None:
    """Jy9 = 0.012 (its mirror's value, mechanically right), or any other constant changed, does not give the table."""
    inertias = report_inertias()
    inertias.jy[body] = value
    assert len(misses_62c(computed_62c(ReportProgram(flat(), inertias=inertias)))) > 20


def test_three_digit_tables_are_needed() -> None:
    """Unrounded tables change the smoothing by half a unit of the third digit at most, and are not what BIDYN read."""
    rough, fine = leg_table(flat()), leg_table(flat(), digits=None)
    assert np.array_equal(rough, significant(fine, 3))
    assert 0.0 < np.abs(rough - fine).max() < 0.06


@asserts("1988/iterations", "1988/iteration-*/*", "1988/start", "1988/mirror/historical")
def test_search_takes_16_iterations_along_the_printed_path() -> None:
    """Starts, ends and indices within 2e-3, except the cells of FAILS_ARITHMETIC and the four of NOISE_OF_1988."""
    found = search(ReportProgram(flat()), FIRST)
    assert found.converged
    assert len(found.iterations) == 16
    printed = printed_path()
    for number in (1, 2, 11, 12, 13, 14, 15, 16):
        step = found.iterations[number - 1]
        cells = [(number, "new", name, step.start[c], c) for c, name in enumerate(COLUMNS)]
        cells += [(number, "end", name, step.end[c], c) for c, name in enumerate(COLUMNS)]
        if number != 16:  # printed 0.0098050, a zero lost: iteration 16 stopped below 0.001
            cells.append((number, "index", "", step.index, 0))
        for *key, ours, c in cells:
            cell = tuple(key)
            if cell in FAILS_ARITHMETIC:
                continue
            deviation = abs(printed[number, cell[1]][c] - ours)
            if cell in NOISE_OF_1988:
                assert deviation == pytest.approx(NOISE_OF_1988[cell], abs=1e-4), cell
            else:
                assert deviation < 2e-3, cell
    assert found.iterations[-1].index < 1e-3 <= found.iterations[-2].index
    np.testing.assert_array_less(np.abs(found.start - START), [1e-4, 1e-3, 1e-4, 3e-3])


def printed_beta1_table() -> np.ndarray:
    """The leg table with beta1's velocities and accelerations of size 1 and more as printed in Figs 6.1(b), (c).

    The print shows GAIT's column with the noise of 1988 (six hexadecimal digits); rounded to three digits some cells
    fall on the other side than ours (row 5 of (c): printed 12.1504, exactly 12.1499). Cells below 1 are not printed
    to enough digits.
    """
    out = leg_table(flat())
    for figure, column in (("b", 0), ("c", 3)):
        for k, row in enumerate(table(f"fig6_1{figure}.csv")):
            velocity = float(row["velocity"]) * (-1.0 if figure == "c" and k >= 22 else 1.0)
            acceleration = 12.1504 if (figure, k) == ("c", 4) else float(row["acceleration"])
            for order, value in ((1, velocity), (2, acceleration)):
                if abs(value) >= 1.0:
                    out[k, column, order] = significant(np.array([value]), 3)[0]
    return out


def test_what_remains_is_the_noise_of_the_printed_table() -> None:
    """With beta1 as printed, Fig. 6.2(c) comes out four to eight times nearer, and all states of 6.2(a), (b) within
    2e-3, the indices too."""
    program = ReportProgram(flat(), table=printed_beta1_table())
    changed = np.argwhere(program.table != leg_table(flat()))
    assert [tuple(cell) for cell in changed.tolist()] == [(4, 3, 2), (7, 0, 2), (8, 0, 2)]
    computed = computed_62c(program)
    nearer = {
        "theta": 1e-4,
        "psi": 3e-4,
        "dtheta": 1e-4,
        "dpsi": 1e-3,
        "force_x": 5e-3,
        "force_y": 1e-3,
        "force_z": 8e-3,
    }
    nearer |= {"d2theta": 5e-4, "d2psi": 6e-3}
    for k, row in enumerate(table("fig6_2c.csv")):
        time = round(0.025 * k, 3)
        for name, tolerance in nearer.items():
            if time not in DAMAGED_62C.get(name, {}):
                assert abs(computed[name][k] - float(row[name])) < tolerance, (name, time)
    found = search(program, FIRST)
    assert len(found.iterations) == 16
    printed = printed_path()
    for number in (1, 2, 11, 12, 13, 14, 15, 16):
        step = found.iterations[number - 1]
        for line, values in (("new", step.start), ("end", step.end)):
            for c, name in enumerate(COLUMNS):
                if (number, line, name) not in FAILS_ARITHMETIC:
                    assert abs(printed[number, line][c] - values[c]) < 2e-3, (number, line, name)
        if number != 16:
            assert abs(printed[number, "index"][0] - step.index) < 2e-3, number


def test_listed_cells_do_fail_the_arithmetic_of_the_print() -> None:
    """Each excluded cell contradicts the other printed numbers, so leaving it out is not a matter of taste."""
    printed = printed_path()
    for number, line, name in FAILS_ARITHMETIC:
        c = COLUMNS.index(name)
        cell = printed[number, line][c]
        if line == "new":
            old = printed[11, "new"][c]
            moves = sum(abs(printed[n, "scaled" if n < 16 else "move"][c]) for n in range(12, number + 1))
            moves = 0.0 if name in ("theta", "dtheta") else moves  # these two move by less than 1e-3 in all
            assert abs(cell - (old + moves)) > 2e-3, (number, name)
        elif name == "theta":
            # the ends of iterations 11-13 fall by 0.00218 each (to 2e-5); these three cells are off that line by a
            # factor of ten
            line_12_13 = printed[12, "end"][0] + (number - 12) * (printed[13, "end"][0] - printed[12, "end"][0])
            assert abs(cell - line_12_13) > 2e-3, (number, name)
        else:
            q = np.abs(printed[number, "end"]) - np.abs(printed[number, "new"])
            q[0] = (printed[number, "end"][0] + printed[number, "new"][0]) / 10.0  # lost zeros put back
            assert abs(np.linalg.norm(q) - printed[number, "index"][0]) > 2e-3, (number, name)


def test_fully_converged_start() -> None:
    """The printed value is a solution to 1e-3; iterating on ends near (-0.00092, -0.0941, 0.70263, 2.3220)."""
    found = search(ReportProgram(flat()), FIRST, stop=1e-9)
    assert found.converged
    np.testing.assert_array_less(np.abs(found.start - [-0.00092, -0.0941, 0.70263, 2.3220]), [1e-4, 1e-3, 1e-4, 3e-3])


@pytest.mark.parametrize("figure", ["b", "c"])
@asserts("1988/fig-6.3b/*", "1988/fig-6.3c/*")
def test_moments_give_fig_6_3(figure: str) -> None:
    """108 coordinates and derivatives, 63 torques, at the state of the second evaluation.

    At t = 1 that state is the printed terminal value plus the difference between second evaluation and final value.
    """
    program = ReportProgram(flat())
    if figure == "b":
        run = program.at(0, START)
    else:
        whole = program.run(START, 1e3)
        run = program.at(40, END + whole.seen[40] - whole.state[40])
    moments = report_moments(program, run)
    kinds = {"T": moments.translation, "R": moments.rotation, "S": moments.total}
    checked = 0
    for row in table(f"fig6_3{figure}.csv"):
        name, number = row["quantity"], int(row["number"])
        key = (figure, name, number)
        replaced = DAMAGED_63 | CONTRADICTED_63
        if row["value"] == "lost" and key not in replaced:
            continue  # nothing legible to compare with: at t = 0 the rotation TQY, TQZ and the totals
        wanted = replaced[key] if key in replaced else float(row["value"])
        axis = "XYZ".index(name[-1])
        if name[0] in kinds and len(name) == 2:
            assert abs(kinds[name[0]][0, number - 1, axis] - wanted) < 1e-3, key
        else:
            got = run.bodies[0, number - 1, axis, {"": 0, "D": 1, "D2": 2}[name[:-1]]]
            assert abs(got - wanted) < 1e-3 * abs(wanted) + 5e-4, key
        checked += 1
    assert checked == (108 + 28 if figure == "b" else 108 + 63)


def test_the_contradicted_cell_is_the_only_total_that_is_not_translation_minus_rotation() -> None:
    """Fig. 6.3(c)'s own arithmetic, cells as printed (damaged ones as calculated), to 1e-3 kp m."""
    cells = {(row["quantity"], int(row["number"])): row["value"] for row in table("fig6_3c.csv")}

    def value(name: str, joint: int) -> float:
        return DAMAGED_63["c", name, joint] if ("c", name, joint) in DAMAGED_63 else float(cells[name, joint])

    wrong = {
        ("c", f"S{axis}", joint)
        for axis in "XYZ"
        for joint in range(1, 8)
        if abs(value(f"T{axis}", joint) - value(f"R{axis}", joint) - value(f"S{axis}", joint)) > 1e-3
    }
    assert wrong == set(CONTRADICTED_63)


@asserts("1988/symmetry/*", "1988/x2")
def test_stride_is_symmetric_as_in_section_6_2() -> None:
    """Differences of the leg pairs at both ends of the step, printed in section 6.2."""
    run = ReportProgram(flat()).run(START, 1e3)
    pairs = {(10, 11): (0.2766, -0.34, 0.0049), (9, 0): (0.2234, -0.34, 0.0083), (8, 1): (0.0850, -0.34, 0.0058)}
    for (a, b), (dx, dy, dz) in pairs.items():
        first = run.bodies[0, a, :, 0] - run.bodies[0, b, :, 0]
        last = run.bodies[40, a, :, 0] - run.bodies[40, b, :, 0]
        np.testing.assert_allclose(first, (-dx, dy, -dz), atol=1.1e-4)
        np.testing.assert_allclose(last, (dx, dy, dz), atol=1.1e-4)
