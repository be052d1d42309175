"""`bunraku film`: a recording and a scene as films; refusals before anything is run."""

import pytest
from PIL import Image

import bunraku as bk
from bunraku.cli import main
from bunraku.cli.film_command import goes_far
from bunraku.motion import Recording
from bunraku.world import World


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.bkr"
    world = World()
    ball = world.add(bk.sphere(0.1), at=(0, 0, 1))
    ball.v[:3] = 8, 0, 4
    with world.record(path, every=10):
        world.run(1.0)
    return path


def test_a_recording(run, tmp_path, capsys):
    out = tmp_path / "run.gif"
    size = ["--width", "96", "--height", "64"]
    words = ["--fps", "10", *size, "--views", "front,side", "--title", "Thrown", "--strobe", "0.3"]
    assert main(["film", str(run), "--out", str(out), *words]) == 0
    assert "run.gif: 1.0 s" in capsys.readouterr().out
    with Image.open(out) as gif:
        assert gif.size == (96, 64) and gif.n_frames == 11
    with Recording.open(run) as r:
        assert goes_far(r)


def test_a_scene(tmp_path, monkeypatch):
    pytest.importorskip("imageio_ffmpeg")
    monkeypatch.chdir(tmp_path)
    assert main(["film", "slope", "--seconds", "0.2", "--fps", "10", "--width", "96", "--height", "64"]) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["slope.mp4"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "no recording or scene"),
        (["RUN", "--fps", "500"], "--fps 500"),
        (["RUN", "--out", "a.avi"], "a.avi"),
        (["RUN", "--views", "front,sdie"], "sdie"),
        (["RUN", "--view", "front", "--views", "front,side"], "--view has no effect"),
        (["RUN", "--out", "a.mp4", "--width", "33"], "not even"),
        (["RUN", "--out", "a.mp4", "--no-loop"], "--no-loop has no effect"),
        (["RUN", "--seconds", "3"], "--seconds has no effect"),
        (["RUN", "--strobe", "-1"], "strobe"),
        (["RUN", "--width", "0"], "size"),
        (["nowhere.bkr"], "nowhere.bkr"),
        (["slpoe"], "slope"),
    ],
)
def test_refusals(run, words, text, capsys, tmp_path, monkeypatch):
    pytest.importorskip("imageio_ffmpeg")
    monkeypatch.chdir(tmp_path)
    assert main(["film", *(str(run) if w == "RUN" else w for w in words)]) == 2
    err = capsys.readouterr().err
    assert text in err and err.count("\n") == 1 and list(tmp_path.iterdir()) == []


def test_a_recording_is_not_written_over(run, capsys):
    assert main(["film", str(run), "--out", str(run)]) == 2
    assert run.stat().st_size > 1000
