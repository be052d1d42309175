"""One step of a world: forces, contacts, rows, impulses, motion. This page is the table of contents; each stage is a module.

    free motion   v' by aba (dynamics), velocities of all bodies
    contacts      collision.detect
    rows          constraint.assemble: contacts, joint limits, connections -> blocks, v = K lam + b
    impulses      constraint.contact: island by island, warm started from the last step
    motion        v + dt v' + A^-1 H' lam, then q along it (semi-implicit Euler), quaternions on the group

Nothing is written to q and v before the step is known to be good: a status below zero leaves the state as it was.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from bunraku.collision.detect import detect_contacts
from bunraku.constraint.arrays import Ends, Island, Memory, Rows, Scene, Tied
from bunraku.constraint.assemble import connection_rows, contact_rows, limit_rows
from bunraku.constraint.rows import begin, islands, trace_all
from bunraku.dynamics.aba_kernel import aba_passes
from bunraku.dynamics.articulated import axis
from bunraku.dynamics.passes import drift
from bunraku.dynamics.work import opened
from bunraku.integrators.advance import advance
from bunraku.model.layout import ARM, NW, VEL
from bunraku.spatial.entry import entry
from bunraku.spatial.kernel import inline, part
from bunraku.spatial.lanes import borrow, st
from bunraku.spatial.vec import ld3
from bunraku.world.impulses import gather_velocity, keep_impulses, solve_islands, warm_start

DIVERGED = -20  # status: something is no longer finite, or faster than `TOO_FAST`
TOO_FAST = 1e5  # m/s or rad/s

# entries of `info`
CONTACTS, WARM, SWEEPS, BOUNCED, UNSOLVED, ISLANDS, LARGEST = range(7)


@part
def body_velocities(ints, reals, v, work):
    """Velocities of the bodies' origins (the angular ones are there after aba)."""
    for k in range(3):
        st(work, VEL + k, 0.0)
    for i in range(1, ints.shape[0]):
        drift(ints, reals, v, work, i, ld3(work, i * NW + ARM), axis(ints, work, i))


@part
def free_motion(ints, reals, q, v, tau, f_ext, work, a):
    """v' without constraints."""
    aba_passes(ints, reals, q, v, tau, f_ext, work, a)


@part
def touching(scene, work, margin):
    """Contacts between shapes at the bodies' present poses: their number, or a status."""
    return detect_contacts(
        scene.shape_ints, scene.shape_reals, scene.pairs, scene.fixed_pairs, scene.excluded, work, NW, margin,
        scene.real, scene.ints, scene.ids, scene.data,
    )  # fmt: skip


@inline
def sane(v):
    """Whether every rate is finite and bearable."""
    worst = 0.0
    for k in range(v.shape[0]):
        if not abs(v[k]) < TOO_FAST:
            worst = 1.0
    return worst == 0.0


class State(NamedTuple):
    """q, v and what drives them; then scratch of nv numbers each."""

    q: Any
    v: Any
    tau: Any
    f_ext: Any
    a: Any
    dv: Any
    torques: Any
    moved: Any


@inline
def one_step(handle, state, scene, memory, rows, island, ends, tied, info, report, dt, margin, tolerance, sweeps):
    """Advance (q, v) by dt; returns a status."""
    ints, reals, work = opened(handle)
    q, v, a, dv, moved = state.q, state.v, state.a, state.dv, state.moved

    free_motion(ints, reals, q, v, state.tau, state.f_ext, work, a)
    body_velocities(ints, reals, v, work)
    n = touching(scene, work, margin)
    if n < 0:
        return n

    begin(rows)
    status, bounced = contact_rows(work, scene, n, dt, rows)
    if status == 0:
        status = limit_rows(q, v, a, ends, dt, rows)
    if status == 0:
        status = connection_rows(work, tied, dt, rows)
    if status == 0:
        status = trace_all(ints, reals, work, rows)
    if status < 0:
        return status

    islands(rows)
    warm_start(scene, memory, tied, info, rows)
    status = solve_islands(rows, rows.row_b, island, info, report, tolerance, sweeps)
    if status < 0:
        return status
    gather_velocity(ints, reals, work, rows, state.torques, dv)
    for k in range(v.shape[0]):
        dv[k] += v[k] + dt * a[k]  # the new v
        moved[k] = dv[k]
    if not sane(moved):
        return DIVERGED
    keep_impulses(scene, n, memory, tied, info, rows)
    if bounced != 0:  # an impact inside the step: positions have rows of their own
        status = solve_islands(rows, rows.row_p, island, info, report, tolerance, sweeps)
        if status < 0:
            return status
        gather_velocity(ints, reals, work, rows, state.torques, moved)
        for k in range(v.shape[0]):
            moved[k] += v[k] + dt * a[k]
        if not sane(moved):
            return DIVERGED
    for k in range(v.shape[0]):
        v[k] = dv[k]
    advance(ints, q, moved, dt)
    info[CONTACTS] = n
    info[BOUNCED] = bounced
    return 0


@entry(
    "h D D D D D D D D "  # State
    "II DD II i I D I II DD DD DD II DD "  # Scene, Memory
    "I I I I II I I II I II I DDD DDD DD II DD D D II DD D "  # Rows
    "DD D II DD D D I I "  # Island
    "D D I I II DD D "  # Ends, Tied
    "I D d d d i i"
)
def steps(
    handle, q, v, tau, f_ext, a, dv, torques, moved,
    shape_ints, shape_reals, pairs, fixed_pairs, excluded, real, scratch, ids, data, friction, restitution, last_ids, last_force,
    tree, body_source, joint_source, tree_count, tree_first, by_tree, parent, sources, count, hops, lengths, y, roots, pool, row_source,
    row_w, row_b, row_p, blocks, block_reals, lam,
    K, b, local_ints, local_reals, local_lam, work, row_of, done,
    lower, upper, limit_body, limit_q, tie_ints, tie_reals, tie_impulse,
    info, report, dt, margin, tolerance, sweeps, n,
):  # fmt: skip
    """n steps, or fewer: returns (steps done, status). Arrays in the order of State, Scene, Memory, Rows, Island, Ends, Tied."""
    state = State(
        borrow(q), borrow(v), borrow(tau), borrow(f_ext), borrow(a), borrow(dv), borrow(torques), borrow(moved)
    )
    scene = Scene(
        borrow(shape_ints), borrow(shape_reals), borrow(pairs), fixed_pairs, borrow(excluded), borrow(real), borrow(scratch),
        borrow(ids), borrow(data), borrow(friction), borrow(restitution),
    )  # fmt: skip
    memory = Memory(borrow(last_ids), borrow(last_force))
    rows = Rows(
        borrow(tree), borrow(body_source), borrow(joint_source), borrow(tree_count), borrow(tree_first), borrow(by_tree),
        borrow(parent), borrow(sources), borrow(count), borrow(hops), borrow(lengths), borrow(y), borrow(roots), borrow(pool),
        borrow(row_source), borrow(row_w), borrow(row_b), borrow(row_p), borrow(blocks), borrow(block_reals), borrow(lam),
    )  # fmt: skip
    island = Island(
        borrow(K), borrow(b), borrow(local_ints), borrow(local_reals), borrow(local_lam), borrow(work), borrow(row_of), borrow(done)
    )  # fmt: skip
    ends = Ends(borrow(lower), borrow(upper), borrow(limit_body), borrow(limit_q))
    tied = Tied(borrow(tie_ints), borrow(tie_reals), borrow(tie_impulse))
    numbers = borrow(info)
    reals = borrow(report)
    for k in range(n):
        status = one_step(
            handle, state, scene, memory, rows, island, ends, tied, numbers, reals, dt, margin, tolerance, sweeps
        )
        if status < 0:
            return k, status
    return n, 0
