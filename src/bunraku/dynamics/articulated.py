"""The blocks of the inward and outward passes of the articulated-body algorithm: balls, free bases and gears.

Joints with one axis are in one_axis.py; inertias stand as in inertia.py. Sources: Tazaki 2013, eqs (22), (25), (26) for
joints, (36)-(40) for gear groups (a serial gear is treated as a parallel one with G_c = g_c J_c + X_c,par G_par).
Because `passes` already holds the accelerations for v' = 0, no C-hat appears.
"""

from __future__ import annotations

from bunraku.dynamics.inertia import (
    add_wrench,
    carried,
    ld_articulated,
    ld_inertia,
    less_rank1,
    reach,
    shifted,
    solve_inertia,
    st_inertia,
)
from bunraku.dynamics.one_axis import (
    axis,
    column,
    given,
    has_one_axis,
    inward_screw,
    inward_single,
    is_simple,
    outward_screw,
    outward_single,
)
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import (
    add,
    axpy,
    cross,
    dot,
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
    ARM,
    BALL,
    COUNT,
    DA,
    DINV,
    IA,
    IV,
    KIND,
    LEAD,
    NW,
    OUTER,
    PARENT,
    POS,
    RATIO,
    RHS,
    ROT,
    ROTOR,
    SLIDE,
    STARTS,
    WRENCH,
    G,
    U,
)


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
def outward_free(ints, reals, tau, work, i, a):
    """(17) at a free base: the articulated inertia itself is inverted; its joint carries no wrench but tau."""
    w = i * NW
    k = ints[i, IV]
    A, B, C = ld_articulated(ints, reals, work, i)
    rotor = reals[i, ROTOR]
    R = ld9(work, w + ROT)
    n = sub(mv(R, ld3(tau, k + 3)), ld3(work, w + WRENCH))
    f = sub(ld3(tau, k), ld3(work, w + WRENCH + 3))
    al, ac = solve_inertia(
        (A[0] + rotor, A[1], A[2], A[3] + rotor, A[4], A[5] + rotor),
        B,
        (C[0] + rotor, C[1], C[2], C[3] + rotor, C[4], C[5] + rotor),
        n,
        f,
    )
    st3(a, k, ac)
    st3(a, k + 3, mtv(R, al))
    st3(work, w + DA, al)
    st3(work, w + DA + 3, ac)


@inline
def group_motion(ints, reals, work, i):
    """G_c = g_c J_c + X_c,par G_par of one member (parents first); stored and returned as (angular, linear)."""
    w = i * NW
    p = ints[i, PARENT]
    s = scale(reals[i, RATIO], axis(ints, work, i))
    ga, gl = column(ints[i, KIND], reals[i, SLIDE], s, scale(0.0, s))
    if p >= ints[i, LEAD]:
        pa = ld3(work, p * NW + G)
        ga = add(ga, pa)
        gl = add(gl, add(ld3(work, p * NW + G + 3), cross(pa, ld3(work, w + ARM))))
    st3(work, w + G, ga)
    st3(work, w + G + 3, gl)
    return ga, gl


@inline
def group_arm(ints, work, i):
    """From the outer body's origin to that of member i."""
    return sub(ld3(work, i * NW + POS), ld3(work, ints[i, OUTER] * NW + POS))


@inline
def inward_group(ints, reals, tau, work, lead):
    """(38)-(40): fold all members of a gear group into the one body that carries them."""
    w = lead * NW
    p = ints[lead, OUTER] * NW
    zero = scale(0.0, axis(ints, work, lead))
    Un = zero
    Uf = zero
    D = zero[0]
    u = given(tau, ints[lead, IV]) + zero[0]
    for i in range(lead, lead + ints[lead, COUNT]):
        k = i * NW
        ga, gl = group_motion(ints, reals, work, i)
        A, B, C = ld_articulated(ints, reals, work, i)
        n = ld3(work, k + WRENCH)
        f = ld3(work, k + WRENCH + 3)
        xn = add(sv(A, ga), mv(B, gl))
        xf = add(mtv(B, ga), sv(C, gl))
        D = D + dot(ga, xn) + dot(gl, xf) + reals[i, RATIO] * reals[i, RATIO] * reals[i, ROTOR]
        u = u - dot(ga, n) - dot(gl, f)
        r = group_arm(ints, work, i)
        Un = add(Un, add(xn, cross(r, xf)))
        Uf = add(Uf, xf)
        A, B, C = shifted(A, B, C, r)
        reach(work, p, ints[i, STARTS], A, B, C)
        add_wrench(work, p, add(n, cross(r, f)), f)
    d = 1.0 / D
    st3(work, w + U, Un)
    st3(work, w + U + 3, Uf)
    st(work, w + DINV, d)
    st(work, w + RHS, u)
    A, B, C = ld_inertia(work, p + IA)
    A, B, C = less_rank1(A, B, C, Un, Uf, d)
    st_inertia(work, p + IA, A, B, C)
    add_wrench(work, p, scale(d * u, Un), scale(d * u, Uf))


@inline
def outward_group(ints, work, lead, a):
    """(38), (36): the group's acceleration and that of its members."""
    w = lead * NW
    p = ints[lead, OUTER] * NW
    al = ld3(work, p + DA)
    ac = ld3(work, p + DA + 3)
    qdd = ld(work, w + DINV) * (ld(work, w + RHS) - dot(ld3(work, w + U), al) - dot(ld3(work, w + U + 3), ac))
    st(a, ints[lead, IV], qdd)
    for i in range(lead, lead + ints[lead, COUNT]):
        k = i * NW
        st3(work, k + DA, axpy(qdd, ld3(work, k + G), al))
        st3(work, k + DA + 3, axpy(qdd, ld3(work, k + G + 3), add(ac, cross(al, group_arm(ints, work, i)))))


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
