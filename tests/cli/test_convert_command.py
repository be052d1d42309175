"""`bunraku convert`: what it writes and says, and mistakes."""

from __future__ import annotations

import pytest

import bunraku as bk
from bunraku.cli import main
from robots import robot


def test_a_robot_and_a_figure_of_our_own(tmp_path, capsys):
    assert main(["convert", str(robot("simple_humanoid")), str(tmp_path / "r.urdf")]) == 0
    assert f"written: {tmp_path / 'r.urdf'}" in capsys.readouterr().out
    assert bk.load(tmp_path / "r.urdf").nv == 35
    assert main(["convert", "human", str(tmp_path / "h.xml")]) == 0
    assert "velocity limits" in capsys.readouterr().out or bk.load(tmp_path / "h.xml").nv == bk.human().nv


@pytest.mark.parametrize(
    "words, said",
    [
        ("human x.obj", "should end with .urdf"),
        ("human h.urdf", "which URDF has not"),
        ("nobody x.urdf", "neither a figure of Bunraku"),
        ("none.urdf x.xml", "no such file"),
    ],
)
def test_mistakes(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["convert", *words.split()]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
