"""How bodies answer to impulses: the 6x6 blocks of H A^-1 H' between contact bodies, and the change of v that impulses
cause.

After the inward pass of the articulated-body algorithm, a unit wrench on a body is carried towards the base once, six
times a body (Tazaki 2013, section 2.8; a backward pass only). At every joint it leaves a trace y = G'w, at a free base
the wrench itself; a group coupled by a matrix is as many hops as its rates need, three a hop, with D = 1. Two bodies
respond to each other through the joints that both ways share:
    K6[a, b] = sum over shared joints y_a D^-1 y_b  +  w_a' I_A^-1 w_b at a shared free base.
All in world axes, wrench (n, f) and motion (al, a) at the bodies' own origins. Cost: a few tens of ns a joint of the
way and body, then m^2.

The same traces turn an impulse w on a body into what it does to every joint of its way, y w, and to a free base, I_A^-1
w: six multiplications a joint. An outward pass then gives the velocity change of the whole figure in O(n):
`forget_impulses`, `add_impulse`, `spread_impulses`. `velocity_change` does so with the impulses of a step, A^-1 H' lam,
for all figures at once: those of all packs on a source are summed along its list. Checked in
tests/step/test_response.py and tests/world/.
"""

from __future__ import annotations

from bunraku.dynamics.aba_kernel import free_response, outward_ball, pull_back
from bunraku.dynamics.follower import rates_of
from bunraku.dynamics.gear_group import group_force, outward_group
from bunraku.dynamics.inertia import carried
from bunraku.dynamics.matrix_group import coupled_force, group_slots, outward_coupled
from bunraku.dynamics.one_axis import axis, felt, moved
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import join, ld, split, st, wide_ld, wide_st
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, ld6, ld9, mtv, scale, st3, sv
from bunraku.model.layout import ARM, BALL, COUNT, DA, DINV, FREE, IV, KIND, LEAD, NW, OUTER, RHS, ROT, SLIDE, SLOT, U
from bunraku.step.step_arrays import Rows, Step, Traces, W

GROUP = 4  # numbers of a group of three wrenches: the three moments, then the three forces, each with one spare
HOP = 6 * GROUP  # numbers a hop: two groups, up to three components each
BASE = 24 * GROUP  # numbers at a free base: two groups, wrench (6) and response (6)
SQUARE = 12 * GROUP  # numbers of a 6x6 block: six rows of two groups


@inline
def entry_of(i, j):
    """Where entry (i, j) of a 6x6 block stands."""
    return 2 * GROUP * i + GROUP * (j // 3) + j % 3


@inline
def leave_trace(ints, reals, work, c, n, f, y, at):
    """What a group of wrenches, one a lane, on body c does to its joint."""
    kind = ints[c, KIND]
    if kind == BALL:
        for r in range(3):
            wide_st(y, at + 2 * GROUP * r, n[r])
    elif ints[ints[c, LEAD], COUNT] > 1:
        wide_st(y, at, group_force(work, c, n, f))
    else:
        wide_st(y, at, felt(kind, reals[c, SLIDE], axis(ints, work, c), n, f))


@inline
def leave_root(ints, reals, work, c, n, f, roots, at):
    """A group of wrenches on a free base, and its answer to them."""
    al, a = free_response(ints, reals, work, c, n, f)
    for r in range(3):
        wide_st(roots, at + GROUP * r, n[r])
        wide_st(roots, at + GROUP * (3 + r), f[r])
        wide_st(roots, at + GROUP * (6 + r), al[r])
        wide_st(roots, at + GROUP * (9 + r), a[r])


@part
def trace_way(ints, reals, work, traces: Traces, source, body):
    """Carry six unit wrenches from `body`, a source, to the base, in two groups side by side."""
    hops = traces.hops[source]
    y = traces.joints[source]
    roots = traces.roots[source]
    none = join(0.0, 0.0, 0.0, 0.0)
    one = (join(1.0, 0.0, 0.0, 0.0), join(0.0, 1.0, 0.0, 0.0), join(0.0, 0.0, 1.0, 0.0))
    zero = (none, none, none)
    n1, f1 = one, zero
    n2, f2 = zero, one
    c = body
    k = 0
    while c != 0:
        hops[k] = c
        if ints[c, KIND] == FREE:
            leave_root(ints, reals, work, c, n1, f1, roots, 0)
            leave_root(ints, reals, work, c, n2, f2, roots, 12 * GROUP)
            traces.lengths[source] = k + 1
            return
        if ints[c, SLOT] != 0:
            leave_coupled(ints, work, c, n1, f1, y, HOP * k)
            leave_coupled(ints, work, c, n2, f2, y, HOP * k + GROUP)
            k = put_hops(ints, c, hops, k)
        else:
            leave_trace(ints, reals, work, c, n1, f1, y, HOP * k)
            leave_trace(ints, reals, work, c, n2, f2, y, HOP * k + GROUP)
            k += 1
        n1, f1 = pull_back(ints, reals, work, c, n1, f1)
        n2, f2 = pull_back(ints, reals, work, c, n2, f2)
        c = ints[c, OUTER]
    traces.lengths[source] = k


@inline
def put_hops(ints, c, hops, k):
    """The hops of a group coupled by a matrix, from the k-th on; returns the number of hops then."""
    last = k + (rates_of(ints, c) + 2) // 3
    for h in range(k, last):
        hops[h] = c
    return last


@inline
def trace_at(j):
    """Where, from its group's first hop on, rate j of a group coupled by a matrix leaves its trace."""
    return HOP * (j // 3) + 2 * GROUP * (j % 3)


@inline
def leave_coupled(ints, work, c, n, f, y, at):
    """What a group of wrenches on body c does to the rates of its matrix group; nothing in the rest of its last hop."""
    rates = rates_of(ints, c)
    for j in range(rates):
        wide_st(y, at + trace_at(j), coupled_force(ints, work, c, j, n, f))
    for j in range(rates, 3 * ((rates + 2) // 3)):
        wide_st(y, at + trace_at(j), join(0.0, 0.0, 0.0, 0.0))


@inline
def first_hop(ints, hops, k):
    """The first hop of the matrix group that the k-th belongs to."""
    while k > 0 and ints[hops[k - 1], LEAD] == ints[hops[k], LEAD]:
        k -= 1
    return k


@inline
def pull_rate(ints, work, c, y):
    """A unit torque on the rate of leader c: its trace, and (n, f) at the body that carries its group."""
    at, _, atD, _ = group_slots(ints, c)
    rates = rates_of(ints, c)
    own = ints[c, IV] - ints[ints[c, LEAD], IV]
    n = (0.0, 0.0, 0.0)
    f = (0.0, 0.0, 0.0)
    for j in range(own, rates):  # L^-1 e
        x = 1.0 if j == own else 0.0
        for k in range(own, j):
            x -= ld(work, atD + rates * j + k) * y[trace_at(k)]
        x = x / ld(work, atD + rates * j + j)
        y[trace_at(j)] = x
        n = axpy(-x, ld3(work, at + 6 * j), n)
        f = axpy(-x, ld3(work, at + 6 * j + 3), f)
    return n, f


@part
def trace_joint(ints, reals, work, traces: Traces, source, lead):
    """The same for a unit torque on a joint with one axis or a gear group, named by its first body, as wrench 0; the other five are nothing."""
    hops = traces.hops[source]
    y = traces.joints[source]
    roots = traces.roots[source]
    for k in range(y.shape[0]):
        y[k] = 0.0
    for k in range(BASE):
        roots[k] = 0.0
    w = lead * NW
    if ints[lead, SLOT] != 0:
        n, f = pull_rate(ints, work, lead, y)
        k = put_hops(ints, lead, hops, 0)
    else:
        hops[0] = lead
        k = 1
        y[0] = 1.0
        d = ld(work, w + DINV)
        n = scale(-d, ld3(work, w + U))
        f = scale(-d, ld3(work, w + U + 3))
        if ints[lead, COUNT] == 1:
            n = add(n, cross(ld3(work, w + ARM), f))
    first = join(1.0, 0.0, 0.0, 0.0)
    n1 = scale(first, n)
    f1 = scale(first, f)
    c = ints[lead, OUTER]
    while c != 0:
        hops[k] = c
        if ints[c, KIND] == FREE:
            leave_root(ints, reals, work, c, n1, f1, roots, 0)
            traces.lengths[source] = k + 1
            return
        if ints[c, SLOT] != 0:
            leave_coupled(ints, work, c, n1, f1, y, HOP * k)
            k = put_hops(ints, c, hops, k)
        else:
            leave_trace(ints, reals, work, c, n1, f1, y, HOP * k)
            k += 1
        n1, f1 = pull_back(ints, reals, work, c, n1, f1)
        c = ints[c, OUTER]
    traces.lengths[source] = k


@inline
def shared_hops(ints, traces: Traces, a, b):
    """How many hops the ways of sources a and b share, from the base on."""
    hops = traces.hops
    i = traces.lengths[a] - 1
    j = traces.lengths[b] - 1
    n = 0
    while i >= 0 and j >= 0 and ints[hops[a, i], LEAD] == ints[hops[b, j], LEAD]:
        i -= 1
        j -= 1
        n += 1
    return n


@part
def respond_blocks(ints, work, traces: Traces, a, b, out, mirror):
    """The 6x6 block between the a-th and b-th traced sources into pool[out:], SQUARE numbers, and its transpose,
    between b and a, into pool[mirror:]."""
    block_between(ints, work, traces, a, b, out, mirror, 6)


@part
def respond_joint(ints, work, traces: Traces, a, b, out, mirror):
    """The same where the a-th source is a joint, of whose wrenches only the first is something."""
    none = join(0.0, 0.0, 0.0, 0.0)
    for k in range(0, SQUARE, GROUP):
        wide_st(traces.pool, mirror + k, none)
    block_between(ints, work, traces, a, b, out, mirror, 1)


@inline
def block_between(ints, work, traces: Traces, a, b, out, mirror, wrenches):
    """The same for the first `wrenches` of a; those of b are looked at in any case."""
    pool = traces.pool
    none = join(0.0, 0.0, 0.0, 0.0)
    for k in range(0, SQUARE, GROUP):
        wide_st(pool, out + k, none)
    ya = traces.joints[a]
    yb = traces.joints[b]
    for s in range(1, shared_hops(ints, traces, a, b) + 1):
        i = traces.lengths[a] - s
        j = traces.lengths[b] - s
        c = traces.hops[a, i]
        kind = ints[c, KIND]
        at = HOP * i
        bt = HOP * j
        if kind == FREE:
            ra = traces.roots[a]
            rb = traces.roots[b]
            for p in range(wrenches):
                x = wide_ld(pool, out + 2 * GROUP * p)
                z = wide_ld(pool, out + 2 * GROUP * p + GROUP)
                for r in range(6):
                    t = ra[GROUP * (12 * (p // 3) + r) + p % 3]
                    x = x + t * wide_ld(rb, GROUP * (6 + r))
                    z = z + t * wide_ld(rb, GROUP * (18 + r))
                wide_st(pool, out + 2 * GROUP * p, x)
                wide_st(pool, out + 2 * GROUP * p + GROUP, z)
        elif kind == BALL or ints[c, SLOT] != 0:
            D = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0) if ints[c, SLOT] != 0 else ld6(work, c * NW + DINV)
            u = sv(D, (wide_ld(yb, bt), wide_ld(yb, bt + 2 * GROUP), wide_ld(yb, bt + 4 * GROUP)))
            v = sv(D, (wide_ld(yb, bt + GROUP), wide_ld(yb, bt + 3 * GROUP), wide_ld(yb, bt + 5 * GROUP)))
            for p in range(wrenches):
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
            for p in range(wrenches):
                t = ya[at + GROUP * (p // 3) + p % 3]
                wide_st(pool, out + 2 * GROUP * p, wide_ld(pool, out + 2 * GROUP * p) + t * u1)
                wide_st(pool, out + 2 * GROUP * p + GROUP, wide_ld(pool, out + 2 * GROUP * p + GROUP) + t * v1)
    for p in range(wrenches):
        for q in range(6):
            pool[mirror + entry_of(q, p)] = pool[out + entry_of(p, q)]


@inline
def forget_impulses(ints, work):
    """No impulse on any joint or free base."""
    for i in range(1, ints.shape[0]):
        w = i * NW
        kind = ints[i, KIND]
        if kind == FREE:
            for k in range(6):
                st(work, w + DA + k, 0.0)
        elif ints[i, SLOT] != 0:
            _, at, end, _ = group_slots(ints, i)
            for k in range(at, end):
                st(work, k, 0.0)
        else:
            for k in range(3 if kind == BALL else 1):
                st(work, w + RHS + k, 0.0)


@inline
def weigh(y, i, j, n, f):
    """Three numbers of y at i with n, three at j with f."""
    return n[0] * y[i] + n[1] * y[i + 1] + n[2] * y[i + 2] + (f[0] * y[j] + f[1] * y[j + 1] + f[2] * y[j + 2])


@inline
def add_impulse(ints, work, traces: Traces, source, n, f):
    """What an impulse (moment, force) on a traced source does to the joints and the free base of its way."""
    y = traces.joints[source]
    roots = traces.roots[source]
    for k in range(traces.lengths[source]):
        c = traces.hops[source, k]
        kind = ints[c, KIND]
        at = HOP * k
        if kind == FREE:
            w = c * NW + DA
            for r in range(6):
                st(work, w + r, ld(work, w + r) + weigh(roots, GROUP * (6 + r), GROUP * (18 + r), n, f))
        elif ints[c, SLOT] != 0:
            _, w, end, _ = group_slots(ints, c)
            w += 3 * (k - first_hop(ints, traces.hops[source], k))
            for r in range(min(3, end - w)):
                st(work, w + r, ld(work, w + r) + weigh(y, at + 2 * GROUP * r, at + 2 * GROUP * r + GROUP, n, f))
        elif kind == BALL:
            w = c * NW + RHS
            for r in range(3):
                st(work, w + r, ld(work, w + r) + weigh(y, at + 2 * GROUP * r, at + 2 * GROUP * r + GROUP, n, f))
        else:
            w = ints[c, LEAD] * NW + RHS
            st(work, w, ld(work, w) + weigh(y, at, at + GROUP, n, f))


@part
def spread_impulses(ints, reals, work, dv):
    """dv = A^-1 H' times the impulses that were added."""
    for k in range(6):
        st(work, DA + k, 0.0)
    for i in range(1, ints.shape[0]):
        if ints[i, COUNT] >= 1:
            spread_joint(ints, reals, work, i, dv)


@inline
def spread_joint(ints, reals, work, i, dv):
    """The rate that a joint or gear group gains, and the motion of its bodies."""
    w = i * NW
    k = ints[i, IV]
    kind = ints[i, KIND]
    if kind == FREE:
        st3(dv, k, ld3(work, w + DA + 3))
        st3(dv, k + 3, mtv(ld9(work, w + ROT), ld3(work, w + DA)))
    elif ints[i, SLOT] != 0:
        outward_coupled(ints, work, i, dv)
    elif kind == BALL:
        outward_ball(ints, reals, work, i, dv)
    elif ints[i, COUNT] > 1:
        outward_group(ints, work, i, dv)
    else:
        al, a = carried(work, ints[i, OUTER] * NW, ld3(work, w + ARM))
        x = ld(work, w + DINV) * (ld(work, w + RHS) - dot(ld3(work, w + U), al) - dot(ld3(work, w + U + 3), a))
        st(dv, k, x)
        al, a = moved(kind, reals[i, SLIDE], axis(ints, work, i), x, al, a)
        st3(work, w + DA, al)
        st3(work, w + DA + 3, a)


@inline
def along(w, k, l0, l1, l2):
    """Sum over a pack's rows of lam times one of its entries."""
    x, y, z, _ = split(wide_ld(w, k))
    return l0 * x + l1 * y + l2 * z


@inline
def impulse_on(rows: Rows, s):
    """(moment, force) of all packs on source s."""
    n = (0.0, 0.0, 0.0)
    f = (0.0, 0.0, 0.0)
    at = rows.sources[s].first_side
    while at >= 0:
        side = at % 2
        pack = rows.packs[at // 2]
        r = pack.first
        l0 = rows.lam[r]
        l1 = rows.lam[r + 1] if pack.lines > 1 else 0.0
        l2 = rows.lam[r + 2] if pack.lines > 2 else 0.0
        k = W * (at // 2) + 24 * side
        w = rows.w
        n = add(n, (along(w, k, l0, l1, l2), along(w, k + 4, l0, l1, l2), along(w, k + 8, l0, l1, l2)))
        f = add(f, (along(w, k + 12, l0, l1, l2), along(w, k + 16, l0, l1, l2), along(w, k + 20, l0, l1, l2)))
        at = pack.next_side[side]
    return n, f


@part
def velocity_change(s: Step, out):
    """Fill `out` (nv) with the change of velocity that the step's impulses cause."""
    forget_impulses(s.ints, s.work)
    for k in range(s.rows.count.sources):
        n, f = impulse_on(s.rows, k)
        add_impulse(s.ints, s.work, s.rows.traces, k, n, f)
    spread_impulses(s.ints, s.reals, s.work, out)
