"""Room: the arrays that a step works in, grown by doubling when a step says they are too small. Work, never state."""

from __future__ import annotations

import numpy as np

from bunraku.constraint import arrays as at
from bunraku.constraint.contact.pgs import work_size
from bunraku.constraint.response import BASE, HOP, SQUARE
from bunraku.constraint.rows import PACK_COLUMNS, W
from bunraku.model import layout
from bunraku.model.model import Model
from bunraku.spatial.table import Table

MOST = 20_000  # rows beyond which a scene is refused


def trees(model: Model) -> np.ndarray:
    """For every body the number of its tree, 1, 2, …; 0 for the world."""
    tree = np.zeros(model.nb, dtype=np.int64)
    count = 0
    for i in range(1, model.nb):
        parent = int(model.ints[i, layout.PARENT])
        if parent == 0:
            count += 1
            tree[i] = count
        else:
            tree[i] = tree[parent]
    return tree


def longest_way(model: Model) -> int:
    """The largest number of joints between a body and the world."""
    depth = np.zeros(model.nb, dtype=int)
    for i in range(1, model.nb):
        depth[i] = depth[model.ints[i, layout.PARENT]] + 1
    return int(depth.max(initial=0)) + 1


class Room:
    """Arrays for a model with `rows` constraint rows in all, `island` rows in one island and `pool` 6x6 responses, put into a table."""

    def __init__(self, model: Model, table: Table, rows: int = 96, island: int = 96, pool: int = 64) -> None:
        tree = trees(model)
        nb, nt = model.nb, int(tree.max(initial=0)) + 1
        sources = min(2 * rows + 1, 2 * nb) + 1
        way = longest_way(model)
        self.model, self.table, self.rows, self.island, self.pool = model, table, rows, island, pool
        integer = np.int64
        for number, array in {
            at.TREE: tree,
            at.BODY_SOURCE: np.zeros(nb, integer),
            at.JOINT_SOURCE: np.zeros(nb, integer),
            at.TREE_COUNT: np.zeros(nt, integer),
            at.TREE_FIRST: np.zeros((nt, 2), integer),
            at.BY_TREE: np.zeros(sources, integer),
            at.ISLAND_OF: np.zeros(nt, integer),
            at.ISLAND_START: np.zeros(nt + 1, integer),
            at.SOURCES: np.zeros((sources, 4), integer),
            at.COUNT: np.zeros(8, integer),
            at.HOPS: np.zeros((sources, way), integer),
            at.LENGTHS: np.zeros(sources, integer),
            at.TRACES: np.zeros((sources, way * HOP)),
            at.ROOTS: np.zeros((sources, BASE)),
            at.POOL: np.zeros(pool * SQUARE),
            at.HEAD: np.zeros((sources, 2), integer),
            at.PACKS: np.zeros((rows, PACK_COLUMNS), integer),
            at.BY_ISLAND: np.zeros(rows, integer),
            at.PACK_W: np.zeros(rows * W),
            at.BLOCKS: np.zeros((rows, 4), integer),
            at.BLOCK_REALS: np.zeros((rows, 3)),
            at.RATE_B: np.zeros(rows),
            at.RATE_P: np.zeros(rows),
            at.LAM: np.zeros(rows),
            at.K: np.zeros((island, island)),
            at.B: np.zeros(island),
            at.ISLAND_INTS: np.zeros((island, 2), integer),
            at.ISLAND_REALS: np.zeros((island, 3)),
            at.ISLAND_LAM: np.zeros(island),
            at.SOLVER: np.zeros(work_size(island, island)),
        }.items():
            table.put(number, array)

    def grown(self) -> Room:
        """Twice the room in what was full. The kernel does not say which it was, so all that is nearly full grows."""
        return Room(self.model, self.table, 2 * self.rows, 2 * self.island, 2 * self.pool)
