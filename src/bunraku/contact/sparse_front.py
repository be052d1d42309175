"""Newton's matrix of a large island, factored by fronts: dense work on small matrices, one for every join of two
clusters.

The multifrontal method (Duff & Reid 1983, ACM TOMS 9, 302) on the fronts of bunraku.linalg.sparse_order. A front's
matrix has its pivots first, then its border, both filled up to whole lanes. It collects the matrix entries of its
pivots and what its children left of their borders, eliminates the pivots (bunraku.linalg.dense.factor, stopped there),
and leaves its own border's matrix on a stack. What is kept of a front: its pivot rows (inner rows of inner + outer),
the multipliers of its border (outer rows of inner), the inverse pivots (inner).

The matrix is T K G + Gamma + h D + R of bunraku.contact.active; its pattern is symmetric, its values are unless
something slips. Unknowns stand in block order in vectors. In `factors` the factors grow from the left, the stack from
the right. The order is kept while the same blocks have the same number of unknowns. Checked in
tests/linalg/test_sparse_order.py against NumPy and in tests/contact/test_sparse.py.
"""

from __future__ import annotations

from bunraku.contact.active import FIXED, REGULAR, ROW, SLIP, SMALLEST, unknowns_of
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import LANES, join, ld, st, wide_ld, wide_st
from bunraku.linalg.dense import back, factor, forth, rows_times
from bunraku.linalg.sparse_order import order


@inline
def columns_of(K, state, friction, mu):
    """K_ij (columns of three, nine numbers) times G of block j: up to three columns."""
    if state != SLIP:
        return K
    fx, fy = friction
    return (
        K[0] + mu * (fx * K[3] + fy * K[6]),
        K[1] + mu * (fx * K[4] + fy * K[7]),
        K[2] + mu * (fx * K[5] + fy * K[8]),
        fx * K[6] - fy * K[3],
        fx * K[7] - fy * K[4],
        fx * K[8] - fy * K[5],
        0.0,
        0.0,
        0.0,
    )


@inline
def rows_of(K, state, friction):
    """T of block i times K_ij (columns of three): up to three rows."""
    if state != SLIP:
        return K
    fx, fy = friction
    return (
        K[0],
        fx * K[2] - fy * K[1],
        0.0,
        K[3],
        fx * K[5] - fy * K[4],
        0.0,
        K[6],
        fx * K[8] - fy * K[7],
        0.0,
    )


@inline
def add_block(work, at, n, K, rows, columns):
    """Add the leading rows and columns of K to the matrix at `at`, rows of n."""
    for c in range(columns):
        for r in range(rows):
            to = at + r * n + c
            st(work, to, ld(work, to) + K[3 * c + r])


@inline
def place_blocks(e, f):
    """Note where the blocks of front f stand in it."""
    front = e.fronts[f]
    place = 0
    for b in range(front.blocks):
        if b == front.pivots:
            place = front.inner
        edge = e.edges[e.pool[front.start + b]]
        edge.position = place
        edge.front = f
        place += edge.weight


@part
def collect_entries(a, f, at, symmetric):
    """Add to the matrix of front f at `at` the entries of its pivots."""
    p = a.problem
    e = a.elimination
    work = a.factors
    values = a.values
    front = e.fronts[f]
    size = front.inner + front.outer
    place_blocks(e, f)
    for b in range(front.pivots):
        i = e.pool[front.start + b]
        mine = e.edges[i]
        row = mine.position
        own = p.active[i]
        state = own.state
        for entry in range(a.starts[i], a.starts[i + 1]):
            j = a.cols[entry]
            other = e.edges[j]
            column = other.position
            if other.weight == 0 or other.front != f or (symmetric and column < row):
                continue
            v = 9 * entry
            K = (
                ld(values, v),
                ld(values, v + 1),
                ld(values, v + 2),
                ld(values, v + 3),
                ld(values, v + 4),
                ld(values, v + 5),
                ld(values, v + 6),
                ld(values, v + 7),
                ld(values, v + 8),
            )
            if symmetric:
                add_block(work, at + row * size + column, size, K, mine.weight, other.weight)
                continue
            its = p.active[j]
            M = rows_of(columns_of(K, its.state, its.friction, p.blocks[j].mu), state, own.friction)
            add_block(work, at + row * size + column, size, M, mine.weight, other.weight)
            if column >= front.inner:  # T_j K_ji G_i
                K = (K[0], K[3], K[6], K[1], K[4], K[7], K[2], K[5], K[8])
                M = rows_of(columns_of(K, state, own.friction, p.blocks[i].mu), its.state, its.friction)
                add_block(work, at + column * size + row, size, M, other.weight, mine.weight)


@part
def collect_diagonal(a, f, at):
    """Add Gamma + h D + R to the pivots of front f at `at`, and note the smallest pivots in `inverse`; the identity in
    what fills up its lanes."""
    p = a.problem
    e = a.elimination
    work = a.factors
    front = e.fronts[f]
    size = front.inner + front.outer
    h = p.search.softness
    pivots = 0
    for b in range(front.pivots):
        i = e.pool[front.start + b]
        edge = e.edges[i]
        active = p.active[i]
        bends = active.state == SLIP or active.state == ROW
        last = edge.weight - 1
        pivots += edge.weight
        for r in range(last + 1):
            d = ld(p.tiny, edge.first + r) * (1.0 / SMALLEST)
            x = (h + REGULAR) * d
            if bends:
                if r == last:
                    x += active.gamma
            to = at + (edge.position + r) * (size + 1)
            st(work, to, ld(work, to) + x)
            st(p.inverse, edge.position + r, SMALLEST * d)
    for r in range(pivots, front.inner):
        st(work, at + r * (size + 1), 1.0)
        st(p.inverse, r, 0.0)


@part
def collect_child(a, child, at, size, symmetric):
    """Add a child's border matrix to the matrix at `at`, rows of `size`."""
    e = a.elimination
    work = a.factors
    front = e.fronts[child]
    first = front.start + front.pivots
    last = front.start + front.blocks
    outer = front.outer
    row = front.border
    r0 = 0
    for i in range(first, last):
        rows = e.edges[e.pool[i]].weight
        p = e.edges[e.pool[i]].position
        if symmetric:
            for r in range(rows):
                for s in range(r, rows):
                    to = at + (p + r) * size + p + s
                    st(work, to, ld(work, to) + ld(work, row + r * outer + r0 + s))
            c0 = r0 + rows
            for j in range(i + 1, last):
                columns = e.edges[e.pool[j]].weight
                q = e.edges[e.pool[j]].position
                to = at + p * size + q if q > p else at + q * size + p
                down = size if q > p else 1
                right = 1 if q > p else size
                for r in range(rows):
                    for s in range(columns):
                        x = to + r * down + s * right
                        st(work, x, ld(work, x) + ld(work, row + r * outer + c0 + s))
                c0 += columns
        else:
            c0 = 0
            for j in range(first, last):
                columns = e.edges[e.pool[j]].weight
                to = at + p * size + e.edges[e.pool[j]].position
                for r in range(rows):
                    for s in range(columns):
                        x = to + r * size + s
                        st(work, x, ld(work, x) + ld(work, row + r * outer + c0 + s))
                c0 += columns
        row += rows * outer
        r0 += rows


@inline
def copy_numbers(work, to, at, count):
    """count numbers, a multiple of the lanes, from a place that is not overwritten before it is read."""
    for j in range(0, count, LANES):
        wide_st(work, to + j, wide_ld(work, at + j))


@part
def factor_fronts(a, symmetric):
    """Factor the whole matrix. Returns whether there was room."""
    p = a.problem
    e = a.elimination
    work = a.factors
    zero = join(0.0, 0.0, 0.0, 0.0)
    for k in range(p.search.blocks):
        e.edges[k].front = -1
    low = 0
    top = work.shape[0]
    for s in range(e.count.fronts):
        f = e.sequence[s]
        front = e.fronts[f]
        inner = front.inner
        outer = front.outer
        size = inner + outer
        if low + size * size + inner + outer * outer > top:
            return False
        for j in range(low, low + size * size, LANES):
            wide_st(work, j, zero)
        collect_entries(a, f, low, symmetric)
        collect_diagonal(a, f, low)
        for child in (front.child_a, front.child_b):
            if child >= 0:
                collect_child(a, child, low, size, symmetric)
                top = max(top, e.fronts[child].border + e.fronts[child].outer * e.fronts[child].outer)
        factor(work, low, size, size, inner, symmetric, p.inverse, p.trial)
        top -= outer * outer
        front.border = top
        front.factor = low
        for r in range(outer):
            copy_numbers(work, top + r * outer, low + (inner + r) * size + inner, outer)
        for r in range(outer):
            copy_numbers(work, low + inner * size + r * inner, low + (inner + r) * size, inner)
        low += inner * size + outer * inner
        for j in range(0, inner, LANES):
            wide_st(work, low + j, wide_ld(p.trial, j))
        low += inner
    return True


@part
def sparse_substitute(a):
    """step = A^-1 step."""
    e = a.elimination
    work = a.factors
    x = a.problem.trial  # a front's part of it
    for s in range(e.count.fronts):
        front = e.fronts[e.sequence[s]]
        inner = front.inner
        size = inner + front.outer
        exchange(a, front, True, False)
        forth(work, front.factor, size, inner, x)
        row = front.factor + inner * size
        for r in range(0, front.outer, LANES):
            s0, s1, s2, s3 = rows_times(work, row + r * inner, inner, x, 0, inner)
            wide_st(x, inner + r, join(-s0, -s1, -s2, -s3))
        exchange(a, front, False, False)
    for s in range(e.count.fronts - 1, -1, -1):
        front = e.fronts[e.sequence[s]]
        inner = front.inner
        size = inner + front.outer
        exchange(a, front, True, True)
        back(work, front.factor, size, inner, size, work, front.factor + inner * size + front.outer * inner, x)
        exchange(a, front, False, True)


@inline
def exchange(a, front, inwards, back):
    """Between the step and a front's part of it. In: the pivots (and going back, the border). Out: the pivots (and
    going forth, the border's change is added)."""
    e = a.elimination
    step = a.problem.step
    x = a.problem.trial
    zero = join(0.0, 0.0, 0.0, 0.0)
    if inwards:
        if front.inner > 0:
            wide_st(x, front.inner - LANES, zero)
        if front.outer > 0:
            wide_st(x, front.inner + front.outer - LANES, zero)
    at = 0
    for b in range(front.blocks):
        if b == front.pivots:
            if inwards != back:
                break
            at = front.inner
        edge = e.edges[e.pool[front.start + b]]
        for r in range(edge.weight):
            u = edge.first + r
            if inwards:
                st(x, at + r, ld(step, u))
            elif b < front.pivots:
                st(step, u, ld(x, at + r))
            else:
                st(step, u, ld(step, u) + ld(x, at + r))
        at += edge.weight


@part
def number_unknowns(a):
    """Each block's unknowns and the first of them. Returns whether any block's number of unknowns has changed."""
    changed = False
    u = 0
    for k in range(a.problem.search.blocks):
        edge = a.elimination.edges[k]
        weight = unknowns_of(a.problem.active[k].state)
        changed = changed or edge.weight != weight
        edge.weight = weight
        edge.first = u
        u += weight
    return changed


@part
def right_side(p):
    """-(T v + Gamma y) in `step`, the smallest pivots in `tiny`; in block order."""
    lam, v, root = p.lam, p.v, p.root
    u = 0
    for k in range(p.search.blocks):
        active = p.active[k]
        i = p.blocks[k].row
        state = active.state
        if state <= FIXED:
            continue
        for j in range(unknowns_of(state)):
            st(p.step, u, -ld(v, i + j))
            st(p.tiny, u, SMALLEST * ld(root, i + j) * ld(root, i + j))
            u += 1
        if state == ROW:
            st(p.step, u - 1, -ld(v, i) - p.blocks[k].compliance * ld(lam, i))
        elif state == SLIP:
            fx, fy = active.friction
            y = fx * ld(lam, i + 2) - fy * ld(lam, i + 1)
            across = fx * ld(v, i + 2) - fy * ld(v, i + 1)
            st(p.step, u - 1, -across - active.gamma * y)


@part
def sparse_factor(a, symmetric):
    """Newton's matrix and right-hand side for the present states, factored. Returns whether there was room."""
    if number_unknowns(a) or a.elimination.count.fronts == 0:
        if not order(a.elimination):
            return False
    right_side(a.problem)
    return factor_fronts(a, symmetric)
