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
from bunraku.spatial.lanes import join, ld, st, wide_ld, wide_st
from bunraku.spatial.vec import add, axpy, cross, dot, ld3, ld6, ld9, mtv, mv, scale, st3, sub, sv

GROUP = 4  # numbers of a group of three wrenches: the three moments, then the three forces, each with one spare
HOP = 6 * GROUP  # numbers a hop: two groups, up to three components each
BASE = 24 * GROUP  # numbers at a free base: two groups, wrench (6) and response (6)
SQUARE = 12 * GROUP  # numbers of a 6x6 block: six rows of two groups


@inline
def entry_of(i, j):
    """Where entry (i, j) of a 6x6 block stands."""
    return 2 * GROUP * i + GROUP * (j // 3) + j % 3


@inline
def free_inverse(ints, reals, work, i, n, f):
    """I_A^-1 (n, f) of a free base."""
    A, B, C = ld_articulated(ints, reals, work, i)
    m = reals[i, ROTOR]
    return solve_inertia(
        (A[0] + m, A[1], A[2], A[3] + m, A[4], A[5] + m), B, (C[0] + m, C[1], C[2], C[3] + m, C[4], C[5] + m), n, f
    )


@inline
def carry_on(ints, reals, work, c, n, f, g, k, hops, y, roots):
    """Carry a group of wrenches, one a lane, from body c on to the base, hop k and further; returns the number of hops."""
    while c != 0:
        kind = ints[c, KIND]
        hops[k] = c
        if kind == FREE:
            al, a = free_inverse(ints, reals, work, c, n, f)
            for r in range(3):
                wide_st(roots, GROUP * (12 * g + r), n[r])
                wide_st(roots, GROUP * (12 * g + 3 + r), f[r])
                wide_st(roots, GROUP * (12 * g + 6 + r), al[r])
                wide_st(roots, GROUP * (12 * g + 9 + r), a[r])
            return k + 1
        at = HOP * k + GROUP * g
        if kind == BALL:
            for r in range(3):
                wide_st(y, at + 2 * GROUP * r, n[r])
        elif ints[ints[c, LEAD], COUNT] > 1:
            wide_st(y, at, group_force(work, c, n, f))
        elif kind == HINGE:
            wide_st(y, at, dot(axis(ints, work, c), n))
        else:
            wide_st(y, at, dot(axis(ints, work, c), f))
        n, f = pull_back(ints, reals, work, c, n, f)
        c = ints[c, OUTER]
        k += 1
    return k


@part
def trace_way(ints, reals, work, body, hops, y, roots):
    """Carry six unit wrenches from `body` to the base, in two groups. hops[k]: the k-th body on the way; y, roots: their traces at hop k
    and at a free
    base. Returns the number of hops."""
    none = join(0.0, 0.0, 0.0, 0.0)
    one = (join(1.0, 0.0, 0.0, 0.0), join(0.0, 1.0, 0.0, 0.0), join(0.0, 0.0, 1.0, 0.0))
    zero = (none, none, none)
    carry_on(ints, reals, work, body, one, zero, 0, 0, hops, y, roots)
    return carry_on(ints, reals, work, body, zero, one, 1, 0, hops, y, roots)


@part
def trace_joint(ints, reals, work, lead, hops, y, roots):
    """The same for a unit torque on a hinge, slider or gear group, as wrench 0; the other five are nothing."""
    for k in range(y.shape[0]):
        y[k] = 0.0
    for k in range(BASE):
        roots[k] = 0.0
    w = lead * NW
    hops[0] = lead
    y[0] = 1.0
    d = ld(work, w + DINV)
    n = scale(-d, ld3(work, w + U))
    f = scale(-d, ld3(work, w + U + 3))
    if ints[lead, COUNT] == 1:
        n = add(n, cross(ld3(work, w + ARM), f))
    first = join(1.0, 0.0, 0.0, 0.0)
    return carry_on(ints, reals, work, ints[lead, OUTER], scale(first, n), scale(first, f), 0, 1, hops, y, roots)


@inline
def shared_hops(ints, a, b, hops, lengths):
    """How many hops the ways of sources a and b share, from the base on."""
    i = lengths[a] - 1
    j = lengths[b] - 1
    n = 0
    while i >= 0 and j >= 0 and ints[hops[a, i], LEAD] == ints[hops[b, j], LEAD]:
        i -= 1
        j -= 1
        n += 1
    return n


@part
def respond_blocks(ints, work, a, b, hops, lengths, y, roots, pool, out, mirror):
    """The 6x6 block between the a-th and b-th traced sources into pool[out:], SQUARE numbers, and its transpose, between b and a, into
    pool[mirror:]."""
    for k in range(SQUARE):
        pool[out + k] = 0.0
    shared = shared_hops(ints, a, b, hops, lengths)
    ya = y[a]
    yb = y[b]
    for s in range(1, shared + 1):
        i = lengths[a] - s
        j = lengths[b] - s
        c = hops[a, i]
        kind = ints[c, KIND]
        at = HOP * i
        bt = HOP * j
        if kind == FREE:
            ra = roots[a]
            rb = roots[b]
            for p in range(6):
                x = wide_ld(pool, out + 2 * GROUP * p)
                z = wide_ld(pool, out + 2 * GROUP * p + GROUP)
                for r in range(6):
                    t = ra[GROUP * (12 * (p // 3) + r) + p % 3]
                    x = x + t * wide_ld(rb, GROUP * (6 + r))
                    z = z + t * wide_ld(rb, GROUP * (18 + r))
                wide_st(pool, out + 2 * GROUP * p, x)
                wide_st(pool, out + 2 * GROUP * p + GROUP, z)
        elif kind == BALL:
            D = ld6(work, c * NW + DINV)
            u = sv(D, (wide_ld(yb, bt), wide_ld(yb, bt + 2 * GROUP), wide_ld(yb, bt + 4 * GROUP)))
            v = sv(D, (wide_ld(yb, bt + GROUP), wide_ld(yb, bt + 3 * GROUP), wide_ld(yb, bt + 5 * GROUP)))
            for p in range(6):
                x = wide_ld(pool, out + 2 * GROUP * p)
                z = wide_ld(pool, out + 2 * GROUP * p + GROUP)
                for r in range(3):
                    t = ya[at + 2 * GROUP * r + GROUP * (p // 3) + p % 3]
                    x = x + t * u[r]
                    z = z + t * v[r]
                wide_st(pool, out + 2 * GROUP * p, x)
                wide_st(pool, out + 2 * GROUP * p + GROUP, z)
        else:
            d1 = ld(work, ints[c, LEAD] * NW + DINV)
            u1 = d1 * wide_ld(yb, bt)
            v1 = d1 * wide_ld(yb, bt + GROUP)
            for p in range(6):
                t = ya[at + GROUP * (p // 3) + p % 3]
                wide_st(pool, out + 2 * GROUP * p, wide_ld(pool, out + 2 * GROUP * p) + t * u1)
                wide_st(pool, out + 2 * GROUP * p + GROUP, wide_ld(pool, out + 2 * GROUP * p + GROUP) + t * v1)
    for p in range(6):
        for q in range(6):
            pool[mirror + entry_of(q, p)] = pool[out + entry_of(p, q)]


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
        if idle(n, f) and t == 0.0:  # most limbs of a figure, most of the time
            st(work, w + RHS, 0.0)
            return
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
def idle(n, f):
    """Whether a wrench is nothing at all."""
    return n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0 and f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0


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
