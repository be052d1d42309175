"""Worlds with contact="pgs_2007": rest, friction, the slope of boxes, large islands, snapshots and scenes."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.errors import InputError
from bunraku.scene import load
from bunraku.world import World

G = 9.80665


def on_slope(degrees, mu, seconds=0.3, **options):
    """A box on a slope that falls towards +x; returns (world, speed downhill)."""
    world = World(contact="pgs_2007", **options)
    a = np.radians(degrees)
    turn = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    world.add_fixed(bk.Shape("box", (20.0, 5.0, 0.5), tuple(-0.5 * turn[:, 2]), turn), friction=mu)
    body = world.add(bk.box((0.2, 0.2, 0.1), 1.0), at=tuple(0.05 * turn[:, 2]), rotation=turn)
    world.run(seconds)
    return world, float(body.v[:3] @ turn[:, 0])


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
def test_a_figure_stands_as_with_pgs(integrator):
    """Where contacts stick the two models are the same motion and load."""
    ends, loads = [], []
    for contact in ("pgs", "pgs_2007"):
        world = World(
            contact=contact, integrator=integrator, **({} if contact == "pgs" else {"tolerance": 1e-12, "sweeps": 5000})
        )
        world.add_ground(friction=0.8)
        figure = world.add(bk.human(), at=(0, 0, 0.901))
        figure.servo(2000.0, 20.0)
        world.step(40)
        ends.append(np.concatenate([world.q, world.v]))
        loads.append(figure.ground_reaction)
    assert world.report.residual < 1e-9
    assert np.abs(ends[0] - ends[1]).max() < 1e-5
    assert np.abs(loads[0] - loads[1])[:3].max() < 1e-4 * figure.model.mass * G


@pytest.mark.parametrize("mu", [0.1, 0.4, 0.7])
def test_sticks_below_and_slides_above_the_friction_angle(mu):
    """The threshold is atan(mu), within 0.3 degrees; above it a = g (sin - mu cos)."""
    limit = np.degrees(np.arctan(mu))
    assert abs(on_slope(limit - 0.3, mu)[1]) < 1e-7
    a = np.radians(limit + 0.3)
    assert on_slope(limit + 0.3, mu)[1] == pytest.approx(0.3 * G * (np.sin(a) - mu * np.cos(a)), rel=0.02)


def test_steep_slopes_slip_too_early():
    """Four redundant corners, mu 1, 43 degrees: forces exist that hold the box, pgs finds them; (17) with (21) ends
    elsewhere, however many sweeps it has, and says so by its residual."""
    for sweeps in (120, 20_000):
        world, speed = on_slope(43.0, 1.0, 0.1, sweeps=sweeps)
        assert speed > 1e-3 and world.report.worst_residual > 0.1 and world.report.unsolved_in_all > 0
    assert abs(on_slope(40.0, 1.0)[1]) < 1e-7


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
@asserts("2007/boxes/*")
def test_the_slope_of_boxes_stays_up(integrator):
    """Fig. 2 of Nakaoka et al. 2007: boxes fall on a slope; 1 ms, 120 sweeps."""
    scene = load("slope").changed(contact="pgs_2007", integrator=integrator)
    world = scene.build()
    assert (world.contact, world.sweeps, world.dt) == ("pgs_2007", 120, 0.001)
    world.step()
    deepest, energy = 0.0, [world.report.energy]
    slides = world["slides"]
    start = slides.q[:3].copy()
    for k in range(1, 2000):
        world.step()
        deepest = max(deepest, world.report.penetration)
        energy.append(world.report.energy)
        if k == 100:
            lands = world["sticks"].q[:3].copy()
        if k == 500:  # a = g (sin - mu cos), from rest
            way = 0.5 * G * (np.sin(np.radians(25)) - 0.2 * np.cos(np.radians(25))) * 0.5**2
            assert np.linalg.norm(slides.q[:3] - start) == pytest.approx(way, rel=0.01)
    assert np.diff(energy).max() < 1e-3 and energy[-1] < energy[0]
    assert deepest < 1e-4 and world.report.most_sweeps <= 120
    q = {f.name: f.q for f in world.figures}
    assert np.abs(q["sticks"][:3] - [-0.8429, -0.7, 1.5586]).max() < 2e-4  # where it was put
    assert np.abs(q["sticks"][:3] - lands).max() < 1e-6  # and no creep
    assert q["slides"][0] > 2.0  # gone down
    for name, x in q.items():
        assert np.isfinite(x).all() and x[2] > 0.07, name  # nothing sinks through slope or ground
    assert world.report.worst_residual > 1e-3  # and what it did not solve is told


@asserts("2007/iteration/redundant")
def test_a_tower_of_ten_stands_on_120_sweeps():
    world = World(contact="pgs_2007")
    world.add_ground(friction=0.6)
    boxes = [world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 0.05 + 0.1 * k)) for k in range(10)]
    world.run(0.5)
    for k, b in enumerate(boxes):
        assert np.abs(b.q[:3] - [0, 0, 0.05 + 0.1 * k]).max() < 1e-4
    assert world.report.sweeps == 120 and world.report.residual > 1e-6


def test_islands_too_large_for_a_dense_matrix():
    """Sixteen boxes on one another are 192 rows, whose matrix is sparse."""
    world = World(contact="pgs_2007", sweeps=40_000, tolerance=1e-9)
    world.add_ground(friction=0.6)
    for k in range(16):
        world.add(bk.box((0.4, 0.4, 0.1), 1.0), at=(0, 0, 0.05 + 0.1 * k))
    world.step(2)
    assert world.report.rows == 192 and world.report.sweeps > 120
    assert sum(c.force[2] for c in world.contacts if c.bodies[1][0] == "world") == pytest.approx(16 * G, rel=1e-3)


@asserts("2007/loop/euler")
def test_a_closed_loop_holds():
    """As in Fig. 3 of Nakaoka et al. 2007: an open chain closed by a connection of two axes, here to the world."""
    ends = []
    for contact in ("pgs", "pgs_2007"):
        world = load("linkage").changed(contact=contact).build()
        figure, open_by = world["linkage"], 0.0
        for _ in range(100):
            world.step(10)
            open_by = max(open_by, np.abs(figure.pose("tip")[0] - [0.8, 0, 0])[[0, 2]].max())
        assert open_by < 1e-4  # at 1 ms, as pgs
        ends.append(figure.q.copy())
    assert np.abs(ends[0] - ends[1]).max() < 1e-4  # two rows: the same forces to the tolerance


def test_snapshots_and_saved_worlds_go_on_bit_for_bit(tmp_path):
    world = load("slope").changed(contact="pgs_2007").build()
    world.step(700)
    snap = world.snapshot()
    other = World.load(world.save(tmp_path / "slope.npz"))
    world.step(80)
    end = world.q.copy()
    other.step(80)
    world.restore(snap)
    world.step(80)
    assert (other.contact, other.sweeps) == ("pgs_2007", 120)
    assert np.array_equal(end, other.q) and np.array_equal(end, world.q)


def test_the_warm_start_is_not_used():
    """f(0) = 0: forgetting the last step's forces changes nothing."""
    world = load("slope").changed(contact="pgs_2007").build()
    world.step(900)
    snap = world.snapshot()
    world.step(1)
    with_memory = world.v.copy()
    world.restore(snap)
    world._step.memory.rows[:] = 0.0
    world.step(1)
    assert np.array_equal(with_memory, world.v)


@asserts("2007/settings/sweeps", "2007/settings/step")
def test_sweeps_of_a_world_and_a_scene(tmp_path):
    assert World().sweeps == 2500 and World(contact="pgs_2007").sweeps == 120 and World().dt == 0.001
    assert World(contact="pgs_2007", sweeps=7).sweeps == 7
    for sweeps in (0, -3, 1.5, float("inf"), 10**9):
        with pytest.raises(InputError, match="sweeps"):
            World(contact="pgs_2007", sweeps=sweeps)
    file = tmp_path / "box.toml"
    file.write_text(
        '[world]\nseconds = 0.05\ncontact = "pgs_2007"\nsweeps = 9\n[[ground]]\n'
        '[[figure]]\nmodel = "box"\nsize = [0.1, 0.1, 0.1]\nmass = 1.0\nat = [0, 0, 0.05]\n'
    )
    world = load(file).build()
    assert world.sweeps == 9
    world.step(5)
    assert world.report.most_sweeps <= 9
