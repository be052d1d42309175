"""Rows of joints: limits, Coulomb friction, swing and twist of balls, and gears that the tree could not eliminate.

Limit: one row with lam >= 0 at each end that the joint would reach in the step. Friction: one row with |lam| <=
friction dt that brings the rate to zero. Ball: with z' the plug's z axis, swing' = (ez x z').w / |ez x z'| and twist' =
(ez + z').w / (1 + ez.z') (002, section 2.5.3, corrected): moments between a body and its parent. Kept gear: row . q =
constant, an equality between two joints. Overlap is taken back as for contacts. Checked in tests/world/test_joints.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints2, reals1, reals2
from bunraku.kernel.vec import add, axpy, col, cross, dot, ld3, ld9, mm, scale, sub
from bunraku.model.layout import DA, NW, OMEGA, PARENT, ROT
from bunraku.model.layout import TURN as JOINT_TURN
from bunraku.step.contact_rows import PUSH, PUSH_SPEED
from bunraku.step.rows import (
    BLOCK_KIND,
    BOUNDED,
    EQUALITY,
    FIRST,
    FIRST_ROW,
    ORIGIN,
    body_source,
    joint_pack,
    joint_source,
    lanes_of,
    new_block,
    new_pack,
    turn_pack,
)
from bunraku.step.step_arrays import (
    ACCEL,
    BALL_INTS,
    BALLS,
    DOF,
    DT,
    GEARS,
    JOINT_IMPULSE,
    LIMITS,
    N_BLOCKS,
    NUMBERS,
    OK,
    ROOM,
    Q,
    V,
    model_of,
    rows_of,
)

AT_REST = 1e-9  # rad/s or m/s: rounding
NEAR = 1e-3  # rad or m ahead of a limit from which it counts
FREE_END = 1e300
NONE, ONE = np.int64(-1), np.int64(1)
NEAR_LIMITS, ACTING_LIMITS = np.int64(0), np.int64(1)  # which limits get rows

# columns of DOF (ints): the joint's (group's first) body or 0, index into q, whether limited, whether it has friction
LEAD, IQ, LIMITED, RUBS = range(4)
# columns of LIMITS (reals)
LOWER, UPPER, FRICTION = range(3)
# columns of GEARS (reals): dof, index into q, coefficient and body of the one and of the other joint, constant
GEAR_A, GEAR_B, CONSTANT = 0, 4, 8
GEAR_COLUMNS = 9
# origins of bounded and equality rows: where their impulse is kept in JOINT_IMPULSE is the origin itself
TIE_ORIGIN = 1 << 40  # origins from here on belong to connections (bunraku.step.tie_rows)


@inline
def end_rate(gap, free, dt):
    """b of a row that keeps `gap` from closing."""
    return free + (gap / dt if gap > 0.0 else max(PUSH * gap / dt, -PUSH_SPEED))


@part
def one_joint_row(h, lead, sign, kind, origin, low, high, b):
    """A bounded or equality row on one joint; returns a status."""
    rows = rows_of(h)
    pack = new_pack(h, joint_source(h, lead), NONE, ONE)
    if pack == ROOM:
        return ROOM
    r = rows.packs[pack, FIRST]
    k = new_block(h, kind, pack, r, origin)
    if k == ROOM:
        return ROOM
    joint_pack(sign, 0.0, pack, rows.w)
    rows.reals[k, 1] = low
    rows.reals[k, 2] = high
    rows.b[r] = b
    rows.p[r] = b
    rows.lam[r] = min(max(reals1(h, JOINT_IMPULSE)[origin], low), high)
    return OK


@part
def joint_rows(h, acting):
    """Limits and friction of hinges, sliders and gear groups, then balls, then kept gears; returns a status.

    acting: NEAR_LIMITS, all that are near; ACTING_LIMITS, those that acted in the last step or are passed at the
    present rate (`limits_hold` checks the others)."""
    dof = ints2(h, DOF)
    limits = reals2(h, LIMITS)
    q = reals1(h, Q)
    v = reals1(h, V)
    a = reals1(h, ACCEL)
    kept = reals1(h, JOINT_IMPULSE)
    dt = reals1(h, NUMBERS)[DT]
    for d in range(dof.shape[0]):
        i = dof[d, LEAD]
        if i == 0:
            continue
        free = v[d] + dt * a[d]
        if dof[d, LIMITED] != 0:
            x = q[dof[d, IQ]]
            for end in range(2):
                sign = 1.0 if end == 0 else -1.0
                gap = x - limits[d, LOWER] if end == 0 else limits[d, UPPER] - x
                if gap + dt * sign * free > NEAR:
                    continue
                if acting != 0 and kept[3 * d + end] == 0.0 and end_rate(gap, sign * v[d], dt) >= -AT_REST:
                    continue
                b = end_rate(gap, sign * free, dt)
                if one_joint_row(h, i, sign, BOUNDED, 3 * d + end, 0.0, FREE_END, b) == ROOM:
                    return ROOM
        if dof[d, RUBS] != 0:
            most = limits[d, FRICTION] * dt
            if one_joint_row(h, i, 1.0, BOUNDED, 3 * d + 2, -most, most, free) == ROOM:
                return ROOM
    status = ball_rows(h)
    if status != OK:
        return status
    return gear_rows(h)


@part
def limits_hold(h, rates):
    """Whether no hinge or slider passes a limit with the rates in array `rates`, to AT_REST and as much of the largest
    rate."""
    dof = ints2(h, DOF)
    limits = reals2(h, LIMITS)
    q = reals1(h, Q)
    v = reals1(h, rates)
    dt = reals1(h, NUMBERS)[DT]
    worst = 0.0
    fastest = 1.0
    for d in range(dof.shape[0]):
        fastest = max(fastest, abs(v[d]))
        if dof[d, LEAD] != 0 and dof[d, LIMITED] != 0:
            x = q[dof[d, IQ]]
            worst = min(worst, end_rate(x - limits[d, LOWER], v[d], dt), end_rate(limits[d, UPPER] - x, -v[d], dt))
    return worst >= -AT_REST * fastest


@part
def ball_rows(h):
    """Swing and twist limits; returns a status."""
    ints, reals, work = model_of(h)
    balls = reals2(h, BALLS)
    which = ints2(h, BALL_INTS)
    dt = reals1(h, NUMBERS)[DT]
    first = 3 * ints2(h, DOF).shape[0]
    for k in range(which.shape[0]):
        i = which[k, 0]
        p = ints[i, PARENT]
        S = mm(ld9(work, p * NW + ROT), nine(reals, i, JOINT_TURN))  # the socket in the world
        P = ld9(work, i * NW + ROT)
        ez = col(S, 2)
        z = col(P, 2)
        lean = cross(ez, z)
        s = dot(lean, lean) ** 0.5
        c = dot(ez, z)
        swing = angle(s, c)
        if s > 1e-9:
            gap = balls[k, 0] - swing
            if turn_limit(h, i, p, scale(-1.0 / s, lean), gap, dt, first + 3 * k) == ROOM:
                return ROOM
        if c > -0.999:
            d = scale(1.0 / (1.0 + c), add(ez, z))
            twist = twist_angle(S, P)
            if turn_limit(h, i, p, d, twist - balls[k, 1], dt, first + 3 * k + 1) == ROOM:
                return ROOM
            if turn_limit(h, i, p, scale(-1.0, d), balls[k, 2] - twist, dt, first + 3 * k + 2) == ROOM:
                return ROOM
    return OK


@part
def turn_limit(h, i, p, d, gap, dt, origin):
    """A row for a moment along d on body i against p that keeps `gap` from closing, where it is near; returns a status."""
    _, _, work = model_of(h)
    free = dot(d, sub(turning(work, i, dt), turning(work, p, dt)))
    if gap + dt * free > NEAR:
        return OK
    rows = rows_of(h)
    pack = new_pack(h, body_source(h, i), body_source(h, p), ONE)
    if pack == ROOM:
        return ROOM
    none = (0.0, 0.0, 0.0)
    turn_pack(lanes_of(d, none, none), pack, rows.w)
    r = rows.packs[pack, FIRST]
    k = new_block(h, BOUNDED, pack, r, origin)
    if k == ROOM:
        return ROOM
    rows.reals[k, 2] = FREE_END
    rows.b[r] = end_rate(gap, free, dt)
    rows.p[r] = rows.b[r]
    rows.lam[r] = max(reals1(h, JOINT_IMPULSE)[origin], 0.0)
    return OK


@inline
def turning(work, i, dt):
    """Angular velocity of body i after dt without constraint impulses."""
    return axpy(dt, ld3(work, i * NW + DA), ld3(work, i * NW + OMEGA))


@inline
def twist_angle(S, P):
    """Twist of a plug P in a socket S (m3, world): atan2(R10 - R01, R00 + R11) of S'P."""
    x = col(P, 0)
    y = col(P, 1)
    s = dot(col(S, 1), x) - dot(col(S, 0), y)
    c = dot(col(S, 0), x) + dot(col(S, 1), y)
    t = angle(abs(s), c)
    return t if s >= 0.0 else -t


@part
def gear_rows(h):
    """Equalities of kept gears: sum coefficient q = constant; returns a status."""
    gears = reals2(h, GEARS)
    rows = rows_of(h)
    q = reals1(h, Q)
    v = reals1(h, V)
    a = reals1(h, ACCEL)
    dt = reals1(h, NUMBERS)[DT]
    first = 3 * ints2(h, DOF).shape[0] + 3 * ints2(h, BALL_INTS).shape[0]
    for g in range(gears.shape[0]):
        rate = 0.0
        error = -gears[g, CONSTANT]
        for side in range(2):
            k = 4 * side
            d = int(gears[g, k])
            rate += gears[g, k + 2] * (v[d] + dt * a[d])
            error += gears[g, k + 2] * q[int(gears[g, k + 1])]
        sa = joint_source(h, int(gears[g, GEAR_A + 3]))
        sb = joint_source(h, int(gears[g, GEAR_B + 3]))
        pack = new_pack(h, sa, sb, ONE)
        if pack == ROOM:
            return ROOM
        r = rows.packs[pack, FIRST]
        if new_block(h, EQUALITY, pack, r, first + g) == ROOM:
            return ROOM
        joint_pack(gears[g, GEAR_A + 2], gears[g, GEAR_B + 2], pack, rows.w)
        rows.b[r] = rate + 0.8 * error / dt
        rows.p[r] = rows.b[r]
        rows.lam[r] = reals1(h, JOINT_IMPULSE)[first + g]
    return OK


@part
def keep_joints(h):
    """Remember this step's impulses of joints."""
    rows = rows_of(h)
    kept = reals1(h, JOINT_IMPULSE)
    for k in range(kept.shape[0]):
        kept[k] = 0.0
    for k in range(rows.count[N_BLOCKS]):
        kind = rows.blocks[k, BLOCK_KIND]
        if (kind == BOUNDED or kind == EQUALITY) and rows.blocks[k, ORIGIN] < TIE_ORIGIN:
            kept[rows.blocks[k, ORIGIN]] = rows.lam[rows.blocks[k, FIRST_ROW]]


@inline
def angle(s, c):
    """atan2(s, c) for s >= 0 by halving twice, then its series: within 1e-12."""
    e = (s * s + c * c) ** 0.5
    t = s / (e + c) if e + c > 1e-12 else 1e12  # tan of half the angle
    t = t / (1.0 + (1.0 + t * t) ** 0.5)
    t = t / (1.0 + (1.0 + t * t) ** 0.5)
    t = t / (1.0 + (1.0 + t * t) ** 0.5)
    t2 = t * t
    p = 1.0 / 23.0
    for k in range(10, -1, -1):
        p = 1.0 / (2.0 * k + 1.0) - t2 * p
    return 16.0 * t * p


@inline
def nine(table, row, k):
    """Nine numbers of a table: a 3x3 matrix."""
    return (
        table[row, k],
        table[row, k + 1],
        table[row, k + 2],
        table[row, k + 3],
        table[row, k + 4],
        table[row, k + 5],
        table[row, k + 6],
        table[row, k + 7],
        table[row, k + 8],
    )
