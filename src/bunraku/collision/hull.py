"""Convex hulls: vertices, faces as polygons, and a sphere that holds them; from points or from a mesh file.

Faces that lie in one plane are joined into one polygon, so that a flat contact finds its whole face. Hulls by Qhull
(scipy); mesh files are read by trimesh (extra `mesh`). Vertices are relative to `centre`, the middle of the hull's
extent. Checked in tests/collision/test_general.py.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from bunraku.errors import ModelError
from bunraku.model.description import Note

FLAT = 1e-6  # of the hull's radius: faces whose planes agree so well are one face


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex solid. faces: vertex indices, anticlockwise seen from outside; normals (nf, 3) outward."""

    centre: np.ndarray
    vertices: np.ndarray
    faces: tuple[np.ndarray, ...]
    normals: np.ndarray
    triangles: np.ndarray
    radius: float


def missing_extra() -> str:
    """Empty where the extra `mesh` is installed, else how to install it."""
    absent = [name for name in ("coal", "trimesh") if importlib.util.find_spec(name) is None]
    return f'run pip install "bunraku[mesh]" (missing: {", ".join(absent)})' if absent else ""


def convex_hull(points: np.ndarray, name: str = "hull") -> Hull:
    """The hull of at least four points that are not in one plane."""
    from scipy.spatial import ConvexHull, QhullError

    p = np.asarray(points, dtype=float)
    if p.ndim != 2 or p.shape[1] != 3 or len(p) < 4 or not np.all(np.isfinite(p)):
        raise ModelError(f"{name}: a hull needs four or more finite points (n, 3), got shape {p.shape}.")
    try:
        hull = ConvexHull(p)
    except QhullError:
        raise ModelError(f"{name}: the points lie in one plane or line; a hull needs a volume.") from None
    number = {int(v): k for k, v in enumerate(hull.vertices)}
    corners = p[hull.vertices]
    centre = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    vertices = corners - centre
    radius = float(np.linalg.norm(vertices, axis=1).max())
    triangles = np.array([[number[int(v)] for v in t] for t in hull.simplices], dtype=np.int64)
    normals = hull.equations[:, :3]
    turned = np.einsum("ij,ij->i", _area_vectors(vertices, triangles), normals) < 0
    triangles[turned] = triangles[turned][:, ::-1]
    faces, outward = _join(vertices, triangles, normals, FLAT * radius)
    return Hull(centre, vertices, faces, outward, triangles, radius)


def _area_vectors(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.cross(x[t[:, 1]] - x[t[:, 0]], x[t[:, 2]] - x[t[:, 0]])


def _join(
    x: np.ndarray, triangles: np.ndarray, normals: np.ndarray, flat: float
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Polygons of triangles that share a plane; each is the set of vertices within `flat` of it, in order of angle."""
    areas = np.linalg.norm(_area_vectors(x, triangles), axis=1)
    done = np.zeros(len(triangles), dtype=bool)
    faces, outward = [], []
    for t in np.argsort(-areas, kind="stable"):
        if done[t]:
            continue
        n = normals[t]
        height = x @ n
        on = np.abs(height - height[triangles[t]].mean()) <= flat
        done |= on[triangles].all(axis=1)
        ring = np.flatnonzero(on)
        middle = x[ring].mean(axis=0)
        u = x[ring[0]] - middle
        v = np.cross(n, u)
        angle = np.arctan2((x[ring] - middle) @ v, (x[ring] - middle) @ u)
        faces.append(ring[np.argsort(angle)])
        outward.append(n)
    return tuple(faces), np.array(outward)


@lru_cache(maxsize=256)
def _hull_of_file(path: str, _changed: int, scale: tuple[float, ...], name: str) -> Hull:
    """The hull of a mesh file as it was at the time `_changed`; a scene that is put together again need not read it
    again."""
    import trimesh

    with open(path, "rb") as file:
        begins = file.read(4)
    if begins[:2] in (b"PK", b"\x1f\x8b", b"BZ") or begins == b"\xfd7zX":  # small ones may unpack to any size
        raise ModelError(f"{name}: {path}: packed meshes are not read; unpack it.")
    loaded = trimesh.load(path, force="mesh", process=False)
    points = np.asarray(getattr(loaded, "vertices", np.empty((0, 3))), dtype=float) * np.asarray(scale, dtype=float)
    return convex_hull(points, name)


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
