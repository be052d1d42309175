"""`bunraku record`: a scene into a file, as text or JSON; mistakes with exit code 2 and one sentence."""

import json
import os
import signal

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.motion import Recording
from bunraku.world import World


def test_a_scene_is_recorded_as_it_runs(tmp_path, capsys):
    out = tmp_path / "new" / "run.bkr"
    assert main(["record", "bar", "--seconds", "0.5", "--every", "2", "--out", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["frames"] == 251 and data["steps"] == 500 and data["bytes"] == out.stat().st_size
    world = bk.scene.load("bar").build()
    world.step(500)
    with Recording.open(out) as r:
        assert r.finished and r.title == "bar" and r.meta["view"] and len(r) == 251
        assert np.array_equal(r.q[-1], world.q.astype(np.float32))
        assert [e["kind"] for e in r.events] == ["connect", "connect", "break", "break"]


def test_the_name_of_the_scene_is_the_name_of_the_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["record", "spin", "--seconds", "0.02"]) == 0
    assert "spin.bkr: 21 frames" in capsys.readouterr().out and (tmp_path / "spin.bkr").exists()


def test_ctrl_c_leaves_the_old_recording_and_says_where_the_new_one_is(tmp_path, capsys, monkeypatch):
    """With no file of that name the recording gets it; a complete one stays, and the new one is beside. Version 0.1
    replaced it by the partial one."""
    out, step = tmp_path / "run.bkr", World.step

    def interrupted(world, steps=1):
        step(world, steps)
        if world.time > 0.1:
            raise KeyboardInterrupt

    monkeypatch.setattr(World, "step", interrupted)
    args = ["record", "spin", "--out", str(out), "--seconds"]
    assert main([*args, "0.4"]) == 130
    assert capsys.readouterr().err == f"bunraku record: interrupted. The recording up to there: {out}.\n"
    before = out.read_bytes()
    assert main([*args, "0.2"]) == 130
    err = capsys.readouterr().err
    assert err == f"bunraku record: interrupted. The recording up to there: {out}.part; {out} is as it was.\n"
    assert out.read_bytes() == before and sorted(p.name for p in tmp_path.iterdir()) == ["run.bkr", "run.bkr.part"]
    for path in (out, tmp_path / "run.bkr.part"):
        with Recording.open(path) as r:
            assert r.finished and r.times[-1] > 0.1 and r.events[-1]["error"] == "KeyboardInterrupt"


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", 0)])
def test_a_signal_ends_a_recording_well(number, tmp_path, capsys, monkeypatch):
    out, step = tmp_path / "run.bkr", World.step

    def ended(world, steps=1):
        step(world, steps)
        if world.time > 0.1:
            os.kill(os.getpid(), number)

    monkeypatch.setattr(World, "step", ended)
    before = signal.signal(number, signal.SIG_DFL)  # where the tests were told to pass over it (nohup), so would it be
    try:
        with pytest.raises(SystemExit) as caught:
            main(["record", "spin", "--out", str(out), "--seconds", "0.4"])
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert caught.value.code == 128 + number
    assert capsys.readouterr().err == f"bunraku record: ended by a signal. The recording up to there: {out}.\n"
    with Recording.open(out) as r:
        assert r.finished and 0.1 < r.times[-1] < 0.2


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "no scene given"),
        (["slop"], "Closest: 'slope'"),
        (["spin", "--seconds", "0"], "--seconds"),
        (["spin", "--every", "0"], "--every"),
        (["spin", "--seed", "-1"], "--seed"),
        (["spin", "--contact", "magic"], "contact model 'magic'"),
        (["spin", "--seconds", "0.01", "--out", "file/x.bkr"], "cannot be written"),
    ],
)
def test_mistakes(args, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert main(["record", *args]) == 2
    err = capsys.readouterr().err
    assert words in err and err.count("\n") == 1 and "Traceback" not in err
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
