"""Runge-Kutta 4: its order on turns, conserved quantities, closed forms, and how it deals with contacts, limits and
what is stiff."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ellipk

import bunraku as bk
from asserts import asserts
from bunraku.dynamics.functions import centroidal
from bunraku.errors import InputError
from bunraku.model.configuration import difference
from bunraku.world import StepDiverged, World
from draws import fresh_rng
from figures import random_figure, random_state

G = 9.80665


def top(dt: float) -> tuple[World, bk.world.Figure]:
    """A free asymmetric body, spun near its middle axis, where it tumbles."""
    fig = bk.Description(name="top")
    fig.add("body", None, bk.free("root"), mass=1.0, com=(0.05, -0.02, 0.03), moments=(0.02, 0.05, 0.06))
    world = World(dt=dt, gravity=(0, 0, 0), integrator="rk4")
    figure = world.add(fig.build())
    figure.v[:] = [0.3, -0.2, 0.1, 0.4, 5.0, -0.3]
    return world, figure


def test_free_top_keeps_energy_and_momentum():
    """10 s at 1 ms: energy, linear momentum, angular momentum about the centre of mass, all within 1e-6 relative."""
    world, fig = top(0.001)

    def conserved():
        c = centroidal(fig.model, fig.q.copy(), fig.v.copy())
        return [np.array([c.kinetic]), c.linear, c.angular]

    before = conserved()
    world.run(10.0)
    for x, y in zip(conserved(), before):
        assert np.linalg.norm(x - y) < 1e-6 * np.linalg.norm(y)


def order(run, steps: tuple[int, ...]) -> list[float]:
    """log2 of the ratio of the differences between runs with n, 2n, 4n … steps."""
    ends = [run(n) for n in steps]
    gaps = [np.abs(x - y).max() for x, y in pairwise(ends)]
    return [float(np.log2(a / b)) for a, b in pairwise(gaps)]


@asserts("2007/settings/order")
def test_order_four_on_the_group():
    """Halving the step divides the error of a tumbling top by 16: q and v after 1 s."""

    def run(n):
        world, fig = top(1.0 / n)
        world.step(n)
        return np.concatenate([fig.q, fig.v])

    assert all(3.8 < p < 4.3 for p in order(run, (50, 100, 200, 400)))


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_order_four_of_a_tree_with_balls_and_gears(seed):
    """Random trees with hinges, sliders, balls, gears, and gears that had to be kept as loops; compared on the group
    after 0.2 s."""
    model = random_figure(seed, links=8)
    q, v, tau = random_state(model, seed)

    def world_of(dt, q, v):
        world = World(dt=dt, integrator="rk4")
        fig = world.add(model)
        fig.q[:], fig.v[:], fig.tau[:] = q, v, tau
        return world, fig

    world, fig = world_of(1e-7, q, v)
    world.step()  # closes the kept gears: q and v were drawn without regard to them
    q, v = fig.q.copy(), fig.v.copy()

    def run(n):
        world, fig = world_of(0.2 / n, q, v)
        world.step(n)
        return np.concatenate([difference(model, q, fig.q.copy()), fig.v])

    assert all(3.7 < p < 4.3 for p in order(run, (40, 80, 160)))


def test_pendulum_period():
    """T = 4 K(sin^2(theta0 / 2)) sqrt(I / (m g l)), theta0 = 2 rad, within 1e-6."""
    length, angle = 1.0, 2.0
    fig = bk.Description(name="pendulum")
    fig.add("rod", None, bk.hinge("pivot", (0, 1, 0)), mass=1.0, com=(0, 0, -length), moments=(0.01, 0.01, 0.01))
    world = World(dt=0.001, integrator="rk4")
    rod = world.add(fig.build())
    rod.q[0] = angle
    crossings = []
    for k in range(8000):
        before, rate = rod.q[0], rod.v[0]
        world.step()
        if before > 0 >= rod.q[0]:  # inverse Hermite interpolation: t as a cubic of q, good to the fourth order
            s = before / (before - rod.q[0])
            h, x0, x1, d0, d1 = world.dt, before, rod.q[0], 1.0 / rate, 1.0 / rod.v[0]
            w = x1 - x0
            t = h * (3 * s**2 - 2 * s**3) + w * (d0 * (s**3 - 2 * s**2 + s) + d1 * (s**3 - s**2))
            crossings.append(k * h + t)
    period = 4 * ellipk(np.sin(angle / 2) ** 2) * np.sqrt((length**2 + 0.01) / (G * length))
    assert len(crossings) >= 2
    assert np.diff(crossings).mean() == pytest.approx(period, rel=1e-6)


def test_springs_and_servos_at_every_evaluation():
    """A slider of 1 kg on a spring between points and a servo, k1 + k2 = m w^2: x = x0 cos w t, within 1e-8 at 1 ms;
    `applied` is the servo's mean force."""
    fig = bk.Description(name="mass", gravity=(0, 0, 0))
    fig.add("m", None, bk.slider("s", (1, 0, 0)), mass=1.0, moments=(1.0, 1.0, 1.0))
    world = World(dt=0.001, gravity=(0, 0, 0), integrator="rk4")
    mass = world.add(fig.build())
    spring = world.spring(mass, at_a=(0, 0, 0), at_b=(-2, 0, 0), stiffness=60.0)
    mass.servo(40.0, target=[0.0])
    mass.q[0] = 0.1
    world.run(3.0)
    assert mass.q[0] == pytest.approx(0.1 * np.cos(10.0 * 3.0), abs=1e-8)
    assert spring.force[0] == pytest.approx(-60.0 * mass.q[0], rel=0.01)
    assert mass.applied[0] == pytest.approx(-40.0 * 0.1 * np.cos(10.0 * 2.9995), rel=1e-4)


def test_compliant_connection():
    """A ball on a connection with k = 100 N/m, d = 2 N s/m along z: damped oscillation x0 exp(-t) (cos + sin / w) with
    w = sqrt(99)."""
    world = World(dt=0.001, gravity=(0, 0, 0), integrator="rk4")
    ball = world.add(bk.sphere(0.05, 1.0), at=(0, 0, 0))
    world.connect(ball, axes="z", compliance=0.01, damping=2.0)
    ball.q[2] = 0.1
    world.run(1.0)
    w = np.sqrt(99.0)
    assert ball.q[2] == pytest.approx(0.1 * np.exp(-1.0) * (np.cos(w) + np.sin(w) / w), abs=1e-8)


def test_spring_between_two_points():
    """Two masses on a spring with a rest length and a damper: x = rest + 0.1 e^(-g t) (cos w t + g / w sin w t) of the
    reduced mass m, g = d / 2m, w^2 = k / m - g^2, within dt^4; momentum kept."""
    k, d, m = 300.0, 2.0, 2.0 / 3.0
    world = World(dt=1e-3, gravity=(0, 0, 0), integrator="rk4")
    a = world.add(bk.sphere(0.05, 2.0), at=(0, 0, 0), name="a")
    b = world.add(bk.sphere(0.05, 1.0), at=(1.1, 0, 0), name="b")
    world.spring(a, b, stiffness=k, damping=d, rest=1.0)
    g = d / (2 * m)
    w = np.sqrt(k / m - g * g)
    for _ in range(4):
        world.step(60)
        t = world.time
        wanted = 1.0 + 0.1 * np.exp(-g * t) * (np.cos(w * t) + g / w * np.sin(w * t))
        assert b.q[0] - a.q[0] == pytest.approx(wanted, abs=1e-8)
    assert np.abs(2.0 * a.v[:3] + 1.0 * b.v[:3]).max() < 1e-12


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_drop(e):
    """A ball dropped from 1 m comes back to e^2 m within 1 %; with e = 0 it stays down (below 0.1 mm)."""
    world = World(dt=0.001, integrator="rk4")
    world.add_ground(restitution=e)
    ball = world.add(bk.sphere(0.05, 1.0), at=(0, 0, 1.05))
    world.step(round(np.sqrt(2 / G) / world.dt) + 5)
    apex = 0.0
    for _ in range(round((e * np.sqrt(2 / G) + 0.05) / world.dt)):
        world.step()
        apex = max(apex, ball.q[2] - 0.05)
    assert abs(apex) < 1e-4 if e == 0 else apex == pytest.approx(e * e, rel=0.01)


def test_box_sliding_and_stopping():
    """A box at 2 m/s on mu = 0.4 stops after v^2 / (2 mu g), within 0.5 %, and then rests: contact forces are held over
    the step."""
    world = World(dt=0.001, integrator="rk4")
    world.add_ground(friction=0.4)
    box = world.add(bk.box((0.4, 0.3, 0.1), 2.0), at=(0, 0, 0.05))
    box.v[0] = 2.0
    world.run(1.0)
    assert box.q[0] == pytest.approx(2.0**2 / (2 * 0.4 * G), rel=0.005)
    rested = box.q.copy()
    world.run(1.0)
    assert np.abs(box.q - rested).max() < 1e-6 and np.abs(box.v).max() < 1e-6


def test_joint_limit_and_friction():
    """A hinge with 2 N m of friction and 1 kg m^2 slows by 2 rad/s^2; thrown against its limit it stays within 1e-3 rad
    of it."""
    for upper, wanted in ((np.inf, 3.0**2 / (2 * 2.0)), (1.0, 1.0)):
        fig = bk.Description(name="arm", gravity=(0, 0, 0))
        fig.add("arm", None, bk.hinge("j", (0, 0, 1), friction=2.0, upper=upper), mass=1.0, moments=(1.0, 1.0, 1.0))
        world = World(dt=0.001, gravity=(0, 0, 0), integrator="rk4")
        arm = world.add(fig.build())
        arm.v[0] = 3.0
        world.run(2.0)
        assert arm.q[0] == pytest.approx(wanted, abs=3e-3) and abs(arm.v[0]) < 1e-9


def test_saved_world_goes_on_bit_for_bit(tmp_path):
    world = World(dt=0.001, integrator="rk4")
    world.add_ground()
    fig = world.add(bk.human(), at=(0, 0, 1.0))
    world.connect(fig["left_hand"], fig["right_hand"], axes="x y z")
    world.run(0.05)
    other = World.load(world.save(tmp_path / "w.npz"))
    assert other.integrator == "rk4"
    snap = world.snapshot()
    world.run(0.05)
    end = np.concatenate([world.q, world.v])
    other.run(0.05)
    world.restore(snap)
    world.run(0.05)
    assert np.array_equal(end, np.concatenate([world.q, world.v]))
    assert np.array_equal(end, np.concatenate([other.q, other.v]))


def test_a_step_that_fails_leaves_the_state():
    """Torques are explicit: a servo far too stiff for the step diverges, is told so, and the last good state is kept."""
    fig = bk.Description(name="arm", gravity=(0, 0, 0))
    fig.add("arm", None, bk.hinge("j", (0, 0, 1)), mass=1.0, moments=(1.0, 1.0, 1.0))
    world = World(dt=0.001, gravity=(0, 0, 0), integrator="rk4")
    arm = world.add(fig.build())
    arm.servo(1e9, target=[1.0])
    with pytest.raises(StepDiverged, match=r"dt <= 0\.0005"):
        for _ in range(100):
            kept = np.concatenate([arm.q, arm.v])
            world.step()
    assert np.array_equal(kept, np.concatenate([arm.q, arm.v]))


def test_unknown_integrator():
    with pytest.raises(InputError, match="no integrator 'rk5'"):
        World(integrator="rk5")


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
def test_what_a_hinge_and_a_contact_say_twice_costs_no_force(integrator):
    """Two rods whose faces meet at the hinge between them: contact and hinge are about the same motions. No force is
    larger than what stops the rods at once."""
    rng = fresh_rng()
    for _ in range(24):
        world = bk.World(dt=0.002, integrator=integrator)
        rod = world.add(bk.box((0.05, 0.05, 0.4), mass=1.0), at=(0, 0, 1))
        bob = world.add(bk.box((0.05, 0.05, 0.4), mass=2.0), at=(0, 0, 0.6))
        world.connect(rod, at=(0, 0, 1.2), axes="x y z rx rz")
        world.connect(rod, bob, at=(0, 0, 0.8), axes="x y z rx rz")
        for figure in (rod, bob):
            figure.v[:] = 0.3 * rng.normal(size=6)
        fast = max(np.abs(rod.v).max(), np.abs(bob.v).max())
        for _ in range(20):
            world.step()
            assert all(np.linalg.norm(c.force) < 4 * 3.0 * fast / world.dt for c in world.contacts)
