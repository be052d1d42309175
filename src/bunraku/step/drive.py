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
from bunraku.model.layout import BALL, DOF, FOLLOWS, FREE, IQ, IV, KIND, ROTOR
from bunraku.step.step_arrays import Step


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
            most = drive.effort
            held = not abs(motor) <= most
            if held:
                motor = min(max(motor, -most), most)
            drive.held = 1.0 if held else 0.0
            s.total[d] = motor - passive
            extra = dt * (drive.damping + dt * drive.spring)
            if not held:
                extra += dt * (drive.kd + dt * drive.kp)
            implicit = max(implicit, extra)
        s.reals[i, ROTOR] = s.drive[first].armature + implicit


@part
def note_torques(s: Step):
    """`applied`: what the drives of the joints in fact gave, with the rates at the end of the step."""
    ints = s.ints
    for i in range(1, ints.shape[0]):
        if ints[i, FOLLOWS] != 0:
            continue
        first = ints[i, IV]
        extra = s.reals[i, ROTOR] - s.drive[first].armature
        for d in range(first, first + ints[i, DOF]):
            s.applied[d] = s.total[d] - extra * (s.next_v[d] - s.v[d]) / s.numbers.dt
