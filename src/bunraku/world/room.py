"""Room: the arrays that a step works in, grown by doubling when a step says they are too small. Work, never state."""

from __future__ import annotations

import numpy as np

from bunraku.contact.dense_front import Dense, put_dense
from bunraku.contact.problem import Problem, put_problem
from bunraku.contact.sparse import Sparse, put_sparse
from bunraku.errors import BunrakuError
from bunraku.kernel.table import Table
from bunraku.model import layout
from bunraku.model.model import Model
from bunraku.step import step_arrays as at
from bunraku.step.island import DENSE, LARGE_STAGE, no_large
from bunraku.step.large import solve_large
from bunraku.step.response import BASE, HOP, SQUARE
from bunraku.step.rows import PACK_COLUMNS, W

MOST = 200_000  # rows beyond which a scene is refused


class TooLarge(BunrakuError):
    """A step needs more room than there is."""


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
    """Arrays for a model with `rows` constraint rows in all and `pool` 6x6 responses, put into a table; `entries`: of a
    large island's matrix, 0: there is none."""

    def __init__(self, model: Model, table: Table, rows: int = 96, pool: int = 64, entries: int = 0) -> None:
        tree = trees(model)
        nb, nt = model.nb, int(tree.max(initial=0)) + 1
        sources = min(2 * rows + 1, 2 * nb) + 1
        way = longest_way(model)
        self.model, self.table, self.rows, self.pool, self.entries = model, table, rows, pool, entries
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
        }.items():
            table.put(number, array)
        put_problem(Problem(table), rows, rows)
        put_dense(Dense(table), DENSE)

        if entries:
            table.put(at.SLOT, np.zeros((rows, 2), integer))
            put_sparse(Sparse(table), rows, rows, nt, entries)
            table.plan(LARGE_STAGE, solve_large)
        else:
            table.plan(LARGE_STAGE, no_large)

    def grown(self, status: int) -> Room:
        """Room for what a status of the step found too small; TooLarge where a machine cannot be expected to hold it."""
        rows, pool, entries = self.rows, self.pool, self.entries
        if status == at.ROOM_POOL:
            pool = max(2 * pool, int(self.table.arrays[at.COUNT][at.N_POOL]))
        elif status == at.ROOM_LARGE:
            needed = int(self.table.arrays[at.INFO][at.LARGE_NEEDS])
            entries = max(4096, 2 * entries, needed + needed // 2)
        elif rows < MOST:
            rows = min(2 * rows, MOST)
        else:
            raise TooLarge(f"more than {MOST} constraint rows; spread the scene out, or take fewer shapes")
        try:
            return Room(self.model, self.table, rows, pool, entries)
        except MemoryError:
            raise TooLarge(
                f"no memory for {rows} constraint rows and {entries} entries of the matrix of one group of bodies that touch; take fewer shapes"
            ) from None
