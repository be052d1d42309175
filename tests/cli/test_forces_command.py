"""`bunraku forces`: of a clip of our own beside the forces of the walk that it shows, as text, JSON and a table."""

import json

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.formats.bvh_motion import save_bvh
from bunraku.formats.opensim import read_table
from bunraku.gaits.natural_walk import Leg, NaturalWalk


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A physical walk of a few steps, and what a camera would have of it."""
    folder = tmp_path_factory.mktemp("walk")
    walk = NaturalWalk(legs=[Leg(1.1, metres=1.5)])
    with walk.world.record(folder / "walk.bkr", every=1):
        walk.run()
    with bk.Recording.open(folder / "walk.bkr") as recording:
        save_bvh(recording.motion(recording.figures[0].name), folder / "walk.bvh", fps=120)
    return folder


@pytest.mark.parametrize("name", ["walk.bvh", "walk.bkr"])
def test_a_walk_beside_its_own_forces(files, name, tmp_path, capsys):
    out = tmp_path / "forces.sto"
    arguments = ["forces", str(files / name), "--plates", str(files / "walk.bkr"), "--out", str(out)]
    assert main([*arguments, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    off = data["beside_plates"]
    assert max(off["force_percent_of_weight"]["rms"]) < 1.0 and max(off["zmp_mm"]["rms"]) < 5.0
    assert data["mass_kg"] == pytest.approx(69.0) and data["vertical_of_weight"]["mean"] == pytest.approx(1.0, abs=0.02)
    table = read_table(out)
    inner = slice(14, -14)  # the summary leaves 0.1 s out at both ends
    assert table.column("ground_force_z")[inner].max() == pytest.approx(
        data["vertical_of_weight"]["max"] * data["weight_N"], rel=1e-6
    )
    assert np.abs(table.column("left_knee_moment"))[inner].max() == pytest.approx(
        data["joints"]["left_knee"]["torque_Nm"], rel=1e-6
    )
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "% of the weight rms" in said and "mm rms" in said and "left_ankle" in said


def test_a_figure_of_the_subjects_mass(files, capsys):
    assert main(["forces", str(files / "walk.bvh"), "--mass", "90", "--json", "--from", "0.5", "--to", "1.5"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["mass_kg"] == pytest.approx(90.0) and data["seconds"] == pytest.approx(1.0, abs=0.02)
