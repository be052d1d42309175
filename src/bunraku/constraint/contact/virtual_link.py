"""Rigid contact by hypothesis and check (Nakamura and Yamane, document 000, sections 2.4 and 4; N3, N7-N11).

    forces:  a  = K f + a0, constrained rows a = c         (20a), (20b): c is the corrective acceleration of N11
    impact:  v+ = K f + v,  constrained rows v+ = -e v     (13)-(19); f is the impulse on the real link, -F of the document

for p patches of six rows and r equality rows (frames and arrays: link_layout.py). K = H A^-1 H' (m x m), symmetric positive semi-definite, flat
with rows of `stride` numbers. Each round solves the linear system of the present hypothesis (link_rows.py, link_solve.py), then revises every
patch by its first failing check; when none fails it verifies (25b) and (24b) (link_checks.py, link_friction.py, link_slip.py). SOLVES = 3 is the
document's number of rounds; `cap` bounds them (CAP suits). OK means that every law holds: normal ones to 1e-10 of the largest acceleration,
friction's law of motion to `align`. A call that has not come to that by `cap` returns FALLBACK with its last forces, for an iterative solver to
start from; FALLBACK too where sliding friction makes the matrix singular or its determinant negative (Painleve), or an impact would gain
energy. iwork[REASON] says which.

What the caller gives. a0: relative accelerations without contact forces. A change of frame maps the six rows linearly, so a0 is the derivative
of components in axes fixed to the link, or, in a velocity-stepping scheme, (v_free - v) / dt. c: for vx, vy, wz it is -v / dt (a slip that
friction can stop within the step stops); for vz, wx, wy the correction of penetration; equality rows have their own. v: present relative
velocity. An impact takes v alone; its equality rows end at rest. align: error of friction against its law, relative to muD fz; a large one
(10) leaves the document's explicit guess, s and l of the motion before, and asks only that friction does not drive.

Restitution (N3): f = f0 + gamma f1, f1 the answer to -E vc; gamma = 1, or where (e_n != e_t, friction) that would raise the kinetic energy
f'(v + K f / 2), the largest gamma that does not. e_n acts on a patch only where no vertex in contact is parting.
Checked in tests/constraint/contact/test_virtual_link*.py; figures in docs/virtual-link.md.
"""

from __future__ import annotations

import math

import numpy as np

from bunraku.constraint.contact.link_checks import free_vertex, join, mark, revise, try_state, write_margins
from bunraku.constraint.contact.link_friction import hypothesise_mode, stick
from bunraku.constraint.contact.link_layout import (
    CAPPED,
    ENERGY,
    FALLBACK,
    HAT,
    LINE,
    MODE,
    NF,
    NONE,
    NOT_FINITE,
    NR,
    OK,
    POINT,
    PV,
    REASON,
    SINGULAR,
    SIZE,
    STATE,
    STICK,
    Buffers,
    D,
    I,
    J,
    int_offsets,
    offsets,
)
from bunraku.constraint.contact.link_layout import SOLVES as COUNTED
from bunraku.constraint.contact.link_region import base_state, middle, vertex_count
from bunraku.constraint.contact.link_rows import (
    fill_goal,
    fill_matrix,
    fill_rebound,
    patch_rows,
    response,
    spread,
)
from bunraku.constraint.contact.link_slip import revise_slip
from bunraku.constraint.contact.link_solve import ldl_factor, lu_factor, regularise, solve
from bunraku.spatial.entry import entry
from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import borrow, ld, st

SOLVES = 3  # the document's number of hypothesis solves
CAP = 12
ALIGN = 1e-6
EXACT = 1e-10  # relative size of an acceleration, velocity or force that is rounding


@inline
def hypothesise(patch, flags, record, iwork, tried, p, impact):
    """First state of every patch, the last step's if there is one (MODE is not 0); what stuck is thought to stick, the mode of others follows from
    their motion. For an impact, the whole region sticking (N10)."""
    for i in range(p):
        at = i * NF
        state, first, second = base_state(patch, i)
        old = flags[at + STATE]
        remembered = flags[at + MODE] != 0 and not impact
        if remembered and old < state:
            n = vertex_count(patch, i)
            low = flags[at + I]
            high = flags[at + J]
            if old == NONE:
                state, first, second = NONE, 0, 0
            elif old == POINT and 0 <= low < n:
                state, first, second = POINT, low, low
            elif old == LINE and 0 <= low < n and high == (low + 1 if low + 1 < n else 0):
                state, first, second = LINE, low, high
        iwork[tried + i] = 0
        try_state(flags, i, state, first, second)
        if not remembered:
            x, y = middle(patch, i)
            st(record, i * NR + PV, x)
            st(record, i * NR + PV + 1, y)
        st(record, i * NR + D, -1.0)
        if impact or (remembered and flags[at + MODE] == STICK):
            stick(flags, record, i)
        else:
            flags[at + MODE] = 0


@inline
def factorise(K, stride, patch, flags, record, p, r, work, iwork):
    """Rows, columns and factors of the present hypothesis. Returns 1 unless the matrix is singular or has a negative determinant."""
    rows, columns, A, vectors = offsets(p, r)
    pivots, units, starts, _ = int_offsets(p, r)
    m = 6 * p + r
    n = 0
    symmetric = True
    for i in range(p):
        iwork[starts + i] = n
        n = patch_rows(patch, flags, record, i, work, iwork, rows, columns, units, n)
        if flags[i * NF + STATE] != NONE and flags[i * NF + MODE] != STICK:
            symmetric = False
    iwork[starts + p] = n
    n += r
    iwork[SIZE] = n
    iwork[HAT] = 0 if symmetric else 1
    fill_matrix(K, stride, p, r, work, iwork, rows, columns, A, vectors, units, starts, n, symmetric)
    regularise(work, A, n, vectors + m)
    if symmetric:
        ldl_factor(work, A, n)
        return 1
    return 1 if lu_factor(work, A, n, iwork, pivots) > 0 else 0


@inline
def answer(K, stride, patch, flags, p, r, free, goal, impact, work, iwork, f, a):
    """f and a = K f + a0 of the present hypothesis; for an impact with the energy's limit on restitution. Returns 0 where energy is gained."""
    rows, columns, A, vectors = offsets(p, r)
    pivots, units, starts, _ = int_offsets(p, r)
    m = 6 * p + r
    n = iwork[SIZE]
    diagonal = vectors + m
    x = vectors + 2 * m
    bounce = vectors + 3 * m
    spare = vectors + 4 * m
    rebound = 0
    if impact:
        rebound = fill_rebound(patch, flags, free, p, work, iwork, rows, units, starts, n, x, bounce)
    else:
        fill_goal(free, goal, p, work, iwork, rows, units, starts, n, x)
    solve(work, A, n, iwork, pivots, iwork[HAT] == 0, diagonal, x, 1 + rebound, m, spare)
    spread(p, work, iwork, columns, starts, n, x, f, 0)
    response(K, stride, m, f, 0, a, 0)
    gained = 1
    if impact:
        gamma = 1.0
        w1 = vectors + 5 * m
        k_w1 = vectors + 6 * m
        if rebound:
            spread(p, work, iwork, columns, starts, n, bounce, work, w1)
            response(K, stride, m, work, w1, work, k_w1)
        constant = 0.0  # kinetic energy gained: constant + linear gamma + square gamma^2
        linear = 0.0
        square = 0.0
        size = 0.0
        for k in range(m):
            y = ld(f, k)
            constant += y * (ld(free, k) + 0.5 * ld(a, k))
            size += abs(y) * (abs(ld(free, k)) + abs(ld(a, k)))
            if rebound:
                linear += ld(work, w1 + k) * (ld(free, k) + ld(a, k))
                square += 0.5 * ld(work, w1 + k) * ld(work, k_w1 + k)
        if constant > EXACT * size:
            gained = 0
        elif rebound:
            constant = min(constant, 0.0)
            if constant + linear + square > 0.0:
                root = math.sqrt(max(linear * linear - 4.0 * constant * square, 0.0))
                low = linear + root  # the positive root, without cancellation where linear > 0
                gamma = min(-2.0 * constant / low if low > 0.0 else 0.0, 1.0)
            for k in range(m):
                st(f, k, ld(f, k) + gamma * ld(work, w1 + k))
                st(a, k, ld(a, k) + gamma * ld(work, k_w1 + k))
    for k in range(m):
        st(a, k, ld(a, k) + ld(free, k))
    return gained


@inline
def solve_patches(K, stride, free, goal, v, patch, p, r, dt, cap, align, impact, flags, record, work, iwork, f, a):
    """The loop. Returns OK or FALLBACK."""
    _, _, _, tried = int_offsets(p, r)
    m = 6 * p + r
    scale = 0.0
    for k in range(m):
        scale = max(scale, abs(ld(free, k)), 0.0 if impact else abs(ld(goal, k)))
        if not abs(ld(free, k)) < 1e300:
            return refuse(m, iwork, f, a, free, 0, NOT_FINITE)
    inward = EXACT * scale
    backward = inward if impact else EXACT * scale * dt
    hypothesise(patch, flags, record, iwork, tried, p, impact)
    for count in range(1, cap + 1):
        for i in range(p):
            if flags[i * NF + MODE] != STICK and flags[i * NF + STATE] != NONE:
                hypothesise_mode(patch, flags, record, v, i)
            mark(flags, iwork, tried, i)
        if not factorise(K, stride, patch, flags, record, p, r, work, iwork):
            return refuse(m, iwork, f, a, free, count, SINGULAR)
        gained = answer(K, stride, patch, flags, p, r, free, goal, impact, work, iwork, f, a)
        iwork[COUNTED] = count
        force = 0.0
        for k in range(m):
            force = max(force, abs(ld(f, k)))
            if not (abs(ld(f, k)) < 1e300 and abs(ld(a, k)) < 1e300):
                return refuse(m, iwork, f, a, free, count, NOT_FINITE)
        changed = 0
        for i in range(p):
            changed |= revise(patch, flags, record, iwork, tried, f, i, EXACT * force)
        if changed:
            continue
        for i in range(p):
            if flags[i * NF + STATE] != NONE and revise_slip(
                K, stride, patch, p, r, flags, record, f, a, v, goal, i, dt, impact, backward, align, work, iwork,
            ):  # fmt: skip
                changed = 1
                continue
            least, k = free_vertex(patch, flags, a, goal, i, impact)
            if least < -inward:
                join(patch, flags, iwork, tried, record, i, k)
                changed = 1
        if changed:
            continue
        for i in range(p):
            write_margins(patch, flags, record, f, a, goal, v, i, dt, impact)
        iwork[REASON] = 0 if gained else ENERGY
        return OK if gained else FALLBACK
    iwork[REASON] = CAPPED
    return FALLBACK


@inline
def refuse(m, iwork, f, a, free, count, reason):
    """No answer: no forces, FALLBACK."""
    for k in range(m):
        st(f, k, 0.0)
        st(a, k, ld(free, k))
    iwork[COUNTED] = count
    iwork[REASON] = reason
    return FALLBACK


@entry("D i D D D D i i d i d i I D D I D D")
def solve_one(K, stride, free, goal, v, patch, p, r, dt, cap, align, impact, flags, record, work, iwork, f, a):
    """`solve_patches` from Python."""
    return solve_patches(
        borrow(K), stride, borrow(free), borrow(goal), borrow(v), borrow(patch), p, r, dt, cap, align, impact != 0,
        borrow(flags), borrow(record), borrow(work), borrow(iwork), borrow(f), borrow(a),
    )  # fmt: skip


def forces(
    K: np.ndarray, a0: np.ndarray, c: np.ndarray, v0: np.ndarray, patch: np.ndarray, dt: float, buffers: Buffers,
    *, cap: int = CAP, align: float = ALIGN,
) -> int:  # fmt: skip
    """Contact forces and accelerations of the patches and equality rows, into `buffers`. Returns OK or FALLBACK.

    K (m, m); a0, c, v0 (m); patch (p, NP) or flat; dt [s].
    """
    b = buffers
    return solve_one.call(
        K.reshape(-1), K.shape[1], a0, c, v0, patch.reshape(-1), b.p, b.r, dt, cap, align, 0,
        b.flags, b.record, b.work, b.iwork, b.f, b.a,
    )  # fmt: skip


def impact(
    K: np.ndarray, v0: np.ndarray, patch: np.ndarray, buffers: Buffers, *, cap: int = CAP, align: float = ALIGN
) -> int:
    """Impulses (buffers.f) and velocities after the impact (buffers.a). Returns OK or FALLBACK."""
    b = buffers
    return solve_one.call(
        K.reshape(-1), K.shape[1], v0, v0, v0, patch.reshape(-1), b.p, b.r, 1.0, cap, align, 1,
        b.flags, b.record, b.work, b.iwork, b.f, b.a,
    )  # fmt: skip
