"""Hulls of mesh files: read once by trimesh (extra `mesh`), then kept on disk.

A hull is kept by a digest of the file's bytes, the scale and VERSION, in the trusted folder of the kernels' cache, which
holds at most MOST bytes: those not used for longest go first. Files that refer to others (.gltf) are always read.
Checked in tests/collision/test_mesh_hulls.py.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from bunraku.collision.hull import Hull, convex_hull
from bunraku.errors import ModelError
from bunraku.kernel import native
from bunraku.kernel.cache import cache_folder, trusted
from bunraku.model.description import Note

VERSION = 1  # of the way hulls are made
MOST = 200_000_000  # bytes kept
WHOLE = (".stl", ".obj", ".ply", ".off", ".dae", ".glb")  # formats that say all in one file


def missing_extra() -> str:
    """Empty where meshes can be read, else how to install the extra `mesh`."""
    absent = [name for name in ("trimesh",) if importlib.util.find_spec(name) is None]
    return f'run pip install "bunraku[mesh]" (missing: {", ".join(absent)})' if absent else ""


def hull_of_mesh(path: str | None, scale: Sequence[float], name: str) -> tuple[Hull | None, Note]:
    """The hull of a mesh file, and a Note that says what stands for the mesh, or why nothing does."""
    if not path or not Path(path).is_file():
        return None, Note("ignored", f"{name}: mesh file {path!r} is not there; the shape takes no part in collisions.")
    try:
        hull = _hull_of_file(path, Path(path).stat().st_mtime_ns, tuple(map(float, scale)), name)
    except ModelError as error:
        return None, Note("ignored", f"{error} The shape takes no part in collisions.")
    except Exception as error:  # a reader may fail in any way on a broken file
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        return None, Note("ignored", f"{name}: {path}: not a readable mesh ({reason}); it takes no part in collisions.")
    return hull, Note("changed", f"{name}: mesh replaced by its convex hull of {len(hull.vertices)} vertices.")


@lru_cache(maxsize=256)
def _hull_of_file(path: str, _changed: int, scale: tuple[float, ...], name: str) -> Hull:
    """The hull of a mesh file as it was at the time `_changed`."""
    data = Path(path).read_bytes()
    if data[:2] in (b"PK", b"\x1f\x8b", b"BZ") or data[:4] == b"\xfd7zX":  # small ones may unpack to any size
        raise ModelError(f"{name}: {path}: packed meshes are not read; unpack it.")
    ending = Path(path).suffix.lower()
    if ending not in WHOLE:
        return _made(path, scale, name)
    words = repr((VERSION, ending, scale)).encode()
    digest = hashlib.sha256(words + hashlib.sha256(data).digest()).hexdigest()
    folder = cache_folder("hulls")
    file = folder / f"{digest}.hull"
    kept = native.read(file) if trusted(folder) else None
    if kept is not None:
        return _unpacked(kept)
    hull = _made(path, scale, name)
    if trusted(folder):
        try:
            native.write(file, _packed(hull))
            keep_small(folder, "*.hull")
        except OSError:  # a full disk: it is made anew next time
            pass
    return hull


def _made(path: str, scale: tuple[float, ...], name: str) -> Hull:
    import trimesh

    loaded = trimesh.load(path, force="mesh", process=False)
    points = np.asarray(getattr(loaded, "vertices", np.empty((0, 3))), dtype=float) * np.asarray(scale, dtype=float)
    return convex_hull(points, name)


def _packed(h: Hull) -> bytes:
    to = io.BytesIO()
    lengths = np.array([len(ring) for ring in h.faces])
    numbers = np.concatenate([h.centre, [h.radius]])
    np.savez(to, numbers=numbers, vertices=h.vertices, lengths=lengths, rings=np.concatenate(h.faces),
             normals=h.normals, triangles=h.triangles, face_of=h.face_of)  # fmt: skip
    return to.getvalue()


def _unpacked(data: bytes) -> Hull:
    with np.load(io.BytesIO(data), allow_pickle=False) as x:
        faces = tuple(np.split(x["rings"], np.cumsum(x["lengths"])[:-1]))
        centre, radius = x["numbers"][:3], float(x["numbers"][3])
        return Hull(centre, x["vertices"], faces, x["normals"], x["triangles"], x["face_of"], radius)


def keep_small(folder: Path, pattern: str) -> None:
    """Remove what was not used for longest until at most MOST bytes are left."""
    found = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in folder.glob(pattern))
    total = sum(size for _, size, _ in found)
    for _, size, file in found:
        if total <= MOST:
            break
        file.unlink(missing_ok=True)
        total -= size
