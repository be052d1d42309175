"""Frames: bytes there and back, selections keep contacts with their frames, sums of patches, blocks that do not fit."""

import numpy as np
import pytest

from bunraku.errors import FormatError
from bunraku.world.frames import HEAD, LAYOUT, Frames


def some(n=7, seed=0):
    """Random frames with 0 to 3 patches of 1 to 5 points."""
    rng = np.random.default_rng(seed)
    patch_count = rng.integers(0, 4, n)
    p = int(patch_count.sum())
    patches = rng.integers(0, 4, (p, 4))
    patches[:, 2] = rng.integers(1, 6, p)
    m = int(patches[:, 2].sum())
    real = [rng.normal(size=s) for s in ((n, 5), (n, 4), (n, 4), (p, 3), (m, 3), (m, 3))]
    arrays = np.arange(n) * 0.1, *real[:3], patch_count, patches, *real[3:]
    return Frames(*(np.asarray(a, kind) for a, (_, kind, _, _) in zip(arrays, LAYOUT)))


def same(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name, _, _, _ in LAYOUT)


def test_bytes_there_and_back():
    for n in (0, 1, 7):
        frames = some(n)
        assert same(Frames.from_bytes(frames.to_bytes(), 5, 4), frames)


def test_pieces_are_the_arrays_themselves():
    frames = some(9)
    assert b"".join(frames.pieces()) == frames.to_bytes()
    frames.q[3, 1] = 7.5  # written before the file has it: nothing was copied
    held = frames.pieces()
    frames.q[3, 1] = 8.5
    assert Frames.from_bytes(b"".join(held), 5, 4).q[3, 1] == 8.5


def test_selections_keep_contacts_with_their_frames():
    frames = some(20)
    for rows in ([3], [0, 5, 19], [4, 4, 2], list(range(20))):
        parts = [frames[k : k + 1] for k in rows]
        assert same(frames.take(np.array(rows)), Frames.join(parts, 5, 4))
    one = frames[7:8]
    first, last = frames.patch_start[7:9]
    assert np.array_equal(one.force, frames.force[first:last]) and np.array_equal(one.cop, frames.cop[first:last])


def test_sums_of_patches_against_a_plain_loop():
    frames = some(20)
    for p in range(len(frames.pair)):
        rows = slice(frames.point_start[p], frames.point_start[p + 1])
        x, f, n = (a.astype(float) for a in (frames.points[rows], frames.forces[rows], frames.normal[p]))
        press = np.maximum(f @ n, 0.0)
        cop = press @ x / press.sum() if press.sum() > 0 else x.mean(0)
        assert np.allclose(frames.force[p], f.sum(0)) and np.allclose(frames.cop[p], cop)
        assert np.allclose(frames.torque[p], np.cross(x - cop, f).sum(0))


def test_blocks_that_do_not_fit():
    data = some().to_bytes()
    for bad, words in (
        (b"", "too short"),
        (data[:-1], "bytes instead of"),
        (HEAD.pack(2**31, 0, 0, 0) + data[HEAD.size :], "bytes instead of"),
    ):
        with pytest.raises(FormatError, match=words):
            Frames.from_bytes(bad, 5, 4)
    frames = some()
    frames.patch_count[0] += 1
    with pytest.raises(FormatError, match="other contacts"):
        Frames.from_bytes(frames.to_bytes(), 5, 4)
    frames = some()
    frames.patches[0, 3] = 9
    with pytest.raises(FormatError, match="does not exist"):
        Frames.from_bytes(frames.to_bytes(), 5, 4)


def test_precise_blocks_keep_every_digit():
    rng = np.random.default_rng(0)
    frames = Frames(
        np.arange(3.0), rng.normal(size=(3, 4)), rng.normal(size=(3, 5)), rng.normal(size=(3, 5)), np.array([1, 0, 0]),
        np.array([[0, 1, 2, 3]]), rng.normal(size=(1, 3)), rng.normal(size=(2, 3)), rng.normal(size=(2, 3)),
    )  # fmt: skip
    back = Frames.from_bytes(frames.to_bytes(precise=True), 4, 5)
    for name in ("times", "q", "v", "torques", "normal", "points", "forces"):
        assert np.array_equal(getattr(back, name), getattr(frames, name)) and getattr(back, name).dtype == np.float64
    assert np.array_equal(Frames.from_bytes(frames.to_bytes(), 4, 5).q, frames.q.astype(np.float32))
    damaged = bytearray(frames.to_bytes(precise=True))
    damaged[12] = 2
    with pytest.raises(FormatError, match="kind"):
        Frames.from_bytes(bytes(damaged), 4, 5)
