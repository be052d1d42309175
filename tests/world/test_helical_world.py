"""Helical joints in a world: falling, limits, friction, servos, contact, Runge-Kutta, saving and recording."""

import numpy as np
import pytest

import bunraku as bk

G = 9.80665
PITCH, MASS, MOMENT = 0.5, 0.3, 4e-3
LEAD = PITCH / (2 * np.pi)  # m/rad
FALL = -G / (1 + MOMENT / (MASS * LEAD**2))  # m/s^2: energy m z'^2 / 2 + I q'^2 / 2 + m g z with z = LEAD q
DT = 1e-3


def nut(**options):
    """A box that turns on an upright screw."""
    d = bk.Description("nut")
    thread = bk.helical("thread", (0, 0, 1), pitch=PITCH, **options)
    shape = bk.Shape("box", (0.1, 0.1, 0.05))
    d.add("nut", None, thread, mass=MASS, moments=(MOMENT, MOMENT, MOMENT), shapes=[shape], at=(0, 0, 1.0))
    return d.build()


def alone(**options):
    world = bk.World(dt=DT)
    return world, world.add(nut(**options))


def height(fig):
    return bk.kinematics(fig.model, fig.q).pose("nut")[0][2]


def test_it_falls_as_the_closed_form_says():
    """Semi-implicit Euler under a constant acceleration: z_n = z_0 + a dt^2 n (n + 1) / 2, exactly."""
    world, fig = alone()
    world.step(200)
    assert height(fig) - 1.0 == pytest.approx(FALL * DT**2 * 200 * 201 / 2, rel=1e-10)
    assert LEAD * fig.v[0] == pytest.approx(FALL * 0.2, rel=1e-10)


def test_runge_kutta_keeps_the_energy():
    """A screw whose nut leans out and wobbles: no force but gravity, so energy stays; the error is of fourth order."""
    d = bk.Description("wobble")
    d.add("arm", None, bk.hinge("swing", (0, 1, 0)), mass=1.0, com=(0, 0, -0.5), moments=(0.1, 0.1, 0.1))
    thread = bk.helical("thread", (0.3, 0.2, 1), pitch=PITCH, damping=0.0)
    d.add("nut", "arm", thread, at=(0, 0, -1), mass=0.5, com=(0.1, 0, 0), moments=(0.02, 0.02, 0.02))
    world = bk.World(dt=DT, integrator="rk4")
    fig = world.add(d.build())
    fig.q[:], fig.v[:] = (0.8, 0.3), (1.0, -2.0)
    start = bk.energy(fig.model, fig.q, fig.v)
    world.run(2.0)
    assert abs(bk.energy(fig.model, fig.q, fig.v) - start) < 1e-8


def test_it_stops_at_its_limits():
    world, fig = alone(lower=-2.0, upper=1.0)
    world.run(2.0)
    assert fig.q[0] == pytest.approx(-2.0, abs=1e-6) and abs(fig.v[0]) < 1e-9
    fig.tau[0] = 3 * MASS * G * LEAD
    world.run(2.0)
    assert fig.q[0] == pytest.approx(1.0, abs=1e-6) and abs(fig.v[0]) < 1e-9


def test_friction_makes_it_lock():
    """The weight turns the thread with m g l: friction above it holds, below it brakes."""
    load = MASS * G * LEAD
    world, fig = alone(friction=1.01 * load)
    world.run(0.5)
    assert abs(fig.v[0]) < 1e-9 and height(fig) == pytest.approx(1.0, abs=1e-9)
    world, fig = alone(friction=0.5 * load)
    world.run(0.2)
    assert LEAD * fig.v[0] == pytest.approx(0.5 * FALL * 0.2, rel=1e-6)


def test_a_servo_carries_it():
    """At rest kp (target - q) = m g l."""
    world, fig = alone()
    fig.servo(5.0, 1.0, target=np.array([2.0]))
    world.run(5.0)
    assert 2.0 - fig.q[0] == pytest.approx(MASS * G * LEAD / 5.0, rel=1e-6)
    assert fig.applied[0] == pytest.approx(MASS * G * LEAD, rel=1e-6)


@pytest.mark.parametrize("contact", ["pgs", "virtual_link"])
def test_it_comes_to_rest_on_the_ground(contact):
    """On a slippery floor the ground carries the whole weight; pressed down by tau it carries m g - tau / l."""
    world = bk.World(dt=DT, contact=contact)
    world.add_ground(friction=0.0)
    fig = world.add(nut())
    world.run(2.0)
    assert height(fig) == pytest.approx(0.05, abs=1e-4) and abs(fig.v[0]) < 1e-6
    assert sum(c.force[2] for c in world.contacts) == pytest.approx(MASS * G, rel=1e-4)
    fig.tau[0] = -0.1
    world.run(0.1)
    assert sum(c.force[2] for c in world.contacts) == pytest.approx(MASS * G + 0.1 / LEAD, rel=1e-4)


def test_a_nut_drives_what_it_touches():
    """A screw lifts a loose box that lies on its nut: torque (m + M) g l holds both."""
    world = bk.World(dt=DT)
    fig = world.add(nut(), friction=0.0)
    box = world.add(bk.box((0.1, 0.1, 0.1), mass=0.7), at=(0, 0, 1.1), friction=0.0)
    hold = (MASS + 0.7) * G * LEAD
    fig.servo(0.0, 50.0)  # a velocity servo
    fig.target_v[0] = 1.0
    world.run(1.0)
    assert fig.v[0] == pytest.approx(1.0, abs=hold / 50.0 + 1e-3)
    assert box.q[2] - height(fig) == pytest.approx(0.1, abs=1e-4)
    assert fig.applied[0] == pytest.approx(hold, rel=1e-3)


def test_saved_and_loaded_it_goes_on_bit_for_bit(tmp_path):
    world, _ = alone(friction=1e-3, damping=1e-3, upper=5.0)
    world.run(0.1)
    again = bk.World.load(world.save(tmp_path / "nut.npz"))
    world.run(0.1)
    again.run(0.1)
    assert np.array_equal(world.q, again.q) and np.array_equal(world.v, again.v)
    assert again["nut"].model.joints[0].slide == LEAD


def test_a_recording_keeps_it(tmp_path):
    from bunraku.recording.reader import Recording

    world, fig = alone()
    with world.record(tmp_path / "nut.bkr"):
        world.run(0.1)
    with Recording.open(tmp_path / "nut.bkr") as read:
        joint = read.figure().model.joints[0]
        assert joint.kind == "helical" and joint.slide == LEAD
        assert read.q[-1] == pytest.approx(fig.q, rel=1e-6)
