"""Gaps, normals, points and features of every pair of shapes against what geometry says by hand; the whole scene also
moved rigidly."""

import numpy as np
import pytest

from bunraku.collision import Fixed
from bunraku.model import Shape
from collision_scenes import contacts_of, poses, random_rotation, scene, turn

Z = (0.0, 0.0, 1.0)
SPHERE, CAPSULE, BOX = Shape("sphere", (0.1,)), Shape("capsule", (0.1, 0.3)), Shape("box", (0.3, 0.2, 0.1))
LYING = turn(1, np.pi / 2)  # a capsule's axis along x
S = np.sqrt(0.5)

# a, pose of a, b, pose of b, gaps (sorted), normal from b to a, points (in any order)
CASES = {
    "sphere-sphere": (SPHERE, (0, 0, 0.25), SPHERE, (0, 0, 0), [0.05], Z, [(0, 0, 0.125)]),
    "sphere-sphere deep": (SPHERE, (0.05, 0, 0), SPHERE, (0, 0, 0), [-0.15], (1, 0, 0), [(0.025, 0, 0)]),
    "sphere-capsule side": (SPHERE, (0.15, 0, 0.2), CAPSULE, (0, 0, 0), [-0.05], (1, 0, 0), [(0.075, 0, 0.2)]),
    "sphere-capsule end": (SPHERE, (0.15, 0, 0.45), CAPSULE, (0, 0, 0), [0.15 / S - 0.2], (S, 0, S), None),
    "sphere-box face": (SPHERE, (0.1, 0.1, 0.19), BOX, (0, 0, 0), [-0.01], Z, [(0.1, 0.1, 0.095)]),
    "sphere-box edge": (SPHERE, (0.4, 0, 0.2), BOX, (0, 0, 0), [0.1 / S - 0.1], (S, 0, S), None),
    "sphere-box inside": (SPHERE, (0.1, 0.1, 0.04), BOX, (0, 0, 0), [-0.16], Z, [(0.1, 0.1, 0.02)]),
    "capsule-capsule crossed": (CAPSULE, ((0, 0, 0.19), LYING), CAPSULE, ((0, 0, 0), turn(0, np.pi / 2)), [-0.01], Z, [(0, 0, 0.095)]),
    "capsule-capsule parallel": (CAPSULE, ((0.2, 0, 0.21), LYING), CAPSULE, ((0, 0, 0), LYING), [0.01, 0.01], Z, [(-0.1, 0, 0.105), (0.3, 0, 0.105)]),
    "capsule-capsule in line": (CAPSULE, (0, 0, 0.85), CAPSULE, (0, 0, 0), [0.05], Z, [(0, 0, 0.425)]),
    "capsule-box lying": (CAPSULE, ((0.1, 0, 0.19), LYING), BOX, (0, 0, 0), [-0.01, -0.01], Z, [(-0.2, 0, 0.095), (0.3, 0, 0.095)]),
    "capsule-box standing": (CAPSULE, (0.1, 0.1, 0.49), BOX, (0, 0, 0), [-0.01], Z, [(0.1, 0.1, 0.095)]),
    "capsule-box edge": (CAPSULE, ((0.4, 0, 0.2), turn(1, -np.pi / 4)), BOX, (0, 0, 0), [0.1 / S - 0.1], (S, 0, S), None),
    "capsule-box inside": (CAPSULE, ((0, 0, 0.05), LYING), BOX, (0, 0, 0), [-0.15, -0.15], Z, None),
    "box-box face": (BOX, (0.1, 0, 0.199), BOX, (0, 0, 0), [-0.001] * 4, Z, [(x, y, 0.0995) for x in (-0.2, 0.3) for y in (-0.2, 0.2)]),
    "box-box edges": (BOX, ((0, 0, 0.1 + 0.4 * S + 0.002), turn(1, np.pi / 4) @ turn(2, np.pi / 2)), BOX, (0, 0, 0), None, Z, None),
    "box-box corners": (BOX, (0.61, 0.41, 0.21), BOX, (0, 0, 0), [0.01 * np.sqrt(3)], tuple([1 / np.sqrt(3)] * 3), [(0.305, 0.205, 0.105)]),
    "box-box corner-edge": (BOX, (0.61, 0.41, 0.05), BOX, (0, 0, 0), None, (S, S, 0), None),
}  # fmt: skip


def moved(placed, R, p):
    position, rotation = placed if len(placed) == 2 else (placed, np.eye(3))
    return R @ np.asarray(position, dtype=float) + p, R @ rotation


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_pair(name, seed):
    a, pose_a, b, pose_b, gaps, normal, points = CASES[name]
    R, p = np.eye(3), np.zeros(3)
    if seed is not None:
        rng = np.random.default_rng(seed)
        R, p = random_rotation(rng), rng.normal(size=3)
    _, data = contacts_of(scene(a, b), poses(moved(pose_a, R, p), moved(pose_b, R, p)), 0.08)
    assert len(data)
    if gaps is not None:
        assert np.allclose(np.sort(data[:, 6]), gaps, atol=1e-12)
    assert np.allclose(data[:, 3:6], R @ np.asarray(normal), atol=1e-9)
    if points is not None:
        found = sorted(map(tuple, np.round((data[:, :3] - p) @ R, 9)))
        assert np.allclose(found, sorted(points), atol=1e-8)


def test_corner_beside_an_edge():
    # boxes beside each other, gap 0.01 in x and in y, overlapping in z over [-0.05, 0.1]: distance 0.01 sqrt 2 along
    # that whole edge
    a, pose_a, b, pose_b, *_ = CASES["box-box corner-edge"]
    _, data = contacts_of(scene(a, b), poses(pose_a, pose_b), 0.02)
    assert np.allclose(data[:, 6].min(), 0.01 * np.sqrt(2), atol=1e-12)
    assert np.all((data[:, 2] > -0.05 - 1e-9) & (data[:, 2] < 0.1 + 1e-9))


def test_two_edges_crossing():
    # an upper box with an edge down, along y; a lower one with an edge up, along x: one point, where they cross
    cube = Shape("box", (0.1, 0.1, 0.1))
    up, down = turn(0, np.pi / 4), turn(1, np.pi / 4)
    height = 2 * 0.1 * np.sqrt(2)
    for gap in (-0.003, 0.003):
        ids, data = contacts_of(scene(cube, cube), poses(((0.02, 0.01, height + gap), down), ((0, 0, 0), up)), 0.004)
        assert len(data) == 1 and ids[0, 2] >= 16
        assert np.allclose(data[0], [0.02, 0.0, (height + gap) / 2, 0, 0, 1, gap], atol=1e-12)


PLANES = {
    "sphere": (Shape("sphere", (0.1,)), np.eye(3), 0.1, 1),
    "capsule lying": (CAPSULE, LYING, 0.1, 2),
    "capsule standing": (CAPSULE, np.eye(3), 0.4, 1),
    "box face": (BOX, np.eye(3), 0.1, 4),
    "box edge": (BOX, turn(0, np.pi / 4), (0.2 + 0.1) * S, 2),
    "box corner": (BOX, turn(0, 0.5) @ turn(1, 0.6), None, 1),
}


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize("gap", [-0.002, 0.001])
@pytest.mark.parametrize("slope", [0.0, 0.4])
def test_on_a_plane(name, gap, slope):
    shape, rotation, height, count = PLANES[name]
    tilt = turn(1, slope)
    ground = np.array([0.3, -0.2, 0.1])
    if height is None:  # the support function of a box: sum of |R_zi| h_i
        height = float(np.abs(rotation[2]) @ np.asarray(shape.size))
    contacts = scene(shape, fixed=[Fixed(Shape("plane", position=ground, rotation=tilt))])
    centre = ground + tilt @ np.array([0.5, 0.7, height + gap])
    ids, data = contacts_of(contacts, poses((centre, tilt @ rotation)), 0.002)
    assert len(data) == count and len(set(ids[:, 2])) == count
    assert np.allclose(data[:, 3:6], tilt[:, 2], atol=1e-12)
    assert np.isclose(data[:, 6].min(), gap, atol=1e-12)
    # the points lie midway between the surfaces: half the gap above the plane
    assert np.allclose((data[:, :3] - ground) @ tilt[:, 2], data[:, 6] / 2, atol=1e-12)


def test_fixed_shapes_and_exchange():
    """The same contact whichever shape is a; the normal turns round."""
    for one, two, at in ((SPHERE, BOX, (0, 0, 0.19)), (CAPSULE, BOX, (0, 0, 0.48)), (SPHERE, CAPSULE, (0.15, 0, 0))):
        _, x = contacts_of(scene(one, two), poses(at, (0, 0, 0)), 0.01)
        _, y = contacts_of(scene(two, one), poses((0, 0, 0), at), 0.01)
        assert np.allclose(x[:, :3], y[:, :3]) and np.allclose(x[:, 3:6], -y[:, 3:6]) and np.allclose(x[:, 6], y[:, 6])
        _, z = contacts_of(scene(one, fixed=[Fixed(two)]), poses(at), 0.01)
        assert np.allclose(x, z)
