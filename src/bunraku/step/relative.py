"""How two bodies move against each other at a point, up to the second derivative: what rows of connections are made of.

Rows point along the axes of a frame F that is fixed to the first body, at the point x of the second. With w the rate of
turning and s the slip between the two bodies at x,
    c = F'(x_a - x)      c' = F's      c'' = F'(a_a(x) - a_b(x) - 2 w_a x s)
    turning:             c' = F'(w_a - w_b)      c'' = F'(w_a' - w_b' + w_a x w_b)
A point that goes its own way, at the rate x' (where something rolls or glides, rates alone are tied):
    c' = F's(x)      c'' = F'(a_a(x) - a_b(x) + w_a x (x' - v_a(x)) - w_b x (x' - v_b(x)) - w_a x s)
World axes; the bodies' poses, rates and accelerations stand in the scratch as aba and `drift` left them. Checked in
tests/world/test_loops.py and tests/world/test_rolling.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline
from bunraku.kernel.vec import add, cross, ld3, scale, sub
from bunraku.model.layout import ACC, ALPHA, DA, NW, OMEGA, POS, VEL

POSITION, RATE, ACCELERATION = np.int64(0), np.int64(1), np.int64(2)  # levels


@inline
def rate_at(work, body, x):
    """Velocity of the point x of a body."""
    w = body * NW
    return add(ld3(work, w + VEL), cross(ld3(work, w + OMEGA), sub(x, ld3(work, w + POS))))


@inline
def acceleration_at(work, body, x):
    """Acceleration of the point x of a body (all bodies alike are accelerated against gravity)."""
    w = body * NW
    r = sub(x, ld3(work, w + POS))
    om = ld3(work, w + OMEGA)
    al = add(ld3(work, w + ALPHA), ld3(work, w + DA))
    a = add(ld3(work, w + ACC), ld3(work, w + DA + 3))
    return add(a, add(cross(al, r), cross(om, cross(om, r))))


@inline
def apart(work, level, a, b, xa, x):
    """How far the point xa of body a is from the point x of body b, or the first or second derivative of it, in the
    world."""
    slip = sub(rate_at(work, a, x), rate_at(work, b, x))
    if level == POSITION:
        return sub(xa, x)
    if level == RATE:
        return slip
    turn = cross(ld3(work, a * NW + OMEGA), slip)
    return sub(sub(acceleration_at(work, a, x), acceleration_at(work, b, x)), scale(2.0, turn))


@inline
def turned_apart(work, level, a, b, twist):
    """The same for the turning of body a against b."""
    wa = ld3(work, a * NW + OMEGA)
    wb = ld3(work, b * NW + OMEGA)
    if level == POSITION:
        return twist
    if level == RATE:
        return sub(wa, wb)
    al = add(ld3(work, a * NW + ALPHA), ld3(work, a * NW + DA))
    be = add(ld3(work, b * NW + ALPHA), ld3(work, b * NW + DA))
    return add(sub(al, be), cross(wa, wb))


@inline
def slip_apart(work, level, a, b, x, going):
    """The slip at a point x that moves at `going`, or its derivative; rates alone are tied, so that positions are
    right."""
    if level == POSITION:
        return (0.0, 0.0, 0.0)
    va = rate_at(work, a, x)
    vb = rate_at(work, b, x)
    slip = sub(va, vb)
    if level == RATE:
        return slip
    wa = ld3(work, a * NW + OMEGA)
    wb = ld3(work, b * NW + OMEGA)
    carried = sub(cross(wa, sub(going, va)), cross(wb, sub(going, vb)))
    own = sub(acceleration_at(work, a, x), acceleration_at(work, b, x))
    return add(own, sub(carried, cross(wa, slip)))
