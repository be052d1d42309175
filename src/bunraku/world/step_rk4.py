"""One step of a world by Runge-Kutta 4: the stages of bunraku.world.step with explicit torques at the joints, and a MOVE of its own.

Contacts, joint limits and joint friction are solved once, at the start, and held as constant wrenches over the step (001, section 5).
Torques at the joints, springs, and the forces of rigid connections and kept gears are found at each of the four stages:
    A v' = tau - b + H'lam,   H v' = -H_dot v
Quaternions stay on the group (bunraku.integrators.chart). After the step positions and rates are put back onto the closed loops
(bunraku.constraint.loops), so that nothing drifts and no stabilising constant is needed. A connection made with relative velocity
first costs its impulse, 000 (18).

A step in which something hits, or a connection breaks, is Euler's: the impulse acts at its start, and no order can be had over a jump.
Fourth order between such steps. Checked in tests/world/test_rk4.py and test_loops.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.constraint.arrays import (
    ACCEL,
    APPLIED,
    DIVERGED,
    DT,
    F_EXT,
    MOVED,
    NEXT_V,
    NUMBERS,
    OK,
    STAGE,
    START_Q,
    START_V,
    TOTAL,
    Q,
    V,
    model_of,
    places,
)
from bunraku.constraint.held import hold_forces, something_hits
from bunraku.constraint.loops import (
    ACCELERATION,
    POSITION,
    RATE,
    add_loop_forces,
    clear_loop_forces,
    close_loops,
    count_loops,
)
from bunraku.constraint.soft_ties import add_soft_wrenches, count_soft
from bunraku.dynamics.aba_kernel import aba_passes
from bunraku.dynamics.articulated import axis
from bunraku.dynamics.kinematics_kernel import motion_pass
from bunraku.dynamics.passes import drift
from bunraku.integrators.advance import advance
from bunraku.integrators.chart import chart_rate
from bunraku.integrators.drive import drive_joints, note_torques
from bunraku.model.layout import ARM, NW, VEL
from bunraku.model.model import Model
from bunraku.spatial.kernel import inline, part
from bunraku.spatial.lanes import st
from bunraku.spatial.table import ints1, reals1, run, stage
from bunraku.spatial.vec import ld3
from bunraku.world.step import sane

EVALUATE, LOOPS = 5, 6  # stages that other stages run

# q and v at the start, v with new connections, q before a projection; wrenches and torques held over the step, all wrenches;
# place in the chart, its rate, what loops change; sums over the stages; integers, and the largest row of the loops
FIRST_Q, FIRST_V, BASE_V, BACK_Q = places(STAGE, STAGE + 4)
HELD, HELD_TAU, EXT = places(STAGE + 4, STAGE + 7)
THETA, RATE_Q, CHANGE = places(STAGE + 7, STAGE + 10)
SUM_Q, SUM_V, SUM_TAU, PLAN, WORST = places(STAGE + 10, STAGE + 15)
N_LOOPS, N_SOFT, LEVEL = range(3)  # entries of PLAN
CLOSED = 1e-13  # m or rad: near what rounding allows
STILL = 1e-9  # m/s or rad/s between the ends of a connection that is not new
PASSES = 4  # of the projection of positions
WEIGHTS = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
REACH = (0.0, 0.5, 0.5, 1.0)


def tables(m: Model) -> dict[int, np.ndarray]:
    """The arrays of this page, by their numbers."""
    of_rates = (FIRST_V, BASE_V, HELD_TAU, THETA, RATE_Q, CHANGE, SUM_Q, SUM_V, SUM_TAU)
    return {
        **{k: np.zeros(m.nq) for k in (FIRST_Q, BACK_Q)},
        **{k: np.zeros(m.nv) for k in of_rates},
        **{k: np.zeros(6 * m.nb) for k in (HELD, EXT)},
        PLAN: np.zeros(3, dtype=np.int64),
        WORST: np.zeros(1),
    }


@inline
def copy(h, to, source):
    """Array `to` = array `source`."""
    x = reals1(h, source)
    y = reals1(h, to)
    for k in range(y.shape[0]):
        y[k] = x[k]


@inline
def clear(h, which):
    """Array `which` = 0."""
    x = reals1(h, which)
    for k in range(x.shape[0]):
        x[k] = 0.0


@stage
def begin_rk4(h):
    """v' without constraints and without springs (which come as rows here), and the velocities of the bodies."""
    copy(h, FIRST_Q, Q)
    copy(h, FIRST_V, V)
    clear(h, HELD)
    clear(h, HELD_TAU)
    ints1(h, PLAN)[N_SOFT] = 0
    return run(h, EVALUATE)


@stage
def evaluate(h):
    """v' at the present q and v with the forces held and those of joints and springs, loops open; the velocities of the bodies."""
    ints, reals, work = model_of(h)
    q = reals1(h, Q)
    v = reals1(h, V)
    ext = reals1(h, EXT)
    held = reals1(h, HELD)
    pushed = reals1(h, F_EXT)
    total = reals1(h, TOTAL)
    torque = reals1(h, HELD_TAU)
    for k in range(ext.shape[0]):
        ext[k] = held[k] + pushed[k]
    if ints1(h, PLAN)[N_SOFT] > 0:
        motion_pass(ints, reals, q, v, work)
        add_soft_wrenches(h, EXT)
    drive_joints(h, 0.0)
    for k in range(total.shape[0]):
        total[k] += torque[k]
    aba_passes(ints, reals, q, v, total, ext, work, reals1(h, ACCEL))
    for k in range(3):
        st(work, VEL + k, 0.0)
    for i in range(1, ints.shape[0]):
        drift(ints, reals, v, work, i, ld3(work, i * NW + ARM), axis(ints, work, i))
    return OK


@stage
def answer_loops(h):
    """CHANGE: what makes the rows of closed loops zero at the level that PLAN names; WORST: the largest of them."""
    status, worst = close_loops(h, ints1(h, PLAN)[LEVEL], CHANGE)
    reals1(h, WORST)[0] = worst
    return status


@inline
def loops_at(h, level):
    """Run LOOPS at a level; returns (status, largest row)."""
    ints1(h, PLAN)[LEVEL] = level
    status = run(h, LOOPS)
    return status, reals1(h, WORST)[0]


@part
def project(h):
    """Positions, then rates, onto the closed loops; returns a status."""
    ints, _, _ = model_of(h)
    q = reals1(h, Q)
    v = reals1(h, V)
    change = reals1(h, CHANGE)
    before = 1e300
    copy(h, BACK_Q, Q)
    for _ in range(PASSES):
        status = run(h, EVALUATE)
        if status < 0:
            return status
        status, worst = loops_at(h, POSITION)
        if status < 0:
            return status
        if not worst < before:  # as near as it gets
            copy(h, Q, BACK_Q)
            run(h, EVALUATE)
            break
        if worst < CLOSED:
            break
        before = worst
        copy(h, BACK_Q, Q)
        advance(ints, q, change, 1.0)
    status, _ = loops_at(h, RATE)
    for k in range(v.shape[0]):
        v[k] += change[k]
    return status


@part
def four_stages(h):
    """q and v from FIRST_Q and BASE_V by Runge-Kutta 4; returns a status."""
    ints, _, _ = model_of(h)
    plan = ints1(h, PLAN)
    dt = reals1(h, NUMBERS)[DT]
    v = reals1(h, V)
    base = reals1(h, BASE_V)
    a = reals1(h, ACCEL)
    theta = reals1(h, THETA)
    rate = reals1(h, RATE_Q)
    change = reals1(h, CHANGE)
    sum_q = reals1(h, SUM_Q)
    sum_v = reals1(h, SUM_V)
    sum_tau = reals1(h, SUM_TAU)
    total = reals1(h, TOTAL)
    torque = reals1(h, HELD_TAU)
    n = v.shape[0]
    for k in range(n):
        rate[k] = 0.0
        a[k] = 0.0
        sum_q[k] = 0.0
        sum_v[k] = 0.0
        sum_tau[k] = 0.0
    for s in range(5):  # the fifth is the sum
        reach = dt * REACH[s] if s < 4 else dt
        for k in range(n):
            theta[k] = reach * (rate[k] if s < 4 else sum_q[k])
            v[k] = base[k] + reach * (a[k] if s < 4 else sum_v[k])
        copy(h, Q, FIRST_Q)
        advance(ints, reals1(h, Q), theta, 1.0)
        if not sane(v):
            return DIVERGED
        if s == 4:
            break
        status = run(h, EVALUATE)
        if status < 0:
            return status
        if plan[N_LOOPS] > 0:
            status, _ = loops_at(h, ACCELERATION)
            if status < 0:
                return status
            add_loop_forces(h, WEIGHTS[s])
            for k in range(n):
                a[k] += change[k]
        chart_rate(ints, theta, v, rate)
        for k in range(n):
            sum_q[k] += WEIGHTS[s] * rate[k]
            sum_v[k] += WEIGHTS[s] * a[k]
            sum_tau[k] += WEIGHTS[s] * (total[k] - torque[k])
    return OK


@part
def runge_kutta(h):
    """A step without impacts; returns a status."""
    plan = ints1(h, PLAN)
    v = reals1(h, V)
    change = reals1(h, CHANGE)
    hold_forces(h, HELD, HELD_TAU)
    plan[N_SOFT] = count_soft(h)
    if plan[N_LOOPS] > 0:
        clear_loop_forces(h)
        status, worst = loops_at(h, RATE)
        if status < 0:
            return status
        if worst > STILL:  # a new connection: its impulse
            add_loop_forces(h, 1.0 / reals1(h, NUMBERS)[DT])
            for k in range(v.shape[0]):
                v[k] += change[k]
    copy(h, BASE_V, V)
    status = four_stages(h)
    copy(h, APPLIED, SUM_TAU)
    return status


@stage
def move_rk4(h):
    """q and v after the step; a status below zero leaves them as they were."""
    ints, _, _ = model_of(h)
    plan = ints1(h, PLAN)
    plan[N_LOOPS] = count_loops(h)
    if something_hits(h):
        note_torques(h)
        copy(h, V, NEXT_V)
        advance(ints, reals1(h, Q), reals1(h, MOVED), reals1(h, NUMBERS)[DT])
        status = OK
    else:
        status = runge_kutta(h)
    if status == OK and plan[N_LOOPS] > 0:
        status = project(h)
    if status == OK and not sane(reals1(h, V)):
        status = DIVERGED
    if status < 0:
        copy(h, MOVED, V)
        copy(h, Q, FIRST_Q)
        copy(h, V, FIRST_V)
        return status
    copy(h, MOVED, V)
    copy(h, START_Q, FIRST_Q)
    copy(h, START_V, FIRST_V)
    return OK
