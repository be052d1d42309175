"""Room: the arrays that a step works in, grown by doubling when a step says they are too small. Work, never state."""

from __future__ import annotations

import numpy as np

from bunraku.constraint.contact.pgs import work_size
from bunraku.constraint.response import HOP
from bunraku.model import layout as at
from bunraku.model.model import Model

MOST = 20_000  # rows beyond which a scene is refused


def trees(model: Model) -> np.ndarray:
    """For every body the number of its tree, 1, 2, …; 0 for the world."""
    tree = np.zeros(model.nb, dtype=np.int64)
    count = 0
    for i in range(1, model.nb):
        parent = int(model.ints[i, at.PARENT])
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
        depth[i] = depth[model.ints[i, at.PARENT]] + 1
    return int(depth.max(initial=0)) + 1


class Room:
    """Arrays for a model with `rows` constraint rows in all and `island` rows in one island."""

    def __init__(self, model: Model, rows: int = 96, island: int = 96) -> None:
        nb, nt = model.nb, int(trees(model).max(initial=0)) + 1
        sources = min(rows + 1, 2 * nb) + 1
        way = longest_way(model)
        integer = np.int64
        self.rows, self.island = rows, island
        self.tables = (
            trees(model),
            np.zeros(nb, integer),
            np.zeros(nb, integer),
            np.zeros(nt, integer),
            np.zeros((nt, 2), integer),
            np.zeros(sources, integer),
            np.zeros(nt, integer),
            np.zeros((sources, 4), integer),
            np.zeros(4, integer),
        )
        self.lists = (
            np.zeros((sources, way), integer),
            np.zeros(sources, integer),
            np.zeros((sources, way, HOP)),
            np.zeros((sources, 6, 12)),
            np.zeros((max(4 * sources, 64), 36)),
            np.zeros((rows, 2), integer),
            np.zeros((rows, 12)),
            np.zeros(rows),
            np.zeros(rows),
            np.zeros((rows, 4), integer),
            np.zeros((rows, 3)),
            np.zeros(rows),
        )
        self.solver = (
            np.zeros((island, island)),
            np.zeros(island),
            np.zeros((island, 2), integer),
            np.zeros((island, 3)),
            np.zeros(island),
            np.zeros(work_size(island, island)),
            np.zeros(island, integer),
            np.zeros(rows, integer),
        )

    def grown(self, model: Model) -> Room:
        """Twice the room."""
        bigger = Room(model, 2 * self.rows, 2 * self.island)
        pool = bigger.lists[4]
        if len(pool) < 2 * len(self.lists[4]):
            lists = list(bigger.lists)
            lists[4] = np.zeros((2 * len(self.lists[4]), 36))
            bigger.lists = tuple(lists)  # pyright: ignore[reportAttributeAccessIssue]
        return bigger
