"""Triangles of an implicit surface: surface nets (Gibson 1998) on a grid of planes, whose distances may differ.

Every cell of the grid that the surface passes gets one vertex, the mean of the places where it crosses the cell's
edges; every edge that it crosses gets a quadrilateral of the four cells about it. Vertices then go to and fro between
the mean of their neighbours and the surface, which makes triangles even. `cut` divides triangles along lines of the
surface, so that colours meet in sharp seams. Checked in tests/draw/test_skin_mesh.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from bunraku.draw.skin_field import Flesh

ROUNDS = 2  # of evening out
KEEP = 0.12  # of an edge: a seam nearer to its end goes through the end


def planes(low: float, high: float, spacing: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Places from low to high whose distances follow spacing(place) [m]."""
    fine = np.linspace(low, high, 4001)
    count = np.concatenate([[0.0], np.cumsum(np.diff(fine) / spacing(0.5 * (fine[1:] + fine[:-1])))])
    return np.interp(np.linspace(0.0, count[-1], max(int(np.ceil(count[-1])), 2) + 1), count, fine)


def surface_nets(flesh: Flesh, axes: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3), outward, of the surface f = 0 within a grid."""
    f = made_simple(flesh.on_grid(axes))
    inside = f < 0
    cells = np.array(f.shape) - 1
    number = np.full(cells, -1)
    sums, counts = np.zeros((*cells, 3)), np.zeros(cells)
    quads = []
    for axis in range(3):
        one, two = (axis + 1) % 3, (axis + 2) % 3
        first, second = [slice(None)] * 3, [slice(None)] * 3
        first[axis], second[axis] = slice(None, -1), slice(1, None)
        a, b = f[tuple(first)], f[tuple(second)]
        edge = np.argwhere(inside[tuple(first)] != inside[tuple(second)])
        at = tuple(edge.T)
        share = a[at] / (a[at] - b[at])
        place = np.column_stack([axes[i][edge[:, i]] for i in range(3)])
        place[:, axis] += share * np.diff(axes[axis])[edge[:, axis]]
        around = []
        for i, j in ((0, 0), (-1, 0), (-1, -1), (0, -1)):
            cell = edge.copy()
            cell[:, one] += i
            cell[:, two] += j
            np.add.at(sums, tuple(cell.T), place)
            np.add.at(counts, tuple(cell.T), 1)
            around.append(np.ravel_multi_index(tuple(cell.T), tuple(cells)))
        quad = np.column_stack(around)
        quads.append(np.where(inside[tuple(first)][at][:, None], quad, quad[:, ::-1]))
    used = np.flatnonzero(counts.ravel())
    number.ravel()[used] = np.arange(len(used))
    vertices = sums.reshape(-1, 3)[used] / counts.ravel()[used, None]
    return vertices, halves(vertices, number.ravel()[np.concatenate(quads)])


@cache
def simple_cells() -> np.ndarray:
    """(256,): whether the corners of a cell that are inside (bits) hang together along its edges, and so do the
    others: then the surface passes it once, and nets are closed manifolds."""

    def whole(corners: set[int]) -> bool:
        seen, front = set(), set(list(corners)[:1])
        while front:
            seen |= front
            front = {c ^ bit for c in front for bit in (1, 2, 4)} & corners - seen
        return seen == corners

    each = [{c for c in range(8) if code >> c & 1} for code in range(256)]
    return np.array([whole(inside) and whole(set(range(8)) - inside) for inside in each])


def made_simple(f: np.ndarray) -> np.ndarray:
    """The field with the nearest corner outside of every cell that the surface passes twice taken inside, and so on
    until there is none: this ends, as nothing is taken out again."""
    f = f.copy()
    offsets = [(c & 1, c >> 1 & 1, c >> 2 & 1) for c in range(8)]
    cells = tuple(n - 1 for n in f.shape)
    while True:
        code = np.zeros(cells, dtype=np.int64)
        for c, at in enumerate(offsets):
            code |= (f[tuple(slice(o, o + n) for o, n in zip(at, cells))] < 0).astype(np.int64) << c
        wrong = np.argwhere(~simple_cells()[code])
        if not len(wrong):
            return f
        corners = wrong[:, None] + np.array(offsets)
        values = f[tuple(np.moveaxis(corners, 2, 0))]
        nearest = np.argmin(np.where(values < 0, np.inf, values), axis=1)
        f[tuple(corners[np.arange(len(wrong)), nearest].T)] = -1e-6


def halves(vertices: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Two triangles of each quadrilateral, divided along its shorter diagonal."""
    p = vertices[quads]
    other = np.linalg.norm(p[:, 1] - p[:, 3], axis=1) < np.linalg.norm(p[:, 0] - p[:, 2], axis=1)
    q = np.where(other[:, None], np.roll(quads, -1, axis=1), quads)
    return np.concatenate([q[:, [0, 1, 2]], q[:, [0, 2, 3]]])


def evened(flesh: Flesh, vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices on the surface, evenly apart, and outward normals there."""
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    counts = np.bincount(ends[:, 0], minlength=len(vertices))[:, None]
    v = vertices
    for _ in range(ROUNDS):
        mean = np.column_stack([np.bincount(ends[:, 0], v[ends[:, 1], i], len(v)) for i in range(3)]) / counts
        v = on_surface(flesh, 0.5 * (v + mean))
    v = on_surface(flesh, v)
    normals = flesh.with_gradient(v, 1.5e-3)[1]
    return v, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)


def on_surface(flesh: Flesh, points: np.ndarray, most: float = 0.01) -> np.ndarray:
    """A Newton step along the gradient, at most so far [m]."""
    f, g = flesh.with_gradient(points)
    step = (f / np.maximum(np.sum(g * g, axis=1), 0.05))[:, None] * g
    length = np.linalg.norm(step, axis=1, keepdims=True)
    return points - step * np.minimum(1.0, most / np.maximum(length, 1e-12))


def cut(
    vertices: np.ndarray, triangles: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Divide triangles along the line where a function of the vertices (n,) is zero: vertices, triangles, the triangle
    that each is a part of, and whether it lies where the function is negative."""
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    edges = np.unique(np.sort(ends[values[ends[:, 0]] * values[ends[:, 1]] < 0], axis=1), axis=0)
    share = values[edges[:, 0]] / (values[edges[:, 0]] - values[edges[:, 1]])
    side = np.sign(values).astype(np.int64)
    side[edges[share < KEEP, 0]] = 0
    side[edges[share > 1 - KEEP, 1]] = 0
    kept = side[edges[:, 0]] * side[edges[:, 1]] < 0
    edges, share = edges[kept], share[kept][:, None]
    n = len(vertices)
    grown = np.concatenate([vertices, (1 - share) * vertices[edges[:, 0]] + share * vertices[edges[:, 1]]])
    key = edges[:, 0].astype(np.int64) * n + edges[:, 1]

    def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return n + np.searchsorted(key, np.minimum(a, b).astype(np.int64) * n + np.maximum(a, b))

    s = side[triangles]
    crossed = np.column_stack([s[:, i] * s[:, (i + 1) % 3] < 0 for i in range(3)])
    count = crossed.sum(axis=1)
    whole = np.flatnonzero(count == 0)
    parts, origin = [triangles[whole]], [whole]
    for k in range(3):  # the crossed edge lies across from corner k, which is on the line
        rows = np.flatnonzero((count == 1) & crossed[:, (k + 1) % 3])
        a, b, c = (triangles[rows, (k + i) % 3] for i in range(3))
        m = between(b, c)
        parts += [np.column_stack([a, b, m]), np.column_stack([a, m, c])]
        origin += [rows, rows]
        # corner k is alone on its side
        rows = np.flatnonzero((count == 2) & ~crossed[:, (k + 1) % 3])
        a, b, c = (triangles[rows, (k + i) % 3] for i in range(3))
        m, o = between(a, b), between(c, a)
        parts += [np.column_stack([a, m, o]), np.column_stack([m, b, c]), np.column_stack([m, c, o])]
        origin += [rows, rows, rows]
    out = np.concatenate(parts)
    return (
        grown,
        out,
        np.concatenate(origin),
        np.concatenate([side, np.zeros(len(edges), dtype=np.int64)])[out].sum(axis=1) < 0,
    )


def closed(triangles: np.ndarray) -> bool:
    """Whether every edge has two triangles, one to either side, and every vertex one fan of them."""
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    n = int(triangles.max()) + 1
    there, back = ends[:, 0] * n + ends[:, 1], ends[:, 1] * n + ends[:, 0]
    if len(np.unique(there)) != len(there) or not np.array_equal(np.sort(there), np.sort(back)):
        return False
    return fans(triangles) == len(np.unique(triangles))


def fans(triangles: np.ndarray) -> int:
    """How many fans of triangles there are about vertices: corners that edges do not join are of different fans."""
    corner = np.arange(3 * len(triangles)).reshape(-1, 3)
    n = int(triangles.max()) + 1
    a, b = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    before = np.roll(triangles, 1, axis=1).ravel()
    # the corner at a of the edge a -> b, and that of the triangle across, which has the edge b -> a
    key = a.astype(np.int64) * n + b
    order = np.argsort(key)
    back = a.astype(np.int64) * n + before
    found = order[np.clip(np.searchsorted(key, back, sorter=order), 0, len(key) - 1)]
    following = np.where(key[found] == back, found, corner.ravel())
    seen, count = np.zeros(len(a), dtype=bool), 0
    for k in range(len(a)):
        if seen[k]:
            continue
        count += 1
        while not seen[k]:
            seen[k] = True
            k = following[k]
    return count
