"""`bunraku dance` and `bunraku bench choreography`: files, exit codes, figures."""

import json

import numpy as np
import pytest

from bunraku.choreography import Choreography, Score
from bunraku.cli import main
from bunraku.cli.dance_command import FILES
from bunraku.files import NOTE
from bunraku.recording.reader import Recording

SCORE = """
format = "bunraku score"
version = 1
seconds = 0.4
[[pin]]
link = "right_hand"
begin = 0.0
[[drag]]
link = "left_hand"
begin = 0.05
path = [[0.05, 0.25, 0.3, 0.9]]
"""


def test_dance_writes_its_files(tmp_path, capsys):
    (tmp_path / "wave.toml").write_text(SCORE)
    out = tmp_path / "out"
    assert main(["dance", str(tmp_path / "wave.toml"), "--out", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["state"] == "standing" and said["simulated_s"] == pytest.approx(0.4)
    assert (
        {p.name for p in out.iterdir()} - {NOTE}
        == {"dance.bkr", "summary.json", "score.toml", "strobe.png"}
        == set(FILES)
    )
    with Recording.open(out / "dance.bkr") as r:
        assert len(r) == 401 and r.q.dtype == np.float64
        last = r.q[-1]
    again = Choreography.perform(Score.load(out / "score.toml"))
    assert np.array_equal(again.figure.q, last)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([], "no score"),
        (["nowhere.toml"], "nowhere.toml"),
        (["wave.toml", "--seconds", "-1"], "--seconds"),
        (["wave.toml", "--seed", "-1"], "--seed"),
        (["wave.toml", "--contact", "glue"], "glue"),
        (["wave.toml", "--model", "nobody"], "nobody"),
    ],
)
def test_mistakes_are_one_sentence(args, text, tmp_path, capsys, monkeypatch):
    (tmp_path / "wave.toml").write_text(SCORE)
    monkeypatch.chdir(tmp_path)
    assert main(["dance", *args]) == 2
    error = capsys.readouterr().err
    assert text in error and "Traceback" not in error and error.count("\n") == 1


def test_bench_choreography_says_how_fast(capsys):
    assert main(["bench", "choreography", "--json", "--seconds", "0.5"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["realtime_factor"] > 0 and said["state"] == "standing"
    assert 0 < said["first_motion_ms"] < 50  # simulated time: does not depend on the machine


def test_bench_choreography_refuses_nonsense(capsys):
    assert main(["bench", "choreography", "--seconds", "-1"]) == 2
    assert "--seconds" in capsys.readouterr().err
