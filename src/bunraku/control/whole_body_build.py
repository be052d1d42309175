"""The whole-body problem put together: a quadratic form in joint accelerations a and contact forces f.

    min  sum weight (row . (a, f) - right)^2      over tasks, contacts, momentum, posture, forces

The base's acceleration is eliminated by the six unactuated rows (bunraku.control.end_links), which hold exactly: each task and
contact row is  Phi a + L f = wanted - phi. Rates of momentum are sums of forces. The form is kept as the upper triangle of H,
row after row, its right side as last column. Checked in tests/control/test_whole_body.py.
"""

from __future__ import annotations

from bunraku.control.end_links import (
    ROOT,
    add_joints,
    answer,
    base_bias,
    base_of,
    direction_bias,
    joint_answers,
    point_of,
)
from bunraku.control.whole_body_arrays import (
    C_NEAR,
    C_NORMAL,
    C_POINT,
    C_WANTED,
    C_WEIGHT,
    FORCE_WEIGHT,
    NC,
    NT,
    POINT,
    W_COLUMNS,
    W_CONTACT,
    W_CONTACT_BODY,
    W_COUNT,
    W_FRAMES,
    W_H,
    W_INTS,
    W_MOMENTUM,
    W_POSTURE,
    W_REALS,
    W_ROWS,
    W_SCRATCH,
    W_SET,
    W_TASK,
    W_TASK_BODY,
    WANTED,
    WEIGHT,
)
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import ld, wide_ld, wide_st
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, scale, sub
from bunraku.model.layout import NW, POS

LEAST = 1e-9  # weight that keeps the form positive


@inline
def row3(table, k, c):
    """Three numbers of row k."""
    return (table[k, c], table[k, c + 1], table[k, c + 2])


@inline
def room_of(nj):
    """Where the forces begin among the unknowns: behind the joints, at a whole lane. Unknowns between are zero."""
    return (nj + 3) // 4 * 4


@inline
def width_of(n):
    """Numbers in a row of H: n unknowns and the right side, in whole lanes."""
    return (n + 4) // 4 * 4


@part
def frames_of_contacts(h):
    """W_FRAMES: normal, two tangents of each contact; W_COLUMNS of its three force components."""
    count, contact, frames = ints1(h, W_COUNT), reals2(h, W_CONTACT), reals2(h, W_FRAMES)
    ints, reals, work = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH)
    columns, bodies = reals2(h, W_COLUMNS), ints1(h, W_CONTACT_BODY)
    na = room_of(reals2(h, W_POSTURE).shape[0])
    base = base_of(ints, reals, work)
    origin = ld3(work, ROOT * NW + POS)
    for k in range(count[NC]):
        n = row3(contact, k, C_NORMAL)
        side = (1.0, 0.0, 0.0) if abs(n[0]) < 0.7 else (0.0, 1.0, 0.0)
        t = axpy(-dot(side, n), n, side)
        t = scale(1.0 / dot(t, t) ** 0.5, t)
        u = cross(n, t)
        x = point_of(work, bodies[k], row3(contact, k, C_POINT))
        for d in range(3):
            e = n if d == 0 else (t if d == 1 else u)
            al, a = answer(base, cross(sub(x, origin), e), e)
            c = na + 3 * k + d
            for r in range(3):
                frames[k, 3 * d + r] = e[r]
                columns[c, r] = al[r]
                columns[c, 3 + r] = a[r]


@part
def end_row(h, n, width, r, body, x, turn, push, right, weight):
    """Row r, times the root of its weight: acceleration along (turn, push) of the point x of a body shall be `right`."""
    ints, reals, work = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH)
    columns, rows = reals2(h, W_COLUMNS), reals1(h, W_ROWS)
    bias = base_bias(ints, reals, work)
    moment = add(turn, cross(sub(x, ld3(work, ROOT * NW + POS)), push))
    row = rows[r * width : r * width + width]
    root = weight**0.5
    for c in range(n):
        row[c] = (
            moment[0] * columns[c, 0]
            + moment[1] * columns[c, 1]
            + moment[2] * columns[c, 2]
            + push[0] * columns[c, 3]
            + push[1] * columns[c, 4]
            + push[2] * columns[c, 5]
        )
    for c in range(n, width):
        row[c] = 0.0
    add_joints(ints, reals, work, body, x, turn, push, row)
    row[n] = right - direction_bias(ints, work, body, x, turn, push, bias)
    for c in range(n + 1):
        row[c] *= root


@part
def all_rows(h, n, width):
    """Rows of contacts (three each, first), then of tasks, then of momentum; returns how many."""
    count, contact, task = ints1(h, W_COUNT), reals2(h, W_CONTACT), reals2(h, W_TASK)
    work, frames = reals1(h, W_SCRATCH), reals2(h, W_FRAMES)
    zero = (0.0, 0.0, 0.0)
    r = 0
    for k in range(count[NC]):
        body = ints1(h, W_CONTACT_BODY)[k]
        x = point_of(work, body, row3(contact, k, C_POINT))
        wanted = row3(contact, k, C_WANTED)
        for d in range(3):
            e = row3(frames, k, 3 * d)
            end_row(h, n, width, r, body, x, zero, e, dot(e, wanted), contact[k, C_WEIGHT])
            r += 1
    for k in range(count[NT]):
        body = ints1(h, W_TASK_BODY)[k]
        x = point_of(work, body, row3(task, k, POINT))
        for d in range(6):
            if task[k, WEIGHT + d] <= 0.0:
                continue
            c = d % 3
            e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            turn = zero if d < 3 else e
            push = e if d < 3 else zero
            end_row(h, n, width, r, body, x, turn, push, task[k, WANTED + d], task[k, WEIGHT + d])
            r += 1
    return momentum_rows(h, n, width, r)


@part
def momentum_rows(h, n, width, r):
    """Sums of forces, and of their moments about the centre of mass; returns the number of rows now."""
    count, momentum, frames = ints1(h, W_COUNT), reals2(h, W_MOMENTUM), reals2(h, W_FRAMES)
    ints, reals, work, rows = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH), reals1(h, W_ROWS)
    contact, bodies = reals2(h, W_CONTACT), ints1(h, W_CONTACT_BODY)
    na = n - 3 * count[NC]
    com = add(ld3(work, ROOT * NW + POS), base_of(ints, reals, work)[1])
    for d in range(6):
        if momentum[d, 1] <= 0.0 or count[NC] == 0:
            continue
        row = rows[r * width : r * width + width]
        for c in range(width):
            row[c] = 0.0
        for k in range(count[NC]):
            arm = sub(point_of(work, bodies[k], row3(contact, k, C_POINT)), com)
            for e in range(3):
                f = row3(frames, k, 3 * e)
                m = cross(arm, f)
                row[na + 3 * k + e] = f[d % 3] if d < 3 else m[d % 3]
        row[n] = momentum[d, 0]
        root = momentum[d, 1] ** 0.5
        for c in range(n + 1):
            row[c] *= root
        r += 1
    return r


@part
def build(h):
    """Fill W_H; returns the number of rows in W_ROWS. `survey` has been at the state."""
    ints, reals, work = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH)
    count, posture, form = ints1(h, W_COUNT), reals2(h, W_POSTURE), reals1(h, W_H)
    nj = posture.shape[0]
    na = room_of(nj)
    n = na + 3 * count[NC]
    width = width_of(n)
    columns = reals2(h, W_COLUMNS)
    joint_answers(ints, reals, work, columns[:nj])
    for c in range(nj, na):
        for r in range(6):
            columns[c, r] = 0.0
    frames_of_contacts(h)
    many = all_rows(h, n, width)
    for k in range(n * width):
        form[k] = 0.0
    for j in range(nj):
        weight = posture[j, 1] + LEAST
        form[j * width + j] = weight
        form[j * width + n] = weight * posture[j, 0]
    for j in range(nj, na):
        form[j * width + j] = 1.0
    weight = reals1(h, W_SET)[FORCE_WEIGHT] + LEAST
    near, frames = reals2(h, W_CONTACT), reals2(h, W_FRAMES)
    for k in range(count[NC]):
        for d in range(3):
            c = na + 3 * k + d
            form[c * width + c] = weight
            form[c * width + n] = weight * dot(row3(frames, k, 3 * d), row3(near, k, C_NEAR))
    add_squares(reals1(h, W_ROWS), many, n, width, form)
    return many


@part
def add_squares(rows, many, n, width, form):
    """form += sum row row', upper triangle and right side, in tiles of four rows and a lane."""
    for i in range(0, n, 4):
        for c in range(i, width, 4):
            k = i * width + c
            w, x, y, z = (
                wide_ld(form, k),
                wide_ld(form, k + width),
                wide_ld(form, k + 2 * width),
                wide_ld(form, k + 3 * width),
            )
            for r in range(many):
                at = r * width
                lane = wide_ld(rows, at + c)
                w = w + ld(rows, at + i) * lane
                x = x + ld(rows, at + i + 1) * lane
                y = y + ld(rows, at + i + 2) * lane
                z = z + ld(rows, at + i + 3) * lane
            wide_st(form, k, w)
            wide_st(form, k + width, x)
            wide_st(form, k + 2 * width, y)
            wide_st(form, k + 3 * width, z)
