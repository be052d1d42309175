"""Rows of connections: equalities along any of the six axes of a frame, rigid or with spring and damper, and springs
between two points.

Rigid: J v+ = -TIE error / dt, the error taken back within a few steps, at TIE_SPEED at the most. Spring and damper,
implicit: lam = -dt (k (e + dt v+) + d v+), so
    v+ + lam / (dt (d + dt k)) + k e / (d + dt k) = 0 .
A spring between two points is one such row along the line between them, e = length - rest. The frame is fixed to the
first body; a connection's turning error is the rotation vector between the two frames, the angle between their free
axes where two are tied, or that of a universal joint where one is (bunraku.step.universal). An axis whose rate alone is
tied has no error: J v+ = 0 at the frame's origin on the first body, or where a wheel of a given radius about the point
of the second touches below it. In the step of its birth a connection with restitution leaves J v+ = -bounce
(bunraku.world.births). Checked in tests/world/.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split
from bunraku.kernel.vec import add, col, cross, dot, ld3, ld9, mm, mt, mv, scale, sub
from bunraku.model.layout import DA, NW, OMEGA, POS, ROT
from bunraku.step.joint_rows import ONE, TIE_ORIGIN, angle
from bunraku.step.relative import ACCELERATION, apart, rate_at, slip_apart, turned_apart
from bunraku.step.rows import (
    EQUALITY,
    body_source,
    force_pack,
    lanes_of,
    new_block,
    new_pack,
    pack_rate,
    turn_pack,
)
from bunraku.step.step_arrays import OK, ROOM, Step
from bunraku.step.universal import bend_turn, bent, bent_apart, one_turn, thrice

TIE = 0.8  # part of a connection's error that is taken back in a step,
TIE_SPEED = 10.0  # m/s or rad/s at the most: a body that was put elsewhere comes back without a bang

CONNECTION, SPRING = 1, 2  # what an active tie is: a spring is between two points
ALONG, ABOUT = np.int64(0), np.int64(3)  # first axis of forces, of moments
ENDLESS = 1e300  # stiffness of a rigid connection, force that nothing exceeds


@inline
def is_rigid(s: Step, c):
    """Whether connection c holds and does not give way."""
    return s.tie_kinds[c].active == CONNECTION and s.ties[c].stiff >= ENDLESS


@inline
def ends_of(s: Step, c):
    """(point of the first body, of the second) of connection c, in the world."""
    work, tie = s.work, s.ties[c]
    a = s.tie_kinds[c].body_a * NW
    b = s.tie_kinds[c].body_b * NW
    Ra = ld9(work, a + ROT)
    Rb = ld9(work, b + ROT)
    xa = add(ld3(work, a + POS), mv(Ra, tie.place_a))
    xb = add(ld3(work, b + POS), mv(Rb, tie.place_b))
    return xa, xb


@inline
def first_frame(s: Step, c):
    """The frame of connection c on its first body, in the world."""
    return mm(ld9(s.work, s.tie_kinds[c].body_a * NW + ROT), s.ties[c].turn_a)


@inline
def second_frame(s: Step, c):
    """The same on its second body."""
    return mm(ld9(s.work, s.tie_kinds[c].body_b * NW + ROT), s.ties[c].turn_b)


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
def tie_block(s: Step, pack, row, c, axis, rate, error):
    """The equality of one axis; returns a status."""
    rows = s.rows
    tie = s.ties[c]
    dt = s.numbers.dt
    k = new_block(rows, EQUALITY, pack, row, TIE_ORIGIN + 6 * c + axis)
    if k == ROOM:
        return ROOM
    if tie.stiff < ENDLESS:
        d = tie.damp + dt * tie.stiff
        rows.blocks[k].compliance = 1.0 / (dt * d)
        rows.b[row] = rate + tie.stiff * error / d
    else:
        rows.b[row] = rate + min(max(TIE * error / dt, -TIE_SPEED), TIE_SPEED)
        rows.b[row] += tie.bounce[axis]
    rows.p[row] = rows.b[row]
    rows.lam[row] = s.tie_impulse[6 * c + axis]
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


@inline
def tie_pack(s: Step, c, mask, first, x, F):
    """The rows along (first = ALONG) or about (ABOUT) the axes of F that the mask names: a pack, or ROOM."""
    rows = s.rows
    kind = s.tie_kinds[c]
    a = kind.body_a
    b = kind.body_b
    pack = new_pack(rows, body_source(rows, a), body_source(rows, b), count_bits(mask))
    if pack == ROOM:
        return ROOM
    D = lanes_of(chosen(F, mask, 0), chosen(F, mask, 1), chosen(F, mask, 2))
    if first == ALONG:
        force_pack(s.work, a, b, x, D, pack, rows.w)
    else:
        turn_pack(D, pack, rows.w)
    return pack


@inline
def second_order(s: Step):
    """Whether rows hold to second order at the end of the step. Not beside contacts, whose rows are of first order: where
    a contact and a connection are about the same motion, what differs would be paid for by enormous forces."""
    return s.info.exact != 0 and s.info.trial == 0 and s.info.contacts == 0


@part
def turning_terms(s: Step, c, x, first):
    """dt H_dot v of the rows of a connection, in the world, where rows hold to second order; else zero."""
    if not second_order(s):
        return (0.0, 0.0, 0.0)
    work = s.work
    dt = s.numbers.dt
    a = s.tie_kinds[c].body_a
    b = s.tie_kinds[c].body_b
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
def bend_terms(s: Step, c, F, E, mask):
    """The same about one axis."""
    a = s.tie_kinds[c].body_a
    b = s.tie_kinds[c].body_b
    linear = sub(ld3(s.work, a * NW + DA), ld3(s.work, b * NW + DA))
    none = (0.0, 0.0, 0.0)
    all_of = bent_apart(s.work, ACCELERATION, a, b, none, bend_turn(s.work, a, b, F, E, mask))
    return scale(s.numbers.dt, sub(all_of, linear))


@part
def slip_terms(s: Step, c, x, going):
    """The same along axes whose rates alone are tied."""
    work = s.work
    a = s.tie_kinds[c].body_a
    b = s.tie_kinds[c].body_b
    turn = sub(
        cross(ld3(work, a * NW + DA), sub(x, ld3(work, a * NW + POS))),
        cross(ld3(work, b * NW + DA), sub(x, ld3(work, b * NW + POS))),
    )
    linear = sub(ld3(work, a * NW + DA + 3), ld3(work, b * NW + DA + 3))
    return scale(s.numbers.dt, sub(slip_apart(work, ACCELERATION, a, b, x, going), add(linear, turn)))


@inline
def rolling_point(s: Step, c, xa, xb, F):
    """(where velocities alone are tied, the rate at which that point moves)."""
    work = s.work
    kind = s.tie_kinds[c]
    r = s.ties[c].radius
    if r > 0.0:
        arm = scale(-r, col(F, 2))
        return add(xb, arm), add(rate_at(work, kind.body_b, xb), cross(ld3(work, kind.body_a * NW + OMEGA), arm))
    return xa, rate_at(work, kind.body_a, xa)


@part
def three_ties(s: Step, c, mask, first, x, F, error, more):
    """The rows of one connection along (first = ALONG) or about (ABOUT) some axes of F; returns a status."""
    if mask == 0:
        return OK
    kind = s.tie_kinds[c]
    pack = tie_pack(s, c, mask, first, x, F)
    if pack == ROOM:
        return ROOM
    rate = split(pack_rate(s.work, kind.body_a, kind.body_b, s.rows.w, pack, s.numbers.dt))
    j = 0
    for k in range(3):
        if (mask >> k) & 1 == 0:
            continue
        d = (F[k], F[3 + k], F[6 + k])
        v = (rate[0] if j == 0 else (rate[1] if j == 1 else rate[2])) + dot(d, more)
        if tie_block(s, pack, s.rows.packs[pack].first + j, c, first + k, v, dot(d, error)) == ROOM:
            return ROOM
        j += 1
    return OK


@part
def tie_rows(s: Step):
    """Packs and blocks of all connections and springs; returns a status."""
    for c in range(len(s.ties)):
        kind = s.tie_kinds[c]
        if kind.active == 0:
            continue
        xa, xb = ends_of(s, c)
        if kind.active == SPRING:
            status = spring_row(s, c, xa, xb)
        else:
            F = first_frame(s, c)
            status = three_ties(s, c, kind.axes & 7, ALONG, xb, F, sub(xa, xb), turning_terms(s, c, xb, ALONG))
            if status == OK and kind.axes > 7:
                status = turning_rows(s, c, xb, F)
            if status == OK and kind.rates != 0:
                status = rate_rows(s, c, xa, xb, F)
        if status != OK:
            return status
    return OK


@part
def turning_rows(s: Step, c, x, F):
    """The rows about tied axes; returns a status."""
    turns = s.tie_kinds[c].axes >> 3
    E = second_frame(s, c)
    if one_turn(turns):
        d, far = bent(F, E, turns, not is_rigid(s, c))
        more = bend_terms(s, c, F, E, turns) if second_order(s) else (0.0, 0.0, 0.0)
        return three_ties(s, c, turns, ABOUT, x, thrice(d), scale(far, d), more)
    return three_ties(s, c, turns, ABOUT, x, F, turning_error(F, E, turns), turning_terms(s, c, x, ABOUT))


@part
def rate_rows(s: Step, c, xa, xb, F):
    """The rows of axes whose rates alone are tied; returns a status."""
    rates = s.tie_kinds[c].rates
    none = (0.0, 0.0, 0.0)
    x, going = rolling_point(s, c, xa, xb, F)
    more = slip_terms(s, c, x, going) if second_order(s) else none
    status = three_ties(s, c, rates & 7, ALONG, x, F, none, more)
    if status == OK:
        status = three_ties(s, c, rates >> 3, ABOUT, x, F, none, turning_terms(s, c, x, ABOUT))
    return status


@part
def spring_row(s: Step, c, xa, xb):
    """A spring between two points; returns a status."""
    rows = s.rows
    a = s.tie_kinds[c].body_a
    b = s.tie_kinds[c].body_b
    gap = sub(xa, xb)
    length = dot(gap, gap) ** 0.5
    d = scale(1.0 / length, gap) if length > 1e-9 else (0.0, 0.0, 1.0)
    pack = new_pack(rows, body_source(rows, a), body_source(rows, b), ONE)
    if pack == ROOM:
        return ROOM
    none = (0.0, 0.0, 0.0)
    # along the line, where on the line does not matter: the middle
    force_pack(s.work, a, b, scale(0.5, add(xa, xb)), lanes_of(d, none, none), pack, rows.w)
    rate, _, _, _ = split(pack_rate(s.work, a, b, rows.w, pack, s.numbers.dt))
    return tie_block(s, pack, rows.packs[pack].first, c, ALONG, rate, length - s.ties[c].rest)


@part
def keep_ties(s: Step):
    """Remember this step's impulses of connections, and cut those that were pulled too hard."""
    rows = s.rows
    impulse = s.tie_impulse
    last = s.tie_last
    for k in range(impulse.shape[0]):
        impulse[k] = 0.0
    for k in range(rows.count.blocks):
        block = rows.blocks[k]
        if block.kind == EQUALITY and block.origin >= TIE_ORIGIN:
            impulse[block.origin - TIE_ORIGIN] = rows.lam[block.row]
    for k in range(impulse.shape[0]):
        last[k] = impulse[k] / s.numbers.dt
    for c in range(len(s.ties)):
        kind = s.tie_kinds[c]
        tie = s.ties[c]
        if kind.active == 0:
            continue
        force = last[6 * c] ** 2 + last[6 * c + 1] ** 2 + last[6 * c + 2] ** 2
        torque = last[6 * c + 3] ** 2 + last[6 * c + 4] ** 2 + last[6 * c + 5] ** 2
        if force > tie.most_force**2 or torque > tie.most_torque**2:
            kind.active = 0
            kind.broken = 1
            for k in range(6):
                impulse[6 * c + k] = 0.0
