"""Surfaces: checked when made, moved as rigid bodies, normals of a sphere along its radius."""

import numpy as np
import pytest

from bunraku.draw.triangles import Surface, vertex_normals
from bunraku.errors import InputError

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])


def test_moved_and_turned():
    s = Surface(CORNERS, [[0, 1, 2]], np.tile([0.0, 0, 1], (3, 1)), (10, 20, 30))
    turn = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])  # x -> y -> z -> x
    moved = s.at(np.array([1.0, 2.0, 3.0]), turn)
    assert np.allclose(moved.vertices, [[1, 2, 3], [1, 3, 3], [1, 2, 4]])
    assert moved.normals is not None and np.allclose(moved.normals, [1, 0, 0])
    assert np.allclose(moved.bounds(), [[1, 2, 3], [1, 3, 4]])
    assert moved.painted((1, 2, 3)).colors.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"triangles": [[0, 1, 3]]}, "outside of 0 … 2"),
        ({"vertices": CORNERS * np.nan}, "finite"),
        ({"normals": np.zeros((2, 3))}, "2 normals for 3"),
        ({"colors": np.zeros((2, 3), np.uint8)}, "wanted"),
    ],
)
def test_refused(change, words):
    with pytest.raises(InputError, match=words):
        Surface(**{"vertices": CORNERS, "triangles": [[0, 1, 2]], **change})


def test_normals_of_a_polyhedron_about_the_origin():
    """The octahedron's corners lie symmetrically: normals along the radius."""
    v = np.concatenate([np.eye(3), -np.eye(3)])
    signs = [(a, b, c) for a in (0, 3) for b in (1, 4) for c in (2, 5)]
    t = np.array([s if sum(x > 2 for x in s) % 2 == 0 else (s[0], s[2], s[1]) for s in signs])
    assert np.allclose(vertex_normals(v, t), v)
