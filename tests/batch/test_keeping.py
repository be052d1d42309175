"""Worlds in a file: the same bytes afterwards, and damaged files known as such."""

import io
import zipfile

import numpy as np
import pytest

import batch_scenes as scenes
from bunraku.batch import Worlds
from bunraku.errors import InputError
from bunraku.world.saving import opened, sealed
from draws import fresh_rng


def ready(rng):
    """Worlds in the midst of an episode, some with a connection cut, one that stands still, late commands, pushes."""
    worlds = Worlds(scenes.stand(), 7, 2, seed=3)
    worlds.randomise({"friction": (0.4, 1.0), "delay": (1, 3), "mass": (0.9, 1.1)})
    worlds.vary("gravity", 9.81 + 0.1 * np.arange(7))
    worlds.reset()
    worlds.v[:] += 0.2 * rng.normal(size=worlds.v.shape)
    worlds.target_q[:, 9] += 0.1
    worlds.push([2, 3], "human.trunk", (30, 0, 0), 0.2)
    worlds.tau[5, 7] = np.nan
    worlds.step(11)
    return worlds


def go_on(worlds):
    """Some more, with chance; what is left of it."""
    worlds.target_q[:, 10] += 0.01 * worlds.normal(1)[:, 0]
    worlds.step(9)
    worlds.reset([1, 5])
    worlds.step(5)
    return worlds.q.tobytes(), worlds.v.tobytes(), worlds.status.tolist(), worlds.episode.tolist()


def test_worlds_go_on_from_a_file(tmp_path):
    worlds = ready(fresh_rng())
    assert worlds.status.astype(bool).tolist() == [k == 5 for k in range(7)]
    path = worlds.save(tmp_path / "worlds.npz")
    loaded = Worlds.load(path, threads=1)
    assert loaded.q.tobytes() == worlds.q.tobytes() and loaded.time.tolist() == worlds.time.tolist()
    assert go_on(loaded) == go_on(worlds)
    again = Worlds.load(path, threads=3).replay(4, 6)
    same = worlds.replay(4, 6)
    for one in (again, same):
        one.step(7)
    assert again.q.tobytes() == same.q.tobytes()


def test_worlds_that_outgrew_their_room(tmp_path):
    worlds = Worlds(scenes.fall(), 2, 1)
    worlds.q[0, 2] = 3.0
    worlds.step(300)
    assert list(worlds._seats.own) == [1]
    loaded = Worlds.load(worlds.save(tmp_path / "w.npz"))
    for one in (worlds, loaded):
        one.step(20)
    assert loaded.q.tobytes() == worlds.q.tobytes()


def test_files_that_are_none(tmp_path):
    path = ready(np.random.default_rng(0)).save(tmp_path / "w.npz")
    data = path.read_bytes()
    world = scenes.stand().save(tmp_path / "one.npz")
    cases = {
        "cut": data[:-5000],
        "flipped": data[:5000] + b"?" + data[5001:],
        "text": b"hello",
        "one": world.read_bytes(),
    }
    for name, content in cases.items():
        bad = tmp_path / f"{name}.npz"
        bad.write_bytes(content)
        with pytest.raises(InputError, match=name):
            Worlds.load(bad)
    with pytest.raises(InputError, match="nowhere"):
        Worlds.load(tmp_path / "nowhere.npz")


def changed(path, name, change):
    """The file with one array changed, sealed again."""
    members = opened(path)
    change(members[name])
    return sealed(members)


@pytest.mark.parametrize(
    "name, place, value",
    [
        ("arrays/last_ids", (0, 0, 0), 10**6),
        ("arrays/info", (3, 1), 10**6),
        ("start/ids", (0, 0, 1), -5),
        ("pushes", (0, 0), np.int64(999).view(np.float64)),
        ("counters/_now", (2,), -1),
    ],
)
def test_numbers_that_kernels_would_follow_are_checked(tmp_path, name, place, value):
    path = ready(np.random.default_rng(0)).save(tmp_path / "w.npz")
    bad = tmp_path / "bad.npz"
    bad.write_bytes(changed(path, name, lambda a: a.__setitem__(place, value)))
    with pytest.raises(InputError):
        Worlds.load(bad)


def test_a_file_is_a_zip_without_pickles(tmp_path):
    path = ready(np.random.default_rng(0)).save(tmp_path / "w.npz")
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        assert {i.compress_type for i in archive.infolist()} == {zipfile.ZIP_STORED}
        for info in archive.infolist():
            np.lib.format.read_array(io.BytesIO(archive.read(info)), allow_pickle=False)
