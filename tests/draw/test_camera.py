"""Cameras: what projects where, the five views, and that a fitted box is seen whole."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.draw.camera import VIEWS, corners, fit, look
from bunraku.errors import InputError, UnknownName

LOW, HIGH = np.array([-1.0, -0.5, 0.0]), np.array([2.0, 0.5, 1.8])


@pytest.mark.parametrize("view", list(VIEWS))
@pytest.mark.parametrize("aspect", [0.5, 1.0, 2.0])
def test_a_fitted_box_is_seen_whole_and_large(view: str, aspect: float) -> None:
    width, height = round(300 * aspect), 300
    camera = fit(view, corners(LOW, HIGH), aspect)
    seen = [camera.project(np.array([x, y, z]), width, height) for x in (-1, 2) for y in (-0.5, 0.5) for z in (0, 1.8)]
    column, row = np.array(seen).T
    assert column.min() >= 0 and column.max() <= width
    assert row.min() >= 0 and row.max() <= height
    # margin 1.06: the box touches two opposite lines at 1/1.06 of the half width or height, in one direction at least
    spread = max(np.abs(column - 0.5 * width).max() / (0.5 * width), np.abs(row - 0.5 * height).max() / (0.5 * height))
    assert spread == pytest.approx(1.0 / 1.06, abs=1e-9)
    middle = 0.5 * (column.min() + column.max()) - 0.5 * width, 0.5 * (row.min() + row.max()) - 0.5 * height
    assert min(abs(middle[0]), abs(middle[1])) < 1e-9


def test_fitted_spheres_touch_the_edges() -> None:
    """The four planes through the camera and the picture's edges are tangent: the centre is r away from each."""
    centre, radius = np.array([0.3, -0.2, 1.0]), 0.4
    camera = fit("front", centre[None], 1.0, radius=np.array([radius]), margin=1.0)
    t = camera.half_height
    d = centre - camera.place
    for axis in (camera.right, camera.up):
        # distance from the centre to the plane through the camera along the picture's edge
        for sign in (-1.0, 1.0):
            normal = (sign * axis - t * camera.forward) / np.sqrt(1.0 + t * t)
            assert -(d @ normal) == pytest.approx(radius, abs=1e-12)


def test_nothing_to_fit_is_still_a_camera() -> None:
    assert np.isfinite(fit("oblique", np.zeros((0, 3)), 1.0).place).all()
    point = fit("right", np.array([[1.0, 2.0, 3.0]]), 2.0)
    assert point.project(np.array([1.0, 2.0, 3.0]), 200, 100) == pytest.approx((100.0, 50.0))


def test_views_look_the_right_way() -> None:
    """+x goes right from the right side, left from the left side, down (towards us) from the front; top sees y."""

    def moved(view: str, step: tuple[float, float, float]) -> tuple[float, float]:
        camera = fit(view, corners(LOW, HIGH), 1.0)
        middle = 0.5 * (LOW + HIGH)
        a, b = camera.project(middle, 100, 100), camera.project(middle + np.array(step), 100, 100)
        return b[0] - a[0], b[1] - a[1]

    assert moved("right", (0.1, 0, 0))[0] > 1.0
    assert moved("left", (0.1, 0, 0))[0] < -1.0
    assert moved("front", (0, 0.1, 0))[0] > 1.0  # walking towards us, its left is on our right
    assert moved("front", (0, 0, 0.1))[1] < -1.0
    assert moved("top", (0.1, 0, 0))[0] > 1.0
    assert moved("top", (0, 0.1, 0))[1] < -1.0
    assert moved("oblique", (0.1, 0, 0))[0] > 0.5


def test_axes_are_right_handed() -> None:
    for azimuth in (-130.0, 0.0, 77.0):
        camera = look(np.zeros(3), azimuth, 25.0, 3.0)
        np.testing.assert_allclose(np.cross(camera.right, camera.up), -camera.forward, atol=1e-14)
        np.testing.assert_allclose(camera.place, -3.0 * camera.forward, atol=1e-14)


def test_bad_cameras() -> None:
    with pytest.raises(UnknownName, match="Closest: 'right'"):
        fit("rigth", corners(LOW, HIGH), 1.0)
    with pytest.raises(InputError, match="distance"):
        look(np.zeros(3), 0.0, 0.0, 0.0)
