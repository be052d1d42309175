"""The built-in scenes: each runs to its end and shows what its name says, by a law or a closed form."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.scene import built_in, load

G = 9.80665
NAMES = ("bar", "building", "fall", "linkage", "one_foot", "skate", "slope", "spin", "stand", "toe_edge")
MOVED = ("hand-in-hand", "lift", "plank", "trapeze", "valve")  # by motions: test_motions_of_scenes.py


def test_all_are_there_and_say_what_they_show():
    scenes = built_in()
    assert {*NAMES, *MOVED} == set(scenes) and all(scenes.values())


@pytest.fixture(scope="module")
def runs():
    """Recordings, each made once."""
    made = {}

    def run(name):
        if name not in made:
            made[name] = load(name).run()
        return made[name]

    return run


@pytest.mark.parametrize("name", NAMES)
def test_runs_to_its_end(name, runs):
    r = runs(name)
    assert r.steps * r.world.dt == pytest.approx(r.scene.seconds)
    assert np.all(np.isfinite(r.q)) and r.unsolved == 0 and r.residual <= 1e-6
    assert r.penetration < 5e-4  # half a millimetre at dt = 1 ms


def test_slope(runs):
    """The box with friction 0.6 stays; the other slides by a t^2 / 2, a = g (sin - 0.2 cos), until it leaves the slope."""
    r = runs("slope")
    start = load("slope").build()
    assert np.linalg.norm(r.world["sticks"].q[:3] - start["sticks"].q[:3]) < 1e-3
    slope = np.radians(25)
    a = G * (np.sin(slope) - 0.2 * np.cos(slope))
    k = np.searchsorted(r.time, 1.0)
    way = np.linalg.norm(r.q[k][start["slides"].part.q][:3] - start["slides"].q[:3])
    # the box first falls through its gap of 0.1 mm, for 5 ms; semi-implicit Euler is off by a t dt / 2
    t = r.time[k]
    assert way == pytest.approx(a * t * t / 2, abs=a * t * (0.005 + r.world.dt))
    assert all(abs(f.v).max() < 5 for f in r.world.figures)


def test_slope_depends_on_the_seed_alone():
    once, again, other = (load("slope").changed(seed=s).build().q for s in (3, 3, 4))
    assert np.array_equal(once, again) and not np.array_equal(once, other)


@asserts("2000/skate", "2000/rolling")
def test_skate(runs):
    """Along a cycloid, rolling at 5/7 g sin a, down a rail at g times its slope."""
    a, t = np.radians(20), load("skate").seconds
    skates(runs("skate"), abs=G * np.sin(a) * t * 0.001)  # Euler's first order
    skates(load("skate").changed(integrator="rk4").run(), abs=1e-8)


def skates(r, **tolerance):
    """Check a run of `skate`."""
    a, t = np.radians(20), r.scene.seconds
    slope = bk.model.rotations.about(1, a)
    k = G * np.sin(a) / (2 * 1.5**2)
    path = k * np.array([np.sin(1.5 * t) ** 2, 1.5 * t - 0.5 * np.sin(3.0 * t), 0])
    assert slope.T @ r.world["skate"].q[:3] == pytest.approx(path, **tolerance)
    rolled = 0.5 * 5 / 7 * G * np.sin(a) * t * t
    assert slope.T @ (r.world["ball"].q[:3] - [0, -1, 0]) == pytest.approx([rolled, 0, 0], **tolerance)
    rail = bk.model.rotations.about(2, np.radians(-30)) @ slope[:, 0]
    way = 0.5 * G * np.sin(a) * t * t * rail
    assert r.world["box"].q[:3] - [0, -2, 0.5] == pytest.approx(way, **tolerance)


def test_linkage(runs):
    """The loop stays closed (an error of order dt^2 is corrected every step), and energy is kept to first order in dt."""
    r = runs("linkage")
    f = r.world["linkage"]
    model, worst = f.model, 0.0
    for q in r.q:
        tip = bk.kinematics(model, np.ascontiguousarray(q[f.part.q])).pose("tip")[0]
        worst = max(worst, abs(tip[0] - 0.8), abs(tip[2]))
    assert worst < 2e-4
    swing = np.ptp([q[0] for q in r.q])
    assert swing > 3.0  # the crank turns
    coarse = load("linkage").changed(dt=0.002).run()
    drift = [np.abs(x.energy - x.energy[0]).max() for x in (r, coarse)]
    assert drift[0] < 0.05 * np.ptp([potential(r, q) for q in r.q]) and 1.3 < drift[1] / drift[0] < 3.0


def potential(r, q):
    f = r.world["linkage"]
    return float(bk.energy(f.model, np.ascontiguousarray(q[f.part.q]), np.zeros(f.model.nv)))


@asserts("2000/bar/released")
def test_bar_breaks_at_the_first_overload(runs):
    """Both hands let go in the step that follows no overload and has one; without a limit the force passes it then."""
    r = runs("bar")
    assert [name for name, _ in r.broken] == ["left grip", "right grip"]
    free = load("bar")
    for t in free.tables["connection"]:
        t.pop("break_force")
    world = free.build()
    over = None
    while over is None and world.time < 1.0:
        world.step()
        if max(np.linalg.norm(c.force) for c in world.connections.values()) > 520:
            over = world.time
    assert over is not None
    assert all(abs(t - over) <= world.dt + 1e-9 for _, t in r.broken)
    # a pendulum keeps its energy until then; the servos do little work
    before = r.energy[r.time < over]
    assert np.ptp(before) < 0.02 * before.max()
    assert r.world["acrobat"].com[2] < 0.3  # it fell


def test_fall_ends_at_rest_and_low(runs):
    r = runs("fall")
    doll = r.world["doll"]
    still = bk.energy(doll.model, doll.q.copy(), np.zeros(doll.model.nv))
    assert doll.com[2] < 0.25 and doll.energy - still < 0.5  # J, of 690 at the start
    assert r.force["doll"][-20:, 2].mean() == pytest.approx(69 * G, rel=0.02)
    # nothing drives it: contacts and damping only take energy; Euler's error in free flight is m g v dt / 2 a step
    assert np.diff(r.energy).max() < 1.0


@pytest.mark.parametrize(("name", "soles"), [("stand", 2), ("toe_edge", 2), ("one_foot", 1)])
def test_standing(name, soles, runs):
    r = runs(name)
    f = r.world["figure"]
    pressed = [c for c in r.world.contacts if c.force[2] > 1]
    assert len(pressed) == soles and all("sole" in c.a + c.b for c in pressed)
    tail = r.force["figure"][-50:, 2]
    assert tail.mean() == pytest.approx(69 * G, rel=0.01)
    start = load(name).build()["figure"]
    assert np.linalg.norm(f.com - start.com) < 0.03  # stands where it stood


def test_toe_edge_has_pressure_on_the_block_only(runs):
    r = runs("toe_edge")
    for c in r.world.contacts:
        assert c.points[:, 0].min() > 0.005 - 1e-6 and c.state in ("surface", "line")
        assert 0.005 - 1e-6 < c.cop[0] < 0.095 + 1e-3
    assert r.world["figure"].pose("left_heel")[0][0] < -0.05  # the heels are beyond the edge


def test_one_foot_lifts_the_other(runs):
    f = runs("one_foot").world["figure"]
    assert f.pose("left_sole")[0][2] > 0.1 and abs(f.com[1] - f.pose("right_sole")[0][1]) < 0.06


def test_spin_stops_sliding_and_turning_together(runs):
    """Energy only falls; slip and spin end in the same moment, as for any body on dry friction (both vanish as the
    last)."""
    world = load("spin").build()
    foot = world["foot"]
    ends = {}
    energy = foot.energy
    for _ in range(1000):
        world.step()
        assert foot.energy <= energy + 1e-6
        energy = foot.energy
        for what, speed in (("slide", np.hypot(*foot.v[:2])), ("spin", 0.06 * abs(foot.v[5]))):
            if speed < 0.004 and what not in ends:  # g mu dt = 4 mm/s: what one step takes away
                ends[what] = world.time
    assert abs(ends["slide"] - ends["spin"]) <= 0.02 and 0.1 < ends["slide"] < 0.6
    # it slides less far than without friction, farther than without spin: v^2 / (2 mu g)
    speed = np.hypot(1.5, 0.3)
    assert speed**2 / (2 * 0.4 * G) < np.hypot(*foot.q[:2]) < speed * ends["slide"]
