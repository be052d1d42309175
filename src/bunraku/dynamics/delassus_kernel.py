"""Inverse inertia between points of a tree: K = J M^-1 J' by the recursion of Tazaki 2013, section 2.8, in O(n m +
m^2).

With Lambda = -Theta (positive), T and S per joint or gear group (outer body p, member c):
    T_c = X_cp - G_c D^-1 U'          S_cd = G_c D^-1 G_d'          Lambda_c = T_c Lambda_p T_c' + S_cc
    world: Lambda = 0;  free base: Lambda = I_A^-1
A row's wrench w on body i is carried to every body below it, w_p = T_c' w_c. Two rows meet in one body a, or in one
gear group through members a and b:
    K_ij = w_i(a)' Lambda_a w_j(a)    or    w_i(p)' Lambda_p w_j(p) + (G_a'w_i(a)) D^-1 (G_b'w_j(b)).
Checked in tests/dynamics/test_laws.py, test_gears.py and test_matrix_gears.py.
"""

from __future__ import annotations

from bunraku.dynamics.aba_kernel import free_response, inward, inward_with_groups, pull_back
from bunraku.dynamics.arguments import OK
from bunraku.dynamics.follower import rates_of
from bunraku.dynamics.gear_group import group_arm, group_force
from bunraku.dynamics.inertia import ld_articulated, st_rigid
from bunraku.dynamics.matrix_group import coupled_force, push_coupled
from bunraku.dynamics.one_axis import axis, felt, moved
from bunraku.dynamics.passes import angles, place, rigid, world_pose
from bunraku.dynamics.work import opened
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow, ld, st
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, ld6, mv, scale, sub, sv
from bunraku.model.layout import ARM, BALL, COUNT, DINV, FREE, KIND, LEAD, NW, OUTER, SLIDE, SLOT, WRENCH, G, U


@inline
def factor(ints, reals, q, work):
    """Articulated inertias, U and D^-1 of every joint: the part of the articulated-body algorithm that depends on q
    alone."""
    nb = ints.shape[0]
    angles(ints, q, work)
    world_pose(work)
    for i in range(1, nb):
        R, _, _ = place(ints, reals, q, work, i)
        _, h, I = rigid(reals, i, R)
        st_rigid(work, i * NW, h, I)
        for k in range(6):
            st(work, i * NW + WRENCH + k, 0.0)
    if ints[0, SLOT] != 0:
        inward_with_groups(ints, reals, None, work)
        return
    for i in range(nb - 1, 0, -1):
        inward(ints, reals, None, work, i)


@inline
def respond(lam, c, n, f):
    """(al, a) = Lambda_c (n, f): the acceleration of body c for a wrench on itself, with all of Lambda's recursion
    done.

    Lambda_c (6x6) stands in lam[c]."""
    x = (n[0], n[1], n[2], f[0], f[1], f[2])
    y0 = 0.0
    y1 = 0.0
    y2 = 0.0
    y3 = 0.0
    y4 = 0.0
    y5 = 0.0
    for k in range(6):
        y0 += lam[c, 0, k] * x[k]
        y1 += lam[c, 1, k] * x[k]
        y2 += lam[c, 2, k] * x[k]
        y3 += lam[c, 3, k] * x[k]
        y4 += lam[c, 4, k] * x[k]
        y5 += lam[c, 5, k] * x[k]
    return (y0, y1, y2), (y3, y4, y5)


@inline
def push_out(ints, reals, work, c, n, f, al, a):
    """T_c (al, a) + S_cc (n, f): the acceleration of c, from that of its outer body and from the wrench on c itself."""
    w = c * NW
    kind = ints[c, KIND]
    lead = ints[c, LEAD]
    if kind == BALL and ints[c, SLOT] == 0:
        A, B, _ = ld_articulated(ints, reals, work, c)
        a = add(a, cross(al, ld3(work, w + ARM)))
        x = sv(ld6(work, w + DINV), sub(n, add(sv(A, al), mv(B, a))))
        return add(al, x), a
    if ints[lead, COUNT] == 1:
        a = add(a, cross(al, ld3(work, w + ARM)))
        s = axis(ints, work, c)
        y = felt(kind, reals[c, SLIDE], s, n, f)
        y = ld(work, w + DINV) * (y - dot(ld3(work, w + U), al) - dot(ld3(work, w + U + 3), a))
        return moved(kind, reals[c, SLIDE], scale(y, s), 1.0, al, a)
    if ints[c, SLOT] != 0:
        return push_coupled(ints, work, c, n, f, al, a)
    y = group_force(work, c, n, f) - dot(ld3(work, lead * NW + U), al) - dot(ld3(work, lead * NW + U + 3), a)
    y = ld(work, lead * NW + DINV) * y
    a = add(a, cross(al, group_arm(ints, work, c)))
    return axpy(y, ld3(work, c * NW + G), al), axpy(y, ld3(work, c * NW + G + 3), a)


@inline
def lambdas(ints, reals, work, needed, lam):
    """Lambda of every needed body, parents first, column by column: a unit wrench pulled back, answered below, pushed
    out."""
    for c in range(1, ints.shape[0]):
        if needed[c] == 0:
            continue
        for k in range(6):
            n = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            f = (1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0)
            if ints[c, KIND] == FREE:
                al, a = free_response(ints, reals, work, c, n, f)
            else:
                p = ints[c, OUTER]
                pn, pf = pull_back(ints, reals, work, c, n, f)
                al, a = respond(lam, p, pn, pf)
                al, a = push_out(ints, reals, work, c, n, f, al, a)
            for r in range(3):
                lam[c, r, k] = al[r]
                lam[c, 3 + r, k] = a[r]


@entry("h D I DD I I DDD DDD II DD")
def delassus_one(handle, q, bodies, wrench, row_body, needed, lam, carried, meet, K):
    """Fill K (m, m). bodies (k): the distinct bodies; row_body (m): which of them a row acts on; wrench (m, 6): (n, f)
    at the body's origin.

    Scratch: needed (nb), lam (nb, 6, 6), carried (m, nb, 6), meet (k * k, 2).
    """
    ints, reals, work = opened(handle)
    factor(ints, reals, borrow(q), work)
    for c in range(ints.shape[0]):
        needed[c] = 0
        for r in range(6):
            for k in range(6):
                lam[c, r, k] = 0.0
    for j in range(bodies.shape[0]):
        c = bodies[j]
        while c != 0 and needed[c] == 0:
            needed[c] = 1
            c = ints[c, OUTER]
    lambdas(ints, reals, work, needed, lam)
    meetings(ints, bodies, meet)
    for i in range(wrench.shape[0]):
        c = bodies[row_body[i]]
        n = (wrench[i, 0], wrench[i, 1], wrench[i, 2])
        f = (wrench[i, 3], wrench[i, 4], wrench[i, 5])
        while c != 0:
            for r in range(3):
                carried[i, c, r] = n[r]
                carried[i, c, 3 + r] = f[r]
            n, f = pull_back(ints, reals, work, c, n, f)
            c = ints[c, OUTER]
    nk = bodies.shape[0]
    for i in range(wrench.shape[0]):
        for j in range(i + 1):
            pair = row_body[i] * nk + row_body[j]
            x = respond_between(ints, work, lam, carried, i, j, meet[pair, 0], meet[pair, 1])
            K[i, j] = x
            K[j, i] = x
    return OK


@inline
def meetings(ints, bodies, meet):
    """For each pair of bodies: the members (a, b) through which their ways to the base first share a group; (0, 0) if
    never."""
    nk = bodies.shape[0]
    for i in range(nk):
        for j in range(nk):
            a = bodies[i]
            b = bodies[j]
            while ints[a, LEAD] != ints[b, LEAD]:
                if ints[a, LEAD] > ints[b, LEAD]:
                    a = ints[a, OUTER]
                else:
                    b = ints[b, OUTER]
            meet[i * nk + j, 0] = a
            meet[i * nk + j, 1] = b


@inline
def six(carried, i, c):
    """(n, f) of row i at body c."""
    return (carried[i, c, 0], carried[i, c, 1], carried[i, c, 2]), (
        carried[i, c, 3],
        carried[i, c, 4],
        carried[i, c, 5],
    )


@inline
def respond_between(ints, work, lam, carried, i, j, a, b):
    """K_ij for rows that meet in members a and b of one group."""
    if a == 0 or b == 0:
        return 0.0
    if a == b:
        n, f = six(carried, j, a)
        al, ac = respond(lam, a, n, f)
        n, f = six(carried, i, a)
        return dot(n, al) + dot(f, ac)
    p = ints[a, OUTER]
    na, fa = six(carried, i, a)
    nb, fb = six(carried, j, b)
    if ints[a, SLOT] == 0:
        x = group_force(work, a, na, fa) * ld(work, ints[a, LEAD] * NW + DINV) * group_force(work, b, nb, fb)
    else:
        x = 0.0
        for k in range(rates_of(ints, a)):
            x += coupled_force(ints, work, a, k, na, fa) * coupled_force(ints, work, b, k, nb, fb)
    if p == 0:
        return x
    n, f = six(carried, j, p)
    al, ac = respond(lam, p, n, f)
    n, f = six(carried, i, p)
    return x + dot(n, al) + dot(f, ac)
