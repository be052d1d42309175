"""Cylinders, cones, ellipsoids and hulls: random pairs against coal and a search over directions, closed forms on planes
and boxes, a hull of a box's corners against the box kernel, meshes from files.

BUNRAKU_TEST_PAIRS=100000 looks at so many random pairs."""

import os

import coal
import numpy as np
import pytest
import trimesh

import bunraku as bk
from bunraku.collision import Contacts, Fixed, Geometry, Placed, regions
from bunraku.collision.shape_layout import PAIR_POINTS
from bunraku.model import Shape
from collision_judges import Search
from collision_scenes import (
    coal_distance,
    coal_shape,
    contacts_of,
    mesh_shape,
    poses,
    random_rotation,
    random_shape,
    scene,
    thing,
    turn,
)

CYLINDER = Shape("cylinder", (0.1, 0.2))
OCTAGON = 8 / 2 * np.sin(2 * np.pi / 8) * 0.1**2  # area of a regular octagon of circumradius 0.1


@pytest.mark.parametrize("below", [Shape("plane"), Shape("box", (0.5, 0.5, 0.1), (0, 0, -0.1))], ids=["plane", "box"])
@pytest.mark.parametrize("gap", [-1e-4, 2e-4])
def test_cylinder_on_the_ground(below, gap):
    """On its end: eight rim points; on its side: a line of length 2 h; on its rim: one point, height r sin t + h cos t."""
    contacts = scene(CYLINDER, fixed=[Fixed(below)])
    contacts.detect(poses(((0.05, 0, 0.2 + gap), turn(2, 0.3))), 1e-3)
    (found,) = regions(contacts)
    assert found.state == "surface" and np.isclose(found.area, OCTAGON, rtol=1e-9)
    assert np.allclose(found.centroid, [0.05, 0, gap / 2], atol=1e-9)
    assert np.allclose(contacts.data[: contacts.count, 6], gap, atol=1e-9)
    contacts.detect(poses(((0.05, 0, 0.1 + gap), turn(0, np.pi / 2))), 1e-3)
    (found,) = regions(contacts)
    assert found.state == "line" and np.isclose(found.length, 0.4) and np.allclose(found.centroid, [0.05, 0, gap / 2], atol=1e-7)  # fmt: skip
    tilt = 0.7
    contacts.detect(poses(((0, 0, 0.1 * np.sin(tilt) + 0.2 * np.cos(tilt) + gap), turn(2, 0.2) @ turn(0, tilt))), 1e-3)
    assert np.isclose(contacts.data[: contacts.count, 6].min(), gap, atol=1e-7)
    assert all(r.state == "point" for r in regions(contacts))


def test_cylinder_features_do_not_flicker():
    contacts = scene(CYLINDER, fixed=[Fixed(Shape("box", (0.5, 0.5, 0.1), (0, 0, -0.1)))])
    rng = np.random.default_rng(0)
    want = None
    for _ in range(40):
        a = rng.uniform(-1e-6, 1e-6, 2)
        ids, data = contacts_of(contacts, poses(((0, 0, 0.2 - 1e-5), turn(0, a[0]) @ turn(1, a[1]))), 1e-3)
        ids = sorted(ids[:, 2].tolist())
        want = want or ids
        assert ids == want and np.allclose(data[:, 3:6], [0, 0, 1], atol=1e-5)


def box_mesh(path, size):
    trimesh.creation.box(extents=2 * np.asarray(size)).export(path)
    return Shape("mesh", mesh=str(path))


def test_a_hull_of_a_box_is_the_box(tmp_path):
    """The same distance, normal and region as the box kernel, from the corners of the box as a mesh."""
    rng = np.random.default_rng(2)
    size = (0.1, 0.15, 0.2)
    mesh, box = box_mesh(tmp_path / "box.stl", size), Shape("box", size)
    other = Shape("box", (0.3, 0.2, 0.1))
    hull = scene(mesh, other)
    assert hull.geometry.notes[0].kind == "changed" and "8 vertices" in hull.geometry.notes[0].text
    same = scene(box, other)
    near = 0
    for k in range(60):
        where = poses((rng.uniform(-0.4, 0.4, 3), random_rotation(rng)), ((0, 0, 0), random_rotation(rng)))
        if k % 3 == 0:  # flat on the other
            where = poses(((*rng.uniform(-0.2, 0.2, 2), 0.3 + rng.uniform(-1e-4, 1e-4)), turn(2, rng.uniform(0, 6))), (0, 0, 0))  # fmt: skip
        _, one = contacts_of(hull, where, 0.05)
        _, two = contacts_of(same, where, 0.05)
        assert bool(len(one)) == bool(len(two))
        if len(two):
            near += 1
            assert np.isclose(one[:, 6].min(), two[:, 6].min(), atol=1e-7)
            if k % 3 == 0:
                (a,), (b,) = regions(hull), regions(same)
                assert a.state == b.state == "surface"
                assert np.isclose(a.area, b.area, rtol=1e-4) and np.allclose(a.centroid, b.centroid, atol=1e-5)
    assert near > 25


def test_mesh_away_from_its_origin_and_scaled(tmp_path):
    """A mesh whose vertices lie off its frame's origin, scaled: contacts are where the points are."""
    path = tmp_path / "off.obj"
    mesh = trimesh.creation.box(extents=(1, 1, 1))
    mesh.apply_translation((0, 0, 2))
    mesh.export(path)
    shape = Shape("mesh", mesh=str(path), scale=(0.2, 0.2, 0.1), position=(0, 0, 0.05))
    contacts = scene(shape, fixed=[Fixed(Shape("plane"))])
    # lowest points: 0.05 + 0.1 * (2 - 0.5) = 0.2 above the body's origin
    _, data = contacts_of(contacts, poses((0.3, 0, -0.2)), 1e-3)
    assert len(data) == 4 and np.allclose(data[:, 6], 0.0, atol=1e-7)
    assert np.allclose(data[:, :3].mean(axis=0), [0.3, 0, 0], atol=1e-7)


@pytest.mark.parametrize("kind", ["sphere", "capsule", "box", "cylinder"])
def test_everything_meets_a_hull(kind, tmp_path):
    """Each kind resting on a big hull finds the height of its top."""
    sizes = {"sphere": (0.1,), "capsule": (0.1, 0.2), "box": (0.1, 0.1, 0.1), "cylinder": (0.1, 0.2)}
    size, height = sizes[kind], {"sphere": 0.1, "capsule": 0.3, "box": 0.1, "cylinder": 0.2}[kind]
    ground = box_mesh(tmp_path / "ground.stl", (1, 1, 0.2))
    for order in (0, 1):
        shapes = (Shape(kind, size), ground) if order == 0 else (ground, Shape(kind, size))
        where = poses((0.1, 0.1, 0.2 + height - 1e-4), (0, 0, 0))
        _, data = contacts_of(scene(*shapes), where if order == 0 else where[[0, 2, 1]], 1e-3)
        assert len(data) == {"sphere": 1, "capsule": 1, "box": 4, "cylinder": 8}[kind]
        assert np.allclose(data[:, 6], -1e-4, atol=1e-7)
        assert np.allclose(data[:, 3:6], [0, 0, 1 if order == 0 else -1], atol=1e-6)
        assert np.allclose(data[:, 2], 0.2 - 0.5e-4, atol=1e-6)


def test_convex_and_plain_shapes_in_one_scene():
    """Patches count in the order of shapes, whatever their kinds, and arrays grow."""
    things = [bk.box((0.2, 0.2, 0.2)), bk.cylinder(0.1, 0.2), bk.cylinder(0.1, 0.2), bk.sphere(0.1)]
    contacts = Contacts(Geometry.of([Placed(m, k) for k, m in enumerate(things)], [Fixed(Shape("plane"))]), room=14)
    n = contacts.detect(poses(*((0.5 * k, 0, 0.1) for k in range(4))), 1e-3)
    assert n == 4 + 8 + 8 + 1 and len(contacts.ids) > 14
    assert np.unique(contacts.ids[:n, 3]).tolist() == [0, 1, 2, 3]
    assert {tuple(r.shapes) for r in regions(contacts)} == {(k, 4) for k in range(4)}
    assert np.allclose(contacts.data[:n, 6], 0.0, atol=1e-12)


def test_coincident_cylinders_stay_finite():
    for where in (poses((0, 0, 0), (0, 0, 0)), poses(((0, 0, 0), turn(0, 1.0)), (0, 0, 1e-9))):
        _, data = contacts_of(
            Contacts(Geometry.of([Placed(thing(CYLINDER), 0), Placed(thing(CYLINDER), 1)])), where, 0.01
        )
        assert len(data) and np.isfinite(data).all() and np.allclose(np.linalg.norm(data[:, 3:6], axis=1), 1.0)


# ---- random pairs --------------------------------------------------------------------------------------------------

KINDS = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "mesh")
CURVED = ("cylinder", "cone", "ellipsoid", "mesh")
PAIRS = int(os.environ.get("BUNRAKU_TEST_PAIRS", "2400"))
EACH = 24  # poses of two shapes
CLOSE = 1e-6  # m: shapes of 0.05 to 1 m


def any_shape(rng, kind, path):
    """A shape of 0.05 to 0.5 m; a mesh is the hull of 8 to 300 points on an ellipsoid, or a box."""
    if kind != "mesh":
        return random_shape(rng, kind)
    points = rng.normal(size=(int(rng.choice([8, 20, 64, 300])), 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    if rng.random() < 0.3:
        points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return mesh_shape(points * rng.uniform(0.05, 0.5, 3), path)


def placed(rng, k):
    """Two poses: a quarter with parallel axes, an eighth one beside the other along an axis."""
    turns = [random_rotation(rng) for _ in range(2)] if k % 4 else [np.eye(3)] * 2
    way = rng.normal(size=3)
    way = np.round(way / np.abs(way).max()) if k % 8 == 0 else way
    return poses((way / np.linalg.norm(way) * rng.uniform(0, 1), turns[0]), ((0, 0, 0), turns[1]))


@pytest.mark.parametrize("seed", range(4))
def test_random_pairs(seed, tmp_path):
    """Depth or distance as coal says, or, where coal fails, as a search over directions says; the normal is one along
    which the shapes are that far apart; the rows show the gap, and no row shows more; at most PAIR_POINTS."""
    print(f"seed {seed}, {PAIRS // 4} pairs")
    rng, overlap, wrong = np.random.default_rng([17, seed]), 0, 0
    for number in range(PAIRS // 4 // EACH):
        kinds = [KINDS[rng.integers(7)], CURVED[rng.integers(4)]][:: rng.choice([-1, 1])]
        shapes = [any_shape(rng, kind, tmp_path / f"{number}{k}.obj") for k, kind in enumerate(kinds)]
        contacts = scene(*shapes)
        hulls = [h.vertices + h.centre if (h := contacts.geometry.hulls.get(k)) else None for k in range(2)]
        theirs = [coal_shape(coal, s, h) for s, h in zip(shapes, hulls)]
        for k in range(EACH):
            where = placed(rng, k)
            ids, data = contacts_of(contacts, where, 10.0)
            if k % 2:  # half of them near contact
                where[1, 9:] += (rng.uniform(-0.02, 0.02) - data[:, 6].min()) * data[0, 3:6]
                ids, data = contacts_of(contacts, where, 10.0)
            what = f"seed {seed}, shapes {number}, pose {k}: {kinds}"
            assert 0 < len(data) <= PAIR_POINTS and np.isfinite(data).all(), what
            assert len(set(ids[:, 2].tolist())) == len(ids), what
            gap, n, search = data[:, 6].min(), data[0, 3:6], Search(shapes, hulls, where)
            assert np.allclose(data[:, 3:6], n) and abs(n @ n - 1) < 1e-12, what
            assert abs(search.along(n[None])[0] - gap) < CLOSE, what
            d, m = coal_distance(coal, theirs, where, 1e-9)
            overlap += gap < 0
            if not abs(d - gap) < CLOSE:
                wrong += 1
                assert search.distance([n, m], 400)[0] < gap + CLOSE, what
    assert overlap > PAIRS // 16 and wrong < PAIRS // 16


@pytest.mark.parametrize(
    "kinds", [(a, b) for b in CURVED[:3] for a in KINDS[:6] if a not in CURVED or a <= b], ids="-".join
)
def test_no_direction_is_better_than_the_normal(kinds):
    """Apart, where the direction is unique: a search about it finds nothing, and coal's normal is the same or worse."""
    rng, apart = np.random.default_rng(25), 0
    for _ in range(12):
        shapes = [random_shape(rng, kind) for kind in kinds]
        where = poses((rng.uniform(-0.8, 0.8, 3), random_rotation(rng)), ((0, 0, 0), random_rotation(rng)))
        _, data = contacts_of(scene(*shapes), where, 10.0)
        gap, n, search = data[:, 6].min(), data[0, 3:6], Search(shapes, (None, None), where)
        if gap < 1e-3:
            continue
        apart += 1
        best, m = search.distance([n], 1)
        own = search.along(n[None])[0]  # a corner may show it to 1e-7 of the size
        assert abs(best - own) < 1e-12 and np.linalg.norm(m - n) < 1e-6 and abs(own - gap) < 1e-7
        d, m = coal_distance(coal, shapes, where, 1e-14)
        if abs(d - gap) < CLOSE:
            assert search.along(m[None] / np.linalg.norm(m))[0] < own + 1e-12 and np.linalg.norm(m - n) < 1e-3
    assert apart > 2


@pytest.mark.parametrize("kinds", [(a, b) for b in CURVED for a in KINDS if a not in CURVED or a <= b], ids="-".join)
def test_exchange_and_rigid_motion(kinds, tmp_path):
    """The same gap when the shapes change places and when both are moved; the same contacts where apart."""
    rng = np.random.default_rng(21)
    for k in range(8):
        shapes = [any_shape(rng, kind, tmp_path / f"{k}{i}.obj") for i, kind in enumerate(kinds)]
        where = poses(*((rng.uniform(-0.4, 0.4, 3), random_rotation(rng)) for _ in kinds))
        _, one = contacts_of(scene(*shapes), where, 0.3)
        _, two = contacts_of(scene(*shapes[::-1]), where[[0, 2, 1]], 0.3)
        R, p = random_rotation(rng), rng.normal(size=3)
        there = where.copy()
        for i in (1, 2):
            there[i, :9] = (R @ where[i, :9].reshape(3, 3)).ravel()
            there[i, 9:] = R @ where[i, 9:] + p
        _, moved = contacts_of(scene(*shapes), there, 0.3)
        assert bool(len(one)) == bool(len(two)) == bool(len(moved))
        if len(one):
            assert np.isclose(one[:, 6].min(), two[:, 6].min(), atol=1e-8)
            assert np.isclose(one[:, 6].min(), moved[:, 6].min(), atol=1e-8)
        if len(one) and one[:, 6].min() > 0:
            assert np.allclose(one[0, 3:6], -two[0, 3:6], atol=1e-5)
            assert np.allclose(R @ one[0, 3:6], moved[0, 3:6], atol=1e-5)


@pytest.mark.parametrize("kind", CURVED)
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_size_does_not_matter(kind, size, tmp_path):
    """Shapes a thousand times smaller or larger: the same contacts, as much smaller or larger."""
    rng = np.random.default_rng(22)
    if kind == "mesh":
        points = rng.normal(size=(30, 3))
        one, two = (mesh_shape(s * points, tmp_path / f"{k}.obj") for k, s in enumerate((1.0, size)))
    else:
        h = (0.3, 0.2, 0.25)[: 3 if kind == "ellipsoid" else 2]
        one, two = Shape(kind, h), Shape(kind, tuple(size * x for x in h))
    where = poses(((0.1, 0.2, 0.15), random_rotation(rng)), ((0, 0, 0), random_rotation(rng)))
    _, a = contacts_of(scene(one, one), where, 1.0)
    where[:, 9:] *= size
    _, b = contacts_of(scene(two, two), where, size)
    assert np.isclose(size * a[:, 6].min(), b[:, 6].min(), rtol=1e-8, atol=1e-8 * size)


def test_what_is_remembered_changes_no_result(tmp_path):
    """Detection along a way, with the memory of the poses before, gives bit for bit what a new scene gives."""
    rng = np.random.default_rng(23)
    shapes = [any_shape(rng, kind, tmp_path / f"{kind}.obj") for kind in CURVED for _ in range(2)]
    long = scene(*shapes)
    where = poses(*((rng.uniform(-0.6, 0.6, 3), random_rotation(rng)) for _ in shapes))
    for _ in range(30):
        where[1:, 9:] += rng.normal(scale=0.02, size=(len(shapes), 3))
        ids, data = contacts_of(long, where, 0.01)
        fresh_ids, fresh = contacts_of(scene(*shapes), where, 0.01)
        assert np.array_equal(ids, fresh_ids) and np.array_equal(data, fresh)


def test_many_convex_shapes_are_swept():
    """Beyond 400 pairs candidates come from the sweep: the same contacts as from the list."""
    rng = np.random.default_rng(24)
    shapes = [random_shape(rng, CURVED[k % 3]) for k in range(40)]
    where = poses(*((rng.uniform(-1, 1, 3), random_rotation(rng)) for _ in shapes))
    swept, listed = scene(*shapes), scene(*shapes, sweep=False)
    assert swept.geometry.sweeps and not listed.geometry.sweeps
    one, two = contacts_of(swept, where, 0.01), contacts_of(listed, where, 0.01)
    assert len(one[0]) > 40 and np.array_equal(one[0], two[0]) and np.array_equal(one[1], two[1])


def test_flat_contacts_of_hulls_are_exact(tmp_path):
    """A hull of a box flush on another, at gaps from 1 mm to 0 and below, turned: the polygon, the gap and the normal are
    those of the faces, however small the gap; tilted by 1e-7, too."""
    corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.03, 0.03)])
    contacts = scene(*[mesh_shape(corners, tmp_path / "box.obj")] * 2)
    for gap in (1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3):
        for angle, tilt in ((0, 0), (0.3, 0), (np.pi / 4, 0), (0.3, 1e-7)):
            where = poses(((0.01, 0.003, 0.06 + gap), turn(0, tilt) @ turn(2, angle)), (0, 0, 0))
            _, data = contacts_of(contacts, where, 0.01)
            assert 4 <= len(data) <= 8 and np.abs(data[:, 6] - gap).max() < 0.1 * tilt + 1e-15
            assert np.hypot(data[0, 3], data[0, 4]) <= 1.01 * tilt


def test_polygons_of_many_corners_are_thinned_out(tmp_path):
    """Two prisms of 24 sides, end on end and turned: at most eight rows that keep the extent, the deepest among them."""
    a = 2 * np.pi * np.arange(24) / 24
    ring = 0.1 * np.stack([np.cos(a), np.sin(a)], axis=1)
    prism = mesh_shape(np.concatenate([np.c_[ring, np.full(24, z)] for z in (-0.1, 0.1)]), tmp_path / "prism.obj")
    contacts = scene(prism, prism)
    for tilt in (0.0, 1e-3):
        _, data = contacts_of(contacts, poses(((0, 0, 0.2), turn(0, tilt) @ turn(2, 0.1)), (0, 0, 0)), 0.01)
        (found,) = regions(contacts)
        assert 6 < len(data) <= PAIR_POINTS and found.area > 0.85 * np.pi * 0.1**2
        assert np.isclose(data[:, 6].min(), -0.1 * np.sin(tilt), atol=2e-6)
