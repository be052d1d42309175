"""Cylinders, cones, ellipsoids and hulls in the world's step: rest, rolling, sliding and spinning against closed forms and
the box kernel; a bolt, a rattleback; all partners; mesh feet."""

from contextlib import nullcontext

import numpy as np
import pytest

import bunraku as bk
from bunraku.collision import mesh_hulls
from bunraku.collision.shape_layout import ContactId
from bunraku.dynamics import kinematics
from bunraku.errors import MissingExtra
from bunraku.kernel.record import Many
from bunraku.model import Shape
from bunraku.model.description import Description, free
from bunraku.world import World
from collision_scenes import mesh_shape
from robots import robot

G = 9.80665
LYING = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # z along -y


@pytest.fixture
def cube(tmp_path):
    """A thing of 1 kg and 0.2 m whose shape is the hull of a mesh of a cube."""
    corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
    shape = mesh_shape(corners, tmp_path / "cube.obj")
    fig = Description("cube")
    i = 0.2**2 / 6
    fig.add("cube", None, free("root"), mass=1.0, moments=(i, i, i), shapes=[shape])
    return fig.build()


def test_a_cylinder_stands_without_creep():
    world = World(dt=0.001)
    world.add_ground(friction=0.5)
    cylinder = world.add(bk.cylinder(0.1, 0.4, 2.0), at=(0, 0, 0.2))
    start = cylinder.q.copy()
    world.run(0.5)
    assert np.abs(cylinder.v).max() < 1e-9 and np.abs(cylinder.q - start).max() < 1e-9
    (patch,) = world.contacts
    assert patch.state == "surface" and patch.force[2] == pytest.approx(2 * G, rel=1e-6)
    assert world.report.residual < 1e-6 and world.report.unsolved_in_all == 0


@pytest.mark.parametrize("contact,integrator", [("pgs", "rk4"), ("virtual_link", "euler"), ("penalty", "euler")])
def test_other_contact_models_and_integrators(contact, integrator):
    """Standing, lying and stacked cylinders, a cone and an ellipsoid rest in every contact model, on their regions; springs
    give way by m g / k at most."""
    world = World(dt=0.001, contact=contact, integrator=integrator)
    world.add_ground(friction=0.5)
    heights = (0.2, 0.1, 0.15, 0.5, 0.05)
    models = [bk.cylinder(0.1, 0.4), bk.cylinder(0.1, 0.4), bk.cone(0.1, 0.3), bk.cylinder(0.1, 0.2)]
    models.append(bk.ellipsoid((0.3, 0.2, 0.1)))
    for k, (model, z) in enumerate(zip(models, heights)):
        world.add(model, at=(0.0 if k == 3 else k, 0, z), rotation=LYING if k == 1 else None, name=f"thing{k}")
    world.run(0.5)
    states = {(c.bodies[0][0], c.bodies[1][0]): c.state for c in world.contacts}
    assert list(states.values()) == ["surface", "surface", "line", "surface", "point"]
    assert np.abs(world.v).max() < 1e-7 and world.report.unsolved_in_all == 0
    sink = 2 * G / world.stiffness if contact == "penalty" else 1e-8
    assert np.abs(world.q[2::7] - heights).max() <= 1.01 * sink


@pytest.mark.parametrize("angle", [0.1, 0.3])
def test_a_cylinder_rolls_down_a_slope(angle):
    """No slip: a = g sin(angle) / (1 + I / (m r^2)) = 2/3 g sin(angle)."""
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    world = World(dt=0.001)
    world.add_fixed(Shape("plane", rotation=R), friction=1.0)
    cylinder = world.add(bk.cylinder(0.1, 0.4, 2.0), at=R @ [0, 0, 0.1], rotation=R @ LYING)
    world.run(1.0)
    a = 2 / 3 * G * s
    assert R[:, 0] @ cylinder.v[:3] == pytest.approx(a * world.time, rel=0.005)
    assert R[:, 0] @ (cylinder.q[:3] - R @ [0, 0, 0.1]) == pytest.approx(0.5 * a * world.time**2, rel=0.005)
    assert abs(R[:, 2] @ cylinder.q[:3] - 0.1) < 1e-9
    assert abs(cylinder.v[5]) * 0.1 == pytest.approx(a * world.time, rel=0.005)  # it turns about its own axis


def test_a_cylinder_rolls_straight():
    """From v = r w, for two seconds: on its line, at its speed, without turning aside."""
    world = World(dt=0.001)
    world.add_ground(friction=0.5)
    cylinder = world.add(bk.cylinder(0.1, 0.4, 2.0), at=(0, 0, 0.1), rotation=LYING)
    cylinder.v[0], cylinder.v[5] = 1.0, -10.0
    world.run(2.0)
    assert np.allclose(cylinder.q[:3], [2, 0, 0.1], atol=1e-9)
    assert np.allclose(cylinder.v, [1, 0, 0, 0, 0, -10], atol=1e-8)


@pytest.mark.parametrize("contact", ["pgs", "virtual_link"])
def test_a_standing_cylinder_spins_down(contact):
    """The weight on its rim: I a = mu m g R (pgs, whose points are there); spread over the region that it shows, an
    octagon: I a = mu m g d with its mean distance d (virtual_link)."""
    r, mu, mass = 0.1, 0.3, 2.0
    world = World(dt=0.001, contact=contact)
    world.add_ground(friction=mu)
    cylinder = world.add(bk.cylinder(r, 0.1, mass), at=(0, 0, 0.05))
    world.run(0.05)
    cylinder.v[5] = 20.0
    world.run(0.2)
    a = np.pi / 8 * (2 * np.arange(4000) + 1) / 4000 - np.pi / 8  # a side of the octagon, seen from its middle
    rim = r * np.cos(np.pi / 8) / np.cos(a)
    mean = (rim**3).mean() / 3 / ((rim**2).mean() / 2)
    arm = {"pgs": r, "virtual_link": mean}[contact]
    want = mu * mass * G * arm / (mass * r * r / 2)
    assert (20.0 - cylinder.v[5]) / 0.2 == pytest.approx(want, rel=1e-3)
    assert np.abs(cylinder.q[:2]).max() < 1e-9


def test_a_cylinder_lies_still_and_a_tilted_one_falls_over():
    world = World(dt=0.001)
    world.add_ground(friction=0.8)
    lying = world.add(bk.cylinder(0.1, 0.4, 2.0), at=(0, 0, 0.1), rotation=LYING)
    t = 0.6  # beyond the balance at atan(0.1 / 0.2) = 0.46
    lean = np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]])
    height = 0.1 * np.sin(t) + 0.2 * np.cos(t)
    falling = world.add(bk.cylinder(0.1, 0.4, 2.0, name="falling"), at=(1, 0, height), rotation=lean)
    energy, most = falling.energy, 0.0
    for _ in range(1000):
        world.step()
        most = max(most, falling.energy - energy)
    assert np.abs(lying.v).max() < 1e-7 and lying.q[2] == pytest.approx(0.1, abs=1e-9)
    assert abs(falling.pose("falling")[1][2, 2]) < 0.05 and falling.q[2] == pytest.approx(0.1, abs=1e-3)
    assert most < 2 * 2 * G * world.dt  # semi-implicit Euler: within m g v dt of a metre per second, twice


def test_a_hull_of_a_cube_is_the_box(cube):
    """Rest: the same force at each corner. Sliding from 2 m/s: v^2 / (2 mu g), the same as the box kernel gives."""
    forces, ways = [], []
    for model in (bk.box((0.2, 0.2, 0.2), 1.0), cube):
        world = World(dt=0.001)
        world.add_ground(friction=0.3)
        thing = world.add(model, at=(0, 0, 0.1))
        world.run(0.3)
        forces.append(sorted(world.contacts[0].forces[:, 2]))
        thing.v[0] = 2.0
        world.run(1.0)
        assert np.abs(thing.v).max() < 1e-7
        ways.append(thing.q[0])
    assert np.allclose(forces[0], forces[1], rtol=1e-5) and np.allclose(forces[1], G / 4, rtol=1e-5)
    assert ways[1] == pytest.approx(ways[0], rel=1e-6)
    assert ways[1] == pytest.approx(2.0**2 / (2 * 0.3 * G), rel=0.005)


def test_a_stack_of_ten_hulls_is_a_stack_of_boxes(cube):
    """Ten cubes, each a little beside the one below, for a second: the same to 1e-9."""
    ends = []
    for model in (bk.box((0.2, 0.2, 0.2), 1.0), cube):
        world = World(dt=0.002)
        world.add_ground(friction=0.6)
        for k in range(10):
            world.add(model, at=(0.01 * (k % 3), 0.005 * (k % 2), 0.1 + 0.2 * k), name=f"cube{k}")
        world.run(1.0)
        assert np.abs(world.v).max() < 1e-7 and world.report.worst_residual <= 1e-6
        ends.append((world.q.copy(), world.v.copy()))
    assert np.abs(ends[0][0] - ends[1][0]).max() < 1e-9 and np.abs(ends[0][1] - ends[1][1]).max() < 1e-9


def test_a_bolt_on_the_edge_of_its_head_comes_to_rest(tmp_path):
    """A hull like a bolt's falls on its side, where a corner or edge of the head and the end of the shaft carry it: half a
    second later it does not move, nor does it jitter."""
    six, twelve = np.arange(6) * np.pi / 3, np.arange(12) * np.pi / 6
    rings = [(0.02, six, 0.0), (0.02, six, 0.012), (0.008, twelve, 0.012), (0.008, twelve, 0.08)]
    points = np.concatenate([np.c_[r * np.cos(a), r * np.sin(a), np.full(len(a), z)] for r, a, z in rings])
    fig = Description("bolt")
    shape = mesh_shape(points, tmp_path / "bolt.obj")
    fig.add("bolt", None, free("root"), mass=0.1, com=(0, 0, 0.03), moments=(6e-5, 6e-5, 8e-6), shapes=[shape])
    world = World(dt=0.001)
    world.add_ground(friction=0.4)
    bolt = world.add(fig.build(), at=(0, 0, 0.03), rotation=np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]]))
    world.run(2.0)
    start, fastest = bolt.q.copy(), 0.0
    for _ in range(500):
        world.step()
        fastest = max(fastest, float(np.abs(bolt.v).max()))
    assert fastest < 1e-7 and np.abs(bolt.q - start).max() < 1e-9
    assert sum(c.force[2] for c in world.contacts) == pytest.approx(0.1 * G, rel=1e-6)


def test_a_rattleback_reverses_its_spin():
    """An ellipsoid whose principal axes are turned against it (Kane and Levinson 1982): spun one way it rattles and turns
    back; the other way it spins on. Nothing is gained."""
    ends = {}
    for spin in (5.0, -5.0):
        fig = Description("stone")
        shape = Shape("ellipsoid", (0.2, 0.03, 0.02))
        moments = (2e-3, 16e-3, 17e-3, -1e-3, 0.0, 0.0)
        fig.add("stone", None, free("root"), mass=1.0, com=(0, 0, -0.01), moments=moments, shapes=[shape])
        world = World(dt=0.0002)
        world.add_ground(friction=5.0)
        stone = world.add(fig.build(), at=(0, 0, 0.02))
        stone.v[3:] = 0.1, 0.1, spin
        energy = stone.energy
        world.run(10.0)
        ends[spin] = float(stone.v[5])
        assert stone.energy < energy + 1e-3 and world.report.penetration < 1e-5
    assert ends[5.0] > 4.5 and ends[-5.0] > 1.0


STACKS = {
    "cylinder on cylinder": ("cylinder", "cylinder", 0.3, None),
    "cylinder on hull": ("hull", "cylinder", 0.3, None),
    "lying cylinder on hull": ("hull", "cylinder", 0.3, LYING),
    "hull on cylinder": ("cylinder", "hull", 0.3, None),
    "hull on hull": ("hull", "hull", 0.3, None),
    "hull on box": ("box", "hull", 0.3, None),
    "box on hull": ("hull", "box", 0.3, None),
    "sphere on hull": ("hull", "sphere", 0.3, None),
    "capsule on hull": ("hull", "capsule", 0.25, LYING),
    "box on cylinder": ("cylinder", "box", 0.3, None),
    "cone on box": ("box", "cone", 0.3, None),
    "cone on cylinder": ("cylinder", "cone", 0.3, None),
    "ellipsoid on hull": ("hull", "ellipsoid", 0.25, None),
    "ellipsoid on cylinder": ("cylinder", "ellipsoid", 0.25, None),
}


@pytest.mark.parametrize("case", STACKS)
def test_one_on_another(case, cube):
    """Both rest, the floor carries both, the lower one's patch carries the upper one; features and order stay from step
    to step."""
    below, above, height, rotation = STACKS[case]
    things = {
        "cylinder": bk.cylinder(0.1, 0.2), "hull": cube, "box": bk.box((0.2, 0.2, 0.2)),
        "sphere": bk.sphere(0.1), "capsule": bk.capsule(0.05, 0.15), "cone": bk.cone(0.1, 0.2),
        "ellipsoid": bk.ellipsoid((0.3, 0.2, 0.1)),
    }  # fmt: skip
    world = World(dt=0.001)
    world.add_ground(friction=0.8)
    world.add(things[below], at=(0, 0, 0.1), name="below")
    world.add(things[above], at=(0, 0, height), rotation=rotation, name="above")
    start = world.q.copy()
    world.run(0.2)
    features = world._contacts.ids[: world._info.contacts].copy()
    world.step(20)
    assert np.array_equal(world._contacts.ids[: world._info.contacts], features)
    ids = Many(ContactId, features)
    keys = ids.column("a") * 100 + ids.column("b")
    assert np.all(np.diff(keys) >= 0) and len(set(zip(keys, ids.column("feature")))) == len(keys)
    assert np.array_equal(np.diff(keys) > 0, np.diff(ids.column("patch")) == 1)
    assert np.abs(world.v).max() < 1e-7 and np.abs(world.q - start).max() < 1e-8
    assert sum(c.force[2] for c in world.contacts if c.bodies[1][0] == "world") == pytest.approx(2 * G, rel=1e-6)
    (between,) = [c for c in world.contacts if c.bodies[1][0] != "world"]
    assert abs(between.force[2]) == pytest.approx(G, rel=1e-6)
    assert world.report.unsolved_in_all == 0 and world.report.worst_residual <= 1e-6


def test_plain_shapes_in_the_same_world_are_untouched():
    """A box far from a cylinder moves as in a world of its own, to rounding of the sweep's start."""
    ends = []
    for with_cylinder in (False, True):
        world = World(dt=0.001)
        world.add_ground(friction=0.3)
        box = world.add(bk.box((0.2, 0.2, 0.2)), at=(0, 0, 0.15))
        box.v[:] = [1, 0.2, 0, 0.3, 0.1, 0.5]
        if with_cylinder:
            world.add(bk.cylinder(0.1, 0.4), at=(50, 0, 0.2))
        world.run(0.5)
        ends.append(box.q.copy())
    assert np.array_equal(ends[0], ends[1])


def test_arrays_grow_and_snapshots_go_on_bit_for_bit():
    """30 cylinders on their ends make 240 contacts; room is for 64 at first. A restored world repeats itself."""
    world = World(dt=0.001)
    world.add_ground(friction=0.5)
    for k in range(30):
        world.add(bk.cylinder(0.1, 0.2), at=(0.3 * k, 0, 0.1))
    world.v[::6] = 0.1
    world.step(5)
    assert world.report.contacts == 240 and len(world._contacts.ids) >= 240 and world.report.islands == 30
    snapshot = world.snapshot()
    world.step(20)
    once = world.q.copy(), world.v.copy()
    world.restore(snapshot)
    world.step(20)
    assert np.array_equal(world.q, once[0]) and np.array_equal(world.v, once[1])


def test_a_recorded_world_steps_the_same(tmp_path, cube):
    """Recording puts phases of its own into the table of the step: the contacts are as without, bit for bit."""
    ends = []
    for recorded in (False, True):
        world = World(dt=0.001)
        world.add_ground(friction=0.3)
        world.add(bk.cylinder(0.1, 0.2), at=(0, 0, 0.1))
        world.add(cube, at=(0.01, 0, 0.3))
        world.v[0] = 0.5
        with bk.Recorder(world, tmp_path / "run.bkr") if recorded else nullcontext():
            world.run(0.1)
        ends.append(np.concatenate([world.q, world.v]))
    assert np.array_equal(ends[0], ends[1])
    with bk.Recording.open(tmp_path / "run.bkr") as recording:
        assert np.allclose(recording.q[-1], ends[1][: len(recording.q[-1])], atol=1e-6)


def test_a_saved_world_keeps_self_collision(tmp_path, cube):
    world = World(dt=0.001)
    world.add_ground()
    world.add(cube, at=(0, 0, 0.1), self_collision=False)
    world.run(0.05)
    other = World.load(world.save(tmp_path / "w.npz"))
    assert other._self_collision == {"cube": False}
    world.step(20)
    other.step(20)
    assert np.array_equal(world.q, other.q) and np.array_equal(world.v, other.v)


def test_a_robot_stands_on_mesh_feet():
    """talos, 51 hulls of its own meshes, held by servos: both soles carry its weight."""
    model = bk.load(str(robot("talos_reduced")))
    world = World(dt=0.001)
    world.add_ground(friction=0.8)
    talos = world.add(model, self_collision=False)
    assert {note.kind for note in world.notes} == {"changed"}
    k, g = kinematics(world.model, world.q), world._geometry
    low = min(
        (k.position[b] + (f.place + h.vertices @ np.reshape(f.turn, (3, 3)).T) @ k.rotation[b].T)[:, 2].min()
        for s, h in g.hulls.items()
        for b, f in [(int(g.body[s]), g.forms[s])]
    )
    talos.q[2] -= low
    talos.servo(3000.0, 60.0)
    start = talos.q[2]
    world.run(0.3)
    assert {c.bodies[0][1] for c in world.contacts} == {"leg_left_6_link", "leg_right_6_link"}
    assert sum(c.force[2] for c in world.contacts) == pytest.approx(model.mass * G, rel=0.02)
    assert abs(talos.q[2] - start) < 1e-3 and world.report.penetration < 1e-6
    assert world.report.unsolved_in_all == 0


def test_without_the_reader_of_meshes_the_extra_is_named(monkeypatch, cube):
    absent = ("coal", "trimesh")
    monkeypatch.setattr(mesh_hulls.importlib.util, "find_spec", lambda name: None if name in absent else object())
    world = World()
    world.add_ground()
    with pytest.raises(MissingExtra, match=r'pip install "bunraku\[mesh\]" \(missing: trimesh\)'):
        world.add(cube, at=(0, 0, 1))
    with pytest.raises(MissingExtra, match="fixed"):
        world.add_fixed(Shape("mesh", mesh="x.stl"))
    world.add(bk.cylinder(0.1, 0.2), at=(0, 0, 0.1))
    world.step()
    assert len(world.figures) == 1 and len(world.contacts) == 1


def test_a_mesh_that_is_not_there_is_spoken_of(tmp_path):
    fig = Description("thing")
    fig.add(
        "thing", None, free("root"), mass=1.0, moments=(1, 1, 1), shapes=[Shape("mesh", mesh=str(tmp_path / "x.stl"))]
    )
    world = World()
    world.add(fig.build())
    with pytest.warns(UserWarning, match="is not there"):
        world.step()
    assert [note.kind for note in world.notes] == ["ignored"]
