"""`bunraku gait …`: every command from the command line, files in all forms, mistakes answered with one sentence and
code 2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bunraku.cli import main
from bunraku.files import NOTE
from bunraku.gait1988.gaitfile import read_gait_toml
from bunraku.gait1988.library import flat
from bunraku.gait1988.run_all import FILES


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gait", "--help"]) == 0
    text = capsys.readouterr().out
    for name in ("smooth", "solve", "moments", "servo", "survey", "draw", "convert", "export", "follow", "run"):
        assert name in text


def test_solve_prints_the_listing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gait", "solve", "--mode", "historical"]) == 0
    text = capsys.readouterr().out
    assert "SOLUTION FOUND IN 16 ITERATIONS" in text
    assert "MODE HISTORICAL" in text


def test_solve_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gait", "solve", "flat", "--case", "V", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["mode"] == "exact"
    assert data["zmp_residual_Nm"] < 1e-9
    assert {c["name"] for c in data["checks"]} >= {"clearance", "least lift"}


def test_files_of_every_command(tmp_path: Path) -> None:
    for command, suffixes in {
        "smooth": ("txt", "csv"),
        "solve": ("txt", "csv", "npz"),
        "moments": ("txt", "csv", "npz"),
        "servo": ("txt", "csv"),
    }.items():
        for suffix in suffixes:
            path = tmp_path / f"{command}.{suffix}"
            assert main(["gait", command, "smooth", "--out", str(path)]) == 0
            assert path.stat().st_size > 500
    assert main(["gait", "moments", "flat", "--steps", "3", "--out", str(tmp_path / "path.csv")]) == 0
    assert len((tmp_path / "path.csv").read_text().splitlines()) == 1 + 41 + 40 + 40
    assert np.load(tmp_path / "solve.npz", allow_pickle=False)["time"].shape == (41,)


@pytest.mark.parametrize("command", ["smooth", "moments", "servo", "survey"])
def test_json_of_every_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    extra = ["--count", "3"] if command == "survey" else []
    assert main(["gait", command, "flat", "--json", *extra]) == 0
    assert json.loads(capsys.readouterr().out)["gait"] == "flat"


def test_cards_and_toml_convert_both_ways(tmp_path: Path) -> None:
    """flat V -> cards -> TOML -> cards: the same text and the same gait."""
    assert main(["gait", "convert", "flat", str(tmp_path / "a.gait"), "--case", "V"]) == 0
    assert main(["gait", "convert", str(tmp_path / "a.gait"), str(tmp_path / "b.toml")]) == 0
    gait = read_gait_toml((tmp_path / "b.toml").read_text())
    assert gait.patterns == flat("V").patterns
    assert gait.zmp.x == flat("V").zmp.x
    assert gait.starts == flat("V").starts
    assert main(["gait", "convert", str(tmp_path / "b.toml"), str(tmp_path / "c.gait")]) == 0
    assert (tmp_path / "a.gait").read_text() == (tmp_path / "c.gait").read_text()
    start = ["--start", "0.007", "0.3", "0.7", "1.8"]
    assert main(["gait", "solve", str(tmp_path / "a.gait"), "--out", str(tmp_path / "w.csv"), *start]) == 0


def test_moma_cards_carry_the_found_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """BIDYN's answer on MOMA's cards is taken as the walk itself: no further iteration."""
    assert main(["gait", "convert", "flat", str(tmp_path / "a.gait")]) == 0
    assert main(["gait", "solve", "flat", "--mode", "historical", "--out", str(tmp_path / "a.moma")]) == 0
    cards = ["--bidyn", str(tmp_path / "a.moma"), "--mode", "historical"]
    assert main(["gait", "solve", str(tmp_path / "a.gait"), *cards]) == 0
    assert "SOLUTION FOUND IN 0 ITERATIONS" in capsys.readouterr().out


def test_own_zmp(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gait", "solve", "flat", "--zmp", "0.1:-0.03,0.5:0,1.0:0.02"]) == 0
    assert "ZMP =  0.020 FOR TIME  0.500 TO  1.000" in capsys.readouterr().out


def test_survey_text_and_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gait", "survey", "--own-starts", "--method", "historical"]) == 0
    text = capsys.readouterr().out
    assert "5 starts, method historical" in text
    assert "norm too big" in text
    assert main(["gait", "survey", "--count", "4", "--seed", "3", "--out", str(tmp_path / "s.csv")]) == 0
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 5


def test_pictures(tmp_path: Path) -> None:
    size = ["--width", "160", "--height", "120"]
    assert main(["gait", "draw", "flat", "--view", "front", "--out", str(tmp_path / "s.png"), *size]) == 0
    assert Image.open(tmp_path / "s.png").size == (160, 120)
    times = ["--begin", "0.5", "--end", "1.5", "--interval", "0.5"]
    assert main(["gait", "draw", "usual", *times, "--separate", "--out", str(tmp_path / "f.png"), *size]) == 0
    assert sorted(p.name for p in tmp_path.glob("f_*.png")) == ["f_0001.png", "f_0002.png", "f_0003.png"]
    close = ["--end", "0.0012", "--interval", "0.0003", "--separate", "--out", str(tmp_path / "c.png")]
    assert main(["gait", "draw", "usual", *close, *size]) == 0
    assert len(list(tmp_path.glob("c_*.png"))) == 5
    film = ["--end", "0.3", "--interval", "0.1", "--out", str(tmp_path / "w.gif")]
    assert main(["gait", "draw", "flat", "--arms-free", *film, *size]) == 0
    assert Image.open(tmp_path / "w.gif").n_frames == 4


def test_run_writes_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gait", "run", "--out", str(tmp_path / "job")]) == 0
    text = capsys.readouterr().out
    assert "step                  0.277 m in 1 s" in text
    assert str(tmp_path / "job") in text
    assert "known faults of the report's data, see docs/gait.md" in text
    names = {p.name for p in (tmp_path / "job").iterdir()}
    assert {
        "strobe.png",
        "walk.gif",
        "angles.png",
        "power.png",
        "bidyn.txt",
        "moma.txt",
        "servo.txt",
        "walk.npz",
    } <= names
    assert names == {*FILES, NOTE}


@pytest.mark.slow
def test_run_historical_and_usual(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gait", "run", "--mode", "historical", "--out", str(tmp_path / "h"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["mode"], data["iterations"]) == ("historical", 16)
    assert main(["gait", "run", "usual", "--out", str(tmp_path / "w")]) == 0
    text = capsys.readouterr().out
    assert "usual (Bunraku)" in text
    assert "NO" not in text.split("holds")[1] and "known faults" not in text


MISTAKES = [
    (["gait", "solve", "flatt"], "Closest: 'flat'"),
    (["gait", "solve", "flat", "--case", "VI"], "not in the report"),
    (["gait", "solve", "smooth", "--case", "I"], "has no ZMP cases"),
    (["gait", "solve", "none.toml"], "none.toml: cannot be read"),
    (["gait", "solve", "flat", "--zmp", "1.0=0"], "--zmp: found '1.0=0'"),
    (["gait", "solve", "flat", "--zmp", "1.0:0.2"], "no periodic walk found"),
    (["gait", "solve", "flat", "--zmp", "0.5:0.0"], "the step lasts 1 s"),
    (["gait", "solve", "flat", "--out", "walk.xml"], "must end in .txt or .csv or .npz or .moma"),
    (["gait", "solve", "flat", "--samples", "1"], "wanted 2 to 100001"),
    (["gait", "solve", "flat", "--mode", "historical", "--arms-free"], "mode exact only"),
    (["gait", "moments", "flat", "--moma", "none.moma"], "none.moma: cannot be read"),
    (["gait", "moments", "flat", "--moma", "x.moma", "--zmp", "1.0:0"], "--zmp has no effect with --moma"),
    (["gait", "moments", "flat", "--moma", "x.moma", "--samples", "7"], "--samples has no effect with --moma"),
    (
        ["gait", "solve", "flat", "--start", "nan", "0", "0", "0"],
        "start must be finite (rad, rad/s), got (nan, 0, 0, 0)",
    ),
    (["gait", "solve", "flat", "--start", "0", "inf", "0", "0", "--mode", "historical"], "start must be finite"),
    (["gait", "draw", "flat", "--interval", "0"], "interval above 0"),
    (["gait", "draw", "flat", "--out", "walk.jpg"], "must end in .png"),
    (["gait", "draw", "flat", "--width", "0", "--out", "walk.png"], "16384"),
    (["gait", "survey", "--count", "0"], "1 to 1000000"),
    (["gait", "survey", "usual", "--own-starts"], "no starts of its own"),
    (["gait", "convert", "flat", "x.yaml"], ".toml (gait file) or .gait (cards)"),
    (["gait", "convert", "stairs_up", "x.gait"], "keep the TOML file"),
]


@pytest.mark.parametrize(("args", "sentence"), MISTAKES)
def test_mistakes_get_one_sentence(
    args: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(args) == 2
    message = capsys.readouterr().err
    assert message.startswith("bunraku gait: ")
    assert sentence in message
    assert "Traceback" not in message
    assert list(tmp_path.iterdir()) == []


def test_bad_card_names_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "w.gait").write_text("       2.0\n   33   7x\n")
    assert main(["gait", "solve", str(tmp_path / "w.gait")]) == 2
    assert "w.gait:2: column 6: found '7x', wanted the time steps ILSW and ILSUP (I5)." in capsys.readouterr().err
    (tmp_path / "v.gait").write_text("       2.0\n   33   73\n A\n    2\n    1   81\n       0.1       0.1\n")
    assert main(["gait", "solve", str(tmp_path / "v.gait")]) == 2
    assert "give --bidyn FILE" in capsys.readouterr().err


def test_cheap_commands_stay_cheap() -> None:
    """Importing bunraku, and asking gait for help or a conversion, loads neither numba, scipy nor matplotlib."""
    code = (
        "import sys, bunraku\n"
        "from bunraku.cli import main\n"
        "import bunraku.gait1988.gait_commands\n"
        "main(['gait', 'convert', 'flat', sys.argv[1]])\n"
        "print([m for m in ('numba', 'scipy', 'matplotlib', 'PIL') if m in sys.modules])\n"
    )
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder) / "x.toml")
        done = subprocess.run([sys.executable, "-c", code, target], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
