"""Where a walking figure is, from its own instruments: attitude from the IMU, joints from the encoders, its velocity from
the edges that stand.

The point of a sole where the force sensor feels the pressure does not move; so the base moves as the joints say,
    v = - sum_f load_f u_f / sum_f load_f,      u_f: velocity of that point with the base at rest,
low-passed (`CUT`). A foot may roll on an edge: the point rolls with it. In the air the base falls. Nothing of the world's
true state is read. The place is nobody's business: the plan goes along with the foot that stands. Headings: what the
walk has turned is taken off the attitude, so that a figure that walks a bend sees itself walk ahead. Parts of the kernel
gaits.tracker_law; the instruments are those of control.state_estimate. Checked in tests/gaits/test_natural_walk.py.
"""

from __future__ import annotations

from math import cos, sin

from bunraku.control.end_links import survey, whole_momentum
from bunraku.gaits.walk_arrays import Walking
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, col, cross, ld3, ld9, mm, mv, scale
from bunraku.model.layout import NW, OMEGA, POS, ROT, VEL

CUT, FORCE_CUT = 60.0, 150.0  # Hz: of the velocity, of the loads
SURE = 20.0 / 677.0  # of the weight: less says nothing of where a sole is pressed


@inline
def held(x, low, high):
    """x in a range."""
    return min(max(x, low), high)


@inline
def smooth(u):
    """From 0 to 1, at rest at both ends."""
    return u * u * (3.0 - 2.0 * u)


@part
def take_in(w: Walking):
    """What was read, into q and v; the base at the origin and at rest, its heading less what the walk has turned."""
    q, v, now = w.problem.q, w.problem.v, w.now
    turned = now.heading + now.turn * smooth(held(now.phase, 0.0, 1.0))
    c, s = cos(0.5 * turned), -sin(0.5 * turned)
    e = w.imu.attitude
    for d in range(3):
        q[d] = 0.0
        v[d] = 0.0
        v[3 + d] = w.imu.gyro[d]
    q[3] = c * e[0] - s * e[3]
    q[4] = c * e[1] - s * e[2]
    q[5] = c * e[2] + s * e[1]
    q[6] = c * e[3] + s * e[0]
    for d in range(w.iq.shape[0]):
        q[w.iq[d]] = w.read_q[d]
    for d in range(w.iv.shape[0]):
        v[w.iv[d]] = w.read_v[d]


@part
def feel_feet(w: Walking):
    """Loads and pressures of the feet, and the base's velocity and place. After `survey` with the base at rest."""
    felt, figure, work = w.felt, w.figure, w.problem.scratch
    least = SURE * figure.weight
    moved = (0.0, 0.0, 0.0)
    sure = 0.0
    for f in range(2):
        force, torque, sole = w.wrench[f].force, w.wrench[f].torque, w.sole[f]
        load = max(-force[2], 0.0)
        felt.loads[f] = figure.keep_load * felt.loads[f] + (1.0 - figure.keep_load) * load
        if load <= least:
            continue
        half = sole.half
        x = held(-torque[1] / force[2], -half[0], half[0])
        y = held(torque[0] / force[2], -half[1], half[1])
        felt.pressure[f] = (x, y)
        body = w.body[2 + 2 * f] * NW
        R, om = ld9(work, body + ROT), ld3(work, body + OMEGA)
        turn = mm(R, sole.axes)
        arm = add(mv(R, sole.place), axpy(x, col(turn, 0), scale(y, col(turn, 1))))
        moved = axpy(load - least, add(ld3(work, body + VEL), cross(om, arm)), moved)
        sure += load - least
    for d in range(3):
        if sure > 0.0:
            felt.velocity[d] += (1.0 - figure.keep_velocity) * (-moved[d] / sure - felt.velocity[d])
        else:
            felt.velocity[d] += figure.period * figure.gravity[d]
        felt.place[d] += figure.period * felt.velocity[d]


@part
def look(w: Walking):
    """All that is seen: what was read, then links and the whole figure."""
    p, seen, felt = w.problem, w.instant, w.felt
    take_in(w)
    survey(p.ints, p.reals, p.q, p.v, p.scratch)
    feel_feet(w)
    base, velocity = ld3(felt.place, 0), ld3(felt.velocity, 0)
    for d in range(3):
        p.q[d] = base[d]
        p.v[d] = velocity[d]
    com, rate, spin = whole_momentum(p.ints, p.reals, p.scratch)
    seen.com = add(com, base)
    seen.com_rate = add(rate, velocity)
    seen.spin = spin
    work = p.scratch
    for k in range(6):
        body, link, frame = w.body[k] * NW, seen.link[k], w.frame[k]
        R, om = ld9(work, body + ROT), ld3(work, body + OMEGA)
        arm = mv(R, frame.place)
        link.place = add(add(ld3(work, body + POS), arm), base)
        link.turn = mm(R, frame.axes)
        link.rate = add(add(ld3(work, body + VEL), cross(om, arm)), velocity)
        link.spin = om
