"""What differs between worlds, measured in each of them: slip angles, weights, step responses, late commands."""

import numpy as np
import pytest

import batch_scenes as scenes
import bunraku as bk
from bunraku.batch import Worlds
from draws import fresh_rng

N = 24


def test_boxes_slip_where_their_friction_says():
    """A box on a plane under gravity tilted by an angle a holds while tan a < mu: a in steps of 0.2 degrees."""
    world = bk.World(dt=0.002)
    world.add_ground(friction=0.5)
    world.add(bk.box((0.2, 0.2, 0.05), mass=1.0), at=(0, 0, 0.025))
    mu = fresh_rng().uniform(0.1, 1.0, N)
    found = np.full(N, np.nan)
    worlds = Worlds(world, N, 2)
    worlds.vary("friction", mu)
    for a in np.radians(np.arange(4.0, 47.0, 0.2)):
        worlds.reset()
        worlds.vary("gravity", np.tile(9.81 * np.array([np.sin(a), 0, -np.cos(a)]), (N, 1)))
        worlds.step(10)
        slips = worlds.v[:, 0] > 1e-6  # where it holds, the solver leaves far less
        found[np.isnan(found) & slips] = a
    slipping = np.degrees(np.arctan(mu))
    assert np.all((np.degrees(found) >= slipping - 1e-6) & (np.degrees(found) <= slipping + 0.2 + 1e-6))


def test_every_world_weighs_what_was_drawn():
    """At rest the ground carries m g."""
    world = bk.World(dt=0.002)
    world.add_ground()
    thing = world.add(bk.box((0.2, 0.2, 0.1), mass=2.0), at=(0, 0, 0.05))
    worlds = Worlds(world, N, 2)
    rng = fresh_rng()
    mass, g = rng.uniform(0.5, 2.0, N), rng.uniform(5.0, 12.0, N)
    worlds.vary("mass", mass)
    worlds.vary("gravity", g)
    worlds.step(50)
    for i in range(N):
        one = worlds[i]
        assert one.figures[0].model.mass == pytest.approx(2.0 * mass[i])
        assert one.figures[0].ground_reaction[2] == pytest.approx(2.0 * mass[i] * g[i], rel=1e-5)
    assert thing.model.mass == 2.0


I, M, C, DT = 0.3, 1.2, -0.4, 0.002  # about the centre of mass [kg m^2], mass, where it is below the hinge, step


def rod(gravity=(0.0, 0.0, 0.0), armature=0.0):
    """A rod on a hinge of the world about y."""
    d = bk.Description(name="rod")
    hinge = bk.Joint("hinge", "hinge", (0, 1, 0), armature=armature)
    d.add("rod", None, hinge, mass=M, com=(0, 0, C), moments=np.diag([I, I, 0.01]))
    world = bk.World(dt=DT, gravity=gravity)
    world.add(d.build())
    return world


def test_step_responses():
    """The first step of a servo towards x: v = dt k x / (I + m c^2 + J + dt d + dt^2 k), implicit Euler."""
    world = rod()
    world.figures[0].servo(200.0, 5.0, effort=np.inf)
    worlds = Worlds(world, N, 2)
    rng = fresh_rng()
    gains, J, mass = rng.uniform(0.3, 3.0, (N, 2)), rng.uniform(0.0, 0.5, N), rng.uniform(0.5, 2.0, N)
    worlds.vary("gains", gains[1:], mask=np.arange(N) > 0)
    worlds.vary("armature", J)
    worlds.vary("mass", mass, of="rod.rod")
    gains[0] = 1.0  # the scene's own
    assert np.isnan(worlds.varied["gains"][0]).all()
    worlds.target_q[:] = 0.1
    worlds.step()
    k, d = (gains * [200.0, 5.0]).T
    assert worlds.v[:, 0] == pytest.approx(
        DT * k * 0.1 / (mass * (I + M * C * C) + J + DT * d + DT * DT * k), rel=1e-12
    )


def test_the_centre_of_mass_moves():
    """The first step of the rod let go: v = -dt m g x / (I + m (x^2 + z^2)) about y, with the centre of mass at (x, z)."""
    worlds = Worlds(rod((0, 0, -9.8)), N, 1)
    by = fresh_rng().normal(0, 0.1, (N, 3))
    worlds.vary("com", by, of="rod.rod")
    worlds.step()
    x, z = by[:, 0], C + by[:, 2]
    assert worlds.v[:, 0] == pytest.approx(DT * M * 9.8 * x / (I + M * (x * x + z * z)), rel=1e-12)
    worlds.vary("mass", 2.0, of="rod.rod")
    worlds.reset()
    worlds.step()
    inertia = 2.0 * (I + M * (x * x + z * z))
    assert worlds.v[:, 0] == pytest.approx(2.0 * DT * M * 9.8 * x / inertia, rel=1e-12)
    for i in (0, N - 1):
        one = worlds[i]
        assert one.figures[0].com == pytest.approx(_turned(by[i] + [0, 0, C], worlds.q[i, 0]), abs=1e-12)


def _turned(x, angle):
    c, s = np.cos(angle), np.sin(angle)
    return [c * x[0] + s * x[2], x[1], c * x[2] - s * x[0]]


def test_late_commands_come_late_and_are_the_same():
    world = rod()
    world.figures[0].servo(200.0, 5.0, effort=np.inf)
    delay = np.array([0, 1, 2, 5, 9])
    worlds = Worlds(world, 5, 2)
    worlds.vary("delay", delay)
    goals = fresh_rng().normal(0, 0.3, 40)
    way = []
    for goal in goals:
        worlds.target_q[:] = goal
        worlds.tau[:] = 0.1 * goal
        worlds.step()
        way.append(worlds.q[:, 0].copy())
    way = np.array(way)
    for i, d in enumerate(delay):
        assert not way[:d, i].any()
        assert way[d:, i].tobytes() == way[: len(way) - d, 0].tobytes()
    worlds.target_q[:] = 0.0
    worlds.reset()
    assert not worlds.target_q.any()
    worlds.step(12)
    assert not worlds.q.any()  # nothing is left on its way


def test_drawn_at_reset_within_their_range_and_off_again():
    worlds = Worlds(scenes.stand(), N, 1, seed=9)
    worlds.randomise(
        {
            "friction": (0.3, 0.9),
            "mass of human.trunk": (0.5, 1.5),
            "com of human.trunk": (-0.02, 0.02),
            "delay": (1, 4),
        }
    )
    assert not worlds.varied
    worlds.reset()
    first = worlds.varied
    assert np.ptp(first["friction"]) > 0.2 and set(first["delay"]) == {1, 2, 3, 4}
    assert first["com of human.trunk"].shape == (N, 3) and np.abs(first["com of human.trunk"]).max() <= 0.02
    worlds.reset([3])
    changed = worlds.varied["friction"] != first["friction"]
    assert changed.tolist() == [i == 3 for i in range(N)]
    worlds.reset(seed=9)
    assert worlds.varied["friction"].tobytes() != b"" and worlds.episode.tolist() == [0] * N
    worlds.randomise(None)
    worlds.reset()
    plain = Worlds(scenes.stand(), N, 1)
    for x in (worlds, plain):
        x.target_q[:, 9] += 0.1  # nothing comes late any more
        x.step(5)
    assert worlds.q.tobytes() == plain.q.tobytes()


def test_commands_on_their_way_are_kept_where_delays_have_changed():
    world = rod()
    world.figures[0].servo(200.0, 5.0, effort=np.inf)

    def some(delays):
        worlds = Worlds(world, 3, 1)
        worlds.vary("delay", delays)
        for k in range(7):
            worlds.target_q[:] = 0.1 * k
            worlds.step()
        return worlds

    short, long = some([0, 2, 3]), some([0, 2, 9])
    shots = short.snapshot(), long.snapshot()
    for worlds, shot, chosen in ((long, shots[0], [0, 1, 2]), (short, shots[1], [0, 1]), (short, shots[0], [0, 1, 2])):
        worlds.restore(shot, chosen)
        same = some([0, 2, 3])
        for x in (worlds, same):
            x.step(4)
        assert worlds.q[chosen].tobytes() == same.q[chosen].tobytes()
