"""Clips and robots that retargeting and the filter cannot use: exit code 2, one clear sentence, nothing written."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.formats import bvh
from bunraku.formats.bvh import Bvh, BvhJoint
from bunraku.formats.bvh_motion import from_motion
from motion_data import walk
from strange_clips import dog, two_people

ROT = ("Zrotation", "Yrotation", "Xrotation")


def chain():
    """A rope: no skeleton of anyone."""
    joints = [BvhJoint("a", -1, (0, 0, 0), ("Xposition", "Yposition", "Zposition", *ROT))]
    joints += [BvhJoint(f"b{k}", k, (0, 10, 0), ROT, ((0, 5, 0),) if k == 5 else ()) for k in range(6)]
    return Bvh(joints, np.random.default_rng(1).normal(0, 5, (40, 6 + 18)), 1 / 30)


def of_walk(rows):
    file = from_motion(walk())
    return Bvh(file.joints, file.values[rows], file.frame_time)


def not_a_number(path):
    text = bvh.write(of_walk(slice(0, 40)), path).read_text().splitlines()
    words = text[-5].split()
    words[7] = "nan"
    text[-5] = " ".join(words)
    path.write_text("\n".join(text))


def second_root(path):
    text = bvh.write(of_walk(slice(0, 40)), path).read_text()
    i = text.index("MOTION")
    path.write_text(text[:i] + text[text.index("ROOT") : i] + text[i:])


FILES = {
    "rope": (chain, "is no person"),
    "dog": (dog, "is no person"),
    "two people": (two_people, "two people"),
    "ten frames": (lambda: of_walk(slice(0, 10)), "10 frames of 0.09 s are too few"),
    "nan": (not_a_number, "is not a number"),
    "two roots": (second_root, "second ROOT"),
}


@pytest.mark.parametrize("command", ["retarget", "filter"])
@pytest.mark.parametrize("what", FILES)
def test_clips(what, command, tmp_path, capsys):
    make, words = FILES[what]
    path = tmp_path / "clip.bvh"
    if what in ("nan", "two roots"):
        make(path)
    else:
        bvh.write(make(), path)
    before = sorted(tmp_path.iterdir())
    code = main([command, str(path), "--out", str(tmp_path / "x.bkr")])
    out, err = capsys.readouterr()
    if what == "ten frames" and command == "retarget":  # they can be shown
        assert code == 0
        return
    assert code == 2 and words in err and "Traceback" not in err and not out
    assert len(err.strip().splitlines()) == 1, err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", ["retarget", "filter"])
def test_robots_without_legs(command, tmp_path, capsys):
    bvh.write(of_walk(slice(0, 60)), tmp_path / "clip.bvh")
    arm = bk.Description(name="arm")
    arm.add("base", None, [bk.free("base")], mass=1.0, moments=(0.01, 0.01, 0.01))
    for k in range(6):
        arm.add(
            f"l{k}",
            f"l{k - 1}" if k else "base",
            [bk.hinge(f"j{k}", (0, 1, 0))],
            at=(0, 0, 0.2),
            mass=1.0,
            moments=(0.01, 0.01, 0.01),
        )
    bk.save(arm.build(), tmp_path / "arm.urdf")
    code = main(
        [command, str(tmp_path / "clip.bvh"), "--model", str(tmp_path / "arm.urdf"), "--out", str(tmp_path / "x.bkr")]
    )
    _, err = capsys.readouterr()
    assert code == 2 and "has no feet" in err and len(err.strip().splitlines()) == 1
    assert not (tmp_path / "x.bkr").exists()
