"""`bunraku walk`: its files, its table, and one sentence for every mistake."""

import json

import pytest

from bunraku.cli import main
from bunraku.cli.walk_output import FILES
from bunraku.files import NOTE
from bunraku.motion import Recording

LEGLESS = """<robot name="crate"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def test_two_steps_and_their_files(tmp_path, capsys):
    out = tmp_path / "walk"
    pushes = ["--push", "60@0.6:left", "--push", "20@0.9"]
    assert main(["walk", "--footsteps", "two steps", *pushes, "--no-stabiliser", "--out", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["steps"] == said["planned_steps"] == 2 and said["falls"] == 0
    assert said["distance_m"] == pytest.approx(0.48, abs=0.05) and said["final_error_m"] < 0.05
    assert said["real_time_factor"] > 0 and said["cost_of_transport"] > 0 and said["noise_of_weight"]["rms"] < 0.1
    assert [p["newtons"] for p in said["pushes"]] == pytest.approx([60.0, 20.0])
    names = {p.name for p in out.iterdir()} - {"walk.html", NOTE}  # a checkout may be without the viewer's page
    assert names == {
        "walk.bkr", "summary.json", "walk.gif", "strobe.png", "forces.png", "zmp.png", "footprints.png", "torques.png",
    }  # fmt: skip
    assert names | {"walk.html"} == set(FILES)
    with Recording.open(out / "walk.bkr") as r:
        assert r.finished and r.duration == pytest.approx(said["simulated_s"])
        assert [e["kind"] for e in r.events] == ["push", "push"]
    assert json.loads((out / "summary.json").read_text())["steps"] == 2


def test_compare_in_place_with_the_published_solver(tmp_path, capsys):
    """Eight steps in place as Fig. 4 of Nakaoka et al. 2007, with a measured series over the plots."""
    measured, out = tmp_path / "measured.csv", tmp_path / "walk"
    measured.write_text("time [s],left foot force [weight]\n0,0.5\n0.2,0.5\n0.4,0.5\n")
    how = ["--contact", "pgs_2007", "--sweeps", "60", "--integrator", "rk4", "--bushes", "--bush-turning-damping", "2"]
    steps = ["--footsteps", "two steps in place", "--compare", str(measured), "--out", str(out)]
    assert main(["walk", *steps, *how]) == 0
    said = capsys.readouterr().out
    assert "left foot force:" in said and "N rms from what was measured" in said
    data = json.loads((out / "summary.json").read_text())
    assert (data["contact"], data["integrator"], data["steps"], data["falls"]) == ("pgs_2007", "rk4", 2, 0)
    assert data["measured"]["left foot force"]["rms_difference"] < 0.1 * data["weight_N"]  # it sinks into its rubber


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["--push", "300"], "N@SECONDS"),
        (["--push", "300@x"], "N@SECONDS"),
        (["--push", "-300@2"], "N@SECONDS"),
        (["--push", "300@2:rigth"], "Closest: 'right'"),
        (["--footsteps", "two steps", "--push", "300@99"], "after the walk"),
        (["--footsteps", "jump 3 m"], "not understood"),
        (["--footsteps", "two steps of 3 m"], "footsteps"),
        (["--footsteps", ""], "no steps"),
        (["--footsteps", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["--footsteps", "bad.toml"], "bad.toml: unknown key 'setp'"),
        (["--model", "nobody"], "nobody"),
        (["--model", "crate.urdf"], "no feet"),
        (["--mapping", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["--footsteps", "two steps", "--contact", "glue"], "glue"),
        (["--footsteps", "two steps", "--servo", "velocity"], "--servo has no effect with the stabiliser"),
        (["--seed", "-1"], "--seed"),
        (["--terrain", "swamp"], "not understood"),
        (["--terrain", "stairs 5 of 0.9 m"], "stairs: 'human' cannot walk them"),
        (["--terrain", "slope 60 degrees"], "slope"),
        (["--terrain", "stairs", "--footsteps", "two steps"], "brings its own footsteps"),
        (["--terrain", "slope", "--pace", "slowly"], "leave the pace out"),
        (["--footsteps", "nineteen", "--pace", "slowly"], "leave the pace out"),
        (["--footsteps", "eight steps in place of 0.2 m"], "not understood"),
        (["--footsteps", "zero steps in place"], "a whole number from 1"),
        (["--sweeps", "50"], "--sweeps 50 goes with --contact pgs_2007, not with pgs"),
        (["--contact", "pgs_2007", "--sweeps", "0"], "sweeps 0 is not a whole number"),
        (["--contact", "virtual_link", "--integrator", "rk4"], "goes with integrator 'euler'"),
        (["--bush-stiffness", "1e5"], "--bush-stiffness has no effect without --bushes"),
        (["--bushes", "--bush-stiffness", "-1"], "stiffness -1.0 is not a finite number above 0"),
        (["--bushes", "--bush-turning-damping", "nan"], "turning_damping nan"),
        (["--compare", "nowhere.csv"], "nowhere.csv: cannot be read"),
        (["--compare", "bad.toml"], "bad.toml"),
        (["--compare", "bad.toml", "--no-pictures"], "--compare has no effect"),
    ],
)
def test_mistakes_are_one_sentence(args, text, tmp_path, capsys, monkeypatch):
    (tmp_path / "crate.urdf").write_text(LEGLESS)
    (tmp_path / "bad.toml").write_text("setp = 1\n")
    monkeypatch.chdir(tmp_path)
    assert main(["walk", *args]) == 2
    error = capsys.readouterr().err
    assert text in error and "Traceback" not in error and error.count("\n") == 1
    assert not (tmp_path / "bunraku-walk").exists()
