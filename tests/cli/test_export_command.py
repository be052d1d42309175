"""`bunraku export`: every kind of file holds what the recording holds; mistakes with exit code 2 and one sentence."""

import itertools
import sys

import numpy as np
import pytest
from PIL import Image

from bunraku.cli import main
from bunraku.formats import csvfile, npz
from bunraku.formats.bvh_motion import load_bvh
from bunraku.motion import Recording


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "fall.bkr"
    assert main(["record", "fall", "--seconds", "0.5", "--out", str(path)]) == 0
    return path


def export(run, kind, tmp_path, *more):
    out = tmp_path / f"out.{kind}"
    assert main(["export", str(run), "--to", kind, "--out", str(out), *more]) == 0
    assert [p.name for p in tmp_path.iterdir()] == [out.name]
    return out


def test_csv(run, tmp_path, capsys):
    table = csvfile.read(export(run, "csv", tmp_path))
    assert "out.csv" in capsys.readouterr().out
    with Recording.open(run) as r:
        assert np.array_equal(table["time"], r.times) and np.array_equal(table.data[:, 1].astype("f4"), r.q[:, 0])


def test_npz(run, tmp_path):
    got = npz.read(export(run, "npz", tmp_path))
    with Recording.open(run) as r:
        assert np.array_equal(got["v"], r.v)


def test_bvh(run, tmp_path):
    motion = load_bvh(export(run, "bvh", tmp_path, "--fps", "100"))
    with Recording.open(run) as r:
        assert len(motion) == 51 and np.allclose(motion.q[:, :3], r.q[::10, :3], atol=1e-6)


def test_png_and_gif(run, tmp_path):
    size = ("--width", "160", "--height", "120")
    picture = Image.open(export(run, "png", tmp_path, *size))
    assert picture.size == (160, 120) and len(np.unique(np.asarray(picture).reshape(-1, 3), axis=0)) > 200
    (tmp_path / "out.png").unlink()
    film = Image.open(export(run, "gif", tmp_path, *size, "--fps", "10"))
    assert film.size == (160, 120) and film.n_frames == 6
    pictures = []
    for k in range(6):
        film.seek(k)
        pictures.append(np.asarray(film.convert("RGB"), dtype=int))
    changes = [np.abs(a - b).sum() for a, b in itertools.pairwise(pictures)]
    assert min(changes) > 1000  # it falls in every frame


def test_mp4(run, tmp_path):
    import imageio_ffmpeg

    out = export(run, "mp4", tmp_path, "--width", "160", "--height", "120", "--fps", "20")
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(out))
    assert count == 11 and seconds == pytest.approx(0.55, abs=0.06)


def test_mp4_without_the_extra(run, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)  # as if it were not installed
    assert main(["export", str(run), "--to", "mp4", "--out", str(tmp_path / "a.mp4")]) == 2
    assert 'pip install "bunraku[film]"' in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_html(run, tmp_path):
    text = export(run, "html", tmp_path).read_text(encoding="utf-8")
    assert 'id="bunraku-scene"' in text and 'id="bunraku-frames"' in text


def test_names_and_endings(run, tmp_path, capsys):
    assert main(["export", str(run), "--out", str(tmp_path / "b.csv"), "--fps", "10"]) == 0
    assert len(csvfile.read(tmp_path / "b.csv")["time"]) == 6
    copy = tmp_path / "c.bkr.part"
    copy.write_bytes(run.read_bytes()[:-100])
    assert main(["export", str(copy), "--to", "npz"]) == 0 and (tmp_path / "c.npz").exists()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "no recording given"),
        (["none.bkr", "--to", "csv"], "cannot be read"),
        (["junk.bkr", "--to", "csv"], "not a recording"),
        (["RUN"], "--to is missing"),
        (["RUN", "--out", "x.what"], "--to is missing"),
        (["RUN", "--to", "gif", "--fps", "0"], "--fps"),
        (["RUN", "--to", "png", "--view", "tp"], "Closest: 'top'"),
        (["RUN", "--to", "png", "--width", "0"], "0"),
        (["RUN", "--to", "bvh", "--figure", "nobody"], "no figure 'nobody'"),
        (["RUN", "--to", "bvh", "--scale", "0"], "scale"),
        (["RUN", "--to", "csv", "--out", "junk.bkr/x.csv"], "cannot be written"),
    ],
)
def test_mistakes(run, args, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "junk.bkr").write_bytes(b"junk")
    (tmp_path / "RUN.bkr").write_bytes(run.read_bytes())
    assert main(["export", *[a.replace("RUN", "RUN.bkr") for a in args]]) == 2
    err = capsys.readouterr().err
    assert words in err and err.count("\n") == 1 and "Traceback" not in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["RUN.bkr", "junk.bkr"]
