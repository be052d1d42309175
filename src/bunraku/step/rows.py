"""Constraint rows of a step: from contacts, connections and joint limits to v = K lam + b, island by island.

A *source* is where an impulse can enter: a body (six wrenches at its origin) or a joint (one torque). A *pack* is one
to three rows between the same two sources, w_0 on one and w_1 on the other (action and reaction); lane j of its twelve
numbers is row j. A *block* is what a solver sees: three rows of a contact (normal, two tangents), one row of an
equality, or one bounded row. Sources of one tree respond to each other through 6x6 blocks (response.py), others not at
all:
    K[r, c] = sum over sides s, t in one tree of  w_r,s' K6[s, t] w_c,t .
Islands are sets of trees tied by packs; each is solved on its own. Arrays are the caller's (arrays.py); statuses ROOM
and ROOM_POOL say that one was too small. Checked in tests/step/test_rows.py and tests/world/.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import join, st, wide_ld, wide_st
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import axpy, cross, dot, ld3, scale, sub
from bunraku.model.layout import DA, NW, OMEGA, POS, VEL
from bunraku.step.response import SQUARE, respond_blocks, trace_joint, trace_way
from bunraku.step.step_arrays import (
    BY_ISLAND,
    BY_TREE,
    HOPS,
    ISLAND_OF,
    ISLAND_START,
    LENGTHS,
    N_BLOCKS,
    N_PACKS,
    N_POOL,
    N_ROWS,
    N_SOURCES,
    OK,
    POOL,
    ROOM,
    ROOM_POOL,
    ROOTS,
    TRACES,
    TREE_FIRST,
    model_of,
    places,
    rows_of,
)

CONTACT, EQUALITY, BOUNDED = places(0, 3)  # kinds of block
BODY, JOINT = places(0, 2)  # kinds of source

# columns of `sources`
KIND, INDEX, TREE, LOCAL = range(4)
# columns of `packs`: two sources (-1: the world), first row, number of rows, next pack side on either source, island,
# its first row there, blocks
SOURCE, FIRST, LINES, NEXT, ISLAND, PLACE, FIRST_BLOCK, PACK_BLOCKS = 0, 2, 3, 4, 6, 7, 8, 9
PACK_COLUMNS = 10
# columns of `blocks`: kind, first row, pack, what it came from, which contact's shapes or other origin
BLOCK_KIND, FIRST_ROW, PACK, ORIGIN = range(4)
W = 48  # numbers of a pack: 12 entries of four lanes


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
    s = rows.count[N_SOURCES]
    if s >= rows.sources.shape[0]:
        return ROOM
    rows.sources[s, KIND] = kind
    rows.sources[s, INDEX] = index
    rows.sources[s, TREE] = tree
    rows.sources[s, LOCAL] = rows.tree_count[tree]
    rows.tree_count[tree] += 1
    rows.head[s, 0] = -1
    rows.head[s, 1] = -1
    known[index] = s
    rows.count[N_SOURCES] = s + 1
    return s


@part
def body_source(h, body):
    """The source of a body."""
    rows = rows_of(h)
    return source(rows.body_source, BODY, body, rows)


@part
def joint_source(h, lead):
    """The source of the joint (or gear group) of body `lead`."""
    rows = rows_of(h)
    return source(rows.joint_source, JOINT, lead, rows)


@part
def new_pack(h, sa, sb, lines):
    """A pack of some rows between two sources: its number, or ROOM."""
    rows = rows_of(h)
    k = rows.count[N_PACKS]
    r = rows.count[N_ROWS]
    if sa == ROOM or sb == ROOM or k >= rows.packs.shape[0] or r + lines > rows.lam.shape[0]:
        return ROOM
    rows.packs[k, FIRST] = r
    rows.packs[k, LINES] = lines
    rows.packs[k, FIRST_BLOCK] = rows.count[N_BLOCKS]
    rows.packs[k, PACK_BLOCKS] = 0
    for side in range(2):
        s = sa if side == 0 else sb
        rows.packs[k, SOURCE + side] = s
        rows.packs[k, NEXT + side] = -1
        if s >= 0:
            last = rows.head[s, 1]
            if last < 0:
                rows.head[s, 0] = 2 * k + side
            else:
                rows.packs[last // 2, NEXT + last % 2] = 2 * k + side
            rows.head[s, 1] = 2 * k + side
    for j in range(lines):
        rows.lam[r + j] = 0.0
    rows.count[N_PACKS] = k + 1
    rows.count[N_ROWS] = r + lines
    return k


@part
def new_block(h, kind, pack, row, origin):
    """A block that begins at a row of the newest pack: its number, or ROOM. Its numbers are zero."""
    rows = rows_of(h)
    k = rows.count[N_BLOCKS]
    if k >= rows.blocks.shape[0]:
        return ROOM
    rows.blocks[k, BLOCK_KIND] = kind
    rows.blocks[k, FIRST_ROW] = row
    rows.blocks[k, PACK] = pack
    rows.blocks[k, ORIGIN] = origin
    for j in range(3):
        rows.reals[k, j] = 0.0
    rows.packs[pack, PACK_BLOCKS] += 1
    rows.count[N_BLOCKS] = k + 1
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
def trace_all(h):
    """Trace every source and fill the pool of 6x6 blocks; returns a status."""
    ints, reals, work = model_of(h)
    rows = rows_of(h)
    sources = rows.sources
    tree_first = ints2(h, TREE_FIRST)
    by_tree = ints1(h, BY_TREE)
    hops = ints2(h, HOPS)
    lengths = ints1(h, LENGTHS)
    y = reals2(h, TRACES)
    roots = reals2(h, ROOTS)
    pool = reals1(h, POOL)
    blocks = 0
    position = 0
    for t in range(rows.tree_count.shape[0]):
        tree_first[t, 0] = position
        tree_first[t, 1] = blocks
        position += rows.tree_count[t]
        blocks += rows.tree_count[t] * rows.tree_count[t]
    rows.count[N_POOL] = blocks
    if SQUARE * blocks > pool.shape[0]:
        return ROOM_POOL
    for s in range(rows.count[N_SOURCES]):
        by_tree[tree_first[sources[s, TREE], 0] + sources[s, LOCAL]] = s
        if sources[s, KIND] == BODY:
            lengths[s] = trace_way(ints, reals, work, sources[s, INDEX], hops[s], y[s], roots[s])
        else:
            lengths[s] = trace_joint(ints, reals, work, sources[s, INDEX], hops[s], y[s], roots[s])
    for t in range(rows.tree_count.shape[0]):
        m = rows.tree_count[t]
        first = tree_first[t, 0]
        base = tree_first[t, 1]
        for i in range(m):
            for j in range(i + 1):
                respond_blocks(
                    ints, work, by_tree[first + i], by_tree[first + j], hops, lengths, y, roots,
                    pool, SQUARE * (base + i * m + j), SQUARE * (base + j * m + i),
                )  # fmt: skip
    return OK


@inline
def find(parent, t):
    """The representative of a tree's island."""
    while parent[t] != t:
        parent[t] = parent[parent[t]]
        t = parent[t]
    return t


@part
def find_islands(h):
    """Tie trees together; list the packs island by island (BY_ISLAND, from ISLAND_START[t] on), an island named by its
    smallest tree."""
    rows = rows_of(h)
    parent = ints1(h, ISLAND_OF)
    start = ints1(h, ISLAND_START)
    order = ints1(h, BY_ISLAND)
    for t in range(parent.shape[0]):
        parent[t] = t
        start[t] = 0
    start[parent.shape[0]] = 0
    for k in range(rows.count[N_PACKS]):
        a = rows.packs[k, SOURCE]
        b = rows.packs[k, SOURCE + 1]
        if a >= 0 and b >= 0:
            x = find(parent, rows.sources[a, TREE])
            z = find(parent, rows.sources[b, TREE])
            if x < z:
                parent[z] = x
            elif z < x:
                parent[x] = z
    for k in range(rows.count[N_PACKS]):
        a = max(rows.packs[k, SOURCE], rows.packs[k, SOURCE + 1])  # the world is -1
        t = find(parent, rows.sources[a, TREE])
        rows.packs[k, ISLAND] = t
        start[t + 1] += 1
    for t in range(parent.shape[0]):
        start[t + 1] += start[t]
    for k in range(rows.count[N_PACKS] - 1, -1, -1):
        t = rows.packs[k, ISLAND] + 1
        start[t] -= 1
        order[start[t]] = k
    for t in range(parent.shape[0]):
        start[t] = start[t + 1]
    start[parent.shape[0]] = rows.count[N_PACKS]


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
