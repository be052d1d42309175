"""One step of a world: forces, contacts, rows, impulses, motion. This page is the table of contents; each phase is
compiled and cached on its own.

    FREE    torques at the joints, v' by aba, velocities of all bodies
    TOUCH   collision.detect
    ROWS    contacts, joint limits and friction, connections -> v = K lam + b, islands
    SOLVE   impulses, island by island, warm started from the last step; v + dt v' + A^-1 H' lam; where shapes overlap
            deeply, how positions alone move apart (bunraku.step.push_apart)
    MOVE    q along it (semi-implicit Euler), quaternions on the group; what is remembered for the next step

Two guesses keep the rows few: contacts that cannot close their gap get none (bunraku.step.contact_rows), nor does the
friction of joints (bunraku.step.drive); a third says which servos are at their limit. SOLVE looks whether they were
right; where not it says AGAIN, and FREE, ROWS and SOLVE are done again without them, so that results do not depend on
guesses beyond the solver's tolerance.

Nothing is written to q and v before the step is known to be good: a status below zero leaves the state as it was.
Which phase stands at SOLVE is the contact model: bunraku.world.contact_models. Checked in tests/world/.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.collision.detect import detect_contacts
from bunraku.dynamics.aba_kernel import aba_passes
from bunraku.dynamics.one_axis import axis
from bunraku.dynamics.passes import advance, drift
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import st
from bunraku.kernel.record import handle
from bunraku.kernel.table import phase, run
from bunraku.kernel.vec import ld3
from bunraku.model.layout import ARM, NW, VEL
from bunraku.step.contact_rows import away_stay, contact_rows, keep_contacts
from bunraku.step.drive import (
    drive_joints,
    drives_agree,
    friction_agrees,
    friction_by_rows,
    guess_friction,
    note_torques,
)
from bunraku.step.island import solve_islands
from bunraku.step.joint_rows import NEAR_LIMITS, joint_rows, keep_joints
from bunraku.step.push_apart import PUSH_PHASE
from bunraku.step.response import velocity_change
from bunraku.step.rows import begin, find_islands, trace_all
from bunraku.step.step_arrays import AGAIN, DIVERGED, NOT_FINITE, OK, TOO_FAST, Step
from bunraku.step.tie_rows import keep_ties, tie_rows

FREE, TOUCH, ROWS, SOLVE, MOVE = range(5)  # phases
RIGID, SPRINGY = np.int64(0), np.int64(1)
VELOCITIES, POSITIONS = np.int64(0), np.int64(1)


@inline
def many_steps(h, n):
    """n steps, or fewer: returns (steps done, status)."""
    count = Step(h).rows.count
    for k in range(n):
        count.every_point = 0
        count.tries = 0
        s = 0
        while s < 5:
            status = run(h, s)
            if status == AGAIN:
                status = run(h, FREE)
                s = ROWS - 1
            if status < 0:
                return k, status
            s += 1
    return n, 0


@entry("h i", nogil=True)
def steps(h, n):
    """`many_steps` of one world."""
    return many_steps(h, n)


@phase
def free_motion(h):
    """v' without constraints, and the velocities of all bodies."""
    s = Step(h)
    if not all_finite(s):
        return NOT_FINITE
    drive_joints(s, s.numbers.dt)
    guess_friction(s)
    return free_acceleration(s, s.f_ext)


@phase
def touching(h):
    """Contacts between shapes at the bodies' present poses."""
    s = Step(h)
    n = detect_contacts(s.detection, s.info.fixed_pairs, s.work, NW, s.numbers.margin)
    if n < 0:
        return n
    s.info.contacts = n
    return OK


@phase
def rigid_rows(h):
    """Rows of rigid contacts and everything else."""
    return all_rows(Step(h), RIGID)


@phase
def springy_rows(h):
    """Rows of springy contacts and everything else."""
    return all_rows(Step(h), SPRINGY)


@phase
def pgs(h):
    """Rigid contact by the iterative solver."""
    return impulses(Step(h), RIGID)


@phase
def penalty(h):
    """Springy contact, implicit."""
    return impulses(Step(h), SPRINGY)


@phase
def move(h):
    """q and v after the step."""
    s = Step(h)
    note_torques(s)
    note_worst(s)
    copy(s.start_q, s.q)
    copy(s.start_v, s.v)
    copy(s.v, s.next_v)
    advance(s.ints, s.reals, s.q, s.moved, s.numbers.dt)
    note_last(s)
    return OK


@inline
def free_acceleration(s: Step, forces):
    """v' under the torques `total` and forces (6 nb) on the bodies, and the velocities of the bodies' origins (the
    angular ones are there after aba); returns a status."""
    work = s.work
    aba_passes(s.ints, s.reals, s.q, s.v, s.total, forces, work, s.accel)
    for k in range(3):
        st(work, VEL + k, 0.0)
    for i in range(1, s.ints.shape[0]):
        drift(s.ints, s.reals, s.v, work, i, ld3(work, i * NW + ARM), axis(s.ints, work, i))
    return OK if finite(s.accel) else DIVERGED


@inline
def all_rows(s: Step, soft):
    """Rows of everything, their sources traced, islands found; returns a status."""
    begin(s.rows)
    return other_rows(s, contact_rows(s, soft), NEAR_LIMITS)


@inline
def other_rows(s: Step, status, limits):
    """Rows of joints and connections behind those of contacts, which have a status; the same as `all_rows`."""
    if status == OK:
        status = joint_rows(s, limits)
    if status == OK and len(s.ties) > 0:
        status = tie_rows(s)
    if status == OK:
        status = trace_all(s)
    find_islands(s.rows)
    return status


def impulses_by(solve_islands: Any) -> Any:
    """`impulses` with a solver of all islands (bunraku.step.island)."""

    @part
    def impulses(s: Step, soft):
        """lam, the new v (next_v), and the rate at which positions move (moved); returns a status, AGAIN where a
        guess about what acts was wrong."""
        bounced = s.info.bounced != 0
        status = OK
        if bounced:  # an impact inside the step: positions have a right-hand side of their own
            status = solve_islands(s, POSITIONS, soft)
            if status == OK:
                status = new_velocity(s, s.moved)
            if status == OK and not away_stay(s):
                status = AGAIN
        if status == OK:
            status = solve_islands(s, VELOCITIES, soft)
        if status == OK:
            status = new_velocity(s, s.next_v)
            if not bounced or status < 0:
                copy(s.moved, s.next_v)
        if status == OK and not away_stay(s):
            status = AGAIN
        if status == AGAIN:
            s.rows.count.every_point = 1
        elif status == OK or status == DIVERGED:
            status = friction_agrees(s, status)
            if status >= 0 and not drives_agree(s):
                status = AGAIN
        pushes = status == OK and s.rows.count.deep != 0 and s.info.trial == 0
        if pushes and friction_by_rows(s):  # a guess is one of velocities, not of how positions move apart
            status = AGAIN
        if status == AGAIN:
            s.rows.count.tries += 1
        elif pushes:
            status = run(handle(s), PUSH_PHASE)
        if status != OK:
            return status
        if s.info.trial == 0:
            keep_contacts(s, soft)  # from here on nothing can fail
            keep_joints(s)
            if len(s.ties) > 0:
                keep_ties(s)
        return OK

    return impulses


impulses = impulses_by(solve_islands)


@part
def new_velocity(s: Step, to):
    """`to` (nv): v after the step with the impulses in lam; returns a status."""
    dt = s.numbers.dt
    if s.rows.count.rows > 0:
        velocity_change(s, to)
    else:
        for k in range(to.shape[0]):
            to[k] = 0.0
    for k in range(to.shape[0]):
        to[k] += s.v[k] + dt * s.accel[k]
    return OK if sane(to) else DIVERGED


@inline
def note_worst(s: Step):
    """The worst of the solver since the world began (or since `world.forget_worst`), and one step more on the track."""
    info, numbers = s.info, s.numbers
    numbers.worst_residual = max(numbers.worst_residual, numbers.residual)
    info.most_sweeps = max(info.most_sweeps, info.sweeps)
    info.unsolved_in_all += info.unsolved
    info.track_at += 1


@inline
def note_last(s: Step):
    """What can be read of this step until the next one (bunraku.world.laststep)."""
    copy(s.last_v, s.v)
    copy(s.last_tau, s.applied)
    copy(s.last_f_ext, s.f_ext)
    s.known[0] = 1


@inline
def copy(to, x):
    """to = x."""
    for k in range(to.shape[0]):
        to[k] = x[k]


@inline
def all_finite(s: Step):
    """Whether all that a user can set is."""
    return finite(s.q) and finite(s.v) and finite(s.tau) and finite(s.target_q) and finite(s.target_v)


@inline
def finite(x):
    """Whether all of x is."""
    total = 0.0
    for k in range(x.shape[0]):
        total += 0.0 * x[k]
    return total == 0.0


@inline
def sane(v):
    """Whether every rate is finite and bearable."""
    worst = 0.0
    for k in range(v.shape[0]):
        if not abs(v[k]) < TOO_FAST:
            worst = 1.0
    return worst == 0.0
