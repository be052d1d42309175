"""MOMA from its own cards: the printed deck, decks of our own there and back, Fig. 6.3 out of them, bad decks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bunraku.cli import main
from bunraku.errors import NoWalk
from bunraku.gait1988.cards import (
    from_gait,
    moma_deck,
    read_dynamics_cards,
    with_moma,
    write_dynamics_cards,
    write_gait_cards,
)
from bunraku.gait1988.library import flat, usual
from bunraku.gait1988.report_integrator import ReportProgram
from bunraku.gait1988.report_moments import report_moments
from bunraku.gait1988.solved_walk import Walk, moma_walk
from bunraku.gait1988.twelve_bodies import G

FIG_5_3 = """\
 BETA1 AND BETA2 ARE READ

     1.0     1.0
     0.2     0.6   0.035    0.02
          0.00083247          0.03079999          0.70261312          2.12083340
"""
START = (-0.00092496, -0.09368646, 0.70267099, 2.32086754)  # Fig. 6.3(a)


def test_printed_deck_there_and_back() -> None:
    cards = read_dynamics_cards(FIG_5_3, one_start=True)
    assert (cards.t1, cards.t2, cards.be1, cards.be2) == (0.2, 0.6, 0.035, 0.02)
    assert read_dynamics_cards(write_dynamics_cards(cards), one_start=True) == cards
    gait = with_moma(flat(), cards)
    assert gait.patterns == flat().patterns
    assert gait.zmp.x == flat("V").zmp.x and gait.zmp.until == flat("V").zmp.until
    assert gait.starts == ((0.00083247, 0.03079999, 0.70261312, 2.12083340),)


def test_random_decks_survive() -> None:
    """Factors and places of three decimals, starts of eight, as the columns hold them: 100 decks, seed 88."""
    rng = np.random.default_rng(88)
    for _ in range(100):
        t1, t2 = np.sort(rng.uniform(0.05, 0.95, 2)).round(3)
        text = write_dynamics_cards(
            read_dynamics_cards(FIG_5_3).__class__(
                ("A WALK", ""),
                round(rng.uniform(0.5, 2.0), 3),
                round(rng.uniform(0.5, 1.5), 3),
                float(t1),
                float(t2),
                round(rng.uniform(0.0, 0.1), 3),
                round(rng.uniform(0.0, 0.05), 3),
                (tuple(float(v) for v in rng.normal(size=4).round(8)),),  # type: ignore[arg-type]
            )
        )
        cards = read_dynamics_cards(text, one_start=True)
        assert write_dynamics_cards(cards) == text
        assert with_moma(flat(), cards).starts == cards.starts


def test_the_step_is_the_one_from_the_given_start() -> None:
    """No search: the bodies and moments are those of one integration from the deck's start (Fig. 6.3(a))."""
    walk = moma_walk(with_moma(flat("II"), moma_deck(flat("IV"), START)))
    program = ReportProgram(flat("IV"))
    run = program.run(np.array(START))
    assert np.array_equal(walk.start, START)
    assert (walk.mode, walk.iterations) == ("historical", 0)
    np.testing.assert_array_equal(walk.bodies, run.bodies)
    np.testing.assert_allclose(walk.moments, -G * report_moments(program, run, corrected=True).total)


def test_command_prints_fig_6_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TRANSLATION TQX of joints 1 and 2 at t = 0 as printed, 0.89944 and 4.5546, and the terminal psi, -0.09460."""
    (tmp_path / "iv.moma").write_text(write_dynamics_cards(moma_deck(flat("IV"), START)))
    assert main(["gait", "moments", "--moma", str(tmp_path / "iv.moma")]) == 0
    text = capsys.readouterr().out
    row = next(line for line in text.splitlines() if line.startswith("TQX"))
    np.testing.assert_allclose([float(v) for v in row.split()[1:3]], [0.89944, 4.5546], atol=1e-3)
    last = text.split("STATE VECTOR TERMINAL VALUE")[1].split()
    miss = np.abs(np.array([float(v) for v in last]) - [0.00094424, -0.09460098, -0.7025948, 2.32052326])
    assert np.all(miss < [2e-4, 1.5e-3, 3e-4, 4e-3])  # as of Fig. 6.2(c)


def test_cards_of_gait_need_no_bidyn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """GAIT's cards and MOMA's, made by `convert` and `solve`, give the walk that BIDYN found."""
    (tmp_path / "a.gait").write_text(write_gait_cards(from_gait(flat())[0]))
    assert main(["gait", "solve", "flat", "--mode", "historical", "--out", str(tmp_path / "a.moma")]) == 0
    assert main(["gait", "moments", str(tmp_path / "a.gait"), "--moma", str(tmp_path / "a.moma"), "--json"]) == 0
    given = json.loads(capsys.readouterr().out)
    assert main(["gait", "moments", "flat", "--mode", "historical", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert given["mode"] == "historical"
    np.testing.assert_allclose(given["moments_Nm"], found["moments_Nm"], atol=1e-4)  # the start has eight decimals


def test_the_factors_of_the_cards_hold() -> None:
    """PER 2: a step of two seconds; SFO 0.5: half the angles; the library's gait says neither."""
    cards = read_dynamics_cards(FIG_5_3.replace("     1.0     1.0\n", "     2.0     0.5\n"))
    gait = with_moma(usual(), cards)
    assert gait.step_time == 2.0 and gait.angle_factor == 0.5


def test_a_start_that_falls_is_told() -> None:
    bad = moma_deck(flat(), (0.0, 0.6, 0.7, 3.0))
    with pytest.raises(
        NoWalk, match=r"from the start \(0, 0\.6, 0\.7, 3\) the figure falls, norm too big, TIME INDEX \d+"
    ):
        moma_walk(with_moma(flat(), bad))


BAD = [
    (FIG_5_3 + FIG_5_3.splitlines()[-1] + "\n", "found 2 starts, wanted one (MOMA takes the converged start)"),
    ("\n".join(FIG_5_3.splitlines()[:4]) + "\n", "found 0 starts, wanted one"),
    (FIG_5_3.replace("0.02\n", "0.9\n"), "4: column 25: found 0.9, wanted BE2 within 0.5 m"),
    (FIG_5_3.replace(" BETA1", "BETA1"), "1: column 1: found 'B', wanted a blank first column"),
    (FIG_5_3.replace("0.03079999", "0.0307x999"), "5: column 21: found '0.0307x999'"),
    ("", "1: the file is empty; wanted cards as in section 5.1"),
]


@pytest.mark.parametrize(("text", "sentence"), BAD)
def test_bad_decks(tmp_path: Path, text: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.moma").write_text(text)
    assert main(["gait", "moments", "--moma", str(tmp_path / "x.moma")]) == 2
    message = capsys.readouterr().err
    assert f"x.moma:{sentence}" in message or sentence in message
    assert "x.moma" in message and "Traceback" not in message


def test_historical_walk_is_what_bidyn_left(report_walk: Walk) -> None:
    """MOMA from BIDYN's own start repeats its step bit for bit."""
    start = tuple(float(v) for v in report_walk.start)
    again = moma_walk(with_moma(flat(), moma_deck(flat(), start)))
    np.testing.assert_array_equal(again.bodies, report_walk.bodies)
