"""One step of a world: forces, contacts, rows, impulses, motion. This page is the table of contents; each stage is
compiled and cached on its own.

    FREE    torques at the joints, v' by aba, velocities of all bodies
    TOUCH   collision.detect
    ROWS    contacts, joint limits and friction, connections -> v = K lam + b, islands
    SOLVE   impulses, island by island, warm started from the last step; v + dt v' + A^-1 H' lam
    MOVE    q along it (semi-implicit Euler), quaternions on the group; what is remembered for the next step

Nothing is written to q and v before the step is known to be good: a status below zero leaves the state as it was.
Which stage stands at SOLVE is the contact model: bunraku.world.contact_models. Checked in tests/world/.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.detect import detect_contacts
from bunraku.dynamics.aba_kernel import aba_passes
from bunraku.dynamics.one_axis import axis
from bunraku.dynamics.passes import drift
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import st
from bunraku.kernel.table import ints1, ints2, reals1, reals2, run, stage
from bunraku.kernel.vec import ld3
from bunraku.model.layout import ARM, NW, VEL
from bunraku.step.advance import advance
from bunraku.step.contact_rows import contact_rows, keep_contacts
from bunraku.step.drive import drive_joints, note_torques
from bunraku.step.island import solve_islands
from bunraku.step.joint_rows import NEAR_LIMITS, joint_rows, keep_joints
from bunraku.step.rows import begin, find_islands, trace_all
from bunraku.step.step_arrays import (
    ACCEL,
    BOUNCED,
    CLIP,
    CONTACTS,
    DIVERGED,
    DT,
    EXCLUDED,
    F_EXT,
    FIXED_PAIRS,
    IDS,
    INFO,
    MARGIN,
    MOVED,
    N_CONTACTS,
    N_ROWS,
    NEXT_V,
    NUMBERS,
    OK,
    ORDER,
    PAIRS,
    RESIDUAL,
    RESIDUAL_MOST,
    SHAPE_INTS,
    SHAPE_REALS,
    START_Q,
    START_V,
    SWEEPS,
    SWEEPS_MOST,
    TOO_FAST,
    TOTAL,
    TRACK_AT,
    TRIAL,
    UNSOLVED,
    UNSOLVED_ALL,
    Q,
    V,
    model_of,
    rows_of,
)
from bunraku.step.tie_rows import keep_ties, tie_rows
from bunraku.step.velocity import velocity_change

FREE, TOUCH, ROWS, SOLVE, MOVE = range(5)  # stages
RIGID, SPRINGY = np.int64(0), np.int64(1)
VELOCITIES, POSITIONS = np.int64(0), np.int64(1)


@entry("h i", nogil=True)
def steps(h, n):
    """n steps, or fewer: returns (steps done, status)."""
    for k in range(n):
        for s in range(5):
            status = run(h, s)
            if status < 0:
                return k, status
    return n, 0


@inline
def finite(x):
    """Whether all of x is."""
    total = 0.0
    for k in range(x.shape[0]):
        total += 0.0 * x[k]
    return total == 0.0


@stage
def free_motion(h):
    """v' without constraints, and the velocities of the bodies' origins (the angular ones are there after aba)."""
    ints, reals, work = model_of(h)
    drive_joints(h, reals1(h, NUMBERS)[DT])
    v = reals1(h, V)
    aba_passes(ints, reals, reals1(h, Q), v, reals1(h, TOTAL), reals1(h, F_EXT), work, reals1(h, ACCEL))
    for k in range(3):
        st(work, VEL + k, 0.0)
    for i in range(1, ints.shape[0]):
        drift(ints, reals, v, work, i, ld3(work, i * NW + ARM), axis(ints, work, i))
    return OK if finite(reals1(h, ACCEL)) else DIVERGED


@stage
def touching(h):
    """Contacts between shapes at the bodies' present poses."""
    info = ints1(h, INFO)
    _, _, work = model_of(h)
    n = detect_contacts(
        ints2(h, SHAPE_INTS), reals2(h, SHAPE_REALS), ints2(h, PAIRS), info[FIXED_PAIRS], ints1(h, EXCLUDED), work, NW,
        reals1(h, NUMBERS)[MARGIN], reals1(h, CLIP), ints1(h, ORDER), ints2(h, IDS), reals2(h, CONTACTS),
    )  # fmt: skip
    if n < 0:
        return n
    info[N_CONTACTS] = n
    return OK


@inline
def all_rows(h, soft):
    """Rows of everything, their sources traced, islands found; returns a status."""
    begin(rows_of(h))
    status = contact_rows(h, soft)
    if status == OK:
        status = joint_rows(h, NEAR_LIMITS)
    if status == OK:
        status = tie_rows(h)
    if status == OK:
        status = trace_all(h)
    find_islands(h)
    return status


@stage
def rigid_rows(h):
    """Rows of rigid contacts and everything else."""
    return all_rows(h, RIGID)


@stage
def springy_rows(h):
    """Rows of springy contacts and everything else."""
    return all_rows(h, SPRINGY)


@inline
def sane(v):
    """Whether every rate is finite and bearable."""
    worst = 0.0
    for k in range(v.shape[0]):
        if not abs(v[k]) < TOO_FAST:
            worst = 1.0
    return worst == 0.0


@part
def new_velocity(h, out):
    """Array `out`: v after the step with the impulses in lam; returns a status."""
    v = reals1(h, V)
    a = reals1(h, ACCEL)
    dt = reals1(h, NUMBERS)[DT]
    to = reals1(h, out)
    if rows_of(h).count[N_ROWS] > 0:
        velocity_change(h, out)
    else:
        for k in range(v.shape[0]):
            to[k] = 0.0
    for k in range(v.shape[0]):
        to[k] += v[k] + dt * a[k]
    return OK if sane(to) else DIVERGED


@part
def impulses(h, soft):
    """lam, the new v (NEXT_V), and the rate at which positions move (MOVED); returns a status."""
    after = reals1(h, NEXT_V)
    moved = reals1(h, MOVED)
    bounced = ints1(h, INFO)[BOUNCED] != 0
    status = OK
    if bounced:  # an impact inside the step: positions have a right-hand side of their own
        status = solve_islands(h, POSITIONS, soft)
        if status == OK:
            status = new_velocity(h, MOVED)
    if status == OK:
        status = solve_islands(h, VELOCITIES, soft)
    if status < 0:
        return status
    status = new_velocity(h, NEXT_V)
    if not bounced or status < 0:
        for k in range(after.shape[0]):
            moved[k] = after[k]
    if status < 0:
        return status
    if ints1(h, INFO)[TRIAL] == 0:
        keep_contacts(h, soft)  # from here on nothing can fail
        keep_joints(h)
        keep_ties(h)
    return OK


@stage
def pgs(h):
    """Rigid contact by the iterative solver."""
    return impulses(h, RIGID)


@stage
def penalty(h):
    """Springy contact, implicit."""
    return impulses(h, SPRINGY)


@inline
def note_worst(h):
    """The worst of the solver since the world began (or since `world.forget_worst`), and one step more on the track."""
    info = ints1(h, INFO)
    numbers = reals1(h, NUMBERS)
    numbers[RESIDUAL_MOST] = max(numbers[RESIDUAL_MOST], numbers[RESIDUAL])
    info[SWEEPS_MOST] = max(info[SWEEPS_MOST], info[SWEEPS])
    info[UNSOLVED_ALL] += info[UNSOLVED]
    info[TRACK_AT] += 1


@stage
def move(h):
    """q and v after the step."""
    ints, _, _ = model_of(h)
    v = reals1(h, V)
    after = reals1(h, NEXT_V)
    start = reals1(h, START_V)
    note_torques(h)
    note_worst(h)
    for k in range(v.shape[0]):
        start[k] = v[k]
        v[k] = after[k]
    q = reals1(h, Q)
    start_q = reals1(h, START_Q)
    for k in range(q.shape[0]):
        start_q[k] = q[k]
    advance(ints, q, reals1(h, MOVED), reals1(h, NUMBERS)[DT])
    return OK
