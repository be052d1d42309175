"""One step of a choreographed figure inside the world's step: the stage that stands at TOUCH.

    FREE    as ever, with the torques of the step before; poses of all bodies
    TOUCH   contacts; then: state -> contacts that carry, pins and drags, balance, desired joint values, limits -> whole-body problem -> torques;
            FREE again with these
    ROWS … MOVE   as ever

So the world does what it always does with the torques it is given: pins and drags exert no force, and the same torques give the same motion
in a plain world bit for bit. The contact rows of the problem are those of the world's step: the velocity after the step, at the pose of its
start, is zero, or closes the gap. The figure's own links are kept from touching each other. Contacts with loose things are not foreseen; the world
answers them. Checked in tests/choreography/.
"""

from __future__ import annotations

from bunraku.choreography.balance import lift_feet, momentum_task, see_momentum
from bunraku.choreography.dance_arrays import (
    BODY_FIRST,
    CONTACT_WEIGHT,
    FIGURE,
    FORCE_WEIGHT,
    FRICTION_PART,
    LAST_CONTACTS,
    P_INFO,
    P_SET,
    PATIENT,
    Q_FIRST,
    SPRINGY,
    STIFFNESS,
    V_FIRST,
)
from bunraku.choreography.feedback import FASTEST, SLOW, limit_bounds, pin_tasks, pose_task
from bunraku.control.end_links import ROOT, point_bias, point_velocity, survey
from bunraku.control.whole_body_arrays import (
    C_MU,
    C_NEAR,
    C_NORMAL,
    C_POINT,
    C_RADIUS,
    C_WANTED,
    C_WEIGHT,
    CONE_PENALTY,
    NC,
    NK,
    PATIENCE,
    ROUNDS,
    TOLERANCE,
    W_APART,
    W_APART_BODY,
    W_CONTACT,
    W_CONTACT_BODY,
    W_COUNT,
    W_INTS,
    W_PASSIVE,
    W_POSTURE,
    W_Q,
    W_REALS,
    W_SCRATCH,
    W_SET,
    W_TAU,
    W_V,
    W_Y,
)
from bunraku.control.whole_body_arrays import FORCE_WEIGHT as SET_FORCE_WEIGHT
from bunraku.control.whole_body_build import room_of
from bunraku.control.whole_body_kernel import whole_body
from bunraku.kernel.compile import part
from bunraku.kernel.table import ints1, ints2, reals1, reals2, run, stage
from bunraku.kernel.vec import add, axpy, dot, ld3, ld9, mtv, scale, sub
from bunraku.model.layout import NW, PLACE, POS, RIGID, ROT, ROTOR
from bunraku.step.contact_rows import PUSH, PUSH_SPEED
from bunraku.step.drive import drive_joints
from bunraku.step.step_arrays import OK, Step

COMPOSE, OWN_FREE, OWN_TOUCH = 25, 26, 27  # stages of the table: this file's, and those of the world's own step
CLOSE = 1e-4  # m: a gap that counts as touching
SOFT = 50.0  # 1/s: how a springy contact is brought to rest; its force follows from where it is
SPRUNG, BACK = (
    5e-3,
    20.0,
)  # m: the same gap where springs carry: soles tilt on them; 1/s: how a corner that they lifted is set down again
STRONGEST = 50.0  # m/s^2: largest acceleration that is asked of a contact
ACCURACY = -2e-3  # of accelerations; forces are a plan, the world finds its own
LOAD = 2.0  # N: least normal force that friction is counted with
SKIN = 1e-3  # m: how far links of the figure stay from each other
BRAKE = 0.04  # s in which links that come near each other are slowed down
HARDEST = 12.0  # m/s^2: at the most


@part
def take_state(h):
    """The figure's q and v, its rotors with the world's implicit terms, and the torques of its springs and dampers; motors are switched off."""
    info = ints1(h, P_INFO)
    q, v = reals1(h, W_Q), reals1(h, W_V)
    world = Step(h)
    for k in range(q.shape[0]):
        q[k] = world.q[info[Q_FIRST] + k]
    for k in range(v.shape[0]):
        v[k] = world.v[info[V_FIRST] + k]
        world.tau[info[V_FIRST] + k] = 0.0
    drive_joints(world, 0.0 if world.info.exact != 0 else world.numbers.dt)
    passive, reals = reals1(h, W_PASSIVE), reals2(h, W_REALS)
    for k in range(v.shape[0]):
        passive[k] = world.total[info[V_FIRST] + k]
    for i in range(ROOT, reals.shape[0]):
        reals[i, ROTOR] = world.reals[info[BODY_FIRST] + i, ROTOR]


@part
def take_contacts(h):
    """W_CONTACT: points of the figure that touch what is fixed; as many as there is room for."""
    world = Step(h)
    info, ids, contacts, shapes = ints1(h, P_INFO), world.detection.ids, world.detection.contacts, world.detection.kinds
    s, dt = reals1(h, P_SET), world.numbers.dt
    contact, bodies, count, work = (
        reals2(h, W_CONTACT),
        ints1(h, W_CONTACT_BODY),
        ints1(h, W_COUNT),
        reals1(h, W_SCRATCH),
    )
    kinds = int(len(world.materials) ** 0.5 + 0.5)
    n = 0
    for c in range(world.info.contacts):
        a = ids[c].a
        b = ids[c].b
        ours = a
        sign = 1.0
        if shapes[b].figure == info[FIGURE]:
            ours = b
            sign = -1.0
        other = a + b - ours
        if shapes[ours].figure != info[FIGURE] or shapes[other].body != 0 or a == b:
            continue
        if contacts[c].gap > (SPRUNG if info[SPRINGY] != 0 else CLOSE) or n == bodies.shape[0]:
            continue
        body = shapes[ours].body - info[BODY_FIRST]
        normal = scale(sign, contacts[c].normal)
        x = contacts[c].point
        point = mtv(ld9(work, body * NW + ROT), sub(x, ld3(work, body * NW + POS)))
        gap = contacts[c].gap
        rate = -gap / dt if gap > 0.0 else min(-PUSH * gap / dt, PUSH_SPEED)
        stop = 1.0 / dt
        if info[SPRINGY] != 0:
            rate = -BACK * max(gap, 0.0)
            stop = SOFT
        wanted = scale(stop, axpy(rate, normal, scale(-1.0, point_velocity(work, body, x))))
        size = dot(wanted, wanted) ** 0.5
        if size > STRONGEST:
            wanted = scale(STRONGEST / size, wanted)
        wanted = add(wanted, point_bias(work, body, x))
        bodies[n] = body
        for d in range(3):
            contact[n, C_POINT + d] = point[d]
            contact[n, C_NORMAL + d] = normal[d]
            contact[n, C_WANTED + d] = wanted[d]
        mu = world.materials[shapes[a].material * kinds + shapes[b].material].dynamic
        contact[n, C_MU] = s[FRICTION_PART] * mu
        contact[n, C_WEIGHT] = s[CONTACT_WEIGHT]
        n += 1
    count[NC] = n


@part
def take_pairs(h):
    """W_APART: links of the figure that are about to touch each other."""
    world = Step(h)
    info, ids, contacts, shapes = ints1(h, P_INFO), world.detection.ids, world.detection.contacts, world.detection.kinds
    pair, apart, count, work = ints2(h, W_APART_BODY), reals2(h, W_APART), ints1(h, W_COUNT), reals1(h, W_SCRATCH)
    n = 0
    for c in range(world.info.contacts):
        a = ids[c].a
        b = ids[c].b
        if shapes[a].figure != info[FIGURE] or shapes[b].figure != info[FIGURE] or n == apart.shape[0]:
            continue
        x = contacts[c].point
        normal = contacts[c].normal
        pair[n, 0] = shapes[a].body - info[BODY_FIRST]
        pair[n, 1] = shapes[b].body - info[BODY_FIRST]
        rate = dot(normal, sub(point_velocity(work, pair[n, 0], x), point_velocity(work, pair[n, 1], x)))
        for d in range(3):
            apart[n, d] = x[d]
            apart[n, 3 + d] = normal[d]
        apart[n, 6] = max(-(SLOW * (contacts[c].gap - SKIN) + rate) / BRAKE, -FASTEST)
        apart[n, 6] = min(apart[n, 6], HARDEST)
        n += 1
    count[NK] = n


@part
def share_weight(h):
    """C_NEAR: the figure's weight in equal parts, which forces stay near to where nothing else is asked; the start of new contacts. C_RADIUS:
    friction with the normal force of the step before."""
    count, contact, info, y = ints1(h, W_COUNT), reals2(h, W_CONTACT), ints1(h, P_INFO), reals1(h, W_Y)
    work, g = reals1(h, W_SCRATCH), reals2(h, W_REALS)[0, PLACE + 2]
    na = room_of(reals2(h, W_POSTURE).shape[0])
    each = -g * work[ROOT * NW + RIGID + 9] / max(count[NC], 1)
    for k in range(count[NC]):
        for d in range(3):
            contact[k, C_NEAR + d] = each * contact[k, C_NORMAL + d]
    if info[LAST_CONTACTS] != count[NC]:
        for k in range(na, y.shape[0]):
            y[k] = 0.0
        for k in range(count[NC]):
            y[na + 3 * k] = each
    for k in range(count[NC]):
        contact[k, C_RADIUS] = contact[k, C_MU] * max(y[na + 3 * k], LOAD)
    info[LAST_CONTACTS] = count[NC]


@part
def compose(h):
    """Torques of this step."""
    take_state(h)
    survey(ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_Q), reals1(h, W_V), reals1(h, W_SCRATCH))
    take_contacts(h)
    take_pairs(h)
    see_momentum(h)
    links = lift_feet(h)
    share_weight(h)
    pin_tasks(h)
    momentum_task(h, links)
    pose_task(h)
    limit_bounds(h)
    reals1(h, W_SET)[SET_FORCE_WEIGHT] = reals1(h, P_SET)[FORCE_WEIGHT]
    reals1(h, W_SET)[TOLERANCE] = ACCURACY
    ints1(h, W_COUNT)[ROUNDS] = 1
    ints1(h, W_COUNT)[PATIENCE] = int(reals1(h, P_SET)[PATIENT])
    reals1(h, W_SET)[CONE_PENALTY] = reals1(h, P_SET)[STIFFNESS]
    whole_body(h)
    tau, own, first = Step(h).tau, reals1(h, W_TAU), ints1(h, P_INFO)[V_FIRST]
    for k in range(own.shape[0]):
        tau[first + k] = own[k]


@stage
def composing(h):
    """Torques, and free motion with these."""
    compose(h)
    status = run(h, OWN_FREE)
    return status if status < 0 else OK


@stage
def choreograph(h):
    """Contacts, torques, and free motion with these."""
    status = run(h, OWN_TOUCH)
    return status if status < 0 else run(h, COMPOSE)
