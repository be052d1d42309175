"""The one balance law: where the floor's pressure should be, and the rates of momentum that follow from it.

A figure above its support is a linear inverted pendulum (Pratt et al. 2006, Englsberger et al. 2011):
    frequency        w^2 = g / height
    capture point    x = c + c'/w,                     so that x' = w (x - p): the pressure p drives it away
    pressure         p = z + (1 + k) (x - x_ref),      z = x_ref - x_ref'/w the pressure of the reference motion
    force            m w^2 (c - p) in the level
    moment           L' = -damper L about the centre of mass
Then (x - x_ref)' = -k w (x - x_ref): the error of the capture point dies out with the rate k w, and the centre of mass
follows with w.

Its users have gains of their own, and differ in what they know of the support:
    control.balance_law      walking. It adds the sum of the errors and the pressure that was felt to p, holds p in the
                             soles, which are two rectangles, and keeps the planned height by a spring.
    choreography.balance     a figure that is dragged. Its reference is a point at rest, z = x_ref, so that p is x +
                             k (x - x_ref). Any links may carry it, on points that come and go: no polygon is at hand,
                             so the friction cones of the whole-body problem hold the pressure inside, and the
                             acceleration asked for is bounded. Its height is left to pins and drags.
    motion.follow            a figure that follows a motion which obeys dynamics already. Its feedback on the centre of
                             mass, 2 b (c_ref' - c') + b^2 (c_ref - c), is this law with k = 1 and w = b, in all three
                             directions: a recorded figure may jump, where g / height means nothing.
World axes, SI units; level quantities are pairs. Checked in tests/control/test_capture_point.py.
"""

from __future__ import annotations

from bunraku.control.end_links import ROOT
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.kernel.compile import inline, part
from bunraku.model.layout import NW, RIGID

GYRATION = 0.15  # m^2: inertia over mass of a standing figure, with which angular accelerations are weighed


@inline
def held_in(x, low, high):
    """x in a range."""
    return min(max(x, low), high)


@inline
def pendulum_rate(gravity, height):
    """w [1/s] of the pendulum with its mass `height` above the floor."""
    return (gravity / height) ** 0.5


@inline
def capture_point_of(com, com_rate, omega):
    """x: where the pendulum comes to rest if the pressure is put there."""
    return com[0] + com_rate[0] / omega, com[1] + com_rate[1] / omega


@inline
def pressure_for(start, gain, error):
    """p along one axis for an error x - x_ref: start z and gain 1 + k; or, where z = x_ref, start x and gain k."""
    return start + gain * error


@inline
def away_from_pressure(stiffness, com, pressure):
    """What the pressure does to the centre of mass along one axis: its acceleration with stiffness w^2, the force on it
    with m w^2."""
    return stiffness * (com - pressure)


@inline
def damping_moment(damper, spin):
    """L' that damps the angular momentum `spin`; damper [1/s]."""
    return (-damper * spin[0], -damper * spin[1], -damper * spin[2])


@part
def ask_momentum(p: WholeBodyProblem, force, moment, level, height, spin):
    """Ask the whole-body problem for rates of momentum, with weights of squared accelerations: `level` and `height` of
    the centre of mass, `spin` of turning about it. After `survey`."""
    mass = p.scratch[ROOT * NW + RIGID + 9]
    inertia = GYRATION * mass
    for d in range(3):
        linear, angular = p.momentum[d], p.momentum[3 + d]
        linear.wanted = force[d]
        linear.weight = (level if d < 2 else height) / (mass * mass)
        angular.wanted = moment[d]
        angular.weight = spin / (inertia * inertia)
