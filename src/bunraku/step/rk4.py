"""One step of a world by Runge-Kutta 4: the phases of bunraku.step.euler with explicit torques at the joints, and a
MOVE of its own.

Contacts, joint limits and joint friction are solved once, at the start, and held as constant wrenches over the step
(Nakaoka et al. 2007, section 5). Torques at the joints, springs, and the forces of rigid connections and kept gears are
found at each of the four evaluations:
    A v' = tau - b + H'lam,   H v' = -H_dot v
After the step positions and rates are put back onto the closed
loops (bunraku.step.loops), so that nothing drifts and no stabilising constant is needed. A connection made with
relative velocity first costs its impulse, (18) of Nakamura & Yamane 2000.

Where something hits, the impulse acts at the start of the step: it is found with the rates alone, v' = 0, and what the
whole step's impulses have beyond it is the force that is held. A pose that leaves loops open (set by hand) is closed
before the step. Fourth order between such steps.

In the chart q = q0 moved along theta a Runge-Kutta method is an ordinary one: theta' = v but for turns, where
    theta' = w + 1/2 theta x w + 1/12 theta x (theta x w) + O(theta^4)
(the inverse of the exponential's right differential). A method of order 4 for (theta, v) from theta = 0 is then one of
order 4 on the group, and q never leaves it: Munthe-Kaas, "High order Runge-Kutta methods on manifolds", Appl. Numer.
Math. 29 (1999). The terms left out are of fourth order in the step, as theta is of first, and of fifth once integrated.
Checked in tests/world/test_rk4.py, test_loops.py and tests/step/test_chart.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.kinematics_kernel import motion_pass
from bunraku.dynamics.passes import adding, advance
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.record import Record, handle, put, real, ref, vector, whole
from bunraku.kernel.table import phase, run
from bunraku.kernel.vec import axpy, cross, ld3, st3
from bunraku.model.layout import DA, DOF, FOLLOWS, IV, NW
from bunraku.model.model import Model
from bunraku.step.drive import drive_joints
from bunraku.step.euler import ROWS, SOLVE, all_finite, copy, free_acceleration, note_last, note_worst, sane
from bunraku.step.held import add_tie_forces, hold_forces, keep_hard, something_hits
from bunraku.step.loops import (
    add_loop_forces,
    clear_loop_forces,
    close_loops,
    count_loops,
    measure_loops,
)
from bunraku.step.relative import ACCELERATION, POSITION, RATE
from bunraku.step.response import velocity_change
from bunraku.step.soft_ties import add_soft_wrenches, count_soft
from bunraku.step.step_arrays import DIVERGED, EXTRA, NOT_FINITE, OK, Step

EVALUATE, LOOPS = 5, 6  # phases that other phases run
MEASURE = np.int64(3)  # a level beside those of bunraku.step.loops
OPEN = 1e-8  # m or rad: a loop that was opened by hand
CLOSED = 1e-13  # m or rad: near what rounding allows
STILL = 1e-9  # m/s or rad/s between the ends of a connection that is not new
PASSES = 4  # of the projection of positions
WEIGHTS = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
REACH = (0.0, 0.5, 0.5, 1.0)


class Plan(Record):
    """What there is to do."""

    loops = whole()  # rigid connections and kept gears
    soft = whole()  # springs, and connections that give way
    level = whole()  # of the rows of loops that are wanted
    worst = real()  # the largest of them


class RungeKutta(Record, after=EXTRA):
    """Arrays of this page, behind those of every step."""

    plan = ref(Plan)
    first_q = vector()  # at the start,
    first_v = vector()
    base_q = vector()  # and with the impulses there
    base_v = vector()
    back_q = vector()  # before a projection
    held = vector()  # (6 nb) wrenches and torques held over the step, all wrenches
    held_tau = vector()
    ext = vector()
    theta = vector()  # place in the chart, its rate, what loops change
    rate = vector()
    change = vector()
    sum_q = vector()  # sums over the four evaluations
    sum_v = vector()
    sum_tau = vector()


def furnish(step: Step, m: Model) -> None:
    """Put the arrays of RungeKutta into the table of a step."""
    own = put(RungeKutta(step), plan=Plan())
    of_rates = ("first_v", "base_v", "held_tau", "theta", "rate", "change", "sum_q", "sum_v", "sum_tau")
    put(own, **{name: np.zeros(m.nq) for name in ("first_q", "base_q", "back_q")})
    put(own, **{name: np.zeros(m.nv) for name in of_rates})
    put(own, held=np.zeros(6 * m.nb), ext=np.zeros(6 * m.nb))


@inline
def clear(x):
    """x = 0."""
    for k in range(x.shape[0]):
        x[k] = 0.0


@inline
def add_change(s: Step, own: RungeKutta):
    """v += what loops change."""
    for k in range(s.v.shape[0]):
        s.v[k] += own.change[k]


@inline
def loops_at(s: Step, own: RungeKutta, level):
    """Run LOOPS at a level; returns (status, largest row)."""
    own.plan.level = level
    status = run(handle(s), LOOPS)
    return status, own.plan.worst


@part
def project_positions(s: Step, own: RungeKutta):
    """Positions onto the closed loops, and poses, rates and inertias of the scratch with them; returns a status."""
    before = 1e300
    copy(own.back_q, s.q)
    for _ in range(PASSES):
        status = run(handle(s), EVALUATE)
        if status < 0:
            return status
        status, worst = loops_at(s, own, POSITION)
        if status < 0:
            return status
        if not worst < before:  # as near as it gets
            copy(s.q, own.back_q)
            break
        if worst < CLOSED:
            return OK
        before = worst
        copy(own.back_q, s.q)
        advance(s.ints, s.reals, s.q, own.change, 1.0)
    return run(handle(s), EVALUATE)


@phase
def begin_rk4(h):
    """v' without constraints and without springs (which come as rows here), and the velocities of the bodies."""
    s = Step(h)
    own = RungeKutta(h)
    if not all_finite(s):
        return NOT_FINITE
    copy(own.first_q, s.q)
    copy(own.first_v, s.v)
    clear(own.held)
    clear(own.held_tau)
    own.plan.soft = 0
    own.plan.loops = count_loops(s)
    status = run(h, EVALUATE)
    if own.plan.loops == 0 or status < 0:
        return status
    status, worst = loops_at(s, own, MEASURE)
    if status == OK and worst > OPEN:
        status = project_positions(s, own)
        if status == OK:
            status = run(h, EVALUATE)
    if status < 0:
        copy(s.q, own.first_q)
    return status


@phase
def evaluate(h):
    """v' at the present q and v with the forces held and those of joints and springs, loops open; the velocities of the
    bodies."""
    s = Step(h)
    own = RungeKutta(h)
    for k in range(own.ext.shape[0]):
        own.ext[k] = own.held[k] + s.f_ext[k]
    if own.plan.soft > 0:
        motion_pass(s.ints, s.reals, s.q, s.v, s.work)
        add_soft_wrenches(s, own.ext)
    drive_joints(s, 0.0)
    for k in range(s.total.shape[0]):
        s.total[k] += own.held_tau[k]
    return free_acceleration(s, own.ext)


@phase
def answer_loops(h):
    """`change`: what makes the rows of closed loops zero at the level that the plan names; `worst`: the largest of them
    (MEASURE: that alone)."""
    s = Step(h)
    own = RungeKutta(h)
    if own.plan.level == MEASURE:
        status, worst = measure_loops(s)
    else:
        status, worst = close_loops(s, own.plan.level, own.change)
    own.plan.worst = worst
    return status


@part
def four_evaluations(s: Step, own: RungeKutta):
    """q and v from base_q and base_v by Runge-Kutta 4; returns a status."""
    dt = s.numbers.dt
    n = s.v.shape[0]
    clear(own.rate)
    clear(s.accel)
    clear(own.sum_q)
    clear(own.sum_v)
    clear(own.sum_tau)
    for i in range(5):  # the fifth is the sum
        reach = dt * REACH[i] if i < 4 else dt
        for k in range(n):
            own.theta[k] = reach * (own.rate[k] if i < 4 else own.sum_q[k])
            s.v[k] = own.base_v[k] + reach * (s.accel[k] if i < 4 else own.sum_v[k])
        copy(s.q, own.base_q)
        advance(s.ints, s.reals, s.q, own.theta, 1.0)
        if not sane(s.v):
            return DIVERGED
        if i == 4:
            break
        status = run(handle(s), EVALUATE)
        if status < 0:
            return status
        if own.plan.loops > 0:
            status, _ = loops_at(s, own, ACCELERATION)
            if status < 0:
                return status
            add_loop_forces(s, WEIGHTS[i])
            for k in range(n):
                s.accel[k] += own.change[k]
        chart_rate(s.ints, own.theta, s.v, own.rate)
        for k in range(n):
            own.sum_q[k] += WEIGHTS[i] * own.rate[k]
            own.sum_v[k] += WEIGHTS[i] * s.accel[k]
            own.sum_tau[k] += WEIGHTS[i] * (s.total[k] - own.held_tau[k])
    return OK


@part
def impact(s: Step, own: RungeKutta):
    """The impulses of what hits, at the start of the step: v, and q where it bounced inside the step; returns a status."""
    dt = s.numbers.dt
    clear(s.accel)
    for i in range(s.ints.shape[0]):
        for k in range(6):
            st(s.work, i * NW + DA + k, 0.0)
    s.info.trial = 1
    status = run(handle(s), ROWS)
    if status == OK:
        status = run(handle(s), SOLVE)
    s.info.trial = 0
    if status < 0:
        return status
    for k in range(s.v.shape[0]):
        own.theta[k] = s.moved[k] - s.next_v[k]
    keep_hard(s)
    hold_forces(s, -1.0 / dt, own.held, own.held_tau)
    add_tie_forces(s, 1.0 / dt)
    velocity_change(s, own.change)
    add_change(s, own)
    if s.info.bounced != 0:
        advance(s.ints, s.reals, s.q, own.theta, dt)
    return OK


@part
def new_connections(s: Step, own: RungeKutta):
    """The impulse of connections that have relative velocity where nothing else presses; returns a status."""
    status, worst = loops_at(s, own, RATE)
    if status == OK and worst > STILL:
        add_loop_forces(s, 1.0 / s.numbers.dt)
        add_change(s, own)
    return status


@part
def whole_step(s: Step, own: RungeKutta):
    """Impulses, four evaluations, projection; returns a status."""
    plan = own.plan
    deep = s.rows.count.deep != 0
    plan.loops = count_loops(s)  # some may just have broken
    clear_loop_forces(s)
    hold_forces(s, 1.0 / s.numbers.dt, own.held, own.held_tau)
    status = OK
    if something_hits(s):
        status = impact(s, own)
    elif plan.loops > 0:
        status = new_connections(s, own)
    if status < 0:
        return status
    if deep:  # positions alone
        advance(s.ints, s.reals, s.q, s.pushed, s.numbers.dt)
    plan.soft = count_soft(s)
    copy(own.base_q, s.q)
    copy(own.base_v, s.v)
    status = four_evaluations(s, own)
    copy(s.applied, own.sum_tau)
    if status < 0 or plan.loops == 0:
        return status
    status = project_positions(s, own)
    if status < 0:
        return status
    status, _ = loops_at(s, own, RATE)
    add_change(s, own)
    return status if sane(s.v) else DIVERGED


@phase
def move_rk4(h):
    """q and v after the step; a status below zero leaves them as they were."""
    s = Step(h)
    own = RungeKutta(h)
    status = whole_step(s, own)
    copy(s.moved, s.v)
    if status < 0:
        copy(s.q, own.first_q)
        copy(s.v, own.first_v)
        return status
    note_worst(s)
    copy(s.start_q, own.first_q)
    copy(s.start_v, own.first_v)
    note_last(s)
    return OK


@inline
def turn_rate(t, w):
    """theta' for the rate w in body axes."""
    c = cross(t, w)
    return axpy(0.5, c, axpy(1.0 / 12.0, cross(t, c), w))


@inline
def chart_rate(ints, theta, v, out):
    """out = theta' (nv) at theta for the rates v."""
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0:
            continue
        k = ints[i, IV]
        adds = adding(ints, i)
        for r in range(adds):
            st(out, k + r, ld(v, k + r))
        if ints[i, DOF] > adds:
            st3(out, k + adds, turn_rate(ld3(theta, k + adds), ld3(v, k + adds)))
