"""A folder of clips: the same bytes for any number of workers, taken up again, mistakes as rows, a page that shows all."""

import csv
import re

import pytest

from bunraku.cli import main
from bunraku.cli.filter_folder import COLUMNS, clips_of, page, table
from bunraku.formats import bvh
from bunraku.formats.bvh import Bvh
from bunraku.formats.bvh_motion import from_motion
from bunraku.recording.reader import Recording
from motion_data import walk


@pytest.fixture
def folder(tmp_path):
    """Two parts of a walk of 0.4 s, one of them below, and one file that is no clip."""
    file, clips = from_motion(walk()), tmp_path / "clips"
    (clips / "more").mkdir(parents=True)
    for name, rows in (("a.bvh", slice(0, 40)), ("more/b & c.bvh", slice(10, 50))):
        bvh.write(Bvh(file.joints, file.values[rows], file.frame_time), clips / name)
    (clips / "bad.bvh").write_text("HIERARCHY\nnothing")
    (clips / "notes.txt").write_text("nothing of ours")
    return clips


def files(out):
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}


@pytest.mark.slow
def test_one_and_two_workers_write_the_same_and_what_is_done_is_kept(folder, tmp_path, capsys):
    for n in (1, 2):
        assert main(["filter", str(folder), "--out", str(tmp_path / str(n)), "--dt", "0.008", "--workers", str(n)]) == 0
    one, two = files(tmp_path / "1"), files(tmp_path / "2")
    assert set(one) == set(two) and [name for name in one if one[name] != two[name]] == []
    assert {"a.bkr", "a.png", "more/b & c.bkr", "more/b & c.png", "clips.csv", "index.html"} <= set(one)
    said = capsys.readouterr().out
    assert "a.bvh: done" in said and "bad.bvh: refused: " in said
    rows = list(csv.DictReader(one["clips.csv"].decode().splitlines()))
    assert [r["clip"] for r in rows] == ["a.bvh", "bad.bvh", "more/b & c.bvh"]
    assert [r["verdict"] for r in rows] == ["done", "refused", "done"]
    with Recording.open(tmp_path / "1" / rows[0]["recording"]) as recording:
        assert float(rows[0]["done_s"]) == pytest.approx(recording.times[-1] - recording.times[0], abs=1e-3)
    (tmp_path / "1" / "index.html").unlink()
    kept = (tmp_path / "1" / "a.bkr").stat().st_mtime_ns
    assert main(["filter", str(folder), "--out", str(tmp_path / "1"), "--dt", "0.008"]) == 0
    assert (tmp_path / "1" / "a.bkr").stat().st_mtime_ns == kept and files(tmp_path / "1") == one


def test_what_counts_as_a_clip(folder):
    for name in ("shape.npz", "x_stagei.npz", ".hidden.bvh", "motion.npz", "out/done.bkr"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"x")
    found = [p.relative_to(folder).as_posix() for p in clips_of(folder, folder / "out")]
    assert found == ["a.bvh", "bad.bvh", "more/b & c.bvh", "motion.npz"]


def test_the_page_and_the_table_take_any_name():
    name = 'x"><script>alert(1)</script>.bvh'
    numbers = dict.fromkeys(COLUMNS, 1.5)
    done = {
        **numbers,
        "clip": "a, b.bvh",
        "verdict": "flawed",
        "recording": "a.bkr",
        "picture": "a b&.png",
        "followed": "",
    }
    rows = [{**done, "says": "it fell; badly"}, {"clip": name, "verdict": "refused", "says": "<b>no</b>"}]
    text = page("clips & more", rows)
    assert "<script>" not in text and "<b>no" not in text and "a%20b%26.png" in text and "slowed up to 1.5" in text
    assert "2 clips, 1 flawed, 1 refused" in re.sub(r"\s+", " ", text)
    back = list(csv.reader(table(rows).splitlines()))
    assert back[0] == list(COLUMNS) and back[1][0] == "a, b.bvh" and back[2][0] == name
