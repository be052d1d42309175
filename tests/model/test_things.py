"""Loose things: inertias of uniform solids."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError


def test_box():
    M = bk.crba(m := bk.box((0.3, 0.2, 0.1), mass=12.0), m.neutral())
    assert np.allclose(np.diag(M), [12, 12, 12, 0.2**2 + 0.1**2, 0.3**2 + 0.1**2, 0.3**2 + 0.2**2])


def test_cone_and_ellipsoid():
    """Mass matrix about the centre of mass by a sum over points of a fine grid inside."""
    x = (np.arange(120) + 0.5) / 120 * 2 - 1
    points = np.stack(np.meshgrid(x, x, x), axis=-1).reshape(-1, 3) * (0.5, 0.4, 0.3)
    ball = points[((points / (0.5, 0.4, 0.3)) ** 2).sum(axis=1) < 1]
    grid = np.stack(np.meshgrid(x, x, x), axis=-1).reshape(-1, 3) * (0.5, 0.5, 1.0)
    spire = grid[np.hypot(grid[:, 0], grid[:, 1]) < 0.5 * (1 - grid[:, 2]) / 2]
    for model, inside in ((bk.ellipsoid((1.0, 0.8, 0.6), 3.0), ball), (bk.cone(0.5, 2.0, 3.0), spire)):
        com = inside.mean(axis=0)
        d = inside - com
        want = 3.0 * (np.eye(3) * (d * d).sum() - d.T @ d) / len(d)
        M = bk.crba(model, model.neutral())
        r = np.array([[0, -com[2], com[1]], [com[2], 0, -com[0]], [-com[1], com[0], 0]])
        assert np.allclose(M[3:, 3:], want - 3.0 * r @ r, rtol=2e-3, atol=2e-3)
    for make in (lambda: bk.cone(0.0, 1.0), lambda: bk.ellipsoid((1, 2)), lambda: bk.ellipsoid((1, -2, 1))):
        with pytest.raises(InputError):
            make()


def test_sphere_and_cylinder():
    assert np.allclose(np.diag(bk.crba(m := bk.sphere(0.5, 2.0), m.neutral()))[3:], 0.4 * 2 * 0.25)
    got = np.diag(bk.crba(m := bk.cylinder(0.5, 2.0, 3.0), m.neutral()))[3:]
    assert np.allclose(got, [3 * (3 * 0.25 + 4) / 12] * 2 + [3 * 0.25 / 2])


def test_capsule_by_integration():
    r, length, mass = 0.3, 0.8, 2.0
    z = np.linspace(-length / 2 - r, length / 2 + r, 200001)
    over = np.maximum(np.abs(z) - length / 2, 0)
    a2 = r**2 - over**2  # squared radius of the slice at z
    dm = a2 / np.trapezoid(a2, z) * mass
    along = np.trapezoid(dm * a2 / 2, z)
    across = np.trapezoid(dm * (a2 / 4 + z**2), z)
    got = np.diag(bk.crba(m := bk.capsule(r, length, mass), m.neutral()))[3:]
    assert np.allclose(got, [across, across, along], rtol=1e-7)


@pytest.mark.parametrize(
    "call",
    [
        lambda: bk.box((1, 2), 1),
        lambda: bk.box((1, 0, 1), 1),
        lambda: bk.sphere(-1),
        lambda: bk.capsule(1, 1, float("nan")),
    ],
)
def test_bad_sizes(call):
    with pytest.raises(bk.InputError):
        call()
