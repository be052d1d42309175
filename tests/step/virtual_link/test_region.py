"""Geometry of contact regions: mean distance, hull test, nearest point."""

import numpy as np
import pytest

from asserts import asserts
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Record, flat, handle, pairs, whole
from bunraku.step.virtual_link import link_layout as at
from bunraku.step.virtual_link import link_region as region
from virtual_link_cases import Patch, hull_distance, rectangle


def table(points) -> at.Region:
    return Patch(np.asarray(points, float)).record()


class Disc(Record):
    """A region of many vertices."""

    count = whole()
    vertex = pairs(4000)


@entry("h")
def in_disc(h):
    return region.in_polygon(Disc(h), (0.0, 0.0))


@entry("h d d")
def in_polygon(h, x, y):
    return region.in_polygon(at.Region(h), (x, y))


@entry("h d d")
def in_line(h, x, y):
    return region.in_line(at.Region(h), 0, 1, (x, y))


@entry("h d d")
def nearest(h, x, y):
    return region.nearest(at.Region(h), (x, y))


@entry("h")
def base_state(h):
    return region.base_state(at.Region(h))


def polygon(n: int, radius: float = 1.0) -> np.ndarray:
    angle = 2 * np.pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def test_mean_distance_of_a_disc_is_two_thirds_of_its_radius():
    # the function takes any number of vertices; a 4000-gon differs from the disc by (2 pi / 4000)^2 / 6 of its radius
    # at most
    disc = Disc()
    disc.count = 4000
    flat(disc)[1:] = polygon(4000, 0.3).ravel()
    _, d = in_disc.call(handle(disc))
    assert d == pytest.approx(2 * 0.3 / 3, rel=1e-6)


def test_mean_distance_of_a_line_is_a_quarter_from_the_middle_and_a_half_from_the_end():
    line = table([[-0.2, 0.1], [0.4, 0.1]])
    assert in_line.call(handle(line), 0.1, 0.1)[1] == pytest.approx(0.6 / 4)
    assert in_line.call(handle(line), -0.2, 0.1)[1] == pytest.approx(0.6 / 2)


@asserts("2000/sole-d")
def test_mean_distance_of_the_sole_is_six_centimetres():
    sole = table(rectangle(0.19, 0.12))
    inside, d = in_polygon.call(handle(sole), 0.0, 0.0)
    assert d == pytest.approx(0.060, abs=5e-4)
    assert inside == pytest.approx(0.06)


@pytest.mark.parametrize("seed", range(6))
def test_mean_distance_against_a_grid(seed):
    rng = np.random.default_rng(seed)
    points = polygon(int(rng.integers(3, 9)), 0.2) * [1.0, 0.5] + rng.normal(size=2) * 0.1
    p = points.mean(0) + rng.normal(size=2) * 0.3  # inside or outside
    n = 600
    low, high = points.min(0), points.max(0)
    cells = ((np.arange(n) + 0.5) / n)[:, None] * (high - low) + low
    gx, gy = np.meshgrid(cells[:, 0], cells[:, 1])
    inside = np.ones_like(gx, bool)
    for a, b in zip(points, np.roll(points, -1, 0)):
        inside &= (b[0] - a[0]) * (gy - a[1]) - (b[1] - a[1]) * (gx - a[0]) >= 0
    want = np.hypot(gx - p[0], gy - p[1])[inside].mean()
    polygonal = table(points)
    distance, d = in_polygon.call(handle(polygonal), *p)
    assert d == pytest.approx(want, rel=3e-3)  # the grid's edge cells: about 4 / n
    assert (distance < 0) == (hull_distance(points, p) > 0)


@pytest.mark.parametrize("seed", range(40))
def test_nearest_hull_point(seed):
    rng = np.random.default_rng(seed)
    points = polygon(int(rng.integers(3, 9)), 0.2) * [1.0, 0.6]
    angle = rng.uniform(0, 2 * np.pi)
    p = rng.uniform(0.25, 1.0) * np.array([np.cos(angle), np.sin(angle)])
    polygonal = table(points)
    state, i, j = nearest.call(handle(polygonal), *p)
    assert state == (at.POINT if i == j else at.LINE)
    a, b = points[i], points[j]
    t = 0.0 if i == j else (p - a) @ (b - a) / ((b - a) @ (b - a))
    assert 0 <= t <= 1
    assert np.linalg.norm(a + t * (b - a) - p) == pytest.approx(hull_distance(points, p), rel=1e-12)


def state_of(whole_region: at.Region) -> tuple[int, int, int]:
    return base_state.call(handle(whole_region))


@asserts("2000/table-1/*/state")
def test_states_of_whole_regions():
    assert state_of(table([[0.1, 0.2]])) == (at.POINT, 0, 0)
    assert state_of(table([[0.1, 0.2], [0.3, 0.2]])) == (at.LINE, 0, 1)
    assert state_of(table(rectangle(0.2, 0.1)))[0] == at.SURFACE
    flat = [[0.0, 0.0], [0.1, 0.1], [0.3, 0.3], [0.2, 0.2]]  # no area: the line between the farthest vertices
    assert state_of(table(flat)) == (at.LINE, 0, 2)
    assert state_of(table([[0.1, 0.2]] * 3))[0] == at.POINT
