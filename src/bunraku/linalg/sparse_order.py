"""The order in which a large island's blocks are eliminated: trees are joined two at a time, cheapest join first.

Blocks are the edges of a graph whose nodes are trees (a block on one tree only, say on the ground, is a loop).
Eliminating the blocks between two trees joins these into a *cluster*, and couples exactly the blocks that leave it; so
the sets that a sparse factorisation works on are the blocks around clusters, and no fill has to be searched for. Each
join is a *front*: its own blocks (pivots: all between the two clusters), and its border (all that leave the joined
cluster). First every tree's loops are eliminated, then the join with the smallest border follows: the minimum degree
ordering, in quotient graph form (George & Liu 1989, SIAM Review 31, 1), where every variable has at most two elements.

Only blocks with unknowns (weight > 0) take part. Fronts are numbered so that children come before parents, and
`sequence` lists them so that a stack of borders suffices (postorder). Cost: about fronts times clusters. Checked in
tests/linalg/test_sparse_order.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import Record, int_matrix, int_vector, many, put, ref, whole


class Edge(Record):
    """A block, as the elimination sees it."""

    weight = whole()  # unknowns
    first = whole()  # the first of them
    position = whole()  # its place in the front it was last seen in,
    front = whole()  # and which that is
    end_a = whole()  # its two clusters at first, -1 for none
    end_b = whole()


class Cluster(Record):
    """Trees that have been joined."""

    parent = whole()  # itself, or the cluster that it has become part of
    first = whole()  # its blocks: where they start in the pool,
    count = whole()  # how many,
    total = whole()  # and their unknowns
    front = whole()  # the last front that made it, -1 for none
    best = whole()  # the partner with the smallest border,
    cost = whole()  # and that border
    shared = whole()  # scratch: unknowns between it and the cluster at hand


class Join(Record):
    """A front."""

    start = whole()  # its blocks in the pool
    pivots = whole()  # those that are eliminated, first
    blocks = whole()  # all of them
    child_a = whole()  # fronts whose borders it collects, -1 for none
    child_b = whole()
    inner = whole()  # unknowns of the pivots, filled up to whole lanes
    outer = whole()  # unknowns of the border, filled up to whole lanes
    factor = whole()  # where its factor lies
    border = whole()  # where its border's matrix lies


class Counts(Record):
    """How many there are of what."""

    blocks = whole()
    clusters = whole()
    fronts = whole()


class Elimination(Record):
    """Which blocks are eliminated when."""

    trees = int_matrix()  # (blocks, 2) the trees that a block acts on, from 1 on; 0 for the world or none
    count = ref(Counts)
    edges = many(Edge)
    clusters = many(Cluster)
    fronts = many(Join)
    sequence = int_vector()  # fronts, each after its children, a subtree together
    pool = int_vector()  # lists of blocks
    of_tree = int_vector()  # a tree's cluster
    alive = int_vector()  # clusters that have not been joined to another
    near = int_vector()  # neighbours of a new cluster
    waiting = int_vector()  # fronts on the way through the trees of fronts


def put_elimination(e: Elimination, blocks: int, trees: int, pool: int = 0) -> None:
    """Room for up to `blocks` blocks on up to `trees` trees. pool: of the blocks of all fronts; 0: what heaps need,
    with room to spare."""
    clusters = min(trees, 2 * blocks)
    pool = pool or min(2 * blocks * (clusters + 2), 4096 + 80 * blocks)
    lists = {"sequence": 2 * clusters, "waiting": 2 * clusters, "pool": pool, "of_tree": trees + 1}
    records = {"edges": (blocks, Edge), "clusters": (clusters, Cluster), "fronts": (2 * clusters, Join)}
    put(e, trees=np.zeros((blocks, 2), np.int64), count=Counts())
    put(e, alive=np.zeros(clusters, np.int64), near=np.zeros(clusters, np.int64))
    put(e, **{name: np.zeros(size, np.int64) for name, size in lists.items()})
    put(e, **{name: np.zeros((size, of.layout.words), np.int64) for name, (size, of) in records.items()})


@inline
def root_of(e, c):
    """The cluster that c has become part of."""
    clusters = e.clusters
    while clusters[c].parent != c:
        clusters[c].parent = clusters[clusters[c].parent].parent
        c = clusters[c].parent
    return c


@inline
def across(e, k, c):
    """The cluster on the other side of block k; c itself for a loop."""
    edge = e.edges[k]
    if edge.end_a < 0 or edge.end_b < 0:
        return c
    a = root_of(e, edge.end_a)
    return a if a != c else root_of(e, edge.end_b)


@inline
def number_tree(e, t):
    """The cluster of tree t, new or known; -1 for no tree."""
    if t == 0:
        return -1
    if e.of_tree[t] < 0:
        e.of_tree[t] = e.count.clusters
        e.count.clusters += 1
    return e.of_tree[t]


@part
def number_trees(e):
    """Clusters from 0 on, in the order in which blocks name their trees."""
    blocks = e.count.blocks
    for k in range(blocks):
        e.of_tree[e.trees[k, 0]] = -1
        e.of_tree[e.trees[k, 1]] = -1
    e.count.clusters = 0
    for k in range(blocks):
        e.edges[k].end_a = number_tree(e, e.trees[k, 0])
        e.edges[k].end_b = number_tree(e, e.trees[k, 1])


@part
def list_blocks(e):
    """Every cluster's blocks, into the pool; a loop counts once. Returns the length of the pool, -1 if it is full."""
    for c in range(e.count.clusters):
        cluster = e.clusters[c]
        cluster.parent = c
        cluster.front = -1
        cluster.shared = 0
        cluster.count = 0
        cluster.total = 0
    end = 0
    for fill in range(2):
        for k in range(e.count.blocks):
            edge = e.edges[k]
            if edge.weight == 0:
                continue
            for c in (edge.end_a, edge.end_b if edge.end_b != edge.end_a else -1):
                if c >= 0:
                    cluster = e.clusters[c]
                    if fill == 1:
                        e.pool[cluster.first + cluster.count] = k
                        cluster.total += edge.weight
                    cluster.count += 1
        if fill == 0:
            for c in range(e.count.clusters):
                cluster = e.clusters[c]
                cluster.first = end
                end += cluster.count
                cluster.count = 0
            if end > e.pool.shape[0]:
                return -1
    return end


@part
def make_front(e, f, a, b, end):
    """Front f: join clusters a and b (a alone, for its loops, if b is a). Returns the end of the pool, or -1 if it is
    full.

    The new cluster keeps the name a."""
    one = e.clusters[a]
    two = e.clusters[b]
    pool = e.pool
    if end + one.count + (two.count if b != a else 0) > pool.shape[0]:
        return -1
    front = e.fronts[f]
    front.start = end
    inner = 0
    for i in range(one.first, one.first + one.count):
        k = pool[i]
        if across(e, k, a) == b:
            pool[end] = k
            end += 1
            inner += e.edges[k].weight
    border = end
    for side in range(1 if b == a else 2):
        c = a if side == 0 else b
        other = b if side == 0 else a
        for i in range(e.clusters[c].first, e.clusters[c].first + e.clusters[c].count):
            k = pool[i]
            if across(e, k, c) != other:
                pool[end] = k
                end += 1
    outer = one.total - inner
    if b != a:
        outer += two.total - inner
    front.pivots = border - front.start
    front.blocks = end - front.start
    front.child_a = one.front
    front.child_b = two.front if b != a else -1
    front.inner = (inner + 3) // 4 * 4
    front.outer = (outer + 3) // 4 * 4
    two.parent = a
    one.first = border
    one.count = end - border
    one.total = outer
    one.front = f
    return end


@part
def choose(e, c, joined):
    """Find cluster c's best partner. joined: c is new; offer it to its neighbours and list them.

    Returns how many there are."""
    mine = e.clusters[c]
    found = 0
    for i in range(mine.first, mine.first + mine.count):
        k = e.pool[i]
        o = across(e, k, c)
        other = e.clusters[o]
        if other.shared == 0:
            if joined:
                e.near[found] = o
            found += 1
        other.shared += e.edges[k].weight
    mine.best = -1
    for i in range(mine.first, mine.first + mine.count):
        o = across(e, e.pool[i], c)
        other = e.clusters[o]
        if other.shared == 0:
            continue
        border = mine.total + other.total - 2 * other.shared
        other.shared = 0
        if mine.best < 0 or border < mine.cost or (border == mine.cost and o < mine.best):
            mine.best = o
            mine.cost = border
        if joined and border < other.cost:
            other.best = c
            other.cost = border
    return found


@inline
def cheapest(e, left):
    """(the cluster whose best join is the cheapest or -1, how many of the `left` clusters alive have a partner)."""
    pick = -1
    kept = 0
    for i in range(left):  # clusters that have been joined or have no partner leave the list
        c = e.alive[i]
        cluster = e.clusters[c]
        if cluster.parent == c and cluster.best >= 0:
            e.alive[kept] = c
            kept += 1
            if pick < 0 or cluster.cost < e.clusters[pick].cost:
                pick = c
    return pick, kept


@part
def order(e):
    """Fronts of the blocks with a weight. Returns whether the pool had room."""
    number_trees(e)
    end = list_blocks(e)
    if end < 0:
        return False
    fronts = 0
    for c in range(e.count.clusters):
        loops = 0
        for i in range(e.clusters[c].first, e.clusters[c].first + e.clusters[c].count):
            if across(e, e.pool[i], c) == c:
                loops += 1
        if loops > 0:
            end = make_front(e, fronts, c, c, end)
            if end < 0:
                return False
            fronts += 1
    for c in range(e.count.clusters):
        choose(e, c, False)
        e.alive[c] = c
    left = e.count.clusters
    while True:
        pick, left = cheapest(e, left)
        if pick < 0:
            break
        gone = e.clusters[pick].best
        end = make_front(e, fronts, pick, gone, end)
        if end < 0:
            return False
        fronts += 1
        found = choose(e, pick, True)
        for i in range(found):
            o = e.near[i]
            if e.clusters[o].best == gone or e.clusters[o].best == pick:
                choose(e, o, False)
    e.count.fronts = fronts
    walk(e)
    return True


@part
def walk(e):
    """The sequence of fronts: a subtree stands together, its root last."""
    fronts = e.count.fronts
    for f in range(fronts):
        e.fronts[f].border = 0  # for now: has a parent
    for f in range(fronts):
        for c in (e.fronts[f].child_a, e.fronts[f].child_b):
            if c >= 0:
                e.fronts[c].border = 1
    waiting = 0
    for f in range(fronts):
        if e.fronts[f].border == 0:
            e.waiting[waiting] = f
            waiting += 1
    at = fronts
    while waiting > 0:
        waiting -= 1
        f = e.waiting[waiting]
        at -= 1
        e.sequence[at] = f
        for c in (e.fronts[f].child_a, e.fronts[f].child_b):
            if c >= 0:
                e.waiting[waiting] = c
                waiting += 1
