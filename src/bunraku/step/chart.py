"""A chart of the configurations around the start of a step, in which a Runge-Kutta method is an ordinary one.

q = q0 moved along theta: most coordinates add, quaternions turn by exp(theta) in body axes. So theta' = v but for
turns, where
    theta' = w + 1/2 theta x w + 1/12 theta x (theta x w) + O(theta^4)
(the inverse of the exponential's right differential). A method of order 4 for (theta, v) from theta = 0 is then one of
order 4 on the group, and q never leaves it: Munthe-Kaas, "High order Runge-Kutta methods on manifolds", Appl. Numer.
Math. 29 (1999). The terms left out are of fourth order in the step, as theta is of first, and of fifth once integrated.
Checked in tests/step/test_chart.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import axpy, cross, ld3, st3
from bunraku.model.layout import ADDS, DOF, FOLLOWS, IV


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
