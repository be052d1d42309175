"""`bunraku run`: list, table, JSON, files, mistakes with exit code 2 and one sentence."""

import json

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.cli.run_command import FILES
from bunraku.files import NOTE


def test_list(capsys):
    assert main(["run", "--list"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 15 and "slope " in out and "bar " in out
    assert main(["run", "--list", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) >= {"fall", "spin"}


def test_table(capsys):
    assert main(["run", "spin", "--seconds", "0.05"]) == 0
    out = capsys.readouterr().out
    for words in (
        "time simulated",
        "0.05 s, 50 steps",
        "real-time factor",
        "penetration",
        "residual",
        "energy",
        "foot",
    ):
        assert words in out


def test_files_and_json(tmp_path, capsys):
    folder = tmp_path / "new" / "out"
    assert main(["run", "bar", "--seconds", "0.5", "--out", str(folder), "--json", "--seed", "7"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data == json.loads((folder / "summary.json").read_text())
    assert data["steps"] == 500 and data["seed"] == 7 and data["contact"] == "pgs"
    assert [b["connection"] for b in data["broken"]] == ["left grip", "right grip"]
    assert sorted(p.name for p in folder.iterdir() if p.name != NOTE) == [
        "plot.png",
        "state.npz",
        "strobe.png",
        "summary.json",
    ]
    assert {p.name for p in folder.iterdir()} == {*FILES, NOTE}
    assert all((folder / name).read_bytes()[:4] == b"\x89PNG" for name in ("plot.png", "strobe.png"))
    world = bk.scene.load("bar").resume(folder / "state.npz")
    assert world.time == pytest.approx(0.5) and np.allclose(world["acrobat"].com, data["figures"]["acrobat"]["com_m"])


def test_no_pictures(tmp_path, capsys):
    assert main(["run", "spin", "--seconds", "0.01", "--no-pictures", "--out", str(tmp_path)]) == 0
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != NOTE) == ["state.npz", "summary.json"]
    assert str(tmp_path) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "no scene given"),
        (["slop"], "Closest: 'slope'"),
        (["missing.toml"], "no such file"),
        (["spin", "--seconds", "0"], "--seconds"),
        (["spin", "--seconds", "nan"], "--seconds"),
        (["spin", "--seed", "-1"], "--seed"),
        (["spin", "--contact", "magic"], "contact model 'magic'"),
    ],
)
def test_mistakes(args, words, capsys):
    assert main(["run", *args]) == 2
    err = capsys.readouterr().err
    assert words in err and err.count("\n") == 1 and "Traceback" not in err


def test_a_bad_file_names_table_and_key(tmp_path, capsys):
    file = tmp_path / "bad.toml"
    file.write_text('[[figure]]\nmodel = "box"\nsiz = [1, 1, 1]\n')
    assert main(["run", str(file)]) == 2
    assert "bad.toml: [[figure]] 1: there is no key 'siz'. Closest: 'size'" in capsys.readouterr().err


def test_a_place_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["run", "spin", "--seconds", "0.01", "--out", str(tmp_path / "file")]) == 2
    assert "cannot be written" in capsys.readouterr().err
