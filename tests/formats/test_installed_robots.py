"""Robots of installed packages by name."""

from __future__ import annotations

import sys

import pytest

import bunraku as bk
import bunraku.cli
from bunraku.formats.installed_robots import fetching_modules, installed_robots, robot_file


@pytest.mark.parametrize(
    "name, nv", [("talos", 38), ("G1", 35), ("panda", 14), ("talos_reduced", 38), ("humanoid", 23)]
)
def test_by_name(name, nv):
    assert bk.robot(name).nv == nv


def test_a_folder_with_several_files_is_the_one_with_the_shortest_name():
    assert robot_file("talos").name == "talos_full_v2.urdf" and robot_file("solo").name == "solo.urdf"
    assert len(installed_robots()) > 80


def test_a_slip_is_answered_by_the_closest_names():
    with pytest.raises(bk.InputError, match=r"no installed package has a robot 'talso'\. Closest: 'talos'"):
        bk.robot("talso")


def test_options_go_on(tmp_path):
    assert bk.robot("panda", root="fixed").nv == 8
    with pytest.raises(bk.ModelError, match="'LHand'"):
        bk.robot("romeo", strict=True)


def test_a_package_that_fetches_is_asked_by_the_exact_name(tmp_path, monkeypatch):
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").write_text("")
    target = tmp_path / "walker.urdf"
    target.write_text('<robot name="walker"><link name="a"/></robot>')
    (package / "walker_description.py").write_text(f"URDF_PATH = {str(target)!r}\n")
    (package / "far_description.py").write_text("raise RuntimeError('no network\\nhere')\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [m for m in sys.modules if m.startswith("robot_descriptions")]:
        monkeypatch.delitem(sys.modules, name)
    assert set(fetching_modules()) == {"walker", "walker_description", "far", "far_description"}
    assert bk.robot("walker", root="fixed").name == "walker"
    with pytest.raises(bk.FormatError, match=r"cannot give 'far_description' .no network here."):
        bk.robot("far")
    for name in [m for m in sys.modules if m.startswith("robot_descriptions")]:
        del sys.modules[name]


def test_commands_take_it_by_name(capsys):
    assert bunraku.cli.main(["info", "talos", "--json"]) == 0
    assert '"nv": 38' in capsys.readouterr().out
    assert bunraku.cli.main(["info", "talso"]) == 2
    assert "Closest: 'talos'" in capsys.readouterr().err
