"""Terrains of a scene as arrays for kernels: faces, edges that stand out, and a tree of boxes.

Vertices at one place are one. Triangles whose planes agree across an edge within FINE hang together as one face, where
the whole of it is as flat; its plane is the mean one. An edge stands out where the ground falls away across it, or ends.
Triangles are put in the order of a space-filling curve (G. M. Morton, 1966), leaves of LEAF of them are those of a
binary tree in the order in which it is walked. Made with NumPy, 10 us a triangle, once a terrain. Checked in
tests/collision/test_terrain_arrays.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.collision.terrain_layout import (
    EDGE,
    FLAT,
    LEAF,
    OWN_EDGE,
    TERRAIN_ROOM,
    TerrainAsk,
    TerrainHead,
    TerrainNode,
    TerrainPoint,
    TerrainTriangle,
    TerrainVertex,
)
from bunraku.errors import ModelError
from bunraku.kernel.record import Many, Record, put, zeros
from bunraku.model.relief import Relief, with_area

FINE = 1e-6  # of a triangle's size: heights that are level
ROUNDING = 2e-7  # of the extent: rounding of numbers in files


@dataclass(frozen=True, eq=False)
class Ground:
    """The arrays of one terrain; numbers in them count from its own first vertex, triangle, edge and node."""

    low: np.ndarray  # (3,) of the box about it, in its axes
    high: np.ndarray
    nodes: np.ndarray
    triangles: np.ndarray
    vertices: np.ndarray
    neighbours: np.ndarray
    edges: int
    faces: int
    solid: bool

    @property
    def centre(self) -> np.ndarray:
        """Middle of the box."""
        return 0.5 * (self.low + self.high)

    @property
    def half(self) -> np.ndarray:
        """Half sizes of the box."""
        return np.maximum(0.5 * (self.high - self.low), 1e-9)


def ground_of(relief: Relief) -> Ground:
    """The arrays of a terrain, about the middle of its box."""
    x, t = welded(relief.vertices, relief.triangles)
    low, high = x.min(axis=0), x.max(axis=0)
    x = x - 0.5 * (low + high)
    extent = float((high - low).max())
    t = t[morton(x[t].mean(axis=1))]
    area = np.cross(x[t[:, 1]] - x[t[:, 0]], x[t[:, 2]] - x[t[:, 0]])
    normal = area / np.linalg.norm(area, axis=1)[:, None]
    number, beside, edges = across(t)
    there = beside >= 0
    beyond = np.where(there, opposite(t, number, beside), -1)
    height = np.einsum("ti,ti->t", normal, x[t[:, 0]])
    rise = np.where(there, np.einsum("ti,tki->tk", normal, x[beyond]) - height[:, None], -np.inf)
    size = np.linalg.norm(x[t] - x[np.roll(t, -1, axis=1)], axis=2).max(axis=1)
    fine = np.maximum(FINE * size, ROUNDING * extent)
    face, normal, height, level = faces_of(x, t, area, (normal, height), beside, np.abs(rise) <= fine[:, None], fine)
    out = ~there | (~level & (rise < 0.0))
    mine = out & (~there | (np.arange(len(t))[:, None] < beside))
    edge_bits = sum(
        (level[:, k] * (FLAT << k) + out[:, k] * (EDGE << k) + mine[:, k] * (OWN_EDGE << k) for k in range(3)),
        np.zeros(len(t), dtype=np.int64),
    )
    sharp = np.zeros(len(x), dtype=bool)
    sharp[t[out]] = sharp[np.roll(t, -1, axis=1)[out]] = True
    rim = np.zeros(len(x), dtype=bool)
    rim[t[~level]] = rim[np.roll(t, -1, axis=1)[~level]] = True
    first = np.zeros(len(x), dtype=np.int64)
    first[t.ravel()[::-1]] = np.arange(t.size)[::-1]
    owner = np.zeros(t.size, dtype=bool)
    owner[first] = True
    owned = ((owner.reshape(-1, 3) & sharp[t]) << np.arange(3)).sum(axis=1)
    vertices = zeros(TerrainVertex, len(x))
    lists = neighbours_of(t, len(x))
    mean = np.zeros((len(x), 3))
    for k in range(3):
        np.add.at(mean, t[:, k], area)
    length = np.linalg.norm(mean, axis=1)
    mean[length > 0] /= length[length > 0][:, None]
    fill(TerrainVertex, vertices, place=x, normal=mean, neighbours=lists[0], inner=~rim)
    triangles = zeros(TerrainTriangle, len(t))
    fill(
        TerrainTriangle, triangles, normal=normal, height=height, corner=t, beside=beside, beyond=beyond, edge=number,
        edges=edge_bits, owned=owned, face=face, place_0=x[t[:, 0]], place_1=x[t[:, 1]], place_2=x[t[:, 2]],
        low=x[t].min(axis=1), high=x[t].max(axis=1),
    )  # fmt: skip
    return Ground(low, high, tree(x[t]), triangles, vertices, lists[1], edges, int(face.max()) + 1, relief.solid)


def fill(of: type[Record], array: np.ndarray, **columns: np.ndarray) -> None:
    """Write fields of records."""
    rows = Many(of, array)
    for name, values in columns.items():
        rows.column(name)[:] = values


def welded(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices at one place as one, triangles with an area."""
    extent = float(np.ptp(vertices, axis=0).max())
    grain = np.rint((vertices - vertices.min(axis=0)) / (1e-9 * extent)).astype(np.int64)
    order = np.lexsort(grain.T)
    new = np.concatenate([[True], np.any(grain[order][1:] != grain[order][:-1], axis=1)])
    which = np.empty(len(order), dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    x, t = vertices[order[new]], which[triangles]
    t = t[with_area(x, t)]
    if not len(t):
        raise ModelError("terrain: its triangles are smaller than 1e-9 of it; give it sizes in metres.")
    used = np.zeros(len(x), dtype=bool)
    used[t] = True
    return x[used], (np.cumsum(used) - 1)[t]


def morton(places: np.ndarray) -> np.ndarray:
    """The order of places along a space-filling curve."""
    size = np.ptp(places, axis=0).max()
    cell = ((places - places.min(axis=0)) / (size if size > 0 else 1.0) * (2**20 - 1)).astype(np.int64)
    key = np.zeros(len(places), dtype=np.int64)
    for axis in range(3):
        spread = cell[:, axis]
        for shift, mask in (
            (32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F), (4, 0x10C30C30C30C30C3), (2, 0x1249249249249249),
        ):  # fmt: skip
            spread = (spread | (spread << shift)) & mask
        key |= spread << axis
    return np.argsort(key, kind="stable")


def across(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """(number of the edge, triangle across it or -1) of every edge of every triangle, and how many edges there are.

    Where more than two triangles share an edge, or two that look to different sides, none is across it."""
    ends = np.stack([t, np.roll(t, -1, axis=1)], axis=2).reshape(-1, 2)
    key = ends.min(axis=1) * (int(t.max()) + 1) + ends.max(axis=1)
    _, number, count = np.unique(key, return_inverse=True, return_counts=True)
    order = np.argsort(number, kind="stable")
    starts = np.concatenate([[0], np.cumsum(count)[:-1]])
    one, two = order[starts], order[np.minimum(starts + 1, len(order) - 1)]
    pair = (count == 2) & (ends[one, 0] == ends[two, 1])
    beside = np.full(len(ends), -1, dtype=np.int64)
    beside[one[pair]], beside[two[pair]] = two[pair] // 3, one[pair] // 3
    return number.reshape(-1, 3).astype(np.int64), beside.reshape(-1, 3), len(count)


def opposite(t: np.ndarray, number: np.ndarray, beside: np.ndarray) -> np.ndarray:
    """The vertex of the triangle across each edge that is not on it."""
    other = np.maximum(beside, 0)
    same = number[other] == number[:, :, None]  # (t, 3, 3): which edge of it this is
    at = (np.argmax(same, axis=2) + 2) % 3
    return np.take_along_axis(t[other], at[:, :, None], axis=2)[:, :, 0]


def faces_of(
    x: np.ndarray,
    t: np.ndarray,
    area: np.ndarray,
    planes: tuple[np.ndarray, np.ndarray],
    beside: np.ndarray,
    level: np.ndarray,
    fine: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(face, its normal and height, edges across which it goes on) of every triangle; planes: normals and heights;
    level: edges across which planes agree; fine: heights that are level [m]."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    normal, height = planes
    row = np.repeat(np.arange(len(t)), 3).reshape(-1, 3)
    back = level & level[np.maximum(beside, 0), back_edge(beside)]
    graph = coo_array((np.ones(int(back.sum())), (row[back], beside[back])), shape=(len(t), len(t)))
    _, face = connected_components(graph, directed=False)
    face = face.astype(np.int64)
    count = int(face.max()) + 1
    mean = np.stack([np.bincount(face, area[:, k], count) for k in range(3)], axis=1)
    mean /= np.maximum(np.linalg.norm(mean, axis=1), 1e-300)[:, None]
    above = np.einsum("ti,tki->tk", mean[face], x[t])
    middle = np.bincount(face, above.mean(axis=1), count) / np.bincount(face, minlength=count)
    off = np.abs(above - middle[face][:, None]).max(axis=1) > 2.0 * fine
    bent = np.bincount(face, off, count) > 0
    alone = np.flatnonzero(bent[face])
    face[alone] = count + np.arange(len(alone))
    together = ~bent[np.minimum(face, count - 1)] & (face < count)
    normal = np.where(together[:, None], mean[np.minimum(face, count - 1)], normal)
    height = np.where(together, middle[np.minimum(face, count - 1)], height)
    _, face = np.unique(face, return_inverse=True)
    face = face.reshape(-1)
    goes_on = (beside >= 0) & (face[np.maximum(beside, 0)] == face[:, None]) & back
    return face.astype(np.int64), normal, height, goes_on


def back_edge(beside: np.ndarray) -> np.ndarray:
    """Which edge of the triangle across it each edge is."""
    other = beside[np.maximum(beside, 0)]
    return np.argmax(other == np.arange(len(beside))[:, None, None], axis=2)


def neighbours_of(t: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(where the neighbours of each vertex begin, the neighbours)."""
    ends = np.stack([t, np.roll(t, -1, axis=1)], axis=2).reshape(-1, 2)
    key = np.sort(np.concatenate([ends[:, 0] * count + ends[:, 1], ends[:, 1] * count + ends[:, 0]]))
    key = key[np.concatenate([[True], key[1:] != key[:-1]])]
    return np.searchsorted(key // count, np.arange(count)), (key % count).astype(np.int64)


def tree(corners: np.ndarray) -> np.ndarray:
    """The nodes of triangles (m, 3, 3) in order: a full binary tree over leaves of LEAF of them."""
    leaves = -(-len(corners) // LEAF)
    levels = int(np.ceil(np.log2(leaves))) if leaves > 1 else 0
    low, high = np.full((2**levels, 3), np.inf), np.full((2**levels, 3), -np.inf)
    starts = np.arange(leaves) * LEAF
    low[:leaves] = np.minimum.reduceat(corners.min(axis=1), starts)
    high[:leaves] = np.maximum.reduceat(corners.max(axis=1), starts)
    nodes = zeros(TerrainNode, 2 ** (levels + 1) - 1)
    rows = Many(TerrainNode, nodes)
    for up in range(levels + 1):  # level by level, from the leaves
        index = np.arange(len(low))
        at = np.zeros(len(low), dtype=np.int64)  # where each stands in the order in which the tree is walked
        for bit in range(levels - up):
            right = (index >> (levels - up - 1 - bit)) & 1
            at += 1 + right * (2 ** (levels - bit) - 1)
        rows.column("low")[at], rows.column("high")[at] = low, high
        rows.column("skip")[at] = at + 2 ** (up + 1) - 1
        if up == 0:
            rows.column("first")[at[:leaves]] = starts
            rows.column("count")[at[:leaves]] = np.minimum(LEAF, len(corners) - starts)
        if len(low) > 1:
            low, high = np.minimum(low[::2], low[1::2]), np.maximum(high[::2], high[1::2])
    return nodes


class TerrainPool:
    """The terrains of a scene behind one another; `add` gives one its number."""

    def __init__(self) -> None:
        self.grounds: list[Ground] = []
        self._known: dict[str, int] = {}

    def add(self, relief: Relief) -> tuple[int, Ground]:
        """The number of a terrain, new or known, and its arrays."""
        if relief.digest not in self._known:
            self._known[relief.digest] = len(self.grounds)
            self.grounds.append(ground_of(relief))
        number = self._known[relief.digest]
        return number, self.grounds[number]

    def put_into(self, terrains: Record) -> None:
        """Give a table the arrays of all terrains, and scratch."""
        heads = zeros(TerrainHead, len(self.grounds))
        made: dict[str, list[np.ndarray]] = {"nodes": [], "triangles": [], "vertices": [], "neighbours": []}
        n = t = v = e = f = w = 0
        for k, g in enumerate(self.grounds):
            head = Many(TerrainHead, heads)[k]
            head.nodes, head.count, head.solid = n, len(g.nodes), int(g.solid)
            nodes, triangles, vertices = g.nodes.copy(), g.triangles.copy(), g.vertices.copy()
            Many(TerrainNode, nodes).column("skip")[:] += n
            Many(TerrainNode, nodes).column("first")[:] += t
            rows = Many(TerrainTriangle, triangles)
            for name, first in (("corner", v), ("beside", t), ("beyond", v), ("edge", e), ("face", f)):
                column = rows.column(name)
                column[column >= 0] += first
            Many(TerrainVertex, vertices).column("neighbours")[:] += w
            for name, a in (
                ("nodes", nodes),
                ("triangles", triangles),
                ("vertices", vertices),
                ("neighbours", g.neighbours + v),
            ):
                made[name].append(a)
            n, t, v, e, f, w = (
                n + len(g.nodes),
                t + len(g.triangles),
                v + len(g.vertices),
                e + g.edges,
                f + g.faces,
                w + len(g.neighbours),
            )
        last = zeros(TerrainVertex, 1)
        Many(TerrainVertex, last)[0].neighbours = w
        made["vertices"].append(last)
        arrays = {name: np.concatenate(parts) for name, parts in made.items()}
        put(
            terrains, ask=TerrainAsk(), heads=heads, **arrays, points=zeros(TerrainPoint, TERRAIN_ROOM),
            chosen=np.zeros(2 * TERRAIN_ROOM, dtype=np.int64),
        )  # fmt: skip
