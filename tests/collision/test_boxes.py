"""Boxes on boxes and planes: regions of flat contacts, features that stay, transitions, and inputs that break careless
code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.collision import Fixed, regions
from bunraku.model import Shape
from collision_scenes import contacts_of, poses, random_rotation, scene, turn

CUBE = Shape("box", (0.1, 0.1, 0.1))
GROUND = [Fixed(Shape("plane"))]


@given(st.floats(-0.15, 0.15), st.floats(-0.25, 0.25), st.floats(-1e-4, 5e-4))
def test_overlap_of_two_rectangles(dx, dy, gap):
    """Flat on each other, axes parallel: area and centroid of the overlap of [-0.1, 0.1] x [-0.2, 0.2] and the same
    moved by (dx, dy)."""
    shape = Shape("box", (0.1, 0.2, 0.05))
    contacts = scene(shape, shape)
    contacts.detect(poses((dx, dy, 0.1 + gap), (0, 0, 0)), 1e-3)
    (found,) = regions(contacts)
    assert found.state == "surface" and len(found.points) == 4
    low, high = np.maximum([-0.1, -0.2], [dx - 0.1, dy - 0.2]), np.minimum([0.1, 0.2], [dx + 0.1, dy + 0.2])
    # corners within 1e-4 of the least half size of an edge count as on it: 5e-6 m
    snap = 5.1e-6
    assert abs(found.area - np.prod(high - low)) < snap * 1.2
    assert np.allclose(found.centroid, [*(low + high) / 2, 0.05 + gap / 2], atol=snap)
    if min(abs(dx), abs(dy)) > 1e-5:
        assert np.isclose(found.area, np.prod(high - low), rtol=1e-9)
        assert np.allclose(found.centroid, [*(low + high) / 2, 0.05 + gap / 2], atol=1e-10)


@pytest.mark.parametrize("angle", [0.3, np.pi / 4, 1.2])
def test_octagon_of_turned_squares(angle):
    """Two equal squares, side 2 h, turned against each other by t about one centre: an octagon.

    Each corner that sticks out is a right triangle of height h (cos t + sin t - 1) over the other's side, angles t and
    pi/2 - t: area height^2 / (2 cos t sin t)."""
    contacts = scene(CUBE, CUBE)
    contacts.detect(poses(((0, 0, 0.2), turn(2, angle)), (0, 0, 0)), 1e-3)
    (found,) = regions(contacts)
    c, s = np.cos(angle), np.sin(angle)
    corner = (0.1 * (c + s - 1)) ** 2 / (2 * c * s)
    assert len(found.points) == 8
    assert np.isclose(found.area, 0.04 - 4 * corner, rtol=1e-12)
    assert np.allclose(found.centroid, [0, 0, 0.1], atol=1e-12)
    ids = contacts.ids[: contacts.count, 2]
    assert len(set(ids)) == 8 and np.all(ids >= 16)


@pytest.mark.parametrize("shake", [1e-6, 1e-9, 1e-11, 1e-13])
@pytest.mark.parametrize("below", ["plane", "box", "same box"])
def test_resting_flat_never_flickers(below, shake):
    """A box resting flat, shaken by less than a micrometre and a microradian, or much less: always the same four
    features, points that follow, and a normal that stays; edges that lie flush count as faces."""
    rng = np.random.default_rng(3)
    ground = {
        "plane": Shape("plane"),
        "box": Shape("box", (0.5, 0.5, 0.1), (0, 0, -0.1)),
        "same box": Shape("box", (0.1, 0.1, 0.1), (0, 0, -0.1)),
    }
    contacts = scene(CUBE, fixed=[Fixed(ground[below])])
    ids, first = contacts_of(contacts, poses((0, 0, 0.1)), 1e-3)
    assert len(first) == 4
    for _ in range(300):
        dx, angles = rng.uniform(-shake, shake, 3), rng.uniform(-shake, shake, 3)
        R = turn(0, angles[0]) @ turn(1, angles[1]) @ turn(2, angles[2])
        again, data = contacts_of(contacts, poses((np.array([0, 0, 0.1]) + dx, R)), 1e-3)
        assert np.array_equal(np.sort(ids[:, 2]), np.sort(again[:, 2]))
        order = [list(again[:, 2]).index(f) for f in ids[:, 2]]
        assert np.abs(data[order, :3] - first[:, :3]).max() < 2e-6
        assert np.abs(data[:, 3:6] - [0, 0, 1]).max() < 3e-6


def test_features_stay_while_a_box_slides_turns_and_tips():
    """Small motions change points by little; a feature that goes on existing moves with the box."""
    contacts = scene(CUBE, fixed=[Fixed(Shape("box", (0.3, 0.3, 0.1), (0, 0, -0.1)))])
    before, changes = None, 0
    for t in np.linspace(0, 1, 400):
        R = turn(2, 0.7 * t) @ turn(0, 0.004 * np.sin(9 * t))
        where = poses(((0.15 + 0.1 * t, 0.02 * t, 0.1003), R))
        ids, data = contacts_of(contacts, where, 2e-3)
        now = dict(zip(ids[:, 2].tolist(), data[:, :3]))
        assert len(now) == len(ids) and 3 <= len(ids) <= 6
        if before is not None:
            kept = set(now) & set(before)
            assert all(np.linalg.norm(now[f] - before[f]) < 3e-3 for f in kept)
            changes += set(now) != set(before)
        before = now
    assert 0 < changes < 12


def test_face_edge_corner_transitions():
    """Tipping over an edge, then a corner: 4 -> 2 -> 1 points, the lowest gap follows the support function of the cube."""
    contacts = scene(CUBE, fixed=[Fixed(Shape("box", (0.5, 0.5, 0.1), (0, 0, -0.1)))])
    for roll, yaw, count in ((0.0, 0.0, 4), (0.1, 0.0, 2), (0.1, 0.2, 1), (np.pi / 4, 0.0, 2), (np.pi / 2, 0.0, 4)):
        R = turn(0, roll) @ turn(1, yaw)
        height = 0.1 * np.abs(R[2]).sum()
        _, data = contacts_of(contacts, poses(((0, 0, height - 1e-5), R)), 1e-4)
        assert len(data) == count
        assert np.isclose(data[:, 6].min(), -1e-5, atol=1e-12)
        assert np.allclose(data[:, 3:6], [0, 0, 1])


def test_points_are_in_order_about_the_normal():
    """Anticlockwise about the normal from b to a, for either order of the shapes."""
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(200):
        size = [Shape("box", tuple(rng.uniform(0.05, 0.2, 3))) for _ in range(2)]
        tilt = random_rotation(rng)
        where = poses(
            (tilt @ np.array([*rng.uniform(-0.1, 0.1, 2), size[0].size[2] + size[1].size[2]]), tilt @ turn(2, rng.uniform(0, 6))),
            ((0, 0, 0), tilt),
        )  # fmt: skip
        for shapes, there in ((size, where), (size[::-1], where[[0, 2, 1]])):
            _, data = contacts_of(scene(*shapes), there, 1e-3)
            n, x = data[0, 3:6], data[:, :3]
            if len(x) > 2:
                seen += 1
                edges = np.roll(x, -1, axis=0) - x
                assert np.all(np.cross(edges, np.roll(edges, -1, axis=0)) @ n > -1e-12)
    assert seen > 300


DEGENERATE = {
    "same place": poses((0, 0, 0), (0, 0, 0)),
    "same place turned": poses(((0, 0, 0), turn(2, 0.5)), (0, 0, 0)),
    "one inside the other's face": poses((0, 0, 0.1), (0, 0, 0)),
    "faces touch exactly": poses((0, 0, 0.2), (0, 0, 0)),
    "edges touch exactly": poses((0.2, 0, 0.2), (0, 0, 0)),
    "corners touch exactly": poses((0.2, 0.2, 0.2), (0, 0, 0)),
    "edge on face": poses(((0, 0, 0.1 + 0.1 * np.sqrt(2)), turn(0, np.pi / 4)), (0, 0, 0)),
    "nearly parallel edges": poses(((0, 0, 0.2), turn(2, 1e-5) @ turn(0, 1e-7)), (0, 0, 0)),
    "tiny distance": poses((0, 0, 0.2 + 1e-300), (0, 0, 0)),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("kinds", [(a, b) for a in ("sphere", "capsule", "box") for b in ("sphere", "capsule", "box")], ids="-".join)  # fmt: skip
def test_degenerate_positions_stay_finite(name, kinds):
    sizes = {"sphere": (0.1,), "capsule": (0.05, 0.05), "box": (0.1, 0.1, 0.1)}
    _, data = contacts_of(scene(*(Shape(k, sizes[k]) for k in kinds)), DEGENERATE[name], 0.01)
    assert np.isfinite(data).all()
    assert np.allclose(np.linalg.norm(data[:, 3:6], axis=1), 1.0, atol=1e-12)
    if kinds == ("box", "box"):
        assert len(data)


@given(st.integers(0, 10**6), st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.floats(0, 2))
def test_any_boxes_stay_finite(seed, size, thin, distance):
    """Sizes over six decades, any pose, any depth: finite, unit normals, at most eight points, and the gap never
    exceeds the margin."""
    rng = np.random.default_rng(seed)
    a = Shape("box", tuple(size * rng.uniform(0.1, 1, 3)))
    b = Shape("box", (thin, thin * 0.01, size * 0.5))
    where = poses((rng.normal(size=3) * distance * size, random_rotation(rng)), ((0, 0, 0), random_rotation(rng)))
    _, data = contacts_of(scene(a, b), where, 0.1 * size)
    assert len(data) <= 8 and np.isfinite(data).all() and np.all(data[:, 6] < 0.1 * size)
    assert np.allclose(np.linalg.norm(data[:, 3:6], axis=1), 1.0, atol=1e-9)


def test_deep_overlap_pushes_out():
    """Moving a along the normal by the depth separates the boxes: the definition of a depth."""
    rng = np.random.default_rng(6)
    for _ in range(200):
        shapes = [Shape("box", tuple(rng.uniform(0.05, 0.3, 3))) for _ in range(2)]
        where = poses((rng.uniform(-0.1, 0.1, 3), random_rotation(rng)), ((0, 0, 0), random_rotation(rng)))
        contacts = scene(*shapes)
        _, data = contacts_of(contacts, where, 0.0)
        assert len(data)
        where[1, 9:] -= (data[:, 6].min() - 1e-9) * data[0, 3:6]
        _, after = contacts_of(contacts, where, 1e-6)
        assert not len(after) or after[:, 6].min() > -1e-12
