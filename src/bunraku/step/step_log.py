"""Logging inside a step: two phases that stand around the first and the last one of whatever a step is made of, while a
world is recorded.

    ahead   says LOG_FULL before anything is done where the step might not fit; the log is then read out and the step
            tried again
    behind  the last phase, then one frame: time, q, v after the step, torques and contacts of the step; and which
            connections broke in it

So a recording calls no Python during a step, and the loop over steps knows nothing of it. The phases that they stand
around are kept at FIRST and LAST. Numbers are stored as they stand in the file (bunraku.world.frames.LAYOUT): float32,
with `behind_precise` float64; a table has no such arrays, so they are views of int64 ones, made by bunraku.world.log.
Points that neither touch nor press are left out. The state of a patch follows from its centre of pressure  c = sum(fz
p) / sum(fz)  as in bunraku.world.views. Cost: see docs/recordings.md. Checked in tests/recording/test_recorder.py.
"""

# pyright: reportArgumentType=false, reportCallIssue=false
# (NumPy's types of views do not suit plain lengths)

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline
from bunraku.kernel.record import Many, Record, int_vector, many, real, ref, vec3, whole
from bunraku.kernel.table import phase, run
from bunraku.step.step_arrays import EXTRA, EXTRA_COUNT, OK, Step

FIRST, LAST = 28, 29  # phases
LOG_FULL = np.int64(-30)  # status
PATCH_COLUMNS = 4  # numbers of a patch in the log, as in the file: two shapes, number of points, state
TOUCH = 1e-6  # m: a point with a smaller gap touches, whether it presses or not; also when points and lines are one
PRESSING = 1e-9  # N


class LogState(Record):
    """How far the log is."""

    frames = whole()  # frames, patches, points in the log
    patches = whole()
    points = whole()
    every = whole()  # steps a frame
    steps = whole()  # since `start`
    since = whole()  # the last frame
    start = real()  # s


class LogCorner(Record):
    """A point of the present patch and how it presses."""

    point = vec3()
    press = real()  # N


class StepLog(Record, after=EXTRA + EXTRA_COUNT):
    """The log, behind the arrays of every step: its numbers as they stand in a file."""

    state = ref(LogState)
    breaks = int_vector()  # the step in which a connection broke, 0: it did not
    corners = many(LogCorner)  # as many as the log has room for points
    times = int_vector()
    q = int_vector()
    v = int_vector()
    torques = int_vector()
    patch_count = int_vector()
    patches = int_vector()
    normal = int_vector()
    points = int_vector()
    forces = int_vector()


ARRAYS = StepLog.layout.slots  # of a world's table; what needs more begins here


@phase
def ahead(h):
    """Room for one frame more, then the first phase."""
    log = StepLog(h)
    if log.state.frames == log.times.shape[0]:
        return LOG_FULL
    if log.state.points + 4 * len(Step(h).detection.ids) > len(log.corners):  # contacts may grow in a step
        return LOG_FULL
    return run(h, FIRST)


@inline
def is_flat(corners: Many[LogCorner], before, i, after, count):
    """Point i of a polygon is no corner: it lies on the line between its neighbours."""
    x, y, z = corners[before].point, corners[i].point, corners[after].point
    turn, back, width, bend = 0.0, 0.0, 0.0, 0.0
    for c in range(3):
        e = z[c] - y[c]
        b = y[c] - x[c]
        turn += b * e
        back += b * b
        width += (b + e) * (b + e)
        bend += b * (b + e)
    return back * width - bend * bend <= TOUCH * TOUCH * width and turn >= 0.0 and count > 2


@inline
def patch_state(corners: Many[LogCorner], count):
    """Where a patch presses in the polygon of its points: 0 nowhere, 1 on a corner, 2 on an edge, 3 inside."""
    total = 0.0
    x = 0.0
    y = 0.0
    z = 0.0
    for i in range(count):
        press = max(corners[i].press, 0.0)
        p = corners[i].point
        total += press
        x += press * p[0]
        y += press * p[1]
        z += press * p[2]
    if not total > PRESSING:
        return 0
    x /= total
    y /= total
    z /= total
    state = 3 if count > 2 else count
    for i in range(count):
        after = i + 1 if i < count - 1 else 0
        before = i - 1 if i > 0 else count - 1
        here, there = corners[i].point, corners[after].point
        offset, along, edge = 0.0, 0.0, 0.0
        for c in range(3):
            o = (x if c == 0 else y if c == 1 else z) - here[c]
            e = there[c] - here[c]
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
def log_contacts(s: Step, log: StepLog, real):
    """Patches of points that touch or press, behind those of earlier frames; returns how many."""
    normals, points, forces = real(log.normal), real(log.points), real(log.forces)
    ids, contacts = s.detection.ids, s.detection.contacts
    patches = log.patches.view(np.uint32)
    most, room, per_dt = s.info.contacts, points.shape[0] // 3, 1.0 / s.numbers.dt
    p, n, c = log.state.patches, log.state.points, 0
    while c < most:
        first, count = c, 0
        while c < most and ids[c].patch == ids[first].patch:
            normal, impulse, point = contacts[c].normal, s.memory[c].impulse, contacts[c].point
            press = 0.0
            for k in range(3):
                press += impulse[k] * normal[k]
            press *= per_dt
            if n < room and (contacts[c].gap <= TOUCH or press > PRESSING):
                for k in range(3):
                    points[3 * n + k] = point[k]
                    forces[3 * n + k] = impulse[k] * per_dt
                log.corners[count].point = point
                log.corners[count].press = press
                n += 1
                count += 1
            c += 1
        if count > 0:
            row = patches[PATCH_COLUMNS * p : PATCH_COLUMNS * p + PATCH_COLUMNS]
            row[0], row[1], row[2], row[3] = ids[first].a, ids[first].b, count, patch_state(log.corners, count)
            normal = contacts[first].normal
            for k in range(3):
                normals[3 * p + k] = normal[k]
            p += 1
    found = p - log.state.patches
    log.state.patches = p
    log.state.points = n
    return found


@inline
def put_row(to, row, values):
    """A row of an array that lies flat."""
    n = values.shape[0]
    part = to[row * n : row * n + n]
    for k in range(n):
        part[k] = values[k]


@inline
def log_frame(h, real):
    """The last phase, then a frame if it is one's turn; real(x) is an array of the log with the file's type. Returns a
    status."""
    status = run(h, LAST)
    if status < 0:
        return status
    s, log = Step(h), StepLog(h)
    state = log.state
    state.steps += 1
    state.since += 1
    for k in range(min(len(s.tie_kinds), log.breaks.shape[0])):
        if s.tie_kinds[k].broken == 1 and log.breaks[k] == 0:
            log.breaks[k] = state.steps
    if state.since < state.every:
        return OK
    state.since = 0
    row = state.frames
    times = log.times.view(np.float64)
    times[row] = state.start + state.steps * s.numbers.dt
    put_row(real(log.q), row, s.q)
    put_row(real(log.v), row, s.v)
    put_row(real(log.torques), row, s.applied)
    counts = log.patch_count.view(np.uint32)
    counts[row] = log_contacts(s, log, real)
    state.frames = row + 1
    return OK


@inline
def singles(x):
    """An array of the log as float32."""
    return x.view(np.float32)


@inline
def doubles(x):
    """An array of the log as float64."""
    return x.view(np.float64)


@phase
def behind(h):
    """A frame of float32."""
    return log_frame(h, singles)


@phase
def behind_precise(h):
    """The same with float64."""
    return log_frame(h, doubles)
