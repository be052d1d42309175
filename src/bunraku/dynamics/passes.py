"""The parts that the tree algorithms share: placing a body, moving it, its rigid inertia and wrench; q that moves along v.

Formulation ("hybrid"): everything in world axes, each body at its own joint origin. Positions then only enter as arms
between neighbouring origins, which keeps long chains accurate, and no inertia has to be turned from frame to frame.

Accelerations are classical. With r the arm, s the axis and parent p (Tazaki 2013, eqs (9), (15)):
    turning   w = wp + s q'        al = alp + wp x s q'      a = ap + alp x r + wp x (wp x r)
    sliding   w = wp               al = alp                  a = ap + alp x r + wp x (wp x r) + 2 wp x s q'
plus s q'' in al or a. Linear velocities do not enter. `al`, `a` are here the accelerations for v' = 0 ("bias"), so that
the algorithms only have to find what v' adds.

`advance` is the kernel twin of bunraku.model.configuration.integrate: hinges and sliders add; quaternions turn in body
axes by the exponential map and keep length one. Checked in tests/dynamics/test_advance.py.
"""

from __future__ import annotations

from bunraku.dynamics.follower import follower_motion, own_motion, own_rate, placed_follower
from bunraku.dynamics.one_axis import has_one_axis, placed, real3, slides, turns
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import ld, root, st
from bunraku.kernel.trig import sincos, sincos_all
from bunraku.kernel.vec import add, axpy, col, cross, dot, ld3, ld9, mm, mv, quat_matrix, rotate_s, scale, st3, st9, sv
from bunraku.model.layout import (
    ACC,
    ALPHA,
    ARM,
    BALL,
    COUPLED,
    DOF,
    FIRST,
    FOLLOWS,
    FREE,
    IQ,
    IV,
    KIND,
    MASS,
    NW,
    OMEGA,
    PARENT,
    PLACE,
    POS,
    RATIO,
    ROT,
    SAME,
    SECOND,
    SLIDE,
    STRAIGHT,
    TURN,
    VEL,
)

SMALL = 1e-24  # squared angle below which the exponential is its first two terms


@inline
def angles(ints, q, work):
    """Sines and cosines of all of q, behind the bodies' slots; four at a time, which costs less than to pick out the
    hinges."""
    sincos_all(q, q.shape[0], work, ints.shape[0] * NW)


@inline
def world_pose(work):
    """Write the pose of body 0."""
    for k in range(15):
        st(work, k, 0.0)
    st(work, ROT, 1.0)
    st(work, ROT + 4, 1.0)
    st(work, ROT + 8, 1.0)


@inline
def turned(ints, reals, i, Rp):
    """Rotation of body i at q = 0."""
    if ints[i, STRAIGHT] != 0:
        return Rp
    turn = (
        reals[i, TURN],
        reals[i, TURN + 1],
        reals[i, TURN + 2],
        reals[i, TURN + 3],
        reals[i, TURN + 4],
        reals[i, TURN + 5],
        reals[i, TURN + 6],
        reals[i, TURN + 7],
        reals[i, TURN + 8],
    )
    return mm(Rp, turn)


@inline
def place_joint(ints, reals, q, work, i):
    """Rotation, origin and arm of body i from its parent's; returns (rotation, arm, axis if it has one)."""
    w = i * NW
    p = ints[i, PARENT] * NW
    kind = ints[i, KIND]
    Rp = ld9(work, p + ROT)
    R = turned(ints, reals, i, Rp)
    arm = mv(Rp, real3(reals, i, PLACE))
    axis = col(R, 2)
    k = ints[i, IQ]
    if has_one_axis(kind):
        R, arm, axis = placed(kind, ints, reals, q, work, i, R, arm)
    elif kind == BALL:
        R = mm(R, quat_matrix(ld(q, k), ld(q, k + 1), ld(q, k + 2), ld(q, k + 3)))
    else:
        R = quat_matrix(ld(q, k + 3), ld(q, k + 4), ld(q, k + 5), ld(q, k + 6))
        arm = ld3(q, k)
    st9(work, w + ROT, R)
    st3(work, w + ARM, arm)
    st3(work, w + POS, add(ld3(work, p + POS), arm))
    return R, arm, axis


@part
def place_follower(ints, reals, q, work, i):
    """The same of a joint that follows by a matrix."""
    w = i * NW
    p = ints[i, PARENT] * NW
    Rp = ld9(work, p + ROT)
    arm = mv(Rp, real3(reals, i, PLACE))
    R, arm, axis = placed_follower(ints, reals, q, work, i, turned(ints, reals, i, Rp), arm)
    st9(work, w + ROT, R)
    st3(work, w + ARM, arm)
    st3(work, w + POS, add(ld3(work, p + POS), arm))
    return R, arm, axis


@inline
def place(ints, reals, q, work, i):
    """The same of any joint. (Where speed counts, figures without couplings by a matrix have loops of their own.)"""
    if ints[i, KIND] >= COUPLED:
        return place_follower(ints, reals, q, work, i)
    return place_joint(ints, reals, q, work, i)


@inline
def spin(ints, reals, v, work, i, R, axis):
    """Angular velocity and acceleration with v' = 0 of any joint; returns (w, al) and stores both."""
    if ints[i, KIND] >= COUPLED:
        return spin_follower(ints, reals, v, work, i)
    return spin_joint(ints, reals, v, work, i, R, axis)


@part
def spin_follower(ints, reals, v, work, i):
    """The same of a joint that follows by a matrix."""
    w = i * NW
    p = ints[i, PARENT] * NW
    om = ld3(work, p + OMEGA)
    rel, _ = follower_motion(ints, reals, v, work, i)
    al = add(ld3(work, p + ALPHA), cross(om, rel))
    om = add(om, rel)
    st3(work, w + OMEGA, om)
    st3(work, w + ALPHA, al)
    return om, al


@inline
def spin_joint(ints, reals, v, work, i, R, axis):
    """The same of all other joints."""
    w = i * NW
    p = ints[i, PARENT] * NW
    kind = ints[i, KIND]
    om = ld3(work, p + OMEGA)
    al = ld3(work, p + ALPHA)
    if turns(kind):
        rel = scale(reals[i, RATIO] * ld(v, ints[i, IV]), axis)
        al = add(al, cross(om, rel))
        om = add(om, rel)
    elif kind == BALL:
        rel = mv(R, ld3(v, ints[i, IV]))
        al = add(al, cross(om, rel))
        om = add(om, rel)
    elif kind == FREE:
        om = mv(R, ld3(v, ints[i, IV] + 3))
    st3(work, w + OMEGA, om)
    st3(work, w + ALPHA, al)
    return om, al


@inline
def swing(ints, reals, v, work, i, arm, axis):
    """Classical acceleration of the origin of any body with v' = 0; returns it and stores it."""
    a = swing_joint(ints, reals, v, work, i, arm, axis)
    if ints[i, KIND] >= COUPLED:
        om = ld3(work, ints[i, PARENT] * NW + OMEGA)
        a = axpy(2.0, cross(om, follower_motion(ints, reals, v, work, i)[1]), a)
        st3(work, i * NW + ACC, a)
    return a


@inline
def swing_joint(ints, reals, v, work, i, arm, axis):
    """The same but for joints that follow by a matrix: without what they slide."""
    p = ints[i, PARENT] * NW
    a = ld3(work, p + ACC)
    if ints[i, KIND] != FREE and ints[i, SAME] == 0:
        om = ld3(work, p + OMEGA)
        a = add(add(a, cross(ld3(work, p + ALPHA), arm)), cross(om, cross(om, arm)))
        if slides(ints[i, KIND]):
            rate = reals[i, SLIDE] * (reals[i, RATIO] * ld(v, ints[i, IV]))
            a = axpy(2.0 * rate, cross(om, axis), a)
    st3(work, i * NW + ACC, a)
    return a


@inline
def drift(ints, reals, v, work, i, arm, axis):
    """Velocity of the origin; returns it and stores it (only where it is asked for: dynamics does not need it)."""
    p = ints[i, PARENT] * NW
    if ints[i, KIND] == FREE:
        vel = ld3(v, ints[i, IV])
    else:
        vel = add(ld3(work, p + VEL), cross(ld3(work, p + OMEGA), arm))
        if slides(ints[i, KIND]):
            vel = axpy(reals[i, SLIDE] * (reals[i, RATIO] * ld(v, ints[i, IV])), axis, vel)
        elif ints[i, KIND] >= COUPLED:
            vel = add(vel, follower_motion(ints, reals, v, work, i)[1])
    st3(work, i * NW + VEL, vel)
    return vel


@inline
def rigid(reals, i, R):
    """(m, h, I): mass, m c and inertia about the origin, in world axes."""
    second = (
        reals[i, SECOND],
        reals[i, SECOND + 1],
        reals[i, SECOND + 2],
        reals[i, SECOND + 3],
        reals[i, SECOND + 4],
        reals[i, SECOND + 5],
    )
    return reals[i, MASS], mv(R, real3(reals, i, FIRST)), rotate_s(R, second)


@inline
def inertial_wrench(m, h, I, om, al, a):
    """(moment about the origin, force) that the motion (om, al, a) of a rigid body needs.

    f = m a + al x h + om x (om x h);  n = I al + h x a + om x I om
    """
    f = add(axpy(m, a, cross(al, h)), cross(om, cross(om, h)))
    n = add(add(sv(I, al), cross(h, a)), cross(om, sv(I, om)))
    return n, f


@inline
def turn(q, k, w, dt):
    """Quaternion q[k:k+4] times exp(dt w), w in body axes."""
    a2 = dt * dt * dot(w, w)
    s, c = sincos(0.5 * root(a2))
    f = 0.5 * dt if a2 < SMALL else s / root(a2) * dt
    x = f * w[0]
    y = f * w[1]
    z = f * w[2]
    qw = ld(q, k)
    qx = ld(q, k + 1)
    qy = ld(q, k + 2)
    qz = ld(q, k + 3)
    nw = qw * c - qx * x - qy * y - qz * z
    nx = qw * x + qx * c + qy * z - qz * y
    ny = qw * y - qx * z + qy * c + qz * x
    nz = qw * z + qx * y - qy * x + qz * c
    r = 1.0 / root(nw * nw + nx * nx + ny * ny + nz * nz)
    st(q, k, r * nw)
    st(q, k + 1, r * nx)
    st(q, k + 2, r * ny)
    st(q, k + 3, r * nz)


@inline
def adding(ints, i):
    """How many of joint i's coordinates simply add; behind them stands a quaternion where it has more rates."""
    return ints[i, DOF] if has_one_axis(ints[i, KIND]) else ints[i, DOF] - 3


@inline
def advance_follower(ints, reals, q, v, dt, i):
    """The coordinates of a joint that follows by a matrix, by its own rates."""
    k = ints[i, IQ]
    if has_one_axis(ints[i, KIND] // COUPLED):
        st(q, k, ld(q, k) + dt * own_rate(ints, reals, v, i))
    else:
        turn(q, k, own_motion(ints, reals, v, i)[0], dt)


@inline
def advance(ints, reals, q, v, dt):
    """q <- q moved along v for dt."""
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0:
            if ints[i, KIND] >= COUPLED:
                advance_follower(ints, reals, q, v, dt, i)
            continue
        k = ints[i, IQ]
        l = ints[i, IV]
        adds = adding(ints, i)
        for r in range(adds):
            st(q, k + r, ld(q, k + r) + dt * ld(v, l + r))
        if ints[i, DOF] > adds:
            turn(q, k + adds, ld3(v, l + adds), dt)
