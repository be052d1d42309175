"""The whole-body problem solved: Newton's method on a form with bounds, by multipliers and penalties (a proximal, semismooth method).

    min  1/2 y'H y - g'y    with  f in friction cones, joint accelerations in bounds, turns of balls above bounds, torques in bounds

A bound r.y >= b costs P/2 max(0, b + lam/P - r.y)^2, a cone P/2 dist(f + lam/P, K)^2 (control.cone_curvature); in each iteration those that
act add their curvature, and one factorisation gives the next y, or the direction in which the least cost is looked for. What acts was guessed
from the last y, so that one or two iterations are the rule. Forces stand last: where the cones alone change, their block alone is factored again.
Rounds beyond the first move the multipliers of bounds, cones and contact rows, which makes them exact where they can all hold (contact rows
that do not converge stay as they are: cones and bounds come first); in one round they hold to about 1e-4 of the weights, and a request that
contradicts gives way. Torques are checked behind: those beyond their limits become bounds and it is solved again. No y is ever refused: a figure
that cannot do what it is asked does what comes nearest. Checked in tests/control/test_whole_body.py against SciPy.
"""

from __future__ import annotations

from bunraku.control.cone_curvature import curvature, is_curved
from bunraku.control.whole_body_arrays import (
    C_MU,
    C_RADIUS,
    CONE_PENALTY,
    FACTORS,
    ITERATIONS,
    NC,
    ND,
    NK,
    PATIENCE,
    REST_CONE,
    REST_CONTACT,
    ROUNDS,
    TOLERANCE,
    W_BOUND,
    W_CONE,
    W_CONTACT,
    W_COUNT,
    W_DENSE,
    W_F,
    W_H,
    W_LAM,
    W_NEXT,
    W_POSTURE,
    W_ROWS,
    W_S,
    W_SET,
    W_STATE,
    W_TURN,
    W_TURN_DOF,
    W_Y,
)
from bunraku.control.whole_body_build import room_of, width_of
from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints1, reals1, reals2
from bunraku.linalg.cholesky import back, factor

BOUND_PENALTY = 100.0  # of the largest curvature of the joints
PAIR_PENALTY = 4e3  # of an acceleration of two bodies towards each other: above tasks, below balance and contacts
ENOUGH = 0.1  # of the tolerance: a motion so settled ends the iteration even where forces still change their state
NEARLY = 0.1  # m/s^2 times the root of a weight: contact rows that hold so well are refined further


@inline
def penalties(form, na, n, width, cone_penalty):
    """(of bounds, of cones)."""
    a = 1.0
    f = 1e-9
    for k in range(n):
        d = form[k * width + k]
        if k < na:
            a = max(a, d)
        else:
            f = max(f, d)
    return BOUND_PENALTY * a, cone_penalty * f


@inline
def dense_penalty(dense, k, n, pairs, p):
    """Penalty of a dense row: of a pair of bodies that stays apart, or of a torque."""
    if k < pairs:
        return PAIR_PENALTY
    big = 1e-12
    for c in range(n):
        big = max(big, dense[k, c] * dense[k, c])
    return p / big


@part
def note_bounds(h, y, n, p):
    """W_STATE of bounds at y; returns whether one changed."""
    bound, turn, dof, dense = reals2(h, W_BOUND), reals2(h, W_TURN), ints1(h, W_TURN_DOF), reals2(h, W_DENSE)
    state, lam = ints1(h, W_STATE), reals1(h, W_LAM)
    nj = bound.shape[0]
    changed = False
    for j in range(nj):
        s = 0
        if y[j] - bound[j, 0] - max(lam[j], 0.0) / p < 0.0:
            s = -1
        elif bound[j, 1] - y[j] + min(lam[j], 0.0) / p < 0.0:
            s = 1
        if s != state[j]:
            changed = True
            state[j] = s
    for k in range(turn.shape[0]):
        d = dof[k]
        x = turn[k, 0] * y[d] + turn[k, 1] * y[d + 1] + turn[k, 2] * y[d + 2]
        s = 1 if x - turn[k, 3] - lam[nj + k] / p < 0.0 else 0
        if s != state[nj + k]:
            changed = True
            state[nj + k] = s
    first = nj + turn.shape[0]
    pairs = ints1(h, W_COUNT)[NK]
    for k in range(ints1(h, W_COUNT)[ND]):
        x = 0.0
        for c in range(n):
            x += dense[k, c] * y[c]
        s = 1 if x - dense[k, n] - lam[first + k] / dense_penalty(dense, k, n, pairs, p) < 0.0 else 0
        if s != state[first + k]:
            changed = True
            state[first + k] = s
    return changed


@part
def add_bounds(h, form, n, width, p):
    """Curvature and right side of the bounds that act."""
    bound, turn, dof, dense = reals2(h, W_BOUND), reals2(h, W_TURN), ints1(h, W_TURN_DOF), reals2(h, W_DENSE)
    state, lam = ints1(h, W_STATE), reals1(h, W_LAM)
    nj = bound.shape[0]
    for j in range(nj):
        if state[j] != 0:
            form[j * width + j] += p
            form[j * width + n] += p * bound[j, 0 if state[j] < 0 else 1] + lam[j]
    for k in range(turn.shape[0]):
        if state[nj + k] != 0:
            d = dof[k]
            for a in range(3):
                for b in range(a, 3):
                    form[(d + a) * width + d + b] += p * turn[k, a] * turn[k, b]
                form[(d + a) * width + n] += turn[k, a] * (p * turn[k, 3] + lam[nj + k])
    first = nj + turn.shape[0]
    pairs = ints1(h, W_COUNT)[NK]
    for k in range(ints1(h, W_COUNT)[ND]):
        if state[first + k] != 0:
            w = dense_penalty(dense, k, n, pairs, p)
            for a in range(n):
                for b in range(a, n):
                    form[a * width + b] += w * dense[k, a] * dense[k, b]
                form[a * width + n] += dense[k, a] * (w * dense[k, n] + lam[first + k])


@part
def note_cones(h, y, na, p):
    """W_CONE curvature and state of every cone at y; returns whether a state changed, or one lies between (2)."""
    contact, cone, state = reals2(h, W_CONTACT), reals2(h, W_CONE), ints1(h, W_STATE)
    count = ints1(h, W_COUNT)
    first = state.shape[0] - cone.shape[0]
    result = 0
    for k in range(count[NC]):
        c = na + 3 * k
        s, D, o = curvature(
            y[c] + cone[k, 0] / p, y[c + 1] + cone[k, 1] / p, y[c + 2] + cone[k, 2] / p, contact[k, C_MU], contact[k, C_RADIUS]
        )  # fmt: skip
        for i in range(6):
            cone[k, 3 + i] = D[i]
        cone[k, 9] = o[0]
        cone[k, 10] = o[1]
        if s != state[first + k]:
            result = 1
            state[first + k] = s
        elif is_curved(s) and result == 0:
            result = 2
    return result


@part
def add_cones(h, form, na, n, width, p):
    """Curvature and right side of the cones."""
    cone = reals2(h, W_CONE)
    for k in range(ints1(h, W_COUNT)[NC]):
        c = na + 3 * k
        nn, nx, ny, xx, xy, yy = cone[k, 3], cone[k, 4], cone[k, 5], cone[k, 6], cone[k, 7], cone[k, 8]
        form[c * width + c] += p * nn
        form[c * width + c + 1] += p * nx
        form[c * width + c + 2] += p * ny
        form[(c + 1) * width + c + 1] += p * xx
        form[(c + 1) * width + c + 2] += p * xy
        form[(c + 2) * width + c + 2] += p * yy
        form[c * width + n] -= nn * cone[k, 0] + nx * cone[k, 1] + ny * cone[k, 2]
        form[(c + 1) * width + n] += p * cone[k, 9] - (nx * cone[k, 0] + xx * cone[k, 1] + xy * cone[k, 2])
        form[(c + 2) * width + n] += p * cone[k, 10] - (ny * cone[k, 0] + xy * cone[k, 1] + yy * cone[k, 2])


@part
def slope(h, t, na, n, p, pc, straight, bend):
    """Derivative at y + t d of the whole cost along d = W_NEXT; straight + t bend is that of the quadratic part."""
    y, d, count = reals1(h, W_Y), reals1(h, W_NEXT), ints1(h, W_COUNT)
    bound, turn, dof, dense = reals2(h, W_BOUND), reals2(h, W_TURN), ints1(h, W_TURN_DOF), reals2(h, W_DENSE)
    lam, cone, contact = reals1(h, W_LAM), reals2(h, W_CONE), reals2(h, W_CONTACT)
    total = straight + t * bend
    nj = bound.shape[0]
    for j in range(nj):
        x = y[j] + t * d[j]
        low = bound[j, 0] + max(lam[j], 0.0) / p - x
        high = x - bound[j, 1] - min(lam[j], 0.0) / p
        if low > 0.0:
            total -= p * low * d[j]
        elif high > 0.0:
            total += p * high * d[j]
    for k in range(turn.shape[0]):
        i = dof[k]
        x = 0.0
        r = 0.0
        for e in range(3):
            x += turn[k, e] * (y[i + e] + t * d[i + e])
            r += turn[k, e] * d[i + e]
        total -= p * max(turn[k, 3] + lam[nj + k] / p - x, 0.0) * r
    first = nj + turn.shape[0]
    for k in range(count[ND]):
        x = 0.0
        r = 0.0
        for c in range(n):
            x += dense[k, c] * (y[c] + t * d[c])
            r += dense[k, c] * d[c]
        w = dense_penalty(dense, k, n, count[NK], p)
        total -= w * max(dense[k, n] + lam[first + k] / w - x, 0.0) * r
    for k in range(count[NC]):
        c = na + 3 * k
        z0 = y[c] + t * d[c] + cone[k, 0] / pc
        z1 = y[c + 1] + t * d[c + 1] + cone[k, 1] / pc
        z2 = y[c + 2] + t * d[c + 2] + cone[k, 2] / pc
        _, D, o = curvature(z0, z1, z2, contact[k, C_MU], contact[k, C_RADIUS])
        total += pc * d[c] * (D[0] * z0 + D[1] * z1 + D[2] * z2)
        total += pc * d[c + 1] * (D[1] * z0 + D[3] * z1 + D[4] * z2 - o[0])
        total += pc * d[c + 2] * (D[2] * z0 + D[4] * z1 + D[5] * z2 - o[1])
    return total


@part
def line(h, na, n, width, p, pc):
    """How far to go along d = W_NEXT from W_Y: the least cost, found by halving, or 1 where the whole step is good enough. The cost is convex."""
    y, d, form = reals1(h, W_Y), reals1(h, W_NEXT), reals1(h, W_H)
    straight = 0.0
    bend = 0.0
    for i in range(n):
        x = form[i * width + i] * d[i]
        for c in range(i + 1, n):
            x += form[i * width + c] * d[c]
        # the lower triangle's share of H d, by symmetry: d'H y and d'H d are sums over the upper one
        straight += x * y[i] - form[i * width + n] * d[i]
        bend += x * d[i]
        for c in range(i + 1, n):
            straight += form[i * width + c] * d[i] * y[c]
            bend += form[i * width + c] * d[i] * d[c]
    begin = slope(h, 0.0, na, n, p, pc, straight, bend)
    if slope(h, 1.0, na, n, p, pc, straight, bend) <= 0.5 * abs(begin):
        return 1.0
    low = 0.0
    high = 1.0
    for _ in range(10):
        middle = 0.5 * (low + high)
        if slope(h, middle, na, n, p, pc, straight, bend) > 0.0:
            high = middle
        else:
            low = middle
    return high if low == 0.0 else low


@part
def newton(h, na, n, width, p, pc):
    """Iterate from W_Y to the least cost for the present multipliers; returns the iterations."""
    y, after, count = reals1(h, W_Y), reals1(h, W_NEXT), ints1(h, W_COUNT)
    form, F, S = reals1(h, W_H), reals1(h, W_F), reals1(h, W_S)
    tolerance = abs(reals1(h, W_SET)[TOLERANCE])
    by_motion = reals1(h, W_SET)[TOLERANCE] < 0.0
    changed = True
    note_bounds(h, y, n, p)
    note_cones(h, y, na, pc)
    most = count[PATIENCE]
    for it in range(most):
        if changed:
            for k in range(n * width):
                F[k] = form[k]
            add_bounds(h, F, n, width, p)
            factor(F, 0, 0, na, n, width, True)
            factor(F, 0, na, n, n, width, False)
            for k in range(na * width, n * width):
                S[k - na * width] = F[k]
            count[FACTORS] += 1
        else:
            for k in range(na * width, n * width):
                F[k] = S[k - na * width]
        add_cones(h, F, na, n, width, pc)
        factor(F, na, na, n, n, width, True)
        back(F, n, width, after)
        moved = 0.0
        size = 1.0
        for k in range(n):
            d = after[k] - y[k]
            after[k] = d
            y[k] += d
            if k < na or not by_motion:
                moved = max(moved, abs(d))
                size = max(size, abs(y[k]))
        changed = note_bounds(h, y, n, p)
        cones = note_cones(h, y, na, pc)
        if (not changed and (cones == 0 or moved <= tolerance * size)) or (
            by_motion and moved <= ENOUGH * tolerance * size
        ):
            return it + 1
        if it == most - 1:
            break
        for k in range(n):
            y[k] -= after[k]
        t = line(h, na, n, width, p, pc)
        for k in range(n):
            y[k] += t * after[k]
        if t < 1.0:
            changed = note_bounds(h, y, n, p) or changed
            note_cones(h, y, na, pc)
    return most


@inline
def row_error(rows, at, n, y):
    """row . y - right, times the root of its weight."""
    x = -rows[at + n]
    for c in range(n):
        x += rows[at + c] * y[c]
    return x


@part
def move_multipliers(h, na, n, width, p, pc):
    """Multipliers of bounds, cones and contact rows after a round; notes how far contact rows and cones are from holding."""
    bound, turn, dof, dense = reals2(h, W_BOUND), reals2(h, W_TURN), ints1(h, W_TURN_DOF), reals2(h, W_DENSE)
    state, lam, y, cone = ints1(h, W_STATE), reals1(h, W_LAM), reals1(h, W_Y), reals2(h, W_CONE)
    rows, form, count = reals1(h, W_ROWS), reals1(h, W_H), ints1(h, W_COUNT)
    nj = bound.shape[0]
    for j in range(nj):
        if state[j] == 0:
            lam[j] = 0.0
        else:
            lam[j] += p * (bound[j, 0 if state[j] < 0 else 1] - y[j])
    for k in range(turn.shape[0]):
        d = dof[k]
        x = turn[k, 0] * y[d] + turn[k, 1] * y[d + 1] + turn[k, 2] * y[d + 2]
        lam[nj + k] = lam[nj + k] + p * (turn[k, 3] - x) if state[nj + k] != 0 else 0.0
    first = nj + turn.shape[0]
    pairs = count[NK]
    for k in range(count[ND]):
        x = 0.0
        for c in range(n):
            x += dense[k, c] * y[c]
        w = dense_penalty(dense, k, n, pairs, p)
        lam[first + k] = lam[first + k] + w * (dense[k, n] - x) if state[first + k] != 0 else 0.0
    outside = 0.0
    for k in range(count[NC]):
        c = na + 3 * k
        a, b, d = y[c] + cone[k, 0] / pc, y[c + 1] + cone[k, 1] / pc, y[c + 2] + cone[k, 2] / pc
        _, D, o = curvature(a, b, d, reals2(h, W_CONTACT)[k, C_MU], reals2(h, W_CONTACT)[k, C_RADIUS])
        new = (
            D[0] * a + D[1] * b + D[2] * d,
            D[1] * a + D[3] * b + D[4] * d - o[0],
            D[2] * a + D[4] * b + D[5] * d - o[1],
        )
        for i in range(3):
            outside = max(outside, abs(pc * new[i] - cone[k, i]) / pc)
            cone[k, i] = pc * new[i]
    rest = 0.0
    for r in range(3 * count[NC]):
        rest = max(rest, abs(row_error(rows, r * width, n, y)))
    last = reals1(h, W_SET)[REST_CONTACT]
    if last >= 0.0 and (
        last == 0.0 or rest <= 0.9 * last or rest < NEARLY
    ):  # contact rows that cannot all hold are not forced: -1
        for r in range(3 * count[NC]):
            x = row_error(rows, r * width, n, y)
            for c in range(n):
                form[c * width + n] -= x * rows[r * width + c]
        reals1(h, W_SET)[REST_CONTACT] = rest
    else:
        reals1(h, W_SET)[REST_CONTACT] = -rest
    reals1(h, W_SET)[REST_CONE] = outside


@part
def solve(h):
    """From W_H and the bounds to W_Y, in W_COUNT[ROUNDS] rounds."""
    count, form = ints1(h, W_COUNT), reals1(h, W_H)
    na = room_of(reals2(h, W_POSTURE).shape[0])
    n = na + 3 * count[NC]
    width = width_of(n)
    p, pc = penalties(form, na, n, width, reals1(h, W_SET)[CONE_PENALTY])
    lam, cone = reals1(h, W_LAM), reals2(h, W_CONE)
    for k in range(lam.shape[0]):
        lam[k] = 0.0
    for k in range(count[NC]):
        for i in range(3):
            cone[k, i] = 0.0
    reals1(h, W_SET)[REST_CONTACT] = 0.0
    for r in range(count[ROUNDS]):
        count[ITERATIONS] += newton(h, na, n, width, p, pc)
        if r + 1 < count[ROUNDS]:
            move_multipliers(h, na, n, width, p, pc)
