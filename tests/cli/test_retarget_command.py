"""`bunraku retarget`: a recording comes out that opens; mistakes with exit code 2 and one sentence."""

import json
import re

import numpy as np

from bunraku.cli import main
from bunraku.formats import bvh
from bunraku.formats.bvh_motion import from_motion
from bunraku.motion import Motion, Recording
from motion_data import noisy, walk
from robots import robot


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


def other_names(path):
    """Half a second of our walk with joints that are called otherwise."""
    motion = walk()
    part = Motion(motion.model, motion.times[:50], motion.q[:50])
    text = bvh.write(from_motion(part), path).read_text()
    path.write_text(re.sub(r"(ROOT|JOINT) (\w+)", r"\1 my \2", text))
    return path


def test_joints_of_other_names(tmp_path, capsys):
    """They are understood, and a mapping may say what they are."""
    path, out = other_names(tmp_path / "other.bvh"), str(tmp_path / "x.bkr")
    assert main(["retarget", str(path), "--out", out, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["names"] == "by geometry" and data["joints"]["left_shank"] == "my left_shank"
    assert max(data["off_deg"].values()) < 1.0
    (tmp_path / "names.toml").write_text('left_thigh = ["my left_thigh", "my left_shank"]\n')
    given = ["--mapping", str(tmp_path / "names.toml"), "--reference", "rest"]
    assert main(["retarget", str(path), *given, "--out", out]) == 0
    (tmp_path / "names.toml").write_text("pelvis = 3")
    assert main(["retarget", str(path), *given, "--out", out]) == 2
    assert "pelvis needs the name of a joint" in capsys.readouterr().err
    (tmp_path / "names.toml").write_text("robot = 3")
    assert main(["retarget", str(path), *given, "--out", out]) == 2
    assert "robot must be a table" in capsys.readouterr().err


def test_a_part_of_a_clip_on_a_robot(tmp_path, capsys):
    path = other_names(tmp_path / "other.bvh")
    args = ["retarget", str(path), "--model", str(robot("simple_humanoid")), "--out", str(tmp_path / "x.bkr"), "--json"]
    assert main([*args, "--from", "0.1", "--to", "0.3"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["seconds"] == 0.2 or abs(data["seconds"] - 0.2) < 0.011
    assert main([*args, "--up", "y"]) == 0
    assert main([*args, "--up", "x"]) == 0  # who insists gets a figure that lies
    capsys.readouterr()
    for more, words in ((["--from", "1", "--to", "0.5"], "not before"), (["--from", "9"], "two are needed")):
        assert main([*args, *more]) == 2, more
        assert words in capsys.readouterr().err
