"""The zero-moment point of a whole figure by inverse dynamics, against closed forms of a single box."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.model.rotations import without_jumps
from bunraku.walking.whole_zmp import rates, whole_zmp

G = 9.80665


@pytest.mark.parametrize("yaw", [0.0, 0.8, -2.0])
@pytest.mark.parametrize("ground", [0.0, 0.2])
def test_a_box_that_is_pushed_and_turned(yaw, ground):
    """px = cx - (h m ax + Iy al_y) / fz,  py = cy - (h m ay - Ix al_x) / fz,  fz = m (az + g), h above the ground; a
    box whose level axes are turned by yaw has its own Ix, Iy."""
    m, edges = 12.0, np.array([0.3, 0.5, 0.8])
    model = bk.box(tuple(edges), m)
    inertia = m / 12 * np.array([edges[1] ** 2 + edges[2] ** 2, edges[0] ** 2 + edges[2] ** 2, 1.0])
    q = np.array([0.4, -0.3, 0.9, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)])
    push, spin = np.array([1.3, -0.7, 0.5]), np.array([0.9, -0.6, 0.4])
    a = np.concatenate([push, spin])  # angular accelerations in the box's own axes
    x, y, z = whole_zmp(model, q[None], np.zeros((1, 6)), a[None], np.array([ground]))[0]
    c, s = np.cos(yaw), np.sin(yaw)
    n = np.array([[c, -s], [s, c]]) @ (inertia[:2] * spin[:2])
    fz, h = m * (push[2] + G), 0.9 - ground
    assert x == pytest.approx(0.4 - (h * m * push[0] + n[1]) / fz, rel=1e-12)
    assert y == pytest.approx(-0.3 - (h * m * push[1] - n[0]) / fz, rel=1e-12) and z == ground


def test_rates_are_central_differences_at_rest_at_the_ends():
    """Exact for x = t^2 / 2: v = t, v' = 1."""
    model, dt = bk.sphere(0.1), 0.01
    t = dt * np.arange(50)
    q = np.tile(model.neutral(), (50, 1))
    q[:, 0] = 0.5 * t * t
    v, a = rates(model, q, dt)
    assert np.allclose(v[1:-1, 0], t[1:-1]) and np.allclose(a[1:-1, 0], 1.0) and not v[[0, -1]].any()


def test_quaternions_are_unrolled():
    model = bk.sphere(0.1)
    q = np.tile(model.neutral(), (4, 1))
    q[1:3, 3:] *= -1.0
    assert np.array_equal(without_jumps(q[:, 3:7])[:, 0], np.ones(4))
