"""Films of recordings: the camera sees everything at every time, even frames, refusals."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.draw.film import along, camera_for_all, count, frames, picture, way, write_mp4
from bunraku.errors import InputError, UnknownName
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
    pictures = list(frames(thrown, 4, view="right", width=200, height=150))
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
    still, moving = (next(iter(frames(thrown, 4, view="right", width=120, height=90, follow=f))) for f in (False, True))

    def seen(image):
        return int((np.abs(np.asarray(image, dtype=int) - np.asarray(image, dtype=int)[2, 2]).max(axis=2) > 25).sum())

    assert seen(moving) > 1.3 * seen(still)


def test_instants_evenly_along_the_way(thrown):
    rows = along(thrown, 6, 0.5)
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way(thrown), axis=0), axis=1))])
    assert rows[-1] == len(thrown) - 1 and np.allclose(np.diff(gone[rows])[1:], 0.5, atol=0.05)
    assert len(along(thrown, 3, 0.01)) == 3 and along(thrown, 6, 100.0) == [len(thrown) - 1]


def test_refusals(thrown, tmp_path):
    with pytest.raises(UnknownName, match="Closest"):
        picture(thrown, view="rigt")
    with pytest.raises(InputError, match="fps"):
        frames(thrown, 0)
    with pytest.raises(InputError, match="not even"):
        write_mp4([], tmp_path / "a.mp4", 25, 161, 120)
