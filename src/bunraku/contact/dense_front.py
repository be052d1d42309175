"""A dense K: products, sweeps, and the matrix of a Newton step with its factors.

K is copied into rows of n numbers, whole lanes, because softening changes its diagonal. A sweep keeps v up to date by
columns of K, so it costs rows^2 multiply-adds and no product is repeated; a Newton step costs rows^3/6 (symmetric) to
rows^3/3. Checked in tests/contact/test_pgs.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.contact.active import FIXED, REGULAR, ROW, SLIP, SMALLEST, STICK
from bunraku.contact.cone import contact_impulse, row_impulse
from bunraku.contact.problem import CONTACT, Problem, put_problem
from bunraku.contact.residual import finish_scales, note_scale, soften_row
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import LANES, ld, st, wide_ld, wide_st
from bunraku.kernel.record import Record, inner, matrix, put, vector
from bunraku.kernel.table import Table
from bunraku.linalg.dense import factor, multiply, padded, substitute


class Dense(Record, after=Problem.layout.slots):
    """A problem with a dense matrix."""

    problem = inner(Problem)
    K = matrix()  # (at least rows, at least rows)
    soft_K = vector()  # K + h D, in rows of n
    A = vector()  # Newton's matrix, then its factors, in rows of n


def make_dense(rows: int, blocks: int, table: Table | None = None) -> Dense:
    """Room for up to `rows` rows in up to `blocks` blocks, in a Table of its own or a given one."""
    d = Dense(table)
    put_problem(d.problem, rows, blocks)
    put_dense(d, rows)
    return d


def put_dense(d: Dense, rows: int) -> None:
    """Room for the matrices alone."""
    put(d, K=np.zeros((rows, rows)), soft_K=np.zeros(padded(rows) ** 2), A=np.zeros(padded(rows) ** 2))


@inline
def dense_begin(d):
    """Scales of the rows, and the copy of K."""
    p = d.problem
    K = d.K
    m = p.search.rows
    n = p.search.n
    largest = 0.0
    for k in range(p.search.blocks):
        i = p.blocks[k].row
        x = 0.0
        y = 0.0
        if p.blocks[k].kind == CONTACT:
            x = K[i + 1, i + 1]
            y = K[i + 2, i + 2]
        largest = max(largest, note_scale(p, k, K[i, i], x, y))
    finish_scales(p, largest)
    for i in range(m):
        for j in range(m):
            st(d.soft_K, i * n + j, K[i, j])
        for j in range(m, n):
            st(d.soft_K, i * n + j, 0.0)


@part
def dense_multiply(d):
    """v = (K + h D) lam + b."""
    p = d.problem
    multiply(d.soft_K, p.search.n, p.search.rows, p.lam, p.soft_b, p.v)


@inline
def dense_soften(d):
    """K + h D, and b to go with it."""
    p = d.problem
    for i in range(p.search.rows):
        st(d.soft_K, i * (p.search.n + 1), d.K[i, i] + soften_row(p, i))


@part
def dense_sweep(d, count):
    """Pass over all blocks some times; lam and v = K lam + b are updated. Immovable blocks are left alone."""
    p = d.problem
    for _ in range(count):
        for k in range(p.search.blocks):
            sweep_block(d, k)


@inline
def sweep_block(d, k):
    """Block k takes the impulse that solves it alone, and v follows."""
    p = d.problem
    K = d.soft_K
    v = p.v
    lam = p.lam
    n = p.search.n
    block = p.blocks[k]
    i = block.row
    s = ld(p.root, i)
    if s < 0.0:
        return
    row = i * n
    old = ld(lam, i)
    if block.kind == CONTACT:
        oldx = ld(lam, i + 1)
        oldy = ld(lam, i + 2)
        t = ld(p.root, i + 1)
        A = (
            ld(K, row + i),
            ld(K, row + i + 1),
            ld(K, row + i + 2),
            ld(K, row + n + i + 1),
            ld(K, row + n + i + 2),
            ld(K, row + 2 * n + i + 2),
        )
        now = (ld(v, i), ld(v, i + 1), ld(v, i + 2))
        new = contact_impulse(A, now, (old, oldx, oldy), block.mu, max(s * s, t * t))
        st(lam, i, new[0])
        st(lam, i + 1, new[1])
        st(lam, i + 2, new[2])
        dn = new[0] - old
        dx = new[1] - oldx
        dy = new[2] - oldy
        for j in range(0, n, LANES):
            change = wide_ld(K, row + j) * dn + wide_ld(K, row + n + j) * dx
            wide_st(v, j, wide_ld(v, j) + change + wide_ld(K, row + 2 * n + j) * dy)
    else:
        x = row_impulse(block, ld(K, row + i), ld(v, i), old)
        st(lam, i, x)
        for j in range(0, n, LANES):
            wide_st(v, j, wide_ld(v, j) + wide_ld(K, row + j) * (x - old))


@inline
def newton_rows(d, symmetric):
    """T K in A, rows of n (from the diagonal on, if symmetric); -(T v + Gamma y) in `step`; d in `tiny`.

    One row an unknown."""
    p = d.problem
    n = p.search.n
    v = p.v
    lam = p.lam
    root = p.root
    u = 0
    for k in range(p.search.blocks):
        block = p.blocks[k]
        active = p.active[k]
        i = block.row
        state = active.state
        if state <= FIXED:
            continue
        for j in range(3 if state == STICK else 1):
            start = i // LANES * LANES if symmetric else 0
            for c in range(start, n, LANES):
                wide_st(d.A, u * n + c, wide_ld(d.soft_K, (i + j) * n + c))
            st(p.step, u, -ld(v, i + j))
            st(p.tiny, u, ld(root, i + j) * ld(root, i + j))
            u += 1
        if state == ROW:
            st(p.step, u - 1, -ld(v, i) - block.compliance * ld(lam, i))
        elif state == SLIP:
            fx, fy = active.friction
            row = (i + 1) * n
            for c in range(0, n, LANES):
                wide_st(d.A, u * n + c, wide_ld(d.soft_K, row + n + c) * fx - wide_ld(d.soft_K, row + c) * fy)
            y = fx * ld(lam, i + 2) - fy * ld(lam, i + 1)
            st(p.step, u, fy * ld(v, i + 1) - fx * ld(v, i + 2) - active.gamma * y)
            st(p.tiny, u, ld(root, i + 1) * ld(root, i + 1))
            u += 1


@inline
def newton_columns(d):
    """From T K to T K G + Gamma, columns moved to the left in place."""
    p = d.problem
    A = d.A
    n = p.search.n
    end = p.search.unknowns * n
    u = 0
    for k in range(p.search.blocks):
        block = p.blocks[k]
        active = p.active[k]
        i = block.row
        state = active.state
        if state <= FIXED:
            continue
        if state == SLIP:
            fx, fy = active.friction
            mu = block.mu
            for row in range(0, end, n):
                x = ld(A, row + i + 1)
                y = ld(A, row + i + 2)
                st(A, row + u, ld(A, row + i) + mu * (fx * x + fy * y))
                st(A, row + u + 1, fx * y - fy * x)
            u += 2
        else:
            count = 3 if state == STICK else 1
            if u < i:
                for row in range(0, end, n):
                    for j in range(count):
                        st(A, row + u + j, ld(A, row + i + j))
            u += count
        if state == SLIP or state == ROW:
            st(A, (u - 1) * (n + 1), ld(A, (u - 1) * (n + 1)) + active.gamma)


@inline
def regularise(d, size):
    """Add R, set the smallest pivots, and fill the rows and columns up to whole lanes with those of the identity."""
    p = d.problem
    A = d.A
    n = p.search.n
    for u in range(p.search.unknowns):
        scale = ld(p.tiny, u)
        st(A, u * (n + 1), ld(A, u * (n + 1)) + REGULAR * scale)
        st(p.tiny, u, SMALLEST * scale)
    for u in range(p.search.unknowns, size):
        st(p.step, u, 0.0)
        st(p.tiny, u, 0.0)
        for j in range(size):
            st(A, u * n + j, 0.0)
            st(A, j * n + u, 0.0)
        st(A, u * (n + 1), 1.0)


@inline
def dense_factor(d, symmetric):
    """Newton's matrix and right-hand side for the present states, factored. Returns whether there was room: always."""
    p = d.problem
    size = padded(p.search.unknowns)
    newton_rows(d, symmetric)
    newton_columns(d)
    regularise(d, size)
    factor(d.A, 0, p.search.n, size, size, symmetric, p.tiny, p.inverse)
    return True


@part
def dense_substitute(d):
    """step = A^-1 step."""
    p = d.problem
    substitute(d.A, p.search.n, padded(p.search.unknowns), p.inverse, p.step)
