"""Rows and their verdicts; parts that fail."""

import math

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku_reproduce.documents import DOCUMENTS, chosen
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.run import as_data, one, run, select


def verdicts(e: Experiment) -> list[str]:
    return [row.verdict for row in e.rows]


def test_verdicts_of_numbers():
    e = Experiment()
    e.equal("a", "1", "x", 69.0, 69.04, tolerance=0.05)
    e.equal("b", "1", "x", 69.0, 69.06, tolerance=0.05)
    e.equal("c", "1", "x", 69.0, 69.06, tolerance=0.05, reason="another table")
    e.equal("d", "1", "x", 69.0, math.nan, tolerance=0.05)
    e.zero("e", "1", "x", -1e-9, tolerance=1e-8)
    e.zero("f", "1", "x", 1e-7, tolerance=1e-8)
    assert verdicts(e) == ["good", "failed", "differs", "failed", "good", "failed"]
    assert e.rows[0].difference == pytest.approx(0.04)
    assert e.rows[0].reason == "" and e.rows[2].reason == "another table"


def test_verdicts_of_bounds_and_claims():
    e = Experiment()
    e.at_most("a", "1", "x", 3, 3)
    e.at_most("b", "1", "x", 3, 4)
    e.at_least("c", "1", "x", 10, 12)
    e.at_least("d", "1", "x", 10, math.nan)
    e.holds("e", "1", "x", "found", True)
    e.holds("f", "1", "x", "found", False, reason="why")
    e.waits("g", "1", "x", "steps")
    assert verdicts(e) == ["good", "failed", "good", "failed", "good", "differs", "open"]


def test_a_table_shows_what_is_farthest_off():
    e = Experiment()
    e.table("a", "1", "x", [1.0, 2.0, math.nan], [1.01, 1.95, 99.0], tolerance=0.1)
    e.table("b", "1", "x", [1.0, 2.0], [1.0, math.nan], tolerance=0.1)
    assert verdicts(e) == ["good", "failed"]
    assert (e.rows[0].printed, e.rows[0].ours) == (2.0, 1.95)
    assert "2 values" in e.rows[0].claim
    with pytest.raises(ValueError, match="2 printed values and 3 of ours"):
        e.table("c", "1", "x", [1, 2], np.zeros(3), tolerance=1)
    with pytest.raises(ValueError, match="legible"):
        e.table("d", "1", "x", [math.nan], [1.0], tolerance=1)


def test_keys_are_unique():
    e = Experiment()
    e.holds("a", "1", "x", "y", True)
    with pytest.raises(ValueError, match="two rows are called a"):
        e.holds("a", "1", "x", "y", True)


@part("Goes wrong", section="1", figure="1, 2(b)")
def wrong(e: Experiment) -> None:
    e.holds("first", "1", "x", "y", True)
    raise RuntimeError("so it is")


@part("Has no row")
def empty(e: Experiment) -> None:
    pass


@part("Is off")
def off(e: Experiment) -> None:
    e.equal("z", "1", "x", 1, 2, tolerance=0.1)


def test_a_part_that_fails_is_told_and_others_go_on():
    shown = []
    reports = run([(DOCUMENTS[0], [wrong, empty, off])], None, 0, lambda done, text: shown.append((done, text)))
    data = as_data(reports)
    assert [f["part"] for f in data["failed"]] == ["Goes wrong", "Has no row", "Is off"]
    assert "RuntimeError: so it is (test_experiment.py:" in data["failed"][0]["error"]
    assert data["counts"] == {"good": 1, "differs": 0, "open": 0, "failed": 1}
    assert [n for n, _ in shown] == [0, 1, 2]
    assert not one(wrong, Experiment()).part.title.startswith("Has")


def test_figures_select_parts():
    assert wrong.figures == ("1", "2(b)")
    assert wrong.place == "section 1, Fig. 1, Fig. 2(b)"
    with pytest.raises(InputError, match=r"no such figure is made; there are 1, .*7\.9, 7\.10\."):
        select(DOCUMENTS, "99.9")
    chosen_parts = [[p.name for p in parts] for _, parts in select(DOCUMENTS[3:4], "6.1")]
    assert chosen_parts == [["gait"]]
    for same in ("6.1(b)", "Fig. 6.1", "fig. 6.1 (c)"):
        assert [[p.name for p in parts] for _, parts in select(DOCUMENTS[3:4], same)] == chosen_parts


@pytest.mark.parametrize(("number", "last"), [("000", 5), ("001", 7), ("004", 2)])
def test_every_figure_of_a_paper_is_made(number, last):
    made = {f for p in chosen((number,))[0].parts() for f in p.figures}
    assert made == {str(k) for k in range(1, last + 1)}


def test_documents_by_number():
    assert [d.number for d in chosen(("003", "000"))] == ["000", "003"]
    assert chosen(()) == DOCUMENTS
    with pytest.raises(InputError, match=r"'005' is none of the documents; there are 000 \(Nakamura"):
        chosen(("005",))
