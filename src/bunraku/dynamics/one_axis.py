"""Joints with one axis, as the tree algorithms see them: the kernels' half of bunraku.model.joint_kinds.

Such a joint turns its body about its axis s (world axes), slides it along s by h metres per unit of q, or both. Per
unit of its rate it moves the body by
    S = (angular, linear) = (s or 0, h s or 0)
where h is the column SLIDE of bunraku.model.layout, 1 for a joint that only slides. `placed` puts the body where q
says, `column` is S, `moved` adds a multiple of it to a motion, `felt` is S' times a wrench; `inward_…` and `outward_…`
are the joint's part in the articulated-body algorithm (equations: aba_kernel.py). Checked in
tests/dynamics/test_laws.py and test_helical.py.
"""

from __future__ import annotations

from bunraku.dynamics.inertia import add_wrench, carried, ld_articulated, less_rank1, reach, shifted
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.trig import sincos
from bunraku.kernel.vec import add, axpy, col, cross, dot, ld3, mtv, mv, scale, st3, sv
from bunraku.model.joint_kinds import BALL, HINGE, SLIDER
from bunraku.model.layout import (
    ARM,
    AXIS,
    DA,
    DINV,
    FOLLOWS,
    IQ,
    IV,
    KIND,
    NW,
    PARENT,
    RATIO,
    RHS,
    ROT,
    ROTOR,
    SAME,
    SHIFT,
    SLIDE,
    STARTS,
    WRENCH,
    U,
)


@inline
def real3(reals, i, c):
    """Three model numbers."""
    return (reals[i, c], reals[i, c + 1], reals[i, c + 2])


@inline
def has_one_axis(kind):
    """Whether a joint is one of those here."""
    return kind < BALL


@inline
def is_simple(kind):
    """Whether a joint only turns or only slides: half of its S is zero."""
    return kind == HINGE or kind == SLIDER


@inline
def turns(kind):
    """Whether a joint turns its body about its axis."""
    return (kind & HINGE) != 0


@inline
def slides(kind):
    """Whether a joint slides its body along its axis."""
    return (kind & SLIDER) != 0


@inline
def axis(ints, work, i):
    """The axis of joint i in world axes."""
    k = i * NW + ROT + ints[i, AXIS]
    return (ld(work, k), ld(work, k + 3), ld(work, k + 6))


@inline
def angle(ints, reals, q, work, i):
    """(sin, cos) of a joint that turns; a gear's follower has an angle of its own."""
    if ints[i, FOLLOWS] != 0:
        return sincos(reals[i, RATIO] * ld(q, ints[i, IQ]) + reals[i, SHIFT])
    k = ints.shape[0] * NW + ints[i, IQ]
    return ld(work, k), ld(work, k + q.shape[0])


@inline
def about_axis(k, R, s, c):
    """(R times a turn about coordinate axis k with that sine and cosine, the axis itself)."""
    x = col(R, 0)
    y = col(R, 1)
    z = col(R, 2)
    if k == 0:
        u = axpy(c, y, scale(s, z))
        t = axpy(c, z, scale(-s, y))
        return (x[0], u[0], t[0], x[1], u[1], t[1], x[2], u[2], t[2]), x
    if k == 1:
        u = axpy(c, z, scale(s, x))
        t = axpy(c, x, scale(-s, z))
        return (t[0], y[0], u[0], t[1], y[1], u[1], t[2], y[2], u[2]), y
    u = axpy(c, x, scale(s, y))
    t = axpy(c, y, scale(-s, x))
    return (u[0], t[0], z[0], u[1], t[1], z[1], u[2], t[2], z[2]), z


@inline
def placed(kind, ints, reals, q, work, i, R, arm):
    """(rotation, arm, axis) of body i from those at q = 0, world axes."""
    k = ints[i, AXIS]
    if turns(kind):
        sine, cosine = angle(ints, reals, q, work, i)
        R, s = about_axis(k, R, sine, cosine)
    else:
        z = 0.0 * R[0]
        _, s = about_axis(k, R, z, z)
    if slides(kind):
        x = reals[i, RATIO] * ld(q, ints[i, IQ]) + reals[i, SHIFT]
        arm = axpy(reals[i, SLIDE] * x, s, arm)
    return R, arm, s


@inline
def column(kind, h, s, zero):
    """S, for s the axis times anything; zero: three zeros."""
    if not slides(kind):
        return s, zero
    if not turns(kind):
        return zero, s
    return s, scale(h, s)


@inline
def moved(kind, h, s, x, al, a):
    """The motion (al, a) plus x S. Given the axis times a rate and x = 1, products are rounded before they are added."""
    if turns(kind):
        al = axpy(x, s, al)
    if slides(kind):
        a = axpy(h * x, s, a)
    return al, a


@inline
def felt(kind, h, s, n, f):
    """S' (n, f): what a moment and a force do along the joint."""
    if not slides(kind):
        return dot(s, n)
    if not turns(kind):
        return dot(s, f)
    return dot(s, n) + dot(scale(h, s), f)


@inline
def given(tau, k):
    """tau[k], or nothing where no torques are given (only inertias are wanted)."""
    if tau is None:
        return 0.0
    return ld(tau, k)


@inline
def inward_single(ints, reals, tau, work, i):
    """(22), (25), (26) for a joint that only turns or only slides, without gears: fold body i into its parent."""
    w = i * NW
    p = ints[i, PARENT] * NW
    A, B, C = ld_articulated(ints, reals, work, i)
    n = ld3(work, w + WRENCH)
    f = ld3(work, w + WRENCH + 3)
    s = axis(ints, work, i)
    t = given(tau, ints[i, IV])
    if turns(ints[i, KIND]):
        Un = sv(A, s)
        Uf = mtv(B, s)
        d = 1.0 / (dot(s, Un) + reals[i, ROTOR])
        u = t - dot(s, n)
    else:
        Un = mv(B, s)
        Uf = sv(C, s)
        d = 1.0 / (dot(s, Uf) + reals[i, ROTOR])
        u = t - dot(s, f)
    st3(work, w + U, Un)
    st3(work, w + U + 3, Uf)
    st(work, w + DINV, d)
    st(work, w + RHS, u)
    A, B, C = less_rank1(A, B, C, Un, Uf, d)
    f = axpy(d * u, Uf, f)
    n = axpy(d * u, Un, n)
    if ints[i, SAME] == 0:
        r = ld3(work, w + ARM)
        A, B, C = shifted(A, B, C, r)
        n = add(n, cross(r, f))
    reach(work, p, ints[i, STARTS], A, B, C)
    add_wrench(work, p, n, f)


@part
def inward_screw(ints, reals, tau, work, i):
    """The same for a joint that turns and slides. (A part of its own: inside the other it would cost all joints 5 %.)"""
    w = i * NW
    p = ints[i, PARENT] * NW
    A, B, C = ld_articulated(ints, reals, work, i)
    n = ld3(work, w + WRENCH)
    f = ld3(work, w + WRENCH + 3)
    s = axis(ints, work, i)
    hs = scale(reals[i, SLIDE], s)
    Un = add(sv(A, s), mv(B, hs))
    Uf = add(mtv(B, s), sv(C, hs))
    d = 1.0 / (dot(s, Un) + dot(hs, Uf) + reals[i, ROTOR])
    u = given(tau, ints[i, IV]) - (dot(s, n) + dot(hs, f))
    st3(work, w + U, Un)
    st3(work, w + U + 3, Uf)
    st(work, w + DINV, d)
    st(work, w + RHS, u)
    A, B, C = less_rank1(A, B, C, Un, Uf, d)
    f = axpy(d * u, Uf, f)
    r = ld3(work, w + ARM)
    n = add(axpy(d * u, Un, n), cross(r, f))
    A, B, C = shifted(A, B, C, r)
    reach(work, p, ints[i, STARTS], A, B, C)
    add_wrench(work, p, n, f)


@inline
def outward_single(ints, work, i, a):
    """(22), (15): the joint's own acceleration, then what it adds to the body's."""
    w = i * NW
    al, ac = carried(work, ints[i, PARENT] * NW, ld3(work, w + ARM))
    qdd = ld(work, w + DINV) * (ld(work, w + RHS) - dot(ld3(work, w + U), al) - dot(ld3(work, w + U + 3), ac))
    st(a, ints[i, IV], qdd)
    s = axis(ints, work, i)
    if turns(ints[i, KIND]):
        st3(work, w + DA, axpy(qdd, s, al))
        st3(work, w + DA + 3, ac)
    else:
        st3(work, w + DA, al)
        st3(work, w + DA + 3, axpy(qdd, s, ac))


@part
def outward_screw(ints, reals, work, i, a):
    """The same for a joint that turns and slides."""
    w = i * NW
    al, ac = carried(work, ints[i, PARENT] * NW, ld3(work, w + ARM))
    qdd = ld(work, w + DINV) * (ld(work, w + RHS) - dot(ld3(work, w + U), al) - dot(ld3(work, w + U + 3), ac))
    st(a, ints[i, IV], qdd)
    s = axis(ints, work, i)
    st3(work, w + DA, axpy(qdd, s, al))
    st3(work, w + DA + 3, axpy(reals[i, SLIDE] * qdd, s, ac))
