"""Room: the arrays that a step works in, grown by doubling when a step says they are too small. Work, never state."""

from __future__ import annotations

import numpy as np

from bunraku.contact.dense_front import put_dense
from bunraku.contact.problem import put_problem
from bunraku.contact.sparse import put_sparse
from bunraku.errors import BunrakuError
from bunraku.kernel.record import put, zeros
from bunraku.kernel.table import Phase
from bunraku.model import layout
from bunraku.model.matrix_gears import leads_of
from bunraku.model.model import Model
from bunraku.step.island import DENSE, LARGE_PHASE, no_large
from bunraku.step.response import BASE, HOP, SQUARE
from bunraku.step.step_arrays import ROOM_LARGE, ROOM_POOL, Count, Pack, RowBlock, Source, Step, Tree, W

MOST = 200_000  # rows beyond which a scene is refused


class TooLarge(BunrakuError):
    """A step needs more room than there is."""


def ints(*shape: int) -> np.ndarray:
    """Zeros, int64."""
    return np.zeros(shape, dtype=np.int64)


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
    """The largest number of hops between a body and the world."""
    depth = np.zeros(model.nb, dtype=int)
    for i in range(1, model.nb):
        depth[i] = depth[model.ints[i, layout.PARENT]] + 1
    coupled = sum((rates + 2) // 3 for _, _, rates in leads_of(model.ints))  # by a matrix: three rates a hop
    return int(depth.max(initial=0)) + 1 + coupled


class Room:
    """Arrays for a model with `rows` constraint rows in all and `pool` 6x6 responses, put into a step; `entries`: of a
    large island's matrix, 0: there is none; `large`: the phase that solves such islands."""

    def __init__(
        self, model: Model, step: Step, large: Phase, *, rows: int = 96, pool: int = 64, entries: int = 0
    ) -> None:
        tree = trees(model)
        nb, nt = model.nb, int(tree.max(initial=0)) + 1
        sources = min(2 * rows + 1, 2 * nb) + 1
        way = longest_way(model)
        self.model, self.step, self.large = model, step, large
        self.rows, self.pool, self.entries = rows, pool, entries
        put(
            step.rows.traces,
            lengths=ints(sources),
            hops=ints(sources, way),
            joints=np.zeros((sources, way * HOP)),
            roots=np.zeros((sources, BASE)),
            pool=np.zeros(pool * SQUARE),
        )
        put(
            step.rows,
            tree=tree,
            body_source=ints(nb),
            joint_source=ints(nb),
            trees=zeros(Tree, nt),
            by_tree=ints(sources),
            island_of=ints(nt),
            island_start=ints(nt + 1),
            by_island=ints(rows),
            sources=zeros(Source, sources),
            count=Count(),
            packs=zeros(Pack, rows),
            w=np.zeros(rows * W),
            blocks=zeros(RowBlock, rows),
            b=np.zeros(rows),
            p=np.zeros(rows),
            lam=np.zeros(rows),
            kept=np.zeros(rows),
            pushed=np.zeros(nt),
        )
        put_problem(step.problem, rows, rows)
        put_dense(step.island, DENSE)
        if entries:
            put(step.large, entry=ints(rows), first_block=ints(rows))
            put_sparse(step.large.matrix, rows, rows, nt, entries)
        step.source.plan(LARGE_PHASE, large if entries else no_large)

    def grown(self, status: int) -> Room:
        """Room for what a status of the step found too small; TooLarge where a machine cannot be expected to hold it."""
        rows, pool, entries = self.rows, self.pool, self.entries
        if status == ROOM_POOL:
            pool = max(2 * pool, int(self.step.rows.count.pool))
        elif status == ROOM_LARGE:
            needed = int(self.step.info.large_needs)
            entries = max(4096, 2 * entries, needed + needed // 2)
        elif rows < MOST:
            rows = min(2 * rows, MOST)
        else:
            raise TooLarge(f"more than {MOST} constraint rows; spread the scene out, or take fewer shapes")
        try:
            return Room(self.model, self.step, self.large, rows=rows, pool=pool, entries=entries)
        except MemoryError:
            raise TooLarge(
                f"no memory for {rows} constraint rows and {entries} entries of the matrix of one group of bodies that "
                "touch; take fewer shapes"
            ) from None
