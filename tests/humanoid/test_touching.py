"""Wrenches shared among points: the sum is the wrench; no corner pulls where the centre of pressure is inside."""

import numpy as np
import pytest

from bunraku.humanoid.touching import corner_forces, point_forces

CORNERS = np.array([(-0.1, -0.06, 0.0), (-0.1, 0.06, 0.0), (0.09, -0.06, 0.0), (0.09, 0.06, 0.0)])


def total(points, forces, about):
    return np.concatenate([forces.sum(axis=0), np.cross(points - about, forces).sum(axis=0)])


@pytest.mark.parametrize("turn", [0.0, 0.7, -2.0])
def test_the_corners_carry_the_wrench_and_pull_only_where_they_must(turn):
    rng = np.random.default_rng(0)
    c, s = np.cos(turn), np.sin(turn)
    corners = CORNERS @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + [0.3, -0.2, 0.0]
    middle = corners.mean(axis=0)
    for _ in range(100):
        fz, x, y = rng.uniform(50, 900), *rng.uniform(-1.3, 1.3, 2)
        cop = x * (corners[2] - corners[0]) / 2 + y * (corners[1] - corners[0]) / 2
        f = np.array([*rng.normal(0, 50, 2), fz])
        wrench = np.concatenate([f, np.cross(cop, f) + np.array([0, 0, rng.normal()])])
        forces = corner_forces(corners, middle, wrench)
        assert np.allclose(total(corners, forces, middle), wrench, atol=1e-9 * fz)
        assert (forces[:, 2].min() >= -1e-9 * fz) == (max(abs(x), abs(y)) <= 1)
    none = np.array(
        [1.0, 2.0, 0.0, 0.3, -0.2, 0.1]
    )  # no pressure: the moment cannot be had without pulling, the sum still fits
    assert np.allclose(total(corners, corner_forces(corners, middle, none), middle), none, atol=1e-9)


def test_a_grip_takes_force_and_couple():
    p, wrench = np.array([1.0, 2.0, 3.0]), np.array([10.0, -20.0, 5.0, 1.0, 0.5, -2.0])
    points, forces = point_forces(p, wrench)
    assert np.allclose(total(points, forces, p), wrench)
    assert len(point_forces(p, np.array([1.0, 0, 0, 0, 0, 0]))[0]) == 1
