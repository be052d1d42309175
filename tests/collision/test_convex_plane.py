"""Cylinder, cone, ellipsoid and hull on a plane: closed forms of the lowest point, of flat ends and of lines."""

import numpy as np
import pytest

from bunraku.collision import Fixed, regions
from bunraku.model import Shape
from collision_judges import reach
from collision_scenes import contacts_of, mesh_shape, poses, random_rotation, scene, turn

PLANE = Fixed(Shape("plane"))


@pytest.mark.parametrize("kind", ["cylinder", "cone", "ellipsoid", "mesh"])
def test_the_lowest_point(kind, tmp_path):
    """The least gap is the height of the centre less the reach of the shape downwards, at any turn and on any plane."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(300, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]  # every one is a vertex
    shape = (
        mesh_shape(points, tmp_path / "m.obj")
        if kind == "mesh"
        else Shape(kind, (0.3, 0.2, 0.1)[: 3 if kind == "ellipsoid" else 2])
    )
    for _ in range(50):
        R, tilt, p = random_rotation(rng), random_rotation(rng), rng.normal(size=3)
        contacts = scene(shape, fixed=[Fixed(Shape("plane", position=p, rotation=tilt))])
        n, x = tilt[:, 2], rng.normal(size=3)
        want = n @ (x - p) - reach(shape, points, (-n @ R)[None])[0]
        _, data = contacts_of(contacts, poses((x, R)), want + 0.05)
        assert np.isclose(data[:, 6].min(), want, atol=1e-7) and np.allclose(data[:, 3:6], n)
        k = int(np.argmin(data[:, 6]))
        assert np.isclose(n @ (data[k, :3] - p), 0.5 * data[k, 6], atol=1e-12)
        assert len(contacts_of(contacts, poses((x, R)), want - 1e-6)[1]) == 0


def test_a_cone_on_its_base_on_its_side_and_on_its_tip():
    r, h = 0.1, 0.15
    contacts = scene(Shape("cone", (r, h)), fixed=[PLANE])
    contacts.detect(poses((0, 0, h)), 1e-3)
    (base,) = regions(contacts)
    assert base.state == "surface" and np.isclose(base.area, 4 * np.sin(np.pi / 4) * r * r)
    lie = np.pi / 2 + np.arctan2(r, 2 * h)  # the side's line level
    height = h * np.sin(np.arctan2(r, 2 * h))
    contacts.detect(poses(((0, 0, height), turn(0, lie))), 1e-3)
    (side,) = regions(contacts)
    assert side.state == "line" and np.isclose(side.length, np.hypot(r, 2 * h))
    assert np.allclose(contacts.data[: contacts.count, 6], 0, atol=1e-12)
    _, data = contacts_of(contacts, poses(((0, 0, h), turn(0, np.pi))), 1e-3)
    assert len(data) == 1 and np.allclose(data[0, :3], 0, atol=1e-12)


def test_an_ellipsoid_has_one_point():
    contacts = scene(Shape("ellipsoid", (0.3, 0.2, 0.1)), fixed=[PLANE])
    _, data = contacts_of(contacts, poses((0.5, 0.2, 0.1)), 1e-3)
    assert len(data) == 1 and np.allclose(data[0], [0.5, 0.2, 0, 0, 0, 1, 0], atol=1e-12)


def test_a_face_of_a_hull(tmp_path):
    """All corners of the face that lies on the plane, anticlockwise; where it leans, the lowest edge or corner too."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.1
    contacts = scene(mesh_shape(corners, tmp_path / "c.obj"), fixed=[PLANE])
    contacts.detect(poses((0, 0, 0.1)), 1e-3)
    (face,) = regions(contacts)
    assert face.state == "surface" and np.isclose(face.area, 0.04) and contacts.count == 4
    _, data = contacts_of(contacts, poses(((0, 0, 0.1 * np.sqrt(2)), turn(0, np.pi / 4))), 1e-3)
    assert len(data) == 2 and np.allclose(data[:, 6], 0, atol=1e-12)
