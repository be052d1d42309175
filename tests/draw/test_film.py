"""Films of recordings: endings, sizes, rates, refusals."""

import numpy as np
import pytest
from PIL import Image

import bunraku as bk
from bunraku.draw.film import film, picture
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


def test_a_gif_of_even_frames(thrown, tmp_path):
    told = []
    path = film(thrown, tmp_path / "a.gif", fps=10, width=96, height=64, progress=lambda k, n: told.append((k, n)))
    with Image.open(path) as gif:
        assert gif.size == (96, 64) and gif.n_frames == 11 and gif.info["duration"] == 100 and gif.info["loop"] == 0
    assert told == [(k, 11) for k in range(1, 12)]
    with Image.open(film(thrown, tmp_path / "b.gif", fps=5, width=96, height=64, loop=False)) as gif:
        assert "loop" not in gif.info


@pytest.mark.parametrize("ending", [".mp4", ".webm"])
def test_a_video_is_read_back(thrown, tmp_path, ending):
    """Size, rate, number of frames; the ball where the picture of that time has it."""
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = film(thrown, tmp_path / f"a{ending}", fps=25, width=160, height=96, title="A ball")
    reader = ffmpeg.read_frames(path)
    meta, pictures = next(reader), [np.frombuffer(x, np.uint8).reshape(96, 160, 3).astype(int) for x in reader]
    assert meta["size"] == (160, 96) and meta["fps"] == 25 and len(pictures) == 26
    assert np.abs(pictures[0] - pictures[12]).max() > 60  # it moved


def test_refusals(thrown, tmp_path):
    with pytest.raises(UnknownName, match="Closest"):
        picture(thrown, view="rigt")
    with pytest.raises(UnknownName, match="Closest"):
        film(thrown, tmp_path / "a.gif", views=("front", "rigt"))
    with pytest.raises(InputError, match="fps"):
        film(thrown, tmp_path / "a.gif", fps=0)
    with pytest.raises(InputError, match="at most 50"):
        film(thrown, tmp_path / "a.gif", fps=60)
    with pytest.raises(InputError, match="not even"):
        film(thrown, tmp_path / "a.mp4", width=161, height=120)
    with pytest.raises(InputError, match="ends in none"):
        film(thrown, tmp_path / "a.avi")
    with pytest.raises(InputError, match="1 to 4 views"):
        film(thrown, tmp_path / "a.gif", views=("front",) * 5)
    with pytest.raises(InputError, match="strobe"):
        film(thrown, tmp_path / "a.gif", strobe=-1.0)
    assert list(tmp_path.iterdir()) == []
