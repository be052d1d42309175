"""Closed loops: the rows of rigid connections and kept gears alone, of positions, rates or accelerations, and what
makes them zero.

With c the error of a row, H its row of the Jacobian and A the mass matrix,
    positions       dq = A^-1 H' lam,   K lam = -c
    rates           dv = A^-1 H' lam,   K lam = -H v                    impulse of a new connection, (18)
    accelerations   da = A^-1 H' lam,   K lam = -(H v' + H_dot v)       (11) of Nakamura & Yamane 2000
with K = H A^-1 H' and lam of least norm, island by island. How rows are written: bunraku.step.relative. World axes. The
bodies' poses, rates and articulated inertias stand in the scratch as aba and `drift` left them.

Least norm, whatever the rank of K, in the metric of its diagonal D: bunraku.linalg.dense's answer nearest to zero with
eps = SOFT. A direction whose eigenvalue of D^-1/2 K D^-1/2 is s converges like (SOFT / (s + SOFT))^REPEATS, a redundant
one stays at zero, and so does one that a singular pose has taken away. So redundant rows share their load evenly, and
nothing blows up where a mechanism is stretched straight. What K's rounding may hide (NOISE) is added to SOFT. Cost
m^3/6 multiply-adds. Checked in tests/world/test_loops.py, and in tests/step/test_least.py against NumPy's
pseudo-inverse.
"""

from __future__ import annotations

from bunraku.contact.dense_front import Dense
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import dot, scale
from bunraku.linalg.dense import approach, factor_regular, padded, regularise, substitute
from bunraku.step.island import fill_matrix, gather
from bunraku.step.joint_rows import ONE
from bunraku.step.relative import POSITION, RATE, apart, slip_apart, turned_apart
from bunraku.step.response import velocity_change
from bunraku.step.rows import begin, find_islands, joint_pack, joint_source, new_pack, trace_all
from bunraku.step.step_arrays import LOOPS_LARGE, OK, ROOM, Rows, Step
from bunraku.step.tie_rows import (
    ABOUT,
    ALONG,
    chosen,
    count_bits,
    ends_of,
    first_frame,
    is_rigid,
    rolling_point,
    second_frame,
    tie_pack,
    turning_error,
)
from bunraku.step.universal import bend_turn, bent, bent_apart, one_turn, thrice

SOFT = 1e-10  # of the diagonal: directions below it count as lost
NOISE = 1e-13  # of the largest entry: rounding of K
REPEATS = 4


@part
def count_loops(s: Step):
    """Rigid connections and kept gears."""
    n = len(s.gears)
    for c in range(len(s.ties)):
        if is_rigid(s, c):
            n += 1
    return n


@part
def loop_pack(s: Step, c, first, mask, x, F, value):
    """The rows along (ALONG) or about (ABOUT) the axes of F that the mask names; returns a status."""
    if mask == 0:
        return OK
    pack = tie_pack(s, c, mask, first, x, F)
    if pack == ROOM:
        return ROOM
    r = s.rows.packs[pack].first
    for j in range(count_bits(mask)):
        s.rows.b[r + j] = dot(chosen(F, mask, j), value)
    return OK


@part
def loop_rows(s: Step, level):
    """Packs of all rigid connections, then of kept gears; returns a status."""
    work = s.work
    begin(s.rows)
    for c in range(len(s.ties)):
        if not is_rigid(s, c):
            continue
        kind = s.tie_kinds[c]
        a = kind.body_a
        b = kind.body_b
        xa, xb = ends_of(s, c)
        F = first_frame(s, c)
        status = loop_pack(s, c, ALONG, kind.axes & 7, xb, F, apart(work, level, a, b, xa, xb))
        if status == OK and kind.axes > 7:
            turns = kind.axes >> 3
            E = second_frame(s, c)
            if one_turn(turns):
                d, far = bent(F, E, turns, False)
                value = bent_apart(work, level, a, b, scale(far, d), bend_turn(work, a, b, F, E, turns))
                status = loop_pack(s, c, ABOUT, turns, xb, thrice(d), value)
            else:
                value = turned_apart(work, level, a, b, turning_error(F, E, turns))
                status = loop_pack(s, c, ABOUT, turns, xb, F, value)
        if status == OK and kind.rates != 0:
            status = rate_packs(s, c, level, xa, xb, F)
        if status != OK:
            return status
    if level == RATE:
        add_bounces(s)
    return kept_gears(s, level)


@part
def rate_packs(s: Step, c, level, xa, xb, F):
    """Packs of axes whose rates alone are tied; returns a status."""
    kind = s.tie_kinds[c]
    a = kind.body_a
    b = kind.body_b
    x, going = rolling_point(s, c, xa, xb, F)
    status = loop_pack(s, c, ALONG, kind.rates & 7, x, F, slip_apart(s.work, level, a, b, x, going))
    if status == OK:
        turned = turned_apart(s.work, level, a, b, (0.0, 0.0, 0.0))
        status = loop_pack(s, c, ABOUT, kind.rates >> 3, x, F, turned)
    return status


@part
def add_bounces(s: Step):
    """The rates that connections which are born in this step are to keep."""
    r = 0
    for c in range(len(s.ties)):
        if is_rigid(s, c):
            for k in range(12):
                if loop_axis(s, c, k):
                    s.rows.b[r] += s.ties[c].bounce[k % 6]
                    r += 1


@inline
def loop_axis(s: Step, c, k):
    """Whether connection c has the k-th row of twelve: tied axes, then those whose rates alone are."""
    kind = s.tie_kinds[c]
    return ((kind.axes if k < 6 else kind.rates) >> (k % 6)) & 1 != 0


@part
def kept_gears(s: Step, level):
    """Packs of kept gears: sum coefficient q = constant; returns a status."""
    rows = s.rows
    for g in range(len(s.gears)):
        gear = s.gears[g]
        value = -gear.constant if level == POSITION else 0.0
        for k in range(2):
            side = gear.side[k]
            d = side.dof
            x = s.q[side.iq] if level == POSITION else (s.v[d] if level == RATE else s.accel[d])
            value += side.coefficient * x
        one = gear.side[0]
        other = gear.side[1]
        pack = new_pack(rows, joint_source(rows, one.lead), joint_source(rows, other.lead), ONE)
        if pack == ROOM:
            return ROOM
        joint_pack(one.coefficient, other.coefficient, pack, rows.w)
        rows.b[rows.packs[pack].first] = value
    return OK


@part
def largest_row(rows: Rows):
    """Of |b|."""
    worst = 0.0
    for r in range(rows.count.rows):
        worst = max(worst, abs(rows.b[r]))
    return worst


@part
def least_norm(island: Dense, m):
    """lam[:m] from the leading m rows of K and b."""
    K, A, p = island.K, island.A, island.problem
    n = padded(m)
    top = 0.0
    for i in range(m):
        top = max(top, K[i, i])
        for j in range(i, m):
            A[i * n + j] = K[i, j]
    added = p.right
    regularise(A, m, SOFT, NOISE * top, added)
    factor_regular(A, m, added, p.tiny, p.inverse)
    for i in range(n):
        p.lam[i] = 0.0
        p.step[i] = -p.b[i] if i < m else 0.0
    for _ in range(REPEATS):
        substitute(A, n, n, p.inverse, p.step)
        approach(m, SOFT, added, p.lam, p.step)


@part
def close_loops(s: Step, level, out):
    """`out` (nv) = the dq, dv or da that makes every row zero; returns (status, largest row before)."""
    status = loop_rows(s, level)
    if status == OK:
        status = trace_all(s)
    if status != OK:
        return status, 0.0
    rows = s.rows
    find_islands(rows)
    start = rows.island_start
    for t in range(start.shape[0] - 1):
        if start[t] == start[t + 1]:
            continue
        m, _ = gather(s, start[t], start[t + 1], rows.b)
        if m > s.island.K.shape[0]:
            return LOOPS_LARGE, 0.0
        fill_matrix(s, start[t], start[t + 1], m)
        least_norm(s.island, m)
        for p in range(start[t], start[t + 1]):
            pack = rows.packs[rows.by_island[p]]
            for j in range(pack.lines):
                rows.lam[pack.first + j] = s.problem.lam[pack.place + j]
    worst = largest_row(rows)
    velocity_change(s, out)
    return OK, worst


@part
def measure_loops(s: Step):
    """(status, largest error of positions)."""
    status = loop_rows(s, POSITION)
    return status, largest_row(s.rows)


@part
def add_loop_forces(s: Step, weight):
    """Add `weight` times the last lam to the forces of connections."""
    r = 0
    for c in range(len(s.ties)):
        if is_rigid(s, c):
            for k in range(12):
                if loop_axis(s, c, k):
                    s.tie_last[6 * c + k % 6] += weight * s.rows.lam[r]
                    r += 1


@part
def clear_loop_forces(s: Step):
    """Forget the forces of rigid connections."""
    for c in range(len(s.ties)):
        if is_rigid(s, c):
            for k in range(6):
                s.tie_last[6 * c + k] = 0.0
