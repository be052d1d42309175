"""Springs, dampers, servos and motors at the joints against closed forms and their limits."""

import numpy as np
import pytest

import bunraku as bk


def flywheel(**joint):
    """A disc on a vertical hinge: inertia 0.5 kg m^2 about it."""
    d = bk.Description("wheel")
    d.add("disc", None, bk.hinge("axle", (0, 0, 1), **joint), mass=1.0, moments=(0.3, 0.3, 0.5))
    return d.build()


def test_damped_spring():
    """I q'' = -k q - c q': q(t) of the closed form, within O(dt) of its amplitude (implicit Euler)."""
    I, k, c, q0 = 0.5, 20.0, 0.4, 0.3
    errors = []
    for dt in (1e-3, 5e-4):
        world = bk.World(dt=dt, gravity=(0, 0, 0))
        fig = world.add(flywheel(stiffness=k, damping=c))
        fig.q[0] = q0
        world.run(1.0)
        w0, g = np.sqrt(k / I), c / (2 * I)
        w = np.sqrt(w0**2 - g**2)
        exact = q0 * np.exp(-g) * (np.cos(w) + g / w * np.sin(w))
        errors.append(abs(fig.q[0] - exact))
    assert errors[0] < 0.02 * q0 and errors[1] == pytest.approx(errors[0] / 2, rel=0.2)


def test_very_stiff_servo_is_stable_and_leads_to_its_target():
    """kp dt^2 / I = 200: explicit would explode."""
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(flywheel())
    fig.servo(1e8, 1e5, target=[0.7])
    world.run(0.1)
    assert fig.q[0] == pytest.approx(0.7, abs=1e-6) and abs(fig.v[0]) < 1e-3


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_a_step_obeys_the_implicit_law(dt):
    """I (v+ - v) / dt = tau + kp (target - q - dt v+) + kd (target rate - v+) - k (q + dt v+ - rest) - c v+, exactly."""
    I, k, c, kp, kd = 0.5, 20.0, 0.4, 300.0, 7.0
    world = bk.World(dt=dt, gravity=(0, 0, 0))
    fig = world.add(flywheel(stiffness=k, damping=c, rest=0.1))
    fig.servo(kp, kd, target=[0.7])
    fig.q[0], fig.v[0], fig.target_v[0], fig.tau[0] = 0.3, -1.7, 0.9, 2.0
    world.step()
    after, moved = fig.v[0], 0.3 + dt * fig.v[0]
    servo = 2.0 + kp * (0.7 - moved) + kd * (0.9 - after)
    assert I * (after + 1.7) / dt == pytest.approx(servo - k * (moved - 0.1) - c * after, rel=1e-10)
    assert fig.q[0] == pytest.approx(moved, rel=1e-12)


def test_servo_holds_a_load_with_its_stiffness():
    """At rest kp (target - q) = load, and `applied` tells it."""
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(flywheel())
    fig.servo(100.0, 20.0, target=[0.0])
    fig.tau[0] = 5.0
    world.run(5.0)
    assert fig.q[0] == pytest.approx(0.05, rel=1e-6)
    assert fig.applied[0] == pytest.approx(0.0, abs=1e-6)  # tau and servo together


def test_velocity_servo():
    """Stiffness 0: the rate follows target_v with time constant I / kd."""
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(flywheel())
    fig.servo(0.0, 5.0)
    fig.target_v[0] = 2.0
    world.run(0.1)
    assert fig.v[0] == pytest.approx(2.0 * (1 - np.exp(-1.0)), rel=0.01)


def test_effort_limits_motor_and_servo_together():
    """Full torque until the servo needs less: v' = effort / I at first."""
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(flywheel(effort=2.0))
    fig.servo(1000.0, 10.0, target=[1.0])
    world.step(100)
    assert fig.v[0] == pytest.approx(0.1 * 2.0 / 0.5, rel=1e-9) and fig.applied[0] == pytest.approx(2.0)
    fig.tau[0] = 50.0  # asks for more than there is
    world.step()
    assert fig.applied[0] == pytest.approx(2.0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_effort_holds_both_ways(sign):
    """v' = ±effort / I, whichever way the motor is asked to turn."""
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(flywheel(effort=2.0))
    fig.tau[0] = sign * 50.0
    world.step(10)
    assert fig.v[0] == pytest.approx(sign * 0.01 * 2.0 / 0.5, rel=1e-9) and fig.applied[0] == pytest.approx(sign * 2.0)


def test_ball_servo_turns_to_a_pose():
    d = bk.Description("ball")
    d.add("body", None, bk.ball("joint"), mass=1.0, moments=(0.1, 0.2, 0.3))
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(d.build())
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6)
    target = np.array([np.cos(0.5), *(np.sin(0.5) * axis)])
    fig.servo(50.0, 5.0, target=target)
    world.run(3.0)
    assert abs(fig.q @ target) == pytest.approx(1.0, abs=1e-9)


def test_geared_servo_feels_the_sum_of_inertias():
    """Leader and follower (ratio 2) on parallel axles: q'' = tau / (I + 4 I)."""
    d = bk.Description("gears")
    d.add("a", None, bk.hinge("a", (0, 0, 1)), mass=1.0, moments=(0.3, 0.3, 0.5))
    d.add("b", None, bk.hinge("b", (0, 0, 1)), at=(1, 0, 0), mass=1.0, moments=(0.3, 0.3, 0.5))
    d.gear("b", "a", 2.0)
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(d.build())
    fig.servo(0.0, 0.0)
    fig.tau[0] = 5.0
    world.step(100)
    assert fig.v[0] == pytest.approx(0.1 * 5.0 / 2.5, rel=1e-9)


def test_track_is_followed_row_by_row_and_survives_a_snapshot():
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(flywheel())
    fig.servo(1e7, 1e4)
    track = 0.2 * np.sin(np.linspace(0, 3, 400))[:, None]
    fig.follow(track)
    world.step(200)
    assert fig.q[0] == pytest.approx(track[199, 0], abs=2e-3)
    snap = world.snapshot()
    world.step(300)  # beyond the end: the last row stays
    assert fig.q[0] == pytest.approx(track[-1, 0], abs=1e-3)
    end = fig.q.copy()
    world.restore(snap)
    world.step(300)
    assert np.array_equal(fig.q, end)


@pytest.mark.parametrize(
    "bad", [{"stiffness": -1.0}, {"stiffness": np.nan}, {"stiffness": [1.0, 2.0]}, {"stiffness": 1.0, "target": [0.0, 1.0]},
     {"stiffness": 1.0, "joints": ["no"]}]
)  # fmt: skip
def test_bad_servos(bad):
    world = bk.World()
    fig = world.add(flywheel())
    with pytest.raises(bk.BunrakuError):
        fig.servo(**bad)


def test_bad_tracks():
    world = bk.World()
    fig = world.add(flywheel())
    for q in (np.zeros(3), np.zeros((3, 2)), np.full((3, 1), np.nan)):
        with pytest.raises(bk.BunrakuError):
            fig.follow(q)
