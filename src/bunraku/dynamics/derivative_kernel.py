"""Derivatives of inverse dynamics: d tau / d q and d tau / d v, analytic, in O(n depth).

After Singh, Russo and Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra"
(2022). All spatial vectors are (angular, linear) at one common inertial point (the origin of body 1, which keeps
numbers small far from the world's origin). With V, A velocity and acceleration (gravity included) of the body *before*
the joint, S the joint's column, IC, BC, FC the composites of
    I,   B = ([V x*] I - I [V x] + [I V]~) / 2,   F = I A + V x* I V - F_ext        ([f]~ m = m x* f)
and  P1 = V x S,  P2 = A x S + V x P1,  Sd = V_after x S:   for j below or at i (towards the base)
    d tau_i / d q_j = S_i' (2 BC_i P1_j + IC_i P2_j)            d tau_i / d v_j = S_i' (2 BC_i S_j + IC_i (P1_j + Sd_j))
    d tau_j / d q_i = S_j' (2 BC_i P1_i + IC_i P2_i + S_i x* FC_i)   d tau_j / d v_i = S_j' (2 BC_i S_i + IC_i (P1_i + Sd_i))
External wrenches stay fixed in world axes at the body's origin while F turns with the body; the difference is + S_j' (s
x n + r x (s x f), s x f), s the angular part of the other column, summed over the bodies further out than both.
Derivatives in q are along v: d/de of integrate(q, e). A free joint is three sliders along world axes and then a ball.
Gears: G' (.) G, by adding up. Checked by finite differences in tests/dynamics/test_derivatives.py.
"""

from __future__ import annotations

from bunraku.dynamics.arguments import OK
from bunraku.dynamics.composite import joint_column
from bunraku.dynamics.one_axis import axis
from bunraku.dynamics.passes import drift, rigid
from bunraku.dynamics.rnea_kernel import rnea_passes
from bunraku.dynamics.work import opened
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow, st
from bunraku.kernel.record import Record, flat, inner, many, put, reals, ref, zeros
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, ld9, mv, s_to_m, scale, sub
from bunraku.model.layout import (
    ACC,
    ALPHA,
    ARM,
    COLUMN,
    DOF,
    FREE,
    IV,
    KIND,
    NW,
    OMEGA,
    PARENT,
    PLACE,
    POS,
    ROT,
    VEL,
)


class Composite(Record):
    """Sums over a body and all further out, at the common point."""

    inertia = reals(6, 6)  # IC
    bias = reals(6, 6)  # 2 BC
    wrench = reals(6)  # FC
    turned = reals(6, 3)  # what external wrenches do when the bodies turn


class BodyTerms(Record):
    """Of one body."""

    sums = inner(Composite)
    velocity = reals(6)  # V
    acceleration = reals(6)  # A


class ColumnTerms(Record):
    """Of one elementary degree of freedom."""

    S = reals(6)
    P1 = reals(6)
    P2 = reals(6)
    PS = reals(6)  # P1 + Sd


class RowTerms(Record):
    """Of the column i whose products with all others are being taken."""

    bias = reals(6)  # S'2B
    inertia = reals(6)  # I S
    turned = reals(3)  # S'E
    for_q = reals(6)  # wrenches of the second formulas
    for_v = reals(6)


class Differentiation(Record):
    """Scratch of this page."""

    bodies = many(BodyTerms)  # (nb)
    columns = many(ColumnTerms)
    row = ref(RowTerms)


def make_differentiation(bodies: int, columns: int) -> Differentiation:
    """Scratch for a figure."""
    d = Differentiation()
    return put(d, bodies=zeros(BodyTerms, bodies), columns=zeros(ColumnTerms, columns), row=RowTerms())


@inline
def ld_six(x):
    """((angular), (linear)) of six numbers."""
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])


@inline
def st_six(out, x, y):
    """Store an (angular, linear) pair."""
    for r in range(3):
        out[r] = x[r]
        out[3 + r] = y[r]


@inline
def motion_cross(va, vl, ma, ml):
    """v x m of two motions."""
    return cross(va, ma), add(cross(va, ml), cross(vl, ma))


@inline
def force_cross(va, vl, n, f):
    """v x* w of a motion and a wrench (moment, force)."""
    return add(cross(va, n), cross(vl, f)), cross(va, f)


@inline
def unit(k):
    """The k-th unit vector."""
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@inline
def at_point(m, h, I, r):
    """A rigid inertia (m, h, I) seen from a point that lies r behind its origin."""
    ho = axpy(m, r, h)
    k = axpy(m, r, scale(2.0, h))
    d = dot(r, k)
    g = axpy(0.5 * m, r, h)
    Io = (
        I[0] + d - 2.0 * r[0] * g[0],
        I[1] - r[0] * g[1] - g[0] * r[1],
        I[2] - r[0] * g[2] - g[0] * r[2],
        I[3] + d - 2.0 * r[1] * g[1],
        I[4] - r[1] * g[2] - g[1] * r[2],
        I[5] + d - 2.0 * r[2] * g[2],
    )
    return ho, s_to_m(Io)


@inline
def times(m, h, I, sa, sl):
    """Wrench of a rigid inertia for the motion (sa, sl)."""
    return add(mv(I, sa), cross(h, sl)), axpy(m, sl, cross(sa, h))


@inline
def fill_body(reals, f_ext, work, body: BodyTerms, i, o):
    """V, A, I, 2 B, F and the external matrix of body i, at the common point o."""
    w = i * NW
    sums = body.sums
    r = sub(ld3(work, w + POS), o)
    om = ld3(work, w + OMEGA)
    al = ld3(work, w + ALPHA)
    vel = ld3(work, w + VEL)
    vo = sub(vel, cross(om, r))
    ao = sub(sub(ld3(work, w + ACC), cross(al, r)), cross(om, vel))  # spatial, not classical
    st_six(body.velocity, om, vo)
    st_six(body.acceleration, al, ao)
    m, h, I = rigid(reals, i, ld9(work, w + ROT))
    h, I = at_point(m, h, I, r)
    pn, pf = times(m, h, I, om, vo)
    for k in range(6):
        ea = unit(k)
        el = unit(k - 3)
        n, f = times(m, h, I, ea, el)
        xa, xl = motion_cross(om, vo, ea, el)
        bn, bf = times(m, h, I, xa, xl)
        cn, cf = force_cross(om, vo, n, f)
        dn, df = force_cross(ea, el, pn, pf)
        for c in range(3):
            sums.inertia[c, k] = n[c]
            sums.inertia[c + 3, k] = f[c]
            sums.bias[c, k] = cn[c] - bn[c] + dn[c]
            sums.bias[c + 3, k] = cf[c] - bf[c] + df[c]
    n, f = times(m, h, I, al, ao)
    cn, cf = force_cross(om, vo, pn, pf)
    n = add(n, cn)
    f = add(f, cf)
    xf = ld3(f_ext, 6 * i)
    xn = ld3(f_ext, 6 * i + 3)
    for k in range(3):
        s = unit(k)
        sf = cross(s, xf)
        sn = add(cross(s, xn), cross(r, sf))
        for c in range(3):
            sums.turned[c, k] = sn[c]
            sums.turned[c + 3, k] = sf[c]
    st_six(sums.wrench, sub(n, add(xn, cross(r, xf))), sub(f, xf))


@inline
def fill_columns(ints, reals, work, d: Differentiation, i, o):
    """S, P1, P2 and P1 + Sd of body i's joint."""
    p = ints[i, PARENT]
    r = sub(ld3(work, i * NW + POS), o)
    for k in range(ints[i, DOF]):
        column = d.columns[ints[i, COLUMN] + k]
        sa, sl = joint_column(ints, reals, work, i, k)
        sl = add(sl, cross(r, sa))
        va, vl = ld_six(d.bodies[p].velocity)
        aa, al = ld_six(d.bodies[p].acceleration)
        wa, wl = ld_six(d.bodies[i].velocity)
        if ints[i, KIND] == FREE:
            if k < 3:
                wa = scale(0.0, wa)
                wl = wa
            else:  # the ball behind three sliders: what carries it only translates
                va = scale(0.0, va)
                vl = ld3(work, i * NW + VEL)
                aa = va
                al = ld3(work, i * NW + ACC)
        pa, pl = motion_cross(va, vl, sa, sl)
        qa, ql = motion_cross(aa, al, sa, sl)
        ra, rl = motion_cross(va, vl, pa, pl)
        da, dl = motion_cross(wa, wl, sa, sl)
        st_six(column.S, sa, sl)
        st_six(column.P1, pa, pl)
        st_six(column.P2, add(qa, ra), add(ql, rl))
        st_six(column.PS, add(pa, da), add(pl, dl))


@inline
def times6(M, x, out):
    """out = M x, M (6, 6)."""
    for a in range(6):
        y = 0.0
        for b in range(6):
            y += M[a, b] * x[b]
        out[a] = y


@inline
def left6(M, x, out):
    """out = x' M, M (6, ...)."""
    for b in range(out.shape[0]):
        y = 0.0
        for a in range(6):
            y += M[a, b] * x[a]
        out[b] = y


@inline
def dot6(x, y):
    """x . y."""
    z = 0.0
    for a in range(6):
        z += x[a] * y[a]
    return z


@inline
def prepare(sums: Composite, i: ColumnTerms, row: RowTerms):
    """What the products of column i, on the body with these sums, need."""
    left6(sums.bias, i.S, row.bias)
    times6(sums.inertia, i.S, row.inertia)
    left6(sums.turned, i.S, row.turned)
    sa, sl = ld_six(i.S)
    n, f = ld_six(sums.wrench)
    n, f = force_cross(sa, sl, n, f)
    for a in range(6):
        x = n[a] if a < 3 else f[a - 3]
        y = 0.0
        for b in range(6):
            x += sums.bias[a, b] * i.P1[b] + sums.inertia[a, b] * i.P2[b]
            y += sums.bias[a, b] * i.S[b] + sums.inertia[a, b] * i.PS[b]
        for b in range(3):
            x += sums.turned[a, b] * i.S[b]
        row.for_q[a] = x
        row.for_v[a] = y


@inline
def first(row: RowTerms, j: ColumnTerms):
    """(d tau_i / d q_j, d tau_i / d v_j)."""
    q = dot6(row.bias, j.P1) + dot6(row.inertia, j.P2)
    q += row.turned[0] * j.S[0] + row.turned[1] * j.S[1] + row.turned[2] * j.S[2]
    return q, dot6(row.bias, j.S) + dot6(row.inertia, j.PS)


@inline
def fill_terms(ints, reals, v, f_ext, work, d: Differentiation):
    """Terms of all bodies and columns, after rnea's passes."""
    nb = ints.shape[0]
    o = ld3(work, (1 if nb > 1 else 0) * NW + POS)
    for k in range(3):
        st(work, VEL + k, 0.0)
    world = flat(d.bodies[0])
    for k in range(world.shape[0]):
        world[k] = 0.0
    for k in range(3):
        d.bodies[0].acceleration[3 + k] = -reals[0, PLACE + k]
    for i in range(1, nb):
        drift(ints, reals, v, work, i, ld3(work, i * NW + ARM), axis(ints, work, i))
        fill_body(reals, f_ext, work, d.bodies[i], i, o)
        fill_columns(ints, reals, work, d, i, o)
    for i in range(nb - 1, 0, -1):
        to = flat(d.bodies[ints[i, PARENT]].sums)
        x = flat(d.bodies[i].sums)
        for k in range(x.shape[0]):
            to[k] += x[k]


@inline
def add_products(ints, d: Differentiation, dq, dv):
    """Fill dq, dv (nv, nv)."""
    row = d.row
    for i in range(dq.shape[0]):
        for j in range(dq.shape[1]):
            dq[i, j] = 0.0
            dv[i, j] = 0.0
    for i in range(1, ints.shape[0]):
        is_free = ints[i, KIND] == FREE
        for k in range(ints[i, DOF]):
            iv = ints[i, IV] + k
            prepare(d.bodies[i].sums, d.columns[ints[i, COLUMN] + k], row)
            for l in range(ints[i, DOF]):
                column = d.columns[ints[i, COLUMN] + l]
                jv = ints[i, IV] + l
                if not (is_free and k < 3 and l >= 3):
                    x, y = first(row, column)
                    dq[iv, jv] += x
                    dv[iv, jv] += y
                if is_free and k >= 3 and l < 3:
                    dq[jv, iv] += dot6(row.for_q, column.S)
                    dv[jv, iv] += dot6(row.for_v, column.S)
            j = ints[i, PARENT]
            while j != 0:
                for l in range(ints[j, DOF]):
                    column = d.columns[ints[j, COLUMN] + l]
                    jv = ints[j, IV] + l
                    x, y = first(row, column)
                    dq[iv, jv] += x
                    dv[iv, jv] += y
                    dq[jv, iv] += dot6(row.for_q, column.S)
                    dv[jv, iv] += dot6(row.for_v, column.S)
                j = ints[j, PARENT]


@entry("h h DD DD DD DD DD DDD DDD")
def derivatives_many(handle, scratch, q, v, a, f_ext, tau, dq, dv):
    """Fill tau (batch, nv), dq and dv (batch, nv, nv); f_ext (batch, 6 nb)."""
    ints, reals, work = opened(handle)
    d = Differentiation(scratch)
    for b in range(q.shape[0]):
        rates = borrow(v)[b]
        forces = borrow(f_ext)[b]
        rnea_passes(ints, reals, borrow(q)[b], rates, borrow(a)[b], forces, work, borrow(tau)[b])
        fill_terms(ints, reals, rates, forces, work, d)
        add_products(ints, d, borrow(dq)[b], borrow(dv)[b])
    return OK
