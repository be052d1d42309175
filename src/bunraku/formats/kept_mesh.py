"""Meshes that have no file of a kind that readers of meshes know: vertices written in an MJCF file, MuJoCo's .msh, built-in
ones. Their triangles, as MuJoCo compiled them, are kept as binary STL in the cache, by their digest. Tested by
tests/formats/test_mjcf_equipment.py."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from bunraku.files import write_bytes
from bunraku.kernel.cache import cache_folder


def kept_mesh(model: Any, mesh: int) -> str:
    """The path of an STL file with the triangles of a compiled mesh; "" where it has none."""
    first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    start, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    if faces == 0:
        return ""
    return keep_triangles(model.mesh_vert[first : first + count], model.mesh_face[start : start + faces])


def keep_triangles(vertices: Any, triangles: Any) -> str:
    """The path of an STL file with these triangles."""
    vertices, triangles = np.asarray(vertices, dtype="<f4"), np.asarray(triangles)
    faces = len(triangles)
    rows = np.zeros(faces, dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])
    rows["corners"] = vertices[triangles]
    data = b"\0" * 80 + np.uint32(faces).tobytes() + rows.tobytes()
    path = cache_folder("meshes") / f"{hashlib.sha256(data).hexdigest()[:24]}.stl"
    if not path.is_file() or path.stat().st_size != len(data):
        write_bytes(path, data)
    return str(path)
