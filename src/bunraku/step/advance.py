"""Configurations that move: q along v for dt, in place and on the group, and a chart around the start of a step.

Hinges and sliders add; quaternions turn in body axes by the exponential map and keep length one: the kernel twin of
bunraku.model.configuration.integrate.

In the chart q = q0 moved along theta a Runge-Kutta method is an ordinary one: theta' = v but for turns, where
    theta' = w + 1/2 theta x w + 1/12 theta x (theta x w) + O(theta^4)
(the inverse of the exponential's right differential). A method of order 4 for (theta, v) from theta = 0 is then one of
order 4 on the group, and q never leaves it: Munthe-Kaas, "High order Runge-Kutta methods on manifolds", Appl. Numer.
Math. 29 (1999). The terms left out are of fourth order in the step, as theta is of first, and of fifth once integrated.
Checked in tests/step/test_advance.py and test_chart.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, root, st
from bunraku.kernel.trig import sincos
from bunraku.kernel.vec import axpy, cross, dot, ld3, st3
from bunraku.model.layout import ADDS, DOF, FOLLOWS, IQ, IV

SMALL = 1e-24  # squared angle below which the exponential is its first two terms


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
def advance(ints, q, v, dt):
    """q <- q moved along v for dt."""
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0:
            continue
        k = ints[i, IQ]
        l = ints[i, IV]
        adds = ints[i, ADDS]
        for r in range(adds):
            st(q, k + r, ld(q, k + r) + dt * ld(v, l + r))
        if ints[i, DOF] > adds:
            turn(q, k + adds, ld3(v, l + adds), dt)


@inline
def turn_rate(t, w):
    """theta' for the rate w in body axes."""
    c = cross(t, w)
    return axpy(0.5, c, axpy(1.0 / 12.0, cross(t, c), w))


@inline
def chart_rate(ints, theta, v, out):
    """out = theta' (nv) at theta for the rates v."""
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0:
            continue
        k = ints[i, IV]
        adds = ints[i, ADDS]
        for r in range(adds):
            st(out, k + r, ld(v, k + r))
        if ints[i, DOF] > adds:
            st3(out, k + adds, turn_rate(ld3(theta, k + adds), ld3(v, k + adds)))
