"""The contact problem of one island, its blocks, and the scales that make its errors comparable.

    v = K lam + b        lam impulses [N s, N m s], v velocities [m/s, rad/s] after the step, b velocities without lam

(Nakaoka et al., eq. 5.) K (rows, rows) is symmetric and positive semi-definite; redundant rows make it singular. Each
block of rows obeys one law:

    kind      rows         law
    CONTACT   n, tx, ty    0 <= lam_n  _|_  v_n >= 0;  |lam_t| <= mu lam_n;  v_t = 0, or lam_t = -mu lam_n v_t / |v_t|
    EQUALITY  1            v + compliance lam = 0
    BOUNDED   1            low <= lam <= high;  v + compliance lam >= 0 at low, <= 0 at high, = 0 between

The contact's law is (6)-(10) of Nakaoka et al. with the true cone, that of a bounded row (11)-(13); `compliance` [m/s
per N s] makes a row soft.

Scale of a row: d = K_ii + compliance; the two tangents of a contact share their mean, so that the cone stays round. v /
sqrt(d) and lam sqrt(d) both are square roots of an energy, whatever the row's unit. A row with d below 1e-14 of the
largest is *immovable* (no impulse changes it; it counts with the largest d). Checked in tests/contact/test_residual.py.
"""

from __future__ import annotations

import math

import numpy as np

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import LANES, ld, st, wide_ld, wide_st
from bunraku.kernel.record import Record, many, pair, put, real, ref, vector, whole
from bunraku.linalg.sparse_order import Elimination

CONTACT, EQUALITY, BOUNDED = 0, 1, 2  # kinds of block
IMMOVABLE = 1e-14  # of the largest d


class Block(Record):
    """Rows that obey one law together."""

    kind = whole()
    row = whole()  # its first
    mu = real()  # of a contact
    compliance = real()  # of a row, m/s per N s or rad/s per N m s
    low = real()  # bounds of a row's impulse, N s or N m s
    high = real()


class Active(Record):
    """What Newton's method takes a block for (bunraku.contact.active)."""

    state = whole()
    friction = pair()  # its direction, where the contact slips
    gamma = real()  # stiffness of turning it; a row's compliance


class Search(Record):
    """What is asked, and how far the search for impulses is (bunraku.contact.pgs). Errors in square roots of J."""

    rows = whole()
    blocks = whole()
    tolerance = real()  # of the residual
    most = whole()  # sweeps and Newton steps
    n = whole()  # numbers of a vector that count: the rows, filled up to whole lanes, and some zeros

    status = whole()
    residual = real()
    sweeps = whole()  # made so far; Newton steps count
    error = real()  # largest error of the present impulses
    stuck = real()  # the same of immovable blocks
    scale = real()  # what errors are measured by
    free = real()  # the part of it that the free velocity gives
    best = real()  # least error so far, of the impulses in `best`

    softness = real()  # h of the softened problem, 0 for the problem itself
    inner = real()  # largest error of the softened problem
    square = real()  # the sum of the squares of its errors,
    before = real()  # and at the anchor
    unmet = real()  # what equalities ask for in vain because they contradict one another
    unknowns = whole()  # of the last Newton step
    beyond = real()  # how far impulses go beyond a softened problem's answer, in moves
    reached = real()  # error before the last batch of sweeps
    left = whole()  # sweeps before the next Newton step,
    burst = whole()  # after the next one that fails,
    long = whole()  # and when softening has not helped
    failures = whole()  # of Newton steps since the problem was last softened
    allowed = whole()  # failures before it is
    softenings = whole()  # in vain
    # 0 or 1
    sweeping = whole()  # no Newton step so far: sweeps as long as they pay
    stepped = whole()  # a Newton step from the anchor awaits its judgement
    projected = whole()  # the impulses have just been put onto the cones
    ending = whole()  # the impulses are the last answer
    restarted = whole()  # the warm start was given up
    room = whole()  # there is memory for Newton's matrix


class Problem(Record, after=Elimination.layout.slots):
    """One island's problem, whatever its matrix is like, and the vectors of the search."""

    blocks = many(Block)
    b = vector()  # velocities without impulses
    lam = vector()  # impulses: where the search starts, then the answer; with room for whole lanes
    search = ref(Search)
    active = many(Active)
    v = vector()  # velocities
    soft_b = vector()  # b of the softened problem
    root = vector()  # scales: sqrt(d), negative where a row is immovable
    best = vector()  # the best impulses so far
    anchor = vector()  # impulses and velocities before a Newton step
    anchor_v = vector()
    trial = vector()  # the same at a part of the way
    trial_v = vector()
    centre = vector()  # impulses that the softened problem keeps near to
    move = vector()  # the way from there to its answer
    step = vector()  # right-hand side of a Newton step, then the step
    right = vector()  # the same right-hand side
    tiny = vector()  # smallest pivots
    inverse = vector()  # inverse pivots


# the vectors of the search
WORK = [name for name, f in Problem.layout.fields.items() if f.kind == "table array" and name not in ("b", "lam")]


def put_problem(p: Problem, rows: int, blocks: int) -> None:
    """Room for up to `rows` rows in up to `blocks` blocks."""
    n = (rows + LANES - 1) // LANES * LANES + 2 * LANES
    put(p, search=Search(), b=np.zeros(rows), lam=np.zeros(n), **{name: np.zeros(n) for name in WORK})
    put(p, blocks=np.zeros((blocks, Block.layout.words)), active=np.zeros((blocks, Active.layout.words)))


@inline
def height(block):
    """Number of rows."""
    return 3 if block.kind == CONTACT else 1


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
def note_scale(p, k, normal, x, y):
    """d of the rows of block k, from its own diagonal of K. Returns the largest."""
    block = p.blocks[k]
    i = block.row
    if block.kind == CONTACT:
        t = 0.5 * (x + y)
        st(p.root, i, normal)
        st(p.root, i + 1, t)
        st(p.root, i + 2, t)
        return max(normal, t)
    d = normal + block.compliance
    st(p.root, i, d)
    return d


@inline
def finish_scales(p, largest):
    """From d to sqrt(d), negative for an immovable row."""
    for k in range(p.search.blocks):
        block = p.blocks[k]
        for j in range(block.row, block.row + height(block)):
            d = ld(p.root, j)
            if d > IMMOVABLE * largest:
                st(p.root, j, math.sqrt(d))
            else:
                st(p.root, j, -math.sqrt(largest) if largest > 0.0 else -1.0)


@inline
def settle_immovable(p):
    """Blocks that nothing moves (v = b) take the impulse their law asks for, once: a bound, or none."""
    for k in range(p.search.blocks):
        block = p.blocks[k]
        i = block.row
        if ld(p.root, i) > 0.0:
            continue
        x = 0.0
        if block.kind == CONTACT:
            st(p.lam, i + 1, 0.0)
            st(p.lam, i + 2, 0.0)
        elif block.kind == BOUNDED:
            v = ld(p.soft_b, i)
            x = block.low if v > 0.0 else block.high if v < 0.0 else 0.0
            x = min(max(x if abs(x) < math.inf else 0.0, block.low), block.high)
        st(p.lam, i, x)


@inline
def soften_row(p, i):
    """b - h D lam in row i: with K + h D the same solution if lam does not change. The present impulse becomes the
    centre. Returns h D."""
    d = p.search.softness * ld(p.root, i) * ld(p.root, i)
    x = ld(p.lam, i)
    st(p.soft_b, i, ld(p.b, i) - d * x)
    st(p.centre, i, x)
    return d


@inline
def true_velocity(p):
    """v of the problem itself, in trial_v, from that of the softened one."""
    s = p.search
    for i in range(s.rows):
        d = s.softness * ld(p.root, i) * ld(p.root, i)
        x = ld(p.lam, i) - ld(p.centre, i)
        st(p.trial_v, i, ld(p.v, i) - d * x)
