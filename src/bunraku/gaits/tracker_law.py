"""The tracker's law, one kernel call each period: from what the instruments read to the torques.

`follow`, at the end, is the table of contents; what is asked for in words is in gaits.step_tracker, its arrays in
gaits.walk_arrays, what is asked of feet and trunk in gaits.tracker_tasks. Where a foot has landed it returns NEXT: Python
puts the next step into the arrays and calls again. Checked in tests/gaits/test_natural_walk.py and
tests/gaits/test_tracker_law.py.
"""

from __future__ import annotations

from math import exp

from bunraku.control.end_links import survey
from bunraku.control.whole_body_kernel import whole_body
from bunraku.gaits.tracker_tasks import SINK, ends, heel_of, put_posture, toe_of
from bunraku.gaits.walk_arrays import START, STOP, Walking
from bunraku.gaits.walking_sense import held, look
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.vec import axpy, scale, sub

GOES_ON, NEXT, CLOSED = 0, 1, 2  # answers of `follow`
NONE, HEEL, SOLE, TOE = 0, 1, 2, 3  # what of a foot stands
FEEL = 0.01  # of the weight: a foot that landed; one in the air hangs and feels none
SOONEST = 0.8  # of the step, from when on it may
OFF = 0.002  # of the weight: the trailing foot left the ground
STOPS, EDGE = 4, 0.02  # periods in which a front edge does not move, of the weight: it stands
ROOM_AHEAD, ROOM_ASIDE = 0.02, 0.015  # m: errors that the pressure takes back
NEAR, FAR, BACK, AHEAD = 0.02, 0.25, 0.5, 0.35  # m: how far landing places move inwards, outwards, back, ahead
WAITS = 0.06  # s in which the plan comes to rest where a foot is late: at once, half of the weight would be lost
TAKE_UP, LAST = 0.03, 0.04  # s: of a new landing place; before the landing, when it stays


@inline
def row_of(w: Walking, phase):
    """Number of the row at a part of the step's time, among those of the side that leads."""
    s = w.step
    return min(max(s.first + round(phase * s.many), 0), s.first + s.many)


@part
def landed(w: Walking):
    """Whether the swinging foot came down: NEXT; CLOSED where it is the last one."""
    now, s = w.now, w.step
    load = w.felt.loads[1 - now.lead] / w.figure.weight
    if s.kind == STOP:
        if now.closed == 0 and now.phase > SOONEST * s.land and load > FEEL:
            now.closed = 1
            return CLOSED
        return GOES_ON
    return NEXT if now.phase > SOONEST and load > FEEL else GOES_ON


@part
def feel_front_edge(w: Walking):
    """The leading sole is flat as soon as its front edge is felt."""
    now, f = w.now, w.now.lead
    link, half = w.instant.link, w.frame[heel_of(f)].half
    sinks = link[toe_of(f)].rate[2] - link[heel_of(f)].rate[2]
    now.still = now.still + 1 if sinks > -0.5 * SINK else 0
    load = w.felt.loads[f] / w.figure.weight
    carried = load * (w.felt.pressure[f][0] + half[0]) / (2.0 * half[0])
    if now.still > 0 and (carried > EDGE or now.still >= STOPS):
        now.flat = 1


@part
def behind(w: Walking, phase):
    """What of the trailing foot stands."""
    now, s = w.now, w.step
    if (s.kind == START and phase < 0.8 * s.both) or (s.kind == STOP and now.closed != 0):
        return SOLE
    load = w.felt.loads[1 - now.lead] / w.figure.weight
    return TOE if phase < min(1.3 * s.both, 0.5 * (s.both + s.land)) and load > OFF else NONE


@part
def clock(w: Walking):
    """The phase goes on; which row of the plan is followed, whether it moves, what of the feet stands."""
    now, s, i = w.now, w.step, w.instant
    phase = now.phase
    stops = s.kind == STOP
    now.phase = min(phase + w.figure.period / s.seconds, 1.0 if stops else 3.0)
    i.phase = phase
    i.late = 0.0 if stops else max(phase - 1.0, 0.0) * s.seconds
    i.moves = (1.0 if phase < 1.0 else 0.0) if stops else max(1.0 - i.late / WAITS, 0.0)
    i.first = now.lead * s.rows
    i.row = i.first + row_of(w, phase)
    feel_front_edge(w)
    i.stands = TOE if phase >= s.heel_off and not stops else (SOLE if now.flat != 0 else HEEL)
    i.behind = behind(w, phase)
    edge = toe_of(now.lead) if i.stands == TOE else heel_of(now.lead)
    i.shift = sub(i.link[edge].place, w.rows[i.row].link[edge].place)


@inline
def beyond(off, most):
    """What of an error is more than the pressure takes back."""
    return off - held(off, -most, most)


@part
def place_foot(w: Walking):
    """Where the swinging foot shall come down, against the plan: the capture point's error at the landing."""
    now, s, i, omega = w.now, w.step, w.instant, w.figure.pendulum
    left = (s.land - i.phase) * s.seconds
    if not (i.phase > 0.5 * s.both and left > LAST) or now.closed != 0:
        return
    grow = exp(omega * left)
    end, row = w.rows[i.first + row_of(w, s.land)], w.rows[i.row]
    right, left_most = (NEAR, FAR) if now.lead == 1 else (FAR, NEAR)  # m
    for d in range(2):
        goal = end.com[d] + end.com_rate[d] / omega
        here = row.com[d] + row.com_rate[d] / omega
        pressure = (goal - here * grow) / (1.0 - grow)
        capture = i.com[d] - i.shift[d] + i.com_rate[d] / omega
        off = pressure + (capture - pressure) * grow - goal
        off = beyond(off, (ROOM_AHEAD if d == 0 else ROOM_ASIDE) * (grow - 1.0))
        off = held(off, -BACK, AHEAD) if d == 0 else held(off, -right, left_most)
        now.target[d] += min(w.figure.period / TAKE_UP, 1.0) * (off - now.target[d])


@part
def ask_whole(w: Walking):
    """Rates of momentum: the plan's, with the feedback of the capture point."""
    p, i, figure = w.problem, w.instant, w.figure
    row = w.rows[i.row]
    omega, m = figure.pendulum, figure.mass
    com, rate = sub(sub(i.com, row.com), i.shift), sub(i.com_rate, row.com_rate)
    spin = axpy(figure.spin_damper, sub(row.spin, i.spin), scale(i.moves, row.spin_change))
    for d in range(3):
        wish = i.moves * row.com_change[d]
        if d < 2:
            capture = com[d] + rate[d] / omega
            wish += omega * omega * (com[d] - (1.0 + figure.capture) * capture)
        else:
            wish -= figure.height[0] * com[2] + figure.height[1] * rate[2]
        p.momentum[d].wanted = m * (wish - figure.gravity[d])
        p.momentum[3 + d].wanted = spin[d]


@entry("h i")
def follow(h, another):
    """One period, from what was read to the torques: GOES_ON, or CLOSED where the last foot came down in it. Or NEXT,
    before anything is commanded: the next step shall be put into the arrays. It is then called again with another = 1."""
    w = Walking(h)
    answer = GOES_ON
    if another == 0:
        look(w)
        answer = landed(w)
        if answer == NEXT:
            return NEXT
    clock(w)
    place_foot(w)
    p = w.problem
    survey(p.ints, p.reals, p.q, p.v, p.scratch)
    put_posture(w)
    ends(w)
    ask_whole(w)
    p.settings.rest_cone = 0.0
    p.settings.rest_contact = 0.0
    whole_body(p)
    return answer
