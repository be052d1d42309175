"""The last step turned around, in a kernel: the forces that acted, and by inverse dynamics the load of every joint.

    a = (v+ - v) / dt,    f = given + contacts,    tau = rnea(q, v, a, f)        at the pose q of the step's start

The scratch of rnea then holds of every body its pose, angular velocity and acceleration, specific force of its origin
and the wrench of its joint (bunraku.model.layout). Whoever reads sensors inside a kernel calls `turn_around`;
bunraku.world.laststep owns the arrays. World axes, SI units. Cost for a figure of 36 degrees of freedom: 3 us. Checked
in tests/world/test_sensors.py.
"""

from __future__ import annotations

from bunraku.dynamics.composite import place_all
from bunraku.dynamics.rnea_kernel import rnea_passes
from bunraku.kernel.compile import part
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Record, int_matrix, int_vector, matrix, vector
from bunraku.kernel.vec import cross, ld3, sub
from bunraku.model.layout import NW, POS
from bunraku.step.step_arrays import Step


class TurnedStep(Record):
    """The last step, and what is found when it is turned around."""

    ints = int_matrix()  # of the model
    reals = matrix()
    work = vector()  # scratch of rnea
    q = vector()  # at the start
    v = vector()
    after = vector()  # (nv) rates after the step
    accel = vector()  # (nv) found
    tau = vector()  # (nv) found
    given = vector()  # (6 nb) wrenches on bodies: pushes, connections
    forces = vector()  # (6 nb) with those of contacts
    known = int_vector()  # (1) whether there was a step


@part
def add_contacts(s: Step, work, forces):
    """Add what contacts put on the bodies, at their origins; poses are in `work`."""
    dt = s.numbers.dt
    found = s.detection
    for c in range(s.info.contacts):
        impulse = s.memory[c].impulse
        f = (impulse[0] / dt, impulse[1] / dt, impulse[2] / dt)
        x = found.contacts[c].point
        for side in range(2):
            body = found.kinds[found.ids[c].a if side == 0 else found.ids[c].b].body
            sign = 1.0 if side == 0 else -1.0
            n = cross(sub(x, ld3(work, body * NW + POS)), f)
            for d in range(3):
                forces[6 * body + d] += sign * f[d]
                forces[6 * body + 3 + d] += sign * n[d]


@part
def turn_around(s: Step, own: TurnedStep):
    """Fill forces, accel, tau and the scratch."""
    ints, reals, work, q = own.ints, own.reals, own.work, own.q
    dt = s.numbers.dt
    place_all(ints, reals, q, work)
    for k in range(own.forces.shape[0]):
        own.forces[k] = own.given[k]
    add_contacts(s, work, own.forces)
    for k in range(6):
        own.forces[k] = 0.0
    for k in range(own.accel.shape[0]):
        own.accel[k] = (own.after[k] - own.v[k]) / dt
    rnea_passes(ints, reals, q, own.v, own.accel, own.forces, work, own.tau)


@entry("h h")
def last_loads(h, own):
    """`turn_around` for Python; h: the world's step, own: its last step."""
    turn_around(Step(h), TurnedStep(own))
    return 0
