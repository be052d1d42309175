"""`bunraku generate`: the recording it writes, what it prints; a table of mistakes, each one sentence and exit code 2."""

import json

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.motion.generate import generate
from bunraku.scene.generation import built_in, load_generation

SHORT = built_in()["reach"].read_text().replace("seconds = 1.0", "seconds = 0.05")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reach.toml").write_text(SHORT)
    return tmp_path


def test_it_writes_what_the_call_gives(place, capsys):
    assert main(["generate", "reach.toml", "--out", "x.bkr"]) == 0
    out = capsys.readouterr().out
    assert "51, 0.05 s in steps of 1 ms" in out and "inadmissible frames" in out and "none" in out and "N m (" in out
    given = load_generation("reach.toml", bk.human())
    wanted = generate(given.model, **given.options)
    with bk.Recording.open("x.bkr") as r:
        assert np.array_equal(r.frames.q, wanted.q) and np.array_equal(r.frames.torques, wanted.torques)
        assert bk.consistency(r).base < 1e-9 and r.title == "a reach of the left hand, standing"
    assert main(["generate", "reach.toml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["frames"] == 51 and told["inadmissible"] == 0 and told["file"] is None
    assert told["largest_torque_Nm"] == pytest.approx(np.abs(wanted.torques).max())


def test_frames_that_are_not_admissible_are_counted(place, capsys):
    (place / "jump.toml").write_text(SHORT.replace("[0.8,", "[0.02,"))
    assert main(["generate", "jump.toml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert 0 < told["inadmissible"] <= 51 and sum(told["flagged"].values()) >= told["inadmissible"]


def test_the_figure_may_be_another(place, capsys):
    main(["human", "--height", "1.5", "--mass", "45", "--out", "small.toml"])
    (place / "own.toml").write_text(SHORT.replace('model = "human"', 'model = "small.toml"'))
    capsys.readouterr()
    for args in (["reach.toml", "--model", "small.toml"], ["own.toml"]):
        assert main(["generate", *args, "--out", "x.bkr"]) == 0
        with bk.Recording.open("x.bkr") as r:
            assert r.figures[0].model.mass == pytest.approx(45.0)
    assert main(["generate", "--list"]) == 0
    assert "swing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ("", "no file given"),
        ("reech", "'reech' is neither a file nor a built-in motion. Closest: 'reach'"),
        ("none.toml", "none.toml: cannot be read; there is no such file"),
        (
            "reach.toml --model nobody",
            "'nobody' is neither a figure of Bunraku, nor a robot of an installed package, nor a file",
        ),
        ("reach.toml --out x.csv", "x.csv: the name of a recording ends in .bkr"),
        ("reach.toml --out reach.toml", "reach.toml: it is an input and would be overwritten"),
        ("--list --out x.bkr", "--out has no effect with --list"),
        ("reach.toml --list", "leave FILE out"),
        ("reach.toml --seconds 3", "is not understood"),
    ],
)
def test_mistakes(args, sentence, place, capsys):
    assert main(["generate", *args.split()]) == 2
    out, err = capsys.readouterr()
    assert sentence in err and err.count("\n") == 1 and not out
    assert [p.name for p in place.iterdir()] == ["reach.toml"]
