"""Gear groups in the articulated-body algorithm: joints that share one coordinate, folded into the body that carries
them.

Source: Tazaki 2013, eqs (36)-(40); a serial gear is treated as a parallel one with G_c = g_c J_c + X_c,par G_par. Other
joints: aba_kernel.py, one_axis.py. Checked in tests/dynamics/test_laws.py and test_gears.py.
"""

from __future__ import annotations

from bunraku.dynamics.inertia import add_wrench, ld_articulated, ld_inertia, less_rank1, reach, shifted, st_inertia
from bunraku.dynamics.one_axis import axis, column, given
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, mtv, mv, scale, st3, sub, sv
from bunraku.model.layout import (
    ARM,
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
    ROTOR,
    SLIDE,
    STARTS,
    WRENCH,
    G,
    U,
)


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
def group_force(work, c, n, f):
    """G_c' (n, f)."""
    return dot(ld3(work, c * NW + G), n) + dot(ld3(work, c * NW + G + 3), f)


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
