"""Convex hulls: vertices, faces as polygons, and a sphere that holds them; from points.

Triangles of Qhull (scipy) that lie in one plane are joined over their neighbours into one polygon, so that a flat contact
finds its whole face. Vertices are relative to `centre`, the middle of the hull's extent. Checked in
tests/collision/test_hull.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.errors import ModelError

FLAT = 1e-6  # of the hull's radius: faces whose planes agree so well are one face
THIN = 1e-7  # of the hull's radius: a hull no thicker has no volume


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex solid. faces: vertex indices, anticlockwise seen from outside; normals (nf, 3) outward; face_of (nt,):
    the face of each triangle."""

    centre: np.ndarray
    vertices: np.ndarray
    faces: tuple[np.ndarray, ...]
    normals: np.ndarray
    triangles: np.ndarray
    face_of: np.ndarray
    radius: float

    @property
    def half(self) -> np.ndarray:
        """Half sizes of the box about it [m]."""
        return np.abs(self.vertices).max(axis=0)


def convex_hull(points: np.ndarray, name: str = "hull") -> Hull:
    """The hull of at least four points that are not in one plane."""
    from scipy.spatial import ConvexHull, QhullError

    p = np.asarray(points, dtype=float)
    if p.ndim != 2 or p.shape[1] != 3 or len(p) < 4:
        raise ModelError(f"{name}: a hull needs four or more points (n, 3), got shape {p.shape}.")
    if not np.all(np.isfinite(p)):
        bad = int(np.flatnonzero(~np.isfinite(p).all(axis=1))[0])
        raise ModelError(f"{name}: point {bad} is {tuple(p[bad].tolist())}; a hull needs finite points.")
    flat = ModelError(f"{name}: the points lie in one plane or line; a hull needs a volume.")
    try:
        hull = ConvexHull(p - p.mean(axis=0))
    except QhullError:
        raise flat from None
    corners = p[hull.vertices]
    centre = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    x = corners - centre
    radius = float(np.linalg.norm(x, axis=1).max())
    number = np.zeros(len(p), dtype=np.int64)
    number[hull.vertices] = np.arange(len(x))
    triangles, normals = number[hull.simplices], hull.equations[:, :3]
    areas = np.cross(x[triangles[:, 1]] - x[triangles[:, 0]], x[triangles[:, 2]] - x[triangles[:, 0]])
    turned = np.einsum("ij,ij->i", areas, normals) < 0
    triangles[turned] = triangles[turned][:, ::-1]
    size = np.linalg.norm(areas, axis=1)
    if radius == 0.0 or _thickness(x, normals[np.argsort(-size)[:64]]) < THIN * radius:
        raise flat
    face_of, seeds = _join(x, triangles, normals, hull.neighbors, size, FLAT * radius)
    order = np.argsort(face_of, kind="stable")
    groups = np.split(triangles[order], np.searchsorted(face_of[order], np.arange(1, len(seeds))))
    faces = tuple(_ring(x, group, normals[t]) for group, t in zip(groups, seeds))
    return Hull(centre, x, faces, normals[seeds], triangles, face_of, radius)


def _thickness(x: np.ndarray, normals: np.ndarray) -> float:
    """The least extent along any of the normals."""
    along = x @ normals.T
    return float((along.max(axis=0) - along.min(axis=0)).min())


def _join(
    x: np.ndarray, triangles: np.ndarray, normals: np.ndarray, neighbours: np.ndarray, size: np.ndarray, flat: float
) -> tuple[np.ndarray, list[int]]:
    """(face of every triangle, the largest triangle of every face): faces grow from their largest triangle over
    neighbours whose corners all lie within `flat` of its plane."""
    height = np.einsum("ti,tki->tk", normals, x[triangles])  # the planes' own
    beyond = np.einsum("ti,tnki->tnk", normals, x[triangles[neighbours]]) - height.mean(axis=1)[:, None, None]
    level = np.abs(beyond).max(axis=2) <= flat  # (nt, 3): a neighbour continues the plane
    face_of, seeds = np.full(len(triangles), -1, dtype=np.int64), []
    for t in np.argsort(-size, kind="stable").tolist():
        if face_of[t] >= 0:
            continue
        face = face_of[t] = len(seeds)
        seeds.append(t)
        if not level[t].any():
            continue
        n, h, front = normals[t], float(height[t].mean()), [t]
        while front:
            one = front.pop()
            for other in neighbours[one].tolist():
                if face_of[other] < 0 and np.abs(x[triangles[other]] @ n - h).max() <= flat:
                    face_of[other] = face
                    front.append(other)
    return face_of, seeds


def _ring(x: np.ndarray, group: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Corners of the polygon that triangles of one plane make, anticlockwise about n: those that stand out."""
    if len(group) == 1:
        return group[0].copy()
    on = np.unique(group)
    e = x[on[0]] - x[on].mean(axis=0)
    u = e - (e @ n) * n
    u /= np.linalg.norm(u)
    flat = np.stack([x[on] @ u, x[on] @ np.cross(n, u)], axis=1)
    order = np.lexsort((flat[:, 1], flat[:, 0])).tolist()
    small = 1e-12 * float(np.abs(flat - flat[0]).max()) ** 2

    def chain(way: list[int]) -> list[int]:  # A. M. Andrew, Another efficient algorithm for convex hulls, 1979
        out: list[int] = []
        for k in way:
            while len(out) > 1:
                (a, b), (c, d) = flat[out[-1]] - flat[out[-2]], flat[k] - flat[out[-2]]
                if a * d - b * c > small:
                    break
                out.pop()
            out.append(k)
        return out[:-1]

    return on[chain(order) + chain(order[::-1])]
