"""Jacobians: how bodies and frames move per rate of each degree of freedom.

`columns` gives, for every elementary joint DoF in the order of q (followers included), the motion column about the
world's origin, (linear, angular) in world axes; the same that Pinocchio's computeJointJacobians computes.
`frame_jacobian` gathers the columns of one frame's ancestors, taken at the frame's origin. A gear's members each have a
column; in a frame's Jacobian they add up in that of their common q. Checked in tests/dynamics/test_laws.py and
test_pinocchio.py.
"""

from __future__ import annotations

from bunraku.dynamics.arguments import BAD_SIZE, OK
from bunraku.dynamics.composite import joint_column, place_all
from bunraku.dynamics.passes import angles, place, world_pose
from bunraku.dynamics.work import opened, sizes
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.kernel.vec import add, cross, ld3, ld9, mv, sub
from bunraku.model.layout import COLUMN, DOF, IV, NW, PARENT, POS, ROT


@inline
def column_pass(ints, reals, q, work, out):
    """One outward pass that places the bodies and writes their columns."""
    angles(ints, q, work)
    world_pose(work)
    for i in range(1, ints.shape[0]):
        place(ints, reals, q, work, i)
        p = ld3(work, i * NW + POS)
        for k in range(ints[i, DOF]):
            sa, sl = joint_column(ints, reals, work, i, k)
            v = add(sl, cross(p, sa))
            row = ints[i, COLUMN] + k
            out[row, 0] = v[0]
            out[row, 1] = v[1]
            out[row, 2] = v[2]
            out[row, 3] = sa[0]
            out[row, 4] = sa[1]
            out[row, 5] = sa[2]


@inline
def gather(ints, reals, work, body, point, J):
    """J (6, nv) of a point fixed to a body, `point` in the body's frame."""
    for r in range(6):
        for k in range(J.shape[1]):
            J[r, k] = 0.0
    x = add(ld3(work, body * NW + POS), mv(ld9(work, body * NW + ROT), (point[0], point[1], point[2])))
    i = body
    while i != 0:
        arm = sub(x, ld3(work, i * NW + POS))
        for k in range(ints[i, DOF]):
            sa, sl = joint_column(ints, reals, work, i, k)
            v = add(sl, cross(sa, arm))
            c = ints[i, IV] + k
            J[0, c] += v[0]
            J[1, c] += v[1]
            J[2, c] += v[2]
            J[3, c] += sa[0]
            J[4, c] += sa[1]
            J[5, c] += sa[2]
        i = ints[i, PARENT]


@entry("h D DD")
def columns_one(handle, q, out):
    """Fill `out` (number of elementary DoF, 6)."""
    _, nq, _ = sizes(handle)
    if q.shape[0] != nq or out.shape[1] != 6:
        return BAD_SIZE
    ints, reals, work = opened(handle)
    count = 0
    for i in range(1, ints.shape[0]):
        count += ints[i, DOF]
    if out.shape[0] != count:
        return BAD_SIZE
    column_pass(ints, reals, borrow(q), work, borrow(out))
    return OK


@entry("h D i D DD")
def frame_one(handle, q, body, point, J):
    """Fill J (6, nv) for one frame."""
    nb, nq, nv = sizes(handle)
    if q.shape[0] != nq or J.shape[0] != 6 or J.shape[1] != nv or point.shape[0] != 3 or body < 0 or body >= nb:
        return BAD_SIZE
    ints, reals, work = opened(handle)
    place_all(ints, reals, borrow(q), work)
    gather(ints, reals, work, body, borrow(point), borrow(J))
    return OK


@entry("h DD i D DDD")
def frame_many(handle, q, body, point, J):
    """Fill J (batch, 6, nv)."""
    ints, reals, work = opened(handle)
    rows = borrow(q)
    out = borrow(J)
    for b in range(q.shape[0]):
        place_all(ints, reals, rows[b], work)
        gather(ints, reals, work, body, borrow(point), out[b])
    return OK


@entry("h DD DDD")
def columns_many(handle, q, out):
    """Fill `out` (batch, number of elementary DoF, 6)."""
    ints, reals, work = opened(handle)
    rows = borrow(q)
    cols = borrow(out)
    for b in range(q.shape[0]):
        column_pass(ints, reals, rows[b], work, cols[b])
    return OK
