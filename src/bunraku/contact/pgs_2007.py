"""The iteration of Nakaoka et al. 2007 as it was published: equations (14) to (21), row by row, a given number of sweeps.

    f(0) = 0                                                                                                      (15)
    for every row i:  f_i <- f_i - v_i / k_ii,  v = K f + b with the newest f                                (16), (17)
                      f_i <- max(min(f_i, h_i), l_i)                                                             (18)
    for every contact, rows z, x, y in this order: where |f_xy| > mu f_z,  f_xy <- f_xy mu f_z / |f_xy|     (19) - (21)

The bounds of friction follow the normal force of the same sweep. It ends when f(l) and f(l + 1) differ by less than
`tolerance` of f(l + 1) (Euclidean norms), or after `most` sweeps (120 in the paper). What it returns as residual is the
true one (bunraku.contact.residual), by the same measure as that of bunraku.contact.pgs: where contacts slide it does
not vanish, as (17) with (21) ends in friction that is not opposite to the slip. Rows that nothing can move keep f = 0.
Cost: a sweep is rows^2 multiply-adds, of a sparse K 9 an entry. Deterministic, no allocation. Checked in
tests/contact/test_pgs_2007.py; beside `pgs` in docs/contact-solver.md.
"""

from __future__ import annotations

import math
from typing import Any

from bunraku.contact.cone import row_impulse
from bunraku.contact.dense_front import Dense, dense_begin, dense_multiply
from bunraku.contact.pgs import BROKEN, LIMIT, SOLVED
from bunraku.contact.problem import CONTACT
from bunraku.contact.residual import FLOOR, errors, free_scale
from bunraku.contact.sparse_matrix import Sparse, gather, sparse_begin, sparse_multiply
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import LANES, join, ld, split, st, wide_ld
from bunraku.linalg.dense import padded

SWEEPS = 120  # the paper's


@inline
def published_contact(A, v, f, mu):
    """(17) to (21) for the rows z, x, y of a contact with the forces f and the velocities v; A = (zz, zx, zy, xx, xy,
    yy) is its own part of K."""
    zz, zx, zy, xx, xy, yy = A
    z = max(f[0] - v[0] / zz, 0.0)
    dz = z - f[0]
    x = f[1] - (v[1] + zx * dz) / xx if xx > 0.0 else 0.0
    y = f[2] - (v[2] + zy * dz + xy * (x - f[1])) / yy if yy > 0.0 else 0.0
    length = math.sqrt(x * x + y * y)
    if length > mu * z:
        x *= mu * z / length
        y *= mu * z / length
    return z, x, y


@inline
def across(lanes):
    """The sum of the lanes."""
    a, b, c, d = split(lanes)
    return (a + b) + (c + d)


@inline
def dense_row(d, i):
    """Row i of K times f."""
    lam = d.problem.lam
    n = d.problem.search.n
    total = join(0.0, 0.0, 0.0, 0.0)
    for j in range(0, n, LANES):
        total = total + wide_ld(d.soft_K, i * n + j) * wide_ld(lam, j)
    return across(total)


@inline
def dense_rows(d, i):
    """Rows i, i + 1 and i + 2 of K times f, side by side."""
    K = d.soft_K
    lam = d.problem.lam
    n = d.problem.search.n
    x = join(0.0, 0.0, 0.0, 0.0)
    y = x
    z = x
    for j in range(0, n, LANES):
        f = wide_ld(lam, j)
        x = x + wide_ld(K, i * n + j) * f
        y = y + wide_ld(K, (i + 1) * n + j) * f
        z = z + wide_ld(K, (i + 2) * n + j) * f
    return across(x), across(y), across(z)


@inline
def dense_block(d, k):
    """(v less b of the rows of block k, their own part of K); of a block with one row the first of each counts."""
    i = d.problem.blocks[k].row
    n = d.problem.search.n
    K = d.soft_K
    at = i * (n + 1)
    if d.problem.blocks[k].kind != CONTACT:
        return (dense_row(d, i), 0.0, 0.0), (ld(K, at), 0.0, 0.0, 0.0, 0.0, 0.0)
    A = (ld(K, at), ld(K, at + 1), ld(K, at + 2), ld(K, at + n + 1), ld(K, at + n + 2), ld(K, at + 2 * n + 2))
    return dense_rows(d, i), A


@inline
def sparse_block(a, k):
    """The same of a sparse K."""
    K = a.values
    e = 9 * a.starts[k]
    A = (ld(K, e), ld(K, e + 1), ld(K, e + 2), ld(K, e + 4), ld(K, e + 5), ld(K, e + 8))
    return gather(a, k), A


@inline
def begin_at_zero(p, rows, blocks, padding):
    """(15)."""
    s = p.search
    s.rows = rows
    s.blocks = blocks
    s.n = padded(rows) + padding
    s.softness = 0.0
    for i in range(s.n):
        st(p.lam, i, 0.0)
        st(p.v, i, 0.0)
        st(p.soft_b, i, ld(p.b, i) if i < rows else 0.0)


@inline
def update(p, i, new):
    """Give row i its force. Returns the square of what it changes by, and its own."""
    change = new - ld(p.lam, i)
    st(p.lam, i, new)
    return change * change, new * new


@part
def true_residual(p):
    """How far f is from solving the problem; v is up to date."""
    worst, stuck, _, impulse = errors(p, p.v, p.lam)
    return max(worst, stuck) / max(free_scale(p), FLOOR * impulse) if worst < math.inf else math.inf


def iteration(begin: Any, multiply: Any, of_block: Any, padding: int) -> Any:
    """The iteration for one kind of matrix: solve(matrix, rows, blocks, tolerance, most)."""

    @part
    def sweep(matrix):
        """(16) to (21) once. Returns the sums of squares of what f changes by, and of f."""
        p = matrix.problem
        b = p.soft_b
        changed = 0.0
        size = 0.0
        for k in range(p.search.blocks):
            block = p.blocks[k]
            i = block.row
            if ld(p.root, i) < 0.0:
                continue
            Kf, A = of_block(matrix, k)
            if block.kind != CONTACT:
                dc, df = update(p, i, row_impulse(block, A[0], Kf[0] + ld(b, i), ld(p.lam, i)))
                changed += dc
                size += df
                continue
            v = (Kf[0] + ld(b, i), Kf[1] + ld(b, i + 1), Kf[2] + ld(b, i + 2))
            new = published_contact(A, v, (ld(p.lam, i), ld(p.lam, i + 1), ld(p.lam, i + 2)), block.mu)
            for j in range(3):
                dc, df = update(p, i + j, new[j])
                changed += dc
                size += df
        return changed, size

    @part
    def solve(matrix, rows, blocks, tolerance, most):
        """Returns (status, sweeps, residual)."""
        p = matrix.problem
        begin_at_zero(p, rows, blocks, padding)
        begin(matrix)
        done = 0
        while done < most:
            changed, size = sweep(matrix)
            done += 1
            if changed <= tolerance * tolerance * size:
                break
        multiply(matrix)
        residual = true_residual(p)
        if not residual < math.inf:
            for i in range(rows):
                st(p.lam, i, 0.0)
            return BROKEN, done, residual
        return SOLVED if residual <= tolerance else LIMIT, done, residual

    return solve


solve_dense = iteration(dense_begin, dense_multiply, dense_block, 0)
solve_sparse = iteration(sparse_begin, sparse_multiply, sparse_block, 2 * LANES)


@entry("h i i d i")
def iterate(h, rows, blocks, tolerance, most):
    """`solve_dense` for Python: iterate.call(handle(dense), rows, blocks, tolerance, SWEEPS)."""
    return solve_dense(Dense(h), rows, blocks, tolerance, most)


@entry("h i i d i")
def iterate_sparse(h, rows, blocks, tolerance, most):
    """The same with a sparse K."""
    return solve_sparse(Sparse(h), rows, blocks, tolerance, most)
