"""The contact problem of one island and its blocks, as records.

    v = K lam + b        lam impulses [N s, N m s], v velocities [m/s, rad/s] after the step, b velocities without lam

(Nakaoka et al., eq. 5.) K (rows, rows) is symmetric and positive semi-definite; redundant rows make it singular. Each
block of rows obeys one law:

    kind      rows         law
    CONTACT   n, tx, ty    0 <= lam_n  _|_  v_n >= 0;  |lam_t| <= mu lam_n;  v_t = 0, or lam_t = -mu lam_n v_t / |v_t|
    EQUALITY  1            v + compliance lam = 0
    BOUNDED   1            low <= lam <= high;  v + compliance lam >= 0 at low, <= 0 at high, = 0 between

The contact's law is (6)-(10) of Nakaoka et al. with the true cone, that of a bounded row (11)-(13); `compliance` [m/s
per N s] makes a row soft.

How far an answer is from solving it: residual.py. Checked in tests/contact/test_residual.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.lanes import LANES
from bunraku.kernel.record import Record, many, pair, put, real, ref, vector, whole
from bunraku.linalg.dense import padded
from bunraku.linalg.sparse_order import Elimination

CONTACT, EQUALITY, BOUNDED = 0, 1, 2  # kinds of block


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
    hopeless = real()  # residual from which the search ends early (bunraku.contact.pgs); 0: never
    n = whole()  # numbers of a vector that count: the rows, filled up to whole lanes, and some zeros

    status = whole()
    residual = real()
    sweeps = whole()  # made so far; Newton steps count
    began = whole()  # the same when the search began anew
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
    warm = whole()  # it began at impulses that were given
    restarted = whole()  # it was given up for sweeps from zero
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
    n = padded(rows) + 2 * LANES
    put(p, search=Search(), b=np.zeros(rows), lam=np.zeros(n), **{name: np.zeros(n) for name in WORK})
    put(p, blocks=np.zeros((blocks, Block.layout.words)), active=np.zeros((blocks, Active.layout.words)))
