"""Logging inside a step: two stages that stand around the first and the last one of whatever a step is made of, while a world is recorded.

    ahead   says LOG_FULL before anything is done where the step might not fit; the log is then read out and the step tried again
    behind  the last stage, then one frame: time, q, v after the step, torques and contacts of the step; and which connections broke in it

So a recording costs no word of Python a step, and the loop over steps knows nothing of it. The stages that they stand around are kept at
FIRST and LAST.
Points that neither touch nor press are left out. The state of a patch follows from its centre of pressure  c = sum(fz p) / sum(fz)  as in
bunraku.world.views. Arrays are made by bunraku.world.log. Cost: about 0.4 us a frame.
Checked in tests/world/test_recorder.py.
"""

# pyright: reportArgumentType=false, reportCallIssue=false
# (numbers of arrays are np.int64, so that Numba compiles every function once)

from __future__ import annotations

import numpy as np

from bunraku.collision.layout import GAP, NORMAL, POINT, SHAPE_A, SHAPE_B
from bunraku.collision.layout import PATCH as PATCH_OF
from bunraku.constraint.arrays import (
    APPLIED,
    CONTACTS,
    DT,
    IDS,
    INFO,
    LAST_FORCE,
    N_CONTACTS,
    NUMBERS,
    OK,
    TIE_INTS,
    Q,
    V,
    places,
)
from bunraku.constraint.arrays import ARRAYS as COMMON
from bunraku.constraint.tie_rows import BROKEN
from bunraku.spatial.kernel import inline
from bunraku.spatial.table import ints1, ints2, reals1, reals2, run, stage

FIRST, LAST = 28, 29  # stages
LOG, LOG_START, LOG_BREAKS = places(COMMON, COMMON + 3)  # behind those that every step has
LOG_TIME, LOG_Q, LOG_V, LOG_TORQUES, LOG_COUNT, LOG_PATCHES, LOG_NORMALS, LOG_POINTS, LOG_FORCES = places(
    COMMON + 3, COMMON + 12
)
ARRAYS = COMMON + 12
LOG_FULL = np.int64(-30)  # status

# entries of LOG: frames, patches, points in the log; every so many steps; steps since LOG_START; since the last frame
FRAMES, PATCHES, POINTS, EVERY, STEPS, SINCE, LOG_INTS = range(7)
# columns of LOG_PATCHES
A, B, COUNT, STATE, PATCH_COLUMNS = range(5)
TOUCH = 1e-6  # m: as in bunraku.world.views
PRESSING = 1e-9  # N


@stage
def ahead(h):
    """Room for one frame more, then the first stage."""
    log = ints1(h, LOG)
    if log[FRAMES] == reals1(h, LOG_TIME).shape[0]:
        return LOG_FULL
    if log[POINTS] + 4 * ints2(h, IDS).shape[0] > reals2(h, LOG_POINTS).shape[0]:  # contacts may grow in a step
        return LOG_FULL
    return run(h, FIRST)


@inline
def is_flat(points, before, i, after, count):
    """Point i of a polygon is no corner: it lies on the line between its neighbours."""
    turn, back, width, bend = 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        e = points[after, c] - points[i, c]
        b = points[i, c] - points[before, c]
        turn += b * e
        back += b * b
        width += (b + e) * (b + e)
        bend += b * (b + e)
    return back * width - bend * bend <= TOUCH * TOUCH * width and turn >= 0.0 and count > 2


@inline
def patch_state(points, forces, first, count, nx, ny, nz):
    """Where a patch presses in the polygon of its points: 0 nowhere, 1 on a corner, 2 on an edge, 3 inside."""
    total = 0.0
    x = 0.0
    y = 0.0
    z = 0.0
    for k in range(first, first + count):
        press = max(forces[k, 0] * nx + forces[k, 1] * ny + forces[k, 2] * nz, 0.0)
        total += press
        x += press * points[k, 0]
        y += press * points[k, 1]
        z += press * points[k, 2]
    if not total > PRESSING:
        return 0
    x /= total
    y /= total
    z /= total
    state = 3 if count > 2 else count
    for k in range(count):
        i = first + k
        after = i + 1 if k < count - 1 else first
        before = i - 1 if k > 0 else first + count - 1
        offset, along, edge = 0.0, 0.0, 0.0
        for c in range(3):
            o = (x if c == 0 else y if c == 1 else z) - points[i, c]
            e = points[after, c] - points[i, c]
            offset += o * o
            along += o * e
            edge += e * e
        if offset <= TOUCH * TOUCH and not is_flat(points, before, i, after, count):
            return 1
        if along <= 0.0:
            near = offset <= TOUCH * TOUCH
        elif along >= edge:
            near = offset - 2.0 * along + edge <= TOUCH * TOUCH
        else:
            near = offset * edge - along * along <= TOUCH * TOUCH * edge
        if near:
            state = min(state, 2)
    return state


@inline
def log_contacts(h, log):
    """Patches of points that touch or press, behind those of earlier frames; returns how many."""
    ids, data, force = ints2(h, IDS), reals2(h, CONTACTS), reals2(h, LAST_FORCE)
    patches, normals = ints2(h, LOG_PATCHES), reals2(h, LOG_NORMALS)
    points, forces = reals2(h, LOG_POINTS), reals2(h, LOG_FORCES)
    per_dt = 1.0 / reals1(h, NUMBERS)[DT]
    before = log[PATCHES]
    last = -1
    for c in range(ints1(h, INFO)[N_CONTACTS]):
        press = 0.0
        for k in range(3):
            press += force[c, k] * data[c, NORMAL + k]
        if log[POINTS] == points.shape[0] or not (data[c, GAP] <= TOUCH or press * per_dt > PRESSING):
            continue
        if ids[c, PATCH_OF] != last:
            last = ids[c, PATCH_OF]
            p = log[PATCHES]
            log[PATCHES] += 1
            patches[p, A] = ids[c, SHAPE_A]
            patches[p, B] = ids[c, SHAPE_B]
            patches[p, COUNT] = 0
            for k in range(3):
                normals[p, k] = data[c, NORMAL + k]
        n = log[POINTS]
        log[POINTS] += 1
        patches[log[PATCHES] - 1, COUNT] += 1
        for k in range(3):
            points[n, k] = data[c, POINT + k]
            forces[n, k] = force[c, k] * per_dt
    first = log[POINTS]
    for p in range(log[PATCHES] - 1, before - 1, -1):
        count = patches[p, COUNT]
        first -= count
        patches[p, STATE] = patch_state(points, forces, first, count, normals[p, 0], normals[p, 1], normals[p, 2])
    return log[PATCHES] - before


@stage
def behind(h):
    """The last stage, then a frame if it is one's turn."""
    status = run(h, LAST)
    if status < 0:
        return status
    log = ints1(h, LOG)
    log[STEPS] += 1
    log[SINCE] += 1
    ties, breaks = ints2(h, TIE_INTS), ints1(h, LOG_BREAKS)
    for k in range(min(ties.shape[0], breaks.shape[0])):
        if ties[k, BROKEN] == 1 and breaks[k] == 0:
            breaks[k] = log[STEPS]
    if log[SINCE] < log[EVERY]:
        return OK
    log[SINCE] = 0
    row = log[FRAMES]
    reals1(h, LOG_TIME)[row] = reals1(h, LOG_START)[0] + log[STEPS] * reals1(h, NUMBERS)[DT]
    q, v, torques = reals1(h, Q), reals1(h, V), reals1(h, APPLIED)
    to_q, to_v, to_torques = reals2(h, LOG_Q), reals2(h, LOG_V), reals2(h, LOG_TORQUES)
    for k in range(q.shape[0]):
        to_q[row, k] = q[k]
    for k in range(v.shape[0]):
        to_v[row, k] = v[k]
        to_torques[row, k] = torques[k]
    ints1(h, LOG_COUNT)[row] = log_contacts(h, log)
    log[FRAMES] = row + 1
    return OK
