"""Balance: what the floor's forces shall do to the figure's momentum. A linear inverted pendulum and its capture point, and damped rotation.

    w^2 = g / height,   capture point x = c + c'/w,   pressure wanted at p = x + gain (x - r),   c'' = w^2 (c - p)
so that x' = -gain w (x - r): the capture point goes to the reference r, the middle of the links that carry. The forces that make c'' must
come from the contacts' cones, so the centre of pressure stays in the soles by itself; what cannot be had is made up by turning the body, or
not at all: then it falls.
Angular momentum about the centre of mass is damped, L' = -gain L.

Without balance the floor is inert: c'' = 0 and L' = 0 are preferred, without feedback of where the figure is or how fast it moves, which is the
method of 2002: the floor's force is what it was, and the body makes room for the dragged limb by moving its other parts.

A foot that is dragged away from the floor waits until the others can carry: r is their middle, and it swings as soon as the capture point is
within NEAR of it. Checked in tests/choreography/test_balance.py.
"""

from __future__ import annotations

from bunraku.choreography.dance_arrays import (
    AT,
    BALANCE,
    BALANCE_GAIN,
    BALANCE_WEIGHT,
    BODY,
    CAPTURE,
    COM,
    COM_RATE,
    DRAG,
    INERT_WEIGHT,
    KIND,
    P_INFO,
    P_INTS,
    P_REALS,
    P_SEEN,
    P_SET,
    PENDULUM,
    PLANTED,
    REFERENCE,
    SPIN,
    SPIN_GAIN,
    SPIN_WEIGHT,
    SUPPORTS,
    SWING,
    SWINGING,
    TARGET,
    WAITING,
)
from bunraku.control.end_links import ROOT, point_of, whole_momentum
from bunraku.control.whole_body_arrays import (
    C_POINT,
    NC,
    W_CONTACT,
    W_CONTACT_BODY,
    W_COUNT,
    W_INTS,
    W_MOMENTUM,
    W_REALS,
    W_SCRATCH,
)
from bunraku.control.whole_body_build import row3
from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import dot, sub
from bunraku.model.layout import NW, PLACE, RIGID

AWAY = 0.01  # m from where it is to where it shall be, from which a dragged foot leaves the floor
NEAR = 0.03  # m of the capture point from the middle of the links that go on carrying
PUSH = 6.0  # m/s^2: largest acceleration of the centre of mass that is asked for


@part
def see_momentum(h):
    """P_SEEN: centre of mass, its velocity, angular momentum about it, capture point."""
    ints, reals, work, seen = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH), reals1(h, P_SEEN)
    com, rate, angular = whole_momentum(ints, reals, work)
    for d in range(3):
        seen[COM + d] = com[d]
        seen[COM_RATE + d] = rate[d]
        seen[SPIN + d] = angular[d]


@inline
def has_contact(bodies, many, body):
    """Whether a body touches."""
    found = False
    for k in range(many):
        found = found or bodies[k] == body
    return found


@part
def reference(h, leaving):
    """P_SEEN: middle of the links that carry, each counted once, without body `leaving` (0: all); returns how many."""
    count, contact, bodies = ints1(h, W_COUNT), reals2(h, W_CONTACT), ints1(h, W_CONTACT_BODY)
    work, seen = reals1(h, W_SCRATCH), reals1(h, P_SEEN)
    x = 0.0
    y = 0.0
    z = 0.0
    links = 0
    for k in range(count[NC]):
        if bodies[k] == leaving or (k > 0 and has_contact(bodies, k, bodies[k])):
            continue
        links += 1
        points = 0
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for e in range(k, count[NC]):
            if bodies[e] == bodies[k]:
                p = point_of(work, bodies[e], row3(contact, e, C_POINT))
                points += 1
                sx += p[0]
                sy += p[1]
                sz += p[2]
        x += sx / points
        y += sy / points
        z += sz / points
    if links > 0:
        seen[REFERENCE] = x / links
        seen[REFERENCE + 1] = y / links
        height = max(seen[COM + 2] - z / links, 0.1)
        rate = (max(-reals2(h, W_REALS)[0, PLACE + 2], 1.0) / height) ** 0.5
        seen[PENDULUM] = rate
        seen[CAPTURE] = seen[COM] + seen[COM_RATE] / rate
        seen[CAPTURE + 1] = seen[COM + 1] + seen[COM_RATE + 1] / rate
    return links


@part
def drop_contacts(h, body):
    """Take the contacts of a body out of the problem."""
    count, contact, bodies = ints1(h, W_COUNT), reals2(h, W_CONTACT), ints1(h, W_CONTACT_BODY)
    n = 0
    for k in range(count[NC]):
        if bodies[k] != body:
            bodies[n] = bodies[k]
            for c in range(contact.shape[1]):
                contact[n, c] = contact[k, c]
            n += 1
    count[NC] = n


@part
def lift_feet(h):
    """Which dragged links leave the floor: see the module text. Leaves `reference` at those that carry; returns how many do."""
    pins, more, count, bodies = ints2(h, P_INTS), reals2(h, P_REALS), ints1(h, W_COUNT), ints1(h, W_CONTACT_BODY)
    work, seen = reals1(h, W_SCRATCH), reals1(h, P_SEEN)
    leaving = 0
    for k in range(pins.shape[0]):
        if pins[k, KIND] != DRAG:
            continue
        body = pins[k, BODY]
        touching = has_contact(bodies, count[NC], body)
        e = sub(row3(more, k, TARGET), point_of(work, body, row3(more, k, AT)))
        away = dot(e, e) ** 0.5
        if pins[k, SWING] == PLANTED and touching and away > AWAY:
            pins[k, SWING] = WAITING
        if pins[k, SWING] == WAITING:
            if away < 0.5 * AWAY or not touching:
                pins[k, SWING] = PLANTED
            elif ints1(h, P_INFO)[BALANCE] == 0:
                pins[k, SWING] = SWINGING
            else:
                others = reference(h, body)
                dx = seen[CAPTURE] - seen[REFERENCE]
                dy = seen[CAPTURE + 1] - seen[REFERENCE + 1]
                if others == 0 or dx * dx + dy * dy < NEAR * NEAR:
                    pins[k, SWING] = SWINGING
                else:
                    leaving = body
        if pins[k, SWING] == SWINGING:
            if touching and away < AWAY:
                pins[k, SWING] = PLANTED
            else:
                drop_contacts(h, body)
    return reference(h, leaving)


@part
def momentum_task(h, links):
    """W_MOMENTUM: rates of momentum that keep the balance, or an inert floor."""
    seen, s, momentum = reals1(h, P_SEEN), reals1(h, P_SET), reals2(h, W_MOMENTUM)
    mass = reals1(h, W_SCRATCH)[ROOT * NW + RIGID + 9]
    I = 0.15 * mass  # kg m^2: what angular accelerations are weighed with, about that of a standing figure
    for d in range(6):
        momentum[d, 0] = 0.0
        momentum[d, 1] = 0.0
    seen[SUPPORTS] = links
    if links == 0:
        return
    keep = ints1(h, P_INFO)[BALANCE] != 0
    for d in range(2):
        wanted = 0.0
        if keep:
            pressure = seen[CAPTURE + d] + s[BALANCE_GAIN] * (seen[CAPTURE + d] - seen[REFERENCE + d])
            wanted = seen[PENDULUM] * seen[PENDULUM] * (seen[COM + d] - pressure)
            wanted = min(max(wanted, -PUSH), PUSH)
        momentum[d, 0] = mass * wanted
        momentum[d, 1] = (s[BALANCE_WEIGHT] if keep else s[INERT_WEIGHT]) / (mass * mass)
    for d in range(3):
        momentum[3 + d, 0] = -s[SPIN_GAIN] * seen[SPIN + d] if keep else 0.0
        momentum[3 + d, 1] = (s[SPIN_WEIGHT] if keep else s[INERT_WEIGHT]) / (I * I)
