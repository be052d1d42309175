"""Surface nets: closed manifolds of any field, exact volumes, seams along lines."""

import numpy as np
import pytest

from bunraku.draw.skin_body import ball, tube
from bunraku.draw.skin_field import Flesh
from bunraku.draw.skin_mesh import closed, cut, evened, made_simple, planes, surface_nets
from draws import fresh_rng


def euler(triangles):
    return len(np.unique(triangles)) - len(triangles) // 2


def volume(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("ni,ni->n", a, np.cross(b, c)).sum()) / 6


def test_planes_follow_their_spacing():
    x = planes(-1.0, 2.0, lambda x: np.where(x < 0, 0.1, 0.2))
    assert (
        x[0] == -1
        and x[-1] == 2
        and np.allclose(np.diff(x)[:9], 0.1, rtol=0.02)
        and np.allclose(np.diff(x)[-9:], 0.2, rtol=0.02)
    )


def test_ball_and_its_volume():
    flesh = Flesh([ball(np.zeros(3), (0.3, 0.2, 0.25), 0.02)])
    axes = [planes(-0.4, 0.4, lambda x: np.full_like(x, 0.02))] * 3
    vertices, triangles = surface_nets(flesh, axes)
    assert closed(triangles) and euler(triangles) == 2
    vertices, normals = evened(flesh, vertices, triangles)
    assert np.abs(flesh.at(vertices)).max() < 1e-4
    belt = np.pi * 0.3 * 0.2 * 2 * 0.02 * 0.25  # of the loft between its caps
    exact = 4 / 3 * np.pi * 0.3 * 0.2 * 0.25 + belt
    assert volume(vertices, triangles) == pytest.approx(exact, rel=0.02)  # facets lose about h^2 / r^2
    assert np.all(np.einsum("ni,ni->n", normals, vertices) > 0)


def test_ring_has_a_hole():
    corners = [np.array([np.cos(t), np.sin(t), 0.1 * t]) * 0.3 for t in np.linspace(0, 2 * np.pi, 9)[:-1]]
    flesh = Flesh([tube(a, b, (0.06, 0.06), 0.02) for a, b in zip(corners, corners[1:] + corners[:1])])
    axes = [planes(-0.5, 0.6, lambda x: np.full_like(x, 0.025))] * 3
    _, triangles = surface_nets(flesh, axes)
    assert closed(triangles) and euler(triangles) == 0


def test_any_field_gives_a_closed_manifold():
    rng = fresh_rng()
    for _ in range(5):
        f = np.full((17, 17, 17), 9.0)
        f[5:-5, 5:-5, 5:-5] = rng.normal(0.5, size=(7, 7, 7))

        class Noise:
            def on_grid(self, axes, f=f):
                return f

        _, triangles = surface_nets(Noise(), [np.arange(17.0)] * 3)  # pyright: ignore[reportArgumentType]
        assert closed(triangles)
        assert np.all(made_simple(f)[f < 0] < 0)  # nothing is taken out


def test_cut_keeps_the_surface_and_divides_it():
    rng = fresh_rng()
    flesh = Flesh([ball(np.zeros(3), (0.3, 0.2, 0.25), 0.02)])
    vertices, triangles = surface_nets(flesh, [planes(-0.4, 0.4, lambda x: np.full_like(x, 0.05))] * 3)
    normal = rng.normal(size=3)
    new, parts, origin, inside = cut(vertices, triangles, vertices @ normal - 0.02)
    assert closed(parts) and euler(parts) == 2
    assert volume(new, parts) == pytest.approx(volume(vertices, triangles), rel=1e-9)
    sides = (new @ normal - 0.02)[parts]
    slack = 0.12 * 0.1 * np.linalg.norm(normal)  # a seam near a vertex goes through it
    assert np.all(sides[inside] < slack) and np.all(sides[~inside] > -slack)
    assert set(origin) == set(range(len(triangles))) and 0 < inside.sum() < len(parts)


def test_open_and_pinched_surfaces_are_not_closed():
    tetra = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    assert closed(tetra) and not closed(tetra[:3])
    pinched = np.concatenate([tetra, np.where(tetra == 0, 0, tetra + 3)])  # two that share a corner
    assert not closed(pinched)
