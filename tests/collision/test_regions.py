"""Contact regions: states, frames, hull tests, and mean distances against closed forms and sampling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.collision import Fixed, polygon, region, regions
from bunraku.errors import InputError
from bunraku.model import Shape
from collision_scenes import poses, random_rotation, scene, turn

SOLE = [(-0.095, -0.06), (0.095, -0.06), (0.095, 0.06), (-0.095, 0.06)]


def disc(n, radius=0.1):
    a = 2 * np.pi * np.arange(n) / n
    return np.stack([radius * np.cos(a), radius * np.sin(a)], axis=1)


def test_mean_distance_of_line_disc_and_sole():
    # (N9) line L/4, disc 2R/3, the 19 x 12 cm sole 0.060 m, each from its middle
    assert np.isclose(polygon([(0, 0), (0.2, 0)]).mean_distance((0, 0)), 0.05, rtol=1e-12)
    # a regular n-gon of circumradius R lacks O(1/n^2) of the disc: pi^2 / n^2 of the area, so relative 1.3 pi^2 / n^2
    # at most
    assert np.isclose(polygon(disc(400)).mean_distance((0, 0)), 2 * 0.1 / 3, rtol=1.3 * np.pi**2 / 400**2)
    # rectangle a x b from its centre: (1/3)(D/2 + a^2/(4b) asinh(b/a) + b^2/(4a) asinh(a/b)), D the diagonal
    a, b = 0.19, 0.12
    closed = (np.hypot(a, b) / 2 + a * a / (4 * b) * np.arcsinh(b / a) + b * b / (4 * a) * np.arcsinh(a / b)) / 3
    assert np.isclose(polygon(SOLE).mean_distance((0, 0)), closed, rtol=1e-12)
    assert abs(closed - 0.060) < 5e-4
    # from an end of a line L/2; from a point beside it, the integral of sqrt(h^2 + t^2)
    assert np.isclose(polygon([(0, 0), (0.2, 0)]).mean_distance((-0.1, 0)), 0.1, rtol=1e-12)
    t, h = (np.arange(200000) + 0.5) / 200000 * 0.2 - 0.1, 0.03
    assert np.isclose(polygon([(0, 0), (0.2, 0)]).mean_distance((0, h)), np.hypot(t, h).mean(), rtol=1e-9)


@given(st.integers(0, 10**6), st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_mean_distance_of_any_polygon(seed, x, y):
    """Against the midpoint rule over triangles of the region, 150 x 150 cells a triangle: error O(1/150^2)."""
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0, 2 * np.pi, 6))
    corners = np.stack([0.1 * np.cos(angle), 0.07 * np.sin(angle)], axis=1)
    found = polygon(corners)
    if found.state != "surface":
        return
    total = area = 0.0
    u, v = np.meshgrid(*[(np.arange(150) + 0.5) / 150] * 2)
    here = found.origin[:2] + found.rotation[:2, :2] @ np.array([x, y])
    for k in range(1, 5):  # a square maps to the triangle by (u, u v), Jacobian u
        a, b = corners[k] - corners[0], corners[k + 1] - corners[0]
        p = corners[0] + (u * (1 - v))[..., None] * a + (u * v)[..., None] * b
        weight = u * abs(a[0] * b[1] - a[1] * b[0])
        total += (weight * np.linalg.norm(p - here, axis=-1)).sum()
        area += weight.sum()
    assert np.isclose(found.mean_distance((x, y)), total / area, rtol=2e-4)
    assert np.isclose(found.area, area / 150**2, rtol=1e-5, atol=1e-8)


def test_states_and_frames():
    rng = np.random.default_rng(1)
    for points, state, count in (
        ([(0, 0)], "point", 1),
        ([(0, 0), (1e-9, 0)], "point", 1),
        ([(0, 0), (0.1, 0.1)], "line", 2),
        ([(0, 0), (0.05, 0.05), (0.1, 0.1)], "line", 2),
        ([(0, 0), (0.1, 0), (0.1, 1e-9)], "line", 2),
        ([(0, 0), (0.1, 0), (0, 0.1)], "surface", 3),
        ([(0, 0), (0.05, 0), (0.1, 0), (0.1, 0.1), (0, 0.1), (0, 0.1)], "surface", 4),
        (SOLE, "surface", 4),
    ):
        R, p = random_rotation(rng), rng.normal(size=3)
        data = np.zeros((len(points), 7))
        data[:, :3] = np.c_[np.array(points), np.zeros(len(points))] @ R.T + p
        data[:, 3:6] = R[:, 2]
        found = region(data)
        assert (found.state, len(found.points)) == (state, count)
        assert np.allclose(found.rotation.T @ found.rotation, np.eye(3), atol=1e-12)
        assert np.isclose(np.linalg.det(found.rotation), 1.0)
        assert np.allclose(found.rotation[:, 2], R[:, 2])
        back = found.origin + np.c_[found.coordinates, np.zeros(count)] @ found.rotation.T
        assert np.allclose(back, found.points, atol=1e-12)
        if state == "line":  # x along the line
            assert np.allclose(found.coordinates[:, 1], 0.0, atol=1e-8)
            assert np.isclose(found.length, np.linalg.norm(found.points[1] - found.points[0]))


@given(st.floats(-0.2, 0.2), st.floats(-0.15, 0.15))
def test_nearest_point_of_a_rectangle(x, y):
    """Clamping is the nearest point of a rectangle; inside, the margin is the least distance to a side."""
    found = polygon(SOLE)
    p = found.rotation[:2, :2].T @ np.array([x, y])  # into the frame of the region, whose origin is the middle
    near = found.nearest(p)
    q = np.clip([x, y], [-0.095, -0.06], [0.095, 0.06])
    assert np.allclose(found.rotation[:2, :2] @ near.point, q, atol=1e-12)
    inside = abs(x) <= 0.095 and abs(y) <= 0.06
    beyond = (abs(x) > 0.095) + (abs(y) > 0.06)
    if abs(abs(x) - 0.095) > 1e-9 and abs(abs(y) - 0.06) > 1e-9:
        assert near.where == ("inside", "edge", "vertex")[beyond]
        margin = -min(0.095 - abs(x), 0.06 - abs(y)) if inside else np.hypot(x - q[0], y - q[1])
        assert np.isclose(near.distance, margin, atol=1e-12)
        if near.where == "vertex":
            assert np.allclose(found.coordinates[near.corner], near.point)


def test_nearest_point_of_line_and_point():
    line = polygon([(0, 0), (0.2, 0)])
    assert line.nearest((0.05, 0)).where == "inside" and np.isclose(line.nearest((0.05, 0)).distance, -0.05)
    assert line.nearest((0.05, 0.01)).where == "edge" and np.isclose(line.nearest((0.05, 0.01)).distance, 0.01)
    assert line.nearest((0.13, 0.04)).where == "vertex" and np.isclose(line.nearest((0.13, 0.04)).distance, 0.05)
    assert polygon([(1, 1)]).nearest((0.3, 0.4)).where == "vertex"
    assert np.isclose(polygon([(1, 1)]).nearest((0.3, 0.4)).distance, 0.5)
    assert polygon([(1, 1)]).mean_distance((0.3, 0.4)) == pytest.approx(0.5)


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_foot_leaning_goes_from_surface_to_line_to_point(slope):
    """A sole on a slope, tipped about its toe edge and then about a corner: surface, line, point (N7)."""
    tilt = turn(1, slope)
    contacts = scene(Shape("box", (0.095, 0.06, 0.03)), fixed=[Fixed(Shape("plane", rotation=tilt))])
    for pitch, roll, state in ((0.0, 0.0, "surface"), (0.05, 0.0, "line"), (0.05, 0.05, "point")):
        R = turn(1, pitch) @ turn(0, roll)
        height = np.abs(R[2]) @ [0.095, 0.06, 0.03]
        contacts.detect(poses((tilt @ [0, 0, height - 1e-6], tilt @ R)), 1e-4)
        (found,) = regions(contacts)
        assert found.state == state and found.shapes == (0, 1)
        assert np.allclose(found.rotation[:, 2], tilt[:, 2])
        if state == "surface":
            assert np.isclose(found.area, 0.19 * 0.12) and np.isclose(found.mean_distance(found.centroid), 0.0602202, atol=1e-6)  # fmt: skip
        if state == "line":
            assert np.isclose(found.length, 0.12)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: region(np.zeros((2, 3))), "rows of 7"),
        (lambda: region(np.zeros((2, 7)), 1, 5), "there are 2"),
        (lambda: polygon(np.zeros((0, 2))), "shape"),
        (lambda: polygon(SOLE).nearest((1, 2, 3, 4)), "shape"),
        (lambda: polygon(SOLE).mean_distance((np.nan, 0)), "finite"),
    ],
)
def test_bad_input(call, text):
    with pytest.raises(InputError, match=text):
        call()
