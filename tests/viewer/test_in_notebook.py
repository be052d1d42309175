"""What a notebook shows: pictures of worlds and choreographies, the page of a recording in a frame of its own."""

import html
import io
import re

import numpy as np
import pytest
from PIL import Image

import bunraku as bk
from bunraku.viewer import in_notebook
from bunraku.viewer import page as built
from viewer_client import standing


def picture(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def test_a_world_is_a_picture_of_now():
    world = standing()
    first = picture(world._repr_png_())
    assert (
        first.shape == (in_notebook.HEIGHT, in_notebook.WIDTH, 3) and len(np.unique(first.reshape(-1, 3), axis=0)) > 50
    )
    world["human"].q[2] += 0.5
    assert np.mean(np.any(picture(world._repr_png_()) != first, axis=-1)) > 0.01


def test_a_choreography_is_one_too():
    c = bk.Choreography()
    assert np.array_equal(picture(c._repr_png_()), picture(c.world._repr_png_()))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    world = standing()
    path = tmp_path_factory.mktemp("notebook") / "run.bkr"
    with world.record(path, every=10, title='He said "<b>stand</b>"'):
        world.run(0.5)
    return path


def test_a_recording_is_its_page_in_a_frame(recorded, monkeypatch):
    """One element; its text is that of the page, which loops; script, and nothing else of the notebook's, is allowed."""
    with bk.Recording.open(recorded) as r:
        shown = r._repr_html_()
        assert picture(r._repr_png_()).shape[2] == 3
    found = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts allow-downloads" [^<>]*></iframe>', shown)
    text = html.unescape(found[1])
    assert text.startswith("<!doctype html>") and '"loop":true' in text and "bunraku-frames" in text
    assert "<b>stand" not in shown
    monkeypatch.setattr(in_notebook, "MOST", 3)
    with bk.Recording.open(recorded) as r:
        assert len(r._repr_html_()) < len(shown)


def test_what_cannot_be_drawn_is_left_to_words(recorded, monkeypatch, tmp_path):
    assert bk.World()._repr_png_() is None
    monkeypatch.setattr(built, "BUILT", tmp_path / "missing.html")
    with bk.Recording.open(recorded) as r:
        assert r._repr_html_() is None
