"""Meshes made ready for drawing: vertices at one place joined, normals that are smooth over faces that meet at a small
angle and sharp where the angle exceeds CREASE.

The normal at a corner of a face is the mean, weighted by areas, of the normals of those faces around the vertex that
differ from the face's own by less than CREASE; corners of one vertex with one normal stay one vertex. Checked in
tests/draw/test_mesh_normals.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.draw.triangles import ends

CREASE = np.cos(np.radians(38.0))
TOGETHER = 1.0 / (2**20 - 2)  # of a mesh's size: vertices so near to each other are one
MOST = 48  # faces around a vertex that are looked at; there are more only at the middle of a disc


def joined_vertices(
    points: np.ndarray, faces: np.ndarray, colors: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The same mesh with one vertex at each place (and colour), without triangles that have no area."""
    if not len(faces):
        return points, faces, colors
    named = np.zeros(len(points), dtype=bool)
    named[faces] = True
    low, high = ends(points[named])
    size = max(float((high - low).max()), 1e-300)
    keys = np.rint((points - low) / (size * TOGETHER)).astype(np.int64)
    keys = np.clip(keys, 0, 2**20 - 1)  # vertices that no triangle names may lie anywhere
    _, first, number = np.unique(keys @ (1, 1 << 20, 1 << 40), return_index=True, return_inverse=True)
    if colors is not None:
        code = (number.ravel() << 24) + colors.astype(np.int64) @ (1, 1 << 8, 1 << 16)
        _, first, number = np.unique(code, return_index=True, return_inverse=True)
    points, faces = points[first], number.ravel()[faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    corners = points[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return points, faces[area > 1e-14 * size * size], None if colors is None else colors[first]


def smoothed(
    points: np.ndarray, faces: np.ndarray, colors: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """(points, normals, faces, colours) with a vertex of its own for every normal at a place."""
    if not len(faces):
        return points[:0], points[:0], faces, None if colors is None else colors[:0]
    corners = points[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = across / np.linalg.norm(across, axis=1, keepdims=True)
    vertex = faces.ravel()  # of corner 3 f + k
    face = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(vertex, kind="stable")
    count = np.bincount(vertex, minlength=len(points))
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    total = np.zeros((len(vertex), 3))
    for k in range(min(int(count.max()), MOST)):  # the k-th face around every corner's vertex
        has = np.nonzero(count[vertex] > k)[0]
        other = face[order[first[vertex[has]] + k]]
        near = np.einsum("ij,ij->i", unit[face[has]], unit[other]) > CREASE
        total[has[near]] += across[other[near]]
    crowded = count[vertex] > MOST
    total[crowded] = across[face[crowded]]
    length = np.linalg.norm(total, axis=1, keepdims=True)
    normal = np.where(length > 1e-300, total / np.where(length > 1e-300, length, 1.0), unit[face])
    code = (vertex << 36) + np.rint((normal + 1.0) * 1024.0).astype(np.int64) @ (1, 1 << 12, 1 << 24)
    _, chosen, number = np.unique(code, return_index=True, return_inverse=True)
    own = vertex[chosen]
    return points[own], normal[chosen], number.reshape(-1, 3), None if colors is None else colors[own]
