"""The hull of what carries, against SciPy's, and points that are held inside it."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from bunraku.choreography.stepping_arrays import MOST_CORNERS, StrideState
from bunraku.choreography.support_hull import held_inside, outside, wrap


def hull_of(points):
    """A state with the hull of points (n, 2)."""
    s = StrideState()
    s.corners = len(points)
    for k, p in enumerate(points):
        s.corner[k] = (float(p[0]), float(p[1]))
    wrap(s)
    return s


@pytest.mark.parametrize("seed", range(20))
def test_it_is_scipys_hull(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(3, MOST_CORNERS + 1)), 2))
    s, wanted = hull_of(points), ConvexHull(points)
    edges = np.array([s.edge[k] for k in range(s.edges)])
    assert {tuple(e) for e in edges} == {tuple(points[k]) for k in wanted.vertices}
    a, b = np.roll(edges, -1, 0) - edges, np.roll(edges, -2, 0) - np.roll(edges, -1, 0)
    turns = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    assert (turns > 0).all()  # anticlockwise
    for x in rng.normal(size=(10, 2)) * 2:
        far = (wanted.equations[:, :2] @ x + wanted.equations[:, 2]).max()
        assert outside(s, tuple(x)) == pytest.approx(far, abs=1e-12)


def test_points_in_a_row_and_twice_are_no_corners():
    s = hull_of([(0, 0), (1, 0), (2, 0), (2, 1), (2, 1), (0, 1), (1, 1), (0, 0)])
    assert [s.edge[k] for k in range(s.edges)] == [(0, 0), (2, 0), (2, 1), (0, 1)]


@pytest.mark.parametrize("seed", range(10))
def test_what_is_held_inside_keeps_the_margin(seed):
    rng = np.random.default_rng(seed)
    s = hull_of([(-0.1, -0.15), (0.1, -0.15), (0.1, 0.15), (-0.1, 0.15)])
    for x in rng.normal(size=(20, 2)) * 0.3:
        y = held_inside(s, tuple(x), 0.01)
        assert y == pytest.approx(np.clip(x, [-0.09, -0.14], [0.09, 0.14]), abs=1e-12)  # a rectangle: the nearest point


def test_without_a_hull_nothing_is_held():
    for points in ([], [(0, 0)], [(0, 0), (1, 0)]):
        s = hull_of(points)
        assert outside(s, (0.3, 0.1)) == 1.0 and held_inside(s, (0.3, 0.1), 0.01) == (0.3, 0.1)
