"""The iterative contact solver `pgs`: extended projected Gauss-Seidel with a true cone, finished exactly.

Solves the problem of bunraku.contact.problem, v = K lam + b (Nakaoka et al., eq. 5) with their (6)-(13) and the true
cone (10), for one island. Warm start in, solution out. It differs from their section 3 in five ways, because plain
sweeps need tens to a thousand passes to a residual of 1e-6:

1. a contact's three rows are solved together and exactly (cone.py), instead of (17) row by row and the projection (21),
   whose slip is not opposite to friction
2. at first, from a warm or a cold start, a Newton step on the active set (active.py) solves the whole problem at once;
   it is exact when the set is right, so the usual cost is one factorisation, and redundant points share a load evenly.
   The step is shortened until the sum of squared errors drops; if it does not drop, sweeps look for a better set
3. a problem that resists is softened: K + h D, b - h D lam0 with D the scales and lam0 the present impulses (a proximal
   point step). That is well conditioned and has the same solution once lam stops changing; h shrinks as it succeeds and
   grows as it does not. Impulses go on beyond its answer along the way they move: where redundant contacts barely slip,
   the solution is at the end of a long valley, down which lam would creep by error / h a step
4. a start that has led nowhere in many sweeps is given up for zero and sweeps: they find a jam, impulses that hold one
   another and are hundreds of times what b asks for, while between here and there errors rise. A warm start from which
   the problem looks like a contradiction is given up for zero alone
5. it ends when the true residual (residual.py) is met, not when lam stops changing; the best impulses found are
   returned, inside their cones

The loop stands once, for every kind of matrix: `solver` makes it from a Front, what it needs of the matrix, and
Tactics. `solve` is that of dense matrices (dense_front.py), `bunraku.contact.sparse.solve` that of sparse ones.
Deterministic, no allocation. Checked in tests/contact/test_pgs.py (known solutions, multibody problems),
test_pgs_laws.py (random problems); speed in docs/contact-solver.md.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from bunraku.contact.active import classify, contradiction, project, settle_immovable, take_step
from bunraku.contact.dense_front import (
    Dense,
    dense_begin,
    dense_factor,
    dense_multiply,
    dense_soften,
    dense_substitute,
    dense_sweep,
    make_dense,
)
from bunraku.contact.residual import FLOOR, block_errors, errors, free_scale, true_velocity
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import LANES, ld, st, wide_ld, wide_st
from bunraku.linalg.dense import padded

SOLVED = 0  # the residual is met
LIMIT = 1  # the most sweeps reached; the best impulses found
STUCK = 2  # all is met but a row that nothing can move (an immovable pair), or equalities that contradict one another
BROKEN = 3  # K or b is not finite; lam is zero

TOLERANCE = 1e-6  # default residual
MAX_SWEEPS = 2500  # default; sweeps and Newton steps together

UNTOUCHED = 0.1  # of the tolerance: a start so good is returned as it is (errors of successive steps shall not add up)
BETTER = 0.999  # of the error: worth remembering (impulses that grow without bound gain next to nothing)
DROP = 0.9  # of the sum of squares: a step worth keeping
HALVINGS = 7
SOFTEST, SOFT, HARDEST = 1.0, 1e-2, 1e-7  # h
HARDER = 0.3  # h changes by this where a softened problem is solved
NEAR = 0.3  # of the true error: a softened problem solved well enough
EARLIER, FAR_OFF = 40, 0.2  # sweeps, and the residual from which a search that may end early does so
EARLY = 100  # sweeps after which it does with less
ANEW = 256  # sweeps of a second start: impulses that jam grow by a small part of themselves in each
FAILURES = 2  # of Newton steps before softening
LONG = 16  # sweeps when softening has not helped at first, then twice as many every time
BATCH = 5  # sweeps at a time that must pay
ENDLESS = 64  # sweeps at a time where there is no memory for Newton's matrix
NEVER = 2**62
ALONG, ASIDE = 0.6, 0.2  # cosines of successive moves: go further, go less far
FURTHEST, NEAREST = 10.0, 0.3  # how far beyond a softened problem's answer its impulses go, in moves

__all__ = ["BROKEN", "LIMIT", "MAX_SWEEPS", "SOLVED", "STUCK", "TOLERANCE", "Dense", "make_dense", "solve", "solve_one"]


class Front(NamedTuple):
    """What the loop needs of a matrix: functions of its record (Dense or Sparse)."""

    begin: Any  # scales, and what stays the same
    multiply: Any  # v = (K + h D) lam + b
    soften: Any  # K and b for another h
    sweep: Any  # so many sweeps
    factor: Any  # Newton's matrix, symmetric or not, and right-hand side; whether there was room
    substitute: Any  # the step


class Tactics(NamedTuple):
    """What pays for a kind of matrix."""

    padding: int = 0  # numbers of a vector beyond whole lanes
    cold: int = 0  # sweeps before the first Newton step, from nothing
    warm: int = 0  # and from a warm start
    good: float = 0.0  # of the error: what a batch of sweeps must reach for more of them before the first Newton step
    good_large: float = 0.0  # the same from `large` blocks on
    large: int = 0
    softer: float = 10.0  # h grows by this where it fails,
    softenings: int = 8  # so often in a row, before sweeps take over again
    beyond: float = 0.0  # impulses go on by so many moves beyond a softened problem's answer
    patience: int = 0  # once so many softened problems have failed,
    near: float = math.inf  # and from this residual on: impulses of a contradiction must not be blown up
    restart: int = NEVER  # sweeps after which a warm start is given up for a cold one, once


@inline
def copy(out, x, n):
    """n numbers, a multiple of the lanes."""
    for j in range(0, n, LANES):
        wide_st(out, j, wide_ld(x, j))


@inline
def take_start(p):
    """Impulses and velocities where the search starts. Returns whether all impulses are zero."""
    s = p.search
    lam = p.lam
    cold = True
    for i in range(s.rows):
        x = ld(lam, i)
        x = x if abs(x) < math.inf else 0.0
        cold = cold and x == 0.0
        st(lam, i, x)
        st(p.soft_b, i, ld(p.b, i))
        st(p.best, i, 0.0)
        st(p.move, i, 0.0)
    for i in range(s.rows, s.n):
        st(lam, i, 0.0)
        st(p.soft_b, i, 0.0)
        st(p.best, i, 0.0)
        st(p.v, i, 0.0)
    return cold


@inline
def blend(p, t, lam, v):
    """lam and v at t of the way from the anchor to the present ones."""
    for i in range(0, p.search.n, LANES):
        a = wide_ld(p.anchor, i)
        wide_st(lam, i, a + (wide_ld(p.lam, i) - a) * t)
        a = wide_ld(p.anchor_v, i)
        wide_st(v, i, a + (wide_ld(p.v, i) - a) * t)


@inline
def shorten(p):
    """Shorten the step from the anchor until the sum of squares drops enough. v is linear in it, so a trial costs no
    product.

    lam, v move to the best point seen, the anchor if nothing is better. Returns its sum of squares."""
    before = p.search.before
    least = before
    best = 0.0
    t = 1.0
    for _ in range(HALVINGS):
        t *= 0.5
        blend(p, t, p.trial, p.trial_v)
        _, _, square, _ = errors(p, p.trial_v, p.trial)
        if square < least:
            least = square
            best = t
        if square <= DROP * before:
            break
    blend(p, best, p.lam, p.v)
    return least


@part
def judge(p):
    """Errors of the present impulses; a Newton step that does not lower them is shortened first."""
    s = p.search
    error, stuck, square, impulse = errors(p, p.v, p.lam)
    if s.stepped != 0 and not square <= DROP * s.before:
        square = shorten(p)
        error, stuck, _, impulse = errors(p, p.v, p.lam)
        if square > DROP * s.before:
            s.failures += 1
            s.left = s.burst
            s.burst = min(2 * s.burst, 64)
    s.stepped = 0
    s.square = square
    s.inner = error
    if s.softness > 0.0:
        true_velocity(p)
        error, stuck, _, impulse = errors(p, p.trial_v, p.lam)
    s.error = error
    s.stuck = stuck
    s.scale = max(s.free, FLOOR * impulse)
    s.residual = max(error, stuck) / s.scale if error < math.inf else math.inf


@part
def square_now(p):
    """Sum of the squares of the errors."""
    _, _, square, _ = errors(p, p.v, p.lam)
    return square


@part
def onto_cones(p):
    """bunraku.contact.active.project."""
    return project(p)


@inline
def is_met(s):
    """The residual of movable blocks is small enough."""
    return s.error < math.inf and s.error <= s.tolerance * s.scale


@inline
def good_enough(s):
    """The residual is met, by impulses that were worked on or by a very good start."""
    return is_met(s) and (s.sweeps > 0 or s.error <= UNTOUCHED * s.tolerance * s.scale)


@inline
def remember(p):
    """Keep the impulses if they are the best so far."""
    s = p.search
    if s.error < BETTER * s.best:
        s.best = s.error
        copy(p.best, p.lam, s.n)


@inline
def is_hopeless(s):
    """Whether a search that may end early has come no nearer than contradictory constraints do."""
    made = s.sweeps - s.began
    early = EARLIER if s.began > 0 else EARLY
    far = s.best > s.hopeless * s.scale
    return s.hopeless > 0.0 and far and (made >= early or (made >= EARLIER and s.best > FAR_OFF * s.scale))


@inline
def gives_up(p):
    """Whether there is no better answer within reach: then the best one is put onto the cones, with its status."""
    s = p.search
    contrary = s.unmet > s.tolerance * s.scale and s.error <= 1.1 * s.unmet  # no impulses do better
    if not (s.sweeps >= s.most or contrary or is_hopeless(s) or not s.error < math.inf):
        return False
    s.status = STUCK if contrary else LIMIT if s.best < math.inf else BROKEN
    s.ending = 1
    copy(p.lam, p.best, s.n)
    onto_cones(p)
    return True


@part
def carry_on(p):
    """Impulses beyond the answer of a softened problem, along the way they have come from its centre."""
    s = p.search
    cross = 0.0
    now = 1e-300
    last = 1e-300
    for i in range(s.rows):
        d = ld(p.root, i) * ld(p.root, i)
        x = ld(p.lam, i) - ld(p.centre, i)
        y = ld(p.move, i)
        st(p.move, i, x)
        cross += d * x * y
        now += d * x * x
        last += d * y * y
    cosine = cross / math.sqrt(now * last)
    if cosine > ALONG:
        s.beyond = min(1.5 * s.beyond, FURTHEST)
    elif cosine < ASIDE:
        s.beyond = max(0.5 * s.beyond, NEAREST)
    for i in range(s.rows):
        st(p.lam, i, ld(p.lam, i) + s.beyond * ld(p.move, i))


def solver(front: Front, tactics: Tactics) -> Any:
    """The loop for one kind of matrix: a building block for kernels, solve(matrix, rows, blocks, tolerance, most)."""
    begin, multiply, soften, sweep, factor, substitute = front
    padding, cold, warm, good, good_large, large, softer, softenings, beyond, patience, near, restart = tactics

    @inline
    def start(matrix):
        """Set out from the given impulses."""
        p = matrix.problem
        s = p.search
        s.n = padded(s.rows) + padding
        s.warm = 0 if take_start(p) else 1
        s.left = warm if s.warm != 0 else cold
        s.sweeping = 1 if cold > 0 else 0
        s.sweeps = 0
        s.began = 0
        s.status = LIMIT
        s.best = math.inf
        s.reached = math.inf
        s.unmet = 0.0
        s.stepped = 0
        s.projected = 0
        s.ending = 0
        s.restarted = 0
        s.room = 1
        s.beyond = beyond
        plan_anew(s)
        begin(matrix)
        settle_immovable(p)
        s.free = free_scale(p)

    @inline
    def plan_anew(s):
        """No softening, a Newton step as soon as sweeps are done."""
        s.burst = 1
        s.failures = 0
        s.allowed = FAILURES
        s.softenings = 0
        s.long = LONG
        s.softness = 0.0

    @part
    def start_anew(matrix, sweeps):
        """A start that leads nowhere: from nothing."""
        p = matrix.problem
        s = p.search
        s.warm = 0
        s.began = s.sweeps
        plan_anew(s)
        s.left = sweeps
        soften(matrix)
        for i in range(s.n):
            st(p.lam, i, 0.0)

    @inline
    def change_softness(matrix):
        """Soften a problem that resists, harden one that is solved."""
        p = matrix.problem
        s = p.search
        if s.failures >= s.allowed:
            s.failures = 0
            s.burst = 1
            s.allowed = 1
            s.softenings += 1
            if s.softness == 0.0:
                s.softness = SOFT
                s.left = 0
                s.softenings = 0
            elif s.softenings < softenings:
                s.softness = min(softer * s.softness, SOFTEST)
            else:
                s.softness = 0.0
                s.left = s.long
                s.long *= 2
        elif s.softness > 0.0 and s.inner <= NEAR * s.error:
            s.softness = max(HARDER * s.softness, HARDEST)
            s.left = 0
            if beyond > 0.0 and s.softenings >= patience and s.error <= near * s.scale:
                carry_on(p)
        else:
            return
        soften(matrix)
        multiply(matrix)
        s.square = square_now(p)

    @inline
    def sweeps_now(s):
        """How many sweeps come before the next Newton step."""
        if s.sweeping != 0 and s.sweeps > 0:
            s.left = BATCH if s.error < (good_large if s.blocks >= large else good) * s.reached else 0
            s.reached = s.error
        if s.room == 0:
            s.left = ENDLESS
        most = s.most if s.restarted != 0 else min(restart, s.most)
        return min(s.left, most - s.sweeps)

    @inline
    def newton(matrix):
        """One step from the present impulses. Returns whether there was room for its matrix."""
        p = matrix.problem
        s = p.search
        s.unknowns, symmetric = classify(p)
        multiply(matrix)
        if not factor(matrix, symmetric):
            s.unmet = 0.0
            return False
        copy(p.right, p.step, s.n)
        substitute(matrix)
        worth, s.unmet = contradiction(p, 0.1 * s.tolerance * s.scale)
        if worth:
            copy(p.step, p.right, s.n)
            substitute(matrix)
        take_step(p)
        return True

    @part
    def solve(matrix, rows, blocks, tolerance, most):
        """Solve the problem of the record `matrix`, of its leading rows and blocks, within `most` sweeps and Newton
        steps. Returns (status, sweeps, residual)."""
        p = matrix.problem
        s = p.search
        s.rows = rows
        s.blocks = blocks
        s.tolerance = tolerance
        s.most = most
        start(matrix)
        while True:
            multiply(matrix)
            judge(p)
            if s.ending != 0 or good_enough(s):
                if s.ending != 0 or s.projected != 0 or not onto_cones(p):
                    break
                s.projected = 1
                continue
            s.projected = 0
            remember(p)
            if s.warm != 0 and s.sweeps < s.most and is_hopeless(s):
                start_anew(matrix, cold)
                continue
            if gives_up(p):
                continue
            if s.sweeps >= restart and s.restarted == 0:
                s.restarted = 1
                start_anew(matrix, ANEW)
                continue
            change_softness(matrix)
            count = sweeps_now(s)
            if s.left > 0:
                sweep(matrix, count)
                s.sweeps += count
                s.left = 0
                continue
            s.sweeping = 0
            s.before = s.square
            copy(p.anchor, p.lam, s.n)
            copy(p.anchor_v, p.v, s.n)
            if newton(matrix):
                s.sweeps += 1
                s.stepped = 1
            else:
                s.room = 0
        if is_met(s):
            s.status = SOLVED if s.stuck <= s.tolerance * s.scale else STUCK
        return s.status, s.sweeps, s.residual

    return solve


DENSE = Front(dense_begin, dense_multiply, dense_soften, dense_sweep, dense_factor, dense_substitute)
solve = solver(DENSE, Tactics(softenings=NEVER, beyond=0.8, patience=1, near=0.01, restart=1000))


@entry("h i i d i")
def solve_one(h, rows, blocks, tolerance, most):
    """`solve` for Python: solve_one.call(handle(dense), rows, blocks, TOLERANCE, MAX_SWEEPS)."""
    return solve(Dense(h), rows, blocks, tolerance, most)


@entry("h i i D")
def residual(h, rows, blocks, parts):
    """The residual of the impulses of a Dense problem. parts (4): its relative normal, cone, dissipation and row
    errors."""
    d = Dense(h)
    p = d.problem
    p.search.rows = rows
    p.search.blocks = blocks
    p.search.n = padded(rows)
    for i in range(rows):
        v = p.b[i]
        for j in range(rows):
            v += d.K[i, j] * p.lam[j]
        p.v[i] = v
        p.soft_b[i] = p.b[i]
    dense_begin(d)
    _, _, _, impulse = errors(p, p.v, p.lam)
    E = max(free_scale(p), FLOOR * impulse)
    for k in range(4):
        parts[k] = 0.0
    for k in range(blocks):
        e = block_errors(p.blocks[k], p.root, p.v, p.lam)
        for kind in range(4):
            parts[kind] = max(parts[kind], e[kind] / E) if e[kind] < math.inf else math.inf
    return max(parts[0], parts[1], parts[2], parts[3])
