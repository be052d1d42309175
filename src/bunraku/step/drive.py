"""Torques at the joints: springs, dampers, servos and motors, implicit where they are stiff.

Per degree of freedom, with rate v+ at the end of the step,
    spring and damper   -k (q + dt v+ - rest) - c v+
    servo               kp (target - q - dt v+) + kd (target rate - v+)
    motor               tau + servo, held within +-effort
v+ = v + dt v' puts dt c + dt^2 k on the diagonal of the mass matrix, where rotor inertia stands already: so the
implicit terms go into the world's own copy of ROTOR and cost nothing. A servo at its limit is a constant torque and
gets no such term. Balls take rotation vectors in body axes; their implicit term is the largest of the three. Checked in
tests/step/test_drive.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints1, reals1, reals2
from bunraku.model.layout import BALL, DOF, FOLLOWS, FREE, IQ, IV, KIND, ROTOR
from bunraku.step.step_arrays import (
    APPLIED,
    DRIVE,
    DT,
    INFO,
    NEXT_V,
    NUMBERS,
    TARGET_Q,
    TARGET_V,
    TAU,
    TOTAL,
    TRACK_AT,
    TRACK_Q,
    TRACK_V,
    Q,
    V,
    model_of,
)

# columns of DRIVE; ARMATURE is the rotor inertia of the model, HELD whether the servo is at its limit
KP, KD, EFFORT, SPRING, REST, DAMPING, ARMATURE, HELD = range(8)


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
def follow_track(h):
    """The track's row of this step becomes the servos' target."""
    track_q = reals2(h, TRACK_Q)
    if track_q.shape[0] == 0:
        return
    track_v = reals2(h, TRACK_V)
    goal = reals1(h, TARGET_Q)
    rate = reals1(h, TARGET_V)
    at = ints1(h, INFO)[TRACK_AT]
    row = min(at, track_q.shape[0] - 1)
    for k in range(goal.shape[0]):
        goal[k] = track_q[row, k]
    for k in range(rate.shape[0]):
        rate[k] = track_v[row, k] if at == row else 0.0  # at its end it rests


@part
def drive_joints(h, dt):
    """TOTAL torques for aba, and the implicit terms of a step dt into ROTOR; none (explicit torques) with dt = 0."""
    follow_track(h)
    ints, reals, _ = model_of(h)
    q = reals1(h, Q)
    v = reals1(h, V)
    tau = reals1(h, TAU)
    total = reals1(h, TOTAL)
    drive = reals2(h, DRIVE)
    goal = reals1(h, TARGET_Q)
    rate = reals1(h, TARGET_V)
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0:
            continue
        k = ints[i, IQ]
        d0 = ints[i, IV]
        kind = ints[i, KIND]
        implicit = 0.0
        to_goal = (0.0, 0.0, 0.0)
        to_rest = (0.0, 0.0, 0.0)
        if kind == BALL:
            to_goal = ball_error(q, goal, k)
            to_rest = rest_error(q, k)
        for j in range(ints[i, DOF]):
            d = d0 + j
            if kind == FREE:
                error = 0.0
                stretch = 0.0
            elif kind == BALL:
                error = to_goal[0] if j == 0 else (to_goal[1] if j == 1 else to_goal[2])
                stretch = to_rest[0] if j == 0 else (to_rest[1] if j == 1 else to_rest[2])
            else:
                error = goal[k] - q[k]
                stretch = q[k] - drive[d, REST]
            passive = drive[d, SPRING] * (stretch + dt * v[d]) + drive[d, DAMPING] * v[d]
            servo = drive[d, KP] * (error - dt * v[d]) + drive[d, KD] * (rate[d] - v[d])
            motor = tau[d] + servo
            most = drive[d, EFFORT]
            held = not abs(motor) <= most
            if held:
                motor = min(max(motor, -most), most)
            drive[d, HELD] = 1.0 if held else 0.0
            total[d] = motor - passive
            extra = dt * (drive[d, DAMPING] + dt * drive[d, SPRING])
            if not held:
                extra += dt * (drive[d, KD] + dt * drive[d, KP])
            implicit = max(implicit, extra)
        reals[i, ROTOR] = drive[d0, ARMATURE] + implicit


@inline
def rest_error(q, k):
    """Rotation vector of a ball from its rest, which is no rotation."""
    s = 2.0 if q[k] >= 0.0 else -2.0
    return (s * q[k + 1], s * q[k + 2], s * q[k + 3])


@part
def note_torques(h):
    """APPLIED: what drives the joints in fact gave, with the rates at the end of the step."""
    ints, reals, _ = model_of(h)
    v = reals1(h, V)
    after = reals1(h, NEXT_V)
    total = reals1(h, TOTAL)
    drive = reals2(h, DRIVE)
    applied = reals1(h, APPLIED)
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0:
            continue
        d0 = ints[i, IV]
        extra = reals[i, ROTOR] - drive[d0, ARMATURE]
        for d in range(d0, d0 + ints[i, DOF]):
            applied[d] = total[d] - extra * (after[d] - v[d]) / reals1(h, NUMBERS)[DT]
