"""Cylinders and hulls: closed forms on planes and boxes, a hull of a box's corners against the box kernel, meshes from
files."""

import numpy as np
import pytest
import trimesh

import bunraku as bk
from bunraku.collision import Contacts, Fixed, Geometry, Placed, convex_hull, regions
from bunraku.errors import ModelError
from bunraku.model import Shape
from collision_scenes import contacts_of, poses, random_rotation, scene, thing, turn

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


def test_hull_faces_are_whole():
    """A cylinder of 24 sides as points: two ends of 24 corners and 24 sides of four; outward, anticlockwise."""
    a = 2 * np.pi * np.arange(24) / 24
    ring = np.stack([np.cos(a), np.sin(a)], axis=1)
    hull = convex_hull(np.concatenate([np.c_[ring, np.ones(24)], np.c_[ring, -np.ones(24)], [[0, 0, 0.3]]]))
    assert len(hull.vertices) == 48 and sorted(len(f) for f in hull.faces) == [4] * 24 + [24] * 2
    for face, n in zip(hull.faces, hull.normals):
        x = hull.vertices[face]
        assert np.all(np.cross(np.roll(x, -1, 0) - x, np.roll(x, -2, 0) - np.roll(x, -1, 0)) @ n > 0)
        assert np.all(hull.vertices @ n <= (x @ n).max() + 1e-9)
    with pytest.raises(ModelError, match="plane"):
        convex_hull(np.c_[np.random.default_rng(0).normal(size=(9, 2)), np.zeros(9)])
    with pytest.raises(ModelError, match="four or more"):
        convex_hull(np.zeros((2, 3)))


def test_general_and_plain_shapes_in_one_scene():
    """Patches go on counting behind those of the kernels, and arrays grow without losing what is there."""
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
