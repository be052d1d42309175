"""`bunraku reproduce` whole: every row is good, or differs with a reason, or waits for what is named; every good row is
asserted by a test of its own."""

import json

import pytest

from asserts import asserted, naming
from bunraku.cli import main
from bunraku_reproduce.documents import DOCUMENTS

SHORT = {d.number: d.short for d in DOCUMENTS}
WAITING = (
    "walk",
    "step",
    "rise",
    "rising",
    "legs",
    "grip",
    "partner",
    "carr",
    "lift",
    "valve",
)  # what is still to be built


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduced")
    code = main(["reproduce", "--out", str(folder)])
    found = json.loads((folder / "rows.json").read_text(encoding="utf-8"))
    assert code == 0, found["failed"]
    pages = {p.name for p in folder.glob("*.html")}
    assert pages == {"index.html", *(d.page for d in DOCUMENTS)}
    assert not list(folder.glob("*.part"))
    return found


@pytest.mark.slow
def test_no_part_fails(data):
    assert data["failed"] == []
    assert data["counts"]["failed"] == 0
    assert len(data["rows"]) >= 110
    for number in SHORT:
        assert sum(row["document"] == number for row in data["rows"]) >= 10


@pytest.mark.slow
def test_every_good_row_is_asserted_by_a_test(data):
    marks = asserted()
    rows = [f"{SHORT[row['document']]}/{row['key']}" for row in data["rows"] if row["verdict"] == "good"]
    assert [name for name in rows if not naming(name, marks)] == []


@pytest.mark.slow
def test_every_mark_names_a_row(data):
    rows = {f"{SHORT[row['document']]}/{row['key']}": ["x"] for row in data["rows"]}
    assert [name for name in asserted() if not any(naming(row, {name: ["x"]}) for row in rows)] == []


@pytest.mark.slow
def test_what_differs_has_a_reason_and_what_is_open_waits_for_something(data):
    for row in data["rows"]:
        if row["verdict"] == "differs":
            assert len(row["reason"]) > 20, row
        if row["verdict"] == "open":
            assert any(word in f"{row['claim']} {row['reason']}".lower() for word in WAITING), row


@pytest.mark.slow
def test_keys_are_unique_in_a_document(data):
    names = [(row["document"], row["key"]) for row in data["rows"]]
    assert len(names) == len(set(names))
