"""Rigid contact by hypothesis and check (Nakamura & Yamane 2000, sections 2.4 and 4).

    forces:  a  = K f + a0, constrained rows a = c         (20a), (20b): c is the corrective acceleration
    impact:  v+ = K f + v,  constrained rows v+ = -e v     (13)-(19); f is the impulse on the real link, -F of the document

for p patches of six rows and r single rows, equalities or bounded (frames and arrays: link_layout.py). K = H A^-1 H' (m
x m), symmetric positive semi-definite, flat with rows of `stride` numbers. The first hypothesis is the last step's, as
far as its forces and the motion they would lead to allow. Each round solves the linear system of the present hypothesis
(link_rows.py, link_solve.py), from the forces at hand to the nearest that answer it, then revises every patch by its
first failing check (link_checks.py, link_friction.py, link_slip.py) and every bounded row:
    held: low <= f <= high, else at the bound it passed      low: a >= c, else held      high: a <= c, else held
SOLVES = 3 is the document's number of rounds; `cap` bounds them (CAP suits). OK means that every law holds to
`tolerance`, measured as bunraku.contact.residual does: errors of force times sqrt(K), of motion over sqrt(K), relative
to the largest motion that breaks a law without forces. A call that has not come to that by `cap` returns FALLBACK with
its last forces, for an iterative solver to start from; FALLBACK too where sliding friction makes the matrix singular or
its determinant negative (Painleve), or an impact would gain energy. iwork[REASON] says which.

What the caller gives. a0: relative accelerations without contact forces. A change of frame maps the six rows linearly,
so a0 is the derivative of components in axes fixed to the link, or, in a velocity-stepping scheme, (v_free - v) / dt.
c: for vx, vy, wz it is -v / dt (a slip that friction can stop within the step stops); for vz, wx, wy the correction of
penetration; equality rows have their own. v: present relative velocity. An impact takes v alone; its equality rows end
at rest. f: the last step's forces, or zero.

Restitution: f = f0 + gamma f1, f1 the answer to -E vc; gamma = 1, or where (e_n != e_t, friction) that would raise
the kinetic energy f'(v + K f / 2), the largest gamma that does not. e_n acts on a patch only where no vertex in contact
is parting. Checked in tests/step/virtual_link; figures in docs/virtual-link.md.
"""

from __future__ import annotations

import math

import numpy as np

from bunraku.contact.residual import FLOOR
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow, ld, st
from bunraku.linalg.link_solve import ldl_factor, lu_factor, regularise, solve
from bunraku.step.virtual_link.link_begin import hypothesise, law_scale
from bunraku.step.virtual_link.link_checks import (
    mark,
    put_on_limit,
    revise,
    write_margins,
)
from bunraku.step.virtual_link.link_layout import (
    CAPPED,
    ENERGY,
    FALLBACK,
    HAT,
    HELD,
    HIGH,
    LOW,
    MODE,
    NF,
    NONE,
    NOT_FINITE,
    OK,
    REASON,
    SINGULAR,
    SIZE,
    STATE,
    STICK,
    SURFACE,
    SYMMETRIC,
    UNSYMMETRIC,
    WHOLE,
    Buffers,
    int_offsets,
    offsets,
)
from bunraku.step.virtual_link.link_layout import SOLVES as COUNTED
from bunraku.step.virtual_link.link_rows import (
    add_own,
    fill_matrix,
    fill_rebound,
    fill_rest,
    held_rows,
    motion_of,
    patch_rows,
    present,
    response,
    spread,
)

SOLVES = 3  # the document's number of hypothesis solves
CAP = 12
TOLERANCE = 1e-10  # of `forces` and `impact`
EXACT = 1e-10  # relative size of an energy that is rounding
FINER = 1e-2  # of what is allowed: how well a linear system is solved
# eps of link_solve.py: up to FEW patches, and for more, which are usually redundant (a figure that lies)
FEW, EPS, EPS_MANY = 2, 1e-5, 1e-3


@inline
def eps_of(p):
    """How near to the forces at hand the answer stays."""
    return EPS if p <= FEW else EPS_MANY


@inline
def all_held(flags, p, bound, r):
    """Every patch is a surface that sticks and every single row is held: the unknowns are the forces, the matrix is K."""
    for i in range(p):
        if flags[i * NF + STATE] != SURFACE or flags[i * NF + MODE] != STICK:
            return False
    held = True
    for q in range(r):
        held = held and bound[q] == HELD
    return held


@inline
def factorise(K, stride, patch, flags, record, v, p, r, bound, h, impact, work, iwork):
    """Rows, columns and factors of the present hypothesis.

    Returns 1 unless the matrix is singular or has a negative determinant.
    """
    rows, columns, extra, A, vectors = offsets(p, r)
    pivots, units, starts, _ = int_offsets(p, r)
    m = 6 * p + r
    if not impact and all_held(flags, p, bound, r):
        iwork[SIZE] = m
        iwork[HAT] = WHOLE
        for k in range(m):
            for j in range(k, m):
                st(work, A + k * m + j, ld(K, k * stride + j))
        regularise(work, A, m, vectors + m, eps_of(p))
        ldl_factor(work, A, m)
        return 1
    n = 0
    symmetric = True
    for i in range(p):
        iwork[starts + i] = n
        n = patch_rows(patch, flags, record, v, i, h, impact, work, iwork, rows, columns, extra, units, n)
        if flags[i * NF + STATE] != NONE and flags[i * NF + MODE] != STICK:
            symmetric = False
    iwork[starts + p] = n
    n = held_rows(bound, r, iwork, units, n)
    iwork[SIZE] = n
    iwork[HAT] = SYMMETRIC if symmetric else UNSYMMETRIC
    fill_matrix(K, stride, p, r, work, iwork, rows, columns, A, vectors, units, starts, n, symmetric)
    regularise(work, A, n, vectors + m, eps_of(p))
    if symmetric:
        ldl_factor(work, A, n)
        return 1
    add_own(p, work, iwork, columns, extra, A, starts, n)
    return 1 if lu_factor(work, A, n, iwork, pivots) > 0 else 0


@inline
def answer(K, stride, patch, flags, p, r, free, goal, low, high, bound, impact, enough, work, iwork, f, a):
    """f and a = K f + a0 of the present hypothesis, from an f and its a; for an impact with the energy's limit on
    restitution. Returns (0 where energy is gained else 1, the largest error of a row)."""
    rows, columns, extra, A, vectors = offsets(p, r)
    pivots, units, starts, _ = int_offsets(p, r)
    m = 6 * p + r
    n = iwork[SIZE]
    symmetric = iwork[HAT] != UNSYMMETRIC
    diagonal = vectors + m
    x = vectors + 2 * m
    rest = vectors + 3 * m
    if iwork[HAT] == WHOLE:
        for k in range(m):
            st(work, x + k, ld(f, k))
            st(work, rest + k, ld(goal, k) - ld(a, k))
        error = solve(work, A, n, iwork, pivots, True, diagonal, eps_of(p), x, rest, enough)
        for k in range(m):
            st(f, k, ld(work, x + k))
        motion_of(K, stride, m, f, free, a)
        return 1, error
    for q in range(r):
        if bound[q] != HELD:
            st(f, 6 * p + q, low[q] if bound[q] == LOW else high[q])
    present(f, patch, flags, p, iwork, starts, units, n, work, x)
    spread(p, work, iwork, columns, starts, units, n, x, f, 0)
    motion_of(K, stride, m, f, free, a)
    fill_rest(goal, f, a, p, work, iwork, rows, extra, units, starts, n, x, rest)
    error = solve(work, A, n, iwork, pivots, symmetric, diagonal, eps_of(p), x, rest, enough)
    spread(p, work, iwork, columns, starts, units, n, x, f, 0)
    motion_of(K, stride, m, f, free, a)
    if not impact:
        return 1, error
    rebound = fill_rebound(patch, flags, free, p, work, iwork, rows, extra, units, starts, n, rest)
    constant = 0.0  # kinetic energy gained: constant + linear gamma + square gamma^2
    linear = 0.0
    square = 0.0
    size = 0.0
    for k in range(m):
        y = ld(f, k)
        constant += 0.5 * y * (ld(free, k) + ld(a, k))
        size += abs(y) * (abs(ld(free, k)) + abs(ld(a, k)))
    if constant > EXACT * size:
        return 0, error
    if not rebound:
        return 1, error
    w1 = vectors + 4 * m
    k_w1 = vectors + 5 * m
    for k in range(n):
        st(work, x + k, 0.0)
    for k in range(m):
        st(work, w1 + k, 0.0)
    error = max(error, solve(work, A, n, iwork, pivots, symmetric, diagonal, eps_of(p), x, rest, enough))
    spread(p, work, iwork, columns, starts, units, n, x, work, w1)
    response(K, stride, m, work, w1, work, k_w1)
    for k in range(m):
        linear += ld(work, w1 + k) * ld(a, k)
        square += 0.5 * ld(work, w1 + k) * ld(work, k_w1 + k)
    constant = min(constant, 0.0)
    gamma = 1.0
    if constant + linear + square > 0.0:
        root = math.sqrt(max(linear * linear - 4.0 * constant * square, 0.0))
        both = linear + root  # the positive root, without cancellation where linear > 0
        gamma = min(-2.0 * constant / both if both > 0.0 else 0.0, 1.0)
    for k in range(m):
        st(f, k, ld(f, k) + gamma * ld(work, w1 + k))
        st(a, k, ld(a, k) + gamma * ld(work, k_w1 + k))
    return 1, error


@inline
def revise_bounds(K, stride, goal, p, r, low, high, bound, f, a, impact, allowed):
    """Check the single rows; returns (how many are now thought of differently, the largest error)."""
    changed = 0
    worst = 0.0
    for q in range(r):
        k = 6 * p + q
        root = math.sqrt(max(ld(K, k * stride + k), 1e-300))
        x = ld(f, k)
        rate = ld(a, k) - (0.0 if impact else ld(goal, k))
        error = 0.0
        now = bound[q]
        if now == HELD:
            error = max(low[q] - x, x - high[q]) * root
            now = LOW if x < low[q] else HIGH
        else:
            error = (-rate if now == LOW else rate) / root
            now = HELD
        worst = max(worst, error)
        if error > allowed:
            bound[q] = now
            changed += 1
    return changed, worst


@inline
def solve_patches(
    K,
    stride,
    free,
    goal,
    v,
    patch,
    p,
    r,
    dt,
    cap,
    tolerance,
    impact,
    flags,
    record,
    low,
    high,
    bound,
    work,
    iwork,
    f,
    a,
):
    """The loop. Returns (OK or FALLBACK, the largest error of a law relative to its scale)."""
    _, _, _, tried = int_offsets(p, r)
    _, _, _, _, vectors = offsets(p, r)
    m = 6 * p + r
    spare = vectors + 6 * m
    h = 1.0 if impact else dt
    iwork[COUNTED] = 0
    for k in range(m):
        if not abs(ld(free, k)) < 1e300:
            return refuse(m, iwork, f, a, free, 0, NOT_FINITE)
        if impact:
            st(f, k, 0.0)
    motion_of(K, stride, m, f, free, a)
    hypothesise(
        K,
        stride,
        free,
        goal,
        v,
        patch,
        p,
        r,
        flags,
        record,
        low,
        high,
        bound,
        iwork,
        tried,
        f,
        a,
        h,
        impact,
        work,
        spare,
    )
    least = law_scale(K, stride, free, goal, v, patch, p, r, low, high, h, impact)
    for count in range(1, cap + 1):
        for i in range(p):
            mark(flags, iwork, tried, i)
        if not factorise(K, stride, patch, flags, record, v, p, r, bound, h, impact, work, iwork):
            return refuse(m, iwork, f, a, free, count, SINGULAR)
        gained, worst = answer(
            K,
            stride,
            patch,
            flags,
            p,
            r,
            free,
            goal,
            low,
            high,
            bound,
            impact,
            FINER * tolerance * least,
            work,
            iwork,
            f,
            a,
        )
        iwork[COUNTED] = count
        square = 0.0
        for k in range(m):
            square = max(square, ld(f, k) * ld(f, k) * ld(K, k * stride + k))
            if not (abs(ld(f, k)) < 1e300 and abs(ld(a, k)) < 1e300):
                return refuse(m, iwork, f, a, free, count, NOT_FINITE)
        scale = max(least, FLOOR * math.sqrt(square))
        allowed = tolerance * scale
        changed = 1 if worst > allowed else 0
        for i in range(p):
            different, error = revise(
                K, stride, patch, flags, record, iwork, tried, f, a, v, goal, i, h, impact, allowed, work, spare
            )
            changed |= different
            worst = max(worst, error)
        different, error = revise_bounds(K, stride, goal, p, r, low, high, bound, f, a, impact, allowed)
        worst = max(worst, error)
        if changed == 0 and different == 0:
            for i in range(p):
                changed |= put_on_limit(patch, flags, record, f, i)
            for q in range(r):
                x = ld(f, 6 * p + q)
                if not low[q] <= x <= high[q]:
                    st(f, 6 * p + q, low[q] if x < low[q] else high[q])
                    changed = 1
            if changed:
                motion_of(K, stride, m, f, free, a)
            for i in range(p):
                if flags[i * NF + STATE] == NONE:
                    flags[i * NF + MODE] = 0
            iwork[REASON] = 0 if gained else ENERGY
            return (OK if gained else FALLBACK), worst / scale
    iwork[REASON] = CAPPED
    return FALLBACK, math.inf


@inline
def refuse(m, iwork, f, a, free, count, reason):
    """No answer: no forces, FALLBACK."""
    for k in range(m):
        st(f, k, 0.0)
        st(a, k, ld(free, k))
    iwork[COUNTED] = count
    iwork[REASON] = reason
    return FALLBACK, math.inf


@entry("D i D D D D i i d i d i I D D D I D I D D")
def solve_one(
    K,
    stride,
    free,
    goal,
    v,
    patch,
    p,
    r,
    dt,
    cap,
    tolerance,
    impact,
    flags,
    record,
    low,
    high,
    bound,
    work,
    iwork,
    f,
    a,
):
    """`solve_patches` from Python, and the margins of its answer."""
    status, _ = solve_patches(
        borrow(K), stride, borrow(free), borrow(goal), borrow(v), borrow(patch), p, r, dt, cap, tolerance, impact != 0,
        borrow(flags), borrow(record), borrow(low), borrow(high), borrow(bound), borrow(work), borrow(iwork), borrow(f), borrow(a),
    )  # fmt: skip
    if iwork[REASON] == 0 or iwork[REASON] == ENERGY:
        for i in range(p):
            write_margins(
                borrow(patch), borrow(flags), borrow(record), borrow(f), borrow(a), borrow(goal), borrow(v), i,
                1.0 if impact != 0 else dt, impact != 0,
            )  # fmt: skip
    return status


def forces(
    K: np.ndarray, a0: np.ndarray, c: np.ndarray, v0: np.ndarray, patch: np.ndarray, dt: float, buffers: Buffers,
    *, cap: int = CAP, tolerance: float = TOLERANCE,
) -> int:  # fmt: skip
    """Contact forces and accelerations of the patches and single rows, into `buffers`. Returns OK or FALLBACK.

    K (m, m); a0, c, v0 (m); patch (p, NP) or flat; dt [s].
    """
    b = buffers
    return solve_one.call(
        K.reshape(-1), K.shape[1], a0, c, v0, patch.reshape(-1), b.p, b.r, dt, cap, tolerance, 0,
        b.flags, b.record, b.low, b.high, b.bound, b.work, b.iwork, b.f, b.a,
    )  # fmt: skip


def impact(
    K: np.ndarray, v0: np.ndarray, patch: np.ndarray, buffers: Buffers, *, cap: int = CAP, tolerance: float = TOLERANCE
) -> int:
    """Impulses (buffers.f) and velocities after the impact (buffers.a). Returns OK or FALLBACK."""
    b = buffers
    return solve_one.call(
        K.reshape(-1), K.shape[1], v0, np.zeros_like(v0), v0, patch.reshape(-1), b.p, b.r, 1.0, cap, tolerance, 1,
        b.flags, b.record, b.low, b.high, b.bound, b.work, b.iwork, b.f, b.a,
    )  # fmt: skip
