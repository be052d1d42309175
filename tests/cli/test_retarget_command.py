"""`bunraku retarget`: a recording comes out that opens; mistakes with exit code 2 and one sentence."""

import json

import numpy as np

from bunraku.cli import main
from bunraku.motion import Recording
from motion_data import noisy


def test_a_recording_comes_out(tmp_path, capsys):
    path = noisy(tmp_path / "own.bvh")
    assert main(["retarget", str(path), "--out", str(tmp_path / "x.bkr"), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    with Recording.open(tmp_path / "x.bkr") as r:
        assert len(r) == data["frames"] and r.title == "own" and not np.any(r.torques)
    assert data["names"] == "bunraku" and abs(data["scale"] - 1) < 0.01
    assert main(["retarget", str(path), "--out", str(tmp_path / "y.bkr"), "--cutoff", "0"]) == 0
    assert "frames" in capsys.readouterr().out


def test_mistakes(tmp_path, capsys):
    (tmp_path / "bad.bvh").write_text("HIERARCHY nonsense")
    for args, words in (
        ([], "no file given"),
        ([str(tmp_path / "none.bvh")], "cannot be read"),
        ([str(tmp_path / "bad.bvh")], "bad.bvh:1"),
        ([str(tmp_path / "bad.bvh"), "--cutoff", "-1"], "--cutoff"),
    ):
        assert main(["retarget", *args]) == 2
        out, err = capsys.readouterr()
        assert words in err and "Traceback" not in err and not out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.bvh"]
