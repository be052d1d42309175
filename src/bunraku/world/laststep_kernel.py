"""The last step turned around, in a kernel: the forces that acted, and by inverse dynamics the load of every joint.

    a = (v+ - v) / dt,    f = given + contacts,    tau = rnea(q, v, a, f)        at the pose q of the step's start

The scratch of rnea then holds of every body its pose, angular velocity and acceleration, specific force of its origin
and the wrench of its joint (bunraku.model.layout). Whoever reads sensors inside a kernel calls `turn_around`;
bunraku.world.laststep owns the arrays. World axes, SI units. Cost for a figure of 36 degrees of freedom: 3 us. Checked
in tests/world/test_sensors.py.
"""

from __future__ import annotations

from bunraku.collision.shape_layout import BODY, POINT, SHAPE_A
from bunraku.dynamics.passes import angles, place, world_pose
from bunraku.dynamics.rnea_kernel import rnea_passes
from bunraku.kernel.compile import part
from bunraku.kernel.entry import entry
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import cross, ld3, sub
from bunraku.model.layout import NW, POS
from bunraku.step.step_arrays import (
    CONTACTS,
    DT,
    IDS,
    INFO,
    LAST_FORCE,
    N_CONTACTS,
    NUMBERS,
    SHAPE_INTS,
    number,
    places,
)

L_INTS, L_REALS, L_SCRATCH = places(0, 3)  # of the model, scratch of rnea
L_Q, L_V, L_AFTER = places(3, 6)  # at the start; rates after the step
L_RATE, L_TAU = places(6, 8)  # (nv) found: accelerations, torques
L_GIVEN, L_FORCE = places(8, 10)  # (6 nb) wrenches on bodies: given (pushes, connections); with those of contacts
L_KNOWN = number(10)  # (1) whether there was a step
L_ARRAYS = 11


@part
def add_contacts(h, work, forces):
    """Add what contacts put on the bodies, at their origins; poses are in `work`."""
    ids, data, force, shapes = ints2(h, IDS), reals2(h, CONTACTS), reals2(h, LAST_FORCE), ints2(h, SHAPE_INTS)
    dt = reals1(h, NUMBERS)[DT]
    for c in range(ints1(h, INFO)[N_CONTACTS]):
        f = (force[c, 0] / dt, force[c, 1] / dt, force[c, 2] / dt)
        x = (data[c, POINT], data[c, POINT + 1], data[c, POINT + 2])
        for side in range(2):
            body = shapes[ids[c, SHAPE_A + side], BODY]
            sign = 1.0 if side == 0 else -1.0
            n = cross(sub(x, ld3(work, body * NW + POS)), f)
            for d in range(3):
                forces[6 * body + d] += sign * f[d]
                forces[6 * body + 3 + d] += sign * n[d]


@part
def turn_around(h, own):
    """Fill L_FORCE, L_RATE, L_TAU and the scratch; h: the world's table, own: that of its last step."""
    ints, reals, work, q = ints2(own, L_INTS), reals2(own, L_REALS), reals1(own, L_SCRATCH), reals1(own, L_Q)
    v, after, a = reals1(own, L_V), reals1(own, L_AFTER), reals1(own, L_RATE)
    given, forces = reals1(own, L_GIVEN), reals1(own, L_FORCE)
    dt = reals1(h, NUMBERS)[DT]
    angles(ints, q, work)
    world_pose(work)
    for i in range(1, ints.shape[0]):
        place(ints, reals, q, work, i)
    for k in range(forces.shape[0]):
        forces[k] = given[k]
    add_contacts(h, work, forces)
    for k in range(6):
        forces[k] = 0.0
    for k in range(a.shape[0]):
        a[k] = (after[k] - v[k]) / dt
    rnea_passes(ints, reals, q, v, a, forces, work, reals1(own, L_TAU))


@entry("h h")
def last_loads(h, own):
    """`turn_around` for Python."""
    turn_around(h, own)
    return 0
