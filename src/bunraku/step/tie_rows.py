"""Rows of connections: equalities along any of the six axes of a frame, rigid or with spring and damper, and springs
between two points.

Rigid: J v+ = -TIE error / dt, the error taken back within a few steps, at TIE_SPEED at the most. Spring and damper,
implicit: lam = -dt (k (e + dt v+) + d v+), so
    v+ + lam / (dt (d + dt k)) + k e / (d + dt k) = 0 .
A spring between two points is one such row along the line between them, e = length - rest. The frame is fixed to the
first body; a connection's turning error is the rotation vector between the two frames, or the angle between their free
axes where two are tied. Checked in tests/world/.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import add, col, cross, dot, ld3, ld9, mm, mt, mv, scale, sub
from bunraku.model.layout import DA, NW, POS, ROT
from bunraku.step.joint_rows import ONE, TIE_ORIGIN, angle, nine
from bunraku.step.relative import ACCELERATION, apart, turned_apart
from bunraku.step.rows import (
    BLOCK_KIND,
    EQUALITY,
    FIRST,
    FIRST_ROW,
    ORIGIN,
    body_source,
    force_pack,
    lanes_of,
    new_block,
    new_pack,
    pack_rate,
    turn_pack,
)
from bunraku.step.step_arrays import (
    DT,
    EXACT,
    INFO,
    N_BLOCKS,
    NUMBERS,
    OK,
    ROOM,
    TIE_IMPULSE,
    TIE_INTS,
    TIE_LAST,
    TIE_REALS,
    TRIAL,
    model_of,
    rows_of,
)

TIE = 0.8  # part of a connection's error that is taken back in a step,
TIE_SPEED = 10.0  # m/s or rad/s at the most: a body that was put elsewhere comes back without a bang

# columns of TIE_INTS; ACTIVE is 0, 1 (connection) or 2 (spring between two points); BROKEN: 1 once it was pulled apart
ACTIVE, BODY_A, BODY_B, AXES, BROKEN = range(5)
CONNECTION, SPRING = 1, 2
# columns of TIE_REALS: place and turn of the frame on either body, stiffness and damping, rest length, force and torque
# it bears
PLACE_A, TURN_A, PLACE_B, TURN_B, STIFF, DAMP, REST, MOST_FORCE, MOST_TORQUE = 0, 3, 12, 15, 24, 25, 26, 27, 28
TIE_COLUMNS = 29
ALONG, ABOUT = np.int64(0), np.int64(3)  # first axis of forces, of moments
ENDLESS = 1e300  # stiffness of a rigid connection, force that nothing exceeds


@inline
def rotation_error(E):
    """Rotation vector of a rotation matrix (m3)."""
    x = 0.5 * (E[7] - E[5])
    y = 0.5 * (E[2] - E[6])
    z = 0.5 * (E[3] - E[1])
    s = (x * x + y * y + z * z) ** 0.5
    c = 0.5 * (E[0] + E[4] + E[8] - 1.0)
    # angle over sine, from the two: the series near zero, bounded near half a turn
    k = 1.0 + s * s / 6.0 if s < 1e-4 and c > 0.0 else angle(s, c) / max(s, 1e-9)
    return (k * x, k * y, k * z)


@inline
def turning_error(F, E, mask):
    """How far a frame F is turned from E along the tied axes (mask). Two tied axes are a hinge: then the cross product
    of the two free axes, whose rate is that of the rows at any angle of the hinge. Else the rotation vector."""
    if mask == 3:
        return cross(col(E, 2), col(F, 2))
    if mask == 5:
        return cross(col(E, 1), col(F, 1))
    if mask == 6:
        return cross(col(E, 0), col(F, 0))
    return rotation_error(mm(F, mt(E)))


@part
def tie_block(h, pack, row, c, axis, rate, error):
    """The equality of one axis; returns a status."""
    rows = rows_of(h)
    ties = reals2(h, TIE_REALS)
    dt = reals1(h, NUMBERS)[DT]
    k = new_block(h, EQUALITY, pack, row, TIE_ORIGIN + 6 * c + axis)
    if k == ROOM:
        return ROOM
    stiff = ties[c, STIFF]
    if stiff < ENDLESS:
        d = ties[c, DAMP] + dt * stiff
        rows.reals[k, 0] = 1.0 / (dt * d)
        rows.b[row] = rate + stiff * error / d
    else:
        rows.b[row] = rate + min(max(TIE * error / dt, -TIE_SPEED), TIE_SPEED)
    rows.p[row] = rows.b[row]
    rows.lam[row] = reals1(h, TIE_IMPULSE)[6 * c + axis]
    return OK


@inline
def count_bits(mask):
    """Set bits among the lowest three."""
    return (mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1)


@inline
def chosen(F, mask, j):
    """The j-th of the axes of F that the mask names; zero beyond."""
    out = (0.0, 0.0, 0.0)
    seen = 0
    for k in range(3):
        if (mask >> k) & 1 != 0:
            if seen == j:
                out = (F[k], F[3 + k], F[6 + k])
            seen += 1
    return out


@part
def turning_terms(h, a, b, x, first):
    """dt H_dot v of the rows between two bodies, in the world, where rows hold to second order; else zero."""
    info = ints1(h, INFO)
    if info[EXACT] == 0 or info[TRIAL] != 0:
        return (0.0, 0.0, 0.0)
    _, _, work = model_of(h)
    dt = reals1(h, NUMBERS)[DT]
    ra = sub(x, ld3(work, a * NW + POS))
    rb = sub(x, ld3(work, b * NW + POS))
    al = ld3(work, a * NW + DA)
    be = ld3(work, b * NW + DA)
    if first == ALONG:  # all of c'' less H v'
        all_of = apart(work, ACCELERATION, a, b, x, x)
        linear = sub(ld3(work, a * NW + DA + 3), ld3(work, b * NW + DA + 3))
        return scale(dt, sub(all_of, add(linear, sub(cross(al, ra), cross(be, rb)))))
    return scale(dt, sub(turned_apart(work, ACCELERATION, a, b, ra), sub(al, be)))


@part
def three_ties(h, c, a, b, mask, first, x, F, error):
    """The rows of one connection along (first = 0) or about (3) some axes of F; returns a status."""
    _, _, work = model_of(h)
    rows = rows_of(h)
    lines = count_bits(mask)
    if lines == 0:
        return OK
    pack = new_pack(h, body_source(h, a), body_source(h, b), lines)
    if pack == ROOM:
        return ROOM
    D = lanes_of(chosen(F, mask, 0), chosen(F, mask, 1), chosen(F, mask, 2))
    if first == 0:
        force_pack(work, a, b, x, D, pack, rows.w)
    else:
        turn_pack(D, pack, rows.w)
    rate = split(pack_rate(work, a, b, rows.w, pack, reals1(h, NUMBERS)[DT]))
    more = turning_terms(h, a, b, x, first)
    j = 0
    for k in range(3):
        if (mask >> k) & 1 == 0:
            continue
        d = (F[k], F[3 + k], F[6 + k])
        v = (rate[0] if j == 0 else (rate[1] if j == 1 else rate[2])) + dot(d, more)
        if tie_block(h, pack, rows.packs[pack, FIRST] + j, c, first + k, v, dot(d, error)) == ROOM:
            return ROOM
        j += 1
    return OK


@inline
def three(table, row, k):
    """Three numbers of a table."""
    return (table[row, k], table[row, k + 1], table[row, k + 2])


@part
def tie_rows(h):
    """Packs and blocks of all connections and springs; returns a status."""
    _, _, work = model_of(h)
    tie_ints = ints2(h, TIE_INTS)
    ties = reals2(h, TIE_REALS)
    for c in range(tie_ints.shape[0]):
        if tie_ints[c, ACTIVE] == 0:
            continue
        a = tie_ints[c, BODY_A]
        b = tie_ints[c, BODY_B]
        Ra = ld9(work, a * NW + ROT)
        Rb = ld9(work, b * NW + ROT)
        xa = add(ld3(work, a * NW + POS), mv(Ra, three(ties, c, PLACE_A)))
        xb = add(ld3(work, b * NW + POS), mv(Rb, three(ties, c, PLACE_B)))
        gap = sub(xa, xb)
        if tie_ints[c, ACTIVE] == SPRING:
            status = spring_row(h, c, a, b, xa, xb, gap)
        else:
            F = mm(Ra, nine(ties, c, TURN_A))
            status = three_ties(h, c, a, b, tie_ints[c, AXES] & 7, ALONG, xb, F, gap)
            if status == OK and tie_ints[c, AXES] > 7:
                twist = turning_error(F, mm(Rb, nine(ties, c, TURN_B)), tie_ints[c, AXES] >> 3)
                status = three_ties(h, c, a, b, tie_ints[c, AXES] >> 3, ABOUT, xb, F, twist)
        if status != OK:
            return status
    return OK


@part
def spring_row(h, c, a, b, xa, xb, gap):
    """A spring between two points; returns a status."""
    _, _, work = model_of(h)
    rows = rows_of(h)
    length = dot(gap, gap) ** 0.5
    d = scale(1.0 / length, gap) if length > 1e-9 else (0.0, 0.0, 1.0)
    pack = new_pack(h, body_source(h, a), body_source(h, b), ONE)
    if pack == ROOM:
        return ROOM
    none = (0.0, 0.0, 0.0)
    # along the line, where on the line does not matter: the middle
    force_pack(work, a, b, scale(0.5, add(xa, xb)), lanes_of(d, none, none), pack, rows.w)
    rate, _, _, _ = split(pack_rate(work, a, b, rows.w, pack, reals1(h, NUMBERS)[DT]))
    error = length - reals2(h, TIE_REALS)[c, REST]
    return tie_block(h, pack, rows.packs[pack, FIRST], c, ALONG, rate, error)


@part
def keep_ties(h):
    """Remember this step's impulses of connections, and cut those that were pulled too hard."""
    rows = rows_of(h)
    impulse = reals1(h, TIE_IMPULSE)
    last = reals1(h, TIE_LAST)
    tie_ints = ints2(h, TIE_INTS)
    ties = reals2(h, TIE_REALS)
    dt = reals1(h, NUMBERS)[DT]
    for k in range(impulse.shape[0]):
        impulse[k] = 0.0
    for k in range(rows.count[N_BLOCKS]):
        if rows.blocks[k, BLOCK_KIND] == EQUALITY and rows.blocks[k, ORIGIN] >= TIE_ORIGIN:
            impulse[rows.blocks[k, ORIGIN] - TIE_ORIGIN] = rows.lam[rows.blocks[k, FIRST_ROW]]
    for k in range(impulse.shape[0]):
        last[k] = impulse[k] / dt
    for c in range(tie_ints.shape[0]):
        if tie_ints[c, ACTIVE] == 0:
            continue
        force = last[6 * c] ** 2 + last[6 * c + 1] ** 2 + last[6 * c + 2] ** 2
        torque = last[6 * c + 3] ** 2 + last[6 * c + 4] ** 2 + last[6 * c + 5] ** 2
        if force > ties[c, MOST_FORCE] ** 2 or torque > ties[c, MOST_TORQUE] ** 2:
            tie_ints[c, ACTIVE] = 0
            tie_ints[c, BROKEN] = 1
            for k in range(6):
                impulse[6 * c + k] = 0.0
