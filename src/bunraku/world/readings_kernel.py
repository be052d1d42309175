"""Sensors measured in one kernel, exact: IMUs, force sensors, encoders; equations in bunraku.world.sensors.

    IMU      R = rotation of the sensor now:  gyro = R' w,   orientation = quaternion of R, w >= 0 (Shepperd 1978)
    force    at the pose of the last step's start: R' f,  R' (n - r x f) of the joint's wrench (n, f) at the body's origin, r from there to the sensor
    encoders q and v of joints
Checked in tests/world/test_readings.py.
"""

from __future__ import annotations

from bunraku.dynamics.passes import angles, place, spin, world_pose
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import st
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import cross, ld3, ld9, mm, mtv, mv, st3, sub
from bunraku.model.layout import ALPHA, NW, OMEGA, ROT, WRENCH
from bunraku.step.step_arrays import Q, V, places
from bunraku.world.laststep_kernel import L_INTS, L_KNOWN, L_REALS, L_SCRATCH, turn_around

R_WHAT, R_PLACE, R_INDEX, R_SCRATCH, R_VALUES = places(0, 5)
R_ARRAYS = 5
# columns of R_WHAT: kind; body, or first entry of R_INDEX; first entry of R_VALUES; numbers of coordinates and rates
KIND, FROM, TO, NQ, NV, COLUMNS = range(6)
MOVES, CARRIES, TURNS = range(3)  # kinds: IMU, force sensor, encoders
# columns of R_PLACE: position in the body's frame, rotation


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
def poses_now(h, last, work):
    """Rotations and angular velocities of all bodies."""
    ints, reals, q, v = ints2(last, L_INTS), reals2(last, L_REALS), reals1(h, Q), reals1(h, V)
    angles(ints, q, work)
    world_pose(work)
    for k in range(3):
        st(work, OMEGA + k, 0.0)
        st(work, ALPHA + k, 0.0)
    for i in range(1, ints.shape[0]):
        R, _, s = place(ints, reals, q, work, i)
        spin(ints, reals, v, work, i, R, s)


@entry("h h h")
def measure_all(h, last, own):
    """R_VALUES; h: the world's table, last: that of its last step, own: that of the readings."""
    what, places_, values = ints2(own, R_WHAT), reals2(own, R_PLACE), reals1(own, R_VALUES)
    index, now, then = ints1(own, R_INDEX), reals1(own, R_SCRATCH), reals1(last, L_SCRATCH)
    q, v = reals1(h, Q), reals1(h, V)
    known = ints1(last, L_KNOWN)[0] != 0
    loads = False
    moves = False
    for k in range(what.shape[0]):
        loads = loads or what[k, KIND] == CARRIES
        moves = moves or what[k, KIND] == MOVES
    if loads and known:
        turn_around(h, last)
    if moves:
        poses_now(h, last, now)
    for k in range(what.shape[0]):
        to = what[k, TO]
        w = what[k, FROM] * NW
        if what[k, KIND] == MOVES:
            R = mm(ld9(now, w + ROT), ld9(places_[k], 3))
            st3(values, to, mtv(R, ld3(now, w + OMEGA)))
            x = quaternion(R)
            for d in range(4):
                values[to + 3 + d] = x[d]
        elif what[k, KIND] == CARRIES:
            if known:
                body = ld9(then, w + ROT)
                R = mm(body, ld9(places_[k], 3))
                f = ld3(then, w + WRENCH + 3)
                st3(values, to, mtv(R, f))
                n = sub(ld3(then, w + WRENCH), cross(mv(body, ld3(places_[k], 0)), f))
                st3(values, to + 3, mtv(R, n))
            else:
                for d in range(6):
                    values[to + d] = 0.0
        else:
            first = what[k, FROM]
            for d in range(what[k, NQ]):
                values[to + d] = q[index[first + d]]
            first += what[k, NQ]
            to += what[k, NQ]
            for d in range(what[k, NV]):
                values[to + d] = v[index[first + d]]
    return 0
