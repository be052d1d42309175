"""A sparse K: products and sweeps with the block-sparse matrix of a large island.

Layout of the matrix: bunraku.linalg.sparse_pattern. A softened problem has K + h D in the place of K (D: squares of the
scales); h D is added here as it is needed, K itself is never changed. Vectors have n numbers, at least rows + 3: a
block with one row reads two numbers beyond it and multiplies them by zero.

A sweep solves every block exactly in turn, the others held, as that of bunraku.contact.dense_front does, but gathers
v_i = K_i lam + b_i when it comes to block i. Cost of both: 12 multiply-adds an entry, in lanes. Checked in
tests/contact/test_sparse.py.
"""

from __future__ import annotations

from bunraku.contact.cone import contact_impulse, row_impulse
from bunraku.contact.dense_front import Dense
from bunraku.contact.problem import CONTACT, Problem
from bunraku.contact.residual import finish_scales, note_scale, soften_row
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import join, ld, split, st, wide_ld
from bunraku.kernel.record import Record, inner, int_vector, vector
from bunraku.linalg.sparse_order import Elimination


class Sparse(Record, after=Dense.layout.slots):
    """A problem with a sparse matrix."""

    problem = inner(Problem)
    elimination = inner(Elimination)
    starts = int_vector()  # (blocks + 1) the entries of block row k are starts[k] .. starts[k + 1]
    cols = int_vector()  # (entries) the block column of each
    values = vector()  # (9 entries) K
    factors = vector()  # room for the factorisation
    scratch = int_vector()  # of the pattern


@part
def sparse_begin(a):
    """Scales of the rows; no order so far."""
    p = a.problem
    a.elimination.count.blocks = p.search.blocks
    a.elimination.count.fronts = 0
    largest = 0.0
    for k in range(p.search.blocks):
        e = 9 * a.starts[k]
        d = note_scale(p, k, ld(a.values, e), ld(a.values, e + 4), ld(a.values, e + 8))
        largest = max(largest, d)
    finish_scales(p, largest)


@inline
def gather(a, k):
    """Block row k of K times lam: three numbers, the last two of no use for a block with one row."""
    lam = a.problem.lam
    values = a.values
    left = join(0.0, 0.0, 0.0, 0.0)
    right = left
    more = left
    for e in range(a.starts[k], a.starts[k + 1]):
        j = a.problem.blocks[a.cols[e]].row
        left = left + wide_ld(values, 9 * e) * ld(lam, j)
        more = more + wide_ld(values, 9 * e + 3) * ld(lam, j + 1)
        right = right + wide_ld(values, 9 * e + 5) * ld(lam, j + 2)  # its first lane is not of this column
    x, y, z, _ = split(left + more)
    _, u, v, w = split(right)
    return x + u, y + v, z + w


@part
def sparse_multiply(a):
    """v = (K + h D) lam + b, where b is the softened one."""
    p = a.problem
    h = p.search.softness
    root, b, lam, v = p.root, p.soft_b, p.lam, p.v
    for k in range(p.search.blocks):
        x, y, z = gather(a, k)
        i = p.blocks[k].row
        d = h * ld(root, i) * ld(root, i)
        st(v, i, x + ld(b, i) + d * ld(lam, i))
        if p.blocks[k].kind == CONTACT:
            d = h * ld(root, i + 1) * ld(root, i + 1)
            st(v, i + 1, y + ld(b, i + 1) + d * ld(lam, i + 1))
            st(v, i + 2, z + ld(b, i + 2) + d * ld(lam, i + 2))


@inline
def sparse_soften(a):
    """b to go with K + h D; h D itself is added where K is used."""
    for i in range(a.problem.search.rows):
        soften_row(a.problem, i)


@part
def sparse_sweep(a, count):
    """Pass over all blocks some times; lam is updated, v is not. Immovable blocks are left alone."""
    p = a.problem
    for _ in range(count):
        for k in range(p.search.blocks):
            sweep_block(a, k)


@inline
def sweep_block(a, k):
    """Block k takes the impulse that solves it alone."""
    p = a.problem
    values = a.values
    h = p.search.softness
    lam, b = p.lam, p.soft_b
    block = p.blocks[k]
    i = block.row
    s = ld(p.root, i)
    if s < 0.0:
        return
    vn, vx, vy = gather(a, k)
    e = 9 * a.starts[k]
    old = ld(lam, i)
    soft = h * s * s
    vn += ld(b, i) + soft * old
    if block.kind != CONTACT:
        st(lam, i, row_impulse(block, ld(values, e) + soft, vn, old))
        return
    t = ld(p.root, i + 1)
    oldx = ld(lam, i + 1)
    oldy = ld(lam, i + 2)
    vx += ld(b, i + 1) + h * t * t * oldx
    vy += ld(b, i + 2) + h * t * t * oldy
    A = (
        ld(values, e) + soft,
        ld(values, e + 1),
        ld(values, e + 2),
        ld(values, e + 4) + h * t * t,
        ld(values, e + 5),
        ld(values, e + 8) + h * t * t,
    )
    new = contact_impulse(A, (vn, vx, vy), (old, oldx, oldy), block.mu, max(s * s, t * t))
    st(lam, i, new[0])
    st(lam, i + 1, new[1])
    st(lam, i + 2, new[2])
