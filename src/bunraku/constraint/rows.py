"""Constraint rows of a step: from contacts, connections and joint limits to v = K lam + b, island by island.

A *source* is where an impulse can enter: a body (six wrenches at its origin) or a joint (one torque). A *row* combines at most two sources, w_0
on one and w_1 on the other (action and reaction); a *block* is what a solver sees: three rows of a contact (normal, two tangents), one
row of an equality, or one bounded row. Sources of one tree respond to each other through 6x6 blocks (response.py), others not at all:
    K[r, c] = sum over sides s, t in one tree of  w_r,s' K6[s, t] w_c,t .
Islands are sets of trees tied by rows; each is solved on its own. Arrays are the caller's (rows_room.py); a negative status says
which was too small. Checked in tests/constraint/test_rows.py.
"""

from __future__ import annotations

from bunraku.constraint.response import respond_blocks, trace_joint, trace_way
from bunraku.model.layout import DA, NW, OMEGA, POS, VEL
from bunraku.spatial.kernel import inline
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
def begin(body_source, joint_source, tree_count, count):
    """Forget the last step's rows."""
    for i in range(body_source.shape[0]):
        body_source[i] = -1
    for i in range(joint_source.shape[0]):
        joint_source[i] = -1
    for t in range(tree_count.shape[0]):
        tree_count[t] = 0
    for k in range(count.shape[0]):
        count[k] = 0


@inline
def source(known, kind, index, tree, sources, tree_count, count):
    """The number of a source, new or known; -1 for the world, ROOM if there are too many."""
    if tree == 0:
        return -1
    if known[index] >= 0:
        return known[index]
    s = count[SOURCES]
    if s >= sources.shape[0]:
        return ROOM
    sources[s, KIND] = kind
    sources[s, INDEX] = index
    sources[s, TREE] = tree
    sources[s, LOCAL] = tree_count[tree]
    tree_count[tree] += 1
    known[index] = s
    count[SOURCES] = s + 1
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


@inline
def trace_all(ints, reals, work, sources, count, tree_first, tree_count, by_tree, hops, lengths, y, roots, pool):
    """Trace every source and fill the pool of 6x6 blocks; returns a status."""
    n = count[SOURCES]
    total = 0
    position = 0
    for t in range(tree_count.shape[0]):
        tree_first[t, 0] = position
        tree_first[t, 1] = total
        position += tree_count[t]
        total += tree_count[t] * tree_count[t]
    if total > pool.shape[0]:
        return ROOM
    count[POOL] = total
    for s in range(n):
        by_tree[tree_first[sources[s, TREE], 0] + sources[s, LOCAL]] = s
        if sources[s, KIND] == BODY:
            lengths[s] = trace_way(ints, reals, work, sources[s, INDEX], hops[s], y[s], roots[s])
        else:
            lengths[s] = trace_joint(ints, reals, work, sources[s, INDEX], hops[s], y[s], roots[s])
    for t in range(tree_count.shape[0]):
        m = tree_count[t]
        first = tree_first[t, 0]
        base = tree_first[t, 1]
        for a in range(m):
            for b in range(m):
                respond_blocks(ints, work, by_tree[first + a], by_tree[first + b], hops, lengths, y, roots, pool[base + a * m + b])
    return 0


@inline
def pool_row(sources, tree_first, tree_count, a, b):
    """Where the block of sources a and b of one tree stands in the pool."""
    t = sources[a, TREE]
    return tree_first[t, 1] + sources[a, LOCAL] * tree_count[t] + sources[b, LOCAL]


@inline
def respond_rows(sources, tree_first, tree_count, row_source, row_w, pool, r, c):
    """K[r, c]."""
    x = 0.0
    for s in range(2):
        a = row_source[r, s]
        if a < 0:
            continue
        for t in range(2):
            b = row_source[c, t]
            if b < 0 or sources[a, TREE] != sources[b, TREE]:
                continue
            k = pool_row(sources, tree_first, tree_count, a, b)
            for i in range(6):
                w = row_w[r, 6 * s + i]
                if w != 0.0:
                    for j in range(6):
                        x += w * pool[k, 6 * i + j] * row_w[c, 6 * t + j]
    return x


@inline
def find(parent, t):
    """The representative of a tree's island."""
    while parent[t] != t:
        parent[t] = parent[parent[t]]
        t = parent[t]
    return t


@inline
def islands(sources, row_source, blocks, count, parent):
    """Tie trees together and write every block's island."""
    for t in range(parent.shape[0]):
        parent[t] = t
    for k in range(count[BLOCKS]):
        r = blocks[k, FIRST_ROW]
        a = row_source[r, 0]
        b = row_source[r, 1]
        if a >= 0 and b >= 0:
            x = find(parent, sources[a, TREE])
            z = find(parent, sources[b, TREE])
            if x < z:
                parent[z] = x
            elif z < x:
                parent[x] = z
    for k in range(count[BLOCKS]):
        r = blocks[k, FIRST_ROW]
        a = row_source[r, 0]
        if a < 0:
            a = row_source[r, 1]
        blocks[k, ISLAND] = find(parent, sources[a, TREE])


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
