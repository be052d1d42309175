"""Forward dynamics by the articulated-body algorithm (002, section 2.4): v' from q, v, tau and external forces, in O(n).

    1 outward   pose, angular velocity, acceleration for v' = 0; rigid inertia and the wrench that motion needs
    2 inward    articulated inertias and bias wrenches (25), (26), gears (39), (40)
    3 outward   joint accelerations (22), (38) and what they add to the bodies (15)

`f_ext` holds a row (fx fy fz nx ny nz) a body, world axes, at the body's origin; a length of zero means none. With lanes it is
(nb * 6, LANES) like every other array. Checked in tests/dynamics/test_aba.py.
"""

from __future__ import annotations

from bunraku.dynamics.articulated import inward, outward, st_rigid
from bunraku.dynamics.passes import angles, inertial_wrench, place, rigid, spin, swing, world_pose
from bunraku.model.layout import ACC, ALPHA, DA, IA, NW, OMEGA, PLACE, WRENCH
from bunraku.spatial.kernel import inline, kernel
from bunraku.spatial.lanes import borrow, st
from bunraku.spatial.vec import ld3, st3, sub


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
    for k in range(21):
        st(work, IA + k, 0.0)


@inline
def pulled(f_ext, i, n, f):
    """(n, f) less the external wrench on body i."""
    if f_ext.shape[0] == 0:
        return n, f
    return sub(n, ld3(f_ext, 6 * i + 3)), sub(f, ld3(f_ext, 6 * i))


@inline
def bias(ints, reals, q, v, f_ext, work):
    """Pass 1: everything that does not depend on tau."""
    angles(ints, q, work)
    still_world(reals, work)
    for i in range(1, ints.shape[0]):
        w = i * NW
        R, arm = place(ints, reals, q, work, i)
        a = swing(ints, reals, v, work, i, R, arm)
        om, al = spin(ints, reals, v, work, i, R)
        m, h, I = rigid(reals, i, R)
        st_rigid(work, w + IA, m, h, I)
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


@kernel
def aba_kernel(ints, reals, q, v, tau, f_ext, work, a):
    """Fill `a` (nv,) for one state, or (nv, LANES) for four."""
    aba_passes(
        borrow(ints), borrow(reals), borrow(q), borrow(v), borrow(tau), borrow(f_ext), borrow(work), borrow(a)
    )
