"""Frames of films: the camera sees everything at every time, views side by side, instants left standing."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.draw.film_frames import Shot, along, camera_for_all, count, frames, instants, pictures_at, way
from bunraku.motion import Recording
from bunraku.world import World


@pytest.fixture(scope="module")
def thrown(tmp_path_factory):
    """A ball thrown 2 m far without ground."""
    path = tmp_path_factory.mktemp("run") / "run.bkr"
    world = World()
    ball = world.add(bk.sphere(0.1), at=(0, 0, 1))
    ball.v[:3] = 2, 0, 4
    with world.record(path, every=10):
        world.run(1.0)
    return Recording.open(path)


def test_the_camera_sees_the_ball_at_every_time(thrown):
    camera = camera_for_all(thrown, "right", 4 / 3)
    for q in thrown.q:
        column, row = camera.project(q[:3].astype(float), 200, 150)
        assert 5 < column < 195 and 5 < row < 145


def test_the_ball_is_drawn_where_it_flies(thrown):
    pictures = list(frames(thrown, 4, Shot(("right",), 200, 150)))
    assert len(pictures) == count(thrown, 4) == 5
    camera = camera_for_all(thrown, "right", 200 / 150)
    for k, image in enumerate(pictures):
        column, row = camera.project(thrown.at(0.25 * k).q[:3], 200, 150)
        other = np.asarray(pictures[(k + 2) % 5], dtype=int)
        here = slice(round(row) - 1, round(row) + 2), slice(round(column) - 1, round(column) + 2)
        assert (
            np.abs(np.asarray(image, dtype=int)[here] - other[here]).max() > 30
        )  # something is there that is not in another frame


def test_a_camera_that_goes_along_keeps_the_ball_larger(thrown):
    """At even speed the mean over some time is the place itself, away from the ends; the ball then stays in the middle."""
    middle = slice(len(thrown) // 2, len(thrown) // 2 + 1)
    assert np.allclose(way(thrown)[middle, 0], thrown.q[middle, 0], atol=1e-3)
    still, moving = (next(iter(frames(thrown, 4, Shot(("right",), 120, 90, f)))) for f in (False, True))

    def seen(image):
        return int((np.abs(np.asarray(image, dtype=int) - np.asarray(image, dtype=int)[2, 2]).max(axis=2) > 25).sum())

    assert seen(moving) > 1.3 * seen(still)


def test_instants_evenly_along_the_way(thrown):
    rows = along(thrown, 6, 0.5)
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way(thrown), axis=0), axis=1))])
    assert rows[-1] == len(thrown) - 1 and np.allclose(np.diff(gone[rows])[1:], 0.5, atol=0.05)
    assert len(along(thrown, 3, 0.01)) == 3 and along(thrown, 6, 100.0) == [len(thrown) - 1]


def test_views_side_by_side_are_those_of_single_films(thrown):
    """The left half is the front view; "side" is the right one; a white line between them."""
    times = np.array([0.0, 0.3])
    both = list(pictures_at(thrown, times, Shot(("front", "side"), 160, 90)))
    for view, part in (("front", slice(0, 79)), ("right", slice(81, 160))):
        for one, two in zip(pictures_at(thrown, times, Shot((view,), 80, 90)), both):
            alone = one[:70, : part.stop - part.start] if view == "front" else one[:70, 1:]
            assert np.array_equal(alone, two[:70, part])  # names stand below
    assert (both[0][:, 79:81] == 255).all()


def test_instants_left_standing(thrown):
    times = [0.0, 0.2, 0.4]
    states = instants(thrown, 0.5, 0.2)
    assert len(states) == 4
    for q, t in zip(states, (*times, 0.5)):
        assert q[0] == pytest.approx(2.0 * t, abs=1e-6)
    assert len(instants(thrown, 0.4, 0.2)) == 3 and len(instants(thrown, 0.5, 0.0)) == 1
    assert len(instants(thrown, 1.0, 0.01)) == 9


def test_the_same_frames_whatever_the_cores(thrown, monkeypatch):
    from bunraku.draw import film_frames

    shot = Shot(("oblique",), 80, 60, title="thrown", strobe=0.3)
    one = list(frames(thrown, 5, shot))
    monkeypatch.setattr(film_frames, "cores", lambda: 3)
    assert all(np.array_equal(a, b) for a, b in zip(one, frames(thrown, 5, shot)))


def test_a_film_that_is_left_ends_its_threads(thrown):
    drawing = frames(thrown, 20, Shot(("oblique",), 64, 48))
    next(drawing)
    drawing.close()  # would wait for ever if a thread went on
