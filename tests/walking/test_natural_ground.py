"""Rough ground and stairs of triangles, walked in the physical world."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.humanoid.parts import humanoid
from bunraku.walking.footsteps import footsteps
from bunraku.walking.natural_ground import RAISED, as_mesh, rough
from bunraku.walking.terrain import stairs


@pytest.fixture(scope="module")
def h():
    return humanoid(bk.human())


def test_soles_rest_on_rough_ground(h):
    """No place under a sole stands above it, and it touches at three."""
    t = rough(h, footsteps("four steps", h), 0.02, seed=4)
    relief, at = t.shapes[0].relief, np.asarray(t.shapes[0].position)
    z = relief.vertices[:, 2]
    assert np.isclose(z.min(), RAISED) and 0.01 < np.ptp(z) <= 0.02
    for s in t.steps:
        n, half = np.array(s.normal), h.feet[s.side].half
        gaps = []
        for x in np.linspace(-1, 1, 13) * half[0]:
            for y in np.linspace(-1, 1, 9) * half[1]:
                c, d = np.cos(s.yaw), np.sin(s.yaw)
                p = np.array(s.position[:2]) + np.array([x * c - y * d, x * d + y * c])
                sole = s.position[2] - n[:2] @ (p - s.position[:2]) / n[2]
                gaps.append(sole - relief.height(*(p - at[:2])))
        assert min(gaps) > -1e-9 and np.sort(gaps)[2] < 1e-9


def test_stairs_as_a_mesh_are_closed(h):
    boxes = stairs(h, 3)
    (mesh,) = as_mesh(boxes).shapes
    for x in np.linspace(0.0, 1.5, 31) + 0.003:
        tops = [float(s.position[2] + s.size[2]) for s in boxes.shapes if abs(x - s.position[0]) < s.size[0]]
        assert np.isclose(max(mesh.relief.height(x, 0.1), 0.0), max(tops, default=0.0))
    v, t = mesh.relief.vertices, mesh.relief.triangles
    a, b, c = (v[t[:, k]] for k in range(3))
    volume = np.einsum("ti,ti->t", a, np.cross(b, c)).sum() / 6  # the open bottom lies in z = 0
    assert np.isclose(volume, sum(8 * np.prod(s.size) for s in boxes.shapes))


@pytest.mark.parametrize(
    ("figure", "words", "steps"),
    [
        ("human", "rough 2 cm", "ten steps"),
        ("human", "stairs 2 as a mesh", None),
        ("g1", "rough 2 cm", "four steps"),
        ("g1", "stairs 2 of 0.08 m as a mesh", None),
    ],
)
def test_walked(figure, words, steps):
    model = bk.human() if figure == "human" else bk.robot("g1")
    walk = bk.walk(model, steps, terrain=words)
    assert walk.fell is None and len(walk.report.landings) >= 3
    errors = walk.walker.footstep_error()
    half = max(float(f.half[0]) for f in walk.walker.humanoid.feet)
    assert all(e.distance < half and abs(e.degrees) < 10.0 for e in errors)  # a stabiliser may step elsewhere
    ground = {c.bodies[1][1] for c in walk.world.contacts}
    assert ground & {"rough ground", "stairs"}


def test_words(h):
    with pytest.raises(InputError, match="not understood"):
        bk.walk(h, terrain="rough as a mesh")
    with pytest.raises(InputError, match="must be above 0"):
        rough(h, footsteps("two steps", h), 0.0)
