"""Hulls of points, and the pool of a scene's hulls that kernels climb about in."""

import numpy as np
import pytest

from bunraku.collision import convex_hull
from bunraku.collision.hulls import HullPool
from bunraku.collision.shape_layout import RING, Hulls
from bunraku.errors import ModelError
from collision_scenes import mesh_shape, random_rotation, scene


def prism(sides: int) -> np.ndarray:
    a = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(a), np.sin(a)], axis=1)
    return np.concatenate([np.c_[ring, np.full(sides, z)] for z in (-1, 1)])


def test_hull_faces_are_whole():
    """A prism of 24 sides as points: two ends of 24 corners and 24 sides of four; outward, anticlockwise."""
    hull = convex_hull(np.concatenate([prism(24), [[0, 0, 0.3]]]))
    assert len(hull.vertices) == 48 and sorted(len(f) for f in hull.faces) == [4] * 24 + [24] * 2
    for face, n in zip(hull.faces, hull.normals):
        x = hull.vertices[face]
        assert np.all(np.cross(np.roll(x, -1, 0) - x, np.roll(x, -2, 0) - np.roll(x, -1, 0)) @ n > 0)
        assert np.all(hull.vertices @ n <= (x @ n).max() + 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_every_triangle_belongs_to_a_face_of_its_plane(seed):
    """Random points, some of them many times and some in the middle of a face: Euler's V - E + F = 2 holds for the faces
    of points in general position, triangles lie in the plane of their face."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(40, 3))
    hull = convex_hull(points)
    edges = sum(len(f) for f in hull.faces) / 2
    assert len(hull.vertices) - edges + len(hull.faces) == 2
    box = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) @ random_rotation(rng).T
    middle = np.concatenate([rng.dirichlet(np.ones(4), 20) @ box[[0, 1, 2, 3]], box, box])
    hull = convex_hull(np.concatenate([middle, box]))
    assert sorted(len(f) for f in hull.faces) == [4] * 6
    for t, f in zip(hull.triangles, hull.face_of):
        assert np.allclose((hull.vertices[t] - hull.vertices[hull.faces[f][0]]) @ hull.normals[f], 0, atol=2e-6)


BAD = {
    "two points": (np.zeros((2, 3)), "four or more"),
    "flat": (np.c_[np.random.default_rng(0).normal(size=(9, 2)), np.zeros(9)], "plane"),
    "nearly flat": (np.c_[np.random.default_rng(0).normal(size=(9, 2)), 1e-12 * np.arange(9)], "plane"),
    "a line": (np.outer(np.arange(9.0), (1, 2, 3)), "plane or line"),
    "one point many times": (np.ones((9, 3)), "plane or line"),
    "not a number": (np.array([[0, 0, 0], [1, 0, 0], [0, np.nan, 0], [0, 0, 1.0]]), "point 2 is .*nan"),
    "infinite": (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, np.inf]]), "finite"),
}


@pytest.mark.parametrize("case", BAD)
def test_points_without_a_hull(case):
    points, words = BAD[case]
    with pytest.raises(ModelError, match=words):
        convex_hull(points)


def test_the_pool_keeps_equal_hulls_once_and_reduces_rings(tmp_path):
    pool, hulls = HullPool(), Hulls()
    one, two = convex_hull(prism(60)), convex_hull(prism(60))
    other = convex_hull(np.eye(4, 3))
    assert [pool.add(h) for h in (one, other, two)] == [0, 1, 0]
    pool.put_into(hulls)
    assert len(hulls.heads) == 2 and len(hulls.vertices) == 120 + 4 + 1
    starts = hulls.faces.column("corners")
    lengths = np.diff(starts)
    assert lengths.max() == RING and lengths.min() == 3 and starts[-1] == len(hulls.ring)
    assert scene(*[mesh_shape(prism(8), tmp_path / "p.obj")] * 3).geometry.pool.hulls[1:] == []


def test_vertex_graph_and_faces_around_vertices():
    """Every vertex has its neighbours along edges and all its faces: a cube, whose corners have three faces each."""
    cube = convex_hull(np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]))
    pool, hulls = HullPool(), Hulls()
    pool.add(cube)
    pool.put_into(hulls)
    for v in range(8):
        around = hulls.around[hulls.vertices[v].faces : hulls.vertices[v + 1].faces]
        assert len(around) == 3
        neighbours = set(hulls.neighbours[hulls.vertices[v].neighbours : hulls.vertices[v + 1].neighbours].tolist())
        near = {w for w in range(8) if np.isclose(np.linalg.norm(cube.vertices[v] - cube.vertices[w]), 2)}
        assert near <= neighbours
