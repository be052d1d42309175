"""The pool of hulls of a scene: flat arrays that kernels climb about in (bunraku.collision.shape_layout.Hulls).

Equal hulls are kept once. The edges along which one climbs are those of Qhull's triangles, so no vertex is left out; the
faces that contacts are clipped on are whole polygons, of which more than RING corners are reduced to those farthest
along as many directions. Checked in tests/collision/test_hull.py.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bunraku.collision.hull import Hull
from bunraku.collision.shape_layout import OCTANTS, RING, HullFace, HullHead, Hulls, HullVertex
from bunraku.kernel.record import Many, put, zeros


class HullPool:
    """Hulls behind one another; `add` gives a hull its number."""

    def __init__(self) -> None:
        self.hulls: list[Hull] = []
        self._known: dict[tuple[bytes, bytes], int] = {}
        self._made: tuple[int, dict[str, np.ndarray]] = (-1, {})  # of so many hulls

    def add(self, hull: Hull) -> int:
        """The number of a hull, new or known."""
        key = hull.vertices.tobytes(), hull.triangles.tobytes()
        if key not in self._known:
            self._known[key] = len(self.hulls)
            self.hulls.append(hull)
        return self._known[key]

    def put_into(self, hulls: Hulls) -> None:
        """Give a table the arrays of all hulls."""
        if self._made[0] != len(self.hulls):
            self._made = len(self.hulls), self._arrays()
        put(hulls, **self._made[1])

    def _arrays(self) -> dict[str, np.ndarray]:
        heads = zeros(HullHead, len(self.hulls))
        vertices = zeros(HullVertex, sum(len(h.vertices) for h in self.hulls) + 1)
        faces = zeros(HullFace, sum(len(h.faces) for h in self.hulls) + 1)
        neighbours, around, rings = [], [], []
        v = f = at = on = corner = 0
        vertex, face = Many(HullVertex, vertices), Many(HullFace, faces)
        for k, h in enumerate(self.hulls):
            nv, nf = len(h.vertices), len(h.faces)
            signs = np.array([[1 if o & 1 else -1, 1 if o & 2 else -1, 1 if o & 4 else -1] for o in range(OCTANTS)])
            Many(HullHead, heads)[k].starts[:] = v + np.argmax(h.vertices @ signs.T, axis=0)
            vertex.column("place")[v : v + nv] = h.vertices
            t = h.triangles
            edges = _by_first(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), nv)
            touching = _by_first(np.stack([t.ravel(), np.repeat(h.face_of, 3)], axis=1), nv)
            vertex.column("neighbours")[v : v + nv] = at + edges[0]
            vertex.column("faces")[v : v + nv] = on + touching[0]
            face.column("normal")[f : f + nf] = h.normals
            kept = [reduced(h, k) for k in range(nf)]
            lengths = [len(ring) for ring in kept]
            face.column("corners")[f : f + nf] = corner + np.cumsum([0, *lengths[:-1]])
            neighbours.append(v + edges[1])
            around.append(f + touching[1])
            rings.extend(v + ring for ring in kept)
            at, on, corner = at + len(edges[1]), on + len(touching[1]), corner + sum(lengths)
            v, f = v + nv, f + nf
        vertex[v].neighbours, vertex[v].faces, face[f].corners = at, on, corner
        flat = {"neighbours": _joined(neighbours), "around": _joined(around), "ring": _joined(rings)}
        return {"heads": heads, "vertices": vertices, "faces": faces, **flat}


def _by_first(pairs: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(where the partners of each of `count` numbers begin, the partners, each once)."""
    pairs = np.unique(pairs, axis=0)
    return np.searchsorted(pairs[:, 0], np.arange(count)), pairs[:, 1]


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def reduced(hull: Hull, face: int) -> np.ndarray:
    """Corners of a face, at most RING of them: those farthest along RING directions in its plane."""
    ring = hull.faces[face]
    if len(ring) <= RING:
        return ring
    x = hull.vertices[ring] - hull.vertices[ring].mean(axis=0)
    u = x[0] / np.linalg.norm(x[0])
    angle = 2 * np.pi / RING * np.arange(RING)
    ways = np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * np.cross(hull.normals[face], u)
    return ring[np.unique(np.argmax(x @ ways.T, axis=0))]
