"""The iterative contact solver `pgs`: extended projected Gauss-Seidel with a true cone, finished exactly.

Solves the problem of bunraku.contact.blocks, v = K lam + b (001, eq. 5) with (6)-(13) and the true cone (10), for one
island. Warm start in, solution out. It differs from section 3 of 001 in five ways, because plain sweeps need tens to a
thousand passes to a residual of 1e-6:

1. a contact's three rows are solved together and exactly (cone.py), instead of (17) row by row and the projection (21), whose slip is
   not opposite to friction; a sweep is in sweep.py
2. at first, from a warm or a cold start, a Newton step on the active set (active.py) solves the whole problem at once; it is exact when the set is
   right, so the usual cost is one factorisation, and redundant points share a load evenly. The step is shortened until the sum of squared
   errors drops; if it does not drop, sweeps look for a better set
3. a problem that resists is softened: K + h D, b - h D lam0 with D the scales and lam0 the present impulses (a proximal point step). That is well
   conditioned and has the same solution once lam stops changing; h shrinks as it succeeds and grows as it does not
4. a warm start that has led nowhere in RESTART sweeps is given up for a cold one
5. it ends when the true residual (residual.py) is met, not when lam stops changing; the best impulses found are returned, inside their cones

Cost: m^2 a sweep, m^3/6 to m^3/3 a Newton step. Deterministic, no allocation. Checked in tests/contact/test_pgs.py
(known solutions, multibody problems), test_pgs_laws.py (random problems); speed in docs/contact-solver.md.
"""

from __future__ import annotations

import math

from bunraku.contact.active import copy_row, newton, project
from bunraku.contact.blocks import fill_scales
from bunraku.contact.memory import (
    ANCHOR,
    ANCHOR_V,
    BEST,
    CENTRE,
    LAM,
    ROOT,
    TRIAL,
    TRIAL_V,
    B,
    V,
    matrix_at,
    work_size,
)
from bunraku.contact.residual import FLOOR, errors, free_scale
from bunraku.contact.sweep import settle_immovable, sweep
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import LANES, borrow, ld, st, wide_ld, wide_st
from bunraku.linalg.dense import multiply, padded

SOLVED = 0  # the residual is met
LIMIT = 1  # max_sweeps reached; the best impulses found
STUCK = 2  # all is met but a row that nothing can move (an immovable pair), or equalities that contradict one another
BROKEN = 3  # K or b is not finite; lam is zero

TOLERANCE = 1e-6  # default residual
MAX_SWEEPS = 2500  # default; sweeps and Newton steps together

UNTOUCHED = 0.1  # of the tolerance: a start so good is returned as it is (errors of successive steps shall not add up)
BETTER = 0.999  # of the error: worth remembering (impulses that grow without bound gain next to nothing)
DROP = 0.9  # of the sum of squares: a step worth keeping
HALVINGS = 7
SOFTEST, SOFT, HARDEST = 1.0, 1e-2, 1e-7  # h
SOFTER, HARDER = 10.0, 0.3  # h changes by these
NEAR = 0.3  # of the true error: a softened problem solved well enough
FAILURES = 2  # of Newton steps before softening
SOFTENINGS = 8  # before sweeps take over again,
LONG = 16  # this many at first, then twice as many every time
RESTART = 1000  # sweeps after which a warm start is given up for a cold one, once

__all__ = ["BROKEN", "LIMIT", "MAX_SWEEPS", "SOLVED", "STUCK", "TOLERANCE", "solve", "solve_one", "work_size"]


@inline
def load(K, b, lam, m, n, work, k):
    """Copies of K, b and lam in work, rounded up to whole lanes with zeros."""
    for i in range(m):
        for j in range(m):
            st(work, k + i * n + j, K[i, j])
        for j in range(m, n):
            st(work, k + i * n + j, 0.0)
        x = lam[i] if abs(lam[i]) < math.inf else 0.0
        st(work, B * n + i, b[i])
        st(work, LAM * n + i, x)
        st(work, BEST * n + i, 0.0)
    for i in range(m, n):
        st(work, B * n + i, 0.0)
        st(work, LAM * n + i, 0.0)
        st(work, ROOT * n + i, 0.0)


@inline
def soften(K, b, m, n, work, k, h):
    """K + h D and b - h D lam: the same solution if lam does not change."""
    for i in range(m):
        d = h * ld(work, ROOT * n + i) * ld(work, ROOT * n + i)
        x = ld(work, LAM * n + i)
        st(work, k + i * (n + 1), K[i, i] + d)
        st(work, B * n + i, b[i] - d * x)
        st(work, CENTRE * n + i, x)


@inline
def true_velocity(m, n, work, h):
    """v of the problem itself, in TRIAL_V, from that of the softened one."""
    for i in range(m):
        d = h * ld(work, ROOT * n + i) * ld(work, ROOT * n + i)
        x = ld(work, LAM * n + i) - ld(work, CENTRE * n + i)
        st(work, TRIAL_V * n + i, ld(work, V * n + i) - d * x)


@inline
def blend(work, n, t, lam, v):
    """lam and v at t of the way from the anchor to LAM, V."""
    for i in range(0, n, LANES):
        a = wide_ld(work, ANCHOR * n + i)
        wide_st(work, lam * n + i, a + (wide_ld(work, LAM * n + i) - a) * t)
        a = wide_ld(work, ANCHOR_V * n + i)
        wide_st(work, v * n + i, a + (wide_ld(work, V * n + i) - a) * t)


@inline
def search(ints, reals, nblocks, work, n, before):
    """Shorten the step from the anchor to LAM, V until the sum of squares drops enough below `before`. v is linear in
    it, so a trial costs m.

    LAM, V move to the best point seen, the anchor if nothing is better. Returns its sum of squares."""
    least = before
    best = 0.0
    t = 1.0
    for _ in range(HALVINGS):
        t *= 0.5
        blend(work, n, t, TRIAL, TRIAL_V)
        _, _, square, _ = errors(ints, reals, nblocks, work, ROOT * n, TRIAL_V * n, TRIAL * n)
        if square < least:
            least = square
            best = t
        if square <= DROP * before:
            break
    blend(work, n, best, LAM, V)
    return least


@inline
def solve(K, b, ints, reals, nblocks, m, lam, work, tolerance, max_sweeps):
    """Solve the leading m rows of K (at least m, m) and b; lam (m) in and out. Returns (status, sweeps, residual).

    ints (nblocks, 2): kind, first row; reals (nblocks, 3): see bunraku.contact.blocks; work: scratch of work_size(m,
    nblocks). sweeps counts Newton steps too. As a building block for kernels: hand it borrowed arrays."""
    n = padded(m)
    k = matrix_at(n, nblocks)
    fill_scales(K, ints, reals, nblocks, work, ROOT * n)
    load(K, b, lam, m, n, work, k)
    settle_immovable(ints, reals, nblocks, work, ROOT * n, B * n, LAM * n)
    free = free_scale(ints, reals, nblocks, work, ROOT * n, B * n)
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
    stepped = False  # a Newton step from the anchor awaits its judgement
    projected = False  # lam has just been put onto the cones
    ending = False  # lam is the last answer
    restarted = False
    unmet = 0.0
    residual = math.inf
    status = LIMIT
    while True:
        multiply(work, k, n, m, LAM * n, B * n, V * n)
        error, stuck, square, impulse = errors(ints, reals, nblocks, work, ROOT * n, V * n, LAM * n)
        if stepped and not square <= DROP * before:
            square = search(ints, reals, nblocks, work, n, before)
            error, stuck, _, impulse = errors(ints, reals, nblocks, work, ROOT * n, V * n, LAM * n)
            if square > DROP * before:
                failures += 1
                left = burst
                burst = min(2 * burst, 64)
        inner = error
        if h > 0.0:
            true_velocity(m, n, work, h)
            error, stuck, _, impulse = errors(ints, reals, nblocks, work, ROOT * n, TRIAL_V * n, LAM * n)
        stepped = False
        scale = max(free, FLOOR * impulse)
        residual = max(error, stuck) / scale if error < math.inf else math.inf
        met = error < math.inf and error <= tolerance * scale
        if ending or (met and (sweeps > 0 or error <= UNTOUCHED * tolerance * scale)):
            if not (ending or projected) and project(ints, reals, nblocks, work, n):
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
            project(ints, reals, nblocks, work, n)
            ending = True
            continue
        if sweeps >= RESTART and not restarted:  # a start that leads nowhere
            restarted = True
            soften(K, b, m, n, work, k, 0.0)
            for i in range(n):
                st(work, LAM * n + i, 0.0)
            left = 0
            burst = 1
            failures = 0
            allowed = FAILURES
            softenings = 0
            long = LONG
            h = 0.0
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
            soften(K, b, m, n, work, k, h)
            multiply(work, k, n, m, LAM * n, B * n, V * n)
            _, _, square, _ = errors(ints, reals, nblocks, work, ROOT * n, V * n, LAM * n)
        if left > 0:
            most = max_sweeps if restarted else min(RESTART, max_sweeps)
            for _ in range(min(left, most - sweeps)):
                sweep(ints, reals, nblocks, work, k, n, ROOT * n, V * n, LAM * n)
                sweeps += 1
            left = 0
            continue
        before = square
        copy_row(work, ANCHOR * n, LAM * n, n)
        copy_row(work, ANCHOR_V * n, V * n, n)
        unmet = newton(ints, reals, nblocks, work, k, k + n * n, n, m, 0.1 * tolerance * scale)
        sweeps += 1
        stepped = True
    for i in range(m):
        lam[i] = ld(work, LAM * n + i)
    return status, sweeps, residual


@entry("DD D II DD i i D D d i")
def solve_one(K, b, ints, reals, nblocks, m, lam, work, tolerance, max_sweeps):
    """`solve` for Python: solve_one.call(K, b, ints, reals, nblocks, m, lam, work, TOLERANCE, MAX_SWEEPS)."""
    return solve(
        borrow(K), borrow(b), borrow(ints), borrow(reals), nblocks, m, borrow(lam), borrow(work), tolerance, max_sweeps
    )


@entry("DD D II DD i i D D d i DD i")
def solve_repeated(K, b, ints, reals, nblocks, m, lam, work, tolerance, max_sweeps, starts, repeats):
    """`solve` from the rows of starts in turn, `repeats` times inside the kernel, for timing.

    Returns the mean number of sweeps.
    """
    total = 0
    for r in range(repeats):
        for i in range(m):
            lam[i] = starts[r % starts.shape[0], i]
        _, sweeps, _ = solve(
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
        total += sweeps
    return total / repeats
