"""Closed loops: they do not drift, are right against published benchmarks, and may be made and cut at any moment."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.dynamics.functions import centroidal
from bunraku.world import StepDiverged, World
from bunraku.world.figure import anchor
from bunraku.world.ties import NAMES
from linkages import SQUEEZER_JOINTS, far, four_bar, point, squeezer, windows

BOTH = pytest.mark.parametrize("integrator", ["euler", "rk4"])


def drift(linkage, seconds: float) -> tuple[float, float]:
    """(largest closure error [m], largest change of energy over the largest kinetic energy)."""
    world, fig = linkage.world, linkage.fig
    start, gap, change, kinetic = fig.energy, 0.0, 0.0, 0.0
    for _ in range(round(seconds / world.dt / 10)):
        world.step(10)
        c = centroidal(fig.model, fig.q.copy(), fig.v.copy())
        gap, change, kinetic = max(gap, linkage.gap()), max(change, abs(c.energy - start)), max(kinetic, c.kinetic)
    return gap, change / kinetic


@asserts("2007/loop/rk4", "2007/loop/energy")
def test_four_bar_does_not_drift():
    """10 s at 1 ms: closed within 1e-6 m, energy within 0.1 % (in fact 1e-12 m and 1e-9)."""
    gap, change = drift(four_bar(dt=0.001, integrator="rk4"), 10.0)
    assert gap < 1e-11 and change < 1e-7


def test_four_bar_by_euler():
    """Euler is of first order: the gap is of order dt^2 and does not grow, the energy is wrong by order dt."""
    gaps, changes = zip(*(drift(four_bar(dt=dt, integrator="euler"), 3.0) for dt in (0.001, 0.00025)))
    assert gaps[0] < 1e-4 and 10 < gaps[0] / gaps[1] < 22
    assert changes[0] < 0.03 and 2.5 < changes[0] / changes[1] < 6


def test_order_four_with_a_loop():
    ends = []
    for n in (200, 400, 800):
        linkage = four_bar(dt=1.0 / n, integrator="rk4")
        linkage.world.step(n)
        ends.append(np.concatenate([linkage.fig.q, linkage.fig.v]))
    a, b = (np.abs(x - y).max() for x, y in pairwise(ends))
    assert 3.7 < np.log2(a / b) < 4.4


def pendulum(integrator: str, **options) -> tuple[World, bk.world.Figure, bk.Connection]:
    """IFToMM A01: 1 kg at the end of a massless rod of 1 m, level and at rest at (-1, 0); a free body, tied at the
    origin."""
    fig = bk.Description(name="bob", gravity=(0, 0, -9.81))
    fig.add("bob", None, bk.free("root"), mass=1.0, moments=(1e-6, 1e-6, 1e-6))
    world = World(dt=0.001, gravity=(0, 0, -9.81), integrator=integrator)
    bob = world.add(fig.build(), at=(-1, 0, 0))
    return world, bob, world.connect(bob, at=(0, 0, 0), axes="x y z", **options)


def test_benchmark_pendulum():
    """IFToMM A01: energy within 5e-5 J over 10 s, length within 1e-10 m."""
    world, bob, _ = pendulum("rk4")
    start = bob.energy
    for _ in range(1000):
        world.step(10)
        assert abs(bob.energy - start) < 5e-5
        assert abs(np.linalg.norm(bob.q[:3]) - 1.0) < 1e-10


def test_benchmark_windows():
    """IFToMM A02 with two windows, through the pose in which all rods lie in one line and a second motion branches off:
    B0 and its velocity at 10 s to all digits of the reference."""
    world, fig = windows(2, dt=0.001, integrator="rk4")
    world.run(10.0)
    j = fig.model.joint("v0")
    angle, rate = fig.q[j.iq], fig.v[j.iv]
    assert far(fig, "v0", point(0, 1)) == pytest.approx([0.328458, 0.0, 0.944519], abs=1e-6)
    assert [rate * np.cos(angle), -rate * np.sin(angle)] == pytest.approx([1.42305, -0.49487], abs=1e-5)


def test_benchmark_squeezer():
    """IFToMM A03, Andrews' squeezer, at 0.03 s.

    Reference: Test Set for IVP Solvers; the same to 6 digits in Hairer & Wanner.
    """
    world, fig = squeezer(dt=2e-5, integrator="rk4")
    world.run(0.03)
    q = [fig.q[fig.model.joint(name).iq] for name in SQUEEZER_JOINTS]
    wanted = [15.810771, -15.756371, 0.0408222, -0.5347301, 0.5244100, 0.5347301, 1.0480807]
    assert q == pytest.approx(wanted, rel=1e-6, abs=1e-7)


def test_loop_forces_share_a_load():
    """A beam of weight W held by two ties of all six axes: their sum is W, and least norm gives W/2 to each (within
    rounding over SOFT)."""
    world = World(dt=0.001, integrator="rk4")
    beam = world.add(bk.box((1.0, 0.1, 0.1), 2.0), at=(0, 0, 0))
    ties = [world.connect(beam, at=(x, 0, 0), axes="x y z rx ry rz") for x in (-0.5, 0.5)]
    world.run(0.01)
    assert sum(tie.force for tie in ties) == pytest.approx([0, 0, 2 * 9.80665], abs=1e-9)
    for tie in ties:
        assert tie.force == pytest.approx([0, 0, 9.80665], rel=1e-5, abs=1e-4)
    assert np.abs(beam.v).max() < 1e-12


def test_a_pose_that_leaves_the_loop_open_is_closed_first():
    """A crank turned by hand by 0.02 rad: the loop is closed by moving positions, not by a kick; the start stays one at
    rest."""
    linkage = four_bar(dt=0.001, integrator="rk4")
    linkage.fig.q[0] += 0.02
    assert linkage.gap() > 1e-3
    linkage.world.step()
    assert linkage.gap() < 1e-12 and np.abs(linkage.fig.v).max() < 50 * linkage.world.dt


def test_too_many_rows_are_refused():
    world = World(dt=0.001, gravity=(0, 0, 0), integrator="rk4")
    boxes = [world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0.3 * k, 0, 0)) for k in range(27)]
    for a, b in pairwise(boxes):
        world.connect(a, b, axes="x y z rx ry rz")
    before = world.q.copy()
    with pytest.raises(StepDiverged, match="integrator='euler'"):
        world.step()
    assert np.array_equal(world.q, before)


@BOTH
def test_hinge_of_two_tied_turns_goes_round(integrator):
    """Two free bodies tied in x y z rx ry: a hinge about z that may turn by any angle.

    Its free axes stay parallel over many turns.
    """
    world = World(dt=0.001, gravity=(0, 0, 0), integrator=integrator)
    a = world.add(bk.box((0.3, 0.2, 0.1), 1.0), at=(0, 0, 0), name="a")
    b = world.add(bk.box((0.3, 0.2, 0.1), 1.0), at=(0, 0, 0.5), name="b")
    world.connect(a, b, at=(0, 0, 0.25), axes="x y z rx ry")
    a.v[3:], b.v[3:] = [0.3, 0.2, 8.0], [0.3, 0.2, -8.0]
    worst = 0.0
    for _ in range(400):
        world.step(5)
        worst = max(worst, float(np.abs(a.pose("box")[1][:, 2] - b.pose("box")[1][:, 2]).max()))
    assert worst < (1e-12 if integrator == "rk4" else 1e-4)


def crossed(integrator: str) -> tuple[World, bk.world.Figure]:
    """Two arms on two different carriers, geared to each other: no tree can eliminate that gear."""
    fig = bk.Description(name="geared")
    fig.add("base", None, bk.hinge("base", (0, 1, 0)), mass=2.0, com=(0.1, 0, 0), moments=(0.1, 0.1, 0.1))
    for side, x in (("left", -0.5), ("right", 0.5)):
        fig.add(side, "base", bk.hinge(side, (0, 1, 0)), at=(x, 0, 0), mass=1.0, com=(0, 0, -0.3), moments=(0.02,) * 3)
        arm = f"{side}_arm"
        fig.add(arm, side, bk.hinge(arm, (0, 1, 0)), at=(0, 0, -0.6), mass=1.0, com=(0.1, 0, -0.3), moments=(0.02,) * 3)
    fig.gear("left_arm", "right_arm", ratio=-1.7)
    world = World(dt=0.001, integrator=integrator)
    return world, world.add(fig.build())


def test_kept_gear():
    """q_left = -1.7 q_right within 1e-9 over 5 s of free swinging, energy within 1e-7 of the largest kinetic energy."""
    world, fig = crossed("rk4")
    assert len(fig.model.kept_gears) == 1
    left, right = (fig.model.joint(f"{side}_arm").iq for side in ("left", "right"))
    start, kinetic = fig.energy, 0.0
    for _ in range(500):
        world.step(10)
        assert abs(fig.q[left] + 1.7 * fig.q[right]) < 1e-9
        c = centroidal(fig.model, fig.q.copy(), fig.v.copy())
        kinetic = max(kinetic, c.kinetic)
    assert kinetic > 1.0 and abs(c.energy - start) < 1e-7 * kinetic


def momenta(world: World) -> np.ndarray:
    """Linear momentum of all, and angular momentum about the world's origin."""
    c = centroidal(world.model, world.q, world.v)
    return np.concatenate([c.linear, c.angular + np.cross(c.com, c.linear)])


@BOTH
def test_connecting_with_relative_velocity(integrator):
    """000 (18): an inelastic impulse between two spinning bodies and a tumbling human. Linear and angular momentum stay
    (1e-10 relative), kinetic energy never rises, and the ends move together. Euler's own error over the step is of
    order dt, hence its short step."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        world = World(dt=1e-3 if integrator == "rk4" else 1e-10, gravity=(0, 0, 0), integrator=integrator)
        a = world.add(bk.box((0.2, 0.2, 0.2), 2.0), at=(0.9, 0, 0.3), name="a")
        b = world.add(bk.human(), at=(0, 0, 1), name="b")
        world.v[:] = rng.normal(size=world.model.nv)
        b.v[6:] *= 0.3
        before, energy = momenta(world), centroidal(world.model, world.q, world.v).kinetic
        point = (0.5, 0.1, 0.6)
        world.connect(a, b["left_hand"], at=point, axes="x y z rx ry rz")
        world.step()
        assert np.abs(momenta(world) - before).max() < 1e-10 * np.abs(before).max()
        assert centroidal(world.model, world.q, world.v).kinetic < energy
        together = a.velocity("box") - b.velocity("left_hand")
        assert np.abs(together[3:]).max() < 1e-5


@asserts("2000/bar/flight")
@BOTH
def test_cutting_leaves_no_energy_behind(integrator):
    """A pendulum is cut at its lowest point: from then on it is thrown level at v = sqrt(2 g L), and keeps its energy."""
    world, bob, tie = pendulum(integrator)
    while bob.q[0] < 0 and world.time < 1.0:
        world.step()
    speed, energy, height = bob.v.copy(), bob.energy, bob.q[2]
    tolerance = 1e-2 if integrator == "euler" else 1e-7  # the bob has 1e-6 kg m^2 of its own
    world.disconnect(tie)
    world.run(0.5)
    assert np.linalg.norm(speed[:3]) == pytest.approx(np.sqrt(2 * 9.81 / (1 + 1e-6)), rel=tolerance)
    assert bob.v[:2] == pytest.approx(speed[:2], abs=1e-12)
    assert bob.energy == pytest.approx(energy, abs=1e-9 if integrator == "rk4" else 9.81**2 * world.dt * 0.5)
    assert bob.q[2] - height == pytest.approx(speed[2] * 0.5 - 9.81 * 0.125, abs=9.81 * world.dt)
    assert not tie.active and not tie.broken


@asserts("2000/release-angle")
@BOTH
def test_released_within_one_step_of_the_limit(integrator):
    """A swing on a bar: the tension is 3 m g cos(angle from below), so a grip that bears 2 m g lets go at cos = 2/3,
    within a step's way."""
    world, bob, grip = pendulum(integrator, break_force=2 * 9.81)
    while grip.active and world.time < 1.0:
        before = bob.q[:3].copy()
        world.step()
    angles = [np.arccos(-x[2] / np.linalg.norm(x)) for x in (before, bob.q[:3])]
    rate = np.sqrt(2 * 9.81 * 2 / 3)
    assert grip.broken
    slack = 0.5 * world.dt * rate if integrator == "euler" else 1e-3 * world.dt * rate
    assert angles[1] - rate * world.dt - slack <= np.arccos(2 / 3) <= angles[0] + rate * world.dt + slack


def arrays_of(world: World) -> int:
    """Bytes of the arrays of a world's step."""
    return sum(a.nbytes for a in world._table.arrays if a is not None and a.base is None)


@BOTH
def test_ten_thousand_connections(integrator):
    """A kicked human on the ground, tied to itself and to the world at random, and cut again: all stays finite, and
    memory does not grow.

    Runge-Kutta may refuse a step (at most one in a thousand): then nothing has changed, and the world goes on once the
    ties are cut."""
    rng = np.random.default_rng(11)
    world = World(dt=0.001, integrator=integrator)
    world.add_ground()
    fig = world.add(bk.human(), at=(0, 0, 0.95))
    names = [link.name for link in fig.model.links]
    live: list[bk.Connection] = []
    used = refused = room = grown = 0
    tracemalloc.start()
    for k in range(10_000):
        if k == 1000:
            used, room = tracemalloc.get_traced_memory()[0], arrays_of(world)
        if k == 3000:  # tracing takes longer than all the rest
            larger = arrays_of(world) - room  # room for the step with the most rows so far, made once
            grown = tracemalloc.get_traced_memory()[0] - used - larger
            tracemalloc.stop()
        if k % 50 == 0:
            world.v[:] = np.clip(world.v, -5, 5) + 0.5 * rng.normal(size=world.model.nv)
        a, b = rng.choice(len(names), 2, replace=False)
        other = fig[names[b]] if rng.random() < 0.8 else None
        if other is None or anchor(world, "", fig[names[a]])[0] != anchor(world, "", other)[0]:
            axes = " ".join(rng.choice(NAMES, rng.integers(1, 7), replace=False))
            live.append(world.connect(fig[names[a]], other, axes=axes))
        while len(live) > rng.integers(1, 4):
            world.disconnect(live.pop(rng.integers(len(live))))
        before = world.q.copy(), world.v.copy()
        try:
            world.step()
        except StepDiverged:
            refused += 1
            assert np.array_equal(world.q, before[0]) and np.array_equal(world.v, before[1])
            while live:
                world.disconnect(live.pop())
        assert np.all(np.isfinite(world.q)) and np.abs(world.v).max() < (1e3 if integrator == "euler" else 1e4)
    assert grown < 20_000 and arrays_of(world) - room < 1_000_000
    assert len(world._ties.ints) <= 8
    assert refused <= (0 if integrator == "euler" else 10)
