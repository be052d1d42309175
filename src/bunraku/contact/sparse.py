"""The contact solver `pgs` for large islands: the problem, law and answer of bunraku.contact.pgs with a sparse K.

A heap of 200 boxes is one island of 1,000 contacts, 3,000 rows, of which each couples with fifteen blocks only. The
strategy is the dense solver's, with three changes that large problems ask for:

1. the Newton matrix is factored by fronts, in an order that follows from the trees (sparse_order.py, sparse_front.py): a tower costs in
   proportion to its height, a heap of n bodies about n^2 instead of n^3
2. a sweep is cheap beside a factorisation, so sweeps come first, 30 from a cold start and 5 from a warm one, and go on as long as they
   pay: five of them must halve the error (large problems, whose factorisation costs 100 sweeps: lower it by 15 %)
3. a softened problem (proximal point) is never given up, and its impulses are carried on beyond its answer, the further the longer the moves
   point the same way: the slow part of large problems is a long straight way through impulses that move next to nothing

Layout of K: sparse_pattern.py. If `work` or `iwork` has no room for the factorisation, sweeps alone go on until
max_sweeps. Deterministic, no allocation. Checked in tests/contact/test_sparse.py; speed in docs/contact-solver.md.
"""

from __future__ import annotations

import math

from bunraku.contact.active import copy_row, project
from bunraku.contact.memory import (
    ANCHOR,
    ANCHOR_V,
    BEST,
    CENTRE,
    LAM,
    MOVE,
    ROOT,
    TRIAL_V,
    VECTORS,
    B,
    V,
)
from bunraku.contact.pgs import (
    BETTER,
    BROKEN,
    DROP,
    FAILURES,
    HARDER,
    HARDEST,
    LIMIT,
    MAX_SWEEPS,
    NEAR,
    SOFT,
    SOFTEST,
    SOLVED,
    STUCK,
    TOLERANCE,
    UNTOUCHED,
    search,
    true_velocity,
)
from bunraku.contact.residual import FLOOR, errors, free_scale
from bunraku.contact.sparse_active import sparse_newton
from bunraku.contact.sparse_matrix import soften_sparse, sparse_multiply, sparse_scales, sparse_sweep
from bunraku.contact.sweep import settle_immovable
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow, ld, st
from bunraku.linalg.sparse_order import iwork_size

COLD, WARM = 30, 5  # sweeps at first
GOOD, GOOD_LARGE, LARGE = (
    0.5,
    0.85,
    300,
)  # of the error: what a batch of sweeps must reach to go on; from so many blocks on
BATCH = 5
SOFTER = 3.0  # h grows by this where it fails
BEYOND, FURTHEST, NEAREST = 0.8, 10.0, 0.3  # how far beyond a softened problem's answer its impulses go, in moves
ALONG, ASIDE = 0.6, 0.2  # cosines of successive moves: go further, go less far

__all__ = [
    "BROKEN",
    "LIMIT",
    "MAX_SWEEPS",
    "SOLVED",
    "STUCK",
    "TOLERANCE",
    "iwork_size",
    "solve",
    "solve_one",
    "work_size",
]


def work_size(m: int, nblocks: int, factor: int = 0) -> int:
    """Length of `work` [float64 numbers] for up to m rows in up to nblocks blocks.

    factor: room for the factorisation; 0: three full matrices for small problems and, beyond, several times what heaps
    take."""
    n = (m + 3) // 4 * 4 + 8
    return VECTORS * n + 4 * nblocks + (factor or min(3 * n * n, 750_000 + 1000 * m))


@inline
def begin(b, lam, m, n, work):
    """b and lam into work, zeros after them. Returns whether all of lam is zero."""
    cold = True
    for slot in range(VECTORS):
        for i in range(m, n):
            st(work, slot * n + i, 0.0)
    for i in range(m):
        st(work, B * n + i, b[i])
        x = lam[i] if abs(lam[i]) < math.inf else 0.0
        cold = cold and x == 0.0
        st(work, LAM * n + i, x)
        st(work, BEST * n + i, 0.0)
        st(work, MOVE * n + i, 0.0)
    return cold


@part
def carry_on(m, n, work, beyond):
    """Impulses beyond the answer of a softened problem, along the way they have come from its centre.

    Returns how far [moves].
    """
    cross = 0.0
    now = 1e-300
    last = 1e-300
    for i in range(m):
        d = ld(work, ROOT * n + i) * ld(work, ROOT * n + i)
        x = ld(work, LAM * n + i) - ld(work, CENTRE * n + i)
        y = ld(work, MOVE * n + i)
        st(work, MOVE * n + i, x)
        cross += d * x * y
        now += d * x * x
        last += d * y * y
    cosine = cross / math.sqrt(now * last)
    if cosine > ALONG:
        beyond = min(1.5 * beyond, FURTHEST)
    elif cosine < ASIDE:
        beyond = max(0.5 * beyond, NEAREST)
    for i in range(m):
        st(work, LAM * n + i, ld(work, LAM * n + i) + beyond * ld(work, MOVE * n + i))
    return beyond


@part
def measure(ints, reals, nblocks, work, n, v):
    """bunraku.contact.residual.errors of work[LAM] with the velocities work[v]."""
    return errors(ints, reals, nblocks, work, ROOT * n, v * n, LAM * n)


@part
def shorten(ints, reals, nblocks, work, n, before):
    """bunraku.contact.pgs.search."""
    return search(ints, reals, nblocks, work, n, before)


@part
def onto_cones(ints, reals, nblocks, work, n):
    """bunraku.contact.active.project."""
    return project(ints, reals, nblocks, work, n)


@part
def solve(trees, ntrees, starts, cols, values, b, ints, reals, nblocks, m, lam, work, iwork, tolerance, max_sweeps):
    """Solve for lam (m) in and out, the warm start and the answer. Returns (status, sweeps, residual), as
    bunraku.contact.pgs.solve.

    trees (nblocks, 2), from 1 to ntrees, 0 for none; starts (nblocks + 1), cols, values: K, see sparse_pattern.py; b
    (m); ints (nblocks, 2): kind, first row; reals (nblocks, 3): see blocks.py; work: scratch of work_size(m, nblocks);
    iwork: of iwork_size(nblocks, ntrees). As a building block for kernels: hand it borrowed arrays."""
    n = (m + 3) // 4 * 4 + 8
    low = VECTORS * n + 4 * nblocks
    left = COLD if begin(b, lam, m, n, work) else WARM  # sweeps before the next Newton step
    sparse_scales(starts, values, ints, reals, nblocks, work, n)
    settle_immovable(ints, reals, nblocks, work, ROOT * n, B * n, LAM * n)
    free = free_scale(ints, reals, nblocks, work, ROOT * n, B * n)
    best = math.inf  # error of BEST
    before = math.inf  # sum of squares at the anchor
    sweeps = 0
    sweeping = True  # no Newton step so far
    reached = math.inf  # error before the last batch of sweeps
    burst = 1
    failures = 0
    allowed = FAILURES
    h = 0.0
    beyond = BEYOND
    room = True
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
            allowed = 1
            if h == 0.0:
                h = SOFT
                left = 0
            else:
                h = min(SOFTER * h, SOFTEST)
            changed = True
        elif h > 0.0 and inner <= NEAR * error:
            h = max(HARDER * h, HARDEST)
            left = 0
            beyond = carry_on(m, n, work, beyond)
            changed = True
        if changed:
            soften_sparse(b, m, work, n, h)
            sparse_multiply(starts, cols, values, ints, nblocks, work, n, h)
            _, _, square, _ = measure(ints, reals, nblocks, work, n, V)
        if sweeping and sweeps > 0:
            left = BATCH if error < (GOOD_LARGE if nblocks >= LARGE else GOOD) * reached else 0
            reached = error
        if left > 0 or not room:
            if not room:
                left = 64
            for _ in range(min(left, max_sweeps - sweeps)):
                sparse_sweep(starts, cols, values, ints, reals, nblocks, work, n, h)
                sweeps += 1
            left = 0
            continue
        sweeping = False
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
            room = False
            unmet = 0.0
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
