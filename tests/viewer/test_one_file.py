"""The self-contained page: its size, its numbers, its refusals, and what stands in the file."""

import base64
import json
import re
import struct
import zlib

import numpy as np
import pytest

from bunraku.errors import BunrakuError, InputError
from bunraku.viewer import page
from bunraku.viewer.one_file import MISSING, export_html, pack, quantise, read_frame
from viewer_scenes import Walk, frame_bytes


def unpack(stream):
    """Header and arrays of a frame stream, read by the layout in export.py's text, not by its code."""
    data = zlib.decompress(stream)
    count, length = struct.unpack_from("<II", data)
    header = json.loads(data[8 : 8 + length])
    assert header["count"] == count
    at, n = 8 + length, count

    def take(kind, size):
        nonlocal at
        part = np.frombuffer(data, kind, size, at)
        at += -(-part.nbytes // 4) * 4
        return part

    out = {"times": header["start"] + take("<f4", n).astype(float), "counts": take("<u2", n)}
    for name, width in (
        ("poses", 7 * header["bodies"]),
        ("figures", 6 * header["figures"]),
        ("channels", header["channels"]),
    ):
        steps = np.cumsum(take("<i2", n * width).reshape(width, n).astype(np.int64), axis=1)
        steps = (steps + 32768) % 65536 - 32768
        values = steps.T * np.array(header["scale"][name]) + np.array(header["offset"][name])
        out[name] = np.where(steps.T == MISSING, np.nan, values)
    raw = take("<i2", 10 * header["contacts"]).reshape(10, -1).T
    out["contacts"] = raw * np.array(header["scale"]["contacts"]) + np.array(header["offset"]["contacts"])
    assert at == len(data)
    return out


def test_zeros_stay_zeros():
    """Forces are exactly zero in the air, however large the impact was."""
    force = np.array([0.0, 0.0, 93_211.7, -27_013.3, 676.7, 0.0])[:, None]
    steps, scale, offset = quantise(force)
    back = steps * scale + offset
    assert np.all(back[[0, 1, 5]] == 0.0) and np.all(np.abs(back - force) <= np.ptp(force) / 131064 * (1 + 1e-6))


def test_every_number_comes_back_within_half_a_step():
    walk = Walk(2.0, bodies=15, channels=9)
    frames = walk.frames()
    read = [read_frame(f) for f in frames]
    out = unpack(pack(frames))
    assert np.allclose(out["times"], [f.time for f in read], rtol=0, atol=2e-7)
    assert list(out["counts"]) == [len(f.contacts) for f in read]
    for name in ("poses", "figures", "channels"):
        wanted = np.array([getattr(f, name).ravel() for f in read])
        step = np.ptp(wanted, axis=0) / 65532
        assert np.all(np.abs(out[name] - wanted) <= 0.5 * step + 1e-8 * (1 + np.abs(wanted)))
    rows = np.concatenate([f.contacts for f in read])
    step = np.ptp(rows, axis=0) / 65532
    assert np.all(np.abs(out["contacts"] - rows) <= 0.5 * step + 1e-8 * (1 + np.abs(rows)))
    assert np.array_equal(out["contacts"][:, 6:], rows[:, 6:])


def test_quantise_keeps_constants_and_marks_what_is_missing():
    columns = np.array([[1.25, np.nan, -3.0], [1.25, np.nan, np.nan], [1.25, np.nan, 5.0]])
    steps, scale, offset = quantise(columns)
    assert np.all(steps[:, 0] * scale[0] + offset[0] == 1.25)
    assert np.all(steps[:, 1] == MISSING)
    assert steps[1, 2] == MISSING and np.all(np.abs(steps[[0, 2], 2]) >= 32765)
    assert np.allclose(steps[[0, 2], 2] * scale[2] + offset[2], [-3.0, 5.0], rtol=0, atol=8.0 / 131064 * (1 + 1e-6))


def test_ten_seconds_of_the_figure_stay_below_two_megabytes(tmp_path):
    walk = Walk(10.0, fps=30, bodies=28, channels=40)
    seen = []
    path = export_html(walk.scene, walk.frames(), tmp_path / "run.html", progress=seen.append)
    assert path.stat().st_size < 2_000_000
    assert seen == list(range(1, walk.count + 1))
    assert [p.name for p in tmp_path.iterdir()] == ["run.html"]


def test_the_file_holds_scene_frames_and_a_policy_that_fits_its_script(tmp_path):
    walk = Walk(0.5, title="</script><script>alert(1)</script>")
    frames = walk.frames()
    text = export_html(walk.scene, frames, tmp_path / "run.html").read_text(encoding="utf-8")
    scene = re.search(r'<script type="application/json" id="bunraku-scene">(.*?)</script>', text, re.DOTALL)
    assert scene and json.loads(scene[1]) == walk.scene
    stream = re.search(r'<script type="text/plain" id="bunraku-frames">(.*?)</script>', text, re.DOTALL)
    assert stream and base64.b64decode(stream[1]) == pack(frames)
    assert "<script>alert" not in text
    meta = re.search(r'<meta http-equiv="Content-Security-Policy" content="(.*?)" />', text)
    assert meta and meta[1] == page.policy(text) and "unsafe" not in meta[1]
    assert meta.end() < text.index("<style>") < text.index("<script>")
    assert text.count("<script>") == text.count("<style>") == 1


def test_the_page_names_no_other_place():
    """No address is fetched: the only ones in the page are names (SVG, licences, sources of formulas in comments)."""
    text = page.html()
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", text)
    assert "registry" not in re.sub(r"FinalizationRegistry", "", text)


def bad_frames():
    walk = Walk(0.2)
    good = walk.frames()
    poses, figures, channels = walk.pose(1.0), np.zeros((1, 6)), walk.values(1.0)
    none = np.zeros((0, 10))
    lost = poses.copy()
    lost[2, 1] = np.nan
    return {
        "none": ([], "no frames"),
        "foreign": ([b"PNG" + bytes(60)], "frame 0: not a frame message"),
        "short": ([good[0], good[1][:-4]], "frame 1: .* bytes, wanted"),
        "not finite": ([frame_bytes(0, 0.0, lost, none, figures, channels)], "not finite"),
        "back in time": ([good[1], good[0]], "frame 1: time 0 s after 0.0333"),
        "other bodies": (
            [good[0], frame_bytes(1, 1.0, poses[:-1], none, figures, channels)],
            "frame 1: 12 poses, wanted 13",
        ),
        "other channels": (
            [frame_bytes(0, 0.0, poses, none, figures, channels[:-1])],
            "scene has 12 channels, its frames have 11",
        ),
    }


@pytest.mark.parametrize("name", bad_frames())
def test_bad_frames_are_refused_with_a_sentence_and_no_file(name, tmp_path):
    frames, sentence = bad_frames()[name]
    with pytest.raises(InputError, match=sentence):
        export_html(Walk(0.2).scene, frames, tmp_path / "run.html")
    assert not list(tmp_path.iterdir())


def test_a_scene_that_is_none_is_refused(tmp_path):
    walk = Walk(0.2)
    with pytest.raises(InputError, match="type 'scene'"):
        export_html({}, walk.frames(), tmp_path / "run.html")
    with pytest.raises(InputError, match="JSON"):
        export_html({**walk.scene, "dt": float("nan")}, walk.frames(), tmp_path / "run.html")


def test_a_page_that_was_not_built_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "BUILT", tmp_path / "page.html")
    with pytest.raises(BunrakuError, match=r"the viewer's page was not built: .*bunraku\.viewer\.build"):
        page.html()
    (tmp_path / "page.html").write_text("<html></html>")
    with pytest.raises(BunrakuError, match="not the viewer's page"):
        page.html()
