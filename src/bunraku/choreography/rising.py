"""A fallen figure gets up: servos along key frames, from one statically stable pose to the next, then balance.

    lying anyhow -> arms out, knees apart, straight (OPEN) -> on the back: ROLL -> OPEN -> on the front: hands and knees
    (KNEES) -> pushed back on to flat feet (SQUAT) -> RISE: the balance law of bunraku.choreography.stepping, with the height of
    the centre of mass led up, pelvis and trunk upright, and steps where they are needed

After every stage the pose is looked at; what has failed begins again at OPEN, which brings any fall to nearly one pose:
that funnel is why few key frames do for all falls. An arm beneath the trunk is freed first. Servos are those of the
world's step, implicit, torques within the model's limits: nothing pulls from outside. Stage and clock are kept in
snapshots. A phase's part; key frames come from bunraku.choreography.rising_frames. Checked in
tests/choreography/test_rising.py.
"""

from __future__ import annotations

from math import acos, sin

from bunraku.choreography.dance_arrays import DRAG, Dance
from bunraku.choreography.rising_arrays import (
    FREE_ARM,
    FREE_WAYS,
    IDLE,
    KNEES,
    OPEN_BACK,
    OPEN_FRONT,
    RISE,
    ROLL,
    ROLL_MIRRORED,
    SQUAT,
)
from bunraku.control.end_links import ROOT, point_of, survey, whole_momentum
from bunraku.kernel.compile import part
from bunraku.kernel.vec import ld3
from bunraku.model.layout import BALL, DOF, FOLLOWS, FREE, IQ, IV, KIND, NW, POS, ROT
from bunraku.step.drive import ball_error
from bunraku.step.step_arrays import Step

DOWN = 0.55  # of the standing height of the centre of mass: below it a figure is down
PATIENCE, CALM, LONGEST = 0.4, 0.4, 2.0  # s down and m/s slow, or s in any case: it begins to get up
PRONE, SIDE = -0.8, -0.3  # how far ahead points up: on the front, and nearly so
TRAPPED = 0.5  # rad that a shoulder is from where it should be
UPRIGHT = 0.93  # of the standing height: it stands
SPEED = 0.45  # m/s: of the centre of mass while it rises
SLOWER = 0.12  # part of the time: what has failed is done slower, so that it does not fail alike
TOO_LONG = 5.0  # s of rising


@part
def take_pose(d: Dance, s: Step):
    """The figure's q and v into the problem, and poses of all bodies."""
    p, info = d.problem, d.info
    for k in range(p.q.shape[0]):
        p.q[k] = s.q[info.q_first + k]
    for k in range(p.v.shape[0]):
        p.v[k] = s.v[info.v_first + k]
    survey(p.ints, p.reals, p.q, p.v, p.scratch)
    d.seen.com, d.seen.com_rate, d.seen.spin = whole_momentum(p.ints, p.reals, p.scratch)


@part
def ground_of(d: Dance, s: Step):
    """Height of the lowest point that touches what is fixed; of the lower sole without one."""
    info, n = d.info, s.info.contacts
    ids, shapes = s.detection.ids, s.detection.kinds
    low = 1e9
    for c in range(n):
        a = ids[c].a
        b = ids[c].b
        mine = shapes[a].figure == info.figure or shapes[b].figure == info.figure
        if mine and (shapes[a].body == 0 or shapes[b].body == 0):
            low = min(low, s.detection.contacts[c].point[2])
    if low > 1e8:
        for f in range(2):
            low = min(low, point_of(d.problem.scratch, d.sole[f].body, d.sole[f].place)[2])
    return low


@part
def facing(d: Dance):
    """(how far the front of pelvis and trunk points up, how far their left side does)."""
    work, trunk = d.problem.scratch, d.rising_parts.trunk
    a = ROOT * NW + ROT + 6
    b = trunk * NW + ROT + 6
    return 0.5 * (work[a] + work[b]), 0.5 * (work[a + 1] + work[b + 1])


@part
def go_to(d: Dance, stage):
    """Begin a stage."""
    r = d.rising
    r.stage = stage
    r.frame = 0
    r.clock = 0.0
    if stage == OPEN_FRONT or stage == OPEN_BACK:
        for k in range(d.rising_from.shape[0]):
            d.rising_from[k] = d.problem.q[k]
    if stage == RISE:
        r.height = 0.0
        d.step.mode = 0
        d.step.cool = d.step.clock + 0.5


@part
def open_up(d: Dance):
    """Begin at the beginning."""
    ahead = facing(d)[0]
    d.rising.tries += 1
    d.rising.freed = 0
    go_to(d, OPEN_FRONT if ahead < SIDE else OPEN_BACK)


@part
def arm_is_trapped(d: Dance):
    """Whether an arm could not follow."""
    stage = OPEN_FRONT
    front = d.rising_stage[stage]
    goal = d.rising_pose[front.first + front.count - 1]
    worst = 0.0
    for side in range(2):
        e = ball_error(d.problem.q, goal, d.rising_parts.shoulder[side])
        worst = max(worst, abs(e[0]), abs(e[1]), abs(e[2]))
    return worst > TRAPPED


@part
def on_hands_and_knees(d: Dance, ground):
    """Whether shoulders and pelvis are up and the knees down, or nearly."""
    work, parts, size = d.problem.scratch, d.rising_parts, d.rising_parts.size
    good = ld3(work, ROOT * NW + POS)[2] - ground > 0.3 * size
    for side in range(2):
        good = good and ld3(work, parts.arm[side] * NW + POS)[2] - ground > 0.33 * size
        good = good and ld3(work, parts.shank[side] * NW + POS)[2] - ground < 0.3 * size
    return good


@part
def squats(d: Dance):
    """Whether both soles are flat and the centre of mass is above them."""
    work, size, com = d.problem.scratch, d.rising_parts.size, d.seen.com
    x = 0.0
    y = 0.0
    flat = True
    for f in range(2):
        sole = d.sole[f]
        at = point_of(work, sole.body, sole.place)
        x += 0.5 * at[0]
        y += 0.5 * at[1]
        k = sole.body * NW + ROT
        up = work[k + 6] * sole.turn[2] + work[k + 7] * sole.turn[5] + work[k + 8] * sole.turn[8]
        flat = flat and up > 0.95
    off = ((com[0] - x) ** 2 + (com[1] - y) ** 2) ** 0.5
    return flat and off < 0.13 * size


@part
def next_stage(d: Dance, s: Step):
    """A stage is done: look where it has led, and begin the next one."""
    r = d.rising
    take_pose(d, s)
    ahead, left = facing(d)
    if r.stage == OPEN_FRONT or r.stage == OPEN_BACK or FREE_ARM <= r.stage < FREE_ARM + FREE_WAYS:
        if ahead < PRONE:
            if r.freed < FREE_WAYS and arm_is_trapped(d):
                r.freed += 1
                go_to(d, FREE_ARM + r.freed - 1)
            else:
                go_to(d, KNEES)
        elif ahead < SIDE:
            open_up(d)
        else:
            go_to(d, ROLL if left <= 0.1 else ROLL_MIRRORED)
    elif r.stage == KNEES and on_hands_and_knees(d, ground_of(d, s)):
        go_to(d, SQUAT)
    elif r.stage == SQUAT and squats(d):
        go_to(d, RISE)
    elif r.stage == ROLL or r.stage == ROLL_MIRRORED:
        r.failed += 0 if ahead < SIDE else 1
        open_up(d)
    else:
        r.failed += 1
        open_up(d)


@part
def play_frames(d: Dance, s: Step):
    """The servos' targets of this step."""
    r, first = d.rising, d.info.q_first
    stage = d.rising_stage[r.stage]
    at = stage.first + r.frame
    frame, goal, begin = d.rising_frame[at], d.rising_pose[at], d.rising_from
    seconds = frame.seconds * (1.0 + SLOWER * (r.failed % 3))
    u = min(r.clock / seconds, 1.0)
    u = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
    ints = d.problem.ints
    for i in range(1, ints.shape[0]):
        kind, k = ints[i, KIND], ints[i, IQ]
        if ints[i, FOLLOWS] != 0 or kind == FREE:
            continue
        if kind == BALL:
            w = (
                begin[k] * goal[k]
                + begin[k + 1] * goal[k + 1]
                + begin[k + 2] * goal[k + 2]
                + begin[k + 3] * goal[k + 3]
            )
            sign = 1.0 if w >= 0.0 else -1.0
            angle = acos(min(abs(w), 1.0))
            a, b = 1.0 - u, sign * u
            if angle > 1e-3:
                a, b = sin((1.0 - u) * angle) / sin(angle), sign * sin(u * angle) / sin(angle)
            for c in range(4):
                s.target_q[first + k + c] = a * begin[k + c] + b * goal[k + c]
        else:
            s.target_q[first + k] = begin[k] + u * (goal[k] - begin[k])
        for c in range(ints[i, IV], ints[i, IV] + ints[i, DOF]):
            drive = s.drive[d.info.v_first + c]
            drive.kp = frame.stiff * d.rising_stiff[c]
            drive.kd = 0.12 * drive.kp
            s.target_v[d.info.v_first + c] = 0.0
            s.tau[d.info.v_first + c] = 0.0
    r.driven = 1
    r.clock += s.numbers.dt
    if r.clock >= seconds + (stage.hold if r.frame == stage.count - 1 else 0.0):
        for k in range(goal.shape[0]):
            begin[k] = goal[k]
        r.clock = 0.0
        r.frame += 1
        if r.frame == stage.count:
            next_stage(d, s)


@part
def servos_off(d: Dance, s: Step):
    """The servos give nothing."""
    for c in range(d.problem.v.shape[0]):
        drive = s.drive[d.info.v_first + c]
        drive.kp = 0.0
        drive.kd = 0.0
    d.rising.driven = 0


@part
def shall_begin(d: Dance, s: Step):
    """Whether it is down and shall get up: it was told to, or has come to rest and nothing drags it."""
    r, dt = d.rising, s.numbers.dt
    height = d.seen.com[2] - r.ground
    if height > DOWN * d.step.stance_height:
        r.low = 0.0
        r.wanted = 0
        return False
    r.low += dt
    if r.wanted != 0:
        return True
    if r.auto == 0 or d.info.balance == 0:
        return False
    for k in range(len(d.pin)):
        if d.pin[k].kind == DRAG:
            return False
    v = d.seen.com_rate
    slow = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < CALM * CALM
    return (r.low > PATIENCE and slow) or r.low > LONGEST


@part
def rising_law(d: Dance, s: Step):
    """Whether servos drive this step. `seen` is of the step before."""
    r = d.rising
    if r.stage == IDLE:
        r.ground = ground_of(d, s)
        if shall_begin(d, s):
            r.wanted = 0
            r.began = 0.0
            r.tries = 0
            r.failed = 0
            take_pose(d, s)
            open_up(d)
    if r.stage == IDLE:
        return False
    r.began += s.numbers.dt
    if r.stage == RISE:
        rise_on(d, s)
    if r.stage == RISE or r.stage == IDLE:
        if r.driven != 0:
            servos_off(d, s)
        return False
    play_frames(d, s)
    return True


@part
def rise_on(d: Dance, s: Step):
    """From the squat up: the height that is asked for; whether it stands, or has failed."""
    r, state = d.rising, d.step
    ground = min(state.foot[0].place[2], state.foot[1].place[2])
    height = d.seen.com[2] - ground
    if r.clock == 0.0:
        r.height = height
    r.clock += s.numbers.dt
    r.height = min(min(r.height + SPEED * s.numbers.dt, height + 0.15 * d.rising_parts.size), state.stance_height)
    if height > UPRIGHT * state.stance_height:
        r.stage = IDLE
        r.low = 0.0
    elif r.clock > TOO_LONG or (r.clock > 0.4 and height < 0.22 * state.stance_height):
        take_pose(d, s)
        open_up(d)
