"""The whole-body problem put together: a quadratic form in joint accelerations a and contact forces f.

    min  sum weight (row . (a, f) - right)^2      over tasks, contacts, momentum, posture, forces

The base's acceleration is eliminated by the six unactuated rows (bunraku.control.end_links), which hold exactly: each
task and contact row is  Phi a + L f = wanted - phi. Rates of momentum are sums of forces. The form is kept as an upper
triangle, row after row in whole lanes, its right side as the column behind the unknowns. Checked in tests/control/test_whole_body.py.
"""

from __future__ import annotations

from bunraku.control.end_links import (
    ROOT,
    add_joints,
    answer,
    base_answer,
    base_bias,
    base_of,
    direction_bias,
    joint_answers,
    keep_answer,
    point_bias,
    point_of,
)
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import LANES, ld, wide_ld, wide_st
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, scale, sub
from bunraku.model.layout import ALPHA, NW, POS

LEAST = 1e-9  # weight that keeps the form positive


@inline
def room_of(nj):
    """Where the forces begin among the unknowns: after the joints, at a whole lane. Unknowns between are zero."""
    return (nj + 3) // 4 * 4


@inline
def unit(d):
    """Axis d of the world."""
    return (1.0 if d == 0 else 0.0, 1.0 if d == 1 else 0.0, 1.0 if d == 2 else 0.0)


@inline
def put_task(p: WholeBodyProblem, k, body, point, wanted, turning, weight, turning_weight):
    """Task k: accelerations of a body's point, along the world's axes."""
    task = p.task[k]
    p.task_body[k] = body
    task.point = point
    task.wanted = wanted
    task.turning = turning
    task.weight = (weight, weight, weight)
    task.turning_weight = (turning_weight, turning_weight, turning_weight)
    p.task_axes[k].own = 0.0


@part
def frames_of_contacts(p: WholeBodyProblem):
    """Normal and two tangents of each contact; how the base answers its three force components."""
    work = p.scratch
    base = base_of(p.ints, p.reals, work)
    origin = ld3(work, ROOT * NW + POS)
    for k in range(p.count.contacts):
        contact, axis = p.contact[k], p.frame[k].axis
        n = contact.normal
        side = (1.0, 0.0, 0.0) if abs(n[0]) < 0.7 else (0.0, 1.0, 0.0)
        t = axpy(-dot(side, n), n, side)
        t = scale(1.0 / dot(t, t) ** 0.5, t)
        u = cross(n, t)
        x = point_of(work, p.contact_body[k], contact.point)
        for d in range(3):
            e = n if d == 0 else (t if d == 1 else u)
            al, a = answer(base, cross(sub(x, origin), e), e)
            axis[d] = e
            keep_answer(p.columns, p.count.first_force + 3 * k + d, al, a)


@part
def end_row(p: WholeBodyProblem, r, body, x, turn, push, right, weight):
    """Row r, times the root of its weight: acceleration along (turn, push) of a body's point x is to be `right`."""
    ints, reals, work, columns = p.ints, p.reals, p.scratch, p.columns
    n, width = p.count.unknowns, p.count.width
    bias = base_bias(ints, reals, work)
    moment = add(turn, cross(sub(x, ld3(work, ROOT * NW + POS)), push))
    row = p.rows[r * width : r * width + width]
    root = weight**0.5
    for c in range(n):
        al, a = base_answer(columns, c)
        row[c] = (
            moment[0] * al[0] + moment[1] * al[1] + moment[2] * al[2] + push[0] * a[0] + push[1] * a[1] + push[2] * a[2]
        )
    for c in range(n, width):
        row[c] = 0.0
    add_joints(ints, reals, work, body, x, turn, push, row)
    row[n] = right - direction_bias(ints, work, body, x, turn, push, bias)
    for c in range(n + 1):
        row[c] *= root


@part
def all_rows(p: WholeBodyProblem):
    """Rows of contacts (three each, first), then of tasks, loops and momentum; returns how many."""
    work = p.scratch
    zero = (0.0, 0.0, 0.0)
    r = 0
    for k in range(p.count.contacts):
        contact, body = p.contact[k], p.contact_body[k]
        x = point_of(work, body, contact.point)
        for d in range(3):
            e = p.frame[k].axis[d]
            end_row(p, r, body, x, zero, e, dot(e, contact.wanted), contact.weight)
            r += 1
    for k in range(p.count.tasks):
        task, body = p.task[k], p.task_body[k]
        x = point_of(work, body, task.point)
        for d in range(6):
            c = d % 3
            weight = task.weight[c] if d < 3 else task.turning_weight[c]
            if weight <= 0.0:
                continue
            e = unit(c)
            right = task.wanted[c] if d < 3 else task.turning[c]
            if p.task_axes[k].own != 0.0:
                e = p.task_axes[k].axis[c]
                right = dot(e, task.wanted if d < 3 else task.turning)
            turn = zero if d < 3 else e
            push = e if d < 3 else zero
            end_row(p, r, body, x, turn, push, right, weight)
            r += 1
    return momentum_rows(p, closed_rows(p, r))


@part
def closed_rows(p: WholeBodyProblem, r):
    """Rows of loops: the first body's material against the second's, at one point; the base cancels. Returns the number
    of rows now."""
    ints, reals, work, n, width = p.ints, p.reals, p.scratch, p.count.unknowns, p.count.width
    zero = (0.0, 0.0, 0.0)
    for k in range(p.count.closed):
        pair, closed = p.closed_body[k], p.closed[k]
        x = closed.point
        bias = sub(point_bias(work, pair.first, x), point_bias(work, pair.second, x))
        turning = sub(ld3(work, pair.first * NW + ALPHA), ld3(work, pair.second * NW + ALPHA))
        for d in range(6):
            weight = closed.weight if d < 3 else closed.turning_weight
            if weight <= 0.0:
                continue
            e = closed.axis[d % 3]
            turn = zero if d < 3 else e
            push = e if d < 3 else zero
            row = p.rows[r * width : r * width + width]
            for c in range(width):
                row[c] = 0.0
            add_joints(ints, reals, work, pair.first, x, turn, push, row)
            add_joints(ints, reals, work, pair.second, x, scale(-1.0, turn), scale(-1.0, push), row)
            row[n] = dot(e, sub(closed.wanted, bias) if d < 3 else sub(closed.turning, turning))
            root = weight**0.5
            for c in range(n + 1):
                row[c] *= root
            r += 1
    return r


@part
def momentum_rows(p: WholeBodyProblem, r):
    """Sums of forces, and of their moments about the centre of mass; returns the number of rows now."""
    work, count = p.scratch, p.count
    n, na, width = count.unknowns, count.first_force, count.width
    com = add(ld3(work, ROOT * NW + POS), base_of(p.ints, p.reals, work)[1])
    for d in range(6):
        wish = p.momentum[d]
        if wish.weight <= 0.0 or count.contacts == 0:
            continue
        row = p.rows[r * width : r * width + width]
        for c in range(width):
            row[c] = 0.0
        for k in range(count.contacts):
            arm = sub(point_of(work, p.contact_body[k], p.contact[k].point), com)
            for e in range(3):
                f = p.frame[k].axis[e]
                m = cross(arm, f)
                row[na + 3 * k + e] = f[d % 3] if d < 3 else m[d % 3]
        row[n] = wish.wanted - p.outer_sum[d]
        root = wish.weight**0.5
        for c in range(n + 1):
            row[c] *= root
        r += 1
    return r


@part
def build(p: WholeBodyProblem):
    """Fill the form. `survey` has been at the state."""
    count = p.count
    nj = len(p.posture)
    na = room_of(nj)
    n = na + 3 * count.contacts
    width = (n + 4) // 4 * 4  # the unknowns and the right side, in whole lanes
    count.first_force = na
    count.unknowns = n
    count.width = width
    joint_answers(p.ints, p.reals, p.scratch, p.columns[:nj])
    zero = (0.0, 0.0, 0.0)
    for c in range(nj, na):
        keep_answer(p.columns, c, zero, zero)
    frames_of_contacts(p)
    count.rows = all_rows(p)
    own_form(p)
    add_squares(p.rows, count.rows, n, width, p.form)


@part
def own_form(p: WholeBodyProblem):
    """The form of posture and forces alone."""
    form, nj, na, n, width = p.form, len(p.posture), p.count.first_force, p.count.unknowns, p.count.width
    for k in range(width * width):
        form[k] = 0.0
    for j in range(nj):
        weight = p.posture[j].weight + LEAST
        form[j * width + j] = weight
        form[j * width + n] = weight * p.posture[j].wanted
    for j in range(nj, na):
        form[j * width + j] = 1.0
    weight = p.settings.force_weight + LEAST
    for k in range(p.count.contacts):
        for d in range(3):
            c = na + 3 * k + d
            form[c * width + c] = weight
            form[c * width + n] = weight * dot(p.frame[k].axis[d], p.contact[k].near)


@part
def add_squares(rows, many, n, width, form):
    """form += sum row row', upper triangle and right side, in tiles of four rows and a lane."""
    for i in range(0, n, LANES):
        for c in range(i, width, LANES):
            k = i * width + c
            w = wide_ld(form, k)
            x = wide_ld(form, k + width)
            y = wide_ld(form, k + 2 * width)
            z = wide_ld(form, k + 3 * width)
            for at in range(0, many * width, width):
                lane = wide_ld(rows, at + c)
                w = w + ld(rows, at + i) * lane
                x = x + ld(rows, at + i + 1) * lane
                y = y + ld(rows, at + i + 2) * lane
                z = z + ld(rows, at + i + 3) * lane
            wide_st(form, k, w)
            wide_st(form, k + width, x)
            wide_st(form, k + 2 * width, y)
            wide_st(form, k + 3 * width, z)
