"""What a figure that steps asks of its links: the swinging foot along its path, soles flat, pelvis and trunk upright.
Parts of kernels; see bunraku.choreography.stepping. Checked in tests/choreography/test_stepping.py.
"""

from __future__ import annotations

from math import pi

from bunraku.choreography.dance_arrays import Dance
from bunraku.choreography.feedback import clipped, turn_error
from bunraku.choreography.rising_arrays import RISE
from bunraku.choreography.step_choice import held, turned
from bunraku.choreography.stepping_arrays import STAND, SWING, StrideState
from bunraku.control.whole_body_build import put_task
from bunraku.kernel.compile import inline, part
from bunraku.kernel.trig import sincos
from bunraku.kernel.vec import add, ld3, ld9, mm, mt, scale, sub
from bunraku.model.layout import NW, OMEGA, ROT
from bunraku.step.relative import rate_at

AHEAD = 0.01  # part of a swing, for its rates
SEARCH = 0.3  # m/s downwards, where the floor is late
FOLLOW, DAMP = 600.0, 45.0  # 1/s^2, 1/s: the swinging foot along its path
TILT, TILT_DAMP = 120.0, 20.0  # pelvis and trunk
LARGE = 0.3  # rad: more is not taken back faster
FLAT_PART = 0.3  # of the swing's weight: a sole that stands on an edge becomes flat


@inline
def about_up(yaw):
    """The rotation about z."""
    s, c = sincos(yaw)
    return (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)


@inline
def path(s: StrideState, clear, u):
    """(place) of a swinging foot at a part u of its swing: ahead smoothly, up before and down after."""
    u = held(u, 0.0, 1.0)
    w = min(u / 0.92, 1.0)
    rise = s.goal[2] - s.start[2]
    if rise > 0.02:
        w = held((u - 0.25) / 0.67, 0.0, 1.0)
    b = w * w * w * (10.0 - 15.0 * w + 6.0 * w * w)
    c = held(u / 0.5, 0.0, 1.0) if rise > 0.0 else held((u - 0.5) / 0.45, 0.0, 1.0)
    c = c * c * (3.0 - 2.0 * c)
    sn = sincos(pi * u)[0]
    return (
        s.start[0] + b * (s.goal[0] - s.start[0]),
        s.start[1] + b * (s.goal[1] - s.start[1]),
        s.start[2] + c * rise + clear * sn,
    )


@part
def sole_task(d: Dance, n, f, yaw, weight):
    """A sole level, with a heading; returns the number of tasks now."""
    p, sole = d.problem, d.sole[f]
    e = turn_error(ld9(p.scratch, sole.body * NW + ROT), mm(about_up(yaw), mt(sole.turn)))
    turn = sub(scale(FOLLOW, e), scale(DAMP, ld3(p.scratch, sole.body * NW + OMEGA)))
    put_task(p, n, sole.body, sole.place, (0.0, 0.0, 0.0), turn, 0.0, weight)
    return n + 1


@part
def step_tasks(d: Dance):
    """While it steps: the swinging foot along its path, pelvis and trunk upright, legs free of desired values."""
    s, g, p = d.step, d.stepper, d.problem
    n = p.count.tasks
    for f in range(2):
        foot, sole = s.foot[f], d.sole[f]
        if 0.0 < foot.touching < 4.0 and foot.free != 0.0 and not (s.mode == SWING and f == s.side):
            n = sole_task(d, n, f, foot.yaw, FLAT_PART * g.swing_weight)
    if s.mode == STAND and d.rising.stage != RISE:
        p.count.tasks = n
        return
    if s.mode == SWING:
        sole = d.sole[s.side]
        u = (s.clock - s.began) / s.seconds
        before, now, soon = path(s, g.clear, u - AHEAD), path(s, g.clear, u), path(s, g.clear, u + AHEAD)
        dt = AHEAD * s.seconds
        rate = scale(0.5 / dt, sub(soon, before))
        push = scale(1.0 / (dt * dt), add(sub(soon, now), sub(before, now)))
        if u > 1.0:
            late = SEARCH * (s.clock - s.began - s.seconds)
            now = (s.goal[0], s.goal[1], s.goal[2] - late)
            rate = (0.0, 0.0, -SEARCH)
            push = (0.0, 0.0, 0.0)
        w = held(u / 0.9, 0.0, 1.0)
        yaw = s.start_yaw + turned(s.goal_yaw - s.start_yaw) * w * w * (3.0 - 2.0 * w)
        x = s.foot[s.side].place
        back = add(scale(FOLLOW, sub(now, x)), scale(DAMP, sub(rate, rate_at(p.scratch, sole.body, x))))
        wanted = add(push, back)
        put_task(p, n, sole.body, sole.place, wanted, wanted, g.swing_weight, 0.0)
        n = sole_task(d, n + 1, s.side, yaw, 0.1 * g.swing_weight)
    for k in range(len(d.upright)):
        part_ = d.upright[k]
        e = turn_error(ld9(p.scratch, part_.body * NW + ROT), mm(about_up(s.heading), part_.turn))
        turn = sub(scale(TILT, clipped(e, LARGE)), scale(TILT_DAMP, ld3(p.scratch, part_.body * NW + OMEGA)))
        put_task(p, n, part_.body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), turn, 0.0, g.upright_weight)
        n += 1
    p.count.tasks = n
    for j in range(len(p.posture)):
        p.posture[j].weight = p.posture[j].weight * (g.legs if d.leg[j] != 0.0 else 1.0)
