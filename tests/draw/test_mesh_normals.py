"""Normals of meshes: a cube stays sharp, a ball becomes smooth, whatever order the corners come in."""

import numpy as np
import trimesh

from bunraku.draw.mesh_normals import joined_vertices, smoothed


def soup(mesh, rng):
    """The triangles of a mesh without shared vertices, in random order: as in an STL file."""
    corners = np.asarray(mesh.vertices)[np.asarray(mesh.faces)][rng.permutation(len(mesh.faces))]
    return corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)


def test_a_cube_stays_sharp():
    points, faces = soup(trimesh.creation.box((1, 2, 3)), np.random.default_rng(1))
    points, faces, _ = joined_vertices(points, faces)
    assert len(points) == 8 and len(faces) == 12
    points, normals, faces, _ = smoothed(points, faces)
    assert len(points) == 24 and np.allclose(np.sort(np.abs(normals), axis=1), [0, 0, 1])
    corners = points[faces]
    facets = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facets /= np.linalg.norm(facets, axis=1, keepdims=True)
    assert np.allclose(facets[:, None], normals[faces])


def test_a_ball_becomes_smooth():
    points, faces = soup(trimesh.creation.icosphere(subdivisions=3, radius=0.4), np.random.default_rng(2))
    points, faces, _ = joined_vertices(points, faces)
    assert len(points) == 642
    points, normals, faces, _ = smoothed(points, faces)
    assert len(points) == 642
    assert np.einsum("ij,ij->i", normals, points / 0.4).min() > 0.999


def test_colours_stay_with_their_vertices():
    """Two vertices at one place with two colours stay two."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0], [-1, 0, 0]])
    colors = np.array([[255, 0, 0]] * 3 + [[0, 0, 255]] * 3, dtype=np.uint8)
    p, f, c = joined_vertices(points, np.array([[0, 1, 2], [3, 4, 5]]), colors)
    assert len(p) == 6 and c is not None
    p, _, f, c = smoothed(p, f, c)
    assert c is not None
    sides = p[f].mean(axis=1)[:, 0] > 0
    assert (c[f][sides] == [255, 0, 0]).all() and (c[f][~sides] == [0, 0, 255]).all()


def test_what_has_no_area_is_left_out():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]])
    _, faces, _ = joined_vertices(points, np.array([[0, 1, 2], [0, 0, 1], [0, 1, 3]]))
    assert len(faces) == 1
    assert len(smoothed(points, faces[:0])[0]) == 0
