"""`bunraku human`: what it writes and prints; its file where commands take a figure; a table of mistakes."""

import json

import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.formats import bvh
from motion_data import UNIT, strange_walk, t_posed


@pytest.fixture
def clip(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return bvh.write(t_posed(strange_walk(), UNIT), tmp_path / "clip.bvh")


def test_it_writes_the_figure_of_the_clip(clip, capsys):
    assert main(["human", "--like", "clip.bvh", "--mass", "72", "--out", "person.toml"]) == 0
    out = capsys.readouterr().out
    assert "person.toml: 1.814 m, 72.0 kg, lengths of clip (a unit of the file is 0.056444 m)" in out
    assert "thigh" in out and "468 mm left, 468 mm right" in out
    a, b = bk.load("person.toml"), bk.human(like="clip.bvh", mass=72.0)
    assert (a.reals == b.reals).all()
    assert main(["human", "--like", "clip.bvh", "--height", "1.6", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["height"] == 1.6 and told["file"] is None and told["mass"] == pytest.approx(69 * (1.6 / 1.7) ** 2)
    assert main(["human", "--body", "2000", "--out", "paper.toml"]) == 0
    assert bk.load("paper.toml").mass == pytest.approx(69.0)


def test_commands_take_it(clip, capsys):
    main(["human", "--like", "clip.bvh", "--out", "person.toml"])
    capsys.readouterr()
    assert main(["info", "person.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["source"] == "person.toml"
    assert main(["retarget", "clip.bvh", "--model", "person.toml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["scale"] * 0.01 == pytest.approx(UNIT, rel=1e-6)
    with bk.Recording.open("clip.bkr") as recording:
        assert recording.motion().model.mass == pytest.approx(bk.load("person.toml").mass)
    from bunraku.cli.view_command import world_of

    assert world_of("person.toml")[0].figures[0].model.mass == pytest.approx(bk.load("person.toml").mass)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ("--like none.bvh", "none.bvh: cannot be read; there is no such file"),
        ("--like clip.bvh --mass 0", "mass 0.0 is not a number between 1.0 and 500.0"),
        ("--like clip.bvh --height 12", "height 12.0 is not a number between 0.3 and 3.0"),
        ("--like clip.bvh --mass nan", "mass nan is not a number"),
        ("--body 1999", "'1999' is none of"),
        ("--body 2000 --mass 70", "body '2000' has the masses of its table"),
        ("--mapping m.toml", "m.toml: cannot be read"),
        ("--like clip.bvh --out person.urdf", "person.urdf: the name of a figure of a person ends in .toml"),
        ("--like clip.bvh --out clip.bvh", "clip.bvh: it is an input and would be overwritten"),
        ("--like clip.bvh --out .", "cannot be written (it is a folder)"),
    ],
)
def test_mistakes(args, sentence, clip, capsys):
    before = clip.read_bytes()
    assert main(["human", *args.split()]) == 2
    out, err = capsys.readouterr()
    assert sentence in err and err.count("\n") == 1 and not out
    assert clip.read_bytes() == before and len(list(clip.parent.iterdir())) == 1
