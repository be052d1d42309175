"""One step of a choreographed figure inside the world's step: the phase that stands at TOUCH.

    FREE          as ever, with the torques of the step before; poses of all bodies
    TOUCH         contacts; then state -> contacts that carry, pins and drags, balance, desired joint values, limits
                  -> whole-body problem -> torques; FREE again with these
    ROWS … MOVE   as ever

So the world does what it always does with the torques it is given: pins and drags exert no force, and the same torques
give the same motion in a plain world bit for bit. The contact rows of the problem are those of the world's step: the
velocity after the step, at the pose of its start, is zero, or closes the gap. The figure's own links are kept from
touching each other. The problem does not foresee contacts with loose things; the world answers them. Checked in
tests/choreography/test_engine.py and tests/choreography/test_consistency.py.
"""

from __future__ import annotations

from bunraku.choreography.balance import lift_feet, momentum_task, see_momentum
from bunraku.choreography.dance_arrays import Dance
from bunraku.choreography.feedback import FASTEST, SLOW, limit_bounds, pin_tasks, pose_task
from bunraku.choreography.grip_loads import close_loops, feel_pulls, let_pass, see_held, take_loads
from bunraku.choreography.rising import rising_law
from bunraku.choreography.step_tasks import step_tasks
from bunraku.choreography.stepping import carriers, step_law, stepping_momentum
from bunraku.control.end_links import ROOT, point_bias, survey
from bunraku.control.strict_levels import strict_body
from bunraku.control.whole_body_build import room_of
from bunraku.control.whole_body_kernel import whole_body
from bunraku.kernel.compile import part
from bunraku.kernel.table import phase, run
from bunraku.kernel.vec import add, axpy, dot, ld3, ld9, mtv, scale, sub
from bunraku.model.layout import NW, PLACE, POS, RIGID, ROT, ROTOR
from bunraku.step.contact_rows import push_rate
from bunraku.step.drive import drive_joints
from bunraku.step.relative import rate_at
from bunraku.step.step_arrays import OK, Step

COMPOSE, OWN_FREE, OWN_TOUCH = 25, 26, 27  # phases of the table: this file's, and those of the world's own step
CLOSE = 1e-4  # m: a gap that counts as touching
SOFT = 50.0  # 1/s: how a springy contact is brought to rest; its force follows from where it is
SPRUNG = 5e-3  # m: the same gap where springs carry: soles tilt on them
BACK = 20.0  # 1/s: how a corner that springs lifted is set down again
STRONGEST = 50.0  # m/s^2: largest acceleration that is asked of a contact
ACCURACY = -2e-3  # of accelerations alone, so the sign: forces are a plan, the world finds its own
LOAD = 2.0  # N: least normal force that friction is counted with
SKIN = 1e-3  # m: how far links of the figure stay from each other
BRAKE = 0.04  # s in which links that come near each other are slowed down
HARDEST = 12.0  # m/s^2: at the most


@part
def take_state(h):
    """The figure's q and v, its rotors with the world's implicit terms, and the torques of its springs and dampers;
    motors are switched off."""
    d, s = Dance(h), Step(h)
    p, info = d.problem, d.info
    for k in range(p.q.shape[0]):
        p.q[k] = s.q[info.q_first + k]
    for k in range(p.v.shape[0]):
        p.v[k] = s.v[info.v_first + k]
        s.tau[info.v_first + k] = 0.0
    drive_joints(s, 0.0 if s.info.exact != 0 else s.numbers.dt)
    for k in range(p.v.shape[0]):
        p.passive[k] = s.total[info.v_first + k]
    for i in range(ROOT, p.ints.shape[0]):
        p.reals[i, ROTOR] = s.reals[info.body_first + i, ROTOR]


@part
def take_contacts(h):
    """Points of the figure that touch what is fixed, into the problem; as many as there is room for."""
    d, s = Dance(h), Step(h)
    p, info, work = d.problem, d.info, d.problem.scratch
    ids, contacts, shapes, dt = s.detection.ids, s.detection.contacts, s.detection.kinds, s.numbers.dt
    kinds = int(len(s.materials) ** 0.5 + 0.5)
    n = 0
    for c in range(s.info.contacts):
        a = ids[c].a
        b = ids[c].b
        ours = a
        sign = 1.0
        if shapes[b].figure == info.figure:
            ours = b
            sign = -1.0
        other = a + b - ours
        if shapes[ours].figure != info.figure or shapes[other].body != 0 or a == b:
            continue
        gap = contacts[c].gap
        if gap > (SPRUNG if info.springy != 0 else CLOSE) or n == len(p.contact):
            continue
        body = shapes[ours].body - info.body_first
        normal = scale(sign, contacts[c].normal)
        x = contacts[c].point
        rate = -gap / dt if gap > 0.0 else push_rate(gap, dt)
        stop = 1.0 / dt
        if info.springy != 0:
            rate = -BACK * max(gap, 0.0)
            stop = SOFT
        wanted = scale(stop, axpy(rate, normal, scale(-1.0, rate_at(work, body, x))))
        size = dot(wanted, wanted) ** 0.5
        if size > STRONGEST:
            wanted = scale(STRONGEST / size, wanted)
        contact = p.contact[n]
        p.contact_body[n] = body
        contact.point = mtv(ld9(work, body * NW + ROT), sub(x, ld3(work, body * NW + POS)))
        contact.normal = normal
        contact.wanted = add(wanted, point_bias(work, body, x))
        mu = s.materials[shapes[a].material * kinds + shapes[b].material].dynamic
        contact.friction = d.gains.friction_part * mu
        contact.weight = d.gains.contact_weight
        n += 1
    p.count.contacts = n


@part
def take_pairs(h):
    """Links of the figure that are about to touch each other, into the problem."""
    d, s = Dance(h), Step(h)
    p, info, work = d.problem, d.info, d.problem.scratch
    ids, contacts, shapes = s.detection.ids, s.detection.contacts, s.detection.kinds
    n = 0
    for c in range(s.info.contacts):
        a = ids[c].a
        b = ids[c].b
        if shapes[a].figure != info.figure or shapes[b].figure != info.figure or n == len(p.apart):
            continue
        x = contacts[c].point
        normal = contacts[c].normal
        pair, apart = p.apart_body[n], p.apart[n]
        pair.first = shapes[a].body - info.body_first
        pair.second = shapes[b].body - info.body_first
        rate = dot(normal, sub(rate_at(work, pair.first, x), rate_at(work, pair.second, x)))
        apart.point = x
        apart.normal = normal
        least = max(-(SLOW * (contacts[c].gap - SKIN) + rate) / BRAKE, -FASTEST)
        apart.least = min(least, HARDEST)
        n += 1
    p.count.pairs = n


@part
def share_weight(d: Dance):
    """The figure's weight in equal parts, which forces stay near to where nothing else is asked; the start of new
    contacts; friction with the normal force of the step before."""
    p, info, y = d.problem, d.info, d.problem.y
    contacts = p.count.contacts
    na = room_of(len(p.posture))
    each = -p.reals[0, PLACE + 2] * p.scratch[ROOT * NW + RIGID + 9] / max(contacts, 1)
    for k in range(contacts):
        p.contact[k].near = scale(each, p.contact[k].normal)
    if info.last_contacts != contacts:
        for k in range(na, y.shape[0]):
            y[k] = 0.0
            p.upper[k] = 0.0
        for k in range(contacts):
            y[na + 3 * k] = each
            p.upper[na + 3 * k] = each
    for k in range(contacts):
        p.contact[k].radius = p.contact[k].friction * max(y[na + 3 * k], LOAD)
    info.last_contacts = contacts


@part
def compose(h):
    """Torques of this step."""
    d = Dance(h)
    p = d.problem
    take_state(h)
    if d.info.holds != 0:
        take_loads(h)
    survey(p.ints, p.reals, p.q, p.v, p.scratch)
    take_contacts(h)
    take_pairs(h)
    see_momentum(d)
    if d.info.holds != 0:
        feel_pulls(h)
        close_loops(h)
        see_held(h)
    links = lift_feet(d)
    stepping = d.info.steps != 0 and d.info.balance != 0 and links > 0
    if stepping:
        step_law(d, Step(h).numbers.dt)
        carriers(d)
    share_weight(d)
    pin_tasks(d)
    if stepping:
        stepping_momentum(d, links)
    else:
        momentum_task(d, links)
    pose_task(d)
    if stepping:
        step_tasks(d)
    limit_bounds(d)
    p.settings.force_weight = d.gains.force_weight
    p.settings.tolerance = ACCURACY
    p.settings.cone_part = d.gains.cone_penalty
    p.count.rounds = 1
    p.count.patience = int(d.gains.patience)
    if p.count.strict != 0:
        strict_body(p)
    else:
        whole_body(p)
    tau = Step(h).tau
    for k in range(p.tau.shape[0]):
        tau[d.info.v_first + k] = p.tau[k]


@part
def compose_one(h):
    """Torques of a figure, or servos where it has fallen and gets up."""
    d = Dance(h)
    if d.rising_pose.shape[0] == 0 or not rising_law(d, Step(h)):
        compose(h)


@phase
def composing(h):
    """Torques of every figure, and free motion with these."""
    d = Dance(h)
    if d.info.holds != 0:
        let_pass(h)
    compose_one(h)
    for k in range(d.others.shape[0]):
        compose_one(d.others[k])
    status = run(h, OWN_FREE)
    return status if status < 0 else OK


@phase
def choreograph(h):
    """Contacts, torques, and free motion with these."""
    status = run(h, OWN_TOUCH)
    return status if status < 0 else run(h, COMPOSE)
