"""One step of a world by Runge-Kutta 4: the stages of bunraku.step.euler with explicit torques at the joints, and a
MOVE of its own.

Contacts, joint limits and joint friction are solved once, at the start, and held as constant wrenches over the step
(001, section 5). Torques at the joints, springs, and the forces of rigid connections and kept gears are found at each
of the four stages:
    A v' = tau - b + H'lam,   H v' = -H_dot v
Quaternions stay on the group (bunraku.step.chart). After the step positions and rates are put back onto the closed
loops (bunraku.step.loops), so that nothing drifts and no stabilising constant is needed. A connection made with
relative velocity first costs its impulse, 000 (18).

Where something hits, the impulse acts at the start of the step: it is found with the rates alone, v' = 0, and what the
whole step's impulses have beyond it is the force that is held. A pose that leaves loops open (set by hand) is closed
before the step. Fourth order between such steps. Checked in tests/world/test_rk4.py and test_loops.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.aba_kernel import aba_passes
from bunraku.dynamics.kinematics_kernel import motion_pass
from bunraku.dynamics.one_axis import axis
from bunraku.dynamics.passes import drift
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import st
from bunraku.kernel.table import ints1, reals1, run, stage
from bunraku.kernel.vec import ld3
from bunraku.model.layout import ARM, DA, NW, VEL
from bunraku.model.model import Model
from bunraku.step.advance import advance
from bunraku.step.chart import chart_rate
from bunraku.step.drive import drive_joints
from bunraku.step.euler import ROWS, SOLVE, finite, note_worst, sane
from bunraku.step.held import add_tie_forces, hold_forces, keep_hard, something_hits
from bunraku.step.loops import (
    add_loop_forces,
    clear_loop_forces,
    close_loops,
    count_loops,
    measure_loops,
)
from bunraku.step.relative import ACCELERATION, POSITION, RATE
from bunraku.step.soft_ties import add_soft_wrenches, count_soft
from bunraku.step.step_arrays import (
    ACCEL,
    APPLIED,
    BOUNCED,
    DIVERGED,
    DT,
    F_EXT,
    INFO,
    MOVED,
    NEXT_V,
    NUMBERS,
    OK,
    STAGE,
    START_Q,
    START_V,
    TOTAL,
    TRIAL,
    Q,
    V,
    model_of,
    places,
)
from bunraku.step.velocity import velocity_change

EVALUATE, LOOPS = 5, 6  # stages that other stages run

# q and v at the start, and with the impulses there (BASE), q before a projection; wrenches and torques held over the
# step, all wrenches; place in the chart, its rate, what loops change; sums over the stages; integers, and the largest
# row of the loops
FIRST_Q, FIRST_V, BASE_V, BACK_Q = places(STAGE, STAGE + 4)
BASE_Q = STAGE + np.int64(15)
HELD, HELD_TAU, EXT = places(STAGE + 4, STAGE + 7)
THETA, RATE_Q, CHANGE = places(STAGE + 7, STAGE + 10)
SUM_Q, SUM_V, SUM_TAU, PLAN, WORST = places(STAGE + 10, STAGE + 15)
N_LOOPS, N_SOFT, LEVEL = range(3)  # entries of PLAN
MEASURE = np.int64(3)  # a level beside those of bunraku.step.loops
OPEN = 1e-8  # m or rad: a loop that was opened by hand
CLOSED = 1e-13  # m or rad: near what rounding allows
STILL = 1e-9  # m/s or rad/s between the ends of a connection that is not new
PASSES = 4  # of the projection of positions
WEIGHTS = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)
REACH = (0.0, 0.5, 0.5, 1.0)


def tables(m: Model) -> dict[int, np.ndarray]:
    """The arrays of this page, by their numbers."""
    of_rates = (FIRST_V, BASE_V, HELD_TAU, THETA, RATE_Q, CHANGE, SUM_Q, SUM_V, SUM_TAU)
    return {
        **{k: np.zeros(m.nq) for k in (FIRST_Q, BASE_Q, BACK_Q)},
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


@inline
def loops_at(h, level):
    """Run LOOPS at a level; returns (status, largest row)."""
    ints1(h, PLAN)[LEVEL] = level
    status = run(h, LOOPS)
    return status, reals1(h, WORST)[0]


@part
def project_positions(h):
    """Positions onto the closed loops, and poses, rates and inertias of the scratch with them; returns a status."""
    ints, _, _ = model_of(h)
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
            break
        if worst < CLOSED:
            return OK
        before = worst
        copy(h, BACK_Q, Q)
        advance(ints, reals1(h, Q), reals1(h, CHANGE), 1.0)
    return run(h, EVALUATE)


@stage
def begin_rk4(h):
    """v' without constraints and without springs (which come as rows here), and the velocities of the bodies."""
    copy(h, FIRST_Q, Q)
    copy(h, FIRST_V, V)
    clear(h, HELD)
    clear(h, HELD_TAU)
    plan = ints1(h, PLAN)
    plan[N_SOFT] = 0
    plan[N_LOOPS] = count_loops(h)
    status = run(h, EVALUATE)
    if plan[N_LOOPS] == 0 or status < 0:
        return status
    status, worst = loops_at(h, MEASURE)
    if status == OK and worst > OPEN:
        status = project_positions(h)
        if status == OK:
            status = run(h, EVALUATE)
    if status < 0:
        copy(h, Q, FIRST_Q)
    return status


@stage
def evaluate(h):
    """v' at the present q and v with the forces held and those of joints and springs, loops open; the velocities of the
    bodies."""
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
    return OK if finite(reals1(h, ACCEL)) else DIVERGED


@stage
def answer_loops(h):
    """CHANGE: what makes the rows of closed loops zero at the level that PLAN names; WORST: the largest of them
    (MEASURE: that alone)."""
    level = ints1(h, PLAN)[LEVEL]
    if level == MEASURE:
        status, worst = measure_loops(h)
    else:
        status, worst = close_loops(h, level, CHANGE)
    reals1(h, WORST)[0] = worst
    return status


@part
def four_stages(h):
    """q and v from BASE_Q and BASE_V by Runge-Kutta 4; returns a status."""
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
        copy(h, Q, BASE_Q)
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
def impact(h):
    """The impulses of what hits, at the start of the step: v, and q where it bounced inside the step; returns a status."""
    ints, _, work = model_of(h)
    info = ints1(h, INFO)
    dt = reals1(h, NUMBERS)[DT]
    v = reals1(h, V)
    moved = reals1(h, MOVED)
    after = reals1(h, NEXT_V)
    theta = reals1(h, THETA)
    change = reals1(h, CHANGE)
    clear(h, ACCEL)
    for i in range(ints.shape[0]):
        for k in range(6):
            st(work, i * NW + DA + k, 0.0)
    info[TRIAL] = 1
    status = run(h, ROWS)
    if status == OK:
        status = run(h, SOLVE)
    info[TRIAL] = 0
    if status < 0:
        return status
    for k in range(v.shape[0]):
        theta[k] = moved[k] - after[k]
    keep_hard(h)
    hold_forces(h, -1.0 / dt, HELD, HELD_TAU)
    add_tie_forces(h, 1.0 / dt)
    velocity_change(h, CHANGE)
    for k in range(v.shape[0]):
        v[k] += change[k]
    if info[BOUNCED] != 0:
        advance(ints, reals1(h, Q), theta, dt)
    return OK


@part
def new_connections(h):
    """The impulse of connections that have relative velocity where nothing else presses; returns a status."""
    v = reals1(h, V)
    change = reals1(h, CHANGE)
    status, worst = loops_at(h, RATE)
    if status == OK and worst > STILL:
        add_loop_forces(h, 1.0 / reals1(h, NUMBERS)[DT])
        for k in range(v.shape[0]):
            v[k] += change[k]
    return status


@part
def whole_step(h):
    """Impulses, four stages, projection; returns a status."""
    plan = ints1(h, PLAN)
    plan[N_LOOPS] = count_loops(h)  # some may just have broken
    v = reals1(h, V)
    change = reals1(h, CHANGE)
    clear_loop_forces(h)
    hold_forces(h, 1.0 / reals1(h, NUMBERS)[DT], HELD, HELD_TAU)
    status = OK
    if something_hits(h):
        status = impact(h)
    elif plan[N_LOOPS] > 0:
        status = new_connections(h)
    if status < 0:
        return status
    plan[N_SOFT] = count_soft(h)
    copy(h, BASE_Q, Q)
    copy(h, BASE_V, V)
    status = four_stages(h)
    copy(h, APPLIED, SUM_TAU)
    if status < 0 or plan[N_LOOPS] == 0:
        return status
    status = project_positions(h)
    if status < 0:
        return status
    status, _ = loops_at(h, RATE)
    for k in range(v.shape[0]):
        v[k] += change[k]
    return status if sane(v) else DIVERGED


@stage
def move_rk4(h):
    """q and v after the step; a status below zero leaves them as they were."""
    status = whole_step(h)
    copy(h, MOVED, V)
    if status < 0:
        copy(h, Q, FIRST_Q)
        copy(h, V, FIRST_V)
        return status
    note_worst(h)
    copy(h, START_Q, FIRST_Q)
    copy(h, START_V, FIRST_V)
    return OK
