"""The whole-body problem solved: Newton's method on a form with bounds, by multipliers and penalties.

    min  1/2 y'H y - g'y    with  f in friction cones, joint accelerations and torques in bounds, turns of balls above
                                  bounds                              (a proximal, semismooth method)

A bound r.y >= b costs P/2 max(0, b + lam/P - r.y)^2, a cone P/2 dist(f + lam/P, K)^2 (control.cone_curvature); in each
iteration those that act add their curvature, and one factorisation gives the next y, or the direction in which the
least cost is looked for. What acts was guessed from the last y, so that one or two iterations are the rule. Forces
stand last: where the cones alone change, their block alone is factored again. Rounds beyond the first move the
multipliers of bounds, cones and contact rows, which makes them exact where they can all hold (contact rows that do not
converge stay as they are: cones and bounds come first); in one round they hold to about 1e-4 of the weights, and a
request that contradicts gives way. Torques are checked behind: those beyond their limits become bounds and it is solved
again. No y is ever refused: a figure that cannot do what it is asked does what comes nearest. Checked in
tests/control/test_whole_body.py against SciPy.
"""

from __future__ import annotations

from bunraku.control.cone_curvature import curvature, is_curved
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.kernel.compile import inline, part
from bunraku.linalg.dense import back, factor, padded

BOUND_PENALTY = 100.0  # of the largest curvature of the joints
PAIR_PENALTY = 4e3  # of an acceleration of two bodies towards each other: above tasks, below balance and contacts
ENOUGH = 0.1  # of the tolerance: a motion so settled ends the iteration even where forces still change their state
NEARLY = 0.1  # m/s^2 times the root of a weight: contact rows that hold so well are refined further


@inline
def choose_penalties(p: WholeBodyProblem):
    """Penalties of bounds and of cones, from the curvature of the form."""
    form, width = p.form, p.count.width
    a = 1.0
    f = 1e-9
    for k in range(p.count.unknowns):
        d = form[k * width + k]
        if k < p.count.first_force:
            a = max(a, d)
        else:
            f = max(f, d)
    p.settings.bound_penalty = BOUND_PENALTY * a
    p.settings.cone_penalty = p.settings.cone_part * f


@inline
def dense_penalty(p: WholeBodyProblem, k):
    """Penalty of a dense row: of a pair of bodies that stays apart, or of a torque."""
    if k < p.count.pairs:
        return PAIR_PENALTY
    big = 1e-12
    for c in range(p.count.unknowns):
        big = max(big, p.dense[k, c] * p.dense[k, c])
    return p.settings.bound_penalty / big


@inline
def along_turn(p: WholeBodyProblem, k, y):
    """Turn k of a ball: row . y."""
    row, d = p.turn[k].row, p.turn_dof[k]
    return row[0] * y[d] + row[1] * y[d + 1] + row[2] * y[d + 2]


@inline
def along_dense(p: WholeBodyProblem, k, y):
    """Dense row k . y."""
    x = 0.0
    for c in range(p.count.unknowns):
        x += p.dense[k, c] * y[c]
    return x


@part
def note_bounds(p: WholeBodyProblem):
    """Which bounds act at y; returns whether one changed."""
    y, acts, lam, stiff = p.y, p.acts, p.lam, p.settings.bound_penalty
    nj, n = len(p.bound), p.count.unknowns
    changed = False
    for j in range(nj):
        s = 0
        if y[j] - p.bound[j].least - max(lam[j], 0.0) / stiff < 0.0:
            s = -1
        elif p.bound[j].most - y[j] + min(lam[j], 0.0) / stiff < 0.0:
            s = 1
        if s != acts[j]:
            changed = True
            acts[j] = s
    for k in range(len(p.turn)):
        s = 1 if along_turn(p, k, y) - p.turn[k].least - lam[nj + k] / stiff < 0.0 else 0
        if s != acts[nj + k]:
            changed = True
            acts[nj + k] = s
    first = nj + len(p.turn)
    for k in range(p.count.dense):
        s = 1 if along_dense(p, k, y) - p.dense[k, n] - lam[first + k] / dense_penalty(p, k) < 0.0 else 0
        if s != acts[first + k]:
            changed = True
            acts[first + k] = s
    return changed


@part
def add_bounds(p: WholeBodyProblem):
    """Curvature and right side of the bounds that act, into the factors."""
    form, dense, acts, lam, stiff = p.factors, p.dense, p.acts, p.lam, p.settings.bound_penalty
    nj, n, width = len(p.bound), p.count.unknowns, p.count.width
    for j in range(nj):
        if acts[j] != 0:
            form[j * width + j] += stiff
            form[j * width + n] += stiff * (p.bound[j].least if acts[j] < 0 else p.bound[j].most) + lam[j]
    for k in range(len(p.turn)):
        if acts[nj + k] != 0:
            d, row, least = p.turn_dof[k], p.turn[k].row, p.turn[k].least
            for a in range(3):
                for b in range(a, 3):
                    form[(d + a) * width + d + b] += stiff * row[a] * row[b]
                form[(d + a) * width + n] += row[a] * (stiff * least + lam[nj + k])
    first = nj + len(p.turn)
    for k in range(p.count.dense):
        if acts[first + k] != 0:
            w = dense_penalty(p, k)
            for a in range(n):
                for b in range(a, n):
                    form[a * width + b] += w * dense[k, a] * dense[k, b]
                form[a * width + n] += dense[k, a] * (w * dense[k, n] + lam[first + k])


@part
def note_cones(p: WholeBodyProblem):
    """Curvature and state of every cone at y; returns whether a state changed, or one lies between (2)."""
    y, acts, stiff = p.y, p.acts, p.settings.cone_penalty
    first = acts.shape[0] - len(p.cone)
    result = 0
    for k in range(p.count.contacts):
        c, cone, contact = p.count.first_force + 3 * k, p.cone[k], p.contact[k]
        lam = cone.multiplier
        a, b, d = y[c] - contact.least + lam[0] / stiff, y[c + 1] + lam[1] / stiff, y[c + 2] + lam[2] / stiff
        s, D, offset = curvature(a, b, d, contact.friction, contact.radius)
        cone.nn, cone.nx, cone.ny, cone.xx, cone.xy, cone.yy = D
        cone.offset = offset
        if s != acts[first + k]:
            result = 1
            acts[first + k] = s
        elif is_curved(s) and result == 0:
            result = 2
    return result


@part
def add_cones(p: WholeBodyProblem):
    """Curvature and right side of the cones, into the factors."""
    form, stiff = p.factors, p.settings.cone_penalty
    n, width = p.count.unknowns, p.count.width
    for k in range(p.count.contacts):
        c, cone, lam = p.count.first_force + 3 * k, p.cone[k], p.cone[k].multiplier
        nn, nx, ny, xx, xy, yy = cone.nn, cone.nx, cone.ny, cone.xx, cone.xy, cone.yy
        form[c * width + c] += stiff * nn
        form[c * width + c + 1] += stiff * nx
        form[c * width + c + 2] += stiff * ny
        form[(c + 1) * width + c + 1] += stiff * xx
        form[(c + 1) * width + c + 2] += stiff * xy
        form[(c + 2) * width + c + 2] += stiff * yy
        least = stiff * p.contact[k].least
        form[c * width + n] += least * nn - (nn * lam[0] + nx * lam[1] + ny * lam[2])
        form[(c + 1) * width + n] += least * nx + stiff * cone.offset[0] - (nx * lam[0] + xx * lam[1] + xy * lam[2])
        form[(c + 2) * width + n] += least * ny + stiff * cone.offset[1] - (ny * lam[0] + xy * lam[1] + yy * lam[2])


@part
def slope(p: WholeBodyProblem, t, straight, bend):
    """Derivative at y + t d of the whole cost along d; straight + t bend is that of the quadratic part."""
    y, d, lam, dense = p.y, p.after, p.lam, p.dense
    stiff, cone_stiff, n = p.settings.bound_penalty, p.settings.cone_penalty, p.count.unknowns
    total = straight + t * bend
    nj = len(p.bound)
    for j in range(nj):
        x = y[j] + t * d[j]
        low = p.bound[j].least + max(lam[j], 0.0) / stiff - x
        high = x - p.bound[j].most - min(lam[j], 0.0) / stiff
        if low > 0.0:
            total -= stiff * low * d[j]
        elif high > 0.0:
            total += stiff * high * d[j]
    for k in range(len(p.turn)):
        i, row = p.turn_dof[k], p.turn[k].row
        x = 0.0
        r = 0.0
        for e in range(3):
            x += row[e] * (y[i + e] + t * d[i + e])
            r += row[e] * d[i + e]
        total -= stiff * max(p.turn[k].least + lam[nj + k] / stiff - x, 0.0) * r
    first = nj + len(p.turn)
    for k in range(p.count.dense):
        x = 0.0
        r = 0.0
        for c in range(n):
            x += dense[k, c] * (y[c] + t * d[c])
            r += dense[k, c] * d[c]
        w = dense_penalty(p, k)
        total -= w * max(dense[k, n] + lam[first + k] / w - x, 0.0) * r
    for k in range(p.count.contacts):
        c, contact, of = p.count.first_force + 3 * k, p.contact[k], p.cone[k].multiplier
        z0 = y[c] - contact.least + t * d[c] + of[0] / cone_stiff
        z1 = y[c + 1] + t * d[c + 1] + of[1] / cone_stiff
        z2 = y[c + 2] + t * d[c + 2] + of[2] / cone_stiff
        _, D, o = curvature(z0, z1, z2, contact.friction, contact.radius)
        total += cone_stiff * d[c] * (D[0] * z0 + D[1] * z1 + D[2] * z2)
        total += cone_stiff * d[c + 1] * (D[1] * z0 + D[3] * z1 + D[4] * z2 - o[0])
        total += cone_stiff * d[c + 2] * (D[2] * z0 + D[4] * z1 + D[5] * z2 - o[1])
    return total


@part
def line(p: WholeBodyProblem):
    """How far to go along d from y: to the least cost, found by halving, or 1 where the whole step is good enough. The
    cost is convex."""
    y, d, form = p.y, p.after, p.form
    n, width = p.count.unknowns, p.count.width
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
    begin = slope(p, 0.0, straight, bend)
    if slope(p, 1.0, straight, bend) <= 0.5 * abs(begin):
        return 1.0
    low = 0.0
    high = 1.0
    for _ in range(10):
        middle = 0.5 * (low + high)
        if slope(p, middle, straight, bend) > 0.0:
            high = middle
        else:
            low = middle
    return high if low == 0.0 else low


@part
def eliminate(p: WholeBodyProblem, first, last):
    """Factors of unknowns first … last - 1, whole lanes; the rows behind become their Schur complement."""
    width = p.count.width
    size = width - first
    factor(p.factors, first * (width + 1), width, size, last - first, True, p.tiny[first:], p.inverse[first:])


@part
def settled(p: WholeBodyProblem, changed, cones):
    """Whether y, to which the way `after` led, may stay: nothing acts otherwise there, or it hardly moved."""
    y, way = p.y, p.after
    tolerance = abs(p.settings.tolerance)
    by_motion = p.settings.tolerance < 0.0
    moved = 0.0
    size = 1.0
    for k in range(p.count.first_force if by_motion else p.count.unknowns):
        moved = max(moved, abs(way[k]))
        size = max(size, abs(y[k]))
    return (not changed and (cones == 0 or moved <= tolerance * size)) or (
        by_motion and moved <= ENOUGH * tolerance * size
    )


@part
def newton(p: WholeBodyProblem):
    """Iterate from y to the least cost for the present multipliers; returns the iterations."""
    y, after, form, F, S = p.y, p.after, p.form, p.factors, p.schur
    n, na, width = p.count.unknowns, p.count.first_force, p.count.width
    changed = True
    note_bounds(p)
    note_cones(p)
    most = p.count.patience
    for it in range(most):
        if changed:
            for k in range(width * width):
                F[k] = form[k]
            add_bounds(p)
            eliminate(p, 0, na)
            for k in range(na * width, width * width):
                S[k - na * width] = F[k]
            p.count.factors += 1
        else:
            for k in range(na * width, width * width):
                F[k] = S[k - na * width]
        add_cones(p)
        eliminate(p, na, padded(n))
        for k in range(width):
            after[k] = F[k * width + n] if k < n else 0.0
        back(F, 0, width, padded(n), padded(n), p.inverse, 0, after)
        for k in range(n):
            d = after[k] - y[k]
            after[k] = d
            y[k] += d
        changed = note_bounds(p)
        if settled(p, changed, note_cones(p)):
            return it + 1
        if it == most - 1:
            break
        for k in range(n):
            y[k] -= after[k]
        t = line(p)
        for k in range(n):
            y[k] += t * after[k]
        if t < 1.0:
            changed = note_bounds(p) or changed
            note_cones(p)
    return most


@inline
def row_error(p: WholeBodyProblem, r):
    """Contact row r . y - right, times the root of its weight."""
    rows, at, n = p.rows, r * p.count.width, p.count.unknowns
    x = -rows[at + n]
    for c in range(n):
        x += rows[at + c] * p.y[c]
    return x


@part
def move_bounds(p: WholeBodyProblem):
    """Multipliers of bounds after a round."""
    y, acts, lam, stiff = p.y, p.acts, p.lam, p.settings.bound_penalty
    nj, n = len(p.bound), p.count.unknowns
    for j in range(nj):
        if acts[j] == 0:
            lam[j] = 0.0
        else:
            lam[j] += stiff * ((p.bound[j].least if acts[j] < 0 else p.bound[j].most) - y[j])
    for k in range(len(p.turn)):
        x = along_turn(p, k, y)
        lam[nj + k] = lam[nj + k] + stiff * (p.turn[k].least - x) if acts[nj + k] != 0 else 0.0
    first = nj + len(p.turn)
    for k in range(p.count.dense):
        x = along_dense(p, k, y)
        w = dense_penalty(p, k)
        exact = acts[first + k] != 0 and k >= p.count.pairs  # bodies that come near give way
        lam[first + k] = lam[first + k] + w * (p.dense[k, n] - x) if exact else 0.0


@part
def move_cones(p: WholeBodyProblem):
    """Multipliers of cones after a round; notes how far they are from holding."""
    y, stiff = p.y, p.settings.cone_penalty
    outside = 0.0
    for k in range(p.count.contacts):
        c, cone, contact = p.count.first_force + 3 * k, p.cone[k], p.contact[k]
        lam = cone.multiplier
        a, b, d = y[c] - contact.least + lam[0] / stiff, y[c + 1] + lam[1] / stiff, y[c + 2] + lam[2] / stiff
        _, D, o = curvature(a, b, d, contact.friction, contact.radius)
        new = (
            stiff * (D[0] * a + D[1] * b + D[2] * d),
            stiff * (D[1] * a + D[3] * b + D[4] * d - o[0]),
            stiff * (D[2] * a + D[4] * b + D[5] * d - o[1]),
        )
        for i in range(3):
            outside = max(outside, abs(new[i] - lam[i]) / stiff)
        cone.multiplier = new
    p.settings.rest_cone = outside


@part
def move_contacts(p: WholeBodyProblem):
    """Multipliers of contact rows after a round, in the right side; notes how far they are from holding, below 0 where
    they cannot all hold and are not forced."""
    rows, form, settings = p.rows, p.form, p.settings
    n, width = p.count.unknowns, p.count.width
    rest = 0.0
    for r in range(3 * p.count.contacts):
        if p.contact[r // 3].gives == 0.0:
            rest = max(rest, abs(row_error(p, r)))
    last = settings.rest_contact
    if last >= 0.0 and (last == 0.0 or rest <= 0.9 * last or rest < NEARLY):
        for r in range(3 * p.count.contacts):
            if p.contact[r // 3].gives != 0.0:
                continue
            x = row_error(p, r)
            for c in range(n):
                form[c * width + n] -= x * rows[r * width + c]
        settings.rest_contact = rest
    else:
        settings.rest_contact = -rest


@part
def solve(p: WholeBodyProblem):
    """From the form and the bounds to y, in as many rounds as the count says."""
    choose_penalties(p)
    for k in range(p.lam.shape[0]):
        p.lam[k] = 0.0
    for k in range(p.count.contacts):
        p.cone[k].multiplier = (0.0, 0.0, 0.0)
    p.settings.rest_contact = 0.0
    for r in range(p.count.rounds):
        p.count.iterations += newton(p)
        if r + 1 < p.count.rounds:
            move_bounds(p)
            move_cones(p)
            move_contacts(p)
