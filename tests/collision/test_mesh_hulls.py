"""Hulls of mesh files: kept on disk, read back bit for bit, made anew where what was kept is damaged; bad files."""

import numpy as np
import pytest

from bunraku.collision import mesh_hulls
from bunraku.kernel.cache import cache_folder
from collision_scenes import mesh_shape


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own, and no memory of files read before."""
    monkeypatch.setenv("BUNRAKU_CACHE_DIR", str(tmp_path / "cache"))
    cache_folder.cache_clear()
    mesh_hulls._hull_of_file.cache_clear()
    yield cache_folder("hulls")
    cache_folder.cache_clear()
    mesh_hulls._hull_of_file.cache_clear()


def read(path, scale=(1.0, 1.0, 1.0)):
    mesh_hulls._hull_of_file.cache_clear()
    return mesh_hulls.hull_of_mesh(str(path), scale, "thing")


def same(a, b) -> bool:
    """Whether two hulls are, bit for bit."""
    arrays = all(
        np.array_equal(getattr(a, k), getattr(b, k)) for k in ("centre", "vertices", "normals", "triangles", "face_of")
    )
    return arrays and a.radius == b.radius and all(np.array_equal(x, y) for x, y in zip(a.faces, b.faces, strict=True))


def test_a_hull_is_kept_and_read_back(folder, tmp_path, monkeypatch):
    points = np.random.default_rng(0).normal(size=(50, 3))
    path = tmp_path / "mesh.obj"
    mesh_shape(points, path)
    first, _ = read(path)
    (kept,) = folder.glob("*.hull")
    with monkeypatch.context() as m:
        m.setattr(mesh_hulls, "_made", lambda *a: pytest.fail("read again"))
        again, note = read(path)
    assert same(first, again) and "convex hull" in note.text
    kept.write_bytes(kept.read_bytes()[:-9] + b"x" * 9)  # damaged: made anew
    assert same(first, read(path)[0])
    double, _ = read(path, (2.0, 2.0, 2.0))  # another scale and other bytes are other hulls
    assert np.allclose(double.vertices, 2 * first.vertices) and len(list(folder.glob("*.hull"))) == 2
    mesh_shape(3 * points, path)
    assert np.allclose(read(path)[0].vertices, 3 * first.vertices)


def test_the_folder_stays_small(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_hulls, "MOST", 30_000)
    for k in range(8):
        mesh_shape(np.random.default_rng(k).normal(size=(50, 3)), tmp_path / f"{k}.obj")
        read(tmp_path / f"{k}.obj")
    sizes = [f.stat().st_size for f in folder.glob("*.hull")]
    assert 0 < len(sizes) < 8 and sum(sizes) <= 30_000


BROKEN = {
    "empty.stl": b"",
    "noise.stl": bytes(range(256)) * 20,
    "words.obj": b"this is no mesh\n",
    "flat.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n",
    "line.obj": b"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 2 3 4\n",
    "same.obj": b"v 1 1 1\n" * 5 + b"f 1 2 3\n",
    "nan.obj": b"v 0 0 0\nv nan 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 2 3 4\n",
    "packed.stl": b"PK\x03\x04",
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_spoken_of(folder, tmp_path, name):
    (tmp_path / name).write_bytes(BROKEN[name])
    hull, note = read(tmp_path / name)
    assert hull is None and note.kind == "ignored" and "takes no part in collisions" in note.text
    assert "\n" not in note.text


def test_needles_and_plates_give_finite_contacts(folder, tmp_path):
    """Hulls a thousand times longer than wide, and as thin as is let through."""
    from collision_scenes import contacts_of, poses, random_rotation, scene

    rng = np.random.default_rng(1)
    for k, scale in enumerate([(1, 1e-3, 1e-3), (1, 1, 1e-4), (1, 1e-2, 1e-5)]):
        contacts = scene(*[mesh_shape(rng.normal(size=(20, 3)) * scale, tmp_path / f"{k}.obj")] * 2)
        for _ in range(20):
            where = poses((rng.normal(scale=0.1, size=3), random_rotation(rng)), ((0, 0, 0), random_rotation(rng)))
            _, data = contacts_of(contacts, where, 10.0)
            assert len(data) and np.isfinite(data).all()
