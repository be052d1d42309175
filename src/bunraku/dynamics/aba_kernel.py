"""Forward dynamics by the articulated-body algorithm (Tazaki 2013, section 2.4): v' from q, v, tau and external forces,
in O(n).

    1 outward   pose, angular velocity, acceleration for v' = 0; rigid inertia and the wrench that motion needs
    2 inward    articulated inertias and bias wrenches (25), (26), gears (39), (40)
    3 outward   joint accelerations (22), (38) and what they add to the bodies (15)

`f_ext` is None or holds (fx fy fz nx ny nz) a body, flat, world axes, at the body's origin.
Checked in tests/dynamics/test_laws.py, test_pinocchio.py and test_mujoco.py.
"""

from __future__ import annotations

from bunraku.dynamics.arguments import BAD_SIZE, OK
from bunraku.dynamics.articulated import inward, outward
from bunraku.dynamics.batch import pack, unpack
from bunraku.dynamics.inertia import st_rigid
from bunraku.dynamics.passes import angles, inertial_wrench, place, rigid, spin, swing, world_pose
from bunraku.dynamics.work import opened, opened_lanes, sizes
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import LANES, borrow, st
from bunraku.kernel.vec import ld3, st3, sub
from bunraku.model.layout import ACC, ALPHA, DA, NW, OMEGA, PLACE, WRENCH


@inline
def still_world(reals, work):
    """Body 0: at rest, accelerated against gravity, so that gravity needs no further mention."""
    world_pose(work)
    for k in range(3):
        st(work, OMEGA + k, 0.0)
        st(work, ALPHA + k, 0.0)
        st(work, ACC + k, -reals[0, PLACE + k])
    for k in range(6):
        st(work, DA + k, 0.0)
        st(work, WRENCH + k, 0.0)


@inline
def pulled(f_ext, i, n, f):
    """(n, f) less the external wrench on body i."""
    if f_ext is None:
        return n, f
    return sub(n, ld3(f_ext, 6 * i + 3)), sub(f, ld3(f_ext, 6 * i))


@inline
def bias(ints, reals, q, v, f_ext, work):
    """Pass 1: everything that does not depend on tau."""
    angles(ints, q, work)
    still_world(reals, work)
    for i in range(1, ints.shape[0]):
        w = i * NW
        R, arm, s = place(ints, reals, q, work, i)
        a = swing(ints, reals, v, work, i, arm, s)
        om, al = spin(ints, reals, v, work, i, R, s)
        m, h, I = rigid(reals, i, R)
        st_rigid(work, w, h, I)
        n, f = inertial_wrench(m, h, I, om, al, a)
        n, f = pulled(f_ext, i, n, f)
        st3(work, w + WRENCH, n)
        st3(work, w + WRENCH + 3, f)


@inline
def aba_passes(ints, reals, q, v, tau, f_ext, work, a):
    """The three passes."""
    nb = ints.shape[0]
    bias(ints, reals, q, v, f_ext, work)
    for i in range(nb - 1, 0, -1):
        inward(ints, reals, tau, work, i)
    for i in range(1, nb):
        outward(ints, reals, tau, work, i, a)


@inline
def one(handle, q, v, tau, f_ext, a):
    """Fill `a` (nv,) for one state; returns a status."""
    nb, nq, nv = sizes(handle)
    if q.shape[0] != nq or v.shape[0] != nv or tau.shape[0] != nv or a.shape[0] != nv:
        return BAD_SIZE
    if f_ext is not None and f_ext.shape[0] != 6 * nb:
        return BAD_SIZE
    ints, reals, work = opened(handle)
    aba_passes(ints, reals, borrow(q), borrow(v), borrow(tau), borrow(f_ext), work, borrow(a))
    return OK


@inline
def many(handle, q, v, tau, f_ext, a):
    """Fill `a` (batch, nv), LANES states at a time."""
    ints, reals, work, q4, v4, tau4, a4, f4 = opened_lanes(handle)
    for first in range(0, q.shape[0], LANES):
        pack(borrow(q), first, q4)
        pack(borrow(v), first, v4)
        pack(borrow(tau), first, tau4)
        if f_ext is None:
            aba_passes(ints, reals, q4, v4, tau4, None, work, a4)
        else:
            pack(borrow(f_ext), first, f4)
            aba_passes(ints, reals, q4, v4, tau4, f4, work, a4)
        unpack(a4, first, borrow(a))
    return OK


@entry("h D D D D")
def aba_one(handle, q, v, tau, a):
    """One state without external forces."""
    return one(handle, q, v, tau, None, a)


@entry("h D D D D D")
def aba_one_pushed(handle, q, v, tau, f_ext, a):
    """One state with external forces."""
    return one(handle, q, v, tau, f_ext, a)


@entry("h DD DD DD DD")
def aba_many(handle, q, v, tau, a):
    """A batch without external forces."""
    return many(handle, q, v, tau, None, a)


@entry("h DD DD DD DD DD")
def aba_many_pushed(handle, q, v, tau, f_ext, a):
    """A batch with external forces."""
    return many(handle, q, v, tau, f_ext, a)
