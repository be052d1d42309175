"""A recording as a show: its frames are those of the live world; play, pause, step, speed and seek."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.viewer import player
from bunraku.viewer.messages import unpack_frame
from bunraku.viewer.player import Player
from bunraku.viewer.recorded import RecordedFrames
from bunraku.viewer.view import view_recording
from bunraku.viewer.world_frames import WorldFrames
from viewer_client import PAGE, falling, hear, page, poll, recording, say, standing


@pytest.mark.parametrize("make", [standing, falling])
def test_frames_are_those_of_the_live_world(make):
    world = make()
    run = recording(world, 5, 30)
    live, played = unpack_frame(WorldFrames(world).frame()), unpack_frame(RecordedFrames(run).frame(4))
    assert played.sequence == 4 and played.time == live.time
    for got, want in ((played.poses, live.poses), (played.figures, live.figures), (played.channels, live.channels)):
        assert np.allclose(got, want, rtol=1e-6, atol=1e-5, equal_nan=True)
    assert np.allclose(played.contacts, live.contacts, rtol=1e-6, atol=1e-5)


@pytest.fixture
def view():
    """Eleven frames, 20 ms apart, of a falling ball; the first at t = 1 ms."""
    with view_recording(recording(falling()), browser=False, html=PAGE, play=False) as view:
        yield view


def test_scene_and_status(view):
    with page(view.url) as p:
        scene = hear(p, "scene")
        assert scene["live"] is False and scene["duration"] == pytest.approx(0.2) and scene["start"] == 0.001
        status = hear(p, "status")
        assert (status["playing"], status["ended"], status["time"]) == (False, False, pytest.approx(0.001))
        assert hear(p, "frame").sequence == 0


def test_the_overview_spans_the_whole_recording(view, monkeypatch):
    with page(view.url) as p:
        assert [f.sequence for f in hear(p, "overview")] == list(range(11))
    monkeypatch.setattr(player, "OVERVIEW", 5)
    with view_recording(recording(falling()), browser=False, html=PAGE, play=False) as view, page(view.url) as p:
        assert [f.sequence for f in hear(p, "overview")] == [0, 2, 5, 7, 10]


def test_steps_go_back(view):
    with page(view.url) as p:
        say(p, "step", n=5)
        hear(p, "frame", lambda f: f.sequence == 5)
        say(p, "step", n=-3)
        hear(p, "frame", lambda f: f.sequence == 2)
        say(p, "step", n=-50)
        hear(p, "frame", lambda f: f.sequence == 0)


@pytest.mark.parametrize(("apart", "on"), [(1, 16), (5, 3), (16, 1), (40, 1)])
def test_displayed_frames_are_a_sixtieth_of_a_second(apart, on):
    """Of a recording every 1, 5, 16 or 40 ms so many frames, at least one; back as on; no farther than its ends."""
    show = Player(recording(falling(), 60, apart))
    show.forward(30)
    show.by_frames(1)
    assert show.index == 30 + on
    show.by_frames(-1)
    assert show.index == 30
    show.by_frames(-1000)
    assert show.index == 0
    show.by_frames(1000)
    assert show.index == 59


def test_it_loops(view):
    with page(view.url) as p:
        say(p, "loop", on=1)
        assert hear(p, "status", lambda m: m["loop"])
        say(p, "play")
        for _ in range(2):
            hear(p, "frame", lambda f: f.sequence == 10)
            hear(p, "frame", lambda f: f.sequence < 3)
        say(p, "loop", on=0)
        assert hear(p, "status", lambda m: m["ended"])["playing"] is False
        say(p, "restart")
        assert hear(p, "status", lambda m: m["playing"])["ended"] is False


def test_it_waits_for_its_audience():
    with (
        view_recording(recording(falling()), browser=False, html=PAGE, wait=True, loop=True) as view,
        page(view.url) as p,
    ):
        assert hear(p, "status")["waiting"] and view.time == pytest.approx(0.001)
        say(p, "ready")
        hear(p, "frame", lambda f: f.sequence > 2)


@pytest.mark.parametrize(
    ("at", "frame"), [(0.0, 0), (0.101, 5), (0.11, 5), (0.121, 6), (0.201, 10), (99.0, 10), (-5.0, 0)]
)
def test_seek(view, at, frame):
    with page(view.url) as p:
        say(p, "step", n=3)
        assert hear(p, "frame", lambda f: f.sequence == 3).time == pytest.approx(0.061)
        say(p, "seek", time=at)
        assert hear(p, "frame", lambda f: f.sequence == frame)
        poll(lambda: view.time == pytest.approx(min(max(at, 0.001), 0.201)), "the time")


def test_it_plays_to_its_end_and_begins_anew(view):
    with page(view.url) as p:
        say(p, "play")
        assert hear(p, "status", lambda m: m["ended"])["playing"] is False
        assert view.time == pytest.approx(0.201)
        say(p, "play")
        assert hear(p, "status", lambda m: m["playing"])["ended"] is False
        hear(p, "frame", lambda f: f.sequence < 10)
        assert hear(p, "status", lambda m: m["ended"])


def test_speed():
    """Never faster than asked for: ten seconds at speed 20 take at least half a second, less what may be caught up."""
    run = recording(falling(), 11, 1000)
    began = time.perf_counter()
    with view_recording(run, browser=False, html=PAGE, speed=20.0) as view:
        poll(lambda: view._show.ended, "the end")
        assert time.perf_counter() - began >= 0.5 - 0.01


def test_seek_while_it_plays_goes_on_from_there():
    with view_recording(recording(falling(), 11, 1000), browser=False, html=PAGE) as view, page(view.url) as p:
        say(p, "seek", time=8.5)
        assert hear(p, "status", lambda m: m["time"] >= 8.5)["playing"] is True
        assert hear(p, "frame", lambda f: f.sequence == 9)


def test_steps_stop_at_the_last_frame(view):
    with page(view.url) as p:
        say(p, "step", n=50)
        assert hear(p, "frame", lambda f: f.sequence == 10)


def test_a_recording_without_frames():
    run = recording(falling(), 1)
    empty = SimpleNamespace(**{**vars(run), "times": np.zeros(0)})
    with pytest.raises(InputError, match="no frame"):
        Player(empty)
