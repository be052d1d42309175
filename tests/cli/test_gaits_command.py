"""`bunraku gaits`: what `show` tells and writes, and mistakes. What `make` finds: tests/gaits/test_make_gait.py."""

import json

import numpy as np
import pytest

from bunraku.cli import main
from bunraku.gaits.first_guess import first_guess
from bunraku.gaits.gait import Gait, walking_twin
from bunraku.gaits.step_plan import StepPlan
from bunraku.gaits.step_problem import StepProblem
from bunraku.recording.reader import Recording


@pytest.fixture
def guess(tmp_path, monkeypatch):
    """A file with the guess that the search begins with: no walk, but a gait to be shown."""
    monkeypatch.chdir(tmp_path)
    problem = StepProblem(walking_twin(1.7, 69.0), StepPlan(1.3, 0.68, nodes=12), 0.06, 0.19)
    x = first_guess(problem)
    coefficients = x[: problem.N * problem.n].reshape(problem.N, problem.n)
    return Gait(problem.plan, 1.7, 69.0, coefficients, problem.parts(x)[3]).save("guess.npz")


def test_show_tells_and_writes(guess, capsys):
    assert main(["gaits", "show", "guess.npz", "--steps", "2", "--out", "steps.bkr", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["speed"] == 1.3 and told["file"] == "steps.bkr" and told["residual"] > 0.1  # a guess keeps no law
    with Recording.open("steps.bkr") as r:
        assert r.times[-1] == pytest.approx(2 * 0.68 / 1.3, abs=0.01)
        assert np.ptp(r.q[:, 0]) > 1.0


def test_show_of_another_height(guess, capsys):
    assert main(["gaits", "show", "guess.npz", "--height", "1.2", "--mass", "25"]) == 0
    assert "1.2 m, 25 kg" in capsys.readouterr().out


MISTAKES = [
    ("make --speed 9", "is no walk of a figure of 1.7 m"),
    ("make --speed nan", "is no walk of a figure"),
    ("make --step 5", "a step of 5 m is none"),
    ("make --height 9", "height 9"),
    ("make --mass -1", "mass -1"),
    ("make --out walk.txt", ".npz"),
    ("show nothing.npz", "nothing.npz"),
    ("show guess.npz --out x.txt", ".bkr"),
    ("show guess.npz --out x.bkr --steps 0", "0 steps"),
    ("show guess.npz --steps 3", "--steps"),
    ("show guess.npz --out guess.npz", "guess.npz"),
    ("show guess.npz --height 50", "height 50"),
]


@pytest.mark.parametrize(("options", "words"), MISTAKES)
def test_mistakes_are_one_sentence(guess, capsys, options, words):
    before = guess.read_bytes()
    assert main(["gaits", *options.split()]) == 2
    error = capsys.readouterr().err.strip()
    assert words in error and error.count("\n") == 0, error
    assert guess.read_bytes() == before
