"""Rigid contact by hypothesis and check (Nakamura & Yamane 2000, sections 2.4 and 4).

    forces:  a  = K f + a0, constrained rows a = c         (20a), (20b): c is the corrective acceleration
    impact:  v+ = K f + v,  constrained rows v+ = -e v     (13)-(19); f is the impulse on the real link, -F of the document

for p patches of six rows and r single rows, equalities or bounded (frames and records: link_layout.py). K = H A^-1 H'
(m x m), symmetric positive semi-definite. The first hypothesis is the last step's, as
far as its forces and the motion they would lead to allow. Each round solves the linear system of the present hypothesis
(link_rows.py, bunraku.linalg), from the forces at hand to the nearest that answer it, then revises every patch by its
first failing check (link_checks.py, link_friction.py) and every bounded row:
    held: low <= f <= high, else at the bound it passed      low: a >= c, else held      high: a <= c, else held
SOLVES = 3 is the document's number of rounds; `cap` bounds them (CAP suits). OK means that every law holds to
`tolerance`, measured as bunraku.contact.residual does: errors of force times sqrt(K), of motion over sqrt(K), relative
to the largest motion that breaks a law without forces. A call that has not come to that by `cap` returns FALLBACK with
its last forces, for an iterative solver to start from; FALLBACK too where sliding friction makes the matrix singular or
its determinant negative (Painleve), or an impact would gain energy. `numbers.reason` says which.

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
from collections.abc import Sequence

import numpy as np

from bunraku.contact.residual import FLOOR
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.record import handle
from bunraku.linalg.dense import approach, factor_regular, padded, regularise, substitute
from bunraku.linalg.pivoted import lu_factor, lu_solve
from bunraku.step.virtual_link import link_layout as at
from bunraku.step.virtual_link.link_begin import hypothesise, law_scale
from bunraku.step.virtual_link.link_checks import bit, put_on_limit, revise, write_margins
from bunraku.step.virtual_link.link_layout import Buffers, Links, Region, patch_of, response_at
from bunraku.step.virtual_link.link_rows import (
    add_own,
    add_response,
    fill_matrix,
    fill_rebound,
    fill_rest,
    motion_of,
    patch_rows,
    present,
    spread,
)

SOLVES = 3  # the document's number of hypothesis solves
CAP = 12
TOLERANCE = 1e-10  # of `forces` and `impact`
EXACT = 1e-10  # relative size of an energy that is rounding
FINER = 1e-2  # of what is allowed: how well a linear system is solved
REPEATS = 12  # of an approach to a linear system's answer
# eps of bunraku.linalg.dense: up to FEW patches, and for more, which are usually redundant (a figure that lies)
FEW, EPS, EPS_MANY = 2, 1e-5, 1e-3


@inline
def eps_of(links: Links):
    """How near to the forces at hand the answer stays."""
    return EPS if links.numbers.p <= FEW else EPS_MANY


@inline
def all_held(links: Links):
    """Every patch is a surface that sticks and every single row is held: the unknowns are the forces, the matrix is K."""
    for i in range(links.numbers.p):
        patch = patch_of(links, i)
        if patch.state != at.SURFACE or patch.mode != at.STICK:
            return False
    held = True
    for q in range(links.numbers.r):
        held = held and links.singles[q].bound == at.HELD
    return held


@part
def factor_symmetric(links: Links):
    """Factors of the matrix of the present hypothesis from its upper triangle; returns 1."""
    A, m = links.A, links.numbers.unknowns
    regularise(A, m, eps_of(links), 0.0, links.added)
    factor_regular(A, m, links.added, links.tiny, links.inverse)
    return 1


@inline
def factorise(links: Links):
    """Rows, columns and factors of the present hypothesis.

    Returns 1 unless the matrix is singular or has a negative determinant.
    """
    numbers, A = links.numbers, links.A
    if numbers.impact == 0 and all_held(links):
        m, n, K, stride = numbers.m, padded(numbers.m), links.K, numbers.stride
        numbers.unknowns = m
        numbers.matrix = at.WHOLE
        for k in range(m):
            for j in range(k, m):
                st(A, k * n + j, ld(K, k * stride + j))
        return factor_symmetric(links)
    n = 0
    symmetric = True
    for i in range(numbers.p):
        patch = patch_of(links, i)
        patch.first = n
        n = patch_rows(links, patch, n)
        patch.last = n
        if patch.state != at.NONE and patch.mode != at.STICK:
            symmetric = False
    numbers.of_patches = n
    for q in range(numbers.r):
        if links.singles[q].bound == at.HELD:
            links.rows[n].axis = q
            n += 1
    numbers.unknowns = n
    numbers.matrix = at.SYMMETRIC if symmetric else at.UNSYMMETRIC
    fill_matrix(links, symmetric)
    if symmetric:
        return factor_symmetric(links)
    regularise(A, n, eps_of(links), 0.0, links.added)
    add_own(links)
    return 1 if lu_factor(A, n, links.pivots) > 0 else 0


@part
def solve_rest(links: Links, enough):
    """x moves towards what the right-hand side `rest` asks for; returns the largest error of a row."""
    A, rest, m = links.A, links.rest, links.numbers.unknowns
    n = padded(m)
    for k in range(m, n):
        st(rest, k, 0.0)
    error = 0.0
    for _ in range(REPEATS):
        if links.numbers.matrix == at.UNSYMMETRIC:
            lu_solve(A, m, links.pivots, rest)
        else:
            substitute(A, n, n, links.inverse, rest)
        error = approach(m, eps_of(links), links.added, links.x, rest)
        if error <= enough:
            break
    return error


@inline
def answer(links: Links, enough):
    """f and a = K f + a0 of the present hypothesis, from an f and its a; for an impact with the energy's limit on
    restitution. Returns (0 where energy is gained else 1, the largest error of a row)."""
    numbers, f, a, x = links.numbers, links.f, links.a, links.x
    if numbers.matrix == at.WHOLE:
        for k in range(numbers.m):
            st(x, k, ld(f, k))
            st(links.rest, k, ld(links.goal, k) - ld(a, k))
        error = solve_rest(links, enough)
        for k in range(numbers.m):
            st(f, k, ld(x, k))
        motion_of(links)
        return 1, error
    for q in range(numbers.r):
        single = links.singles[q]
        if single.bound != at.HELD:
            st(f, 6 * numbers.p + q, single.low if single.bound == at.LOW else single.high)
    present(links)
    spread(links, f)
    motion_of(links)
    fill_rest(links)
    error = solve_rest(links, enough)
    spread(links, f)
    motion_of(links)
    if numbers.impact == 0:
        return 1, error
    return rebound(links, error, enough)


@inline
def rebound(links: Links, error, enough):
    """Add what rebounds to an impact without restitution; returns as `answer`."""
    numbers, f, a, free = links.numbers, links.f, links.a, links.free
    bounce, bounced = links.bounce, links.bounced
    constant = 0.0  # kinetic energy gained: constant + linear gamma + square gamma^2
    linear = 0.0
    square = 0.0
    size = 0.0
    for k in range(numbers.m):
        y = ld(f, k)
        constant += 0.5 * y * (ld(free, k) + ld(a, k))
        size += abs(y) * (abs(ld(free, k)) + abs(ld(a, k)))
    if constant > EXACT * size:
        return 0, error
    if not fill_rebound(links):
        return 1, error
    for k in range(numbers.unknowns):
        st(links.x, k, 0.0)
    for k in range(numbers.m):
        st(bounce, k, 0.0)
        st(bounced, k, 0.0)
    error = max(error, solve_rest(links, enough))
    spread(links, bounce)
    add_response(links, bounce, bounced)
    for k in range(numbers.m):
        linear += ld(bounce, k) * ld(a, k)
        square += 0.5 * ld(bounce, k) * ld(bounced, k)
    constant = min(constant, 0.0)
    gamma = 1.0
    if constant + linear + square > 0.0:
        root = math.sqrt(max(linear * linear - 4.0 * constant * square, 0.0))
        both = linear + root  # the positive root, without cancellation where linear > 0
        gamma = min(-2.0 * constant / both if both > 0.0 else 0.0, 1.0)
    for k in range(numbers.m):
        st(f, k, ld(f, k) + gamma * ld(bounce, k))
        st(a, k, ld(a, k) + gamma * ld(bounced, k))
    return 1, error


@inline
def revise_bounds(links: Links, allowed):
    """Check the single rows; returns (how many are now thought of differently, the largest error)."""
    changed = 0
    worst = 0.0
    for q in range(links.numbers.r):
        k = 6 * links.numbers.p + q
        single = links.singles[q]
        root = math.sqrt(max(response_at(links, k, k), 1e-300))
        x = ld(links.f, k)
        rate = ld(links.a, k) - ld(links.goal, k)
        error = 0.0
        now = single.bound
        if now == at.HELD:
            error = max(single.low - x, x - single.high) * root
            now = at.LOW if x < single.low else at.HIGH
        else:
            error = (-rate if now == at.LOW else rate) / root
            now = at.HELD
        worst = max(worst, error)
        if error > allowed:
            single.bound = now
            changed += 1
    return changed, worst


@inline
def accept(links: Links):
    """What the tolerance let pass is put on its limit, and the motion with it."""
    changed = 0
    for i in range(links.numbers.p):
        patch = patch_of(links, i)
        changed |= put_on_limit(links, patch)
        if patch.state == at.NONE:
            patch.mode = 0
    for q in range(links.numbers.r):
        single = links.singles[q]
        x = ld(links.f, 6 * links.numbers.p + q)
        if not single.low <= x <= single.high:
            st(links.f, 6 * links.numbers.p + q, single.low if x < single.low else single.high)
            changed = 1
    if changed:
        motion_of(links)


@inline
def solve_patches(links: Links):
    """The loop. Returns (OK or FALLBACK, the largest error of a law relative to its scale)."""
    numbers, f, a, free = links.numbers, links.f, links.a, links.free
    numbers.solves = 0
    for k in range(numbers.m):
        if not abs(ld(free, k)) < at.FAR:
            return refuse(links, at.NOT_FINITE)
        if numbers.impact != 0:
            st(f, k, 0.0)
    motion_of(links)
    hypothesise(links)
    least = law_scale(links)
    for count in range(1, numbers.cap + 1):
        numbers.solves = count
        for i in range(numbers.p):
            patch = patch_of(links, i)
            patch.tried |= bit(patch.state, patch.low, patch.mode)
        if not factorise(links):
            return refuse(links, at.SINGULAR)
        gained, worst = answer(links, FINER * numbers.tolerance * least)
        square = 0.0
        for k in range(numbers.m):
            square = max(square, ld(f, k) * ld(f, k) * response_at(links, k, k))
            if not (abs(ld(f, k)) < at.FAR and abs(ld(a, k)) < at.FAR):
                return refuse(links, at.NOT_FINITE)
        scale = max(least, FLOOR * math.sqrt(square))
        allowed = numbers.tolerance * scale
        changed = 1 if worst > allowed else 0
        for i in range(numbers.p):
            different, error = revise(links, patch_of(links, i), allowed)
            changed |= different
            worst = max(worst, error)
        different, error = revise_bounds(links, allowed)
        worst = max(worst, error)
        if changed == 0 and different == 0:
            accept(links)
            numbers.reason = 0 if gained else at.ENERGY
            return (at.OK if gained else at.FALLBACK), worst / scale
    numbers.reason = at.CAPPED
    return at.FALLBACK, math.inf


@inline
def refuse(links: Links, reason):
    """No answer: no forces, FALLBACK."""
    for k in range(links.numbers.m):
        st(links.f, k, 0.0)
        st(links.a, k, ld(links.free, k))
    links.numbers.reason = reason
    return at.FALLBACK, math.inf


@entry("h")
def solve_one(h):
    """`solve_patches` from Python, and the margins of its answer."""
    links = Links(h)
    status, _ = solve_patches(links)
    if links.numbers.reason == 0 or links.numbers.reason == at.ENERGY:
        for i in range(links.numbers.p):
            write_margins(links, patch_of(links, i))
    return status


def forces(
    K: np.ndarray, a0: np.ndarray, c: np.ndarray, v0: np.ndarray, regions: Sequence[Region], dt: float,
    buffers: Buffers, *, cap: int = CAP, tolerance: float = TOLERANCE,
) -> int:  # fmt: skip
    """Contact forces and accelerations of the patches and single rows, into `buffers`. Returns OK or FALLBACK.

    K (m, m); a0, c, v0 (m); regions of the p patches; dt [s].
    """
    numbers = buffers.numbers
    buffers.state(K, a0, c, v0, regions)
    numbers.h, numbers.cap, numbers.tolerance, numbers.impact = dt, cap, tolerance, 0
    return solve_one.call(handle(buffers.links))


def impact(
    K: np.ndarray, v0: np.ndarray, regions: Sequence[Region], buffers: Buffers,
    *, cap: int = CAP, tolerance: float = TOLERANCE,
) -> int:  # fmt: skip
    """Impulses (buffers.f) and velocities after the impact (buffers.a). Returns OK or FALLBACK."""
    numbers = buffers.numbers
    buffers.state(K, v0, 0.0, 0.0, regions)
    numbers.h, numbers.cap, numbers.tolerance, numbers.impact = 1.0, cap, tolerance, 1
    return solve_one.call(handle(buffers.links))
