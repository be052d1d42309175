"""No command writes over a file that it reads: it refuses at once, with exit code 2 and one sentence, and every file
stays as it was. Version 0.1 replaced its input and ended with exit code 0: `export a.bkr --to csv --out a.bkr`, `dance
score.toml --out .`, `retarget x.bvh --out x.bvh`, `filter x.bkr --out x.bkr`."""

import importlib
import inspect
import os

import pytest

from bunraku.cli import COMMANDS, main
from bunraku.gait1988.cards import from_gait, write_dynamics_cards, write_gait_cards
from bunraku.gait1988.gaitfile import write_gait_toml
from bunraku.gait1988.library import library_gait

SCENE = """
[[ground]]
[[figure]]
name = "robot"
model = "robot.urdf"
"""
SCORE = """
format = "bunraku score"
version = 1
model = "strobe.png"
"""
BVH = """HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 -40 0
  }
}
MOTION
Frames: 2
Frame Time: 0.01
0 90 0 0 0 0
0 90 1 0 0 0
"""
GAIT_PARTS = ("smooth", "solve", "moments", "servo", "survey")

CASES = [
    ("film run.bkr", "out", "run.bkr"),
    ("export run.bkr --to csv", "out", "run.bkr"),
    ("export run.bkr --to html", "out", "run.bkr"),
    ("retarget walk.bvh", "out", "walk.bvh"),
    ("retarget walk.bvh", "show", "walk.bvh"),
    ("convert robot.urdf robot.urdf", None, "out"),
    ("retarget walk.bvh --model robot.urdf", "out", "robot.urdf"),
    ("human --like walk.bvh", "out", "walk.bvh"),
    ("gaits show run.bkr", "out", "run.bkr"),
    ("generate motion.toml", "out", "motion.toml"),
    ("generate motion.toml", "out", "robot.urdf"),  # its model
    ("human --like walk.bvh --mapping score.toml", "out", "score.toml"),
    ("filter run.bkr", "out", "run.bkr"),
    ("filter left.bkr.part", "out", "left.bkr"),
    ("filter run.bkr", "plot", "run.bkr"),
    ("filter run.bkr", "follow", "run.bkr"),
    ("filter run.bkr --model robot.urdf", "follow", "robot.urdf"),
    ("forces walk.bvh", "out", "walk.bvh"),
    ("forces walk.bvh --plates run.bkr", "out", "run.bkr"),
    ("record state.npz", "out", "state.npz"),
    ("record state.npz", "out", "robot.urdf"),
    ("run state.npz", "out", "."),
    ("dance score.toml", "out", "."),
    ("dance strobe.toml", "out", "."),  # its model would be the strobe picture
    ("dance wave.toml --model summary.json", "out", "."),
    ("walk --footsteps walk.html", "out", "."),
    ("walk --model walk.gif", "out", "."),
    ("walk --mapping walk.bkr", "out", "."),
    ("walk --compare walk.gif", "out", "."),
    ("stage robot.urdf", "score", "robot.urdf"),
    ("stage --cast score.toml", "score", "score.toml"),
    ("reproduce 000 --clip index.html", "out", "."),
    *((f"gait {name} a.gait", "out", "a.gait") for name in GAIT_PARTS),
    *((f"gait {name} a.gait", "out", "a.bidyn") for name in GAIT_PARTS),
    *((f"gait {name} gait.toml", "out", "gait.toml") for name in GAIT_PARTS),
    ("gait draw zmp.png --bidyn a.bidyn", "out", "zmp.png"),
    ("gait draw a_0001.png --bidyn a.bidyn --separate --width 40 --height 30", "out", "a.png"),
    ("gait moments flat --moma a.moma", "out", "a.moma"),
    ("gait moments a.gait --moma a.moma", "out", "a.gait"),
    ("gait export walk.bvh --bidyn a.bidyn", "out", "walk.bvh"),
    ("gait export gait.toml", "out", "gait.toml"),
    ("gait follow run.bkr --bidyn a.bidyn", "out", "run.bkr"),
    ("gait run gait.toml", "out", "."),
    ("gait run zmp.png --bidyn a.bidyn", "out", "."),
    ("gait convert gait.toml gait.toml", None, "gait.toml"),
    ("gait convert a.gait a.gait", None, "a.gait"),
    ("gait convert a.gait a.bidyn", None, "a.bidyn"),
    ("gait convert zmp.png b.gait --bidyn b.bidyn", None, "b.bidyn"),
]
READ_ONLY = {
    ("reproduce", "clip"),
    ("play", "recording"),
    ("bench startup", "fresh"),
    ("bench beside", "checkout"),
    ("gaits make", "out"),
    ("gaits make", "library"),
    ("gaits show", "gait"),
    ("gait moments", "moma"),
    ("walk", "mapping"),
    ("walk", "compare"),
    ("filter", "mapping"),
    ("forces", "mapping"),
    ("forces", "plates"),
    ("human", "like"),
    ("human", "mapping"),
    ("retarget", "mapping"),
    ("bench walk", "plots"),
    ("stage", "recordings"),
    ("stage", "cast"),
}
"""Paths that are not written, or where nothing is read, or (recordings) where no name is used twice."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Inputs of all kinds; those that are read only after the check hold what comes to hand."""
    monkeypatch.chdir(tmp_path)
    for name in ("run.bkr", "left.bkr.part", "walk.bvh", "robot.urdf", "strobe.png", "summary.json"):
        (tmp_path / name).write_text(name)
    for name in ("walk.html", "walk.gif", "walk.bkr"):
        (tmp_path / name).write_text(name)
    (tmp_path / "index.html").write_text(BVH)
    for name, text in (("state.npz", SCENE), ("score.toml", SCORE), ("strobe.toml", SCORE), ("wave.toml", SCORE)):
        (tmp_path / name).write_text(text)
    (tmp_path / "motion.toml").write_text("[motion]\nseconds = 1\nmodel = 'robot.urdf'\n")
    (tmp_path / "gait.toml").write_text(write_gait_toml(library_gait("flat", None)))
    front, back = from_gait(library_gait("flat", None))
    for name in ("a.gait", "zmp.png", "a_0001.png"):
        (tmp_path / name).write_text(write_gait_cards(front))
    for name in ("a.bidyn", "b.bidyn", "a.moma"):
        (tmp_path / name).write_text(write_dynamics_cards(back))
    return tmp_path


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


@pytest.mark.parametrize(("command", "option", "output"), CASES)
def test_an_input_is_never_written_over(command, option, output, files, capsys):
    before = contents(files)
    assert main([*command.split(), *([] if option is None else [f"--{option}", output])]) == 2
    out, err = capsys.readouterr()
    assert "is an input and would be overwritten" in err and err.count("\n") == 1 and not out
    assert contents(files) == before


def test_by_another_name(files, capsys):
    (files / "soft.csv").symlink_to("run.bkr")
    os.link(files / "run.bkr", files / "hard.csv")
    for name in ("soft.csv", "hard.csv"):
        assert main(["export", "run.bkr", "--out", name]) == 2
        assert f"{name}: it is an input" in capsys.readouterr().err


def test_two_outputs_of_one_name(files, capsys):
    assert main(["filter", "run.bkr", "--out", "x.bkr", "--follow", "x.bkr"]) == 2
    assert "x.bkr: it is the name of two outputs" in capsys.readouterr().err


def test_no_command_was_forgotten():
    """Every option that is a path is among the cases, or known to be none that is written."""
    found = set()
    for command, (module, _) in COMMANDS.items():
        parts = importlib.import_module(module)
        functions = (
            {f"{command} {k}": f for k, f in parts.COMMANDS.items()}
            if hasattr(parts, "COMMANDS")
            else {command: parts.main}
        )
        for name, function in functions.items():
            for key, parameter in inspect.signature(function).parameters.items():
                if "Path" in str(parameter.annotation) and key != "bidyn":
                    found.add((name, key))
    tried = {(" ".join(c.split()[: 2 if c.startswith("gait") else 1]), option) for c, option, _ in CASES}
    assert found - READ_ONLY <= tried
