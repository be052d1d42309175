"""`bunraku follow`: a recording followed in the physical world, and one sentence for every mistake."""

import json

import pytest

from bunraku.cli import main
from bunraku.motion import Recording
from robots import robot
from squatting import record_squat


@pytest.fixture(scope="module")
def squat(tmp_path_factory):
    path = tmp_path_factory.mktemp("squat") / "squat.bkr"
    record_squat(path).close()
    return path


def test_a_squat_is_followed_without_help(squat, tmp_path, capsys):
    out = tmp_path / "f.bkr"
    assert main(["follow", str(squat), "--seconds", "0.3", "--out", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["fell_s"] is None and said["help_impulse"] == 0 and said["com_error_m"]["max"] < 0.02
    with Recording.open(out) as r:
        assert r.duration == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([], "no file"),
        (["nowhere.bvh"], "nowhere.bvh: cannot be read"),
        (["SQUAT", "--aid", "-1"], "--aid"),
        (["SQUAT", "--seconds", "0"], "--seconds"),
        (["SQUAT", "--cutoff", "-2"], "--cutoff"),
        (["SQUAT", "--model", str(robot("g1"))], "is one of figure 'human'"),
    ],
)
def test_mistakes_are_one_sentence(args, text, squat, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["follow", *(str(squat) if a == "SQUAT" else a for a in args)]) == 2
    error = capsys.readouterr().err
    assert text in error and "Traceback" not in error and error.count("\n") == 1
