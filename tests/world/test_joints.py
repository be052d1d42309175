"""Joint friction, limits of hinges and balls, gears that stay constraints."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.model.limits import swing_twist

G = 9.80665


def wheel(**joint):
    d = bk.Description("wheel")
    d.add("disc", None, bk.hinge("axle", (0, 0, 1), **joint), mass=1.0, moments=(0.3, 0.3, 0.5))
    return d.build()


def test_joint_friction_holds_below_and_brakes_above():
    """|tau| < f: no motion at all; a turning wheel stops after t = I w / f and stays."""
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(wheel(friction=2.0))
    fig.tau[0] = 1.9
    world.run(0.5)
    assert abs(fig.v[0]) < 1e-9
    fig.tau[0] = 3.0
    world.run(0.5)
    assert fig.v[0] == pytest.approx(0.5 * (3.0 - 2.0) / 0.5, rel=1e-6)
    fig.tau[0] = 0.0
    world.run(0.1)
    assert fig.v[0] == pytest.approx(1.0 - 0.1 * 2.0 / 0.5, rel=1e-6)
    world.run(0.3)
    assert abs(fig.v[0]) < 1e-9


def test_hinge_stops_at_its_limit_and_carries_the_load():
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(wheel(lower=-0.1, upper=0.2))
    fig.tau[0] = 3.0
    world.run(1.0)
    assert fig.q[0] == pytest.approx(0.2, abs=1e-6) and abs(fig.v[0]) < 1e-9
    fig.tau[0] = -3.0
    world.run(1.0)
    assert fig.q[0] == pytest.approx(-0.1, abs=1e-6)


def hanging_ball(**limits):
    """A rod on a ball joint, its z axis along the rod (pointing away from the joint)."""
    d = bk.Description("arm")
    d.add("rod", None, bk.ball("shoulder", **limits), mass=1.0, com=(0, 0, 0.5), moments=(0.08, 0.08, 0.001))
    return d.build()


def test_ball_swing_limit():
    """Upright rod that falls over: it stops when its axis leans by the swing limit, whatever the direction."""
    for direction in (0.0, 0.9, 2.5, 4.0):
        world = bk.World(dt=1e-3)
        fig = world.add(hanging_ball(swing=0.6, damping=0.1))
        fig.v[:] = 0.5 * np.array([-np.sin(direction), np.cos(direction), 0.0])
        for _ in range(20):
            world.run(0.1)
            assert swing_twist(fig.q)[0] < 0.6 + 1e-3
        assert swing_twist(fig.q)[0] == pytest.approx(0.6, abs=1e-3)
        assert np.abs(fig.v).max() < 0.05


def test_ball_swing_limit_stops_what_comes_fast():
    """Within 0.05 rad of its limit at 2 rad/s: 25 ms later it is there, and does not pass it."""
    for direction in (0.0, 2.5):
        world = bk.World(dt=1e-3, gravity=(0, 0, 0))
        fig = world.add(hanging_ball(swing=0.6))
        axis = np.array([-np.sin(direction), np.cos(direction), 0.0])
        fig.q[:] = [np.cos(0.275), *(np.sin(0.275) * axis)]
        fig.v[:] = 2.0 * axis
        world.step(40)
        assert swing_twist(fig.q)[0] == pytest.approx(0.6, abs=1e-4) and np.abs(fig.v).max() < 1e-6


def test_ball_twist_limit():
    """Driven about its own axis it stops at the twist limit on either side."""
    for sign, end in ((1.0, 0.5), (-1.0, -0.3)):
        world = bk.World(dt=1e-3, gravity=(0, 0, 0))
        fig = world.add(hanging_ball(twist=(-0.3, 0.5)))
        fig.tau[:] = [0, 0, 0.01 * sign]
        world.run(2.0)
        assert swing_twist(fig.q)[1] == pytest.approx(end, abs=1e-4)
        assert np.abs(fig.v).max() < 1e-4


def test_kept_gear_is_a_row():
    """A gear between joints of one serial chain and a branch that the tree cannot absorb keeps q_b = r q_a + o."""
    d = bk.Description("kept")
    d.add("base", None, bk.free(), mass=5.0, moments=(0.1, 0.1, 0.1))
    d.add("a", "base", bk.hinge("a", (0, 1, 0)), at=(0.2, 0, 0), mass=1.0, com=(0.1, 0, 0), moments=(0.01, 0.01, 0.01))
    d.add("b", "a", bk.ball("b"), at=(0.2, 0, 0), mass=1.0, com=(0.1, 0, 0), moments=(0.01, 0.01, 0.01))
    d.add("c", "b", bk.hinge("c", (0, 1, 0)), at=(0.2, 0, 0), mass=1.0, com=(0.1, 0, 0), moments=(0.01, 0.01, 0.01))
    d.gear("c", "a", -0.5, 0.1)
    m = d.build()
    if not m.kept_gears:
        pytest.fail("the builder absorbed this gear; the test needs another one")
    world = bk.World(dt=1e-3)
    fig = world.add(m)
    a, c = m.joint("a"), m.joint("c")
    fig.q[c.iq] = -0.5 * fig.q[a.iq] + 0.1
    fig.tau[a.iv] = 0.5
    for _ in range(10):
        world.run(0.05)
        assert fig.q[c.iq] == pytest.approx(-0.5 * fig.q[a.iq] + 0.1, abs=1e-6)
    assert abs(fig.v[a.iv]) > 0.1


def test_spring_between_two_points():
    """Two masses on a spring: period 2 pi sqrt(m1 m2 / ((m1 + m2) k)), momentum kept; the force is read."""
    world = bk.World(dt=1e-4, gravity=(0, 0, 0))
    a = world.add(bk.sphere(0.05, 2.0), at=(0, 0, 0), name="a")
    b = world.add(bk.sphere(0.05, 1.0), at=(1.1, 0, 0), name="b")
    spring = world.spring(a, b, stiffness=300.0, rest=1.0)
    w = np.sqrt(300.0 * (1 / 2.0 + 1 / 1.0))
    world.run(np.pi / w)  # half a period: from +0.1 to -0.1
    assert b.q[0] - a.q[0] == pytest.approx(0.9, abs=0.002)
    assert np.abs(2.0 * a.v[:3] + 1.0 * b.v[:3]).max() < 1e-12
    assert abs(spring.force[0]) == pytest.approx(30.0, rel=0.03)
    world.disconnect(spring)
    v = b.v[0]
    world.run(0.1)
    assert b.v[0] == v


def test_compliant_connection_sags_by_load_over_stiffness():
    world = bk.World(dt=1e-3)
    box = world.add(bk.box((0.1, 0.1, 0.1), 2.0), at=(0, 0, 1))
    tie = world.connect(box, axes="x y z rx ry rz", compliance=1e-3, damping=50.0)
    world.run(2.0)
    assert 1 - box.q[2] == pytest.approx(2.0 * G * 1e-3, rel=1e-6)
    assert tie.force[2] == pytest.approx(2.0 * G, rel=1e-6)
