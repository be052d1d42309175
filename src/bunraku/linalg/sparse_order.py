"""The order in which a large island's blocks are eliminated: trees are joined two at a time, cheapest join first.

Blocks are the edges of a graph whose nodes are trees (a block on one tree only, say on the ground, is a loop).
Eliminating the blocks between two trees joins these into a *cluster*, and couples exactly the blocks that leave it; so
the sets that a sparse factorisation works on are the blocks around clusters, and no fill has to be searched for. Each
join is a *front*: its own blocks (pivots: all between the two clusters), and its border (all that leave the joined
cluster). First every tree's loops are eliminated, then the join with the smallest border follows: the minimum degree
ordering, in quotient graph form [George and Liu, SIAM Review 31 (1989) 1], where every variable has at most two
elements.

Only blocks with unknowns (weight > 0) take part. All is kept in one array of integers, `iwork`, cut up below; fronts
are numbered so that children come before parents, and `sequence` lists them so that a stack of borders suffices
(postorder). Cost: about fronts times clusters. Checked in tests/linalg/test_sparse_order.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part

# of a block, at BLOCK * nblocks
WEIGHT, FIRST, POSITION, STAMP, END_A, END_B = range(
    6
)  # unknowns, first unknown; place in the front, which front; its two clusters
BLOCK_LISTS = 6
# of a cluster: parent (of union and find), its blocks in the pool, their weight, last front, best partner and cost,
# sums, alive, neighbours
PARENT, LIST, COUNT, TOTAL, FRONT, BEST, COST, SHARED, ALIVE, NEAR = range(10)
CLUSTER_LISTS = 10
# of a front: its blocks in the pool, pivot blocks, all blocks, two children, pivot unknowns and border unknowns (whole
# lanes), address of its factor, and of its border's matrix
START, PIVOTS, BLOCKS, CHILD_A, CHILD_B, INNER, OUTER, FACTOR, BORDER, ORDER, WALK = range(11)
FRONT_LISTS = 11


def iwork_size(nblocks: int, ntrees: int, pool: int = 0) -> int:
    """Length of `iwork` [int64 numbers].

    pool: room for the blocks of all fronts; 0: what heaps need, with room to spare.
    """
    clusters = min(ntrees, 2 * nblocks)
    pool = pool or min(2 * nblocks * (clusters + 2), 4096 + 80 * nblocks)
    return BLOCK_LISTS * nblocks + CLUSTER_LISTS * clusters + FRONT_LISTS * 2 * clusters + ntrees + 1 + pool


@inline
def cluster_at(nblocks, which, clusters):
    """Where a list of clusters starts."""
    return BLOCK_LISTS * nblocks + which * clusters


@inline
def front_at(nblocks, clusters, f):
    """Where front f's numbers start."""
    return BLOCK_LISTS * nblocks + CLUSTER_LISTS * clusters + FRONT_LISTS * f


@inline
def pool_at(nblocks, clusters):
    """Where the lists of blocks start."""
    return BLOCK_LISTS * nblocks + (CLUSTER_LISTS + 2 * FRONT_LISTS) * clusters


@inline
def root_of(iwork, parent, c):
    """The cluster that c has become part of."""
    while iwork[parent + c] != c:
        iwork[parent + c] = iwork[parent + iwork[parent + c]]
        c = iwork[parent + c]
    return c


@inline
def across(iwork, nblocks, parent, k, c):
    """The cluster on the other side of block k; c itself for a loop."""
    a = iwork[END_A * nblocks + k]
    b = iwork[END_B * nblocks + k]
    if a < 0 or b < 0:
        return c
    a = root_of(iwork, parent, a)
    return a if a != c else root_of(iwork, parent, b)


@part
def number_trees(trees, nblocks, iwork, ntrees):
    """Clusters from 0 on, in the order in which blocks name their trees. Returns how many there are."""
    clusters = 0
    known = iwork.shape[0] - ntrees - 1  # at the end: a cluster's number, by tree
    for k in range(nblocks):
        iwork[known + trees[k, 0]] = -1
        iwork[known + trees[k, 1]] = -1
    for k in range(nblocks):
        for side in range(2):
            t = trees[k, side]
            if t != 0 and iwork[known + t] < 0:
                iwork[known + t] = clusters
                clusters += 1
            iwork[(END_A + side) * nblocks + k] = iwork[known + t] if t != 0 else -1
    return clusters


@part
def list_blocks(nblocks, clusters, iwork):
    """Every cluster's blocks, into the pool; a loop counts once. Returns the length of the pool."""
    count = cluster_at(nblocks, COUNT, clusters)
    first = cluster_at(nblocks, LIST, clusters)
    total = cluster_at(nblocks, TOTAL, clusters)
    for c in range(clusters):
        iwork[cluster_at(nblocks, PARENT, clusters) + c] = c
        iwork[cluster_at(nblocks, FRONT, clusters) + c] = -1
        iwork[cluster_at(nblocks, SHARED, clusters) + c] = 0
        iwork[count + c] = 0
        iwork[total + c] = 0
    for fill in range(2):
        for k in range(nblocks):
            weight = iwork[WEIGHT * nblocks + k]
            a = iwork[END_A * nblocks + k]
            b = iwork[END_B * nblocks + k]
            if weight == 0:
                continue
            for c in (a, b if b != a else -1):
                if c >= 0:
                    if fill == 1:
                        iwork[iwork[first + c] + iwork[count + c]] = k
                        iwork[total + c] += weight
                    iwork[count + c] += 1
        if fill == 0:
            at = pool_at(nblocks, clusters)
            for c in range(clusters):
                iwork[first + c] = at
                at += iwork[count + c]
                iwork[count + c] = 0
            if at > iwork.shape[0]:
                return -1
    return iwork[first + clusters - 1] + iwork[count + clusters - 1] if clusters > 0 else 0


@part
def make_front(nblocks, clusters, iwork, f, a, b, pool):
    """Front f: join clusters a and b (a alone, for its loops, if b is a). Returns the end of the pool, or -1 if it is
    full.

    The new cluster keeps the name a."""
    parent = cluster_at(nblocks, PARENT, clusters)
    first = cluster_at(nblocks, LIST, clusters)
    count = cluster_at(nblocks, COUNT, clusters)
    total = cluster_at(nblocks, TOTAL, clusters)
    front = cluster_at(nblocks, FRONT, clusters)
    here = front_at(nblocks, clusters, f)
    size = iwork[count + a] + (iwork[count + b] if b != a else 0)
    if pool + size > iwork.shape[0]:
        return -1
    inner = 0
    end = pool
    for i in range(iwork[first + a], iwork[first + a] + iwork[count + a]):
        k = iwork[i]
        if across(iwork, nblocks, parent, k, a) == b:
            iwork[end] = k
            end += 1
            inner += iwork[WEIGHT * nblocks + k]
    border = end
    for side in range(1 if b == a else 2):
        c = a if side == 0 else b
        other = b if side == 0 else a
        for i in range(iwork[first + c], iwork[first + c] + iwork[count + c]):
            k = iwork[i]
            if across(iwork, nblocks, parent, k, c) != other:
                iwork[end] = k
                end += 1
    outer = iwork[total + a] - inner
    if b != a:
        outer += iwork[total + b] - inner
    iwork[here + START] = pool
    iwork[here + PIVOTS] = border - pool
    iwork[here + BLOCKS] = end - pool
    iwork[here + CHILD_A] = iwork[front + a]
    iwork[here + CHILD_B] = iwork[front + b] if b != a else -1
    iwork[here + INNER] = (inner + 3) // 4 * 4
    iwork[here + OUTER] = (outer + 3) // 4 * 4
    iwork[parent + b] = a
    iwork[first + a] = border
    iwork[count + a] = end - border
    iwork[total + a] = outer
    iwork[front + a] = f
    return end


@part
def choose(nblocks, clusters, iwork, c, joined):
    """Find cluster c's best partner. joined: c is new; offer it to its neighbours and list them.

    Returns how many there are.
    """
    parent = cluster_at(nblocks, PARENT, clusters)
    first = cluster_at(nblocks, LIST, clusters)
    count = cluster_at(nblocks, COUNT, clusters)
    total = cluster_at(nblocks, TOTAL, clusters)
    best = cluster_at(nblocks, BEST, clusters)
    cost = cluster_at(nblocks, COST, clusters)
    shared = cluster_at(nblocks, SHARED, clusters)
    near = cluster_at(nblocks, NEAR, clusters)
    found = 0
    for i in range(iwork[first + c], iwork[first + c] + iwork[count + c]):
        k = iwork[i]
        o = across(iwork, nblocks, parent, k, c)
        if iwork[shared + o] == 0:
            if joined:
                iwork[near + found] = o
            found += 1
        iwork[shared + o] += iwork[WEIGHT * nblocks + k]
    iwork[best + c] = -1
    for i in range(iwork[first + c], iwork[first + c] + iwork[count + c]):
        o = across(iwork, nblocks, parent, iwork[i], c)
        if iwork[shared + o] == 0:
            continue
        border = iwork[total + c] + iwork[total + o] - 2 * iwork[shared + o]
        iwork[shared + o] = 0
        if iwork[best + c] < 0 or border < iwork[cost + c] or (border == iwork[cost + c] and o < iwork[best + c]):
            iwork[best + c] = o
            iwork[cost + c] = border
        if joined and border < iwork[cost + o]:
            iwork[best + o] = c
            iwork[cost + o] = border
    return found


@part
def order(trees, nblocks, iwork, ntrees):
    """Fronts of the blocks with a weight. Returns (fronts, clusters); fronts -1: iwork has too little room."""
    clusters = number_trees(trees, nblocks, iwork, ntrees)
    pool = list_blocks(nblocks, clusters, iwork)
    if pool < 0:
        return -1, clusters
    parent = cluster_at(nblocks, PARENT, clusters)
    first = cluster_at(nblocks, LIST, clusters)
    count = cluster_at(nblocks, COUNT, clusters)
    best = cluster_at(nblocks, BEST, clusters)
    cost = cluster_at(nblocks, COST, clusters)
    alive = cluster_at(nblocks, ALIVE, clusters)
    near = cluster_at(nblocks, NEAR, clusters)
    fronts = 0
    for c in range(clusters):
        loops = 0
        for i in range(iwork[first + c], iwork[first + c] + iwork[count + c]):
            if across(iwork, nblocks, parent, iwork[i], c) == c:
                loops += 1
        if loops > 0:
            pool = make_front(nblocks, clusters, iwork, fronts, c, c, pool)
            if pool < 0:
                return -1, clusters
            fronts += 1
    for c in range(clusters):
        choose(nblocks, clusters, iwork, c, False)
        iwork[alive + c] = c
    left = clusters
    while True:
        pick = -1
        kept = 0
        for i in range(left):  # clusters that have been joined or have no partner leave the list
            c = iwork[alive + i]
            if iwork[parent + c] == c and iwork[best + c] >= 0:
                iwork[alive + kept] = c
                kept += 1
                if pick < 0 or iwork[cost + c] < iwork[cost + pick]:
                    pick = c
        left = kept
        if pick < 0:
            break
        gone = iwork[best + pick]
        pool = make_front(nblocks, clusters, iwork, fronts, pick, gone, pool)
        if pool < 0:
            return -1, clusters
        fronts += 1
        found = choose(nblocks, clusters, iwork, pick, True)
        for i in range(found):
            o = iwork[near + i]
            if iwork[best + o] == gone or iwork[best + o] == pick:
                choose(nblocks, clusters, iwork, o, False)
    walk(nblocks, clusters, iwork, fronts)
    return fronts, clusters


@part
def walk(nblocks, clusters, iwork, fronts):
    """The sequence of fronts in ORDER of front 0, 1, ...: a subtree stands together, its root last."""
    for f in range(fronts):
        iwork[front_at(nblocks, clusters, f) + BORDER] = 0  # for now: has a parent
    for f in range(fronts):
        for child in (CHILD_A, CHILD_B):
            c = iwork[front_at(nblocks, clusters, f) + child]
            if c >= 0:
                iwork[front_at(nblocks, clusters, c) + BORDER] = 1
    waiting = 0
    for f in range(fronts):
        if iwork[front_at(nblocks, clusters, f) + BORDER] == 0:
            iwork[front_at(nblocks, clusters, waiting) + WALK] = f
            waiting += 1
    at = fronts
    while waiting > 0:
        waiting -= 1
        f = iwork[front_at(nblocks, clusters, waiting) + WALK]
        at -= 1
        iwork[front_at(nblocks, clusters, at) + ORDER] = f
        for child in (CHILD_A, CHILD_B):
            c = iwork[front_at(nblocks, clusters, f) + child]
            if c >= 0:
                iwork[front_at(nblocks, clusters, waiting) + WALK] = c
                waiting += 1
