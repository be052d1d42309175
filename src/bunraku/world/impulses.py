"""Impulses of a step: warm start from the last one, one solve an island, and what they do to the figures.

A contact is known again by its two shapes and its feature; both lists are in the order of shapes, so one pass finds all. What is kept is
the impulse as a vector in world axes, so that a turned tangent frame does not matter. Connections keep theirs by number.
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
from bunraku.spatial.kernel import inline, part
from bunraku.spatial.vec import dot

# entries of `info` and `report` that are written here
WARM, SWEEPS, UNSOLVED, ISLANDS, LARGEST = 1, 2, 4, 5, 6
RESIDUAL = 0


@inline
def normal_of(data, c):
    """Normal of contact c."""
    return (data[c, NORMAL], data[c, NORMAL + 1], data[c, NORMAL + 2])


@part
def warm_start(scene, memory, tied, info, rows):
    """lam from the last step where the same contact or connection was there, else zero."""
    warm_ids = memory.ids
    ids = scene.ids
    lam = rows.lam
    known = info[WARM]
    start = 0
    for k in range(rows.count[BLOCKS]):
        r = rows.blocks[k, FIRST_ROW]
        kind = rows.blocks[k, BLOCK_KIND]
        if kind == CONTACT:
            c = rows.blocks[k, ORIGIN]
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
                    n = normal_of(scene.data, c)
                    t, u = tangents(n)
                    f = (memory.force[i, 0], memory.force[i, 1], memory.force[i, 2])
                    lam[r] = max(dot(n, f), 0.0)
                    lam[r + 1] = dot(t, f)
                    lam[r + 2] = dot(u, f)
                    break
                i += 1
        elif kind == EQUALITY:
            lam[r] = tied.impulse[rows.blocks[k, ORIGIN]]
        else:
            lam[r] = 0.0


@part
def keep_impulses(scene, n, memory, tied, info, rows):
    """Remember this step's impulses."""
    lam = rows.lam
    info[WARM] = n
    for k in range(rows.count[BLOCKS]):
        r = rows.blocks[k, FIRST_ROW]
        if rows.blocks[k, BLOCK_KIND] == CONTACT:
            c = rows.blocks[k, ORIGIN]
            nn = normal_of(scene.data, c)
            t, u = tangents(nn)
            for j in range(3):
                memory.force[c, j] = lam[r] * nn[j] + lam[r + 1] * t[j] + lam[r + 2] * u[j]
            for j in range(4):
                memory.ids[c, j] = scene.ids[c, j]
        elif rows.blocks[k, BLOCK_KIND] == EQUALITY:
            tied.impulse[rows.blocks[k, ORIGIN]] = lam[r]


@part
def solve_island(island, nblocks, m, tolerance, sweeps):
    """One island by the iterative solver."""
    return solve(island.K, island.b, island.ints, island.reals, nblocks, m, island.lam, island.work, tolerance, sweeps)


@part
def solve_islands(rows, right, island, info, report, tolerance, sweeps):
    """lam of every island for the right-hand side `right`; returns a status. Islands that miss the tolerance are counted."""
    report[RESIDUAL] = 0.0
    info[SWEEPS] = 0
    info[UNSOLVED] = 0
    info[ISLANDS] = 0
    info[LARGEST] = 0
    for k in range(rows.count[BLOCKS]):
        island.done[k] = 0
    for first in range(rows.count[BLOCKS]):
        if island.done[first] != 0:
            continue
        m, nblocks = gather_island(rows, right, island, first)
        if m < 0:
            return ROOM
        status, used, residual = solve_island(island, nblocks, m, tolerance, sweeps)
        for i in range(m):
            rows.lam[island.row_of[i]] = island.lam[i]
        info[ISLANDS] += 1
        info[SWEEPS] = max(info[SWEEPS], used)
        info[LARGEST] = max(info[LARGEST], m)
        if status != 0:
            info[UNSOLVED] += 1
        report[RESIDUAL] = max(report[RESIDUAL], residual)
    return 0


@part
def gather_island(rows, right, island, first):
    """K, b, blocks and start of the island of block `first`; returns (rows, blocks), rows -1 if there is no room."""
    m = 0
    nblocks = 0
    for k in range(first, rows.count[BLOCKS]):
        if rows.blocks[k, ISLAND] != rows.blocks[first, ISLAND]:
            continue
        island.done[k] = 1
        n = 3 if rows.blocks[k, BLOCK_KIND] == CONTACT else 1
        if m + n > island.K.shape[0]:
            return -1, 0
        island.ints[nblocks, 0] = rows.blocks[k, BLOCK_KIND]
        island.ints[nblocks, 1] = m
        for j in range(3):
            island.reals[nblocks, j] = rows.block_reals[k, j]
        for j in range(n):
            island.row_of[m + j] = rows.blocks[k, FIRST_ROW] + j
        nblocks += 1
        m += n
    for i in range(m):
        island.b[i] = right[island.row_of[i]]
        island.lam[i] = rows.lam[island.row_of[i]]
        for j in range(i + 1):
            x = respond_rows(rows, island.row_of[i], island.row_of[j])
            island.K[i, j] = x
            island.K[j, i] = x
    return m, nblocks


@part
def gather_velocity(ints, reals, work, rows, torques, dv):
    """dv = A^-1 H' lam."""
    clear_impulses(ints, work)
    for k in range(torques.shape[0]):
        torques[k] = 0.0
    for r in range(rows.count[ROWS]):
        for s in range(2):
            a = rows.row_source[r, s]
            if a < 0:
                continue
            x = rows.lam[r]
            if rows.sources[a, KIND] == BODY:
                k = 6 * s
                n = (x * rows.row_w[r, k], x * rows.row_w[r, k + 1], x * rows.row_w[r, k + 2])
                f = (x * rows.row_w[r, k + 3], x * rows.row_w[r, k + 4], x * rows.row_w[r, k + 5])
                add_impulse(work, rows.sources[a, INDEX], n, f)
            else:
                torques[ints[rows.sources[a, INDEX], IV]] += x * rows.row_w[r, 6 * s]
    apply_impulses(ints, reals, work, torques, dv)
