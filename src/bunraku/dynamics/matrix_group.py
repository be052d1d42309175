"""Groups of joints coupled by a matrix in the articulated-body algorithm: (36)-(40) of Tazaki 2013 for several rates.

With y the group's rates (those of its leaders), S_c the columns of member c per unit of them, p the one outer body:
    G_c = S_c + X_c,par G_par     D = sum G'I G + armatures     U = sum X_cp' I_c G_c     u = tau - sum G'Z
and D = L L'. What is kept is G L'^-1, U L'^-1 and L^-1 u, for which D is the identity: then each rate is folded,
pulled back and pushed out by itself, as a gear group with one rate (gear_group.py) and D = 1:
    (39) I_p += sum X'I X - U U'      T_c = X_cp - G_c U'      S_cd = G_c G_d'      y' = L'^-1 (u - U'A_p)
Scratch of a group with k rates, behind the columns (6 k) of its members: U (6 k), u (k), L (k k), y' (k). Checked in
tests/dynamics/test_matrix_gears.py.
"""

from __future__ import annotations

from bunraku.dynamics.composite import joint_column
from bunraku.dynamics.follower import rates_of, rotor_between
from bunraku.dynamics.gear_group import group_arm
from bunraku.dynamics.inertia import add_wrench, ld_articulated, ld_inertia, less_rank1, reach, shifted, st_inertia
from bunraku.dynamics.one_axis import given
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import ld, root, st
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, mtv, mv, scale, st3, sv
from bunraku.model.layout import (
    ARM,
    COUNT,
    COUPLED,
    DA,
    DOF,
    IA,
    IV,
    KIND,
    LEAD,
    NW,
    OUTER,
    PARENT,
    ROTOR,
    SLOT,
    STARTS,
    WRENCH,
)


@inline
def group_slots(ints, c):
    """(U, u, L, y'): where the numbers of the group of member c begin."""
    lead = ints[c, LEAD]
    k = rates_of(ints, c)
    at = ints[lead, SLOT] + 6 * k * ints[lead, COUNT]
    return at, at + 6 * k, at + 7 * k, at + 7 * k + k * k


@inline
def member_column(ints, reals, work, i, j):
    """S_c of member i for rate j, at its origin: a leader moves with its own rates only."""
    if ints[i, KIND] >= COUPLED:
        return joint_column(ints, reals, work, i, j)
    k = ints[ints[i, LEAD], IV] + j - ints[i, IV]
    if k >= 0 and k < ints[i, DOF]:
        return joint_column(ints, reals, work, i, k)
    sa, sl = joint_column(ints, reals, work, i, 0)
    return scale(0.0, sa), scale(0.0, sl)


@inline
def member_rotor(ints, reals, i, j, k):
    """What member i's armature adds to D between rates j and k."""
    if ints[i, KIND] >= COUPLED:
        return rotor_between(ints, reals, i, j, k)
    own = ints[ints[i, LEAD], IV] + j - ints[i, IV]
    return reals[i, ROTOR] if j == k and own >= 0 and own < ints[i, DOF] else 0.0


@part
def fold_member(ints, reals, work, i):
    """Columns G of member i, and its part in D, U, u and in what reaches the outer body."""
    lead = ints[i, LEAD]
    p = ints[i, PARENT]
    out = ints[i, OUTER] * NW
    at = ints[i, SLOT]
    atU, atu, atD, _ = group_slots(ints, i)
    rates = rates_of(ints, i)
    A, B, C = ld_articulated(ints, reals, work, i)
    n = ld3(work, i * NW + WRENCH)
    f = ld3(work, i * NW + WRENCH + 3)
    r = group_arm(ints, work, i)
    for j in range(rates):
        ga, gl = member_column(ints, reals, work, i, j)
        if p >= lead:
            pa = ld3(work, ints[p, SLOT] + 6 * j)
            pl = ld3(work, ints[p, SLOT] + 6 * j + 3)
            ga = add(ga, pa)
            gl = add(gl, add(pl, cross(pa, ld3(work, i * NW + ARM))))
        st3(work, at + 6 * j, ga)
        st3(work, at + 6 * j + 3, gl)
        xn = add(sv(A, ga), mv(B, gl))
        xf = add(mtv(B, ga), sv(C, gl))
        for k in range(j + 1):
            d = dot(ld3(work, at + 6 * k), xn) + dot(ld3(work, at + 6 * k + 3), xf)
            m = atD + rates * j + k
            st(work, m, ld(work, m) + d + member_rotor(ints, reals, i, j, k))
        st(work, atu + j, ld(work, atu + j) - dot(ga, n) - dot(gl, f))
        m = atU + 6 * j
        st3(work, m, add(ld3(work, m), add(xn, cross(r, xf))))
        st3(work, m + 3, add(ld3(work, m + 3), xf))
    A, B, C = shifted(A, B, C, r)
    reach(work, out, ints[i, STARTS], A, B, C)
    add_wrench(work, out, add(n, cross(r, f)), f)


@inline
def factor_rates(work, at, rates):
    """L of D = L L' in place, in the lower triangle."""
    for j in range(rates):
        for k in range(j + 1):
            x = ld(work, at + rates * j + k)
            for l in range(k):
                x = x - ld(work, at + rates * j + l) * ld(work, at + rates * k + l)
            st(work, at + rates * j + k, root(x) if j == k else x / ld(work, at + rates * k + k))


@inline
def undo_factor(work, atD, rates, at, width):
    """Columns x of `width` numbers each, one a rate, become those of x L'^-1."""
    for j in range(rates):
        d = 1.0 / ld(work, atD + rates * j + j)
        for r in range(width):
            x = ld(work, at + width * j + r)
            for k in range(j):
                x = x - ld(work, atD + rates * j + k) * ld(work, at + width * k + r)
            st(work, at + width * j + r, d * x)


@part
def inward_coupled(ints, reals, tau, work, lead):
    """(38)-(40): fold all members into the one body that carries them."""
    rates = rates_of(ints, lead)
    atU, atu, atD, end = group_slots(ints, lead)
    for k in range(atU, end):
        st(work, k, 0.0)
    for j in range(rates):
        st(work, atu + j, given(tau, ints[lead, IV] + j))
    for i in range(lead, lead + ints[lead, COUNT]):
        fold_member(ints, reals, work, i)
    factor_rates(work, atD, rates)
    undo_factor(work, atD, rates, atU, 6)
    undo_factor(work, atD, rates, atu, 1)
    for i in range(lead, lead + ints[lead, COUNT]):
        undo_factor(work, atD, rates, ints[i, SLOT], 6)
    p = ints[lead, OUTER] * NW
    A, B, C = ld_inertia(work, p + IA)
    for j in range(rates):
        n = ld3(work, atU + 6 * j)
        f = ld3(work, atU + 6 * j + 3)
        A, B, C = less_rank1(A, B, C, n, f, 1.0)
        u = ld(work, atu + j)
        add_wrench(work, p, scale(u, n), scale(u, f))
    st_inertia(work, p + IA, A, B, C)


@part
def outward_coupled(ints, work, lead, a):
    """(38), (36): the accelerations of the group's rates, and those of its members."""
    rates = rates_of(ints, lead)
    atU, atu, atD, aty = group_slots(ints, lead)
    p = ints[lead, OUTER] * NW
    al = ld3(work, p + DA)
    ac = ld3(work, p + DA + 3)
    for j in range(rates):
        felt = dot(ld3(work, atU + 6 * j), al) + dot(ld3(work, atU + 6 * j + 3), ac)
        st(work, aty + j, ld(work, atu + j) - felt)
    for i in range(lead, lead + ints[lead, COUNT]):
        turning = al
        moving = add(ac, cross(al, group_arm(ints, work, i)))
        for j in range(rates):
            y = ld(work, aty + j)
            turning = axpy(y, ld3(work, ints[i, SLOT] + 6 * j), turning)
            moving = axpy(y, ld3(work, ints[i, SLOT] + 6 * j + 3), moving)
        st3(work, i * NW + DA, turning)
        st3(work, i * NW + DA + 3, moving)
    for j in range(rates - 1, -1, -1):
        y = ld(work, aty + j)
        for k in range(j + 1, rates):
            y = y - ld(work, atD + rates * k + j) * ld(work, aty + k)
        y = y / ld(work, atD + rates * j + j)
        st(work, aty + j, y)
        st(a, ints[lead, IV] + j, y)


@inline
def coupled_force(ints, work, c, j, n, f):
    """G_c' (n, f) of rate j."""
    k = ints[c, SLOT] + 6 * j
    return dot(ld3(work, k), n) + dot(ld3(work, k + 3), f)


@inline
def pull_coupled(ints, work, c, n, f):
    """T_c' (n, f): a wrench on c as felt at the origin of the body that carries its group."""
    at, _, _, _ = group_slots(ints, c)
    pn = add(n, cross(group_arm(ints, work, c), f))
    pf = f
    for j in range(rates_of(ints, c)):
        y = coupled_force(ints, work, c, j, n, f)
        pn = axpy(-y, ld3(work, at + 6 * j), pn)
        pf = axpy(-y, ld3(work, at + 6 * j + 3), pf)
    return pn, pf


@inline
def push_coupled(ints, work, c, n, f, al, a):
    """T_c (al, a) + S_cc (n, f)."""
    at, _, _, _ = group_slots(ints, c)
    k = ints[c, SLOT]
    turning = al
    moving = add(a, cross(al, group_arm(ints, work, c)))
    for j in range(rates_of(ints, c)):
        y = coupled_force(ints, work, c, j, n, f) - dot(ld3(work, at + 6 * j), al) - dot(ld3(work, at + 6 * j + 3), a)
        turning = axpy(y, ld3(work, k + 6 * j), turning)
        moving = axpy(y, ld3(work, k + 6 * j + 3), moving)
    return turning, moving
