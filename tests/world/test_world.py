"""The world: figures and connections, limits, snapshots, pushes, faults."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.world import StepDiverged, World

G = 9.80665


def test_pendulum_of_a_free_body_and_a_connection():
    """A rod tied at its end: period of small swings 2 pi sqrt(I / (m g l)), within 0.5 % at dt = 1 ms; the tie holds."""
    world = World(dt=0.001)
    rod = world.add(bk.box((0.02, 0.02, 1.0), 1.0), at=(0, 0, -0.5))
    tie = world.connect(rod, at=(0, 0, 0), axes="x y z")
    angle = 0.05
    rod.v[3:] = [0, angle * np.sqrt(G * 0.5 / (1 / 3)), 0]  # amplitude `angle`, from the lowest point
    rod.v[:3] = np.cross(rod.v[3:], [0, 0, -0.5])
    times, last = [], rod.q[0]
    for k in range(3500):
        world.step()
        if last < 0 <= rod.q[0] or last > 0 >= rod.q[0]:
            times.append(k * world.dt)
        last = rod.q[0]
    period = 2 * np.diff(times).mean()
    inertia = (1.0 + 0.02**2) / 12 + 0.25
    assert period == pytest.approx(2 * np.pi * np.sqrt(inertia / (G * 0.5)), rel=0.005)
    end = rod.pose("box")[0] + rod.pose("box")[1] @ [0, 0, 0.5]
    assert np.abs(end).max() < 1e-5
    assert tie.active and np.linalg.norm(tie.force) == pytest.approx(G, rel=0.05)


def test_gripping_with_relative_velocity_keeps_momentum_and_loses_energy():
    world = World(dt=1e-4, gravity=(0, 0, 0))
    a = world.add(bk.box((0.2, 0.2, 0.2), 2.0), at=(0, 0, 0), name="a")
    b = world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(1.0, 0.3, 0), name="b")
    a.v[:], b.v[:] = [1.0, 0.2, 0, 0.1, 0, 0.3], [-2.0, 0, 0.5, 0, 1.0, 0]

    def momentum():
        linear = 2.0 * a.v[:3] + 1.0 * b.v[:3]
        spin = sum(
            np.cross(f.q[:3], m * f.v[:3]) + f.pose("box")[1] @ (m * s * s / 6 * f.v[3:])
            for f, m, s in ((a, 2.0, 0.2), (b, 1.0, 0.1))
        )
        return np.concatenate([linear, spin])

    before, energy = momentum(), a.energy + b.energy
    world.connect(a, b, at=(0.5, 0.15, 0), axes="x y z rx ry rz")
    world.step()
    # angular momentum about a fixed point moves with the positions, which semi-implicit Euler knows to first order only
    assert np.abs(momentum()[:3] - before[:3]).max() < 1e-10
    assert np.abs(momentum()[3:] - before[3:]).max() < 10 * world.dt
    assert a.energy + b.energy < energy
    together = [
        np.concatenate([f.velocity("box")[3:], f.velocity("box")[:3] + np.cross(f.velocity("box")[3:], -f.q[:3])])
        for f in (a, b)
    ]
    assert np.allclose(together[0], together[1], atol=1e-3)


def test_a_connection_breaks_when_it_is_pulled_too_hard():
    world = World(dt=0.001)
    box = world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 1))
    strong = world.connect(box, at=(0, 0, 1), break_force=1.2 * G)
    world.run(0.1)
    assert strong.active and np.linalg.norm(strong.force) == pytest.approx(G, rel=1e-6)
    world.push(box["box"], force=(0, 0, -0.5 * G), seconds=0.01)
    world.step(2)
    assert strong.broken and not strong.active
    world.run(0.2)
    assert box.v[2] < -1.5  # it falls


def test_standing_figure_held_by_stiff_joints():
    """The human figure with joints held by PD torques stands on both soles; the floor carries its weight."""
    m = bk.human()
    world = World(dt=0.001)
    world.add_ground(friction=0.8)
    fig = world.add(m, at=(0, 0, 0.901))
    q0 = fig.q.copy()

    def hold(w):
        error = bk.difference(m, fig.q, q0)
        fig.tau[6:] = 3000 * error[6:] - 60 * fig.v[6:]

    world.add_controller(hold)
    world.run(0.3)
    lift = sum(c.force[2] for c in world.contacts)
    assert lift == pytest.approx(69 * G, rel=0.05)
    assert {c.state for c in world.contacts} == {"surface"} and len(world.contacts) == 2
    assert world.report.residual <= 1e-6 and world.report.unsolved == 0
    assert fig.q[2] > 0.89


def test_joint_limits_hold():
    fig = bk.Description("gate")
    fig.add(
        "gate",
        None,
        bk.hinge("h", (0, 1, 0), lower=-0.3, upper=0.3),
        mass=1.0,
        com=(0.5, 0, 0),
        moments=(0.1, 0.1, 0.1),
    )
    world = World(dt=0.001)
    gate = world.add(fig.build())
    world.run(1.0)
    assert gate.q[0] == pytest.approx(0.3, abs=1e-5) and abs(gate.v[0]) < 1e-7


def test_snapshot_goes_on_bit_for_bit():
    world = World(dt=0.001)
    world.add_ground(friction=0.5, restitution=0.3)
    for k in range(5):
        world.add(
            bk.box((0.1, 0.12, 0.14), 1.0), at=(0.03 * k, 0.02 * k, 0.2 + 0.2 * k), rotation=(1, 0.1 * k, 0.2, 0.05)
        )
    world.run(0.3)
    snap = world.snapshot()
    world.run(0.2)
    first = np.concatenate([world.q, world.v])
    world.restore(snap)
    world.run(0.2)
    assert np.array_equal(first, np.concatenate([world.q, world.v]))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda f: f.tau.__setitem__(2, np.nan), "tau of 'box.root.z'"),
        (lambda f: f.q.__setitem__(0, np.nan), "q of 'box.root'"),
        (lambda f: f.v.__setitem__(5, np.inf), "v of 'box.root.rz'"),
    ],
)
def test_what_is_not_finite_is_named(spoil, words):
    world = World()
    world.add_ground()
    box = world.add(bk.box((1, 1, 1)), at=(0, 0, 0.5))
    world.step(2)
    good = world.snapshot()
    spoil(box)
    with pytest.raises(StepDiverged, match=words):
        world.step()
    world.restore(good)
    world.step(10)
    assert np.all(np.isfinite(world.q))


def test_absurd_speed_diverges_with_a_name_and_the_world_goes_on():
    world = World()
    world.add_ground()
    box = world.add(bk.box((1, 1, 1)), at=(0, 0, 0.5))
    box.v[0] = 1e6
    before = world.q.copy()
    with pytest.raises(StepDiverged, match=r"'box.root.x'.*Try dt"):
        world.step()
    assert np.array_equal(world.q, before)
    box.v[:] = 0.0
    world.run(0.1)
    assert np.abs(box.v).max() < 1e-6


def test_deep_overlap_comes_apart_gently():
    world = World()
    world.add_ground()
    box = world.add(bk.box((0.4, 0.4, 0.4)), at=(0, 0, 0.1))  # 0.1 m into the ground
    highest = 0.0
    for _ in range(1000):
        world.step()
        highest = max(highest, box.v[2])
    assert highest <= 0.5 + 1e-6  # bounded speed
    assert box.q[2] == pytest.approx(0.2, abs=1e-4)


def test_random_connects_and_disconnects():
    rng = np.random.default_rng(0)
    world = World(dt=0.002)
    world.add_ground()
    fig = world.add(bk.human(), at=(0, 0, 1.2))
    names = [link.name for link in fig.model.links]
    ties = []
    for _ in range(300):
        if ties and rng.random() < 0.5:
            world.disconnect(ties.pop(rng.integers(len(ties))))
        else:
            link = names[rng.integers(len(names))]
            axes = " ".join(a for a in ("x", "y", "z", "rx", "ry", "rz") if rng.random() < 0.5) or "x"
            ties.append(world.connect(fig[link], axes=axes))
        if len(ties) > 4:
            world.disconnect(ties.pop(0))
        world.step()
    assert np.all(np.isfinite(world.q)) and len(world._ties.ints) <= 8


@pytest.mark.parametrize(
    "call",
    [
        lambda: World(dt=0),
        lambda: World(contact="magic"),
        lambda: World().step(),
        lambda: World().add_ground(friction=-1),
        lambda: World().add_ground(restitution=2),
        lambda: World().add(bk.box((1, 1, 1)), at=(0, np.nan, 0)),
        lambda: (w := World(), b := w.add(bk.box((1, 1, 1))), w.connect(b, axes="q")),
        lambda: (w := World(), b := w.add(bk.box((1, 1, 1))), w.connect(b, b)),
        lambda: (w := World(), w.add(bk.box((1, 1, 1)), name="a"), w.add(bk.box((1, 1, 1)), name="a")),
        lambda: World()["nobody"],
    ],
)
def test_mistakes_get_a_sentence(call):
    with pytest.raises(bk.BunrakuError):
        call()
