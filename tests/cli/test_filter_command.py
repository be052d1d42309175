"""`bunraku filter`: BVH and recordings in, a consistent recording out, numbers as JSON; mistakes with exit code 2."""

import json

import numpy as np
import pytest
from PIL import Image

from bunraku.cli import main
from bunraku.dynamics.functions import kinematics
from bunraku.formats import bvh, csvfile
from bunraku.formats.bvh_motion import from_motion
from bunraku.motion import Motion, Recording, consistency
from bunraku.motion.filter import Filtered
from bunraku.motion.solved import without_forces
from motion_data import walk


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """The first 1.4 s of a walk, with its first step, as BVH and as a recording."""
    motion, folder = walk(), tmp_path_factory.mktemp("short")
    part = Motion(motion.model, motion.times[:140], motion.q[:140])
    bvh.write(from_motion(part), folder / "short.bvh")
    without_forces(part).save(folder / "short.bkr")
    csvfile.write(csvfile.from_motion(part, "human"), folder / "short.csv")
    return folder


@pytest.mark.parametrize("name", ["short.bvh", "short.bkr"])
def test_a_consistent_recording_comes_out(short, name, tmp_path, capsys):
    out = tmp_path / "x.bkr"
    assert (
        main(
            [
                "filter",
                str(short / name),
                "--out",
                str(out),
                "--dt",
                "0.004",
                "--plot",
                str(tmp_path / "x.png"),
                "--json",
            ]
        )
        == 0
    )
    data = json.loads(capsys.readouterr().out)
    assert data["consistency"]["base_force"] < 1e-6 and data["fell_s"] is None
    assert 0.4 < data["ground_reaction"]["min"] < data["ground_reaction"]["max"] < 1.8
    assert [len(x) for x in data["stances_s"].values()] == [2, 1] and "left_knee" in data["moved"]["joints"]
    with Recording.open(out) as r:
        assert consistency(r).base < 1e-6 and len(r) == data["frames"]
    with Image.open(tmp_path / "x.png") as image:
        assert image.size[0] > 500 and np.asarray(image).std() > 5


def test_the_table(short, tmp_path, capsys):
    assert (
        main(["filter", str(short / "short.bkr"), "--out", str(tmp_path / "x.bkr"), "--dt", "0.005", "--cutoff", "8"])
        == 0
    )
    out = capsys.readouterr().out
    assert "of the weight" in out and "left_knee" in out and "centre of mass" in out


def test_a_table_of_angles_is_filtered_and_followed(short, tmp_path, capsys):
    walked = tmp_path / "walked.bkr"
    args = ["filter", str(short / "short.csv"), "--out", str(tmp_path / "x.bkr"), "--dt", "0.005"]
    assert main([*args, "--follow", str(walked), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["followed"]
    assert data["fell_s"] is None and data["help_impulse"] == 0.0 and data["base_error_m"]["max"] < 0.03
    with Recording.open(walked) as r:
        assert r.duration == pytest.approx(data["seconds"], abs=0.01) and consistency(r).base < 1e-6


def test_mistakes(tmp_path, capsys):
    (tmp_path / "arm.csv").write_text("time [s],arm.shoulder [rad]\n0,0\n0.01,0.1\n")
    (tmp_path / "bad.bkr").write_bytes(b"nothing of ours")
    for args, words in (
        ([], "no file given"),
        ([str(tmp_path / "none.bkr")], "cannot be read"),
        ([str(tmp_path / "bad.bkr")], "not a recording"),
        ([str(tmp_path / "bad.bkr"), "--friction", "0"], "--friction"),
        ([str(tmp_path / "bad.bkr"), "--cutoff", "-2"], "--cutoff"),
        ([str(tmp_path / "bad.bkr"), "--aid", "-2"], "--aid"),
        ([str(tmp_path / "arm.csv")], "not a motion of 'human'"),
    ):
        assert main(["filter", *args]) == 2
        out, err = capsys.readouterr()
        assert words in err and "Traceback" not in err and not out


def test_what_falls_is_told_before_it_is_not_followed(short, tmp_path, capsys, monkeypatch):
    """Version 0.1 ended without the summary and advised "fewer seconds", which could not be given."""
    walked = tmp_path / "walked.bkr"
    args = [
        "filter",
        str(short / "short.csv"),
        "--out",
        str(tmp_path / "x.bkr"),
        "--dt",
        "0.005",
        "--follow",
        str(walked),
    ]
    monkeypatch.setattr(Filtered, "lost", 1.0)
    assert main(args) == 2
    out, err = capsys.readouterr()
    assert "of the weight" in out and not walked.exists()
    assert f"{walked}: not written, as the filtered motion falls at 1.00 s" in err and "--seconds 0.90 follows" in err
    assert main([*args, "--seconds", "0.2"]) == 0
    with Recording.open(walked) as r:
        assert abs(r.duration - 0.2) < 0.02


def seen(short, tmp_path, capsys, *options):
    """(largest force across of the force up, largest torque of its limit, lowest height of a sole) of the filtered motion
    and of the one that follows it."""
    files = [tmp_path / "filtered.bkr", tmp_path / "followed.bkr"]
    args = ["filter", str(short / "short.bkr"), "--out", str(files[0]), "--follow", str(files[1]), "--dt", "0.004"]
    assert main([*args, "--json", *options]) == 0
    told, out = json.loads(capsys.readouterr().out), []
    for path in files:
        with Recording.open(path) as r:
            f, model = r.frames, r.figures[0].model
            press = f.forces[f.forces[:, 2] > 5.0]
            heights = [kinematics(model, f.q).pose(f"{side}_sole")[0][:, 2].min() for side in ("left", "right")]
            effort = (np.abs(f.torques) / model.effort)[:, 6:].max()
            out.append((float((np.hypot(press[:, 0], press[:, 1]) / press[:, 2]).max()), float(effort), min(heights)))
    assert told["fell_s"] is None and told["followed"]["fell_s"] is None
    return told, out


def test_friction_strength_and_contact_do_what_they_say(short, tmp_path, capsys):
    told, plain = seen(short, tmp_path, capsys)
    assert told["friction"] == 0.8 and told["strength"] == 1.0 and told["followed"]["contact"] == "pgs"
    # soles that roll stay on the floor to the third order of a step: microns to both sides
    assert all(cone > 0.2 and torque > 0.55 and low > -1e-5 for cone, torque, low in plain)
    _, slippery = seen(short, tmp_path, capsys, "--friction", "0.1")
    assert all(cone <= 0.1 + 1e-7 for cone, _, _ in slippery)  # of the filter, and of the world's floor
    _, weak = seen(short, tmp_path, capsys, "--strength", "0.5")
    assert all(torque <= 0.5 + 1e-7 for _, torque, _ in weak)
    told, springy = seen(short, tmp_path, capsys, "--contact", "penalty")
    assert springy[0] == plain[0] and told["followed"]["contact"] == "penalty"
    assert -5e-3 < springy[1][2] < -1e-4  # the floor gives way below the one that follows


def test_a_contact_model_without_following_is_refused(short, tmp_path, capsys):
    for options, sentence in (
        (["--contact", "pgs"], "--contact has no effect without --follow; leave it out"),
        (["--contact", "rubber", "--follow", "y.bkr"], "there is no contact model 'rubber'"),
    ):
        assert main(["filter", str(short / "short.bkr"), "--out", str(tmp_path / "x.bkr"), *options]) == 2
        out, err = capsys.readouterr()
        assert sentence in err and err.count("\n") == 1 and not out and not (tmp_path / "x.bkr").exists()
