"""How bodies answer to impulses: the 6x6 blocks of H A^-1 H' between contact bodies, and the change of v that impulses cause.

After the inward pass of the articulated-body algorithm, a unit wrench on a body is carried towards the base once, six times a body
(002, section 2.8; performance: a backward pass only). At every joint it leaves a trace y = G'w, at a free base the wrench itself. Two bodies
respond to each other through the joints that both ways share:
    K6[a, b] = sum over shared joints y_a D^-1 y_b  +  w_a' I_A^-1 w_b at a shared free base.
All in world axes, wrench (n, f) and motion (al, a) at the bodies' own origins. Cost: a few tens of ns a joint of the way and body, then m^2.

`apply_impulses` gives the velocity change of the whole figure in O(n). Checked in tests/constraint/test_response.py.
"""

from __future__ import annotations

from bunraku.dynamics.articulated import axis, carried, group_arm, ld_articulated, solve_inertia
from bunraku.dynamics.delassus_kernel import group_force, pull_back
from bunraku.model.layout import (
    ARM,
    BALL,
    COUNT,
    DA,
    DINV,
    FREE,
    HINGE,
    IV,
    KIND,
    LEAD,
    NW,
    OUTER,
    RHS,
    ROT,
    ROTOR,
    SLIDER,
    WRENCH,
    G,
    U,
)
from bunraku.spatial.kernel import inline, part
from bunraku.spatial.lanes import ld, st
from bunraku.spatial.vec import add, axpy, cross, dot, ld3, ld6, ld9, mtv, mv, scale, st3, sub, sv

HOP = 18  # numbers a hop: six wrenches, up to three components each


@inline
def unit(k):
    """The k-th unit vector; zero for other k."""
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@inline
def free_inverse(ints, reals, work, i, n, f):
    """I_A^-1 (n, f) of a free base."""
    A, B, C = ld_articulated(ints, reals, work, i)
    m = reals[i, ROTOR]
    return solve_inertia(
        (A[0] + m, A[1], A[2], A[3] + m, A[4], A[5] + m), B, (C[0] + m, C[1], C[2], C[3] + m, C[4], C[5] + m), n, f
    )


@inline
def carry_on(ints, reals, work, c, n, f, j, k, hops, y, roots):
    """Carry wrench j from body c on to the base, hop k and further; returns the number of hops."""
    while c != 0:
        kind = ints[c, KIND]
        hops[k] = c
        if kind == FREE:
            al, a = free_inverse(ints, reals, work, c, n, f)
            for r in range(3):
                roots[j, r] = n[r]
                roots[j, 3 + r] = f[r]
                roots[j, 6 + r] = al[r]
                roots[j, 9 + r] = a[r]
            return k + 1
        if kind == BALL:
            for r in range(3):
                y[k, 6 * r + j] = n[r]
        elif ints[ints[c, LEAD], COUNT] > 1:
            y[k, j] = group_force(work, c, n, f)
        elif kind == HINGE:
            y[k, j] = dot(axis(ints, work, c), n)
        else:
            y[k, j] = dot(axis(ints, work, c), f)
        n, f = pull_back(ints, reals, work, c, n, f)
        c = ints[c, OUTER]
        k += 1
    return k


@part
def trace_way(ints, reals, work, body, hops, y, roots):
    """Carry six unit wrenches from `body` to the base. hops[k]: the k-th body on the way; y[k, 6 comp + j]: trace of wrench j;
    roots[j, 0:6], roots[j, 6:12]: wrench and its response at a free base. Returns the number of hops."""
    count = 0
    for j in range(6):
        count = carry_on(ints, reals, work, body, unit(j), unit(j - 3), j, 0, hops, y, roots)
    return count


@part
def trace_joint(ints, reals, work, lead, hops, y, roots):
    """The same for a unit torque on a hinge, slider or gear group, as wrench 0; the other five are nothing."""
    for k in range(hops.shape[0]):
        for j in range(HOP):
            y[k, j] = 0.0
    for j in range(6):
        for r in range(12):
            roots[j, r] = 0.0
    w = lead * NW
    hops[0] = lead
    y[0, 0] = 1.0
    d = ld(work, w + DINV)
    n = scale(-d, ld3(work, w + U))
    f = scale(-d, ld3(work, w + U + 3))
    if ints[lead, COUNT] == 1:
        n = add(n, cross(ld3(work, w + ARM), f))
    return carry_on(ints, reals, work, ints[lead, OUTER], n, f, 0, 1, hops, y, roots)


@part
def respond_blocks(ints, work, a, b, hops, lengths, y, roots, K6):
    """K6 (6x6, flat 36) between the a-th and b-th traced sources."""
    for k in range(36):
        K6[k] = 0.0
    i = lengths[a] - 1
    j = lengths[b] - 1
    while i >= 0 and j >= 0 and ints[hops[a, i], LEAD] == ints[hops[b, j], LEAD]:
        c = hops[a, i]
        lead = ints[c, LEAD]
        kind = ints[c, KIND]
        if kind == FREE:
            for p in range(6):
                for q in range(6):
                    x = 0.0
                    for r in range(6):
                        x += roots[a, p, r] * roots[b, q, 6 + r]
                    K6[6 * p + q] += x
        elif kind == BALL:
            D = ld6(work, c * NW + DINV)
            for q in range(6):
                d = sv(D, (y[b, j, q], y[b, j, 6 + q], y[b, j, 12 + q]))
                for p in range(6):
                    K6[6 * p + q] += y[a, i, p] * d[0] + y[a, i, 6 + p] * d[1] + y[a, i, 12 + p] * d[2]
        else:
            d1 = ld(work, lead * NW + DINV)
            for p in range(6):
                dy = d1 * y[a, i, p]
                for q in range(6):
                    K6[6 * p + q] += dy * y[b, j, q]
        i -= 1
        j -= 1


@inline
def clear_impulses(ints, work):
    """Forget all impulses."""
    for i in range(ints.shape[0]):
        for k in range(6):
            st(work, i * NW + WRENCH + k, 0.0)


@inline
def add_impulse(work, body, n, f):
    """Add an impulse (moment about the body's origin, force)."""
    w = body * NW + WRENCH
    st3(work, w, add(ld3(work, w), n))
    st3(work, w + 3, add(ld3(work, w + 3), f))


@part
def apply_impulses(ints, reals, work, torques, dv):
    """dv = A^-1 (H' times the impulses in the WRENCH slots, which are used up, plus `torques` (nv) on hinges, sliders and gears)."""
    nb = ints.shape[0]
    for i in range(nb - 1, 0, -1):
        if ints[i, COUNT] >= 1 and ints[i, KIND] != FREE:
            gather_group(ints, reals, work, i, torques)
    for k in range(6):
        st(work, DA + k, 0.0)
    for i in range(1, nb):
        if ints[i, COUNT] >= 1:
            spread_group(ints, reals, work, i, dv)


@inline
def gather_group(ints, reals, work, lead, torques):
    """The impulse on a joint or gear group, and what it leaves for the body that carries it."""
    w = lead * NW
    p = ints[lead, OUTER]
    kind = ints[lead, KIND]
    if kind == BALL:
        st3(work, w + RHS, ld3(work, w + WRENCH))
        n, f = pull_back(ints, reals, work, lead, ld3(work, w + WRENCH), ld3(work, w + WRENCH + 3))
        add_impulse(work, p, n, f)
        return
    if ints[lead, COUNT] == 1:
        n = ld3(work, w + WRENCH)
        f = ld3(work, w + WRENCH + 3)
        t = ld(torques, ints[lead, IV])
        st(work, w + RHS, t + dot(axis(ints, work, lead), n if kind == HINGE else f))
        n, f = pull_back(ints, reals, work, lead, n, f)
        add_impulse(work, p, n, f)
        reaction(ints, work, lead, t)
        return
    u = ld(torques, ints[lead, IV])
    reaction(ints, work, lead, u)
    for i in range(lead, lead + ints[lead, COUNT]):
        k = i * NW + WRENCH
        n = ld3(work, k)
        f = ld3(work, k + 3)
        u += group_force(work, i, n, f)
        n, f = pull_back(ints, reals, work, i, n, f)
        add_impulse(work, p, n, f)
    st(work, w + RHS, u)


@inline
def reaction(ints, work, lead, t):
    """What a torque t on a hinge, slider or gear group does to the body that carries it: -U D^-1 t."""
    if t == 0.0:
        return
    w = lead * NW
    d = -t * ld(work, w + DINV)
    n = scale(d, ld3(work, w + U))
    f = scale(d, ld3(work, w + U + 3))
    if ints[lead, COUNT] == 1:
        n = add(n, cross(ld3(work, w + ARM), f))
    add_impulse(work, ints[lead, OUTER], n, f)


@inline
def spread_group(ints, reals, work, lead, dv):
    """The rate that a joint or gear group gains, and the motion of its bodies."""
    w = lead * NW
    k = ints[lead, IV]
    kind = ints[lead, KIND]
    if kind == FREE:
        n = ld3(work, w + WRENCH)
        f = ld3(work, w + WRENCH + 3)
        al, a = free_inverse(ints, reals, work, lead, n, f)
        st3(dv, k, a)
        st3(dv, k + 3, mtv(ld9(work, w + ROT), al))
        st3(work, w + DA, al)
        st3(work, w + DA + 3, a)
        return
    if kind == BALL:
        A, B, _ = ld_articulated(ints, reals, work, lead)
        al, a = carried(work, ints[lead, OUTER] * NW, ld3(work, w + ARM))
        x = sv(ld6(work, w + DINV), sub(sub(ld3(work, w + RHS), sv(A, al)), mv(B, a)))
        st3(dv, k, mtv(ld9(work, w + ROT), x))
        st3(work, w + DA, add(al, x))
        st3(work, w + DA + 3, a)
        return
    if ints[lead, COUNT] == 1:
        al, a = carried(work, ints[lead, OUTER] * NW, ld3(work, w + ARM))
        x = ld(work, w + DINV) * (ld(work, w + RHS) - dot(ld3(work, w + U), al) - dot(ld3(work, w + U + 3), a))
        s = axis(ints, work, lead)
        st(dv, k, x)
        st3(work, w + DA, axpy(x, s, al) if kind == HINGE else al)
        st3(work, w + DA + 3, axpy(x, s, a) if kind == SLIDER else a)
        return
    p = ints[lead, OUTER] * NW
    al = ld3(work, p + DA)
    a = ld3(work, p + DA + 3)
    x = ld(work, w + DINV) * (ld(work, w + RHS) - dot(ld3(work, w + U), al) - dot(ld3(work, w + U + 3), a))
    st(dv, k, x)
    for i in range(lead, lead + ints[lead, COUNT]):
        m = i * NW
        st3(work, m + DA, axpy(x, ld3(work, m + G), al))
        st3(work, m + DA + 3, axpy(x, ld3(work, m + G + 3), add(a, cross(al, group_arm(ints, work, i)))))
