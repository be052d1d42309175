"""The contact solver `pgs` for large islands: the problem, law and answer of bunraku.constraint.contact.pgs with a sparse K.

PLACEHOLDER
"""

from __future__ import annotations

import math

from bunraku.constraint.contact.active import copy_row, project
from bunraku.constraint.contact.memory import (
    ANCHOR,
    ANCHOR_V,
    BEST,
    LAM,
    ROOT,
    TRIAL_V,
    VECTORS,
    B,
    V,
)
from bunraku.constraint.contact.pgs import (
    BETTER,
    BROKEN,
    DROP,
    FAILURES,
    HARDER,
    HARDEST,
    LIMIT,
    LONG,
    MAX_SWEEPS,
    NEAR,
    SOFT,
    SOFTENINGS,
    SOFTER,
    SOFTEST,
    SOLVED,
    STUCK,
    TOLERANCE,
    UNTOUCHED,
    search,
    true_velocity,
)
from bunraku.constraint.contact.residual import FLOOR, errors, free_scale
from bunraku.constraint.contact.sparse_active import sparse_newton
from bunraku.constraint.contact.sparse_matrix import soften_sparse, sparse_multiply, sparse_scales, sparse_sweep
from bunraku.constraint.contact.sparse_order import iwork_size
from bunraku.constraint.contact.sweep import settle_immovable
from bunraku.spatial.entry import entry
from bunraku.spatial.kernel import inline, part
from bunraku.spatial.lanes import borrow, ld, st

__all__ = ["BROKEN", "LIMIT", "MAX_SWEEPS", "SOLVED", "STUCK", "TOLERANCE", "iwork_size", "solve", "solve_one", "work_size"]


def work_size(m: int, nblocks: int, factor: int = 0) -> int:
    """Length of `work` [float64 numbers] for m rows in nblocks blocks."""
    n = (m + 3) // 4 * 4 + 8
    return VECTORS * n + 4 * nblocks + (factor or min(3 * (n + 8) * (n + 8), 500_000 + 1000 * m))


@inline
def begin(b, lam, m, n, work):
    """b and lam into work, zeros after them."""
    for slot in range(VECTORS):
        for i in range(n - 12, n):
            st(work, slot * n + i, 0.0)
    for i in range(m):
        st(work, B * n + i, b[i])
        st(work, LAM * n + i, lam[i] if abs(lam[i]) < math.inf else 0.0)
        st(work, BEST * n + i, 0.0)


@part
def measure(ints, reals, nblocks, work, n, v):
    """bunraku.constraint.contact.residual.errors of work[LAM] with the velocities work[v]."""
    return errors(ints, reals, nblocks, work, ROOT * n, v * n, LAM * n)


@part
def shorten(ints, reals, nblocks, work, n, before):
    """bunraku.constraint.contact.pgs.search."""
    return search(ints, reals, nblocks, work, n, before)


@part
def onto_cones(ints, reals, nblocks, work, n):
    """bunraku.constraint.contact.active.project."""
    return project(ints, reals, nblocks, work, n)


@part
def solve(
    trees, ntrees, starts, cols, values, b, ints, reals, nblocks, m, lam, work, iwork, tolerance, max_sweeps
):
    n = (m + 3) // 4 * 4 + 8
    low = VECTORS * n + 4 * nblocks
    begin(b, lam, m, n, work)
    sparse_scales(starts, values, ints, reals, nblocks, work, n)
    settle_immovable(ints, reals, nblocks, work, ROOT * n, B * n, LAM * n)
    free = free_scale(work, ROOT * n, B * n, m)
    best = math.inf  # error of BEST
    before = math.inf  # sum of squares at the anchor
    sweeps = 0
    left = 0  # sweeps before the next Newton step
    burst = 1
    failures = 0
    allowed = FAILURES
    softenings = 0
    long = LONG
    h = 0.0
    fronts = 0
    clusters = 0
    stepped = False  # a Newton step from the anchor awaits its judgement
    projected = False  # lam has just been put onto the cones
    ending = False  # lam is the last answer
    unmet = 0.0
    residual = math.inf
    status = LIMIT
    while True:
        sparse_multiply(starts, cols, values, ints, nblocks, work, n, h)
        error, stuck, square, impulse = measure(ints, reals, nblocks, work, n, V)
        if stepped and not square <= DROP * before:
            square = shorten(ints, reals, nblocks, work, n, before)
            error, stuck, _, impulse = measure(ints, reals, nblocks, work, n, V)
            if square > DROP * before:
                failures += 1
                left = burst
                burst = min(2 * burst, 64)
        inner = error
        if h > 0.0:
            true_velocity(m, n, work, h)
            error, stuck, _, impulse = measure(ints, reals, nblocks, work, n, TRIAL_V)
        stepped = False
        scale = max(free, FLOOR * impulse)
        residual = max(error, stuck) / scale if error < math.inf else math.inf
        met = error < math.inf and error <= tolerance * scale
        if ending or (met and (sweeps > 0 or error <= UNTOUCHED * tolerance * scale)):
            if not (ending or projected) and onto_cones(ints, reals, nblocks, work, n):
                projected = True
                continue
            if met:
                status = SOLVED if stuck <= tolerance * scale else STUCK
            break
        projected = False
        if error < BETTER * best:
            best = error
            copy_row(work, BEST * n, LAM * n, n)
        contrary = unmet > tolerance * scale and error <= 1.1 * unmet  # no impulses do better
        if sweeps >= max_sweeps or contrary or not error < math.inf:
            status = STUCK if contrary else LIMIT if best < math.inf else BROKEN
            copy_row(work, LAM * n, BEST * n, n)
            onto_cones(ints, reals, nblocks, work, n)
            ending = True
            continue
        changed = False
        if failures >= allowed:
            failures = 0
            burst = 1
            softenings += 1
            if h == 0.0:
                h = SOFT
                left = 0
                softenings = 0
                allowed = 1
            elif softenings < SOFTENINGS:
                h = min(SOFTER * h, SOFTEST)
            else:
                h = 0.0
                left = long
                long *= 2
            changed = True
        elif h > 0.0 and inner <= NEAR * error:
            h = max(HARDER * h, HARDEST)
            left = 0
            changed = True
        if changed:
            soften_sparse(b, m, work, n, h)
            sparse_multiply(starts, cols, values, ints, nblocks, work, n, h)
            _, _, square, _ = measure(ints, reals, nblocks, work, n, V)
        if left > 0:
            for _ in range(min(left, max_sweeps - sweeps)):
                sparse_sweep(starts, cols, values, ints, reals, nblocks, work, n, h)
                sweeps += 1
            left = 0
            continue
        before = square
        copy_row(work, ANCHOR * n, LAM * n, n)
        copy_row(work, ANCHOR_V * n, V * n, n)
        fronts, clusters, unmet = sparse_newton(
            trees,
            ntrees,
            starts,
            cols,
            values,
            ints,
            reals,
            nblocks,
            work,
            n,
            iwork,
            low,
            h,
            0.1 * tolerance * scale,
            fronts,
            clusters,
        )
        if fronts < 0:  # no room for the factor: sweeps alone
            fronts = 0
            unmet = 0.0
            left = 64
            continue
        sweeps += 1
        stepped = True
    for i in range(m):
        lam[i] = ld(work, LAM * n + i)
    return status, sweeps, residual


@entry("II i I I D D II DD i i D D I d i")
def solve_one(trees, ntrees, starts, cols, values, b, ints, reals, nblocks, m, lam, work, iwork, tolerance, max_sweeps):
    """`solve` for Python."""
    return solve(
        borrow(trees),
        ntrees,
        borrow(starts),
        borrow(cols),
        borrow(values),
        borrow(b),
        borrow(ints),
        borrow(reals),
        nblocks,
        m,
        borrow(lam),
        borrow(work),
        borrow(iwork),
        tolerance,
        max_sweeps,
    )
