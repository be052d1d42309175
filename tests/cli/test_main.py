"""The command line: help, version, unknown commands, exit codes, JSON; cheap commands load no compiler."""

import json
import os
import subprocess
import sys

import pytest

from bunraku.cli import COMMANDS, main


def test_help_lists_every_command(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("bunraku ")


def test_unknown_command(capsys):
    assert main(["inof"]) == 2
    assert "no command 'inof'. Closest: 'info'" in capsys.readouterr().err


@pytest.mark.parametrize("args", [["nothing"], ["missing.urdf"], ["/"]])
def test_info_of_what_is_not_there(args, capsys):
    assert main(["info", *args]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("info human --colour", "'--colour' is not understood"),
        ("run --sed 4", "perhaps --seed is meant"),
        ("run --seed x", "--seed 'x' does not fit; wanted is a whole number"),
        (f"run --seed {'9' * 5000}", "--seed '9999"),
        ("walk --port 1e3", "--port '1e3' does not fit; wanted is a whole number"),
        ("filter a --dt soon", "--dt 'soon' does not fit; wanted is a number"),
        ("gait solve --start 1 2", "wanted is 4 values"),
        ("export a.bkr --to jpg", "--to 'jpg' is none of beyondmimic-npz, bvh, csv, gif"),
        ("run slope --seconds", "--seconds is without a value"),
        ("play", "RECORDING is missing"),
        ("gait", "what to do is missing: smooth"),
        ("gait smoth", "'smoth' is not understood"),
    ],
)
def test_bad_options_get_one_sentence(args, said, capsys):
    assert main(args.split()) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1 and len(err) < 400 and "--help` explains" in err


def test_info_json(capsys):
    assert main(["info", "human", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["nq"], data["nv"]) == (43, 34)
    assert data["mass"] == pytest.approx(69)
    assert {b["name"] for b in data["bodies"]} >= {"pelvis", "left_foot"}
    knee = next(j for j in data["joints"] if j["name"] == "left_knee")
    assert knee["lower"] == [0.0] and knee["upper"] == [2.6]


def test_json_has_no_infinities(capsys):
    """A joint without limits has none in JSON either: null, not Infinity, which is no JSON."""
    assert main(["info", "human", "--json"]) == 0

    def refuse(word):
        raise AssertionError(word)

    data = json.loads(capsys.readouterr().out, parse_constant=refuse)
    hip = next(j for j in data["joints"] if j["name"] == "left_hip")
    assert None in hip["lower"] or hip["lower"] == []


def test_info_table(capsys):
    assert main(["info", "human"]) == 0
    out = capsys.readouterr().out
    assert "left_knee" in out and "69 kg" in out and "swing" in out


def test_info_shows_gears_and_notes(capsys):
    from robots import robot

    assert main(["info", str(robot("talos_full"))]) == 0
    out = capsys.readouterr().out
    assert "nv 38" in out and "gear" in out and "ignored" in out


def test_cheap_commands_load_no_compiler():
    code = "import sys; from bunraku.cli import main; main(['info', 'human']); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_import_is_light():
    code = "import sys, bunraku; sys.exit(any(m in sys.modules for m in ('numba', 'scipy', 'matplotlib', 'mujoco', 'rich')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_module_runs_as_a_command():
    done = subprocess.run([sys.executable, "-m", "bunraku", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("bunraku ")


NAMES = """<robot name="[bold]x[/red]">
<link name="[red]a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b[/]"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="[/x]" type="continuous"><parent link="[red]a"/><child link="b[/]"/><axis xyz="0 0 1"/></joint></robot>"""


def test_names_with_brackets_are_printed_as_they_are(tmp_path, capsys):
    file = tmp_path / "names.urdf"
    file.write_text(NAMES)
    assert main(["info", str(file)]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("[bold]x[/red]", "[red]a", "b[/]", "[/x]"))


def test_fixed_root(tmp_path, capsys):
    """A massless root link: the sentence says what to do, and doing it works."""
    file = tmp_path / "arm.urdf"
    file.write_text(NAMES.replace("<inertial>", "<!--", 1).replace("</inertial>", "-->", 1))
    assert main(["info", str(file), "--strict"]) == 2
    assert "--root fixed" in capsys.readouterr().err
    assert main(["info", str(file)]) == 0  # kinematics and drawing work
    assert "moves no inertia" in capsys.readouterr().out
    assert main(["info", str(file), "--root", "fixed"]) == 0


def test_a_reader_that_leaves_is_no_error():
    done = subprocess.run(
        [f"{sys.executable} -m bunraku info human | head -1"], shell=True, capture_output=True, text=True
    )
    assert done.stderr == "" and "human" in done.stdout


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["info", "--help"], ["info", "human", "--json"]])
def test_a_reader_that_left_before_the_first_word(args):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "bunraku", *args], stdout=writer, stderr=subprocess.PIPE, text=True
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_gets_one_sentence():
    done = subprocess.run(
        [f"{sys.executable} -m bunraku info human > /dev/full"], shell=True, capture_output=True, text=True
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_info_tells_the_pitch_of_a_screw(capsys):
    import bunraku as bk
    from bunraku.cli.info_command import as_dict, show

    d = bk.Description("vice")
    thread = bk.helical("thread", (0, 0, 1), pitch=0.005, lower=0.0, upper=40.0)
    d.add("jaw", None, thread, mass=1.0, moments=(1, 1, 1))
    m = d.build()
    joint = as_dict(m)["joints"][0]
    assert joint["kind"] == "helical" and joint["pitch"] == pytest.approx(0.005)
    show(m)
    text = " ".join(capsys.readouterr().out.split())
    assert "1 helical" in text and "5 mm" in text
