"""Terrain as a shape: what is kept of heights and triangles, and what is refused."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import ModelError
from bunraku.model.plain import from_plain, to_plain
from bunraku.model.relief import Relief


def test_a_height_field_has_its_heights():
    rng = np.random.default_rng(0)
    z = rng.uniform(size=(5, 4))
    r = bk.height_field(z, (0.5, 0.25)).relief
    assert len(r.triangles) == 2 * 4 * 3 and r.solid
    for i in range(5):
        for j in range(4):
            assert np.isclose(r.height(0.5 * i, 0.25 * j), z[i, j])
    assert np.isclose(r.height(0.25, 0.125), 0.5 * (z[1, 0] + z[0, 1]))  # on the cut of the first cell
    assert r.height(-0.1, 0.0) == -np.inf
    a, b, c = (r.vertices[r.triangles[:, k]] for k in range(3))
    assert np.all(np.cross(b - a, c - a)[:, 2] > 0)


def test_it_is_kept_as_plain_values():
    shape = bk.terrain_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0.5]], [[0, 1, 2]], scale=(1, -2, 3))
    back = from_plain(to_plain(shape))
    assert back.relief.digest == shape.relief.digest and not back.relief.solid
    assert np.array_equal(back.relief.vertices, [[0, 0, 0], [1, 0, 0], [0, -2, 1.5]])
    assert list(back.relief.triangles[0]) == [2, 1, 0]  # a mirrored mesh keeps its outside


@pytest.mark.parametrize(
    "make",
    [
        lambda: bk.height_field([[0.0]]),
        lambda: bk.height_field([[0.0, 1.0], [0.0, np.nan]]),
        lambda: bk.height_field(np.zeros((3, 3)), 0.0),
        lambda: bk.height_field(np.zeros((3000, 3000))),
        lambda: bk.terrain_mesh([[0, 0, 0]], None),
        lambda: bk.terrain_mesh([[0, 0, 0], [1, 0, 0]], [[0, 1, 2]]),
        lambda: bk.terrain_mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]]),
        lambda: bk.terrain_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 1.5]]),
        lambda: bk.terrain_mesh([[0, 0, 0], [1, 0, 0], [0, np.inf, 0]], [[0, 1, 2]]),
        lambda: bk.terrain_mesh([[0, 0, 0], [1, 0, 0], [0, 1e9, 0]], [[0, 1, 2]]),
        lambda: bk.terrain_mesh([["a", 0, 0]], [[0, 0, 0]]),
        lambda: bk.terrain_mesh("no.stl"),
        lambda: Relief(np.zeros((3, 3)), np.zeros((0, 3))),
    ],
)
def test_what_is_no_ground_is_told_in_a_sentence(make):
    with pytest.raises(ModelError if "no.stl" not in make.__code__.co_consts else bk.FormatError, match=r"^[^\n]+\.$"):
        make()


def test_terrain_does_not_move():
    figure = bk.Description()
    figure.add("a", None, bk.free("root"), mass=1.0, moments=(1, 1, 1), shapes=[bk.height_field(np.zeros((2, 2)))])
    world = bk.World()
    world.add(figure.build())
    with pytest.raises(ModelError, match="stands still"):
        world.step()
