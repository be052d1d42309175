"""The whole-body kernel: build, solve, torques by inverse dynamics, torques beyond their limits as bounds, solve again.

    tau = joint rows of  M a + h - J'f  less what springs and dampers give (`passive`)
Checked in tests/control/test_whole_body.py.
"""

from __future__ import annotations

from bunraku.control.end_links import (
    ROOT,
    add_joints,
    base_answer,
    base_bias,
    joints_of,
    point_bias,
    point_of,
)
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.control.whole_body_build import build
from bunraku.control.whole_body_solve import solve
from bunraku.dynamics.composite import joint_column
from bunraku.dynamics.crba_kernel import mass_matrix
from bunraku.dynamics.rnea_kernel import rnea_passes
from bunraku.kernel.compile import part
from bunraku.kernel.vec import axpy, cross, dot, ld3, ld9, mtv, scale, sub
from bunraku.model.layout import DOF, IV, NW, PARENT, POS, ROT

TRIES = 3  # solves in which torques are added to the bounds
SLACK = 1e-6  # part of a torque's limit that does not matter


@part
def read_out(p: WholeBodyProblem):
    """Accelerations, forces and torques from the unknowns."""
    ints, reals, work, f_ext = p.ints, p.reals, p.scratch, p.f_ext
    y, a, tau, force, columns = p.y, p.a, p.tau, p.force, p.columns
    na = p.count.first_force
    first = joints_of(ints)
    for k in range(f_ext.shape[0]):
        f_ext[k] = p.outer[k]
    for j in range(len(p.posture)):
        a[first + j] = y[j]
    for k in range(p.count.contacts):
        c, body, axis = na + 3 * k, p.contact_body[k], p.frame[k].axis
        f = axpy(y[c], axis[0], axpy(y[c + 1], axis[1], scale(y[c + 2], axis[2])))
        arm = sub(point_of(work, body, p.contact[k].point), ld3(work, body * NW + POS))
        n = cross(arm, f)
        for d in range(3):
            force[k, d] = f[d]
            f_ext[6 * body + d] += f[d]
            f_ext[6 * body + 3 + d] += n[d]
    if first != 0:
        al, ac = base_bias(ints, reals, work)
        for c in range(p.count.unknowns):
            of_al, of_ac = base_answer(columns, c)
            al = axpy(y[c], of_al, al)
            ac = axpy(y[c], of_ac, ac)
        w = mtv(ld9(work, ROOT * NW + ROT), al)
        for d in range(3):
            a[d] = ac[d]
            a[3 + d] = w[d]
    rnea_passes(ints, reals, p.q, p.v, a, f_ext, p.second, tau)
    for k in range(tau.shape[0]):
        tau[k] -= p.passive[k]


@part
def torque_row(p: WholeBodyProblem, j, sign, limit, k):
    """Dense row k: sign tau_j >= sign limit, in the unknowns. tau(y) is affine: rows of M, the base eliminated, J'f."""
    ints, reals, work, M, columns, y = p.ints, p.reals, p.scratch, p.mass, p.columns, p.y
    na, n = p.count.first_force, p.count.unknowns
    first = joints_of(ints)
    row = p.dense[k]
    for c in range(row.shape[0]):
        row[c] = 0.0
    for c in range(len(p.posture)):
        row[c] = M[first + j, first + c]
    for e in range(p.count.contacts):
        body = p.contact_body[e]
        x = point_of(work, body, p.contact[e].point)
        for d in range(3):
            row[na + 3 * e + d] = -joint_share(ints, reals, work, body, x, p.frame[e].axis[d], j)
    if first != 0:
        R = ld9(work, ROOT * NW + ROT)
        for c in range(n):
            al, a = base_answer(columns, c)
            w = mtv(R, al)
            for d in range(3):
                row[c] += M[first + j, d] * a[d] + M[first + j, 3 + d] * w[d]
    now = 0.0
    for c in range(n):
        now += row[c] * y[c]
        row[c] *= sign
    row[n] = sign * (limit - p.tau[first + j] + now)


@part
def apart_rows(p: WholeBodyProblem):
    """Dense rows of pairs of the figure's own bodies that shall not come nearer: relative acceleration along the
    normal; the base cancels."""
    ints, reals, work, count = p.ints, p.reals, p.scratch, p.count
    zero = (0.0, 0.0, 0.0)
    for k in range(count.pairs):
        row, first, second = p.dense[k], p.apart_body[k].first, p.apart_body[k].second
        for c in range(row.shape[0]):
            row[c] = 0.0
        x, normal = p.apart[k].point, p.apart[k].normal
        add_joints(ints, reals, work, first, x, zero, normal, row)
        add_joints(ints, reals, work, second, x, zero, scale(-1.0, normal), row)
        bias = sub(point_bias(work, first, x), point_bias(work, second, x))
        row[count.unknowns] = p.apart[k].least - dot(normal, bias)
        p.dense_of[k] = -1
    count.dense = count.pairs


@part
def joint_share(ints, reals, work, body, x, f, j):
    """What a unit force f at point x of a body does along joint DoF j."""
    from_joint = 0.0
    first = joints_of(ints)
    i = body
    while i > 0 and (first == 0 or i != ROOT):
        for k in range(ints[i, DOF]):
            if ints[i, IV] + k - first == j:
                sa, sl = joint_column(ints, reals, work, i, k)
                from_joint += dot(sa, cross(sub(x, ld3(work, i * NW + POS)), f)) + dot(sl, f)
        i = ints[i, PARENT]
    return from_joint


@part
def limit_torques(p: WholeBodyProblem):
    """Add a bound for every torque beyond its limits; returns how many were added."""
    count, of = p.count, p.dense_of
    first = joints_of(p.ints)
    added = 0
    for j in range(len(p.effort)):
        x, least, most = p.tau[first + j], p.effort[j].least, p.effort[j].most
        low = x < least - SLACK * (1.0 + abs(least))
        high = x > most + SLACK * (1.0 + abs(most))
        if not (low or high) or count.dense == of.shape[0]:
            continue
        side = 2 * j if low else 2 * j + 1
        known = False
        for k in range(count.dense):
            known = known or of[k] == side
        if known:
            continue
        if count.dense == count.pairs:
            mass_matrix(p.ints, p.reals, p.q, p.second, p.mass)
        of[count.dense] = side
        torque_row(p, j, 1.0 if low else -1.0, least if low else most, count.dense)
        count.dense += 1
        added += 1
    return added


@part
def whole_body(p: WholeBodyProblem):
    """The whole problem: from a surveyed state, tasks, contacts and bounds to accelerations, forces and torques."""
    count = p.count
    count.iterations = 0
    count.factors = 0
    build(p)
    apart_rows(p)
    solve(p)
    read_out(p)
    for _ in range(TRIES):
        if limit_torques(p) == 0:
            break
        solve(p)
        read_out(p)
    finish(p)


@part
def finish(p: WholeBodyProblem):
    """Torques as they are given to the joints."""
    tau = p.tau
    p.count.limited = p.count.dense - p.count.pairs
    first = joints_of(p.ints)
    for k in range(first):
        tau[k] = 0.0  # what is left of the six rows is rounding
    for j in range(len(p.effort)):
        tau[first + j] = min(max(tau[first + j], p.effort[j].least), p.effort[j].most)
