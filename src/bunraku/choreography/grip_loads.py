"""What a choreographed figure holds, as its whole-body problem knows it: inertia, weight, and the pull of others.

A thing (one free body) that is held by n hands is a load of these: each carries a part 1/n of its mass M, as a point at
    x_i = c + r_i - r,     r_i: where it is held,  r: their mean,  c: the thing's centre of mass
so that mass and first moment are right and no grip needs a moment to hold still what hangs between several; one hand
alone carries all of it, its inertia about c as well. The loads are added to the inertias of the gripping links, and
with them to the centre of mass, the momentum, and the torques.

Whatever else acts through a grip (a table that still carries the thing, another figure that pulls, a door) is felt: the
force of the connection in the step before, less what the load's own motion made of it,
    pull = f + M/n (a_i - g),     a_i: acceleration of x_i in that step
at a low pass of `FELT`, and counts as an outer force in the next step. PART of it is believed: two figures that want
different things would else pull ever harder. The force moves the point above which the figure is balanced,
    d = (moment_y + h f_x, -moment_x + h f_y) / (weight - f_z)
from the centre of mass: capture point and pressure are those of the pendulum that is pulled.

Two hands of one figure on the same body close a loop: their relative acceleration is a row of the problem of its own.
Checked in tests/choreography/test_grips.py.
"""

from __future__ import annotations

from bunraku.choreography.dance_arrays import NONE, Dance
from bunraku.choreography.grip_arrays import GripEnd
from bunraku.control.end_links import ROOT, base_of
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.dynamics.passes import rigid
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, col, cross, dot, ld3, ld9, mt, mtv, mv, rotate_s, scale, sub, sv
from bunraku.model.layout import FIRST, MASS, NW, OMEGA, PLACE, POS, RIGID, ROT, SECOND, WRENCH
from bunraku.step.relative import rate_at
from bunraku.step.step_arrays import Step
from bunraku.step.tie_rows import ends_of, first_frame

FELT = 0.03  # s: low pass of what is felt
PART = 0.5  # of it that is believed
STRONG = 0.5  # weights of the figure: the most that is believed
LEAN = 0.2  # m: the most that the balanced point moves from the centre of mass
CLOSED = 2e4  # weight of a loop's rows, and
CALM = 50.0  # 1/s: how slips in it are stopped
AWAY = 1.0  # m: a gap at which nothing touches


@inline
def holds(s: Step, grip: GripEnd):
    """Whether a grip holds now."""
    return grip.used != 0 and s.tie_kinds[grip.tie].active != 0


@inline
def is_ours(d: Dance, grip: GripEnd):
    """Whether it is this figure's end."""
    i = grip.ours - d.info.body_first
    return 0 < i < d.problem.ints.shape[0]


@inline
def held_at(s: Step, grip: GripEnd):
    """Where a grip is, in the world."""
    return ends_of(s, grip.tie)[1]


@inline
def thing_of(s: Step, body):
    """(mass, centre of mass in the world, inertia about it) of a body of the world."""
    R = ld9(s.work, body * NW + ROT)
    m, h, I = rigid(s.reals, body, R)
    c = scale(1.0 / m, h)
    d = dot(c, h)
    central = (
        I[0] - d + c[0] * h[0],
        I[1] + c[0] * h[1],
        I[2] + c[0] * h[2],
        I[3] - d + c[1] * h[1],
        I[4] + c[1] * h[2],
        I[5] - d + c[2] * h[2],
    )
    return m, add(ld3(s.work, body * NW + POS), c), central


@part
def hands_on(d: Dance, s: Step, body):
    """(how many hands hold a thing, the mean of where), of all figures."""
    n = 0
    x = (0.0, 0.0, 0.0)
    for g in range(len(d.grip)):
        if holds(s, d.grip[g]) and d.grip[g].loose != 0 and d.grip[g].other == body:
            n += 1
            x = add(x, held_at(s, d.grip[g]))
    return n, scale(1.0 / max(n, 1), x)


@part
def let_pass(h):
    """Who holds a body does not touch it with that hand."""
    d, s = Dance(h), Step(h)
    ids, contacts, shapes = s.detection.ids, s.detection.contacts, s.detection.kinds
    for g in range(len(d.grip)):
        if not holds(s, d.grip[g]):
            continue
        ours = d.grip[g].ours
        other = d.grip[g].other
        for c in range(s.info.contacts):
            a = shapes[ids[c].a].body
            b = shapes[ids[c].b].body
            if (a == ours and b == other) or (a == other and b == ours):
                contacts[c].gap = AWAY


@part
def take_loads(h):
    """What is held, into the inertias of the links that hold it; before the survey."""
    d, s = Dance(h), Step(h)
    p, own = d.problem, d.own_inertia
    for i in range(ROOT, own.shape[0]):
        for k in range(10):
            p.reals[i, MASS + k] = own[i, k]
    for g in range(len(d.grip)):
        grip = d.grip[g]
        if not holds(s, grip) or grip.loose == 0 or not is_ours(d, grip):
            continue
        n, middle = hands_on(d, s, grip.other)
        m, c, central = thing_of(s, grip.other)
        at = add(c, sub(held_at(s, grip), middle))
        w = grip.ours * NW
        R = ld9(s.work, w + ROT)
        u = mtv(R, sub(at, ld3(s.work, w + POS)))
        add_load(p, grip.ours - d.info.body_first, m / n, u)
        if n == 1:
            I = rotate_s(mt(R), central)
            for k in range(6):
                p.reals[grip.ours - d.info.body_first, SECOND + k] += I[k]


@inline
def add_load(p: WholeBodyProblem, i, m, u):
    """A point of mass m at u in the frame of body i."""
    d = m * dot(u, u)
    reals = p.reals
    reals[i, MASS] += m
    for k in range(3):
        reals[i, FIRST + k] += m * u[k]
    reals[i, SECOND] += d - m * u[0] * u[0]
    reals[i, SECOND + 1] -= m * u[0] * u[1]
    reals[i, SECOND + 2] -= m * u[0] * u[2]
    reals[i, SECOND + 3] += d - m * u[1] * u[1]
    reals[i, SECOND + 4] -= m * u[1] * u[2]
    reals[i, SECOND + 5] += d - m * u[2] * u[2]


@part
def pull_now(d: Dance, s: Step, g):
    """(force, moment about the origin of `ours`) that grip g felt in the last step besides its load, and whether that is
    known; keeps the thing's rates."""
    grip, felt, work = d.grip[g], d.felt[g], s.work
    x = held_at(s, grip)
    F = first_frame(s, grip.tie)
    sign = 1.0 if grip.first != 0 else -1.0
    f = scale(sign, mv(F, ld3(s.tie_last, 6 * grip.tie)))
    n = scale(sign, mv(F, ld3(s.tie_last, 6 * grip.tie + 3)))
    origin = ld3(work, grip.ours * NW + POS)
    n = add(n, cross(sub(x, origin), f))
    known = grip.seen != 0
    grip.seen = 1
    if grip.loose != 0:
        many, middle = hands_on(d, s, grip.other)
        m, c, I = thing_of(s, grip.other)
        rate = rate_at(work, grip.other, c)
        om = ld3(work, grip.other * NW + OMEGA)
        each = 1.0 / s.numbers.dt
        ac = scale(each, sub(rate, felt.rate))
        al = scale(each, sub(om, felt.spin))
        felt.rate = rate
        felt.spin = om
        arm = sub(x, middle)
        a = add(ac, add(cross(al, arm), cross(om, cross(om, arm))))
        gravity = (d.problem.reals[0, PLACE], d.problem.reals[0, PLACE + 1], d.problem.reals[0, PLACE + 2])
        load = scale(m / many, sub(a, gravity))
        f = add(f, load)
        n = add(n, cross(sub(add(c, arm), origin), load))
        if many == 1:
            n = add(n, add(sv(I, al), cross(om, sv(I, om))))
    return f, n, known


@part
def drop_pins(d: Dance, g):
    """Pins and drags of a thing end where its grip has broken."""
    for k in range(len(d.pin)):
        if d.pin[k].grip == g + 1:
            d.pin[k].kind = NONE


@part
def see_held(h):
    """Where things that are pinned or dragged are, and the same points on the hands that hold them."""
    d, s = Dance(h), Step(h)
    work = s.work
    for k in range(len(d.pin)):
        pin, aim = d.pin[k], d.aim[k]
        if pin.kind == NONE or pin.grip == 0:
            continue
        thing = d.grip[pin.grip - 1].other
        w = thing * NW
        hand = (pin.body + d.info.body_first) * NW
        aim.turned = ld9(work, w + ROT)
        aim.place = add(ld3(work, w + POS), mv(aim.turned, aim.own))
        aim.rate = rate_at(work, thing, aim.place)
        aim.spin = ld3(work, w + OMEGA)
        aim.at = mtv(ld9(work, hand + ROT), sub(aim.place, ld3(work, hand + POS)))


@part
def feel_pulls(h):
    """Outer forces of this step, from what grips felt; after the survey."""
    d, s = Dance(h), Step(h)
    p, work = d.problem, d.problem.scratch
    outer, total = p.outer, p.outer_sum
    for k in range(outer.shape[0]):
        outer[k] = 0.0
    for k in range(6):
        total[k] = 0.0
    com = add(ld3(work, ROOT * NW + POS), base_of(p.ints, p.reals, work)[1])
    most = -STRONG * p.reals[0, PLACE + 2] * work[ROOT * NW + RIGID + 9]
    soon = s.numbers.dt / (FELT + s.numbers.dt)
    for g in range(len(d.grip)):
        grip, felt = d.grip[g], d.felt[g]
        if grip.used == 0 or not is_ours(d, grip):
            continue
        if s.tie_kinds[grip.tie].active == 0:
            drop_pins(d, g)
            felt.force = (0.0, 0.0, 0.0)
            felt.moment = (0.0, 0.0, 0.0)
            continue
        f, n, known = pull_now(d, s, g)
        if known:
            felt.force = axpy(soon, sub(scale(PART, f), felt.force), felt.force)
            felt.moment = axpy(soon, sub(scale(PART, n), felt.moment), felt.moment)
            size = dot(felt.force, felt.force) ** 0.5
            if size > most:
                felt.force = scale(most / size, felt.force)
                felt.moment = scale(most / size, felt.moment)
        i = grip.ours - d.info.body_first
        arm = sub(ld3(work, i * NW + POS), com)
        moment = add(felt.moment, cross(arm, felt.force))
        for k in range(3):
            outer[6 * i + k] += felt.force[k]
            outer[6 * i + 3 + k] += felt.moment[k]
            total[k] += felt.force[k]
            total[3 + k] += moment[k]
    # what the base answers to: WRENCH of the root is what v' = 0 needs of it, moments about its origin
    base = ROOT * NW
    f = (total[0], total[1], total[2])
    n = add((total[3], total[4], total[5]), cross(sub(com, ld3(work, base + POS)), f))
    for k in range(3):
        work[base + WRENCH + k] -= n[k]
        work[base + WRENCH + 3 + k] -= f[k]


@part
def close_loops(h):
    """Rows of the hands of this figure that hold one body."""
    d, s = Dance(h), Step(h)
    p = d.problem
    many = 0
    for g in range(len(d.grip)):
        if not holds(s, d.grip[g]) or not is_ours(d, d.grip[g]):
            continue
        for e in range(g):
            if not holds(s, d.grip[e]) or not is_ours(d, d.grip[e]) or d.grip[e].other != d.grip[g].other:
                continue
            if many < len(p.closed):
                close_loop(d, s, many, e, g)
                many += 1
            break
    p.count.closed = many


@part
def close_loop(d: Dance, s: Step, k, e, g):
    """Loop k, between the hands of grips e and g."""
    p = d.problem
    one, two = d.grip[e], d.grip[g]
    pair, closed = p.closed_body[k], p.closed[k]
    pair.first = two.ours - d.info.body_first
    pair.second = one.ours - d.info.body_first
    closed.point = held_at(s, two)
    slip = sub(rate_at(p.scratch, pair.first, closed.point), rate_at(p.scratch, pair.second, closed.point))
    turn = sub(ld3(p.scratch, pair.first * NW + OMEGA), ld3(p.scratch, pair.second * NW + OMEGA))
    F = first_frame(s, two.tie)
    axes = s.tie_kinds[one.tie].axes & s.tie_kinds[two.tie].axes
    for c in range(3):
        closed.axis[c] = col(F, c)
    closed.wanted = scale(-CALM, slip)
    closed.turning = scale(-CALM, turn)
    closed.weight = CLOSED
    closed.turning_weight = 0.1 * CLOSED if axes >> 3 == 7 else 0.0


@inline
def lean_of(d: Dance, ground):
    """How far the point that is balanced is from the centre of mass (x, y), for outer forces; the floor is at `ground`."""
    p, seen = d.problem, d.seen
    if d.info.holds == 0:
        return 0.0, 0.0
    t = p.outer_sum
    weight = -p.reals[0, PLACE + 2] * p.scratch[ROOT * NW + RIGID + 9]
    up = max(weight - t[2], 0.3 * weight)
    h = seen.com[2] - ground
    x = (t[4] + h * t[0]) / up
    y = (-t[3] + h * t[1]) / up
    return min(max(x, -LEAN), LEAN), min(max(y, -LEAN), LEAN)
