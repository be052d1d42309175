"""Files of blocks: what was added comes back, unfinished files end before the first block that is not whole, nothing
half-written has the name."""

import numpy as np
import pytest

from bunraku.errors import BunrakuError, FormatError, InputError
from bunraku.recording.blockfile import BlockFile, BlockWriter


def written(path, close=True):
    writer = BlockWriter(path, {"a": [1, 2.5, "ü"]})
    for k in range(5):
        writer.add(b"DATA", bytes([k]) * 100 * k, k, 0.1 * k, 0.2 * k)
    if close:
        writer.close()
    else:
        writer.file.close()
    return writer


def contents(path):
    file = BlockFile(path, "a test")
    try:
        return file.finished, file.head, [(b.kind, b.count, b.first, b.last, file.read(b)) for b in file.blocks]
    finally:
        file.close()


WANTED = [(b"DATA", k, 0.1 * k, 0.2 * k, bytes([k]) * 100 * k) for k in range(5)]


def test_there_and_back(tmp_path):
    written(tmp_path / "new" / "a.x")
    assert contents(tmp_path / "new" / "a.x") == (True, {"a": [1, 2.5, "ü"]}, WANTED)
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["a.x"]


def test_unfinished(tmp_path):
    writer = written(tmp_path / "a.x", close=False)
    assert not (tmp_path / "a.x").exists()
    assert contents(writer.part) == (False, {"a": [1, 2.5, "ü"]}, WANTED)


def test_every_cut_gives_a_beginning_or_a_sentence(tmp_path):
    written(tmp_path / "a.x")
    data, most = (tmp_path / "a.x").read_bytes(), 0
    for k in range(len(data)):
        (tmp_path / "b.x").write_bytes(data[:k])
        try:
            finished, _, blocks = contents(tmp_path / "b.x")
            assert not finished and blocks == WANTED[: len(blocks)] and len(blocks) >= most
            most = len(blocks)
        except FormatError as error:
            assert most == 0 and "b.x" in str(error)
    assert most == 5


def test_every_flipped_bit_is_noticed_or_harmless(tmp_path):
    written(tmp_path / "a.x")
    data = (tmp_path / "a.x").read_bytes()
    rng = np.random.default_rng(2)
    for k in range(len(data)):
        bad = bytearray(data)
        bad[k] ^= 1 << int(rng.integers(8))
        (tmp_path / "b.x").write_bytes(bad)
        try:
            _, head, blocks = contents(tmp_path / "b.x")
        except BunrakuError as error:
            assert "\n" not in str(error)
        else:
            assert head == {"a": [1, 2.5, "ü"]} and all(b in WANTED for b in blocks)  # shorter, never wrong


def test_an_old_file_stays_until_the_new_one_is_whole(tmp_path):
    written(tmp_path / "a.x")
    before = (tmp_path / "a.x").read_bytes()
    writer = BlockWriter(tmp_path / "a.x", {})
    writer.add(b"DATA", b"other")
    assert (tmp_path / "a.x").read_bytes() == before
    writer.close()
    writer.close()
    assert contents(tmp_path / "a.x")[2][0][4] == b"other"


def test_places_that_cannot_be_used(tmp_path):
    with pytest.raises(InputError, match="folder"):
        BlockWriter(tmp_path, {})
    with pytest.raises(InputError, match="cannot be read"):
        BlockFile(tmp_path / "none", "a test")


def test_a_second_writer_is_refused_and_nothing_is_damaged(tmp_path):
    first = BlockWriter(tmp_path / "a.x", {"by": 1})
    (tmp_path / "link").symlink_to(tmp_path)
    for path in (tmp_path / "a.x", tmp_path / "link" / "a.x"):
        with pytest.raises(InputError, match=r"a\.x: it is being recorded already") as caught:
            BlockWriter(path, {"by": 2})
        assert "\n" not in str(caught.value)
    first.add(b"DATA", b"mine", 1, 0.0, 1.0)
    first.close()
    assert contents(tmp_path / "a.x") == (True, {"by": 1}, [(b"DATA", 1, 0.0, 1.0, b"mine")])


def test_what_a_killed_writer_left_is_in_nobodys_way(tmp_path):
    written(tmp_path / "a.x", close=False)
    written(tmp_path / "a.x")
    assert contents(tmp_path / "a.x") == (True, {"a": [1, 2.5, "ü"]}, WANTED)


def test_an_older_file_can_be_kept(tmp_path):
    written(tmp_path / "a.x")
    before = (tmp_path / "a.x").read_bytes()
    writer = BlockWriter(tmp_path / "a.x", {"by": 2})
    assert writer.close(replace=False) == writer.path == tmp_path / "a.x.part"
    assert (tmp_path / "a.x").read_bytes() == before
    assert contents(tmp_path / "a.x.part") == (True, {"by": 2}, [])
    assert BlockWriter(tmp_path / "new.x", {}).close(replace=False) == tmp_path / "new.x"
