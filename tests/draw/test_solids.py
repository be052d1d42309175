"""What is drawn of a figure: meshes as they are, sticks where nothing else is there."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.draw.solids import solids, sticks, touching_only
from bunraku.draw.world_pictures import world_scene


def test_shapes_of_our_own_are_drawn_as_they_are():
    model = bk.human()
    assert solids(model) == tuple(s for s in model.shapes if s.role != "collision")


WEDGE = ((0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0.3, 0.2, 0.0), (0, 0, 0.1), (0, 0.2, 0.1))
FACES = ((0, 2, 1), (1, 2, 3), (0, 4, 2), (2, 4, 5), (0, 1, 4), (2, 5, 3), (1, 3, 4), (3, 5, 4))


def wedge(folder, **options):
    """A figure of one mesh."""
    lines = [f"v {x} {y} {z}" for x, y, z in WEDGE] + ["f " + " ".join(str(k + 1) for k in face) for face in FACES]
    (folder / "wedge.obj").write_text("\n".join(lines) + "\n")
    figure = bk.Description(name="wedge")
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    mesh = bk.Shape("mesh", (), (0.1, 0.2, 0.3), turn, mesh=str(folder / "wedge.obj"), **options)
    figure.add("body", None, bk.free("base"), mass=1.0, moments=(0.1, 0.1, 0.1), shapes=[mesh])
    return figure.build(), np.array([0.1, 0.2, 0.3]) + np.array(WEDGE) @ turn.T


def test_a_mesh_is_drawn_as_it_is(tmp_path):
    model, points = wedge(tmp_path, color=(1.0, 0.0, 0.0, 1.0))
    world = bk.World()
    body = world.add(model)
    body.q[:3] = 1.0, 2.0, 3.0
    (surface,) = world_scene(world, [world.q]).surfaces
    drawn = np.unique(np.round(surface.vertices - [1, 2, 3], 6), axis=0)
    assert np.allclose(drawn, np.unique(np.round(points, 6), axis=0), atol=1e-6)
    assert surface.colors.tolist() == [255, 0, 0] and len(surface.triangles) == len(FACES)


def test_what_is_transparent_is_not_seen_and_what_is_missing_is_said_once(tmp_path, capsys):
    model, _ = wedge(tmp_path, color=(1.0, 0.0, 0.0, 0.0))
    assert [s.kind for s in solids(model)] == ["sphere"]
    gone = bk.Description(name="gone")
    lost = bk.Shape("mesh", (), name="lost", mesh=str(tmp_path / "nowhere.stl"))
    gone.add("body", None, bk.free("base"), mass=1.0, moments=(0.1, 0.1, 0.1), shapes=[lost])
    for _ in range(2):
        assert [s.kind for s in solids(gone.build())] == ["sphere"]
    assert capsys.readouterr().err.count("lost: mesh file") == 1


def test_collision_shapes_are_a_layer_of_their_own(tmp_path):
    figure = bk.Description(name="two")
    shapes = [bk.Shape("box", (0.1, 0.1, 0.1), role="collision"), bk.Shape("sphere", (0.1,), role="visual")]
    figure.add("body", None, bk.free("base"), mass=1.0, moments=(0.1, 0.1, 0.1), shapes=shapes)
    model = figure.build()
    assert [s.kind for s in solids(model)] == ["sphere"] and [s.kind for s in touching_only(model)] == ["box"]
    assert touching_only(bk.human()) == []


def test_bare_bones_become_sticks():
    chain = bk.Description(name="chain")
    for k in range(3):
        joint = bk.free("base") if k == 0 else bk.hinge(f"j{k}", (0, 1, 0))
        chain.add(f"l{k}", f"l{k - 1}" if k else None, joint, at=(0, 0, -0.3), mass=1.0, moments=(0.1, 0.1, 0.1))
    found = solids(chain.build())
    assert [s.kind for s in found] == ["sphere", "sphere", "capsule", "sphere", "capsule"]
    assert found[2].size[1] == pytest.approx(0.15) and len(sticks(chain.build())) == 5


def test_a_figure_of_soles_only_is_seen_whole():
    bones = bk.Description(name="bones")
    for k in range(6):
        joint = bk.free("base") if k == 0 else bk.hinge(f"j{k}", (0, 1, 0))
        shapes = [bk.Shape("box", (0.1, 0.05, 0.01))] if k == 5 else []
        bones.add(
            f"l{k}",
            f"l{k - 1}" if k else None,
            joint,
            at=(0, 0, -0.3),
            mass=1.0,
            moments=(0.1, 0.1, 0.1),
            shapes=shapes,
        )
    assert {s.body for s in solids(bones.build())} == {1, 2, 3, 4, 5, 6}
