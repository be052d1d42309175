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

# slots of a body in `big`: composite I (36), 2 B (36), F (6), external matrix (18); then its own V (6), A (6)
I6, B6, F6, E6, V6, A6 = 0, 36, 72, 78, 96, 102
NBIG = 108
# slots of a column in `cols`: S, P1, P2, P1 + Sd
S6, P1, P2, PS = 0, 6, 12, 18
NCOL = 24


@inline
def ld_six(a, i, k):
    """((angular), (linear)) at a[i, k:k+6]."""
    return (a[i, k], a[i, k + 1], a[i, k + 2]), (a[i, k + 3], a[i, k + 4], a[i, k + 5])


@inline
def st_six(a, i, k, x, y):
    """Store an (angular, linear) pair."""
    for r in range(3):
        a[i, k + r] = x[r]
        a[i, k + 3 + r] = y[r]


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
def fill_body(reals, f_ext, work, big, i, o):
    """V, A, I, 2 B, F and the external matrix of body i, at the common point o."""
    w = i * NW
    r = sub(ld3(work, w + POS), o)
    om = ld3(work, w + OMEGA)
    al = ld3(work, w + ALPHA)
    vel = ld3(work, w + VEL)
    vo = sub(vel, cross(om, r))
    ao = sub(sub(ld3(work, w + ACC), cross(al, r)), cross(om, vel))  # spatial, not classical
    st_six(big, i, V6, om, vo)
    st_six(big, i, A6, al, ao)
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
            big[i, I6 + 6 * c + k] = n[c]
            big[i, I6 + 6 * (c + 3) + k] = f[c]
            big[i, B6 + 6 * c + k] = cn[c] - bn[c] + dn[c]
            big[i, B6 + 6 * (c + 3) + k] = cf[c] - bf[c] + df[c]
    n, f = times(m, h, I, al, ao)
    cn, cf = force_cross(om, vo, pn, pf)
    n = add(n, cn)
    f = add(f, cf)
    for k in range(18):
        big[i, E6 + k] = 0.0
    if f_ext is not None:
        xf = ld3(f_ext, 6 * i)
        xn = ld3(f_ext, 6 * i + 3)
        for k in range(3):
            s = unit(k)
            sf = cross(s, xf)
            sn = add(cross(s, xn), cross(r, sf))
            for c in range(3):
                big[i, E6 + 3 * c + k] = sn[c]
                big[i, E6 + 3 * (c + 3) + k] = sf[c]
        n = sub(n, add(xn, cross(r, xf)))
        f = sub(f, xf)
    st_six(big, i, F6, n, f)


@inline
def fill_columns(ints, reals, work, big, cols, i, o):
    """S, P1, P2 and P1 + Sd of body i's joint."""
    p = ints[i, PARENT]
    r = sub(ld3(work, i * NW + POS), o)
    for k in range(ints[i, DOF]):
        row = ints[i, COLUMN] + k
        sa, sl = joint_column(ints, reals, work, i, k)
        sl = add(sl, cross(r, sa))
        va, vl = ld_six(big, p, V6)
        aa, al = ld_six(big, p, A6)
        wa, wl = ld_six(big, i, V6)
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
        st_six(cols, row, S6, sa, sl)
        st_six(cols, row, P1, pa, pl)
        st_six(cols, row, P2, add(qa, ra), add(ql, rl))
        st_six(cols, row, PS, add(pa, da), add(pl, dl))


@inline
def times6(big, i, k, cols, row, c, out, o):
    """out[o:o+6] = (6x6 at big[i, k]) times cols[row, c:c+6]."""
    for a in range(6):
        x = 0.0
        for b in range(6):
            x += big[i, k + 6 * a + b] * cols[row, c + b]
        out[o + a] = x


@inline
def left6(big, i, k, cols, row, c, out, o):
    """out[o:o+6] = cols[row, c:c+6]' times (6x6 at big[i, k])."""
    for b in range(6):
        x = 0.0
        for a in range(6):
            x += big[i, k + 6 * a + b] * cols[row, c + a]
        out[o + b] = x


@inline
def dot6(u, o, cols, row, c):
    """u[o:o+6] . cols[row, c:c+6]."""
    x = 0.0
    for a in range(6):
        x += u[o + a] * cols[row, c + a]
    return x


@inline
def prepare(big, cols, i, row, u):
    """u: S'2B (0), I S (6), S'E (12..14), then the wrenches of the second formulas: for q (18), for v (24)."""
    left6(big, i, B6, cols, row, S6, u, 0)
    times6(big, i, I6, cols, row, S6, u, 6)
    for b in range(3):
        x = 0.0
        for a in range(6):
            x += big[i, E6 + 3 * a + b] * cols[row, S6 + a]
        u[12 + b] = x
    sa, sl = ld_six(cols, row, S6)
    n, f = ld_six(big, i, F6)
    n, f = force_cross(sa, sl, n, f)
    for a in range(6):
        x = n[a] if a < 3 else f[a - 3]
        y = 0.0
        for b in range(6):
            x += big[i, B6 + 6 * a + b] * cols[row, P1 + b] + big[i, I6 + 6 * a + b] * cols[row, P2 + b]
            y += big[i, B6 + 6 * a + b] * cols[row, S6 + b] + big[i, I6 + 6 * a + b] * cols[row, PS + b]
        for b in range(3):
            x += big[i, E6 + 3 * a + b] * cols[row, S6 + b]
        u[18 + a] = x
        u[24 + a] = y


@inline
def first(u, cols, row):
    """(d tau_i / d q_j, d tau_i / d v_j) for the column `row` of j."""
    q = dot6(u, 0, cols, row, P1) + dot6(u, 6, cols, row, P2)
    q += u[12] * cols[row, S6] + u[13] * cols[row, S6 + 1] + u[14] * cols[row, S6 + 2]
    return q, dot6(u, 0, cols, row, S6) + dot6(u, 6, cols, row, PS)


@inline
def differentiate(ints, reals, q, v, a, f_ext, work, big, cols, u, tau, dq, dv):
    """Fill dq, dv (nv, nv), and tau on the way."""
    nb = ints.shape[0]
    rnea_passes(ints, reals, q, v, a, f_ext, work, tau)
    o = ld3(work, (1 if nb > 1 else 0) * NW + POS)
    for k in range(3):
        st(work, VEL + k, 0.0)
    for k in range(NBIG):
        big[0, k] = 0.0
    for k in range(3):
        big[0, A6 + 3 + k] = -reals[0, PLACE + k]
    for i in range(1, nb):
        drift(ints, reals, v, work, i, ld3(work, i * NW + ARM), axis(ints, work, i))
        fill_body(reals, f_ext, work, big, i, o)
        fill_columns(ints, reals, work, big, cols, i, o)
    for i in range(nb - 1, 0, -1):
        for k in range(V6):
            big[ints[i, PARENT], k] += big[i, k]
    for i in range(dq.shape[0]):
        for j in range(dq.shape[1]):
            dq[i, j] = 0.0
            dv[i, j] = 0.0
    for i in range(1, nb):
        is_free = ints[i, KIND] == FREE
        for k in range(ints[i, DOF]):
            ri = ints[i, COLUMN] + k
            iv = ints[i, IV] + k
            prepare(big, cols, i, ri, u)
            for l in range(ints[i, DOF]):
                rj = ints[i, COLUMN] + l
                jv = ints[i, IV] + l
                if not (is_free and k < 3 and l >= 3):
                    x, y = first(u, cols, rj)
                    dq[iv, jv] += x
                    dv[iv, jv] += y
                if is_free and k >= 3 and l < 3:
                    dq[jv, iv] += dot6(u, 18, cols, rj, S6)
                    dv[jv, iv] += dot6(u, 24, cols, rj, S6)
            j = ints[i, PARENT]
            while j != 0:
                for l in range(ints[j, DOF]):
                    rj = ints[j, COLUMN] + l
                    jv = ints[j, IV] + l
                    x, y = first(u, cols, rj)
                    dq[iv, jv] += x
                    dv[iv, jv] += y
                    dq[jv, iv] += dot6(u, 18, cols, rj, S6)
                    dv[jv, iv] += dot6(u, 24, cols, rj, S6)
                j = ints[j, PARENT]


@entry("h DD DD DD DD DD DD D DD DDD DDD")
def derivatives_many(handle, q, v, a, f_ext, big, cols, u, tau, dq, dv):
    """Fill tau (batch, nv), dq and dv (batch, nv, nv); f_ext (batch, 6 nb)."""
    ints, reals, work = opened(handle)
    for b in range(q.shape[0]):
        differentiate(
            ints,
            reals,
            borrow(q)[b],
            borrow(v)[b],
            borrow(a)[b],
            borrow(f_ext)[b],
            work,
            borrow(big),
            borrow(cols),
            borrow(u),
            borrow(tau)[b],
            borrow(dq)[b],
            borrow(dv)[b],
        )
    return OK
