"""Poses, velocities and bias accelerations of all bodies, and the figure's centre of mass, momentum and energy.

Velocities and accelerations are those of the body's origin, (linear, angular) in world axes; accelerations are
classical, for v' = 0 and without gravity: the acceleration is J v' + bias. Momentum is (linear, angular about the
centre of mass). Energy: kinetic, rotors included, and potential, zero at the world's origin. Checked in
tests/dynamics/test_laws.py and test_pinocchio.py.
"""

from __future__ import annotations

from bunraku.dynamics.arguments import OK
from bunraku.dynamics.composite import composite_wrench, composites, joint_column
from bunraku.dynamics.follower import rotor_energy as follower_rotor_energy
from bunraku.dynamics.passes import angles, drift, place, rigid, spin, swing, world_pose
from bunraku.dynamics.work import opened
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow, ld, st
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, ld9, scale, st3, sub, sv
from bunraku.model.layout import (
    ACC,
    ALPHA,
    COUPLED,
    DOF,
    IV,
    KIND,
    NW,
    OMEGA,
    PLACE,
    POS,
    RATIO,
    RIGID,
    ROT,
    ROTOR,
    VEL,
)


@inline
def motion_pass(ints, reals, q, v, work):
    """Poses, angular and linear velocities, bias accelerations without gravity."""
    angles(ints, q, work)
    world_pose(work)
    for k in range(3):
        st(work, OMEGA + k, 0.0)
        st(work, ALPHA + k, 0.0)
        st(work, ACC + k, 0.0)
        st(work, VEL + k, 0.0)
    for i in range(1, ints.shape[0]):
        R, arm, s = place(ints, reals, q, work, i)
        swing(ints, reals, v, work, i, arm, s)
        drift(ints, reals, v, work, i, arm, s)
        spin(ints, reals, v, work, i, R, s)


@entry("h DD DD DDD DDD DDD DDD")
def kinematics_many(handle, q, v, rotation, position, twist, bias):
    """Fill rotation (batch, nb, 9), position (batch, nb, 3), twist (batch, nb, 6), bias (batch, nb, 6)."""
    ints, reals, work = opened(handle)
    rows = borrow(q)
    rates = borrow(v)
    for b in range(q.shape[0]):
        motion_pass(ints, reals, rows[b], rates[b], work)
        for i in range(ints.shape[0]):
            w = i * NW
            for k in range(9):
                rotation[b, i, k] = ld(work, w + ROT + k)
            for k in range(3):
                position[b, i, k] = ld(work, w + POS + k)
                twist[b, i, k] = ld(work, w + VEL + k)
                twist[b, i, 3 + k] = ld(work, w + OMEGA + k)
                bias[b, i, k] = ld(work, w + ACC + k)
                bias[b, i, 3 + k] = ld(work, w + ALPHA + k)
    return OK


@inline
def rotor_energy(ints, reals, v, i):
    """Kinetic energy of joint i's rotor."""
    if ints[i, KIND] >= COUPLED:
        return follower_rotor_energy(ints, reals, v, i)
    e = 0.0
    for k in range(ints[i, DOF]):
        rate = reals[i, RATIO] * ld(v, ints[i, IV] + k)
        e += 0.5 * reals[i, ROTOR] * rate * rate
    return e


@entry("h DD DD DD")
def centroidal_many(handle, q, v, out):
    """Fill out (batch, 12): centre of mass 3, linear momentum 3, angular momentum about it 3, kinetic, potential
    energy, mass."""
    ints, reals, work = opened(handle)
    rows = borrow(q)
    rates = borrow(v)
    for b in range(q.shape[0]):
        motion_pass(ints, reals, rows[b], rates[b], work)
        mass = 0.0
        first = (0.0, 0.0, 0.0)
        linear = (0.0, 0.0, 0.0)
        angular = (0.0, 0.0, 0.0)
        kinetic = 0.0
        for i in range(1, ints.shape[0]):
            w = i * NW
            p = ld3(work, w + POS)
            om = ld3(work, w + OMEGA)
            vel = ld3(work, w + VEL)
            m, h, I = rigid(reals, i, ld9(work, w + ROT))
            l = axpy(m, vel, cross(om, h))
            n = add(sv(I, om), cross(h, vel))
            mass += m
            first = add(first, axpy(m, p, h))
            linear = add(linear, l)
            angular = add(angular, add(n, cross(p, l)))
            kinetic += 0.5 * (dot(vel, l) + dot(om, n)) + rotor_energy(ints, reals, rates[b], i)
        com = scale(1.0 / mass, first) if mass > 0.0 else first
        angular = sub(angular, cross(com, linear))
        g = (reals[0, PLACE], reals[0, PLACE + 1], reals[0, PLACE + 2])
        row = out[b]
        st3(row, 0, com)
        st3(row, 3, linear)
        st3(row, 6, angular)
        row[9] = kinetic
        row[10] = -dot(g, first)
        row[11] = mass
    return OK


@entry("h DD DDD")
def momentum_matrix_many(handle, q, out):
    """Fill out (batch, 6, nv): momentum (linear, angular about the centre of mass) per rate of each DoF."""
    ints, reals, work = opened(handle)
    rows = borrow(q)
    for b in range(q.shape[0]):
        composites(ints, reals, rows[b], work)
        for r in range(6):
            for k in range(out.shape[2]):
                out[b, r, k] = 0.0
        mass = ld(work, RIGID + 9)
        com = scale(1.0 / mass, ld3(work, RIGID)) if mass > 0.0 else ld3(work, RIGID)
        for i in range(1, ints.shape[0]):
            arm = sub(ld3(work, i * NW + POS), com)
            for k in range(ints[i, DOF]):
                sa, sl = joint_column(ints, reals, work, i, k)
                n, f = composite_wrench(work, i, sa, sl)
                n = add(n, cross(arm, f))
                c = ints[i, IV] + k
                for r in range(3):
                    out[b, r, c] += f[r]
                    out[b, 3 + r, c] += n[r]
    return OK
