"""Balance of a choreographed figure: what the floor's forces should do to its momentum.

The law is that of bunraku.control.capture_point with a reference r at rest, the middle of the links that carry:
    pressure wanted at p = x + gain (x - r),   c'' = w^2 (c - p), at the most `PUSH`,   L' = -gain L
so that x' = -gain w (x - r): the capture point goes to r. The forces that make c'' must come from the contacts' cones,
so the centre of pressure stays in the soles by itself; the figure makes up for what they cannot give by turning its
body, or it falls.

Without balance the floor is inert: c'' = 0 and L' = 0 are preferred, without feedback of where the figure is or how
fast it moves, which is the method of Yamane & Nakamura 2002: the floor's force is what it was, and the body makes room
for the dragged limb by moving its other parts.

A foot that is dragged away from the floor waits until the others can carry: r is then their middle, and the foot swings
as soon as the capture point is within NEAR of it. Checked in tests/choreography/test_balance.py.
"""

from __future__ import annotations

from bunraku.choreography.dance_arrays import DRAG, PLANTED, SWINGING, WAITING, Dance
from bunraku.choreography.grip_loads import lean_of
from bunraku.control.capture_point import (
    ask_momentum,
    away_from_pressure,
    capture_point_of,
    damping_moment,
    held_in,
    pendulum_rate,
    pressure_for,
)
from bunraku.control.end_links import ROOT, point_of, whole_momentum
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import flat
from bunraku.kernel.vec import dot, sub
from bunraku.model.layout import NW, PLACE, RIGID

AWAY = 0.01  # m between a dragged foot and its target, from which on it leaves the floor
NEAR = 0.03  # m of the capture point from the middle of the links that go on carrying
PUSH = 6.0  # m/s^2: largest acceleration of the centre of mass that is asked for
LOWEST = 0.1  # m: a pendulum is taken to be at least so high; a figure may crouch or lie
NO_RATE = (0.0, 0.0, 0.0)


@part
def see_momentum(d: Dance):
    """Centre of mass, its velocity, angular momentum about it."""
    p, seen = d.problem, d.seen
    seen.com, seen.com_rate, seen.spin = whole_momentum(p.ints, p.reals, p.scratch)


@inline
def has_contact(bodies, many, body):
    """Whether a body touches."""
    found = False
    for k in range(many):
        found = found or bodies[k] == body
    return found


@part
def reference(d: Dance, leaving):
    """The middle of the links that carry, each counted once, without body `leaving` (0: all), and the capture point of
    the pendulum above it; returns how many carry."""
    p, seen = d.problem, d.seen
    bodies, work, contacts = p.contact_body, p.scratch, p.count.contacts
    x = 0.0
    y = 0.0
    z = 0.0
    links = 0
    for k in range(contacts):
        if bodies[k] == leaving or (k > 0 and has_contact(bodies, k, bodies[k])):
            continue
        links += 1
        points = 0
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for e in range(k, contacts):
            if bodies[e] == bodies[k]:
                at = point_of(work, bodies[e], p.contact[e].point)
                points += 1
                sx += at[0]
                sy += at[1]
                sz += at[2]
        x += sx / points
        y += sy / points
        z += sz / points
    if links > 0:
        seen.reference = (x / links, y / links)
        height = max(seen.com[2] - z / links, LOWEST)
        seen.pendulum = pendulum_rate(max(-p.reals[0, PLACE + 2], 1.0), height)
        seen.lean = lean_of(d, z / links)
        x = seen.com[0] + seen.lean[0]
        y = seen.com[1] + seen.lean[1]
        seen.capture = capture_point_of((x, y, seen.com[2]), seen.com_rate, seen.pendulum)
    return links


@part
def drop_contacts(p: WholeBodyProblem, body):
    """Take the contacts of a body out of the problem."""
    n = 0
    for k in range(p.count.contacts):
        if p.contact_body[k] != body:
            p.contact_body[n] = p.contact_body[k]
            to, kept = flat(p.contact[n]), flat(p.contact[k])
            for c in range(to.shape[0]):
                to[c] = kept[c]
            n += 1
    p.count.contacts = n


@part
def lift_feet(d: Dance):
    """Which dragged links leave the floor: see the module text. Leaves `reference` at those that carry; returns how
    many do."""
    p, seen = d.problem, d.seen
    leaving = 0
    for k in range(len(d.pin)):
        pin, aim = d.pin[k], d.aim[k]
        if pin.kind != DRAG:
            continue
        body = pin.body
        touching = has_contact(p.contact_body, p.count.contacts, body)
        e = sub(aim.target, point_of(p.scratch, body, aim.at))
        away = dot(e, e) ** 0.5
        if pin.swing == PLANTED and touching and away > AWAY:
            pin.swing = WAITING
        if pin.swing == WAITING:
            if away < 0.5 * AWAY or not touching:
                pin.swing = PLANTED
            elif d.info.balance == 0:
                pin.swing = SWINGING
            else:
                others = reference(d, body)
                dx = seen.capture[0] - seen.reference[0]
                dy = seen.capture[1] - seen.reference[1]
                if others == 0 or dx * dx + dy * dy < NEAR * NEAR:
                    pin.swing = SWINGING
                else:
                    leaving = body
        if pin.swing == SWINGING:
            if touching and away < AWAY:
                pin.swing = PLANTED
            else:
                drop_contacts(p, body)
    return reference(d, leaving)


@inline
def level_acceleration(d: Dance, k):
    """Of the centre of mass along axis k, as its balance wants it."""
    seen = d.seen
    pressure = pressure_for(seen.capture[k], d.gains.balance_gain, seen.capture[k] - seen.reference[k])
    return held_in(away_from_pressure(seen.pendulum * seen.pendulum, seen.com[k] + seen.lean[k], pressure), -PUSH, PUSH)


@part
def momentum_task(d: Dance, links):
    """Rates of momentum that keep the balance, or an inert floor; nothing where no link carries."""
    p, seen, s = d.problem, d.seen, d.gains
    seen.supports = links
    if links == 0:
        ask_momentum(p, NO_RATE, NO_RATE, 0.0, 0.0, 0.0)
    elif d.info.balance == 0:
        ask_momentum(p, NO_RATE, NO_RATE, s.inert_weight, 0.0, s.inert_weight)
    else:
        mass = p.scratch[ROOT * NW + RIGID + 9]
        force = (mass * level_acceleration(d, 0), mass * level_acceleration(d, 1), 0.0)
        moment = damping_moment(s.spin_gain, seen.spin)
        ask_momentum(p, force, moment, s.balance_weight, 0.0, s.spin_weight)
