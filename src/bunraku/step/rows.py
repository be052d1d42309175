"""Constraint rows of a step: from contacts, connections and joint limits to v = K lam + b, island by island.

A *source* is where an impulse can enter: a body (six wrenches at its origin) or a joint (one torque). A *pack* is one
to three rows between the same two sources, w_0 on one and w_1 on the other (action and reaction); lane j of its twelve
numbers is row j. A *block* is what a solver sees: three rows of a contact (normal, two tangents), one row of an
equality, or one bounded row. Sources of one tree respond to each other through 6x6 blocks (response.py), others not at
all:
    K[r, c] = sum over sides s, t in one tree of  w_r,s' K6[s, t] w_c,t .
Islands are sets of trees tied by packs; each is solved on its own. Statuses ROOM and ROOM_POOL say that an array of
`Rows` was too small. Checked in tests/step/test_rows.py and tests/world/.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import join, st, wide_ld, wide_st
from bunraku.kernel.vec import axpy, cross, dot, ld3, scale, sub
from bunraku.model.layout import DA, NW, OMEGA, POS, VEL
from bunraku.step.response import SQUARE, respond_blocks, respond_joint, trace_joint, trace_way
from bunraku.step.step_arrays import OK, ROOM, ROOM_POOL, Rows, Step, W

CONTACT, EQUALITY, BOUNDED = np.int64(0), np.int64(1), np.int64(2)  # kinds of block
BODY, JOINT = np.int64(0), np.int64(1)  # kinds of source


@inline
def begin(rows: Rows):
    """Forget the last step's rows."""
    for i in range(rows.body_source.shape[0]):
        rows.body_source[i] = -1
        rows.joint_source[i] = -1
    for t in range(len(rows.trees)):
        rows.trees[t].count = 0
    count = rows.count
    count.sources = 0
    count.rows = 0
    count.packs = 0
    count.blocks = 0
    count.pool = 0
    count.patches = 0
    count.born = 0
    count.late = 0
    count.deep = 0


@inline
def source(rows: Rows, known, kind, index):
    """The number of a source, new or known; -1 for the world, ROOM if there are too many."""
    tree = rows.tree[index]
    if tree == 0:
        return -1
    if known[index] >= 0:
        return known[index]
    s = rows.count.sources
    if s >= len(rows.sources):
        return ROOM
    new = rows.sources[s]
    new.kind = kind
    new.index = index
    new.tree = tree
    new.local = rows.trees[tree].count
    new.first_side = -1
    new.last_side = -1
    rows.trees[tree].count += 1
    known[index] = s
    rows.count.sources = s + 1
    return s


@part
def body_source(rows: Rows, body):
    """The source of a body."""
    return source(rows, rows.body_source, BODY, body)


@part
def joint_source(rows: Rows, lead):
    """The source of the joint (or gear group) of body `lead`."""
    return source(rows, rows.joint_source, JOINT, lead)


@part
def new_pack(rows: Rows, sa, sb, lines):
    """A pack of some rows between two sources: its number, or ROOM."""
    k = rows.count.packs
    r = rows.count.rows
    if sa == ROOM or sb == ROOM or k >= len(rows.packs) or r + lines > rows.lam.shape[0]:
        return ROOM
    pack = rows.packs[k]
    pack.first = r
    pack.lines = lines
    pack.first_block = rows.count.blocks
    pack.blocks = 0
    for side in range(2):
        s = sa if side == 0 else sb
        pack.ends[side] = s
        pack.next_side[side] = -1
        if s >= 0:
            end = rows.sources[s]
            last = end.last_side
            if last < 0:
                end.first_side = 2 * k + side
            else:
                rows.packs[last // 2].next_side[last % 2] = 2 * k + side
            end.last_side = 2 * k + side
    for j in range(lines):
        rows.lam[r + j] = 0.0
    rows.count.packs = k + 1
    rows.count.rows = r + lines
    return k


@part
def new_block(rows: Rows, kind, pack, row, origin):
    """A block that begins at a row of the newest pack: its number, or ROOM. Its numbers are zero."""
    k = rows.count.blocks
    if k >= len(rows.blocks):
        return ROOM
    block = rows.blocks[k]
    block.kind = kind
    block.row = row
    block.pack = pack
    block.origin = origin
    block.friction = 0.0
    block.compliance = 0.0
    block.low = 0.0
    block.high = 0.0
    rows.packs[pack].blocks += 1
    rows.count.blocks = k + 1
    return k


@inline
def lanes_of(a, b, c):
    """Three directions as a vector of lanes: lane 0 is a, lane 1 b, lane 2 c."""
    return (join(a[0], b[0], c[0], 0.0), join(a[1], b[1], c[1], 0.0), join(a[2], b[2], c[2], 0.0))


@inline
def st_side(w, pack, k, n, f):
    """Write side k (0 or 6) of a pack: moments and forces in lanes."""
    at = W * pack + 4 * k
    for r in range(3):
        wide_st(w, at + 4 * r, n[r])
        wide_st(w, at + 12 + 4 * r, f[r])


@inline
def force_pack(work, a, b, x, D, pack, w):
    """Rows for forces along the directions D (lanes) at x on body a, and their opposites on body b."""
    st_side(w, pack, 0, cross(sub(x, ld3(work, a * NW + POS)), D), D)
    E = scale(-1.0, D)
    st_side(w, pack, 6, cross(sub(x, ld3(work, b * NW + POS)), E), E)


@inline
def turn_pack(D, pack, w):
    """Rows for moments along the directions D (lanes) on one body, and their opposites on the other."""
    zero = scale(0.0, D)
    st_side(w, pack, 0, D, zero)
    st_side(w, pack, 6, scale(-1.0, D), zero)


@inline
def ld_side(w, pack, k):
    """(moments, forces) of a side, in lanes."""
    at = W * pack + 4 * k
    return (
        (wide_ld(w, at), wide_ld(w, at + 4), wide_ld(w, at + 8)),
        (wide_ld(w, at + 12), wide_ld(w, at + 16), wide_ld(w, at + 20)),
    )


@inline
def side_rate(work, body, w, pack, k, dt):
    """Rates of one side of a pack, in lanes: now (dt = 0), or after dt without constraint impulses, J (v + dt v')."""
    b = body * NW
    om = axpy(dt, ld3(work, b + DA), ld3(work, b + OMEGA))
    vel = axpy(dt, ld3(work, b + DA + 3), ld3(work, b + VEL))
    n, f = ld_side(w, pack, k)
    return dot(n, om) + dot(f, vel)


@inline
def pack_rate(work, a, b, w, pack, dt):
    """Rates along the rows of a pack between two bodies, a number a lane."""
    return side_rate(work, a, w, pack, 0, dt) + side_rate(work, b, w, pack, 6, dt)


@inline
def joint_pack(sign, other, pack, w):
    """A row for the torque `sign` on one joint and `other` on a second."""
    zero = join(0.0, 0.0, 0.0, 0.0)
    for k in range(12):
        wide_st(w, W * pack + 4 * k, zero)
    st(w, W * pack, sign)
    st(w, W * pack + 24, other)


@part
def trace_all(s: Step):
    """Trace every source and fill the pool of 6x6 blocks; returns a status."""
    rows = s.rows
    traces = rows.traces
    by_tree = rows.by_tree
    blocks = 0
    position = 0
    for t in range(len(rows.trees)):
        tree = rows.trees[t]
        tree.first = position
        tree.block = blocks
        position += tree.count
        blocks += tree.count * tree.count
    rows.count.pool = blocks
    if SQUARE * blocks > traces.pool.shape[0]:
        return ROOM_POOL
    for k in range(rows.count.sources):
        start = rows.sources[k]
        by_tree[rows.trees[start.tree].first + start.local] = k
        if start.kind == BODY:
            trace_way(s.ints, s.reals, s.work, traces, k, start.index)
        else:
            trace_joint(s.ints, s.reals, s.work, traces, k, start.index)
    for t in range(len(rows.trees)):
        tree = rows.trees[t]
        m = tree.count
        for i in range(m):
            for j in range(i + 1):
                a = by_tree[tree.first + i]
                b = by_tree[tree.first + j]
                out = SQUARE * (tree.block + i * m + j)
                mirror = SQUARE * (tree.block + j * m + i)
                if rows.sources[a].kind == JOINT:
                    respond_joint(s.ints, s.work, traces, a, b, out, mirror)
                else:
                    respond_blocks(s.ints, s.work, traces, a, b, out, mirror)
    return OK


@inline
def find(parent, t):
    """The representative of a tree's island."""
    while parent[t] != t:
        parent[t] = parent[parent[t]]
        t = parent[t]
    return t


@part
def find_islands(rows: Rows):
    """Tie trees together; list the packs island by island (`by_island`, from island_start[t] on), an island named by
    its smallest tree."""
    parent = rows.island_of
    start = rows.island_start
    for t in range(parent.shape[0]):
        parent[t] = t
        start[t] = 0
    start[parent.shape[0]] = 0
    for k in range(rows.count.packs):
        a = rows.packs[k].ends[0]
        b = rows.packs[k].ends[1]
        if a >= 0 and b >= 0:
            x = find(parent, rows.sources[a].tree)
            z = find(parent, rows.sources[b].tree)
            if x < z:
                parent[z] = x
            elif z < x:
                parent[x] = z
    for k in range(rows.count.packs):
        pack = rows.packs[k]
        a = max(pack.ends[0], pack.ends[1])  # the world is -1
        pack.island = find(parent, rows.sources[a].tree)
        start[pack.island + 1] += 1
    for t in range(parent.shape[0]):
        start[t + 1] += start[t]
    for k in range(rows.count.packs - 1, -1, -1):
        t = rows.packs[k].island + 1
        start[t] -= 1
        rows.by_island[start[t]] = k
    for t in range(parent.shape[0]):
        start[t] = start[t + 1]
    start[parent.shape[0]] = rows.count.packs


@inline
def answer_row(pool, c, n, f):
    """Row c of a 6x6 block times (n, f), in lanes."""
    return dot((pool[c], pool[c + 1], pool[c + 2]), n) + dot((pool[c + 4], pool[c + 5], pool[c + 6]), f)


@inline
def answer(pool, at, n, f):
    """K6 (n, f): motion (al, a) of one source for wrenches on another, in lanes; block `at` of the pool."""
    c = SQUARE * at
    return (
        (answer_row(pool, c, n, f), answer_row(pool, c + 8, n, f), answer_row(pool, c + 16, n, f)),
        (answer_row(pool, c + 24, n, f), answer_row(pool, c + 32, n, f), answer_row(pool, c + 40, n, f)),
    )


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
