"""Terrain: flat triangulated ground is a plane, curved ground has its exact distance, no edge is felt where none is."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.collision import Fixed
from bunraku.collision.shape_layout import ContactId
from bunraku.kernel.record import Many
from bunraku.model import Shape
from collision_scenes import coal_shape, contacts_of, mesh_shape, poses, random_rotation, scene, turn

SHAPES = [
    Shape("sphere", (0.1,)),
    Shape("capsule", (0.05, 0.1)),
    Shape("box", (0.1, 0.2, 0.05)),
    Shape("cylinder", (0.1, 0.05)),
    Shape("cone", (0.1, 0.1)),
    Shape("ellipsoid", (0.1, 0.2, 0.05)),
]


def flat_floor(rng, size=2.0, count=60):
    """A level square of random triangles (Delaunay's)."""
    from scipy.spatial import Delaunay

    xy = np.vstack([rng.uniform(-size, size, (count, 2)), size * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])])
    t = Delaunay(xy).simplices
    a, b, c = (xy[t[:, k]] for k in range(3))
    area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    t = t[np.abs(area) > 1e-9]
    t[area[np.abs(area) > 1e-9] < 0] = t[area[np.abs(area) > 1e-9] < 0][:, ::-1]
    return np.column_stack([xy, np.zeros(len(xy))]), t


def sets(ids, data):
    """Contacts in an order of their own."""
    order = np.lexsort(np.round(data[:, :3], 7).T)
    return data[order]


@pytest.mark.parametrize("shape", [*SHAPES, "mesh"], ids=lambda s: s if isinstance(s, str) else s.kind)
@pytest.mark.parametrize("ground", ["random triangles", "height field"])
def test_flat_ground_is_a_plane(shape, ground, tmp_path):
    """The contacts with any triangles of a level floor are those with a plane, at every pose."""
    rng = np.random.default_rng(7)
    if shape == "mesh":
        shape = mesh_shape(rng.normal(size=(40, 3)) * 0.1, tmp_path / "m.obj")
    floor = (
        bk.terrain_mesh(*flat_floor(rng))
        if ground == "random triangles"
        else bk.height_field(np.zeros((41, 41)), 0.1, at=(-2, -2, 0))
    )
    one, two = scene(shape, fixed=[Fixed(Shape("plane"))]), scene(shape, fixed=[Fixed(floor)])
    for k in range(150):
        R = turn(k % 3, 0.5 * np.pi * int(rng.integers(4))) if k % 3 else random_rotation(rng)
        at = np.array([*rng.uniform(-1, 1, 2), 0.0])
        contacts_of(one, poses((at, R)), np.inf)
        low = one.data[: one.count, 6].min()
        at[2] -= low - rng.choice([1e-3, 0.0, -1e-4, 5e-3])
        _, a = contacts_of(one, poses((at, R)), 0.01)
        _, b = contacts_of(two, poses((at, R)), 0.01)
        a, b = sets(None, a), sets(None, b)
        assert len(a) == len(b), (k, a, b)
        assert np.allclose(a, b, atol=1e-9), (k, a - b)


def coal_ground(coal, ground):
    """The same triangles for coal."""
    model, points, triangles = coal.BVHModelOBBRSS(), coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(np.asarray(ground.relief.vertices) + np.asarray(ground.position, dtype=float)))
    triangles.extend([coal.Triangle(*map(int, t)) for t in ground.relief.triangles])
    model.beginModel(len(triangles), len(points))
    model.addSubModel(points, triangles)
    model.endModel()
    return model


def rough(rng, cells=24, height=0.05, spacing=0.1, at=(-1.2, -1.2, 0)):
    return bk.height_field(rng.uniform(0, height, (cells + 1, cells + 1)), spacing, at=at)


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "cylinder", "cone", "ellipsoid"])
def test_distance_of_rough_ground(kind):
    """The least gap of shapes near rough ground is the distance that coal finds."""
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng(len(kind))
    ground = rough(rng)
    judge, tried = coal_ground(coal, ground), 0
    while tried < 60:
        s = Shape(kind, tuple(rng.uniform(0.03, 0.3, {"sphere": 1, "box": 3, "ellipsoid": 3}.get(kind, 2))))
        c, R = scene(s, fixed=[Fixed(ground)]), random_rotation(rng) if tried % 3 else np.eye(3)
        x, own = np.array([*rng.uniform(-0.6, 0.6, 2), 0.7]), coal_shape(coal, s)
        for _ in range(15):  # down to a few millimetres above the ground
            place = coal.Transform3s(R, x)
            d = coal.distance(judge, coal.Transform3s(), own, place, coal.DistanceRequest(), coal.DistanceResult())
            if 0 < d < 0.008:
                break
            x = x - [0, 0, d - 0.004]
        else:
            continue
        tried += 1
        _, data = contacts_of(c, poses((x, R)), 0.01)
        assert abs(data[:, 6].min() - d) < 1e-6
        assert np.all(data[:, 5] > 0)  # out of the ground
        _, none = contacts_of(c, poses((x, R)), d - 1e-6)
        assert len(none) == 0


def stairs_of(n=4, tread=0.3, riser=0.15, width=1.0):
    """Treads and risers, each cut into triangles."""
    v, t = [], []

    def quad(a, b, c, d):
        k = len(v)
        v.extend([a, b, c, d])
        t.extend([[k, k + 1, k + 2], [k, k + 2, k + 3]])

    for k in range(n):
        x, z = k * tread, k * riser
        quad([x, width, z], [x, -width, z], [x, -width, z + riser], [x, width, z + riser])
        quad(
            [x, -width, z + riser], [x + tread, -width, z + riser], [x + tread, width, z + riser], [x, width, z + riser]
        )
    return bk.terrain_mesh(v, t)


def test_stairs():
    """A box on a tread, over its nosing and at its riser has the contacts that stairs of boxes give."""
    ground = stairs_of()
    boxes = [Fixed(Shape("box", (0.15, 1.0, 0.075 * (k + 1)), (0.15 + 0.3 * k, 0, 0.075 * (k + 1)))) for k in range(4)]
    box = Shape("box", (0.1, 0.05, 0.04))
    one, two = scene(box, fixed=boxes), scene(box, fixed=[Fixed(ground)])
    for at, count in (
        ((0.45, 0.1, 0.34), 4),
        ((0.32, -0.2, 0.34), 4),
        ((0.499, 0.1, 0.3395), None),
        ((0.28, 0.1, 0.3401), 4),
    ):
        _, a = contacts_of(one, poses(at), 1e-3)
        _, b = contacts_of(two, poses(at), 1e-3)
        if count is not None:
            assert len(b) == count
        up = b[:, 5] > 0.5
        assert np.allclose(b[up, 3:6], [0, 0, 1]) and np.isclose(b[up, 6].min(), a[a[:, 5] > 0.5, 6].min(), atol=1e-9)
        if count is None:  # it touches the next riser, too
            assert np.isclose(b[~up, 6].min(), 0.001, atol=1e-9) and np.allclose(b[~up, 3:6], [-1, 0, 0])
    nosing = np.array([0.3, 0.3])
    ball = scene(Shape("sphere", (0.1,)), fixed=[Fixed(ground)])
    for angle in np.radians([100, 135, 170]):  # about the nosing of the second stair
        x = nosing + 0.1005 * np.array([np.cos(angle), np.sin(angle)])
        _, data = contacts_of(ball, poses((x[0], 0.0, x[1])), 2e-3)
        assert len(data) == 1 and np.isclose(data[0, 6], 5e-4)
        assert np.allclose(data[0, 3:6], [np.cos(angle), 0, np.sin(angle)])


def test_one_side_of_a_mesh_and_what_lies_deep_in_a_field():
    """A thin closed plate carries on both sides; a ball below a height field is told how deep it is."""
    corners = np.array([[x, y, z] for z in (-0.005, 0.005) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    sides = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
    plate = bk.terrain_mesh(corners, [t for a, b, c, d in sides for t in ([a, b, c], [a, c, d])])
    ball = scene(Shape("sphere", (0.1,)), fixed=[Fixed(plate)])
    for side in (1.0, -1.0):
        _, data = contacts_of(ball, poses((0.2, 0.1, side * 0.1049)), 0.01)
        assert len(data) == 1 and np.allclose(data[0, 3:], [0, 0, side, -1e-4])
    field = scene(Shape("sphere", (0.1,)), fixed=[Fixed(bk.height_field(np.zeros((5, 5)), 0.5, at=(-1, -1, 0)))])
    for deep in (0.05, 0.3, 0.8):
        _, data = contacts_of(field, poses((0.1, 0.2, -deep)), 0.01)
        assert len(data) == 1 and np.allclose(data[0, 3:], [0, 0, 1, -deep - 0.1])


def test_shape_and_patches_of_contacts():
    """Contacts name shapes and patches as those of other pairs; one normal is one patch."""
    rng = np.random.default_rng(5)
    c = scene(Shape("box", (0.3, 0.2, 0.05)), Shape("sphere", (0.1,)), fixed=[Fixed(rough(rng)), Fixed(Shape("plane"))])
    n = c.detect(poses((0.1, 0.2, 0.09), (0.1, 0.2, 0.24)), 0.01)
    ids = Many(ContactId, c.ids[:n])
    patch = ids.column("patch")
    assert np.all(np.diff(patch) >= 0) and np.all(np.diff(patch) <= 1) and patch[0] == 0
    for p in range(patch[-1] + 1):
        rows = c.data[:n][patch == p]
        assert np.allclose(rows[:, 3:6], rows[0, 3:6], atol=1e-6) and len(set(ids.column("b")[patch == p])) == 1
    assert {2, 1} <= set(ids.column("b"))


def roll(thing, ground, at, linear, spin, seconds=1.0):
    world = bk.World(dt=0.001)
    world.add_ground(friction=0.5) if ground is None else world.add_fixed(ground, friction=0.5)
    figure = world.add(thing, at=at)
    figure.v[:3], figure.v[3:6] = linear, spin
    rows = []
    for _ in range(10):
        world.run(seconds=seconds / 10)
        rows.append(figure.q.copy())
    return np.array(rows)


@pytest.mark.parametrize(
    ("thing", "at", "linear", "spin"),
    [
        (bk.sphere(0.1, 1.0), (-1, 0, 0.1), (1, 0.3, 0), (0, 0, 0)),
        (bk.sphere(0.1, 1.0), (-1, 0, 0.3), (1, 0.3, 0), (0, 3, 5)),
        (bk.box((0.3, 0.2, 0.1), mass=2.0), (-1, 0, 0.05), (2, 0.4, 0), (0, 0, 0)),
        (bk.box((0.3, 0.2, 0.1), mass=2.0), (-1, 0, 0.3), (1, 0.3, 0), (3, 4, 1)),
        (bk.cylinder(0.1, 0.3, 1.0), (-1, 0, 0.15), (1, 0, 0), (0, 0, 0)),
        (bk.capsule(0.1, 0.3, 1.0), (-1, 0, 0.3), (1, 0, 0), (1, 4, 0)),
    ],
    ids=["rolling ball", "thrown ball", "sliding box", "tumbling box", "sliding cylinder", "tumbling capsule"],
)
def test_no_bumps(thing, at, linear, spin):
    """Motion over a triangulated floor is that over a plane; the solver's tolerance is 1e-6."""
    rng = np.random.default_rng(11)
    plane = roll(thing, None, at, linear, spin)
    for ground in (
        bk.terrain_mesh(*flat_floor(rng, 4.0, 300)),
        bk.height_field(np.zeros((41, 41)), 0.2, at=(-4, -4, 0)),
    ):
        assert np.abs(roll(thing, ground, at, linear, spin) - plane).max() < 2e-6


def test_things_come_to_rest_on_rough_ground():
    """Dropped on rough ground things never gain energy nor sink in by a tenth of a millimetre; the box lies
    still at last."""
    rng = np.random.default_rng(2)
    world = bk.World(dt=0.001)
    world.add_fixed(rough(rng, 30, 0.04, at=(-1.5, -1.5, 0)), friction=0.8)
    things = [bk.box((0.2, 0.15, 0.1)), bk.capsule(0.05, 0.2), bk.cylinder(0.08, 0.1), bk.ellipsoid((0.2, 0.2, 0.1))]
    figures = [world.add(t, at=(-0.7 + 0.5 * k, 0.1 * k, 0.3), name=f"thing{k}") for k, t in enumerate(things)]
    energy = np.inf
    for _ in range(100):
        world.step(30)
        assert min((c.gaps.min() for c in world.contacts), default=0.0) > -1e-4 and world.report.unsolved == 0
        now = sum(f.energy for f in figures)  # they may hit each other
        assert now < energy + 1e-3  # the order of the step, of 12 J
        energy = now
    assert all(f.q[2] > 0 for f in figures)
    for f in figures[:1]:
        assert np.abs(f.v).max() < 1e-3
