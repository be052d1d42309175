"""Closed loops: the rows of rigid connections and kept gears alone, of positions, rates or accelerations, and what
makes them zero.

With c the error of a row, H its row of the Jacobian and A the mass matrix,
    positions       dq = A^-1 H' lam,   K lam = -c
    rates           dv = A^-1 H' lam,   K lam = -H v                    impulse of a new connection, 000 (18)
    accelerations   da = A^-1 H' lam,   K lam = -(H v' + H_dot v)       000 (11)
with K = H A^-1 H' and lam of least norm (bunraku.step.least), island by island. How rows are written:
bunraku.step.relative. World axes. The bodies' poses, rates and articulated inertias stand in the scratch as aba and
`drift` left them. Checked in tests/world/test_loops.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import add, dot, ld3, ld9, mm, mv
from bunraku.model.layout import NW, POS, ROT
from bunraku.step.island import fill_matrix, gather
from bunraku.step.joint_rows import CONSTANT, GEAR_A, GEAR_B, ONE, nine
from bunraku.step.least import least_norm
from bunraku.step.relative import POSITION, RATE, apart, turned_apart
from bunraku.step.rows import (
    FIRST,
    LINES,
    PLACE,
    begin,
    body_source,
    find_islands,
    force_pack,
    joint_pack,
    joint_source,
    lanes_of,
    new_pack,
    trace_all,
    turn_pack,
)
from bunraku.step.step_arrays import (
    ACCEL,
    BY_ISLAND,
    GEARS,
    ISLAND_LAM,
    ISLAND_START,
    LOOPS_LARGE,
    N_ROWS,
    OK,
    RATE_B,
    ROOM,
    TIE_INTS,
    TIE_LAST,
    TIE_REALS,
    K,
    Q,
    V,
    model_of,
    rows_of,
)
from bunraku.step.tie_rows import (
    ACTIVE,
    AXES,
    BODY_A,
    BODY_B,
    CONNECTION,
    ENDLESS,
    PLACE_A,
    PLACE_B,
    STIFF,
    TURN_A,
    TURN_B,
    chosen,
    count_bits,
    three,
    turning_error,
)
from bunraku.step.velocity import velocity_change

ALONG, ABOUT = np.int64(0), np.int64(3)


@inline
def is_rigid(tie_ints, ties, c):
    """Whether connection c holds and does not give way."""
    return tie_ints[c, ACTIVE] == CONNECTION and ties[c, STIFF] >= ENDLESS


@part
def count_loops(h):
    """Rigid connections and kept gears."""
    tie_ints = ints2(h, TIE_INTS)
    ties = reals2(h, TIE_REALS)
    n = reals2(h, GEARS).shape[0]
    for c in range(tie_ints.shape[0]):
        if is_rigid(tie_ints, ties, c):
            n += 1
    return n


@part
def loop_pack(h, first, a, b, mask, x, F, value):
    """The rows along (ALONG) or about (ABOUT) the axes of F that the mask names; returns a status."""
    _, _, work = model_of(h)
    rows = rows_of(h)
    lines = count_bits(mask)
    if lines == 0:
        return OK
    pack = new_pack(h, body_source(h, a), body_source(h, b), lines)
    if pack == ROOM:
        return ROOM
    D = lanes_of(chosen(F, mask, 0), chosen(F, mask, 1), chosen(F, mask, 2))
    if first == ALONG:
        force_pack(work, a, b, x, D, pack, rows.w)
    else:
        turn_pack(D, pack, rows.w)
    r = rows.packs[pack, FIRST]
    for j in range(lines):
        rows.b[r + j] = dot(chosen(F, mask, j), value)
    return OK


@part
def loop_rows(h, level):
    """Packs of all rigid connections, then of kept gears; returns a status."""
    _, _, work = model_of(h)
    begin(rows_of(h))
    tie_ints = ints2(h, TIE_INTS)
    ties = reals2(h, TIE_REALS)
    for c in range(tie_ints.shape[0]):
        if not is_rigid(tie_ints, ties, c):
            continue
        a = tie_ints[c, BODY_A]
        b = tie_ints[c, BODY_B]
        Ra = ld9(work, a * NW + ROT)
        Rb = ld9(work, b * NW + ROT)
        xa = add(ld3(work, a * NW + POS), mv(Ra, three(ties, c, PLACE_A)))
        xb = add(ld3(work, b * NW + POS), mv(Rb, three(ties, c, PLACE_B)))
        F = mm(Ra, nine(ties, c, TURN_A))
        status = loop_pack(h, ALONG, a, b, tie_ints[c, AXES] & 7, xb, F, apart(work, level, a, b, xa, xb))
        if status == OK and tie_ints[c, AXES] > 7:
            twist = turning_error(F, mm(Rb, nine(ties, c, TURN_B)), tie_ints[c, AXES] >> 3)
            status = loop_pack(h, ABOUT, a, b, tie_ints[c, AXES] >> 3, xb, F, turned_apart(work, level, a, b, twist))
        if status != OK:
            return status
    return kept_gears(h, level)


@part
def kept_gears(h, level):
    """Packs of kept gears: sum coefficient q = constant; returns a status."""
    gears = reals2(h, GEARS)
    rows = rows_of(h)
    q = reals1(h, Q)
    v = reals1(h, V)
    a = reals1(h, ACCEL)
    for g in range(gears.shape[0]):
        value = -gears[g, CONSTANT] if level == POSITION else 0.0
        for k in (GEAR_A, GEAR_B):
            d = int(gears[g, k])
            x = q[int(gears[g, k + 1])] if level == POSITION else (v[d] if level == RATE else a[d])
            value += gears[g, k + 2] * x
        pack = new_pack(h, joint_source(h, int(gears[g, GEAR_A + 3])), joint_source(h, int(gears[g, GEAR_B + 3])), ONE)
        if pack == ROOM:
            return ROOM
        joint_pack(gears[g, GEAR_A + 2], gears[g, GEAR_B + 2], pack, rows.w)
        rows.b[rows.packs[pack, FIRST]] = value
    return OK


@part
def close_loops(h, level, out):
    """Array `out` = the dq, dv or da that makes every row zero; returns (status, largest row before)."""
    status = loop_rows(h, level)
    if status == OK:
        status = trace_all(h)
    if status != OK:
        return status, 0.0
    find_islands(h)
    rows = rows_of(h)
    start = ints1(h, ISLAND_START)
    order = ints1(h, BY_ISLAND)
    lam = reals1(h, ISLAND_LAM)
    k_rows = reals2(h, K).shape[0]
    for t in range(start.shape[0] - 1):
        if start[t] == start[t + 1]:
            continue
        m, _ = gather(h, start[t], start[t + 1], RATE_B)
        if m > k_rows:
            return LOOPS_LARGE, 0.0
        fill_matrix(h, start[t], start[t + 1], m)
        least_norm(h, m)
        for p in range(start[t], start[t + 1]):
            for j in range(rows.packs[order[p], LINES]):
                rows.lam[rows.packs[order[p], FIRST] + j] = lam[rows.packs[order[p], PLACE] + j]
    worst = 0.0
    for r in range(rows.count[N_ROWS]):
        worst = max(worst, abs(rows.b[r]))
    velocity_change(h, out)
    return OK, worst


@part
def measure_loops(h):
    """(status, largest error of positions)."""
    status = loop_rows(h, POSITION)
    rows = rows_of(h)
    worst = 0.0
    for r in range(rows.count[N_ROWS]):
        worst = max(worst, abs(rows.b[r]))
    return status, worst


@part
def add_loop_forces(h, weight):
    """Add `weight` times the last lam to the forces of connections."""
    rows = rows_of(h)
    tie_ints = ints2(h, TIE_INTS)
    ties = reals2(h, TIE_REALS)
    force = reals1(h, TIE_LAST)
    r = 0
    for c in range(tie_ints.shape[0]):
        if is_rigid(tie_ints, ties, c):
            for k in range(6):
                if (tie_ints[c, AXES] >> k) & 1 != 0:
                    force[6 * c + k] += weight * rows.lam[r]
                    r += 1


@part
def clear_loop_forces(h):
    """Forget the forces of rigid connections."""
    tie_ints = ints2(h, TIE_INTS)
    ties = reals2(h, TIE_REALS)
    force = reals1(h, TIE_LAST)
    for c in range(tie_ints.shape[0]):
        if is_rigid(tie_ints, ties, c):
            for k in range(6):
                force[6 * c + k] = 0.0
