"""pgs."""

from __future__ import annotations

import math

from bunraku.constraint.contact.active import copy_row, newton, project
from bunraku.constraint.contact.blocks import fill_scales
from bunraku.constraint.contact.dense import multiply, padded
from bunraku.constraint.contact.memory import ANCHOR, B, BEST, CENTRE, LAM, LTRY, ROOT, V, VOLD, VTRY, matrix_at, work_size
from bunraku.constraint.contact.residual import scale_of, squared_error, worst_error
from bunraku.constraint.contact.sweep import sweep
from bunraku.spatial.entry import entry
from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import LANES, borrow, ld, st, wide_ld, wide_st

SOLVED, LIMIT, BROKEN = 0, 1, 2
import os
FAILS = int(os.environ.get('FAILS','3'))
HARD = int(os.environ.get('HARD','4'))
SOFT0, SOFT1, SHRINK, INNER = [float(x) for x in os.environ.get('SOFT','1e-2 1e-7 0.1 0.1').split()]
DROP = 0.9
STEPS = 8

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
def blend(work, n, t, lam, v):
    """lam, v: t of the way from the anchor to LAM, V."""
    for i in range(0, n, LANES):
        a = wide_ld(work, ANCHOR * n + i)
        wide_st(work, lam * n + i, a + (wide_ld(work, LAM * n + i) - a) * t)
        a = wide_ld(work, VOLD * n + i)
        wide_st(work, v * n + i, a + (wide_ld(work, V * n + i) - a) * t)


@inline
def search(ints, reals, nblocks, work, n, merit):
    t = 1.0
    after = squared_error(ints, reals, nblocks, work, ROOT * n, V * n, LAM * n)
    best = math.inf
    best_t = 0.0
    for _ in range(STEPS):
        if after < best:
            best = after
            best_t = t
        if after <= DROP * merit:
            break
        t *= 0.5
        blend(work, n, t, LTRY, VTRY)
        after = squared_error(ints, reals, nblocks, work, ROOT * n, VTRY * n, LTRY * n)
    return best_t, best


@inline
def solve(K, b, ints, reals, nblocks, m, lam, work, tolerance, max_sweeps):
    """(status, sweeps, residual)"""
    n = padded(m)
    k = matrix_at(n, nblocks)
    fill_scales(K, ints, reals, nblocks, work, ROOT * n)
    load(K, b, lam, m, n, work, k)
    E = scale_of(work, ROOT * n, B * n, LAM * n, m)
    best = math.inf
    sweeps = 0
    burst = 1
    left = 0  # sweeps before the next Newton step
    fails = 0
    rounds = 0
    harder = 0
    soft = 0.0
    for i in range(m):
        if ld(work, LAM * n + i) != 0.0:
            break
    else:
        left = 2
    fresh = True
    while True:
        if fresh:
            multiply(work, k, n, m, LAM * n, B * n, V * n)
        fresh = True
        error = worst_error(ints, reals, nblocks, work, ROOT * n, V * n, LAM * n)
        inner = error
        if soft > 0.0:
            for i in range(m):
                d = ld(work, ROOT * n + i) * ld(work, ROOT * n + i)
                x = soft * d * (ld(work, LAM * n + i) - ld(work, CENTRE * n + i))
                st(work, VTRY * n + i, ld(work, V * n + i) - x)
            error = worst_error(ints, reals, nblocks, work, ROOT * n, VTRY * n, LAM * n)
        if error <= tolerance * E and project(ints, reals, nblocks, work, n):
            continue
        if error < best:
            best = error
            copy_row(work, BEST * n, LAM * n, n)
        if best <= tolerance * E or sweeps >= max_sweeps:
            break
        change = 0
        if fails >= FAILS:
            fails = 0
            change = 1
            harder += 1
            if soft == 0.0:
                soft = SOFT0
                left = 0
                harder = 0
            elif harder < HARD:
                soft = min(10.0 * soft, 1.0)
            else:
                soft = 0.0
                left = 16 * 2**rounds
                rounds += 1
            burst = 1
        elif soft > 0.0 and inner <= INNER * error:
            change = 1
            soft = max(soft * SHRINK, SOFT1)
            left = 0
        if change == 1:
            for i in range(m):
                d = soft * ld(work, ROOT * n + i) * ld(work, ROOT * n + i)
                st(work, k + i * (n + 1), K[i, i] + d)
                st(work, CENTRE * n + i, ld(work, LAM * n + i))
                st(work, B * n + i, b[i] - d * ld(work, LAM * n + i))
            multiply(work, k, n, m, LAM * n, B * n, V * n)
        if left > 0:
            for _ in range(min(left, max_sweeps - sweeps)):
                sweep(ints, reals, nblocks, work, k, n, ROOT * n, V * n, LAM * n)
                sweeps += 1
            left = 0
            continue
        copy_row(work, ANCHOR * n, LAM * n, n)
        copy_row(work, VOLD * n, V * n, n)
        merit = squared_error(ints, reals, nblocks, work, ROOT * n, V * n, LAM * n)
        newton(ints, reals, nblocks, work, k, k + n * n, n, m, 0.1 * tolerance * E)
        multiply(work, k, n, m, LAM * n, B * n, V * n)
        sweeps += 1
        t, after = search(ints, reals, nblocks, work, n, merit)
        if after >= merit:
            t = 0.0
        blend(work, n, t, LAM, V)
        fresh = False
        if after > DROP * merit:
            left = burst
            burst = min(2 * burst, 64)
            fails += 1
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
            borrow(K), borrow(b), borrow(ints), borrow(reals), nblocks, m, borrow(lam), borrow(work), tolerance, max_sweeps
        )
        total += s
    return total / repeats
