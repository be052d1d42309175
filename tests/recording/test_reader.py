"""Recordings read back: random access, slices, instants between frames; cut, damaged and foreign files give a
BunrakuError and nothing else."""

import json
import struct
import zlib

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import BunrakuError, FormatError, InputError, UnknownName
from bunraku.motion import Recording
from bunraku.recording.blockfile import BLOCK, CHECK, HEAD_SIZE, MAGIC, BlockFile
from bunraku.world import World, log
from bunraku.world.frames import LAYOUT


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A box that tumbles, in blocks of 32 frames; the file and the states as they were."""
    path = tmp_path_factory.mktemp("run") / "run.bkr"
    world = World(dt=0.002)
    world.add_ground()
    box = world.add(bk.box((0.3, 0.2, 0.1), mass=2.0), at=(0, 0, 0.3), rotation=(0.9, 0.3, 0.2, 0.1))
    box.v[:] = 1, 0, 0, 3, -2, 5
    whole, log.ROOM = log.ROOM, 32
    try:
        with world.record(path):
            states = [world.q.copy()]
            for _ in range(200):
                world.step()
                states.append(world.q.copy())
            world.push(box["box"], (1, 0, 0), 0.1)
            world.step(3)
    finally:
        log.ROOM = whole
    return path, np.array(states, np.float32)


def same(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name, _, _, _ in LAYOUT)


def test_version_1_is_read(run, tmp_path):
    """Blocks FRAM, each with the CRC-32 of its whole content; written by hand, with and without an index."""
    file = BlockFile(run[0], "a test")
    blocks = [(b"HEAD", 0, 0.0, 0.0, json.dumps({**file.head, "version": 1}).encode())]
    kinds = {b"FRM2": b"FRAM"}
    blocks += [(kinds.get(b.kind, b.kind), b.count, b.first, b.last, file.read(b)) for b in file.blocks]
    file.close()
    data, index = b"\x89BKR\r\n\x1a\n", b""
    for kind, count, first, last, content in blocks:
        head = struct.pack("<4sIQdd", kind, count, len(content), first, last)
        index += struct.pack("<Q", len(data)) + head
        data += head + struct.pack("<I", zlib.crc32(head + content)) + content
    (tmp_path / "old.bkr.part").write_bytes(data)
    head = struct.pack("<4sIQdd", b"INDX", len(blocks), len(index), 0.0, 0.0)
    end = struct.pack("<I", zlib.crc32(head + index)) + index + struct.pack("<Q", len(data)) + b"BKR-END\n"
    (tmp_path / "old.bkr").write_bytes(data + head + end)
    new = Recording.open(run[0])
    assert b"FRAM" not in run[0].read_bytes() and sum(kind == b"FRAM" for kind, *_ in blocks) >= 7
    for path, finished in (("old.bkr", True), ("old.bkr.part", False)):
        with Recording.open(tmp_path / path) as old:
            assert old.finished == finished and same(old.frames, new.frames) and old.events == new.events
    bad = bytearray(data)
    bad[-500] ^= 1  # in the last blocks
    (tmp_path / "bad.bkr.part").write_bytes(bad)
    with pytest.raises(FormatError, match="damaged at byte"):
        Recording.open(tmp_path / "bad.bkr.part")


def test_frames_and_slices(run):
    path, states = run
    with Recording.open(path) as r:
        assert len(r) == 204 and len(r._blocks) >= 7 and r.duration == pytest.approx(0.406)
        assert np.array_equal(r[77].q[0], states[77]) and np.array_equal(r[-204].q[0], states[0])
        whole = r.frames
        for chosen in (
            *(
                slice(None),
                slice(10, 20),
                slice(30, 34),
                slice(5, 190, 7),
                slice(31, 33),
                slice(32, 64),
                slice(-3, None),
            ),
            *(slice(None, None, -1), slice(150, 20, -13), slice(50, 50), slice(63, 66, 40), slice(0, 204, 203)),
        ):
            assert same(r[chosen], whole[chosen]), chosen
        with pytest.raises(InputError, match="no frame 204"):
            r[204]


def test_instants(run):
    path, _ = run
    with Recording.open(path) as r:
        for k in (0, 31, 32, 100, 203):
            now = r.at(float(r.times[k]))
            assert np.allclose(now.q, r.q[k], atol=1e-7) and np.allclose(now.v, r.v[k], atol=1e-6)
            assert r.frame_at(float(r.times[k])) == k
        middle = r.at(0.5 * (r.times[40] + r.times[41]))
        assert np.allclose(middle.q[:3], 0.5 * (r.q[40, :3] + r.q[41, :3]), atol=1e-7)
        assert np.linalg.norm(middle.q[3:]) == pytest.approx(1.0, abs=1e-12)
        half = r.q[40, 3:].astype(float) + r.q[41, 3:]  # slerp at one half is the middle of the arc
        assert np.allclose(middle.q[3:], half / np.linalg.norm(half), atol=1e-9)
        assert r.frame_at(-5.0) == 0 and r.at(99.0).time == r.times[-1]
        with pytest.raises(InputError, match="finite"):
            r.at(np.nan)


def test_figures_and_motion(run):
    with Recording.open(run[0]) as r:
        assert list(r.models) == ["box"] and r.descriptions["box"].links[0].name == "box" and r.fixed[0].kind == "plane"
        motion = r.motion()
        assert motion.model.nq == 7 and len(motion) == 204
        with pytest.raises(UnknownName, match="no figure 'bax'"):
            r.figure("bax")
        assert "204 frames" in repr(r) and [e["kind"] for e in r.events] == ["push"]


def everything(path):
    """Open a file and read all of it; returns the number of frames."""
    with Recording.open(path) as r:
        len(r.events), r.com, r.at(0.1)
        return len(r.q)


def test_cut_files_open_up_to_the_last_whole_block_or_say_what_is_wrong(run, tmp_path):
    data, lengths = run[0].read_bytes(), []
    for k in range(21):
        (tmp_path / "cut.bkr").write_bytes(data[: len(data) * k // 20])
        try:
            lengths.append(everything(tmp_path / "cut.bkr"))
        except BunrakuError as error:
            assert "cut.bkr" in str(error) and "\n" not in str(error)
            lengths.append(0)
    assert lengths == sorted(lengths) and lengths[0] == 0 and lengths[-1] == 204 and len(set(lengths)) >= 6


def test_damaged_files_never_give_another_error(run, tmp_path):
    data, rng = run[0].read_bytes(), np.random.default_rng(0)
    places = [*range(80), *range(len(data) - 400, len(data), 3), *rng.integers(0, len(data), 150).tolist()]
    refused = 0
    for k in places:
        bad = bytearray(data)
        bad[k] ^= 1 << int(rng.integers(8))
        (tmp_path / "bad.bkr").write_bytes(bad)
        try:
            everything(tmp_path / "bad.bkr")
        except BunrakuError as error:
            refused += 1
            assert "bad.bkr" in str(error) and "\n" not in str(error)
    assert refused > 0.8 * len(places)  # the rest hit the index or what merely shortens the file


def forged(data, change):
    """The file with another header, its CRC right."""
    _, _, length, _, _ = BLOCK.unpack_from(data, len(MAGIC))
    start = len(MAGIC) + HEAD_SIZE
    head = json.loads(data[start : start + length])
    change(head)
    text = json.dumps(head).encode()
    block = BLOCK.pack(b"HEAD", 0, len(text), 0.0, 0.0)
    return MAGIC + block + CHECK.pack(zlib.crc32(text, zlib.crc32(block))) + text + data[start + length :]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda h: h.update(version=99, bunraku="9.9"), "9.9, newer"),
        (lambda h: h.update(format="other"), "not a recording"),
        (lambda h: h.pop("figures"), "not what a recorder writes"),
        (lambda h: h.update(figures=[]), "no figure"),
        (lambda h: h.update(figures=[{"name": "a", "description": 3, "gravity": [0, 0, 0]}]), "no description"),
        (lambda h: h["figures"].append(h["figures"][0]), "two figures"),
        (lambda h: h.update(fixed=[5]), "fixed shape"),
        (lambda h: h.update(shapes=[[7, 1, "x"]]), "belongs to nothing"),
        (lambda h: h.update(shapes=[]), "shapes than the file says"),
        (lambda h: h.update(dt="much"), "not what a recorder writes"),
        (lambda h: h["figures"][0]["description"]["links"][0].update(mass=3), "unknown kind"),
    ],
)
def test_forged_headers(run, tmp_path, change, words):
    (tmp_path / "forged.bkr").write_bytes(forged(run[0].read_bytes(), change))
    with pytest.raises(FormatError, match=words):
        everything(tmp_path / "forged.bkr")


def test_foreign_files(tmp_path):
    for name, data, words in (
        ("a.bkr", b"", "not a recording"),
        ("b.bkr", b"PK\3\4 and so on", "not a recording"),
        ("c.bkr", MAGIC, "cut off"),
        ("d.bkr", MAGIC + struct.pack("<4sIQddI", b"HEAD", 0, 2**63, 0, 0, 0), "cut off"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FormatError, match=words):
            Recording.open(tmp_path / name)
    with pytest.raises(InputError, match=r"cannot be read|is a folder"):
        Recording.open(tmp_path / "none.bkr")
    with pytest.raises(InputError, match=r"cannot be read|is a folder"):
        Recording.open(tmp_path)
