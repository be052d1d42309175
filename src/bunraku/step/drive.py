"""Torques at the joints: springs, dampers, servos and motors, implicit where they are stiff.

Per degree of freedom, with rate v+ at the end of the step,
    spring and damper   -k (q + dt v+ - rest) - c v+
    servo               kp (target - q - dt v+) + kd (target rate - v+)
    motor               tau + servo, held within +-effort
    actuators, tendons  `also`, found by bunraku.world.actuators, constant
v+ = v + dt v' puts dt c + dt^2 k on the diagonal of the mass matrix, where rotor inertia stands already: so the
implicit terms go into the world's own copy of ROTOR and cost nothing. A servo at its limit is a constant torque and
gets no such term. Whether it is, its torque at the end of the step decides, which is known when the step is: so a
servo is taken as free or held, at first by its torque at the start, and where the new rates show another torque
(`drives_agree`) the step is done again with that. The torque falls as the rate rises, so one choice alone is right; past
ALL_AT_ONCE turns one servo is changed at a time, the first that is wrong, which ends (Murty's rule for bounded
variables: J. J. Júdice and F. M. Pires, Computers & Operations Research 21, 1994).
Balls take rotation vectors in body axes; their implicit term is the largest of the three, and their limits hold for the
torques at the start. Checked in tests/step/test_drive.py and test_effort.py.

Coulomb friction of joints is guessed from the last step, put into the free motion, and looked at when the impulses are
known (|lam| <= friction dt, and lam brings the rate to zero where that is enough). A joint that

    rests   is held like by a lock: `lock` on the diagonal of the mass matrix as the implicit term of a damper, ROTOR +=
            lock, torque -= lock v / dt, so that v+ = -lam / lock. `lock` is STIFF times the inertia that the joint
            moves: the rate that is left is 1e-10 of what lam would make of it. Right if |lam| <= friction dt.
    slides  has the torque -friction or +friction. Right if v+ does not turn round.

So a figure with friction in all its joints costs what one without costs; otherwise each adds a row to its island. Where
the guess is wrong for a joint, its friction gets a row and the step is done again; after a few such turns all get rows.
A joint near a limit has a row at once (a lock would leave the limit's row next to nothing to move), and so have all
joints where connections or kept gears tie a figure, with integrator rk4 and with contact "virtual_link", for which
`lock` is 0 (bunraku.world.joints). Checked in tests/step/test_joint_friction.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.model.layout import BALL, DOF, FOLLOWS, FREE, IQ, IV, KIND, ROTOR
from bunraku.step.step_arrays import AGAIN, OK, Step

BY_ROW, LOCKED, FORWARD, BACKWARD = 0, 1, 2, 3  # guesses; which way it slides
STIFF = 1e10  # lock / inertia
UNBOUNDED = 1e300  # effort of a servo without a limit
SLOW = 1e-4  # rad/s or m/s: below that a joint may be locked; v+ is the difference of rates, lam = -lock v+
MOST_TRIES = 4
ALL_AT_ONCE, MOST_CHANGES = 8, 100  # turns in which all servos that are wrong change; turns at the most
NEAR_END = 2e-3  # rad or m from a limit
EXACT = 1e-9  # of a bound: rounding


@inline
def ball_error(q, goal, k):
    """Rotation vector, body axes, from quaternion q[k:k+4] to goal[k:k+4]; of small and middle angles, twice the sine
    of half of larger ones."""
    w = q[k] * goal[k] + q[k + 1] * goal[k + 1] + q[k + 2] * goal[k + 2] + q[k + 3] * goal[k + 3]
    x = q[k] * goal[k + 1] - q[k + 1] * goal[k] - q[k + 2] * goal[k + 3] + q[k + 3] * goal[k + 2]
    y = q[k] * goal[k + 2] + q[k + 1] * goal[k + 3] - q[k + 2] * goal[k] - q[k + 3] * goal[k + 1]
    z = q[k] * goal[k + 3] - q[k + 1] * goal[k + 2] + q[k + 2] * goal[k + 1] - q[k + 3] * goal[k]
    s = 2.0 if w >= 0.0 else -2.0
    return (s * x, s * y, s * z)


@inline
def rest_error(q, k):
    """Rotation vector of a ball from its rest, which is no rotation."""
    s = 2.0 if q[k] >= 0.0 else -2.0
    return (s * q[k + 1], s * q[k + 2], s * q[k + 3])


@inline
def follow_track(s: Step):
    """The track's row of this step becomes the servos' target."""
    rows = s.track_q.shape[0]
    if rows == 0:
        return
    at = s.info.track_at
    row = min(at, rows - 1)
    for k in range(s.target_q.shape[0]):
        s.target_q[k] = s.track_q[row, k]
    for k in range(s.target_v.shape[0]):
        s.target_v[k] = s.track_v[row, k] if at == row else 0.0  # at its end it rests


@part
def drive_joints(s: Step, dt):
    """Torques `total` for aba, and the implicit terms of a step dt into ROTOR; none (explicit torques) with dt = 0."""
    follow_track(s)
    ints = s.ints
    q = s.q
    v = s.v
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0:
            continue
        k = ints[i, IQ]
        first = ints[i, IV]
        kind = ints[i, KIND]
        implicit = 0.0
        to_goal = (0.0, 0.0, 0.0)
        to_rest = (0.0, 0.0, 0.0)
        if kind == BALL:
            to_goal = ball_error(q, s.target_q, k)
            to_rest = rest_error(q, k)
        for j in range(ints[i, DOF]):
            d = first + j
            drive = s.drive[d]
            if kind == FREE:
                error = 0.0
                stretch = 0.0
            elif kind == BALL:
                error = to_goal[0] if j == 0 else (to_goal[1] if j == 1 else to_goal[2])
                stretch = to_rest[0] if j == 0 else (to_rest[1] if j == 1 else to_rest[2])
            else:
                error = s.target_q[k] - q[k]
                stretch = q[k] - drive.rest
            passive = drive.spring * (stretch + dt * v[d]) + drive.damping * v[d]
            servo = drive.kp * (error - dt * v[d]) + drive.kd * (s.target_v[d] - v[d])
            motor = s.tau[d] + servo
            if dt == 0.0 or kind == BALL or s.rows.count.tries == 0:
                drive.held = 0.0 if abs(motor) <= drive.effort else (1.0 if motor > 0.0 else -1.0)
            held = drive.held != 0.0
            if held:
                motor = drive.held * drive.effort
            s.total[d] = motor - passive + s.also[d]
            extra = dt * (drive.damping + dt * drive.spring)
            if not held:
                extra += dt * (drive.kd + dt * drive.kp)
            implicit = max(implicit, extra)
        s.reals[i, ROTOR] = s.drive[first].armature + implicit


@inline
def held_by(drive, motor):
    """Whether a servo that asks for a torque is taken as at its limit next: 1, -1, or 0 where it is not. From one limit
    to the other it goes by way of 0, without which the turns need not end."""
    if drive.held != 0.0:
        return drive.held if motor * drive.held >= drive.effort * (1.0 - EXACT) else 0.0
    most = drive.effort * (1.0 + EXACT)
    return 1.0 if motor > most else (-1.0 if motor < -most else 0.0)


@part
def drives_agree(s: Step):
    """Whether every servo is held or free as its torque at the new rates says; those that are not are changed."""
    dt = s.numbers.dt
    tries = s.rows.count.tries
    if s.info.exact != 0 or tries >= MOST_CHANGES:
        return True
    right = True
    for d in range(len(s.dofs)):
        drive = s.drive[d]
        if drive.effort >= UNBOUNDED or s.dofs[d].lead == 0 or (drive.kp == 0.0 and drive.kd == 0.0):
            continue
        k = s.dofs[d].iq
        v = s.next_v[d]
        motor = s.tau[d] + drive.kp * (s.target_q[k] - s.q[k] - dt * v) + drive.kd * (s.target_v[d] - v)
        now = held_by(drive, motor)
        if now != drive.held:
            drive.held = now
            right = False
            if tries >= ALL_AT_ONCE:
                break
    return right


@part
def note_torques(s: Step):
    """`applied`: what the drives of the joints in fact gave, with the rates at the end of the step."""
    ints = s.ints
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0:
            continue
        first = ints[i, IV]
        extra = s.reals[i, ROTOR] - s.drive[first].armature - s.dofs[first].held
        for d in range(first, first + ints[i, DOF]):
            s.applied[d] = s.total[d] - s.dofs[d].rubbed - extra * (s.next_v[d] - s.v[d]) / s.numbers.dt


@inline
def first_guess(s: Step, d):
    """What friction of joint d does, from the last step."""
    dof = s.dofs[d]
    limit = s.limits[d]
    v = s.v[d]
    if dof.limited != 0:
        x = s.q[dof.iq]
        near = NEAR_END + 2.0 * s.numbers.dt * abs(v)
        if x - limit.lower < near or limit.upper - x < near:
            return BY_ROW
    most = limit.friction * s.numbers.dt * (1.0 - EXACT)
    if abs(v) > SLOW:
        return FORWARD if v > 0.0 else BACKWARD
    last = s.joint_impulse[3 * d + 2]
    return BACKWARD if last >= most else (FORWARD if last <= -most else LOCKED)


@part
def guess_friction(s: Step):
    """Guess, and put the guess into ROTOR and the torques `total`; a second try keeps the guesses that were right."""
    tries = s.rows.count.tries
    tied = len(s.ties) > 0 or len(s.gears) > 0
    for k in range(s.rubbing.shape[0]):
        d = s.rubbing[k]
        dof = s.dofs[d]
        dof.held = 0.0
        dof.rubbed = 0.0
        if dof.lock == 0.0 or tied or tries >= MOST_TRIES:
            dof.guess = BY_ROW
        elif tries == 0:
            dof.guess = first_guess(s, d)
        if dof.guess == LOCKED:
            dof.held = dof.lock
            dof.rubbed = -dof.lock * s.v[d] / s.numbers.dt
            s.reals[dof.body, ROTOR] += dof.held
        elif dof.guess != BY_ROW:
            most = s.limits[d].friction
            dof.rubbed = -most if dof.guess == FORWARD else most
        s.total[d] += dof.rubbed


@part
def friction_agrees(s: Step, status):
    """OK if all guesses agree with the new rates, else AGAIN, with rows for those that do not. A step that has a status
    other than OK is tried again with rows for all, if there were guesses."""
    guessed = False
    wrong = False
    for k in range(s.rubbing.shape[0]):
        d = s.rubbing[k]
        dof = s.dofs[d]
        if dof.guess == BY_ROW:
            continue
        guessed = True
        v = s.next_v[d]
        right = v >= 0.0 if dof.guess == FORWARD else v <= 0.0
        if dof.guess == LOCKED:
            right = abs(dof.lock * v) <= s.limits[d].friction * s.numbers.dt
        if status != OK or not right:
            dof.guess = BY_ROW
            wrong = True
    if status != OK and not guessed:
        return status
    return AGAIN if wrong else OK


@part
def friction_by_rows(s: Step):
    """The friction of all joints gets rows; returns whether some was guessed."""
    guessed = False
    for k in range(s.rubbing.shape[0]):
        dof = s.dofs[s.rubbing[k]]
        guessed = guessed or dof.guess != BY_ROW
        dof.guess = BY_ROW
    return guessed


@inline
def keep_friction(s: Step):
    """Remember the impulses of guessed friction."""
    for k in range(s.rubbing.shape[0]):
        d = s.rubbing[k]
        dof = s.dofs[d]
        if dof.guess != BY_ROW:
            lam = -dof.lock * s.next_v[d] if dof.guess == LOCKED else s.numbers.dt * dof.rubbed
            s.joint_impulse[3 * d + 2] = lam
