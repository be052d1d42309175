"""Starts and postures that the report prints beside its tables: Fig. 5.3 (case V), Fig. 7.5 (twelve coordinates of the
usual gait), TIME INDEX of the starts that fail in Fig. 6.2(a), and the sentence of section 6.1 on the ZMP cases; and
mode historical on every gait of the library, from the exact start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares

from asserts import asserts
from bunraku.gait1988.library import CASED, GAITS, flat, library_gait, usual
from bunraku.gait1988.listing import bidyn_listing
from bunraku.gait1988.report_integrator import TOO_BIG, ReportProgram
from bunraku.gait1988.report_shooting import newton, search
from bunraku.gait1988.shooting import LARGEST_PSI
from bunraku.gait1988.solved_walk import exact_walk, historical_walk
from bunraku.gait1988.survey import survey, survey_csv
from bunraku.gait1988.zmp import FLAT_CASES, USUAL_CASES, Zmp
from bunraku_reproduce.jaeri_1988.printed import BETA3, FIG_5_3, FIG_7_5, PRINTED_INDEX


@asserts("1988/fig-5.3/start")
def test_the_search_finds_the_start_of_fig_5_3() -> None:
    """Case V from the first start of Fig. 5.2: the start on MOMA's printed deck, each number within 4e-4; all numbers of
    ours that converge end there within the search's own bound of misfit, 1e-3."""
    found = search(ReportProgram(flat("V")), np.array(flat().starts[0]))
    assert found.converged
    assert np.abs(found.start - FIG_5_3).max() < 4e-4
    others = [search(ReportProgram(flat("V")), np.array(s)) for s in flat().starts[1:]]
    assert [o.converged for o in others] == [True, False, False, True]
    assert all(np.abs(o.start - FIG_5_3).max() < 1e-3 for o in others if o.converged)


def test_the_printed_start_is_periodic_to_the_bound_of_the_search() -> None:
    """What Fig. 5.3 misses of the periodic start is small in theta and psi; its rates were stopped at 2e-3."""
    program = ReportProgram(flat("V"))
    end, stopped = program.end(FIG_5_3)
    assert stopped == 0
    misfit = FIG_5_3 + np.array([1.0, -1.0, 1.0, -1.0]) * end
    assert np.all(np.abs(misfit) < [1e-4, 1e-3, 1e-4, 3e-3])
    assert np.abs(newton(program, FIG_5_3).start - FIG_5_3).max() < 1e-3


def bodies_of(angles: np.ndarray) -> np.ndarray:
    """(12, 3) mass centres of the report's figure for theta, psi and the four leg angles, with the printed feet."""
    program = ReportProgram(usual("I"))  # whose ZMP begins at -0.05, as X(12) says
    program._arrays.table[0] = 0.0
    program._arrays.table[0, :, 0] = [*angles[2:4], BETA3[0], *angles[4:6], BETA3[1]]
    return program.at(0, np.array([angles[0], angles[1], 0.0, 0.0])).bodies[0, :, :, 0]


@asserts("1988/fig-7.5/*")
def test_twelve_coordinates_of_fig_7_5() -> None:
    """Six angles explain all 36 printed numbers within 0.4 mm: the figure and (3.6) are those of the drawing program.
    (The angles themselves, data (8), were never printed.)"""
    fit = least_squares(lambda x: (bodies_of(x) - FIG_7_5).ravel(), np.zeros(6), x_scale=0.1)
    miss = np.abs(bodies_of(fit.x) - FIG_7_5)
    assert miss.max() < 4e-4
    assert miss[11].max() < 2e-5  # the carrying foot: no angle of the six moves it
    assert 0.3 < np.degrees(fit.x[0]) < 0.7 and np.abs(np.degrees(fit.x)).max() < 30.0
    links = np.linalg.norm(FIG_7_5[1] - FIG_7_5[0])
    assert abs(links - np.linalg.norm(bodies_of(fit.x)[1] - bodies_of(fit.x)[0])) < 4e-4


@pytest.mark.parametrize(("body", "axis"), [(3, 2), (0, 0), (8, 2), (5, 0)])
def test_other_coordinates_are_not_explained(body: int, axis: int) -> None:
    """The check can fail: with one number 4 mm off no six angles explain them."""
    wrong = FIG_7_5.copy()
    wrong[body, axis] += 0.004
    fit = least_squares(lambda x: (bodies_of(x) - wrong).ravel(), np.zeros(6), x_scale=0.1)
    assert np.abs(bodies_of(fit.x) - wrong).max() > 8e-4


OUR_INDEX = {(0.007, 0.3): 35, (0.02, 0.3): 35, (0.007, 0.4): 32, (0.007, 0.5): 30}


@pytest.mark.parametrize("start", list(PRINTED_INDEX))
@asserts("1988/time-index/*")
def test_time_index_of_starts_that_fail(start: tuple[float, float]) -> None:
    """They fail, as printed, and a larger psi earlier; but ours three to six rows before the printed index. The bound of
    the norm, which is not printed, does not explain it: no bound up to 1000 gives 38."""
    program = ReportProgram(flat())
    full = np.array([*start, 0.7, 2.3])
    found = search(program, full)
    assert (found.status, found.stopped, len(found.iterations)) == ("norm too big", OUR_INDEX[start], 0)
    assert found.told == f"norm too big, TIME INDEX {OUR_INDEX[start]}"
    assert 3 <= PRINTED_INDEX[start] - found.stopped <= 6
    assert max(program.end(full, limit)[1] for limit in (5.0, TOO_BIG, 20.0, 100.0, 1000.0)) < PRINTED_INDEX[start]


def test_the_printed_indices_belong_to_a_slower_start() -> None:
    """With psi' = 2.05 instead of 2.3 the first three printed indices come out, and the fifth to 3."""
    program = ReportProgram(flat())
    ours = [program.end(np.array([*s, 0.7, 2.05]))[1] for s in PRINTED_INDEX]
    assert ours[:3] == [38, 38, 36] == list(PRINTED_INDEX.values())[:3]
    assert ours[3] == 33


def test_failed_starts_stand_in_the_listing_and_the_survey() -> None:
    starts = ((0.007, 0.4, 0.7, 2.3), (0.007, 0.3, 0.7, 1.8))
    text = bidyn_listing(historical_walk(replace(flat(), starts=starts)))
    before, _, after = text.partition("STATE VECTOR NORM IS TOO BIG, TRY NEW INITIAL VALUE")
    assert "TIME INDEX 32" in before and "0.40000000" in before and "ITERATION" not in before
    assert "SOLUTION FOUND IN 16 ITERATIONS" in after
    result = survey(flat(), np.array(starts), "historical")
    assert [t.stopped for t in result.trials] == [32, 0]
    head, *rows = survey_csv(result).splitlines()
    column = head.split(",").index("time_index")
    assert [row.split(",")[column] for row in rows] == ["32", "0"]


@asserts("1988/zmp-psi")
def test_the_further_back_the_zmp_the_further_back_the_trunk() -> None:
    """Section 6.1, first half of the sentence, over the five cases of Fig. 5.6, historical and exact: mean psi falls as
    the mean of the ZMP goes back."""
    for solved in (exact_walk, historical_walk):
        walks = [solved(flat(case)) for case in FLAT_CASES]
        order = np.argsort([w.zmp.mean() for w in walks])
        assert np.all(np.diff([walks[k].psi.mean() for k in order]) > 0)


@asserts("1988/case-ii")
def test_case_ii_leans_by_as_much_as_printed_but_forwards() -> None:
    """Section 6.1, second half: 'in case II the trunk bends back by up to 40 degrees'. Ours leans 34 degrees (exact 35)
    FORWARDS, as the first half of the sentence demands: Fig. 5.6 has the ZMP of case II ahead. With that ZMP as far
    behind the foot's centre as it is ahead the trunk does bend back, by 50 degrees."""
    historical, exact = (np.degrees(w.psi) for w in (historical_walk(flat("II")), exact_walk(flat("II"))))
    for psi in (historical, exact):
        assert psi.min() > 0.0 and 33.0 < psi.max() < 36.0
    behind = replace(flat("II"), zmp=Zmp((0.3, 0.5, 1.0), (0.0, -0.035, -0.070)))
    psi = np.degrees(exact_walk(behind).psi)
    assert psi.max() < 0.0 and -52.0 < psi.min() < -46.0


EVERY = [
    *(("flat", case) for case in FLAT_CASES),
    *(("usual", case) for case in USUAL_CASES),
    *((name, None) for name in GAITS if name not in CASED),
]


@pytest.mark.parametrize(("name", "case"), EVERY)
def test_every_gait_runs_in_mode_historical(name: str, case: str | None) -> None:
    """From the exact start, where a gait has none of its own, in at most four iterations; then within the report's
    bound, a walk, and near the exact one: what is left are the errors of the program (largest in psi on stairs)."""
    gait = replace(library_gait(name, case), starts=())
    walk, exact = historical_walk(gait), exact_walk(gait)
    np.testing.assert_allclose(walk.search.first, exact.start, atol=1e-9)  # type: ignore[union-attr]
    assert walk.iterations <= 4
    assert np.linalg.norm(walk.start + np.array([1.0, -1.0, 1.0, -1.0]) * walk.end) < 1e-3
    assert np.abs(walk.psi).max() < LARGEST_PSI
    assert np.abs(walk.theta - exact.theta).max() < 6e-3
    assert np.abs(walk.psi - exact.psi).max() < 0.08
    assert np.abs(walk.psi - exact.psi).max() > 0.01  # the errors of the program are there
