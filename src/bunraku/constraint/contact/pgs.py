"""pgs."""

from __future__ import annotations

import math

from bunraku.constraint.contact.active import copy_row, newton
from bunraku.constraint.contact.blocks import fill_scales
from bunraku.constraint.contact.dense import multiply, padded
from bunraku.constraint.contact.memory import ANCHOR, BEST, LAM, ROOT, B, V, matrix_at, work_size
from bunraku.constraint.contact.residual import scale_of, worst_error
from bunraku.constraint.contact.sweep import sweep
from bunraku.spatial.entry import entry
from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import borrow, ld, st

SOLVED, LIMIT, BROKEN = 0, 1, 2
TRIES = 4

__all__ = ["solve", "solve_one", "work_size"]


@inline
def load(K, b, lam, m, n, work, k):
    """Copies of K, b and lam in work, rounded up to whole lanes with zeros."""
    for i in range(m):
        for j in range(m):
            st(work, k + i * n + j, K[i, j])
        for j in range(m, n):
            st(work, k + i * n + j, 0.0)
        st(work, B * n + i, b[i])
        st(work, LAM * n + i, lam[i])
    for i in range(m, n):
        st(work, B * n + i, 0.0)
        st(work, LAM * n + i, 0.0)


@inline
def solve(K, b, ints, reals, nblocks, m, lam, work, tolerance, max_sweeps):
    """(status, sweeps, residual)"""
    n = padded(m)
    k = matrix_at(n, nblocks)
    fill_scales(K, ints, reals, nblocks, work, ROOT * n)
    load(K, b, lam, m, n, work, k)
    E = scale_of(work, ROOT * n, B * n, LAM * n, m)
    best = math.inf
    anchor = math.inf  # error at the point that Newton steps must improve on
    sweeps = 0
    burst = 1
    left = 0  # sweeps before the next Newton step
    tries = 0  # Newton steps since the anchor
    for i in range(m):
        if ld(work, LAM * n + i) != 0.0:
            break
    else:
        left = 2
    while True:
        multiply(work, k, n, m, LAM * n, B * n, V * n)
        error = worst_error(ints, reals, nblocks, work, ROOT * n, V * n, LAM * n)
        if error < best:
            best = error
            copy_row(work, BEST * n, LAM * n, n)
        if best <= tolerance * E or sweeps >= max_sweeps:
            break
        if tries > 0:
            if error < 0.5 * anchor:
                tries = 0
            elif tries >= TRIES or not error < math.inf:
                copy_row(work, LAM * n, ANCHOR * n, n)
                multiply(work, k, n, m, LAM * n, B * n, V * n)
                left = burst
                burst = min(2 * burst, 64)
                tries = 0
        if left > 0:
            for _ in range(min(left, max_sweeps - sweeps)):
                sweep(ints, reals, nblocks, work, k, n, ROOT * n, V * n, LAM * n)
                sweeps += 1
            left = 0
            tries = 0
            anchor = math.inf
            continue
        if tries == 0:
            anchor = error
            copy_row(work, ANCHOR * n, LAM * n, n)
        newton(ints, reals, nblocks, work, k, k + n * n, n, m, 0.1 * tolerance * E)
        tries += 1
        sweeps += 1
    for i in range(m):
        lam[i] = ld(work, BEST * n + i)
    return (SOLVED if best <= tolerance * E else LIMIT), sweeps, best / E


@entry("DD D II DD i i D D d i")
def solve_one(K, b, ints, reals, nblocks, m, lam, work, tolerance, max_sweeps):
    """`solve` for Python."""
    return solve(
        borrow(K), borrow(b), borrow(ints), borrow(reals), nblocks, m, borrow(lam), borrow(work), tolerance, max_sweeps
    )


@entry("DD D II DD i i D D d i DD i")
def solve_repeated(K, b, ints, reals, nblocks, m, lam, work, tolerance, max_sweeps, starts, repeats):
    """`solve` many times from the rows of starts, for timing: returns the mean number of sweeps."""
    total = 0
    for r in range(repeats):
        for i in range(m):
            lam[i] = starts[r % starts.shape[0], i]
        _, s, _ = solve(
            borrow(K),
            borrow(b),
            borrow(ints),
            borrow(reals),
            nblocks,
            m,
            borrow(lam),
            borrow(work),
            tolerance,
            max_sweeps,
        )
        total += s
    return total / repeats
