"""Ground from triangles: of a mesh file, or given.

Files are read by trimesh (extra `mesh`), all their parts together, as they are: no hull, no simplification. Checked in
tests/formats/test_terrain_mesh.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.collision.mesh_hulls import missing_extra
from bunraku.errors import FormatError, ModelError
from bunraku.model.description import Shape
from bunraku.model.relief import EARTH, Corners, Points, Relief

LARGEST = 1 << 29  # bytes of a file
PACKED = (b"PK", b"\x1f\x8b", b"BZ")  # small ones may unpack to any size


def terrain_mesh(
    mesh: str | Path | Points,
    triangles: Corners | None = None,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    rotation: Any = None,
    *,
    scale: float | Sequence[float] = 1.0,
    name: str = "terrain",
    color: tuple[float, float, float, float] | None = EARTH,
) -> Shape:
    """Ground that stands still, with one side: a mesh file (STL, OBJ, PLY, OFF, DAE, glTF), or vertices (n, 3) [m] and
    triangles (m, 3), corners anticlockwise seen from outside. For `World.add_fixed`; concave as it is."""
    try:
        factors = np.broadcast_to(np.asarray(scale, dtype=float), (3,))
    except (TypeError, ValueError):
        raise ModelError(f"terrain_mesh: scale {scale!r} should be a number or three.") from None
    if not np.all(np.isfinite(factors)) or np.any(factors == 0.0):
        raise ModelError(f"terrain_mesh: the scale {scale!r} leaves nothing of it.")
    if isinstance(mesh, str | Path):
        if triangles is not None:
            raise ModelError("terrain_mesh: a file has its own triangles; leave `triangles` out.")
        vertices, triangles = read_triangles(mesh)
    elif triangles is None:
        raise ModelError("terrain_mesh: vertices need triangles, (m, 3) whole numbers.")
    else:
        vertices = mesh
    relief = Relief(vertices, triangles)
    if np.any(factors != 1.0):
        turned = relief.triangles[:, ::-1] if np.prod(factors) < 0 else relief.triangles
        relief = Relief(relief.vertices * factors, turned)
    return Shape("terrain", (), at, rotation, name=name, color=color, relief=relief)


def read_triangles(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a mesh file, its parts where their scene places them."""
    file = Path(path)
    if command := missing_extra():
        raise ModelError(f"{file}: a mesh cannot be read without the extra `mesh`; {command}.")
    if not file.is_file():
        raise FormatError(f"{file}: there is no such file.")
    if file.stat().st_size > LARGEST:
        raise FormatError(f"{file}: a mesh of more than {LARGEST >> 20} MB is not read.")
    with file.open("rb") as stream:
        if stream.read(3).startswith(PACKED):
            raise FormatError(f"{file}: packed meshes are not read; unpack it.")
    import trimesh

    try:
        loaded: Any = trimesh.load(str(file), force="mesh", process=False)
        vertices, triangles = np.asarray(loaded.vertices, dtype=float), np.asarray(loaded.faces, dtype=np.int64)
    except Exception as error:  # a reader may fail in any way on a broken file
        reason = (f"{type(error).__name__}: {error}".splitlines() or [""])[0][:200]
        raise FormatError(f"{file}: not a readable mesh ({reason}).") from None
    if not len(triangles):
        raise FormatError(f"{file}: there are no triangles in it.")
    return vertices, triangles
