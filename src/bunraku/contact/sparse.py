"""The contact solver `pgs` for large islands: the problem, law and answer of bunraku.contact.pgs with a sparse K.

A heap of 200 boxes is one island of 1,000 contacts, 3,000 rows, of which each couples with fifteen blocks only. The
loop is the dense solver's, with tactics that suit large problems:

1. Newton's matrix is factored by fronts, in an order that follows from the trees (sparse_order.py, sparse_front.py): a
   tower costs in proportion to its height, a heap of n bodies about n^2 instead of n^3
2. a sweep is cheap beside a factorisation, so sweeps come first, 30 from a cold start and 5 from a warm one, and go on
   as long as they pay: five of them must halve the error (large problems, whose factorisation costs 100 sweeps: lower
   it by 15 %)
3. a softened problem (proximal point) is never given up, and its impulses are carried on beyond its answer, the further
   the longer the moves point the same way: the slow part of large problems is a long straight way through impulses that
   move next to nothing

Layout of K: sparse_pattern.py. Where there is no memory for the factorisation, sweeps alone go on. Checked in
tests/contact/test_sparse.py; speed in docs/contact-solver.md.
"""

from __future__ import annotations

import numpy as np

from bunraku.contact.pgs import NEVER, Front, Tactics, solver
from bunraku.contact.problem import put_problem
from bunraku.contact.sparse_front import sparse_factor, sparse_substitute
from bunraku.contact.sparse_matrix import Sparse, sparse_begin, sparse_multiply, sparse_soften, sparse_sweep
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import LANES
from bunraku.kernel.record import put
from bunraku.linalg.dense import padded
from bunraku.linalg.sparse_order import put_elimination
from bunraku.linalg.sparse_pattern import pattern_scratch

__all__ = ["Sparse", "make_sparse", "put_sparse", "solve", "solve_one"]


def make_sparse(rows: int, blocks: int, trees: int, entries: int, factors: int = 0, pool: int = 0) -> Sparse:
    """Room for up to `rows` rows in up to `blocks` blocks on up to `trees` trees, in a Table of its own; see
    put_sparse."""
    a = Sparse()
    put_problem(a.problem, rows, blocks)
    put_sparse(a, rows, blocks, trees, entries, factors, pool)
    return a


def put_sparse(a: Sparse, rows: int, blocks: int, trees: int, entries: int, factors: int = 0, pool: int = 0) -> None:
    """Room for the matrix and its factors alone.

    entries: blocks of K that are not zero. factors, pool: room for the factorisation and for the lists of its order; 0:
    three full matrices for small problems and, beyond, several times what heaps take."""
    n = padded(rows) + 2 * LANES
    put_elimination(a.elimination, blocks, trees, pool)
    lists = {"starts": blocks + 1, "cols": entries, "scratch": pattern_scratch(trees, blocks)}
    put(a, **{name: np.zeros(size, np.int64) for name, size in lists.items()})
    put(a, values=np.zeros(9 * entries), factors=np.zeros(factors or min(3 * n * n, 750_000 + 1000 * rows)))


SPARSE = Front(sparse_begin, sparse_multiply, sparse_soften, sparse_sweep, sparse_factor, sparse_substitute)
solve = solver(
    SPARSE,
    Tactics(
        padding=2 * LANES,
        cold=30,
        warm=5,
        good=0.5,
        good_large=0.85,
        large=300,
        softer=3.0,
        softenings=NEVER,
        beyond=0.8,
    ),
)


@entry("h i i d i")
def solve_one(h, rows, blocks, tolerance, most):
    """`solve` for Python: solve_one.call(handle(sparse), rows, blocks, TOLERANCE, MAX_SWEEPS)."""
    return solve(Sparse(h), rows, blocks, tolerance, most)
