"""Sensors measured in one kernel, exact: IMUs, force sensors, encoders; equations in bunraku.world.sensors.

    IMU      R = rotation of the sensor now:  gyro = R' w,   orientation = quaternion of R, w >= 0 (Shepperd 1978)
    force    at the pose of the last step's start: R' f,  R' (n - r x f) of the joint's wrench (n, f) at the body's
             origin, r from there to the sensor
    encoders q and v of joints
Checked in tests/world/test_readings.py.
"""

from __future__ import annotations

from bunraku.dynamics.passes import angles, place, spin, world_pose
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import st
from bunraku.kernel.record import Record, int_vector, many, mat3, vec3, vector, whole
from bunraku.kernel.vec import cross, ld3, ld9, mm, mtv, mv, st3, sub
from bunraku.model.layout import ALPHA, NW, OMEGA, ROT, WRENCH
from bunraku.step.step_arrays import Step
from bunraku.world.laststep_kernel import TurnedStep, turn_around

MOVES, CARRIES, TURNS = range(3)  # kinds: IMU, force sensor, encoders


class Reading(Record):
    """A sensor that is read."""

    kind = whole()
    body = whole()  # that carries it
    to = whole()  # where its channels begin in the values
    first = whole()  # of encoders: where their coordinates, then their rates begin in the index
    nq = whole()
    nv = whole()
    position = vec3()  # in the body's frame
    rotation = mat3()


class ReadingArrays(Record):
    """What readings are made of."""

    readings = many(Reading)
    index = int_vector()  # of encoders: places in q and in v
    work = vector()  # scratch
    values = vector()  # all channels, one behind the other


@inline
def quaternion(R):
    """wxyz of a rotation, from its largest component; w >= 0."""
    a, b, c, d = 1.0 + R[0] + R[4] + R[8], 1.0 + R[0] - R[4] - R[8], 1.0 - R[0] + R[4] - R[8], 1.0 - R[0] - R[4] + R[8]
    if a >= b and a >= c and a >= d:
        q = (a, R[7] - R[5], R[2] - R[6], R[3] - R[1])
        t = a
    elif b >= c and b >= d:
        q = (R[7] - R[5], b, R[1] + R[3], R[2] + R[6])
        t = b
    elif c >= d:
        q = (R[2] - R[6], R[1] + R[3], c, R[5] + R[7])
        t = c
    else:
        q = (R[3] - R[1], R[2] + R[6], R[5] + R[7], d)
        t = d
    k = 0.5 / t**0.5
    if q[0] < 0.0:
        k = -k
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@part
def poses_now(s: Step, last: TurnedStep, work):
    """Rotations and angular velocities of all bodies."""
    ints, reals = last.ints, last.reals
    angles(ints, s.q, work)
    world_pose(work)
    for k in range(3):
        st(work, OMEGA + k, 0.0)
        st(work, ALPHA + k, 0.0)
    for i in range(1, ints.shape[0]):
        R, _, axis = place(ints, reals, s.q, work, i)
        spin(ints, reals, s.v, work, i, R, axis)


@entry("h h h")
def measure_all(h, turned, own):
    """Fill the values; h: the world's step, turned: its last step, own: the readings."""
    s, last, t = Step(h), TurnedStep(turned), ReadingArrays(own)
    values, now, then = t.values, t.work, last.work
    known = last.known[0] != 0
    loads = False
    moves = False
    for k in range(len(t.readings)):
        loads = loads or t.readings[k].kind == CARRIES
        moves = moves or t.readings[k].kind == MOVES
    if loads and known:
        turn_around(s, last)
    if moves:
        poses_now(s, last, now)
    for k in range(len(t.readings)):
        one = t.readings[k]
        to = one.to
        w = one.body * NW
        if one.kind == MOVES:
            R = mm(ld9(now, w + ROT), one.rotation)
            st3(values, to, mtv(R, ld3(now, w + OMEGA)))
            x = quaternion(R)
            for d in range(4):
                values[to + 3 + d] = x[d]
        elif one.kind == CARRIES:
            if known:
                body = ld9(then, w + ROT)
                R = mm(body, one.rotation)
                f = ld3(then, w + WRENCH + 3)
                st3(values, to, mtv(R, f))
                n = sub(ld3(then, w + WRENCH), cross(mv(body, one.position), f))
                st3(values, to + 3, mtv(R, n))
            else:
                for d in range(6):
                    values[to + d] = 0.0
        else:
            for d in range(one.nq):
                values[to + d] = s.q[t.index[one.first + d]]
            for d in range(one.nv):
                values[to + one.nq + d] = s.v[t.index[one.first + one.nq + d]]
    return 0
