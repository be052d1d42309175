"""Logging inside a step: two stages that stand around the first and the last one of whatever a step is made of, while a
world is recorded.

    ahead   says LOG_FULL before anything is done where the step might not fit; the log is then read out and the step tried again
    behind  the last stage, then one frame: time, q, v after the step, torques and contacts of the step; and which connections broke in it

So a recording costs no word of Python a step, and the loop over steps knows nothing of it. The stages that they stand
around are kept at FIRST and LAST. Numbers are stored as they stand in the file (bunraku.world.frames.LAYOUT): float32,
with `behind_precise` float64; a table has no such arrays, so they are views of int64 ones, made by bunraku.world.log.
Points that neither touch nor press are left out. The state of a patch follows from its centre of pressure  c = sum(fz
p) / sum(fz)  as in bunraku.world.views. Cost: see docs/recordings.md. Checked in tests/recording/test_recorder.py.
"""

# pyright: reportArgumentType=false, reportCallIssue=false
# (numbers of arrays are np.int64, so that Numba compiles every function once)

from __future__ import annotations

import numpy as np

from bunraku.collision.shape_layout import GAP, NORMAL, POINT, SHAPE_A, SHAPE_B
from bunraku.collision.shape_layout import PATCH as PATCH_OF
from bunraku.kernel.compile import inline
from bunraku.kernel.table import ints1, ints2, reals1, reals2, run, stage
from bunraku.step.step_arrays import (
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
from bunraku.step.step_arrays import ARRAYS as COMMON
from bunraku.step.tie_rows import BROKEN

FIRST, LAST = 28, 29  # stages
LOG, LOG_START, LOG_BREAKS, LOG_CORNERS = places(COMMON, COMMON + 4)  # behind those that every step has
LOG_TIMES, LOG_Q, LOG_V, LOG_TORQUES, LOG_COUNT, LOG_PATCHES, LOG_NORMALS, LOG_POINTS, LOG_FORCES = places(
    COMMON + 4, COMMON + 13
)  # in the order of LAYOUT
ARRAYS = COMMON + 13
LOG_FULL = np.int64(-30)  # status

# entries of LOG: frames, patches, points in the log; every so many steps; steps since LOG_START; since the last frame
FRAMES, PATCHES, POINTS, EVERY, STEPS, SINCE, LOG_INTS = range(7)
# columns of LOG_PATCHES
A, B, COUNT, STATE, PATCH_COLUMNS = range(5)
# columns of LOG_CORNERS, with as many rows as the log has points: a point of the present patch and how it presses
X, Y, Z, PRESS, CORNER_COLUMNS = range(5)
TOUCH = 1e-6  # m: as in bunraku.world.views
PRESSING = 1e-9  # N


@stage
def ahead(h):
    """Room for one frame more, then the first stage."""
    log = ints1(h, LOG)
    if log[FRAMES] == ints1(h, LOG_TIMES).shape[0]:
        return LOG_FULL
    if log[POINTS] + 4 * ints2(h, IDS).shape[0] > reals2(h, LOG_CORNERS).shape[0]:  # contacts may grow in a step
        return LOG_FULL
    return run(h, FIRST)


@inline
def is_flat(corners, before, i, after, count):
    """Point i of a polygon is no corner: it lies on the line between its neighbours."""
    turn, back, width, bend = 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        e = corners[after, c] - corners[i, c]
        b = corners[i, c] - corners[before, c]
        turn += b * e
        back += b * b
        width += (b + e) * (b + e)
        bend += b * (b + e)
    return back * width - bend * bend <= TOUCH * TOUCH * width and turn >= 0.0 and count > 2


@inline
def patch_state(corners, count):
    """Where a patch presses in the polygon of its points: 0 nowhere, 1 on a corner, 2 on an edge, 3 inside."""
    total = 0.0
    x = 0.0
    y = 0.0
    z = 0.0
    for i in range(count):
        press = max(corners[i, PRESS], 0.0)
        total += press
        x += press * corners[i, X]
        y += press * corners[i, Y]
        z += press * corners[i, Z]
    if not total > PRESSING:
        return 0
    x /= total
    y /= total
    z /= total
    state = 3 if count > 2 else count
    for i in range(count):
        after = i + 1 if i < count - 1 else 0
        before = i - 1 if i > 0 else count - 1
        offset, along, edge = 0.0, 0.0, 0.0
        for c in range(3):
            o = (x if c == 0 else y if c == 1 else z) - corners[i, c]
            e = corners[after, c] - corners[i, c]
            offset += o * o
            along += o * e
            edge += e * e
        if offset <= TOUCH * TOUCH and not is_flat(corners, before, i, after, count):
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
def log_contacts(h, log, normals, points, forces):
    """Patches of points that touch or press, behind those of earlier frames; returns how many."""
    ids, data, force = ints2(h, IDS), reals2(h, CONTACTS), reals2(h, LAST_FORCE)
    patches, corners = ints1(h, LOG_PATCHES).view(np.uint32), reals2(h, LOG_CORNERS)
    most, room, per_dt = ints1(h, INFO)[N_CONTACTS], points.shape[0] // 3, 1.0 / reals1(h, NUMBERS)[DT]
    p, n, c = log[PATCHES], log[POINTS], 0
    while c < most:
        first, count = c, 0
        while c < most and ids[c, PATCH_OF] == ids[first, PATCH_OF]:
            press = 0.0
            for k in range(3):
                press += force[c, k] * data[c, NORMAL + k]
            press *= per_dt
            if n < room and (data[c, GAP] <= TOUCH or press > PRESSING):
                for k in range(3):
                    points[3 * n + k] = corners[count, k] = data[c, POINT + k]
                    forces[3 * n + k] = force[c, k] * per_dt
                corners[count, PRESS] = press
                n += 1
                count += 1
            c += 1
        if count > 0:
            row = PATCH_COLUMNS * p
            patches[row + A] = ids[first, SHAPE_A]
            patches[row + B] = ids[first, SHAPE_B]
            patches[row + COUNT] = count
            patches[row + STATE] = patch_state(corners, count)
            for k in range(3):
                normals[3 * p + k] = data[first, NORMAL + k]
            p += 1
    found = p - log[PATCHES]
    log[PATCHES] = p
    log[POINTS] = n
    return found


@inline
def put_row(to, row, values):
    """A row of an array that lies flat."""
    n = values.shape[0]
    part = to[row * n : row * n + n]
    for k in range(n):
        part[k] = values[k]


@inline
def log_frame(h, to_q, to_v, to_torques, normals, points, forces):
    """A step is done: a frame into these arrays if it is one's turn."""
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
    times = ints1(h, LOG_TIMES).view(np.float64)
    times[row] = reals1(h, LOG_START)[0] + log[STEPS] * reals1(h, NUMBERS)[DT]
    q, v, torques = reals1(h, Q), reals1(h, V), reals1(h, APPLIED)
    put_row(to_q, row, q)
    put_row(to_v, row, v)
    put_row(to_torques, row, torques)
    counts = ints1(h, LOG_COUNT).view(np.uint32)
    counts[row] = log_contacts(h, log, normals, points, forces)
    log[FRAMES] = row + 1
    return OK


@inline
def singles(h, k):
    """Array k of the log as float32."""
    return ints1(h, k).view(np.float32)


@inline
def doubles(h, k):
    """Array k of the log as float64."""
    return ints1(h, k).view(np.float64)


@stage
def behind(h):
    """The last stage, then a frame of float32 if it is one's turn."""
    status = run(h, LAST)
    if status < 0:
        return status
    return log_frame(
        h, singles(h, LOG_Q), singles(h, LOG_V), singles(h, LOG_TORQUES), singles(h, LOG_NORMALS), singles(h, LOG_POINTS),
        singles(h, LOG_FORCES),
    )  # fmt: skip


@stage
def behind_precise(h):
    """The same with float64."""
    status = run(h, LAST)
    if status < 0:
        return status
    return log_frame(
        h, doubles(h, LOG_Q), doubles(h, LOG_V), doubles(h, LOG_TORQUES), doubles(h, LOG_NORMALS), doubles(h, LOG_POINTS),
        doubles(h, LOG_FORCES),
    )  # fmt: skip
