"""Nonsense in a world: a bounded simulation, or StepDiverged that says who, when and what next and keeps the last good
state bit for bit."""

import re

import numpy as np
import pytest

import bunraku as bk
from bunraku.kernel.record import Many
from bunraku.model import Shape
from bunraku.step.step_arrays import Drive, Info
from bunraku.world import StepDiverged, World
from bunraku.world import room as room_module
from robots import robot

G = 9.80665
KEPT = ("warm", "sweep_limit", "fixed_pairs", "track_at", "most_sweeps", "unsolved_in_all")
"""Of Info; others describe the last step."""


def cube(mass=1.0):
    return bk.box((0.2, 0.2, 0.2), mass)


def state(world):
    """All that affects the next step."""
    found = {name: a.copy() for name, a in world._state().items()}
    found["info"] = np.array([getattr(Info(found["info"]), name) for name in KEPT])
    Many(Drive, found["drive"]).column("held")[:] = 0.0  # worked out anew in every step
    found["time"] = np.array(world.time)
    found["contacts"] = world._warm_ids[: world._info.warm].copy()
    found["tie_last"] = world._ties.last.copy()
    return found


def fails_and_keeps(world, named, cause, remedy, steps=20):
    """`cause` makes the world fail, by name and time, and changes nothing; after `remedy` it goes on exactly as a twin
    that never failed."""
    before = world.snapshot()
    world.step(steps)
    want = world.q.copy(), world.v.copy()
    world.restore(before)
    cause()
    kept = state(world)
    for _ in range(2):  # again and again
        with pytest.raises(StepDiverged) as error:
            world.step()
        text = str(error.value)
        assert named in text and f"t={world.time:.4f} s" in text, text
        assert re.search(r"set it again|Try dt <= \S+, or take away what drives it", text), text
        now = state(world)
        assert all(np.array_equal(kept[k], now[k], equal_nan=True) for k in kept), [
            k for k in kept if not np.array_equal(kept[k], now[k], equal_nan=True)
        ]
    remedy()
    world.step(steps)
    assert np.array_equal(world.q, want[0]) and np.array_equal(world.v, want[1])


def standing():
    """A cube that slides on the floor and one that hangs on a connection, with memory of some steps."""
    world = World(dt=0.001)
    world.add_ground(friction=0.5)
    a = world.add(cube(), at=(0, 0, 0.1), name="a")
    b = world.add(cube(), at=(1, 0, 1), name="b")
    world.connect(b, at=(1, 0, 1.1), axes="x y z")
    a.v[0] = 1.0
    world.step(5)
    return world, a, b


BAD = {
    "NaN torque": ("tau", 2, np.nan, "a.root.z"),
    "NaN pose": ("q", 0, np.nan, "a.root"),
    "NaN quaternion": ("q", 5, np.nan, "a.root"),
    "infinite velocity": ("v", 4, np.inf, "a.root.ry"),
    "1e6 m/s": ("v", 1, 1e6, "a.root.y"),
    "1e6 rad/s": ("v", 5, 1e6, "a.root.rz"),
    "endless force": ("tau", 0, 1e308, "a.root"),
    "1e12 N": ("tau", 2, 1e12, "a.root.z"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_numbers_are_named_and_nothing_is_lost(case):
    world, a, _ = standing()
    what, k, value, named = BAD[case]
    good = getattr(a, what)[k]
    fails_and_keeps(
        world, named, lambda: getattr(a, what).__setitem__(k, value), lambda: getattr(a, what).__setitem__(k, good)
    )


def test_a_push_beyond_measure_and_an_impact_in_the_same_step():
    """The failure comes in a step with a bounce, which is solved twice: what is remembered must not be half new."""
    world = World(dt=0.001)
    world.add_ground(restitution=0.5)
    ball = world.add(bk.sphere(0.1), at=(0, 0, 0.1005), name="ball")
    other = world.add(cube(), at=(1, 0, 0.1), name="other")
    world.step(3)
    ball.v[2] = -2.0
    fails_and_keeps(
        world, "other.root.x", lambda: other.tau.__setitem__(0, 1e12), lambda: other.tau.__setitem__(0, 0.0)
    )


def test_a_controller_that_gives_nan_is_stopped():
    world, a, _ = standing()
    world.add_controller(lambda w: a.tau.__setitem__(1, np.nan if w.time > 0.0105 else 0.0))
    with pytest.raises(StepDiverged, match=r"tau of 'a.root.y' is not finite"):
        world.run(0.1)
    assert world.time == pytest.approx(0.011) and np.all(np.isfinite(world.q))


def follow(world, steps, each=1):
    """Total energy [J] after every `each` steps."""
    found = []
    for _ in range(steps // each):
        world.step(each)
        found.append(world.report.energy)
    assert np.all(np.isfinite(world.q)) and np.all(np.isfinite(world.v))
    return np.array(found)


def test_boxes_inside_each_other_come_apart():
    """Overlap is taken back at 0.5 m/s at the most, so the kinetic energy stays below that of bodies thrown at a few
    times this speed."""
    world = World(dt=0.001)
    world.add_ground()
    for k in range(4):
        world.add(cube(), at=(0.001 * k, 0, 0.1 + 0.001 * k))
    fastest = 0.0
    for _ in range(1500):
        world.step()
        fastest = max(fastest, np.abs(world.v.reshape(-1, 6)[:, :3]).max())
    assert fastest < 3.0 and np.abs(world.v).max() < 1e-3
    assert world.report.penetration < 1e-6 and min(f.q[2] for f in world.figures) > 0.0999


def test_a_figure_half_in_the_floor_rises():
    world = World(dt=0.001)
    world.add_ground()
    figure = world.add(bk.human(), at=(0, 0, 0.4))
    fastest = 0.0
    for _ in range(1500):  # 0.5 m at 0.5 m/s, then it falls
        world.step()
        fastest = max(fastest, figure.v[2])
    assert fastest < 1.0 and world.report.penetration < 0.01 and 0.05 < figure.q[2] < 1.0


@pytest.mark.parametrize("dropped", [0.0, 0.3])
def test_steps_of_a_tenth_of_a_second(dropped):
    """At rest nothing moves; after a fall energy only goes down, and a tower ends standing. Which is on which is not
    kept: bodies that move by more than their own size in a step are not seen to meet."""
    world = World(dt=0.1)
    world.add_ground()
    for k in range(4):
        world.add(cube(), at=(0, 0, 0.1 + 0.2 * k + dropped * (k + 1)))
    world._prepare()
    start = world.report.energy
    energy = follow(world, 40)
    assert energy.max() <= start + 1e-6 * abs(start) + 4 * 0.5 * 0.5**2  # what taking back overlap may cost: 0.5 m/s
    assert np.abs(world.v).max() < 0.02 and world.report.penetration < 0.002
    heights = [f.q[2] for f in world.figures]
    assert (sorted(heights) if dropped else heights) == pytest.approx([0.1, 0.3, 0.5, 0.7], abs=0.01)


def test_a_figure_at_a_tenth_of_a_second_stays_bounded_or_says_so():
    """So long a step is too long for a figure that falls in a heap: of 24 starts that differ by a nanometre about two
    thirds stay bounded, which is which hangs on rounding. The others end in StepDiverged and keep the last good state."""
    bounded, rng = 0, np.random.default_rng(0)
    for _ in range(24):
        world = World(dt=0.1)
        world.add_ground()
        world.add(bk.human(), at=(0, 0, 0.901 + 1e-9 * rng.normal()))
        world.step()
        start = world.report.energy
        try:
            bounded += follow(world, 30).max() <= start + 69 * 0.5 * 0.5**2 and np.abs(world.v).max() < 100
        except StepDiverged:
            assert np.all(np.isfinite(world.q)) and np.all(np.isfinite(world.v))
    assert bounded >= 12


@pytest.mark.parametrize("height", [0.0, 0.2])
@pytest.mark.parametrize("masses", [(1e6, 1.0), (1.0, 1e6)], ids=["light on heavy", "heavy on light"])
def test_one_to_a_million(masses, height):
    """Both come to rest one on the other; the floor carries both weights; energy does not rise."""
    world = World(dt=0.001)
    world.add_ground()
    below = world.add(cube(masses[0]), at=(0, 0, 0.1 + height))
    above = world.add(cube(masses[1]), at=(0.02, 0, 0.3 + 2 * height))
    world._prepare()
    start = sum(f.energy for f in world.figures)
    energy = follow(world, 1000)
    assert energy.max() <= start * (1 + 1e-9)
    assert np.abs(world.v).max() < 1e-5
    assert [below.q[2], above.q[2]] == pytest.approx([0.1, 0.3], abs=1e-6)
    lift = {c.bodies[1][0]: abs(c.force[2]) for c in world.contacts}
    assert lift["world"] == pytest.approx(sum(masses) * G, rel=1e-6)
    assert world.report.unsolved_in_all == 0


def test_no_contacts_and_no_shapes():
    world = World(dt=0.001)
    ball = world.add(bk.sphere(0.1), at=(0, 0, 5))
    world.step(100)
    assert world.contacts == [] and ball.v[2] == pytest.approx(-G * 0.1, rel=1e-12)


@pytest.mark.parametrize("friction, way", [(0.0, 0.3), (1e6, None)])
def test_no_friction_and_endless_friction(friction, way):
    """mu = 0: it slides at 1 m/s for ever. mu = 1e6: it stops at once (or tips, losing energy)."""
    world = World(dt=0.001)
    world.add_ground(friction=friction)
    box = world.add(bk.box((0.4, 0.4, 0.05)), at=(0, 0, 0.025))
    box.v[0] = 1.0
    start = box.energy
    energy = follow(world, 300)
    assert energy.max() <= start + 1e-9
    if way is not None:
        assert box.q[0] == pytest.approx(way, rel=1e-6) and box.v[0] == pytest.approx(1.0, rel=1e-6)
    else:
        assert abs(box.q[0]) < 0.05 and np.abs(box.v).max() < 0.2


def test_a_huge_force_into_the_floor_is_carried():
    """1e9 N on a cube of 1 kg: the floor answers with it, or the step says who it could not hold; never a jump."""
    world = World(dt=0.001)
    world.add_ground()
    box = world.add(cube(), at=(0, 0, 0.1))
    world.push(box["box"], (0, 0, -1e9), seconds=0.02)
    world.step(10)
    assert sum(c.force[2] for c in world.contacts) == pytest.approx(1e9, rel=1e-6)
    free = 1e9 * world.dt  # m/s that the contact takes away, to the solver's tolerance of 1e-6
    assert np.abs(box.q[:3] - [0, 0, 0.1]).max() < 1e-6 * free * 0.01
    world.run(0.5)
    assert np.abs(box.v).max() < 1e-6 and box.q[2] == pytest.approx(0.1, abs=1e-6)


def test_bodies_far_apart_are_connected():
    """10 km of weightless rod: free fall of both, nothing else."""
    world = World(dt=0.001)
    a = world.add(cube(), at=(0, 0, 1), name="a")
    b = world.add(cube(), at=(1e4, 0, 1), name="b")
    world.connect(a, b, axes="x y z rx ry rz")
    world.step(200)
    assert np.allclose(b.q[:3] - a.q[:3], [1e4, 0, 0], atol=1e-6)
    assert a.v[2] == pytest.approx(-0.2 * G, rel=1e-9) and np.abs(a.v[3:]).max() < 1e-9


def test_a_body_put_elsewhere_comes_back_without_a_bang():
    """Held in all six axes and moved 0.5 m away: back at 10 m/s at the most, then at rest."""
    world = World(dt=0.001)
    a = world.add(cube(), at=(0, 0, 1))
    world.connect(a, axes="x y z rx ry rz")
    world.step()
    a.q[0] += 0.5
    fastest = 0.0
    for _ in range(200):
        world.step()
        fastest = max(fastest, np.abs(a.v).max())
    assert fastest < 10.0 * (1 + 1e-6) + 0.01
    assert np.abs(a.q[:3] - [0, 0, 1]).max() < 1e-6 and np.abs(a.v).max() < 1e-5


def test_contradictory_connections_are_counted_and_bounded():
    """One point held at two places 0.1 m apart: it stays between them, every step says `unsolved`; without the second
    it is at rest again."""
    world = World(dt=0.001)
    a = world.add(cube(), at=(0, 0, 1))
    world.connect(a, at=(0, 0, 1), axes="x y z rx ry rz")
    world.step()
    a.q[0] = 0.1
    second = world.connect(a, at=(0.1, 0, 1), axes="x y z rx ry rz")
    fastest = 0.0
    for _ in range(300):
        world.step()
        fastest = max(fastest, np.abs(a.v).max())
    assert fastest < 20.0 and -0.05 < a.q[0] < 0.15 and abs(a.q[2] - 1) < 0.05
    assert world.report.unsolved == 1
    world.disconnect(second)
    world.run(0.2)
    assert np.abs(a.q[:3] - [0, 0, 1]).max() < 1e-6 and np.abs(a.v).max() < 1e-5 and world.report.unsolved == 0


def test_a_box_in_a_gap_too_small_for_it():
    """Overlap on both sides asks for nothing but to approach no more: it stays, and no step is unsolved."""
    world = World(dt=0.001)
    world.add_ground()
    world.add_fixed(Shape("box", (1, 1, 0.1), position=(0, 0, 0.25)))  # 0.15 m above the ground
    box = world.add(cube(), at=(0, 0, 0.1))
    world.step(100)
    assert world.report.unsolved_in_all == 0 and 0.04 < box.q[2] < 0.12 and np.abs(box.v).max() < 0.01
    assert world.report.most_sweeps < 20


def test_ten_thousand_contacts():
    """2,500 cubes on the floor: each its own island, so room grows in rows and responses alone."""
    world = World(dt=0.001)
    world.add_ground()
    model = cube()
    for k in range(2500):
        world.add(model, at=(0.3 * (k % 50), 0.3 * (k // 50), 0.1))
    world.step(3)
    report = world.report
    assert report.contacts == 10_000 and report.islands == 2500 and report.unsolved_in_all == 0
    assert world._room.entries == 0 and world._room.rows < 70_000
    assert np.abs(world.v).max() < 1e-7
    lift = world._step.memory.column("impulse")[:10_000, 2].sum() / world.dt
    assert lift == pytest.approx(2500 * G, rel=1e-6)


def test_a_scene_too_large_is_refused_and_kept(monkeypatch):
    """The limit made small: a stack of 40 cubes needs 480 rows."""
    world = World(dt=0.001)
    world.add_ground()
    for k in range(40):
        world.add(cube(), at=(0, 0, 0.1 + 0.2 * k))
    world._prepare()
    kept = state(world)
    monkeypatch.setattr(room_module, "MOST", 300)
    for _ in range(2):
        with pytest.raises(StepDiverged, match="more than 300 constraint rows; spread"):
            world.step()
        now = state(world)
        assert all(np.array_equal(kept[k], now[k]) for k in kept if k not in ("warm_ids", "warm_force", "sweep_order"))
    monkeypatch.undo()
    world.step(2)
    assert world.report.contacts == 160 and world.report.unsolved == 0


def test_a_robot_whose_links_overlap_does_not_burst():
    """talos at its zero pose, hulls 9 cm inside each other where the joints cannot part them: 226 rows of rank 32.

    Velocities want nothing that contradicts; it stays nearly at rest.
    """
    world = World(dt=0.001, gravity=(0, 0, 0))
    talos = world.add(bk.load(str(robot("talos_reduced"))), self_collision="all")
    talos.servo(3000.0, 60.0)
    world.step()
    assert world.report.unsolved == 0 and world.report.rows > 200
    world.step(20)
    assert np.abs(talos.v).max() < 5 and talos.energy < 5
