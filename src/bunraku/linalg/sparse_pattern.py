"""Which blocks of a large island push on which: the sparse matrix's pattern, from the trees that each block touches.

Block i (a contact, an equality or a bounded row) acts on at most two trees, trees[i] = (a, b), 0 meaning the world.
K_ij is not zero only if i and j share a tree. The pattern lists, for block i, the blocks cols[starts[i] .. starts[i +
1]): itself first, then those of its first tree, then those of its second, each in rising order. A matrix in this
pattern has nine numbers an entry, `values` (9 nnz), column by column:

    values[9 e + 3 c + r] = K[row_i + r, row_j + c]       for e in starts[i] .. starts[i + 1], j = cols[e]

with zeros where a block has one row only. Both K_ij and K_ji are stored. Cost: the number of entries. Checked in
tests/linalg/test_sparse_pattern.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow


def pattern_scratch(ntrees: int, nblocks: int) -> int:
    """Length of `scratch` [int64 numbers] for trees numbered 1 to ntrees."""
    return ntrees + 1 + 2 * nblocks


@inline
def pattern(trees, nblocks, starts, cols, scratch):
    """Fill starts (nblocks + 1) and cols. Returns the number of entries; if cols is too short, its negative, and cols
    is not filled.

    scratch: pattern_scratch(largest tree, nblocks) numbers, of any content."""
    link = scratch.shape[0] - 2 * nblocks  # the next block and side of the same tree stands at link + 2 block + side
    for i in range(nblocks):
        for side in range(2):
            scratch[trees[i, side]] = -1
    for i in range(nblocks - 1, -1, -1):
        for side in range(2):
            t = trees[i, side]
            if t != 0 and not (side == 1 and t == trees[i, 0]):
                scratch[link + 2 * i + side] = scratch[t]
                scratch[t] = 2 * i + side
    entries = 0
    for fill in range(2):
        entries = 0
        for i in range(nblocks):
            if fill == 1:
                starts[i] = entries
                cols[entries] = i
            entries += 1
            a = trees[i, 0]
            for side in range(2):
                t = trees[i, side]
                if t == 0 or (side == 1 and t == a):
                    continue
                at = scratch[t]
                while at >= 0:
                    j = at // 2
                    if j != i and not (side == 1 and a != 0 and (trees[j, 0] == a or trees[j, 1] == a)):
                        if fill == 1:
                            cols[entries] = j
                        entries += 1
                    at = scratch[link + at]
        if entries > cols.shape[0]:
            return -entries
    starts[nblocks] = entries
    return entries


@entry("II i I I I")
def pattern_one(trees, nblocks, starts, cols, scratch):
    """`pattern` for Python."""
    return pattern(borrow(trees), nblocks, borrow(starts), borrow(cols), borrow(scratch))
