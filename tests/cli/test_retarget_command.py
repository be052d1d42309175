"""`bunraku retarget`: a recording comes out that opens; mistakes with exit code 2 and one sentence."""

import json
import re

import numpy as np

from bunraku.cli import main
from bunraku.formats import bvh
from bunraku.formats.bvh_motion import from_motion, load_bvh
from bunraku.humanoid.skeletons import bones_of
from bunraku.motion import Motion, Recording
from motion_data import noisy, walk


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


def test_joints_of_other_names_by_a_mapping(tmp_path, capsys):
    """Version 0.1 asked for a mapping, which could not be given."""
    motion = walk()
    part = Motion(motion.model, motion.times[:30], motion.q[:30])
    bvh.write(from_motion(part), tmp_path / "ours.bvh")
    text = (tmp_path / "ours.bvh").read_text()
    (tmp_path / "other.bvh").write_text(re.sub(r"(ROOT|JOINT) (\w+)", r"\1 my \2", text))
    out = str(tmp_path / "x.bkr")
    assert main(["retarget", str(tmp_path / "other.bvh"), "--out", out]) == 2
    assert "say by --mapping" in capsys.readouterr().err
    _, bones = bones_of(motion.model, load_bvh(tmp_path / "ours.bvh").model)
    lines = [f"{b.link} = {[f'my {x}' for x in (b.joint, b.end) if x]}" for b in bones]
    (tmp_path / "names.toml").write_text("\n".join(lines))
    given = ["--mapping", str(tmp_path / "names.toml"), "--reference", "rest"]
    assert main(["retarget", str(tmp_path / "other.bvh"), *given, "--out", out]) == 0
    (tmp_path / "names.toml").write_text("pelvis = 3")
    assert main(["retarget", str(tmp_path / "other.bvh"), *given, "--out", out]) == 2
    assert "pelvis needs the name of a joint" in capsys.readouterr().err
