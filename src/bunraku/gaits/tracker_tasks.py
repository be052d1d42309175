"""What the tracker asks of feet, trunk and joints: tasks, contacts and posture of the whole-body problem, parts of gaits.tracker_law.

    pelvis, trunk     turned as planned
    standing foot     on its heel edge, its sole or its front edge: corners that shall not move, forces near to the plan's;
                      on the heel its front edge comes down no faster than it can be stopped (`APPROACH`)
    landed foot       as long as it stands on its heel, or closes a walk, it carries `REST` of the weight: it touches once
    swinging foot     on its way to where it shall land, a little higher than planned; at the end it falls onto the ground
                      (`falls`), so that when it touches does not hang on a tenth of a millimetre; one that ends a walk
                      comes down gently
Checked in tests/gaits/test_natural_walk.py.
"""

from __future__ import annotations

from bunraku.control.balance_kernel import turn_error
from bunraku.control.end_links import ROOT
from bunraku.control.whole_body_build import put_task, room_of
from bunraku.gaits.walk_arrays import CORNERS, PELVIS, STOP, TRUNK, Walking
from bunraku.gaits.walking_sense import held
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, col, cross, scale, sub
from bunraku.model.layout import BALL, FOLLOWS, FREE, IQ, IV, KIND
from bunraku.step.drive import ball_error

HEEL, SOLE, TOE = 1, 2, 3  # what of a foot stands
SINK, APPROACH = 0.04, 30.0  # m/s, 1/s: speed of an edge that comes down, and more by its height
HALT, RAISE = 80.0, 20.0  # 1/s: of an edge that comes down faster; of one that is not where it is planned
REST = 0.08  # of the weight: a foot that has landed carries as much
SEARCH = 0.3  # m/s of a late foot downwards
FALL, FALLING, HURRY = 0.12, 0.03, 5.0  # m/s, s, m/s^2: a foot falls onto the ground for a moment, a late one faster
SOON = 0.03  # s before the planned landing from when on it may touch: behind the landing a plan can only wait
RISES = 0.15  # of its way, in which a foot gets as much higher than planned as it falls at the end
EARLIER = 0.93  # of the landing's time, at which the landing place is reached


@inline
def heel_of(f):
    """The link that is the heel edge of a foot."""
    return 2 + 2 * f


@inline
def toe_of(f):
    """Its front edge."""
    return 3 + 2 * f


@part
def put_posture(w: Walking):
    """The joints as planned."""
    p, figure, i = w.problem, w.figure, w.instant
    ints, q, v = p.ints, p.q, p.v
    goal, rate, change = w.plan_q[i.row], w.plan_v[i.row], w.plan_a[i.row]
    spring, damper = figure.posture
    for b in range(ROOT + 1, ints.shape[0]):
        if ints[b, FOLLOWS] != 0 or ints[b, KIND] == FREE:
            continue
        k = ints[b, IQ]
        many = 3 if ints[b, KIND] == BALL else 1
        e = ball_error(q, goal, k) if many == 3 else (goal[k] - q[k], 0.0, 0.0)
        for j in range(many):
            d = ints[b, IV] + j
            error = e[0] if j == 0 else (e[1] if j == 1 else e[2])
            p.posture[d - 6].wanted = i.moves * change[d] + spring * error + damper * (i.moves * rate[d] - v[d])


@part
def link_task(w: Walking, k, link, gain, weight, turning_weight):
    """Task k: a link held to the plan."""
    p, i = w.problem, w.instant
    plan, seen = w.rows[i.row].link[link], i.link[link]
    error = sub(add(plan.place, i.shift), seen.place)
    wanted = axpy(gain[0], error, axpy(gain[1], sub(scale(i.moves, plan.rate), seen.rate), scale(i.moves, plan.change)))
    turn = turn_error(seen.turn, plan.turn)
    turning = axpy(
        gain[0], turn, axpy(gain[1], sub(scale(i.moves, plan.spin), seen.spin), scale(i.moves, plan.spin_change))
    )
    put_task(p, k, w.body[link], w.frame[link].place, wanted, turning, weight, turning_weight)


@inline
def falls(left):
    """How much higher than planned [m] a foot is `left` seconds before it shall touch, and how fast it rises [m/s]: planned
    feet come to rest on the ground, and a foot at rest there touches it at any time."""
    if left >= FALLING:
        return FALL * FALLING, 0.0
    if left >= 0.0:
        return FALL * left, -FALL
    speed = min(FALL - HURRY * left, SEARCH)
    until = (speed - FALL) / HURRY
    return 0.5 * (FALL + speed) * -until + speed * (left + until), -speed


@part
def swing(w: Walking, k, f):
    """Task k: the swinging foot on its way."""
    s, i, now, figure = w.step, w.instant, w.now, w.figure
    link, gain = heel_of(f), figure.foot
    link_task(w, k, link, gain, figure.weight_foot, figure.weight_foot)
    late = max(i.phase - s.land, 0.0) * s.seconds if s.kind == STOP else i.late
    span = EARLIER * s.land - s.both
    u = held((i.phase - s.both) / span, 0.0, 1.0)
    way = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
    rate = 30.0 * u * u * (1.0 - u) * (1.0 - u) / (span * s.seconds)
    wanted = w.problem.task[k].wanted
    x = wanted[0] + (gain[0] * way + gain[1] * rate) * now.target[0]
    y = wanted[1] + (gain[0] * way + gain[1] * rate) * now.target[1]
    z = wanted[2]
    if s.kind == STOP:
        z = max(z - SEARCH * (gain[0] * late + gain[1] * (1.0 if late > 0.0 else 0.0)), gently(w, f))
    else:
        high, fast = falls((s.land - i.phase) * s.seconds - SOON)
        z += held(u / RISES, 0.0, 1.0) * (gain[0] * high + gain[1] * fast)
    w.problem.task[k].wanted = (x, y, z)


@part
def gently(w: Walking, f):
    """The least acceleration upwards [m/s^2] with which a foot in the air comes down no faster than it can be stopped."""
    link, lead = w.instant.link, w.now.lead
    ground = min(link[heel_of(lead)].place[2], link[toe_of(lead)].place[2])
    height = min(link[heel_of(f)].place[2], link[toe_of(f)].place[2]) - ground
    down = -min(link[heel_of(f)].rate[2], link[toe_of(f)].rate[2])
    return HALT * (down - SINK - APPROACH * max(height, 0.0))


@part
def lower(w: Walking, k):
    """Tasks k and k + 1: the leading foot stands on its heel, its front edge comes down gently, and on until it is felt."""
    p, i, figure, f = w.problem, w.instant, w.figure, w.now.lead
    heel, toe, row = heel_of(f), toe_of(f), w.rows[w.instant.row]
    seen, edge, plan = i.link[heel], i.link[toe], row.link[heel]
    turn = turn_error(seen.turn, plan.turn)
    turning = axpy(figure.foot[0], turn, scale(figure.foot[1], sub(scale(i.moves, plan.spin), seen.spin)))
    height, speed = edge.place[2] - seen.place[2], edge.rate[2] - seen.rate[2]
    wanted = i.moves * row.link[toe].rate[2] + RAISE * (row.link[toe].place[2] - height)
    wanted = max(wanted, -(SINK + APPROACH * max(height, 0.0)))
    if i.phase > 0.6 * w.step.flat:
        wanted = min(wanted, -SINK)
    zero, own = (0.0, 0.0, 0.0), 0.3 * figure.weight_foot
    put_task(p, k, w.body[heel], w.frame[heel].place, zero, turning, 0.0, 0.0)
    p.task[k].turning_weight = (own, 0.0, own)
    put_task(p, k + 1, w.body[toe], w.frame[toe].place, (0.0, 0.0, HALT * (wanted - speed)), zero, 0.0, 0.0)
    p.task[k + 1].weight = (0.0, 0.0, figure.weight_edge)


@part
def corners(w: Walking, n, f, stands, rest):
    """Corners of a sole that stand, as contacts from number n on, each with `rest` [N] at least; returns how many
    there are now."""
    p, i = w.problem, w.instant
    row = w.rows[i.row]
    for c in range(CORNERS):
        front = c >= 2
        if (front and stands == HEEL) or (not front and stands == TOE):
            continue
        link = toe_of(f) if front else heel_of(f)
        frame, seen, y = w.frame[link], i.link[link], w.corner[f, c]
        contact = p.contact[n]
        contact.point = axpy(y, col(frame.axes, 1), frame.place)
        moves = add(seen.rate, cross(seen.spin, scale(y, col(seen.turn, 1))))
        contact.wanted = scale(-w.figure.hold, moves)
        contact.near = row.force[CORNERS * f + c]
        contact.least = rest
        if p.contact_body[n] != w.body[link]:
            p.count.contacts = 0  # the last forces are no guess for these
        p.contact_body[n] = w.body[link]
        n += 1
    return n


@part
def ends(w: Walking):
    """Tasks and contacts of this period."""
    p, i, figure, now = w.problem, w.instant, w.figure, w.now
    lead, weight = now.lead, figure.weight
    link_task(w, 0, PELVIS, figure.body, 0.0, figure.weight_body)
    link_task(w, 1, TRUNK, figure.body, 0.0, figure.weight_body)
    many = 2
    n = corners(w, 0, lead, i.stands, 0.5 * REST * weight if i.stands == HEEL else 0.0)
    if i.stands == HEEL:
        lower(w, many)
        many += 2
    elif i.stands == TOE:
        link_task(w, many, toe_of(lead), figure.foot, 0.0, 0.1 * figure.weight_foot)
        many += 1
    if i.behind != 0:
        n = corners(w, n, 1 - lead, i.behind, REST / CORNERS * weight if now.closed != 0 else 0.0)
    else:
        swing(w, many, 1 - lead)
        many += 1
    p.count.tasks = many
    if n != p.count.contacts:
        y = p.y
        for k in range(y.shape[0]):
            y[k] = 0.0
        first = room_of(len(p.posture))
        for k in range(n):
            y[first + 3 * k] = weight / n
    p.count.contacts = n
