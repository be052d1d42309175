"""A joint that follows others by a matrix, in the outward passes: its rates are a constant matrix times its group's.

Such a body has a place in q of its own and none in v. Per unit of rate j of its group it moves by a column (TURNS,
MOVES) that is constant in its own axes, one of the rows of `reals` behind the bodies; leaders are joints like any
other. The group in the articulated-body algorithm: matrix_group.py. Checked in tests/dynamics/test_matrix_gears.py.
"""

from __future__ import annotations

from bunraku.dynamics.one_axis import has_one_axis, placed, real3, turns
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import add, axpy, col, dot, ld3, ld9, mm, mtv, mv, quat_matrix, scale
from bunraku.model.layout import (
    AXIS,
    COUPLED,
    DOF,
    FOLLOWS,
    IQ,
    IV,
    KIND,
    LEAD,
    MOVE_ROTOR,
    MOVES,
    NW,
    ROT,
    SLIDE,
    SLOT,
    TURN_ROTOR,
    TURNS,
    WRENCH,
)


@inline
def placed_follower(ints, reals, q, work, i, R, arm):
    """(rotation, arm, axis) of a follower by its own q, from those at q = 0, world axes."""
    base = ints[i, KIND] // COUPLED
    if has_one_axis(base):
        return placed(base, ints, reals, q, work, i, R, arm)
    k = ints[i, IQ]
    R = mm(R, quat_matrix(ld(q, k), ld(q, k + 1), ld(q, k + 2), ld(q, k + 3)))
    return R, arm, col(R, 2)


@part
def follower_column(ints, reals, work, i, j):
    """(angular, linear) motion of a follower, at its origin, per unit of rate j of its group."""
    R = ld9(work, i * NW + ROT)
    row = ints[i, FOLLOWS] + j
    return mv(R, real3(reals, row, TURNS)), mv(R, real3(reals, row, MOVES))


@inline
def own_motion(ints, reals, v, i):
    """(angular, linear) motion of a follower against its parent for the rates v, in its own axes."""
    row = ints[i, FOLLOWS]
    k = ints[i, IV]
    z = 0.0 * ld(v, k)
    turning = (z, z, z)
    moving = (z, z, z)
    for j in range(ints[i, DOF]):
        x = ld(v, k + j)
        turning = axpy(x, real3(reals, row + j, TURNS), turning)
        moving = axpy(x, real3(reals, row + j, MOVES), moving)
    return turning, moving


@inline
def follower_motion(ints, reals, v, work, i):
    """The same in world axes."""
    turning, moving = own_motion(ints, reals, v, i)
    R = ld9(work, i * NW + ROT)
    return mv(R, turning), mv(R, moving)


@inline
def rotor_between(ints, reals, i, j, k):
    """What a follower's armature adds to the inertia between two rates of its group."""
    one = ints[i, FOLLOWS] + j
    two = ints[i, FOLLOWS] + k
    return reals[one, TURN_ROTOR] * dot(real3(reals, one, TURNS), real3(reals, two, TURNS)) + reals[
        one, MOVE_ROTOR
    ] * dot(real3(reals, one, MOVES), real3(reals, two, MOVES))


@inline
def rotor_momentum(ints, reals, v, i):
    """(angular, linear) momentum of a follower's armature for the rates v, in its own axes."""
    turning, moving = own_motion(ints, reals, v, i)
    row = ints[i, FOLLOWS]
    return scale(reals[row, TURN_ROTOR], turning), scale(reals[row, MOVE_ROTOR], moving)


@part
def follower_torque(ints, reals, work, i, a, tau):
    """Add to the torques of the group what a follower's wrench and armature need."""
    w = i * NW
    R = ld9(work, w + ROT)
    turning, moving = rotor_momentum(ints, reals, a, i)
    n = add(mtv(R, ld3(work, w + WRENCH)), turning)
    f = add(mtv(R, ld3(work, w + WRENCH + 3)), moving)
    for j in range(ints[i, DOF]):
        row = ints[i, FOLLOWS] + j
        k = ints[i, IV] + j
        st(tau, k, ld(tau, k) + dot(real3(reals, row, TURNS), n) + dot(real3(reals, row, MOVES), f))


@inline
def rotor_energy(ints, reals, v, i):
    """Kinetic energy of a follower's armature."""
    turning, moving = own_motion(ints, reals, v, i)
    row = ints[i, FOLLOWS]
    return 0.5 * (reals[row, TURN_ROTOR] * dot(turning, turning) + reals[row, MOVE_ROTOR] * dot(moving, moving))


@inline
def rates_of(ints, c):
    """How many rates the matrix group of member c has."""
    lead = ints[c, LEAD]
    return (ints[lead + 1, SLOT] - ints[lead, SLOT]) // 6


@inline
def own_rate(ints, reals, v, i):
    """Rate of a follower with one axis: of its coordinate."""
    turning, moving = own_motion(ints, reals, v, i)
    k = ints[i, AXIS]
    if turns(ints[i, KIND] // COUPLED):
        return turning[0] if k == 0 else (turning[1] if k == 1 else turning[2])
    return (moving[0] if k == 0 else (moving[1] if k == 1 else moving[2])) / reals[i, SLIDE]
