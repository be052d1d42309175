"""Constraint rows of a step: from contacts, connections and joint limits to v = K lam + b, island by island.

A *source* is where an impulse can enter: a body (six wrenches at its origin) or a joint (one torque). A *row* combines at most two sources, w_0
on one and w_1 on the other (action and reaction); a *block* is what a solver sees: three rows of a contact (normal, two tangents), one
row of an equality, or one bounded row. Sources of one tree respond to each other through 6x6 blocks (response.py), others not at all:
    K[r, c] = sum over sides s, t in one tree of  w_r,s' K6[s, t] w_c,t .
Islands are sets of trees tied by rows; each is solved on its own. Arrays are the caller's (arrays.py); status ROOM says that one was
too small. Checked in tests/world/.
"""

from __future__ import annotations

from bunraku.constraint.response import respond_blocks, trace_joint, trace_way
from bunraku.model.layout import DA, NW, OMEGA, POS, VEL
from bunraku.spatial.kernel import inline, part
from bunraku.spatial.vec import axpy, cross, dot, ld3, scale, sub

CONTACT, EQUALITY, BOUNDED = range(3)  # kinds of block
BODY, JOINT = range(2)  # kinds of source
ROOM = -10  # status: an array was too small

# columns of `sources`
KIND, INDEX, TREE, LOCAL = range(4)
# columns of `blocks`
BLOCK_KIND, FIRST_ROW, ISLAND, ORIGIN = range(4)
# counts in `count`
SOURCES, ROWS, BLOCKS, POOL = range(4)


@inline
def begin(rows):
    """Forget the last step's rows."""
    for i in range(rows.body_source.shape[0]):
        rows.body_source[i] = -1
        rows.joint_source[i] = -1
    for t in range(rows.tree_count.shape[0]):
        rows.tree_count[t] = 0
    for k in range(rows.count.shape[0]):
        rows.count[k] = 0


@inline
def source(known, kind, index, rows):
    """The number of a source, new or known; -1 for the world, ROOM if there are too many."""
    tree = rows.tree[index]
    if tree == 0:
        return -1
    if known[index] >= 0:
        return known[index]
    s = rows.count[SOURCES]
    if s >= rows.sources.shape[0]:
        return ROOM
    rows.sources[s, KIND] = kind
    rows.sources[s, INDEX] = index
    rows.sources[s, TREE] = tree
    rows.sources[s, LOCAL] = rows.tree_count[tree]
    rows.tree_count[tree] += 1
    known[index] = s
    rows.count[SOURCES] = s + 1
    return s


@inline
def side(work, body, x, d, sign, row_w, row, k):
    """Write side k of a row: a force along d at the world point x on a body, times sign."""
    n = scale(sign, cross(sub(x, ld3(work, body * NW + POS)), d))
    for r in range(3):
        row_w[row, k + r] = n[r]
        row_w[row, k + 3 + r] = sign * d[r]


@inline
def turn_side(d, sign, row_w, row, k):
    """Write side k of a row: a moment along d on a body, times sign."""
    for r in range(3):
        row_w[row, k + r] = sign * d[r]
        row_w[row, k + 3 + r] = 0.0


@inline
def body_rate(work, body, w, row, k, dt):
    """Rate of one side of a row: now (dt = 0), or after dt without constraint impulses, J (v + dt v')."""
    b = body * NW
    om = axpy(dt, ld3(work, b + DA), ld3(work, b + OMEGA))
    vel = axpy(dt, ld3(work, b + DA + 3), ld3(work, b + VEL))
    return dot((w[row, k], w[row, k + 1], w[row, k + 2]), om) + dot((w[row, k + 3], w[row, k + 4], w[row, k + 5]), vel)


@part
def trace_all(ints, reals, work, rows):
    """Trace every source and fill the pool of 6x6 blocks; returns a status."""
    sources = rows.sources
    blocks = 0
    position = 0
    for t in range(rows.tree_count.shape[0]):
        rows.tree_first[t, 0] = position
        rows.tree_first[t, 1] = blocks
        position += rows.tree_count[t]
        blocks += rows.tree_count[t] * rows.tree_count[t]
    if blocks > rows.pool.shape[0]:
        return ROOM
    rows.count[POOL] = blocks
    for s in range(rows.count[SOURCES]):
        rows.by_tree[rows.tree_first[sources[s, TREE], 0] + sources[s, LOCAL]] = s
        if sources[s, KIND] == BODY:
            rows.lengths[s] = trace_way(ints, reals, work, sources[s, INDEX], rows.hops[s], rows.y[s], rows.roots[s])
        else:
            rows.lengths[s] = trace_joint(ints, reals, work, sources[s, INDEX], rows.hops[s], rows.y[s], rows.roots[s])
    for t in range(rows.tree_count.shape[0]):
        m = rows.tree_count[t]
        first = rows.tree_first[t, 0]
        base = rows.tree_first[t, 1]
        for i in range(m):
            for j in range(m):
                a = rows.by_tree[first + i]
                b = rows.by_tree[first + j]
                out = rows.pool[base + i * m + j]
                respond_blocks(ints, work, a, b, rows.hops, rows.lengths, rows.y, rows.roots, out)
    return 0


@inline
def pool_row(rows, a, b):
    """Where the block of sources a and b of one tree stands in the pool."""
    t = rows.sources[a, TREE]
    return rows.tree_first[t, 1] + rows.sources[a, LOCAL] * rows.tree_count[t] + rows.sources[b, LOCAL]


@inline
def respond_rows(rows, r, c):
    """K[r, c]."""
    x = 0.0
    for s in range(2):
        a = rows.row_source[r, s]
        if a < 0:
            continue
        for t in range(2):
            b = rows.row_source[c, t]
            if b < 0 or rows.sources[a, TREE] != rows.sources[b, TREE]:
                continue
            k = pool_row(rows, a, b)
            for i in range(6):
                w = rows.row_w[r, 6 * s + i]
                if w != 0.0:
                    for j in range(6):
                        x += w * rows.pool[k, 6 * i + j] * rows.row_w[c, 6 * t + j]
    return x


@inline
def find(parent, t):
    """The representative of a tree's island."""
    while parent[t] != t:
        parent[t] = parent[parent[t]]
        t = parent[t]
    return t


@part
def islands(rows):
    """Tie trees together and write every block's island."""
    parent = rows.parent
    for t in range(parent.shape[0]):
        parent[t] = t
    for k in range(rows.count[BLOCKS]):
        r = rows.blocks[k, FIRST_ROW]
        a = rows.row_source[r, 0]
        b = rows.row_source[r, 1]
        if a >= 0 and b >= 0:
            x = find(parent, rows.sources[a, TREE])
            z = find(parent, rows.sources[b, TREE])
            if x < z:
                parent[z] = x
            elif z < x:
                parent[x] = z
    for k in range(rows.count[BLOCKS]):
        r = rows.blocks[k, FIRST_ROW]
        a = rows.row_source[r, 0]
        if a < 0:
            a = rows.row_source[r, 1]
        rows.blocks[k, ISLAND] = find(parent, rows.sources[a, TREE])


@inline
def tangents(n):
    """Two unit vectors that complete a normal to a right-handed frame, without a jump near any one axis pair."""
    if abs(n[0]) < 0.6:
        x = (0.0, -n[2], n[1])  # ex x n
    else:
        x = (n[2], 0.0, -n[0])  # ey x n
    k = 1.0 / (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) ** 0.5
    t = scale(k, x)
    return t, cross(n, t)
