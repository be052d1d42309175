"""Inverse dynamics by the recursive Newton-Euler algorithm: tau from q, v, v' and external forces, in O(n).

Outward: poses and accelerations (passes.py, plus s v'), and the wrench each body's motion needs. Inward: wrenches
summed towards the base; a joint's torque is S' (n, f), times its gear ratio or matrix, plus rotor inertia.
Checked in tests/dynamics/test_laws.py, test_pinocchio.py and test_mujoco.py.
"""

from __future__ import annotations

from bunraku.dynamics.aba_kernel import pulled, still_world
from bunraku.dynamics.batch import over
from bunraku.dynamics.follower import follower_torque, own_motion
from bunraku.dynamics.inertia import add_wrench
from bunraku.dynamics.one_axis import axis, felt, has_one_axis, moved
from bunraku.dynamics.passes import angles, inertial_wrench, place, rigid, spin, swing
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import add, axpy, cross, ld3, ld9, mtv, mv, st3
from bunraku.model.layout import (
    ACC,
    ALPHA,
    ARM,
    BALL,
    COUPLED,
    FREE,
    IV,
    KIND,
    NW,
    PARENT,
    RATIO,
    ROT,
    ROTOR,
    SLIDE,
    WRENCH,
)


@inline
def driven(ints, reals, a, i, R, s, al, ac):
    """(al, ac) and what the joint's own acceleration adds."""
    kind = ints[i, KIND]
    k = ints[i, IV]
    if has_one_axis(kind):
        al, ac = moved(kind, reals[i, SLIDE], s, reals[i, RATIO] * ld(a, k), al, ac)
    elif kind == BALL:
        al = add(al, mv(R, ld3(a, k)))
    elif kind >= COUPLED:
        turning, moving = own_motion(ints, reals, a, i)
        al = add(al, mv(R, turning))
        ac = add(ac, mv(R, moving))
    else:
        ac = add(ac, ld3(a, k))
        al = add(al, mv(R, ld3(a, k + 3)))
    return al, ac


@inline
def joint_torque(ints, reals, work, i, a, tau):
    """Project body i's wrench on its joint, and add the rotor's share."""
    w = i * NW
    k = ints[i, IV]
    kind = ints[i, KIND]
    rotor = reals[i, ROTOR]
    if has_one_axis(kind):
        g = reals[i, RATIO]
        x = felt(kind, reals[i, SLIDE], axis(ints, work, i), ld3(work, w + WRENCH), ld3(work, w + WRENCH + 3))
        st(tau, k, ld(tau, k) + g * (x + g * rotor * ld(a, k)))
    elif kind == BALL:
        x = mtv(ld9(work, w + ROT), ld3(work, w + WRENCH))
        st3(tau, k, add(ld3(tau, k), axpy(rotor, ld3(a, k), x)))
    elif kind >= COUPLED:
        follower_torque(ints, reals, work, i, a, tau)
    elif kind == FREE:
        st3(tau, k, axpy(rotor, ld3(a, k), ld3(work, w + WRENCH + 3)))
        x = mtv(ld9(work, w + ROT), ld3(work, w + WRENCH))
        st3(tau, k + 3, axpy(rotor, ld3(a, k + 3), x))


@inline
def rnea_passes(ints, reals, q, v, a, f_ext, work, tau):
    """The two passes."""
    nb = ints.shape[0]
    angles(ints, q, work)
    still_world(reals, work)
    for i in range(1, nb):
        R, arm, s = place(ints, reals, q, work, i)
        ac = swing(ints, reals, v, work, i, arm, s)
        om, al = spin(ints, reals, v, work, i, R, s)
        al, ac = driven(ints, reals, a, i, R, s, al, ac)
        st3(work, i * NW + ALPHA, al)
        st3(work, i * NW + ACC, ac)
        m, h, I = rigid(reals, i, R)
        n, f = inertial_wrench(m, h, I, om, al, ac)
        n, f = pulled(f_ext, i, n, f)
        st3(work, i * NW + WRENCH, n)
        st3(work, i * NW + WRENCH + 3, f)
    for k in range(tau.shape[0]):
        st(tau, k, 0.0)
    for i in range(nb - 1, 0, -1):
        w = i * NW
        joint_torque(ints, reals, work, i, a, tau)
        f = ld3(work, w + WRENCH + 3)
        add_wrench(work, ints[i, PARENT] * NW, add(ld3(work, w + WRENCH), cross(ld3(work, w + ARM), f)), f)


one, many = over(rnea_passes)


@entry("h D D D D")
def rnea_one(handle, q, v, a, tau):
    """One state without external forces."""
    return one(handle, q, v, a, None, tau)


@entry("h D D D D D")
def rnea_one_pushed(handle, q, v, a, f_ext, tau):
    """One state with external forces."""
    return one(handle, q, v, a, f_ext, tau)


@entry("h DD DD DD DD")
def rnea_many(handle, q, v, a, tau):
    """A batch without external forces."""
    return many(handle, q, v, a, None, tau)


@entry("h DD DD DD DD DD")
def rnea_many_pushed(handle, q, v, a, f_ext, tau):
    """A batch with external forces."""
    return many(handle, q, v, a, f_ext, tau)
