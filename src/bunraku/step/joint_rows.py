"""Rows of joints: limits, Coulomb friction, swing and twist of balls, and gears that the tree could not eliminate.

Limit: one row with lam >= 0 at each end that the joint would reach in the step. Friction: one row with |lam| <=
friction dt that brings the rate to zero, where it is not guessed (bunraku.step.drive). Ball: with z' the plug's z axis,
swing' = (ez x z').w / |ez x z'| and twist' = (ez + z').w / (1 + ez.z') (Tazaki 2013, section 2.5.3, corrected): moments
between a body and its parent. Kept gear: row . q = constant, an equality between two joints. Overlap is taken back as
for contacts. Checked in
tests/world/test_joints.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, col, cross, dot, ld3, ld9, mm, scale, sub
from bunraku.model.layout import DA, NW, OMEGA, PARENT, ROT, TURN
from bunraku.step.contact_rows import PUSH, PUSH_SPEED
from bunraku.step.drive import BY_ROW, keep_friction
from bunraku.step.rows import (
    BOUNDED,
    EQUALITY,
    body_source,
    joint_pack,
    joint_source,
    lanes_of,
    new_block,
    new_pack,
    turn_pack,
)
from bunraku.step.step_arrays import OK, ROOM, Step

AT_REST = 1e-9  # rad/s or m/s: rounding
NEAR = 1e-3  # rad or m ahead of a limit from which it counts
FREE_END = 1e300
NONE, ONE = np.int64(-1), np.int64(1)
NEAR_LIMITS, ACTING_LIMITS = np.int64(0), np.int64(1)  # which limits get rows
# origin of a bounded or equality row: where its impulse is kept in `joint_impulse`;
TIE_ORIGIN = 1 << 40  # origins from here on belong to connections (bunraku.step.tie_rows)


@inline
def end_rate(gap, free, dt):
    """b of a row that keeps `gap` from closing."""
    return free + (gap / dt if gap > 0.0 else max(PUSH * gap / dt, -PUSH_SPEED))


@part
def one_joint_row(s: Step, lead, sign, origin, low, high, b):
    """A bounded row on one joint; returns a status."""
    rows = s.rows
    pack = new_pack(rows, joint_source(rows, lead), NONE, ONE)
    if pack == ROOM:
        return ROOM
    r = rows.packs[pack].first
    k = new_block(rows, BOUNDED, pack, r, origin)
    if k == ROOM:
        return ROOM
    joint_pack(sign, 0.0, pack, rows.w)
    rows.blocks[k].low = low
    rows.blocks[k].high = high
    rows.b[r] = b
    rows.p[r] = b
    rows.lam[r] = min(max(s.joint_impulse[origin], low), high)
    return OK


@part
def joint_rows(s: Step, acting):
    """Limits and friction of hinges, sliders and gear groups, then balls, then kept gears; returns a status.

    acting: NEAR_LIMITS, all that are near; ACTING_LIMITS, those that acted in the last step or are passed at the
    present rate (`limits_hold` checks the others)."""
    v = s.v
    dt = s.numbers.dt
    for d in range(len(s.dofs)):
        dof = s.dofs[d]
        limit = s.limits[d]
        if dof.lead == 0:
            continue
        free = v[d] + dt * s.accel[d]
        if dof.limited != 0:
            x = s.q[dof.iq]
            for end in range(2):
                sign = 1.0 if end == 0 else -1.0
                gap = x - limit.lower if end == 0 else limit.upper - x
                if gap + dt * sign * free > NEAR:
                    continue
                acted = s.joint_impulse[3 * d + end] != 0.0
                if acting != 0 and not acted and end_rate(gap, sign * v[d], dt) >= -AT_REST:
                    continue
                b = end_rate(gap, sign * free, dt)
                if one_joint_row(s, dof.lead, sign, 3 * d + end, 0.0, FREE_END, b) == ROOM:
                    return ROOM
        if dof.rubs != 0 and dof.guess == BY_ROW:
            most = limit.friction * dt
            if one_joint_row(s, dof.lead, 1.0, 3 * d + 2, -most, most, free) == ROOM:
                return ROOM
    status = ball_rows(s)
    if status != OK:
        return status
    return gear_rows(s)


@part
def limits_hold(s: Step, rates):
    """Whether no hinge or slider passes a limit with the rates (nv), to AT_REST and as much of the largest rate."""
    dt = s.numbers.dt
    worst = 0.0
    fastest = 1.0
    for d in range(len(s.dofs)):
        dof = s.dofs[d]
        limit = s.limits[d]
        fastest = max(fastest, abs(rates[d]))
        if dof.lead != 0 and dof.limited != 0:
            x = s.q[dof.iq]
            low = end_rate(x - limit.lower, rates[d], dt)
            worst = min(worst, low, end_rate(limit.upper - x, -rates[d], dt))
    return worst >= -AT_REST * fastest


@part
def ball_rows(s: Step):
    """Swing and twist limits; returns a status."""
    work = s.work
    first = 3 * len(s.dofs)
    for k in range(len(s.balls)):
        ball = s.balls[k]
        i = ball.body
        p = s.ints[i, PARENT]
        S = mm(ld9(work, p * NW + ROT), ld9(s.reals[i], TURN))  # the socket in the world
        P = ld9(work, i * NW + ROT)
        ez = col(S, 2)
        z = col(P, 2)
        lean = cross(ez, z)
        sine = dot(lean, lean) ** 0.5
        c = dot(ez, z)
        swing = angle(sine, c)
        if sine > 1e-9:
            if turn_limit(s, i, p, scale(-1.0 / sine, lean), ball.swing - swing, first + 3 * k) == ROOM:
                return ROOM
        if c > -0.999:
            d = scale(1.0 / (1.0 + c), add(ez, z))
            twist = twist_angle(S, P)
            if turn_limit(s, i, p, d, twist - ball.twist_low, first + 3 * k + 1) == ROOM:
                return ROOM
            if turn_limit(s, i, p, scale(-1.0, d), ball.twist_high - twist, first + 3 * k + 2) == ROOM:
                return ROOM
    return OK


@part
def turn_limit(s: Step, i, p, d, gap, origin):
    """A row for a moment along d on body i against p that keeps `gap` from closing, where it is near; returns a status."""
    rows = s.rows
    dt = s.numbers.dt
    free = dot(d, sub(turning(s.work, i, dt), turning(s.work, p, dt)))
    if gap + dt * free > NEAR:
        return OK
    pack = new_pack(rows, body_source(rows, i), body_source(rows, p), ONE)
    if pack == ROOM:
        return ROOM
    none = (0.0, 0.0, 0.0)
    turn_pack(lanes_of(d, none, none), pack, rows.w)
    r = rows.packs[pack].first
    k = new_block(rows, BOUNDED, pack, r, origin)
    if k == ROOM:
        return ROOM
    rows.blocks[k].high = FREE_END
    rows.b[r] = end_rate(gap, free, dt)
    rows.p[r] = rows.b[r]
    rows.lam[r] = max(s.joint_impulse[origin], 0.0)
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
def gear_rows(s: Step):
    """Equalities of kept gears: sum coefficient q = constant; returns a status."""
    rows = s.rows
    dt = s.numbers.dt
    first = 3 * len(s.dofs) + 3 * len(s.balls)
    for g in range(len(s.gears)):
        gear = s.gears[g]
        rate = 0.0
        error = -gear.constant
        for k in range(2):
            side = gear.side[k]
            rate += side.coefficient * (s.v[side.dof] + dt * s.accel[side.dof])
            error += side.coefficient * s.q[side.iq]
        one = gear.side[0]
        other = gear.side[1]
        pack = new_pack(rows, joint_source(rows, one.lead), joint_source(rows, other.lead), ONE)
        if pack == ROOM:
            return ROOM
        r = rows.packs[pack].first
        if new_block(rows, EQUALITY, pack, r, first + g) == ROOM:
            return ROOM
        joint_pack(one.coefficient, other.coefficient, pack, rows.w)
        rows.b[r] = rate + 0.8 * error / dt
        rows.p[r] = rows.b[r]
        rows.lam[r] = s.joint_impulse[first + g]
    return OK


@part
def keep_joints(s: Step):
    """Remember this step's impulses of joints."""
    rows = s.rows
    for k in range(s.joint_impulse.shape[0]):
        s.joint_impulse[k] = 0.0
    for k in range(rows.count.blocks):
        block = rows.blocks[k]
        if (block.kind == BOUNDED or block.kind == EQUALITY) and block.origin < TIE_ORIGIN:
            s.joint_impulse[block.origin] = rows.lam[block.row]
    keep_friction(s)


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
