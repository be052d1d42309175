"""Forward dynamics by the articulated-body algorithm (Tazaki 2013, section 2.4): v' from q, v, tau and external forces,
in O(n).

    1 outward   pose, angular velocity, acceleration for v' = 0; rigid inertia and the wrench that motion needs
    2 inward    articulated inertias and bias wrenches (25), (26), gears (39), (40)
    3 outward   joint accelerations (22), (38) and what they add to the bodies (15)

Balls and free bases are here, joints with one axis in one_axis.py, gear groups in gear_group.py, those coupled by a
matrix in matrix_group.py; inertias stand as in inertia.py. Because `passes` already holds the accelerations for v' = 0, no C-hat appears.

`f_ext` is None or holds (fx fy fz nx ny nz) a body, flat, world axes, at the body's origin.
Checked in tests/dynamics/test_laws.py, test_pinocchio.py and test_mujoco.py.
"""

from __future__ import annotations

from bunraku.dynamics.batch import over
from bunraku.dynamics.gear_group import group_arm, group_force, inward_group, outward_group
from bunraku.dynamics.inertia import add_wrench, carried, ld_articulated, reach, shifted, solve_inertia, st_rigid
from bunraku.dynamics.matrix_group import inward_coupled, outward_coupled, pull_coupled
from bunraku.dynamics.one_axis import (
    axis,
    felt,
    has_one_axis,
    inward_screw,
    inward_single,
    is_simple,
    outward_screw,
    outward_single,
)
from bunraku.dynamics.passes import (
    angles,
    inertial_wrench,
    place,
    place_joint,
    rigid,
    spin,
    spin_joint,
    swing,
    swing_joint,
    world_pose,
)
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import (
    add,
    axpy,
    cross,
    ld3,
    ld6,
    ld9,
    mm,
    mt,
    mtv,
    mv,
    s_inverse,
    s_to_m,
    scale,
    st3,
    st6,
    sub,
    sv,
)
from bunraku.model.layout import (
    ACC,
    ALPHA,
    ARM,
    BALL,
    COUNT,
    DA,
    DINV,
    FREE,
    IV,
    KIND,
    LEAD,
    NW,
    OMEGA,
    PARENT,
    PLACE,
    RHS,
    ROT,
    ROTOR,
    SLIDE,
    SLOT,
    STARTS,
    WRENCH,
    U,
)


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
def settle(reals, f_ext, work, i, R, om, al, a):
    """Rigid inertia of body i, and the wrench that its motion needs for v' = 0."""
    w = i * NW
    m, h, I = rigid(reals, i, R)
    st_rigid(work, w, h, I)
    n, f = inertial_wrench(m, h, I, om, al, a)
    n, f = pulled(f_ext, i, n, f)
    st3(work, w + WRENCH, n)
    st3(work, w + WRENCH + 3, f)


@inline
def given3(tau, k):
    """tau[k:k+3], or nothing."""
    if tau is None:
        return (0.0, 0.0, 0.0)
    return ld3(tau, k)


@inline
def inward_ball(ints, reals, tau, work, i):
    """(22), (25), (26) for a ball: three turns about world axes, D = A + rotor."""
    w = i * NW
    p = ints[i, PARENT] * NW
    A, B, C = ld_articulated(ints, reals, work, i)
    n = ld3(work, w + WRENCH)
    f = ld3(work, w + WRENCH + 3)
    rotor = reals[i, ROTOR]
    D = s_inverse((A[0] + rotor, A[1], A[2], A[3] + rotor, A[4], A[5] + rotor))
    u = sub(mv(ld9(work, w + ROT), given3(tau, ints[i, IV])), n)
    st6(work, w + DINV, D)
    st3(work, w + RHS, u)
    Am = s_to_m(A)
    K = mm(Am, s_to_m(D))  # A D^-1
    KA = mm(K, Am)
    KB = mm(K, B)
    L = mm(mt(B), s_to_m(D))  # B' D^-1
    LB = mm(L, B)
    r = ld3(work, w + ARM)
    A2 = (A[0] - KA[0], A[1] - KA[1], A[2] - KA[2], A[3] - KA[4], A[4] - KA[5], A[5] - KA[8])
    B2 = (
        B[0] - KB[0],
        B[1] - KB[1],
        B[2] - KB[2],
        B[3] - KB[3],
        B[4] - KB[4],
        B[5] - KB[5],
        B[6] - KB[6],
        B[7] - KB[7],
        B[8] - KB[8],
    )
    C2 = (C[0] - LB[0], C[1] - LB[1], C[2] - LB[2], C[3] - LB[4], C[4] - LB[5], C[5] - LB[8])
    f = add(f, mv(L, u))
    n = add(add(n, mv(K, u)), cross(r, f))
    A3, B3, C3 = shifted(A2, B2, C2, r)
    reach(work, p, ints[i, STARTS], A3, B3, C3)
    add_wrench(work, p, n, f)


@inline
def inward(ints, reals, tau, work, i):
    """Fold body i (or the gear group that begins at i) into the body that carries it; a free base stays."""
    kind = ints[i, KIND]
    if ints[i, COUNT] > 1:
        inward_group(ints, reals, tau, work, i)
    elif ints[i, COUNT] == 1:
        if is_simple(kind):
            inward_single(ints, reals, tau, work, i)
        elif kind == BALL:
            inward_ball(ints, reals, tau, work, i)
        elif has_one_axis(kind):
            inward_screw(ints, reals, tau, work, i)


@inline
def outward_ball(ints, reals, work, i, a):
    """Angular acceleration of a ball joint, in body axes."""
    w = i * NW
    A, B, _ = ld_articulated(ints, reals, work, i)
    al, ac = carried(work, ints[i, PARENT] * NW, ld3(work, w + ARM))
    rhs = sub(sub(ld3(work, w + RHS), sv(A, al)), mv(B, ac))
    x = sv(ld6(work, w + DINV), rhs)
    st3(a, ints[i, IV], mtv(ld9(work, w + ROT), x))
    st3(work, w + DA, add(al, x))
    st3(work, w + DA + 3, ac)


@inline
def free_response(ints, reals, work, c, n, f):
    """(17): I_A^-1 (n, f) at a free base."""
    A, B, C = ld_articulated(ints, reals, work, c)
    m = reals[c, ROTOR]
    return solve_inertia(
        (A[0] + m, A[1], A[2], A[3] + m, A[4], A[5] + m), B, (C[0] + m, C[1], C[2], C[3] + m, C[4], C[5] + m), n, f
    )


@inline
def outward_free(ints, reals, tau, work, i, a):
    """A free base: the articulated inertia itself is inverted; its joint carries no wrench but tau."""
    w = i * NW
    k = ints[i, IV]
    R = ld9(work, w + ROT)
    n = sub(mv(R, ld3(tau, k + 3)), ld3(work, w + WRENCH))
    f = sub(ld3(tau, k), ld3(work, w + WRENCH + 3))
    al, ac = free_response(ints, reals, work, i, n, f)
    st3(a, k, ac)
    st3(a, k + 3, mtv(R, al))
    st3(work, w + DA, al)
    st3(work, w + DA + 3, ac)


@inline
def outward(ints, reals, tau, work, i, a):
    """Find the acceleration of joint i (or of the gear group that begins at i) and of what it carries."""
    kind = ints[i, KIND]
    if ints[i, COUNT] > 1:
        outward_group(ints, work, i, a)
    elif ints[i, COUNT] == 1:
        if is_simple(kind):
            outward_single(ints, work, i, a)
        elif kind == BALL:
            outward_ball(ints, reals, work, i, a)
        elif has_one_axis(kind):
            outward_screw(ints, reals, work, i, a)
        else:
            outward_free(ints, reals, tau, work, i, a)


@part
def inward_with_groups(ints, reals, tau, work):
    """Pass 2 where there are groups coupled by a matrix."""
    for i in range(ints.shape[0] - 1, 0, -1):
        if ints[i, SLOT] == 0:
            inward(ints, reals, tau, work, i)
        elif ints[i, COUNT] != 0:
            inward_coupled(ints, reals, tau, work, i)


@part
def aba_with_groups(ints, reals, q, v, tau, f_ext, work, a):
    """The three passes where there are groups coupled by a matrix."""
    angles(ints, q, work)
    still_world(reals, work)
    for i in range(1, ints.shape[0]):
        R, arm, s = place(ints, reals, q, work, i)
        ac = swing(ints, reals, v, work, i, arm, s)
        om, al = spin(ints, reals, v, work, i, R, s)
        settle(reals, f_ext, work, i, R, om, al, ac)
    inward_with_groups(ints, reals, tau, work)
    for i in range(1, ints.shape[0]):
        if ints[i, SLOT] == 0:
            outward(ints, reals, tau, work, i, a)
        elif ints[i, COUNT] != 0:
            outward_coupled(ints, work, i, a)


@inline
def aba_passes(ints, reals, q, v, tau, f_ext, work, a):
    """The three passes. (Groups coupled by a matrix have loops of their own: in these they would cost all others 6 %.)"""
    if ints[0, SLOT] != 0:
        aba_with_groups(ints, reals, q, v, tau, f_ext, work, a)
        return
    nb = ints.shape[0]
    angles(ints, q, work)
    still_world(reals, work)
    for i in range(1, nb):
        R, arm, s = place_joint(ints, reals, q, work, i)
        ac = swing_joint(ints, reals, v, work, i, arm, s)
        om, al = spin_joint(ints, reals, v, work, i, R, s)
        settle(reals, f_ext, work, i, R, om, al, ac)
    for i in range(nb - 1, 0, -1):
        inward(ints, reals, tau, work, i)
    for i in range(1, nb):
        outward(ints, reals, tau, work, i, a)


@inline
def pull_back(ints, reals, work, c, n, f):
    """T_c' (n, f): a wrench on c as felt at the origin of the body that carries its group."""
    w = c * NW
    kind = ints[c, KIND]
    lead = ints[c, LEAD]
    if kind == FREE:
        return scale(0.0, n), scale(0.0, f)
    if kind == BALL and ints[c, SLOT] == 0:
        A, B, _ = ld_articulated(ints, reals, work, c)
        x = sv(ld6(work, w + DINV), n)
        n = sub(n, sv(A, x))
        f = sub(f, mtv(B, x))
        return add(n, cross(ld3(work, w + ARM), f)), f
    if ints[lead, COUNT] == 1:
        s = axis(ints, work, c)
        y = ld(work, w + DINV) * felt(kind, reals[c, SLIDE], s, n, f)
        n = axpy(-y, ld3(work, w + U), n)
        f = axpy(-y, ld3(work, w + U + 3), f)
        return add(n, cross(ld3(work, w + ARM), f)), f
    if ints[c, SLOT] != 0:
        return pull_coupled(ints, work, c, n, f)
    y = ld(work, lead * NW + DINV) * group_force(work, c, n, f)
    r = group_arm(ints, work, c)
    n = axpy(-y, ld3(work, lead * NW + U), add(n, cross(r, f)))
    return n, axpy(-y, ld3(work, lead * NW + U + 3), f)


one, many = over(aba_passes)


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
