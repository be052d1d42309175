"""Lofts and their union: closed forms of spheres, ellipsoids and creases."""

import numpy as np

from bunraku.draw.skin_body import ball, tube
from bunraku.draw.skin_field import Flesh
from draws import fresh_rng


def test_ball_and_tube_are_distances_to_first_order():
    rng = fresh_rng()
    p = rng.normal(size=(200, 3))
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    for r in (0.98, 1.0, 1.03):
        assert np.allclose(ball(np.zeros(3), (1.0, 1.0, 1.0), 0.01)(r * p), r - 1, atol=0.02)  # its belt is 0.04 wide
    a, b = rng.normal(size=3), rng.normal(size=3)
    along, around = rng.uniform(size=(200, 1)), np.cross(p, b - a)
    q = a + along * (b - a) + 0.1 * around / np.linalg.norm(around, axis=1, keepdims=True)
    assert np.allclose(tube(a, b, (0.1, 0.1), 0.01)(q), 0.0, atol=1e-9)


def test_smooth_union_of_two_planes_of_balls():
    """Where both are equal the crease is filled by k / 4; farther than k nothing changes."""
    one, two = (ball(np.array([x, 0.0, 0.0]), (1.0, 1.0, 1.0), 0.1) for x in (-0.8, 0.8))
    middle = np.array([[0.0, 0.0, 0.63], [-1.79, 0.0, 0.0]])
    assert np.allclose(Flesh([one, two]).at(middle), [float(one(middle)[0]) - 0.1 / 4, float(one(middle)[1])])


def test_gradient_and_grid_agree_with_points():
    rng = fresh_rng()
    flesh = Flesh(
        [ball(np.zeros(3), (0.3, 0.2, 0.25), 0.05), tube(np.zeros(3), np.array([0.4, 0.1, 0.2]), (0.1, 0.05), 0.05)]
    )
    axes = [np.sort(rng.uniform(-0.5, 0.6, size=n)) for n in (5, 6, 7)]
    points = np.column_stack([m.ravel() for m in np.meshgrid(*axes, indexing="ij")])
    values = flesh.on_grid(axes).ravel()
    near = flesh.at(points) < 0.9
    assert np.allclose(values[near], flesh.at(points)[near])
    p = np.array([[0.05, 0.21, 0.02]])
    f, g = flesh.with_gradient(p)
    numeric = [(flesh.at(p + e) - flesh.at(p - e)) / 2e-5 for e in 1e-5 * np.eye(3)]
    assert np.allclose(g[0], np.ravel(numeric), atol=1e-3) and np.allclose(f, flesh.at(p), atol=1e-5)
