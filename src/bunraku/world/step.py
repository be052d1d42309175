"""One step of a world: forces, contacts, rows, impulses, motion. This page is the table of contents; each stage is a module.

    free motion   v' by aba (dynamics), velocities of all bodies
    contacts      collision.detect
    rows          constraint.assemble: contacts, joint limits, connections -> blocks, v = K lam + b
    impulses      constraint.contact: island by island, warm started from the last step
    motion        v + dt v' + A^-1 H' lam, then q along it (semi-implicit Euler), quaternions on the group

Nothing is written to q and v before the step is known to be good: a status below zero leaves the state as it was.
"""

from __future__ import annotations

from bunraku.collision.detect import detect_contacts
from bunraku.constraint.assemble import connection_rows, contact_rows, limit_rows
from bunraku.constraint.rows import begin, islands, trace_all
from bunraku.dynamics.aba_kernel import aba_passes
from bunraku.dynamics.articulated import axis
from bunraku.dynamics.passes import drift
from bunraku.dynamics.work import opened
from bunraku.integrators.advance import advance
from bunraku.model.layout import ARM, NW, VEL
from bunraku.spatial.entry import entry
from bunraku.spatial.kernel import inline
from bunraku.spatial.lanes import borrow, st
from bunraku.spatial.vec import ld3
from bunraku.world.impulses import gather_velocity, keep_impulses, solve_islands, warm_start

DIVERGED = -20  # status: something is no longer finite, or faster than `TOO_FAST`
TOO_FAST = 1e5  # m/s or rad/s

# entries of `info`
CONTACTS, WARM, SWEEPS, BOUNCED, UNSOLVED, ISLANDS, LARGEST = range(7)


@inline
def body_velocities(ints, reals, v, work):
    """Velocities of the bodies' origins (the angular ones are there after aba)."""
    for k in range(3):
        st(work, VEL + k, 0.0)
    for i in range(1, ints.shape[0]):
        drift(ints, reals, v, work, i, ld3(work, i * NW + ARM), axis(ints, work, i))


@inline
def sane(v):
    """Whether every rate is finite and bearable."""
    for k in range(v.shape[0]):
        if not (abs(v[k]) < TOO_FAST):
            return False
    return True


@inline
def one_step(handle, state, scene, materials, warm, tables, rows, room, limits, ties, info, report, dt, margin, tolerance, sweeps):  # fmt: skip
    """Advance (q, v) by dt; returns a status."""
    ints, reals, work = opened(handle)
    q, v, tau, f_ext, a, dv, torques, moved = state
    shape_ints, shape_reals, pairs, fixed_pairs, excluded, creal, cints, ids, data = scene
    friction, restitution = materials
    tree, body_source, joint_source, tree_count, tree_first, by_tree, parent, sources, count = tables
    hops, lengths, y, roots, pool, row_source, row_w, row_b, row_p, blocks, block_reals, lam = rows
    lower, upper, limit_body, limit_q = limits
    tie_ints, tie_reals, tie_force = ties

    aba_passes(ints, reals, q, v, tau, f_ext, work, a)
    body_velocities(ints, reals, v, work)

    n = detect_contacts(
        shape_ints, shape_reals, pairs, fixed_pairs, excluded, work, NW, margin, creal, cints, ids, data
    )
    if n < 0:
        return n
    begin(body_source, joint_source, tree_count, count)
    status, bounced = contact_rows(work, shape_ints, ids, data, n, friction, restitution, dt, tree, body_source, sources, tree_count, count, blocks, block_reals, row_source, row_w, row_b, row_p)  # fmt: skip
    if status < 0:
        return status
    status = limit_rows(q, v, a, dt, lower, upper, limit_body, limit_q, tree, joint_source, sources, tree_count, count, blocks, block_reals, row_source, row_w, row_b, row_p)  # fmt: skip
    if status < 0:
        return status
    status = connection_rows(work, tie_ints, tie_reals, dt, tree, body_source, sources, tree_count, count, blocks, block_reals, row_source, row_w, row_b, row_p)  # fmt: skip
    if status < 0:
        return status
    status = trace_all(ints, reals, work, sources, count, tree_first, tree_count, by_tree, hops, lengths, y, roots, pool)  # fmt: skip
    if status < 0:
        return status

    islands(sources, row_source, blocks, count, parent)
    warm_start(ids, data, warm, tie_force, info, blocks, count, lam)
    status = solve_islands(tables, rows, row_b, room, info, report, tolerance, sweeps)
    if status < 0:
        return status
    gather_velocity(ints, reals, work, sources, row_source, row_w, lam, count, torques, dv)
    for k in range(v.shape[0]):
        moved[k] = v[k] + dt * a[k] + dv[k]
    if not sane(moved):
        return DIVERGED
    keep_impulses(ids, data, n, warm, tie_force, info, blocks, count, lam)
    for k in range(v.shape[0]):
        dv[k] = moved[k]
    if bounced != 0:  # an impact inside the step: positions have rows of their own
        status = solve_islands(tables, rows, row_p, room, info, report, tolerance, sweeps)
        if status < 0:
            return status
        gather_velocity(ints, reals, work, sources, row_source, row_w, lam, count, torques, moved)
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
    "h D D D D D D D D "  # state
    "II DD II i I D I II DD "  # scene
    "DD DD II DD "  # materials, warm
    "I I I I II I I II I "  # tables
    "II I DDD DDD DD II DD D D II DD D "  # rows
    "DD D II DD D D I I "  # room
    "D D I I II DD D "  # limits, connections
    "I D d d d i i"
)
def steps(
    handle, q, v, tau, f_ext, a, dv, torques, moved,
    shape_ints, shape_reals, pairs, fixed_pairs, excluded, creal, cints, ids, data,
    friction, restitution, warm_ids, warm_force,
    tree, body_source, joint_source, tree_count, tree_first, by_tree, parent, sources, count,
    hops, lengths, y, roots, pool, row_source, row_w, row_b, row_p, blocks, block_reals, lam,
    K, b, local_ints, local_reals, local_lam, work, row_of, done,
    lower, upper, limit_body, limit_q, tie_ints, tie_reals, tie_force,
    info, report, dt, margin, tolerance, sweeps, n,
):  # fmt: skip
    """n steps, or fewer: returns (steps done, status)."""
    state = (borrow(q), borrow(v), borrow(tau), borrow(f_ext), borrow(a), borrow(dv), borrow(torques), borrow(moved))
    scene = (borrow(shape_ints), borrow(shape_reals), borrow(pairs), fixed_pairs, borrow(excluded), borrow(creal), borrow(cints), borrow(ids), borrow(data))  # fmt: skip
    materials = (borrow(friction), borrow(restitution))
    warm = (borrow(warm_ids), borrow(warm_force))
    tables = (borrow(tree), borrow(body_source), borrow(joint_source), borrow(tree_count), borrow(tree_first), borrow(by_tree), borrow(parent), borrow(sources), borrow(count))  # fmt: skip
    rows = (borrow(hops), borrow(lengths), borrow(y), borrow(roots), borrow(pool), borrow(row_source), borrow(row_w), borrow(row_b), borrow(row_p), borrow(blocks), borrow(block_reals), borrow(lam))  # fmt: skip
    room = (borrow(K), borrow(b), borrow(local_ints), borrow(local_reals), borrow(local_lam), borrow(work), borrow(row_of), borrow(done))  # fmt: skip
    limits = (borrow(lower), borrow(upper), borrow(limit_body), borrow(limit_q))
    ties = (borrow(tie_ints), borrow(tie_reals), borrow(tie_force))
    for k in range(n):
        status = one_step(handle, state, scene, materials, warm, tables, rows, room, limits, ties, borrow(info), borrow(report), dt, margin, tolerance, sweeps)  # fmt: skip
        if status < 0:
            return k, status
    return n, 0
