"""Where the solver keeps its numbers: one flat float64 buffer of the caller's, `work`, cut up by the functions here.

Vectors of n numbers (n = rows rounded up to whole lanes, the rest zero) come first, vector s at s * n; then four
numbers a block; then K and the Newton matrix, rows of n. The cut follows the problem at hand, so a small problem in a
large buffer stays close together in memory.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline

V, LAM, B, ROOT, RHS, STEP, TINY, INVERSE, BEST, ANCHOR, ANCHOR_V, TRIAL, TRIAL_V, CENTRE, MOVE = range(15)
VECTORS = 15
CLASS, FX, FY, GAMMA = range(4)  # of a block: its state, direction of friction, stiffness of turning it


def work_size(m_max: int, nblocks_max: int) -> int:
    """Length of `work` [float64 numbers] that serves every problem of up to m_max rows in up to nblocks_max blocks."""
    n = (m_max + 3) // 4 * 4
    return VECTORS * n + 4 * nblocks_max + 2 * n * n


@inline
def block_at(n, k):
    """Where block k's four numbers start."""
    return VECTORS * n + 4 * k


@inline
def matrix_at(n, nblocks):
    """Where K starts; the Newton matrix follows n rows later."""
    return VECTORS * n + 4 * nblocks
