"""Impulses of a step: warm start from the last one, one solve an island, and what they do to the figures.

A contact is known again by its two shapes and its feature; both lists are in the order of shapes, so one pass finds all. What is kept is the impulse as a
vector in world axes, so that a turned tangent frame does not matter. Connections keep theirs by number.
"""

from __future__ import annotations

from bunraku.collision.layout import FEATURE, NORMAL, SHAPE_A, SHAPE_B
from bunraku.constraint.contact.pgs import solve
from bunraku.constraint.response import add_impulse, apply_impulses, clear_impulses
from bunraku.constraint.rows import (
    BLOCK_KIND,
    BLOCKS,
    BODY,
    CONTACT,
    EQUALITY,
    FIRST_ROW,
    INDEX,
    ISLAND,
    KIND,
    ORIGIN,
    ROOM,
    ROWS,
    respond_rows,
    tangents,
)
from bunraku.model.layout import IV
from bunraku.spatial.kernel import inline
from bunraku.spatial.vec import dot

# entries of `info` and `report` that are written here
WARM, SWEEPS, UNSOLVED, ISLANDS, LARGEST = 1, 2, 4, 5, 6
RESIDUAL = 0


@inline
def normal_of(data, c):
    """Normal of contact c."""
    return (data[c, NORMAL], data[c, NORMAL + 1], data[c, NORMAL + 2])


@inline
def warm_start(ids, data, warm, tie_force, info, blocks, count, lam):
    """lam from the last step where the same contact or connection was there, else zero."""
    warm_ids, warm_force = warm
    known = info[WARM]
    start = 0
    for k in range(count[BLOCKS]):
        r = blocks[k, FIRST_ROW]
        kind = blocks[k, BLOCK_KIND]
        if kind == CONTACT:
            c = blocks[k, ORIGIN]
            for j in range(3):
                lam[r + j] = 0.0
            while start < known and (
                warm_ids[start, SHAPE_A] < ids[c, SHAPE_A]
                or (warm_ids[start, SHAPE_A] == ids[c, SHAPE_A] and warm_ids[start, SHAPE_B] < ids[c, SHAPE_B])
            ):
                start += 1
            i = start
            while i < known and warm_ids[i, SHAPE_A] == ids[c, SHAPE_A] and warm_ids[i, SHAPE_B] == ids[c, SHAPE_B]:
                if warm_ids[i, FEATURE] == ids[c, FEATURE]:
                    n = normal_of(data, c)
                    t, u = tangents(n)
                    f = (warm_force[i, 0], warm_force[i, 1], warm_force[i, 2])
                    lam[r] = max(dot(n, f), 0.0)
                    lam[r + 1] = dot(t, f)
                    lam[r + 2] = dot(u, f)
                    break
                i += 1
        elif kind == EQUALITY:
            lam[r] = tie_force[blocks[k, ORIGIN]]
        else:
            lam[r] = 0.0


@inline
def keep_impulses(ids, data, n, warm, tie_force, info, blocks, count, lam):
    """Remember this step's impulses."""
    warm_ids, warm_force = warm
    info[WARM] = n
    for k in range(count[BLOCKS]):
        r = blocks[k, FIRST_ROW]
        if blocks[k, BLOCK_KIND] == CONTACT:
            c = blocks[k, ORIGIN]
            nn = normal_of(data, c)
            t, u = tangents(nn)
            for j in range(3):
                warm_force[c, j] = lam[r] * nn[j] + lam[r + 1] * t[j] + lam[r + 2] * u[j]
            for j in range(4):
                warm_ids[c, j] = ids[c, j]
        elif blocks[k, BLOCK_KIND] == EQUALITY:
            tie_force[blocks[k, ORIGIN]] = lam[r]


@inline
def solve_islands(tables, rows, right, room, info, report, tolerance, sweeps):
    """lam of every island for the right-hand side `right`; returns a status. Islands that do not reach the tolerance are counted."""
    tree, body_source, joint_source, tree_count, tree_first, by_tree, parent, sources, count = tables
    hops, lengths, y, roots, pool, row_source, row_w, row_b, row_p, blocks, block_reals, lam = rows
    K, b, local_ints, local_reals, local_lam, work, row_of, done = room
    report[RESIDUAL] = 0.0
    info[SWEEPS] = 0
    info[UNSOLVED] = 0
    info[ISLANDS] = 0
    info[LARGEST] = 0
    for k in range(count[BLOCKS]):
        done[k] = 0
    for first in range(count[BLOCKS]):
        if done[first] != 0:
            continue
        m = 0
        nblocks = 0
        for k in range(first, count[BLOCKS]):
            if blocks[k, ISLAND] != blocks[first, ISLAND]:
                continue
            done[k] = 1
            n = 3 if blocks[k, BLOCK_KIND] == CONTACT else 1
            if m + n > K.shape[0]:
                return ROOM
            local_ints[nblocks, 0] = blocks[k, BLOCK_KIND]
            local_ints[nblocks, 1] = m
            for j in range(3):
                local_reals[nblocks, j] = block_reals[k, j]
            for j in range(n):
                row_of[m + j] = blocks[k, FIRST_ROW] + j
            nblocks += 1
            m += n
        for i in range(m):
            b[i] = right[row_of[i]]
            local_lam[i] = lam[row_of[i]]
            for j in range(i + 1):
                x = respond_rows(sources, tree_first, tree_count, row_source, row_w, pool, row_of[i], row_of[j])
                K[i, j] = x
                K[j, i] = x
        status, used, residual = solve(
            K, b, local_ints, local_reals, nblocks, m, local_lam, work, tolerance, sweeps
        )
        for i in range(m):
            lam[row_of[i]] = local_lam[i]
        info[ISLANDS] += 1
        info[SWEEPS] = max(info[SWEEPS], used)
        info[LARGEST] = max(info[LARGEST], m)
        if status != 0:
            info[UNSOLVED] += 1
        report[RESIDUAL] = max(report[RESIDUAL], residual)
    return 0


@inline
def gather_velocity(ints, reals, work, sources, row_source, row_w, lam, count, torques, dv):
    """dv = A^-1 H' lam."""
    clear_impulses(ints, work)
    for k in range(torques.shape[0]):
        torques[k] = 0.0
    for r in range(count[ROWS]):
        for s in range(2):
            a = row_source[r, s]
            if a < 0:
                continue
            x = lam[r]
            if sources[a, KIND] == BODY:
                k = 6 * s
                n = (x * row_w[r, k], x * row_w[r, k + 1], x * row_w[r, k + 2])
                f = (x * row_w[r, k + 3], x * row_w[r, k + 4], x * row_w[r, k + 5])
                add_impulse(work, sources[a, INDEX], n, f)
            else:
                torques[ints[sources[a, INDEX], IV]] += x * row_w[r, 6 * s]
    apply_impulses(ints, reals, work, torques, dv)
