"""The whole-body kernel: build, solve, torques by inverse dynamics, torques beyond their limits as bounds, solve again.

    tau = joint rows of  M a + h - J'f  less what springs and dampers give (W_PASSIVE)
Checked in tests/control/test_whole_body.py.
"""

from __future__ import annotations

from bunraku.control.end_links import ROOT, add_joints, base_bias, joints_of, point_bias, point_of, survey
from bunraku.control.whole_body_arrays import (
    C_POINT,
    FACTORS,
    ITERATIONS,
    LIMITED,
    MOST_DENSE,
    NC,
    ND,
    NK,
    W_A,
    W_APART,
    W_APART_BODY,
    W_COLUMNS,
    W_CONTACT,
    W_CONTACT_BODY,
    W_COUNT,
    W_DENSE,
    W_DENSE_OF,
    W_EFFORT,
    W_FEXT,
    W_FORCE,
    W_FRAMES,
    W_INTS,
    W_MASS,
    W_PASSIVE,
    W_POSTURE,
    W_Q,
    W_REALS,
    W_SCRATCH,
    W_SECOND,
    W_TAU,
    W_V,
    W_Y,
)
from bunraku.control.whole_body_build import build, room_of, row3
from bunraku.control.whole_body_solve import solve
from bunraku.dynamics.composite import joint_column
from bunraku.dynamics.crba_kernel import mass_matrix
from bunraku.dynamics.rnea_kernel import rnea_passes
from bunraku.kernel.compile import part
from bunraku.kernel.entry import entry
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import axpy, cross, dot, ld3, ld9, mtv, scale, sub
from bunraku.model.layout import DOF, IV, NW, PARENT, POS, ROT

TRIES = 3  # solves in which torques are added to the bounds
SLACK = 1e-6  # part of a torque's limit that does not matter


@part
def read_out(h):
    """W_A, W_FORCE and W_TAU from W_Y."""
    ints, reals, work = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH)
    y, a, tau, count = reals1(h, W_Y), reals1(h, W_A), reals1(h, W_TAU), ints1(h, W_COUNT)
    force, frames, contact, f_ext = reals2(h, W_FORCE), reals2(h, W_FRAMES), reals2(h, W_CONTACT), reals1(h, W_FEXT)
    columns, bodies, passive = reals2(h, W_COLUMNS), ints1(h, W_CONTACT_BODY), reals1(h, W_PASSIVE)
    nj = reals2(h, W_POSTURE).shape[0]
    na = room_of(nj)
    first = joints_of(ints)
    for k in range(f_ext.shape[0]):
        f_ext[k] = 0.0
    for j in range(nj):
        a[first + j] = y[j]
    for k in range(count[NC]):
        c = na + 3 * k
        f = axpy(y[c], row3(frames, k, 0), axpy(y[c + 1], row3(frames, k, 3), scale(y[c + 2], row3(frames, k, 6))))
        arm = sub(point_of(work, bodies[k], row3(contact, k, C_POINT)), ld3(work, bodies[k] * NW + POS))
        n = cross(arm, f)
        for d in range(3):
            force[k, d] = f[d]
            f_ext[6 * bodies[k] + d] += f[d]
            f_ext[6 * bodies[k] + 3 + d] += n[d]
    if first != 0:
        al, ac = base_bias(ints, reals, work)
        for c in range(na + 3 * count[NC]):
            al = axpy(y[c], row3(columns, c, 0), al)
            ac = axpy(y[c], row3(columns, c, 3), ac)
        w = mtv(ld9(work, ROOT * NW + ROT), al)
        for d in range(3):
            a[d] = ac[d]
            a[3 + d] = w[d]
    rnea_passes(ints, reals, reals1(h, W_Q), reals1(h, W_V), a, f_ext, reals1(h, W_SECOND), tau)
    for k in range(tau.shape[0]):
        tau[k] -= passive[k]


@part
def torque_row(h, j, sign, limit, k):
    """Dense row k: sign tau_j >= sign limit, in the unknowns. tau = tau(y) is affine: M rows, the base eliminated, forces by J'."""
    ints, reals, work, M = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH), reals2(h, W_MASS)
    dense, columns, y, tau = reals2(h, W_DENSE), reals2(h, W_COLUMNS), reals1(h, W_Y), reals1(h, W_TAU)
    frames, contact, bodies, count = (
        reals2(h, W_FRAMES),
        reals2(h, W_CONTACT),
        ints1(h, W_CONTACT_BODY),
        ints1(h, W_COUNT),
    )
    nj = reals2(h, W_POSTURE).shape[0]
    na = room_of(nj)
    n = na + 3 * count[NC]
    first = joints_of(ints)
    row = dense[k]
    for c in range(row.shape[0]):
        row[c] = 0.0
    for c in range(nj):
        row[c] = M[first + j, first + c]
    for e in range(count[NC]):
        x = point_of(work, bodies[e], row3(contact, e, C_POINT))
        for d in range(3):
            row[na + 3 * e + d] = -joint_share(ints, reals, work, bodies[e], x, row3(frames, e, 3 * d), j)
    if first != 0:
        R = ld9(work, ROOT * NW + ROT)
        for c in range(n):
            w = mtv(R, row3(columns, c, 0))
            for d in range(3):
                row[c] += M[first + j, d] * columns[c, 3 + d] + M[first + j, 3 + d] * w[d]
    now = 0.0
    for c in range(n):
        now += row[c] * y[c]
        row[c] *= sign
    row[n] = sign * (limit - tau[first + j] + now)


@part
def apart_rows(h):
    """Dense rows of pairs of the figure's own bodies that shall not come nearer: relative acceleration along the normal; the base cancels."""
    ints, reals, work = ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_SCRATCH)
    count, pair, apart, dense = ints1(h, W_COUNT), ints2(h, W_APART_BODY), reals2(h, W_APART), reals2(h, W_DENSE)
    n = room_of(reals2(h, W_POSTURE).shape[0]) + 3 * count[NC]
    zero = (0.0, 0.0, 0.0)
    for k in range(count[NK]):
        row = dense[k]
        for c in range(row.shape[0]):
            row[c] = 0.0
        x = row3(apart, k, 0)
        normal = row3(apart, k, 3)
        add_joints(ints, reals, work, pair[k, 0], x, zero, normal, row)
        add_joints(ints, reals, work, pair[k, 1], x, zero, scale(-1.0, normal), row)
        bias = sub(point_bias(work, pair[k, 0], x), point_bias(work, pair[k, 1], x))
        row[n] = apart[k, 6] - dot(normal, bias)
        ints1(h, W_DENSE_OF)[k] = -1
    count[ND] = count[NK]


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
def limit_torques(h):
    """Add a bound for every torque beyond its limits; returns how many were added."""
    effort, tau, count, of = reals2(h, W_EFFORT), reals1(h, W_TAU), ints1(h, W_COUNT), ints1(h, W_DENSE_OF)
    first = joints_of(ints2(h, W_INTS))
    added = 0
    for j in range(effort.shape[0]):
        x = tau[first + j]
        low = x < effort[j, 0] - SLACK * (1.0 + abs(effort[j, 0]))
        high = x > effort[j, 1] + SLACK * (1.0 + abs(effort[j, 1]))
        if not (low or high) or count[ND] == MOST_DENSE:
            continue
        known = False
        for k in range(count[ND]):
            if of[k] == j:
                known = True
        if known:
            continue
        if count[ND] == count[NK]:
            mass_matrix(ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_Q), reals1(h, W_SECOND), reals2(h, W_MASS))
        of[count[ND]] = j
        torque_row(h, j, 1.0 if low else -1.0, effort[j, 0] if low else effort[j, 1], count[ND])
        count[ND] += 1
        added += 1
    return added


@part
def whole_body(h):
    """The whole problem of W_…: from a surveyed state, tasks, contacts and bounds to W_A, W_FORCE, W_TAU."""
    count, effort, tau = ints1(h, W_COUNT), reals2(h, W_EFFORT), reals1(h, W_TAU)
    count[ITERATIONS] = 0
    count[FACTORS] = 0
    build(h)
    apart_rows(h)
    solve(h)
    read_out(h)
    for _ in range(TRIES):
        if limit_torques(h) == 0:
            break
        solve(h)
        read_out(h)
    count[LIMITED] = count[ND] - count[NK]
    first = joints_of(ints2(h, W_INTS))
    for k in range(first):
        tau[k] = 0.0  # what is left of the six rows is rounding
    for j in range(effort.shape[0]):
        tau[first + j] = min(max(tau[first + j], effort[j, 0]), effort[j, 1])


@entry("h")
def whole_body_once(h):
    """One problem."""
    survey(ints2(h, W_INTS), reals2(h, W_REALS), reals1(h, W_Q), reals1(h, W_V), reals1(h, W_SCRATCH))
    whole_body(h)
    return 0
