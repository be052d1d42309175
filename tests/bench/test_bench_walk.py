"""`bunraku bench walk`: figures of a short walk, and refusals."""

import json

import pytest

from asserts import asserts
from bunraku.cli import main
from bunraku_bench.bench_walk_time import against_contacts, against_mujoco, cut_soles, figure_36, with_stabiliser
from bunraku_bench.bench_walk_trials import HEADS, cells


@asserts("2007/time/dof")
def test_the_figure_has_36_degrees_of_freedom_with_its_bushes():
    found = against_contacts(1, cuts=(1, 2), steps=2)
    assert found["joint_dof"] == 36
    assert {r["points"] for r in found["table"]} >= {4, 8, 16}
    assert all(r["us"] > 0 for r in found["table"]) and found["real_time_factor"] > 0


def test_cut_soles_are_the_same_sole():
    model = figure_36().build()
    cut = cut_soles(model.description, ("left_foot", "right_foot"), 3).build()
    assert model.mass == pytest.approx(69.0) and cut.mass == pytest.approx(69.0)
    pieces = [s for s in cut.shapes if s.link == "left_foot"]
    whole = next(s for s in model.shapes if s.link == "left_foot")
    ends = [s.position[0] + sign * s.size[0] for s in pieces for sign in (-1, 1)]
    assert len(pieces) == 3
    assert (min(ends), max(ends)) == pytest.approx(
        (whole.position[0] - whole.size[0], whole.position[0] + whole.size[0])
    )


def test_the_stabiliser_is_timed(capsys):
    """By itself, and in JSON beside the keys that were there before."""
    found = with_stabiliser(1, steps=2)
    assert found["joint_dof"] == 34 and found["period_ms"] == 2.0
    assert found["real_time_factor"] == pytest.approx(1e3 / found["mean_us"])
    assert main(["bench", "walk", "--repeats", "1", "--no-contacts", "--no-mujoco", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["real_time_factor_stabiliser"] == report["stabiliser"]["real_time_factor"] > 0
    assert set(report) == {"stabiliser", "real_time_factor_stabiliser", "method", "machine"}


def test_mujoco_walks_the_same_walk():
    found = against_mujoco(1, steps=2)
    assert found["fell"] == [] and found["mujoco"]["us"] > 0 and all(r["ratio"] > 0 for r in found["ours"])


def test_rows_of_the_table():
    row = {"walk": "19 steps", "figure": "human", "bushes": False, "stabiliser": True, "contact": "pgs"}
    assert cells({**row, "error": "no feet"})[7] == "no feet" and len(cells({**row, "error": ""})) == len(HEADS)


def test_refusals(capsys):
    assert main(["bench", "walk", "--repeats", "0"]) == 2
    assert "--repeats" in capsys.readouterr().err
