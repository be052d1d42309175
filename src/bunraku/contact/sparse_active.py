"""One Newton step of a large island's contact problem: bunraku.contact.active with a sparse matrix.

The states of blocks, the equations and the step are those of active.py; the matrix is factored by fronts
(sparse_front.py) in an order found for the blocks that have unknowns (sparse_order.py). The order is kept while the
same blocks have the same number of unknowns. Checked in tests/contact/test_sparse.py.
"""

from __future__ import annotations

from bunraku.contact.active import (
    FIXED,
    ROW,
    SLIP,
    SMALLEST,
    STICK,
    classify,
    contradiction,
    copy_row,
    take_step,
)
from bunraku.contact.memory import CLASS, FX, FY, GAMMA, LAM, RHS, ROOT, STEP, TINY, V, block_at
from bunraku.contact.sparse_front import factor_fronts, substitute_fronts
from bunraku.contact.sparse_matrix import sparse_multiply
from bunraku.kernel.compile import part
from bunraku.kernel.lanes import ld, st
from bunraku.linalg.sparse_order import FIRST, WEIGHT, order


@part
def number_unknowns(nblocks, work, n, iwork):
    """Each block's unknowns and the first of them. Returns whether any block's number of unknowns has changed."""
    changed = False
    u = 0
    for k in range(nblocks):
        state = ld(work, block_at(n, k) + CLASS)
        weight = 3 if state == STICK else 2 if state == SLIP else 1 if state > FIXED else 0
        changed = changed or iwork[WEIGHT * nblocks + k] != weight
        iwork[WEIGHT * nblocks + k] = weight
        iwork[FIRST * nblocks + k] = u
        u += weight
    return changed


@part
def right_side(ints, reals, nblocks, work, n):
    """-(T v + Gamma y) in STEP, the smallest pivots in TINY; in block order."""
    u = 0
    for k in range(nblocks):
        i = ints[k, 1]
        at = block_at(n, k)
        state = ld(work, at + CLASS)
        if state <= FIXED:
            continue
        for j in range(3 if state == STICK else 2 if state == SLIP else 1):
            st(work, STEP * n + u, -ld(work, V * n + i + j))
            st(work, TINY * n + u, SMALLEST * ld(work, ROOT * n + i + j) * ld(work, ROOT * n + i + j))
            u += 1
        if state == ROW:
            st(work, STEP * n + u - 1, -ld(work, V * n + i) - reals[k, 0] * ld(work, LAM * n + i))
        elif state == SLIP:
            fx = ld(work, at + FX)
            fy = ld(work, at + FY)
            y = fx * ld(work, LAM * n + i + 2) - fy * ld(work, LAM * n + i + 1)
            v = fx * ld(work, V * n + i + 2) - fy * ld(work, V * n + i + 1)
            st(work, STEP * n + u - 1, -v - ld(work, at + GAMMA) * y)


@part
def sparse_newton(
    trees, ntrees, starts, cols, values, ints, reals, nblocks, work, n, iwork, low, h, limit, fronts, clusters
):
    """One step from work[LAM], work[V]; work[LAM] is replaced. fronts, clusters: of the last step, 0 at first.

    Returns (fronts, clusters, the part of the equalities that contradicts itself [sqrt J]); fronts < 0: no room, and no
    step."""
    _, symmetric = classify(ints, reals, nblocks, work, n)
    sparse_multiply(starts, cols, values, ints, nblocks, work, n, h)
    if number_unknowns(nblocks, work, n, iwork) or fronts == 0:
        fronts, clusters = order(trees, nblocks, iwork, ntrees)
        if fronts < 0:
            return -1, clusters, 0.0
    right_side(ints, reals, nblocks, work, n)
    high = work.shape[0]
    if not factor_fronts(
        starts, cols, values, reals, nblocks, clusters, fronts, work, n, iwork, low, high, symmetric, h
    ):
        return -1, clusters, 0.0
    copy_row(work, RHS * n, STEP * n, n)
    substitute_fronts(nblocks, clusters, fronts, work, n, iwork)
    worth, unmet = contradiction(ints, nblocks, work, n, limit)
    if worth:
        copy_row(work, STEP * n, RHS * n, n)
        substitute_fronts(nblocks, clusters, fronts, work, n, iwork)
    take_step(ints, reals, nblocks, work, n)
    return fronts, clusters, unmet
