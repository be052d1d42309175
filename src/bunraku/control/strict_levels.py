"""Two strict levels (Yamane & Nakamura 2002, section 3): the lower one moves in what freedom the upper one leaves.

    upper   min  sum weight (row . y - right)^2 + small |a + REST v|^2     y = (a, f): joint accelerations and forces
            rows of contacts, pins and drags, balance; cones and torques as ever (control.whole_body_kernel)
    lower   min  posture, joint limits, even forces, calm momentum    with  row . y = row . y_upper   for every row of the upper level

What the upper level cannot have (pins that contradict each other, a stretched arm) it gives up by least squares, damped
by `small`, which makes its inverse singularity-robust: along what it can hardly move joints come to rest. The lower
level then changes no row of it, whatever it is asked for: to 1e-9, as a test says on random figures. Cones and torque
limits are physics and hold in both.

The lower level is Newton's method as in control.whole_body_solve, on the matrix of its conditions
    | H  A' | | y |   | g      |      H: what acts now, A: rows of the upper level, regularised by
    | A  -C | | x | = | A y_up |      C = EVEN times the diagonal of A H^-1 A'
and A y is then brought to A y_up by repeated solves with the same factors, in rare cases with those of A A': rows that
say the same twice, as four corners of a sole do, are no harm. Checked in tests/control/test_strict_levels.py.
"""

from __future__ import annotations

import math

from bunraku.control.end_links import joints_of, survey
from bunraku.control.whole_body_arrays import FAR, WholeBodyProblem
from bunraku.control.whole_body_build import add_squares, momentum_rows, own_form
from bunraku.control.whole_body_kernel import TRIES, finish, limit_torques, read_out, whole_body
from bunraku.control.whole_body_solve import (
    add_bounds,
    add_cones,
    line,
    move_bounds,
    move_cones,
    note_bounds,
    note_cones,
    settled,
)
from bunraku.kernel.compile import part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import LANES, join, wide_st
from bunraku.linalg.dense import back, factor, factor_regular, padded, regularise, rows_times, substitute

SMALL = 0.1  # of the lower level's weights: what damps the upper one
REST = 10.0  # 1/s: how joints come to rest along what the upper level can hardly move
LOWER_PENALTY = 1e4  # of a joint limit in the lower level, times its posture's weight
EVEN = 1e-12  # regularises rows that say the same twice
SOFT = 1e3  # weight of a rate of momentum from which on it belongs to the upper level
HELD = 5e-10  # how well the lower level keeps rows, times the roots of their weights
REPEATS = 2  # solves to that end with the form's own factors
MOST_REPEATS = 10  # with those of the rows alone


@part
def strict_body(p: WholeBodyProblem):
    """The whole problem in two levels: from a surveyed state, tasks, contacts and bounds to accelerations, forces and
    torques."""
    y = p.level_y
    for k in range(p.y.shape[0]):
        y[k] = p.y[k]  # the last solution: it guesses what acts
        p.y[k] = p.upper[k]
    put_aside(p)
    whole_body(p)
    take_back(p)
    for k in range(p.y.shape[0]):
        p.upper[k] = p.y[k]
        p.y[k] = y[k]
    lower_form(p)
    lower_level(p)
    read_out(p)
    for _ in range(TRIES):
        if limit_torques(p) == 0:
            break
        lower_level(p)
        read_out(p)
    finish(p)


@part
def put_aside(p: WholeBodyProblem):
    """What belongs to the lower level, out of the upper one; a little damping instead."""
    first = joints_of(p.ints)
    for j in range(len(p.posture)):
        wish, bound, asked, kept = p.posture[j], p.bound[j], p.asked[j], p.kept_in[j]
        asked.wanted, asked.weight = wish.wanted, wish.weight
        kept.least, kept.most = bound.least, bound.most
        wish.wanted, wish.weight = -REST * p.v[first + j], SMALL
        bound.least, bound.most = -FAR, FAR
    for k in range(len(p.turn)):
        p.kept_turn[k] = p.turn[k].least
        p.turn[k].least = -FAR
    for d in range(6):
        p.kept_momentum[d] = p.momentum[d].weight
        if p.momentum[d].weight < SOFT:
            p.momentum[d].weight = 0.0
    p.settings.force_weight *= SMALL


@part
def take_back(p: WholeBodyProblem):
    """The lower level's wishes and bounds again."""
    for j in range(len(p.posture)):
        wish, bound, asked, kept = p.posture[j], p.bound[j], p.asked[j], p.kept_in[j]
        wish.wanted, wish.weight = asked.wanted, asked.weight
        bound.least, bound.most = kept.least, kept.most
    for k in range(len(p.turn)):
        p.turn[k].least = p.kept_turn[k]
    for d in range(6):
        p.momentum[d].weight = p.kept_momentum[d] if p.kept_momentum[d] < SOFT else 0.0
    p.settings.force_weight /= SMALL


@part
def lower_form(p: WholeBodyProblem):
    """The form of the lower level: posture, forces, and rates of momentum that weigh little."""
    strict, n, width = p.count.rows, p.count.unknowns, p.count.width
    own_form(p)
    soft = momentum_rows(p, strict) - strict
    add_squares(p.rows[strict * width :], soft, n, width, p.form)
    for d in range(6):
        p.momentum[d].weight = p.kept_momentum[d]


@part
def lower_level(p: WholeBodyProblem):
    """From the upper level's y to the lower one's; p.y guesses what acts."""
    weight = 1e-9
    for j in range(len(p.posture)):
        weight = max(weight, p.posture[j].weight)
    p.settings.bound_penalty = LOWER_PENALTY * weight
    for k in range(p.lam.shape[0]):
        p.lam[k] = 0.0
    for k in range(p.count.contacts):
        p.cone[k].multiplier = (0.0, 0.0, 0.0)
    note_bounds(p)
    note_cones(p)
    for k in range(p.y.shape[0]):
        p.y[k] = p.upper[k]
    times_rows(p, p.upper, p.goal, 0)
    for r in range(p.count.rounds):
        p.count.iterations += newton_below(p)
        if r + 1 < p.count.rounds:
            move_bounds(p)
            move_cones(p)


@part
def times_rows(p: WholeBodyProblem, y, out, first):
    """Rows of the upper level times y, into `out` from `first` on, in whole lanes; y is zero behind the unknowns."""
    width, end = p.count.width, padded(p.count.unknowns)
    for r in range(0, p.count.rows, LANES):
        a, b, c, d = rows_times(p.rows, r * width, width, y, 0, end)
        wide_st(out, first + r, join(a, b, c, d))


@part
def newton_below(p: WholeBodyProblem):
    """Iterate from y to the least cost of the lower level for the present multipliers; returns the iterations."""
    y, after, n = p.y, p.after, p.count.unknowns
    most = p.count.patience
    for it in range(most):
        factor_levels(p)
        solve_levels(p)
        for k in range(n):
            after[k] = p.level_y[k] - y[k]
            y[k] += after[k]
        changed = note_bounds(p)
        if settled(p, changed, note_cones(p)) or it == most - 1:
            return it + 1
        for k in range(n):
            y[k] -= after[k]
        t = line(p)
        for k in range(n):
            y[k] += t * after[k]
        if t < 1.0:
            note_bounds(p)
            note_cones(p)
    return most


@part
def factor_levels(p: WholeBodyProblem):
    """The matrix of form, what acts, and rows, with its right side behind; factored."""
    F, K, rows, tiny = p.factors, p.levels, p.rows, p.level_tiny
    n, width, many = p.count.unknowns, p.count.width, p.count.rows
    free, ties = padded(n), padded(many)
    size = free + ties + 4
    right = free + ties
    for k in range(width * width):
        F[k] = p.form[k]
    add_bounds(p)
    add_cones(p)
    for k in range(size * size):
        K[k] = 0.0
    for i in range(free):
        tiny[i] = 1e-14
        K[i * size + i] = 1.0
        if i < n:
            for c in range(i, n):
                K[i * size + c] = F[i * width + c]
            K[i * size + right] = F[i * width + n]
            for r in range(many):
                K[i * size + free + r] = rows[r * width + i]
    for r in range(many):
        K[(free + r) * size + right] = p.goal[r]
    factor(K, 0, size, size, free, True, tiny, p.level_inverse)
    for r in range(ties):
        at = (free + r) * (size + 1)
        less = EVEN * abs(K[at])
        tiny[free + r] = less if less > 0.0 else math.inf
        K[at] -= less
    factor(K, free * (size + 1), size, size - free, ties, True, tiny[free:], p.level_inverse[free:])
    p.count.factors += 1


@part
def solve_levels(p: WholeBodyProblem):
    """The next y of the lower level into `level_y`; rows of the upper level are brought to their goals."""
    K, y, rest = p.levels, p.level_y, p.level_rest
    n, many = p.count.unknowns, p.count.rows
    free = padded(n)
    both = free + padded(many)
    size = both + 4
    for k in range(both):
        y[k] = K[k * size + both]
    back(K, 0, size, both, both, p.level_inverse, 0, y)
    for _ in range(REPEATS):
        if row_errors(p, y, rest, free) <= HELD:
            return
        for k in range(free):
            rest[k] = 0.0
        substitute(K, size, both, p.level_inverse, rest)
        for k in range(n):
            y[k] += rest[k]
    if row_errors(p, y, rest, 0) > HELD:
        project(p)


@part
def row_errors(p: WholeBodyProblem, y, rest, first):
    """What rows of the upper level lack at y, into `rest` from `first` on; returns the largest."""
    worst = 0.0
    times_rows(p, y, rest, first)
    for r in range(padded(p.count.rows)):
        rest[first + r] = p.goal[r] - rest[first + r] if r < p.count.rows else 0.0
        worst = max(worst, abs(rest[first + r]))
    return worst


@part
def project(p: WholeBodyProblem):
    """Move `level_y` the shortest way to where the rows of the upper level hold: what the form, where it is very
    uneven, does not come to."""
    G, y, rest, tiny, inverse = p.levels, p.level_y, p.level_rest, p.level_tiny, p.level_inverse
    n, width, many = p.count.unknowns, p.count.width, p.count.rows
    size = padded(many)
    for r in range(many):
        for s in range(r, many):
            x = 0.0
            for c in range(n):
                x += p.rows[r * width + c] * p.rows[s * width + c]
            G[r * size + s] = x
    added = p.level_added
    regularise(G, many, EVEN, 0.0, added)
    factor_regular(G, many, added, tiny, inverse)
    for _ in range(MOST_REPEATS):
        substitute(G, size, size, inverse, rest)
        for r in range(many):
            for c in range(n):
                y[c] += p.rows[r * width + c] * rest[r]
        if row_errors(p, y, rest, 0) <= HELD:
            break


@entry("h")
def whole_body_once(h):
    """One problem."""
    p = WholeBodyProblem(h)
    survey(p.ints, p.reals, p.q, p.v, p.scratch)
    if p.count.strict != 0:
        strict_body(p)
    else:
        whole_body(p)
    return 0
