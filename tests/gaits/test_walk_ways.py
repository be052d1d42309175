"""One call for both ways of walking."""

import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.errors import InputError
from bunraku.gaits.gait import walking_twin


def test_what_belongs_to_the_other_way_is_said():
    for given, why in (
        ({"speed": 3.0}, "no natural walk of a figure of 1.70 m; give 0.30 to 1.80 m/s"),
        ({"speed": 1.0, "pace": "slowly"}, "pace is of careful walks"),
        ({"gait": "careful", "speed": 1.0}, "no speed"),
        ({"gait": "jog"}, "no gait 'jog'"),
        ({"speed": 1.0, "footsteps": "walk 2 m back"}, "no natural walk"),
        ({"speed": 1.0, "pushes": ["100@99"]}, "after the walk"),
    ):
        with pytest.raises(InputError, match=why):
            bk.walk(**given)


def test_another_figure_walks_with_care():
    with pytest.raises(InputError):
        bk.walk(walking_twin(1.7, 69.0).model, speed=1.0)  # its joints are no balls


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--speed", "4"), "no natural walk"),
        (("--speed", "1", "--terrain", "stairs"), "--terrain is of careful walks"),
        (("--gait", "careful", "--speed", "1"), "--speed is of natural walks"),
    ],
)
def test_command_mistakes(args, why, tmp_path, capsys):
    assert main(["walk", *args, "--out", str(tmp_path / "w")]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.slow
def test_a_walk_with_its_report(tmp_path):
    done = bk.walk(None, "four steps at 0.9 m/s", path=tmp_path / "walk.bkr")
    with done.recording:
        assert done.fell is None and len(done.report.landings) == 4
        assert done.report.summary()["falls"] == 0
