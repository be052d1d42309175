"""Balance: what the floor's forces shall do to the figure's momentum. A linear inverted pendulum and its capture point,
and damped rotation.

    w^2 = g / height,   capture point x = c + c'/w,   pressure wanted at p = x + gain (x - r),   c'' = w^2 (c - p)
so that x' = -gain w (x - r): the capture point goes to the reference r, the middle of the links that carry. The forces
that make c'' must come from the contacts' cones, so the centre of pressure stays in the soles by itself; what cannot be
had is made up by turning the body, or not at all: then it falls. Angular momentum about the centre of mass is damped,
L' = -gain L.

Without balance the floor is inert: c'' = 0 and L' = 0 are preferred, without feedback of where the figure is or how
fast it moves, which is the method of 2002: the floor's force is what it was, and the body makes room for the dragged
limb by moving its other parts.

A foot that is dragged away from the floor waits until the others can carry: r is their middle, and it swings as soon as
the capture point is within NEAR of it. Checked in tests/choreography/test_balance.py.
"""

from __future__ import annotations

from bunraku.choreography.dance_arrays import DRAG, PLANTED, SWINGING, WAITING, Dance
from bunraku.control.end_links import ROOT, point_of, whole_momentum
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import flat
from bunraku.kernel.vec import dot, sub
from bunraku.model.layout import NW, PLACE, RIGID

AWAY = 0.01  # m from where it is to where it shall be, from which a dragged foot leaves the floor
NEAR = 0.03  # m of the capture point from the middle of the links that go on carrying
PUSH = 6.0  # m/s^2: largest acceleration of the centre of mass that is asked for


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
        height = max(seen.com[2] - z / links, 0.1)
        rate = (max(-p.reals[0, PLACE + 2], 1.0) / height) ** 0.5
        seen.pendulum = rate
        seen.capture = (seen.com[0] + seen.com_rate[0] / rate, seen.com[1] + seen.com_rate[1] / rate)
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


@part
def momentum_task(d: Dance, links):
    """Rates of momentum that keep the balance, or an inert floor."""
    seen, s, momentum = d.seen, d.gains, d.problem.momentum
    mass = d.problem.scratch[ROOT * NW + RIGID + 9]
    I = 0.15 * mass  # kg m^2: what angular accelerations are weighed with, about that of a standing figure
    for k in range(6):
        momentum[k].wanted = 0.0
        momentum[k].weight = 0.0
    seen.supports = links
    if links == 0:
        return
    keep = d.info.balance != 0
    for k in range(2):
        wanted = 0.0
        if keep:
            pressure = seen.capture[k] + s.balance_gain * (seen.capture[k] - seen.reference[k])
            wanted = seen.pendulum * seen.pendulum * (seen.com[k] - pressure)
            wanted = min(max(wanted, -PUSH), PUSH)
        momentum[k].wanted = mass * wanted
        momentum[k].weight = (s.balance_weight if keep else s.inert_weight) / (mass * mass)
    for k in range(3):
        momentum[3 + k].wanted = -s.spin_gain * seen.spin[k] if keep else 0.0
        momentum[3 + k].weight = (s.spin_weight if keep else s.inert_weight) / (I * I)
