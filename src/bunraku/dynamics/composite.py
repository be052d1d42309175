"""Composite inertias and joint columns: what the mass matrix, the Jacobians and the centroidal momentum share.

A composite inertia is (m, h, I): mass, first moment and inertia about the body's own origin, ten numbers. Moving it to
an origin r behind:
    h' = h + m r,    I' = I + 2 (r.h) 1 - r h' - h r' + m (r.r 1 - r r')
"""

from __future__ import annotations

from bunraku.dynamics.follower import follower_column
from bunraku.dynamics.one_axis import axis, column, has_one_axis
from bunraku.dynamics.passes import angles, place, rigid, world_pose
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, ld6, scale, st3, st6, sv
from bunraku.model.layout import ARM, BALL, COUPLED, FREE, KIND, NW, PARENT, RATIO, RIGID, ROT, SLIDE


@inline
def place_all(ints, reals, q, work):
    """Poses of all bodies."""
    angles(ints, q, work)
    world_pose(work)
    for i in range(1, ints.shape[0]):
        place(ints, reals, q, work, i)


@inline
def carry_composite(work, i, p):
    """Add body i's composite inertia to that of its parent p (offsets into work)."""
    h = ld3(work, i + RIGID)
    I = ld6(work, i + RIGID + 3)
    m = ld(work, i + RIGID + 9)
    r = ld3(work, i + ARM)
    st(work, p + RIGID + 9, ld(work, p + RIGID + 9) + m)
    st3(work, p + RIGID, add(ld3(work, p + RIGID), axpy(m, r, h)))
    d = dot(r, axpy(m, r, scale(2.0, h)))  # m r.r + 2 r.h
    g = axpy(0.5 * m, r, h)  # m r/2 + h, so that r g' + g r' = m r r' + r h' + h r'
    J = ld6(work, p + RIGID + 3)
    st6(
        work,
        p + RIGID + 3,
        (
            J[0] + I[0] + d - 2.0 * r[0] * g[0],
            J[1] + I[1] - r[0] * g[1] - g[0] * r[1],
            J[2] + I[2] - r[0] * g[2] - g[0] * r[2],
            J[3] + I[3] + d - 2.0 * r[1] * g[1],
            J[4] + I[4] - r[1] * g[2] - g[1] * r[2],
            J[5] + I[5] + d - 2.0 * r[2] * g[2],
        ),
    )


@inline
def composites(ints, reals, q, work):
    """Poses, and in every body's RIGID slots (h, I, m) of all that hangs on it."""
    nb = ints.shape[0]
    angles(ints, q, work)
    world_pose(work)
    for k in range(10):
        st(work, RIGID + k, 0.0)
    for i in range(1, nb):
        R, _, _ = place(ints, reals, q, work, i)
        m, h, I = rigid(reals, i, R)
        st3(work, i * NW + RIGID, h)
        st6(work, i * NW + RIGID + 3, I)
        st(work, i * NW + RIGID + 9, m + 0.0 * h[0])
    for i in range(nb - 1, 0, -1):
        carry_composite(work, i * NW, ints[i, PARENT] * NW)


@inline
def joint_column(ints, reals, work, i, k):
    """(angular, linear) motion of body i, at its origin, per rate of its joint's k-th DoF; gear ratio included.

    A follower by a matrix: per rate of its group's k-th."""
    w = i * NW
    kind = ints[i, KIND]
    z = 0.0 * ld(work, w + ROT)
    zero = (z, z, z)
    if has_one_axis(kind):
        return column(kind, reals[i, SLIDE], scale(reals[i, RATIO], axis(ints, work, i)), zero)
    if kind >= COUPLED:
        return follower_column(ints, reals, work, i, k)
    if kind == FREE and k < 3:
        return zero, (z + (1.0 if k == 0 else 0.0), z + (1.0 if k == 1 else 0.0), z + (1.0 if k == 2 else 0.0))
    j = k if kind == BALL else k - 3
    return (ld(work, w + ROT + j), ld(work, w + ROT + 3 + j), ld(work, w + ROT + 6 + j)), zero


@inline
def composite_wrench(work, i, sa, sl):
    """Wrench (n, f) at body i's origin that gives its composite the acceleration (sa, sl)."""
    h = ld3(work, i * NW + RIGID)
    I = ld6(work, i * NW + RIGID + 3)
    m = ld(work, i * NW + RIGID + 9)
    return add(sv(I, sa), cross(h, sl)), axpy(m, sl, cross(sa, h))
