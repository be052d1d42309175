"""Every mutant fits the sources as they are; a fixed sample of them is killed; and the runner knows a mutant that
survives, or breaks, from one that is killed."""

from collections import Counter

import pytest

from mutants.__main__ import main
from mutants.catalogue import MUTANTS
from mutants.mutant import Mutant
from mutants.trial import ROOT, attempts

pytestmark = pytest.mark.skipif(not (ROOT / "src/bunraku").is_dir(), reason="the package's sources are not here")
SAMPLE = (
    "quaternions turn the other way",
    "parallel axes: products of inertia",
    "no gyroscopic moment",
    "contact points on the wrong side",
    "pushing while parting is no error",
    "the speed of impact is that of the step's start",
    "a force sensor's arm",
    "the pressure felt ahead and behind",
    "the base's moment has the other sign",
    "angular momentum in the plan, along",
    "documents may define entities",
    "any page may connect",
)
VEC = ("kernel/test_vec.py::test_helper",)
HARMLESS = Mutant("harmless", "kernel/vec.py", '"""a + b of two v3."""', '"""Sum of two v3."""', VEC)
BROKEN = Mutant("broken", "kernel/vec.py", "def cross(a, b):", "def cross(a, b, c):", VEC)


def test_every_mutant_fits_the_sources():
    assert [x for x in (m.trouble(ROOT) for m in MUTANTS) if x] == []
    names = [m.name for m in MUTANTS]
    assert len(set(names)) == len(names) >= 60 and set(SAMPLE) <= set(names)


def test_every_folder_has_mutants():
    folders = {p.name for p in (ROOT / "src/bunraku").iterdir() if (p / "__init__.py").exists()}
    assert {f for f, n in Counter(m.folder for m in MUTANTS).items() if n >= 2} == folders


@pytest.mark.slow
def test_a_sample_is_killed():
    """Twelve quick ones, one process after another; besides them one that changes nothing and one that cannot run."""
    chosen = [m for m in MUTANTS if m.name in SAMPLE]
    results = attempts([*chosen, HARMLESS, BROKEN], 1, print)
    assert [(r.mutant.name, r.verdict, r.why) for r in results[:-2] if r.verdict != "killed"] == []
    assert [r.verdict for r in results[-2:]] == ["survived", "broken"]


def test_what_no_longer_fits_is_named(tmp_path, capsys, monkeypatch):
    gone = Mutant("gone", "kernel/vec.py", "no such line", "", VEC)
    for bad, words in (
        (gone, "has 0 times 'no such line'"),
        (Mutant("x", "kernel/vec.pi", "a", "b", VEC), "no file src/bunraku/kernel/vec.pi"),
        (
            Mutant("x", "kernel/vec.py", "def cross(", "def cruz(", ("kernel/test_vec.py::test_y",)),
            "no test tests/kernel",
        ),
    ):
        assert words in bad.trouble(ROOT)
    monkeypatch.setattr("mutants.__main__.MUTANTS", (gone,))
    assert main([]) == 2 and "gone: " in capsys.readouterr().err
    assert main(["nobody"]) == 2 and "--list" in capsys.readouterr().err


def test_what_is_listed_is_what_was_asked_for(capsys):
    assert main(["--list", "--folder", "viewer", "token"]) == 0
    assert capsys.readouterr().out.startswith("viewer: no token is needed")
    assert main(["--list", "--sample", "5", "--seed", "3"]) == 0
    first = capsys.readouterr().out
    assert main(["--list", "--sample", "5", "--seed", "3"]) == 0
    assert capsys.readouterr().out == first and len(first.splitlines()) == 5
