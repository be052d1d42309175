"""How far the search for impulses is, and what it remembers: errors judged, steps shortened, the best impulses kept, the end
where there is no better answer. The loop that searches is in bunraku.contact.pgs."""

from __future__ import annotations

import math

from bunraku.contact.active import project
from bunraku.contact.residual import FLOOR, errors, true_velocity
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import LANES, ld, st, wide_ld, wide_st

SOLVED = 0  # the residual is met
LIMIT = 1  # the most sweeps reached; the best impulses found
STUCK = 2  # all is met but a row that nothing can move (an immovable pair), or equalities that contradict one another
BROKEN = 3  # K or b is not finite; lam is zero

UNTOUCHED = 0.1  # of the tolerance: a start so good is returned as it is (errors of successive steps shall not add up)
BETTER = 0.999  # of the error: worth remembering (impulses that grow without bound gain next to nothing)
DROP = 0.9  # of the sum of squares: a step worth keeping
HALVINGS = 7
EARLIER, FAR_OFF = 40, 0.2  # sweeps, and the residual from which a search that may end early does so
EARLY = 100  # sweeps after which it does with less
ALONG, ASIDE = 0.6, 0.2  # cosines of successive moves: go further, go less far
FURTHEST, NEAREST = 10.0, 0.3  # how far beyond a softened problem's answer its impulses go, in moves


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
