"""What is drawn of a figure: boxes that hold meshes, sticks where nothing else is there."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.draw.solids import solids, sticks


def test_shapes_of_our_own_are_drawn_as_they_are():
    model = bk.human()
    assert solids(model) == tuple(s for s in model.shapes if s.role != "collision")


WEDGE = ((0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0.3, 0.2, 0.0), (0, 0, 0.1), (0, 0.2, 0.1))
FACES = ((0, 2, 1), (1, 2, 3), (0, 4, 2), (2, 4, 5), (0, 1, 4), (2, 5, 3), (1, 3, 4), (3, 5, 4))


def test_a_box_holds_its_mesh(tmp_path):
    lines = [f"v {x} {y} {z}" for x, y, z in WEDGE] + ["f " + " ".join(str(k + 1) for k in face) for face in FACES]
    (tmp_path / "wedge.obj").write_text("\n".join(lines) + "\n")
    figure = bk.Description(name="wedge")
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    mesh = bk.Shape("mesh", (), (0.1, 0.2, 0.3), turn, mesh=str(tmp_path / "wedge.obj"))
    figure.add("body", None, bk.free("base"), mass=1.0, moments=(0.1, 0.1, 0.1), shapes=[mesh])
    (box,) = solids(figure.build())
    points = np.array([0.1, 0.2, 0.3]) + np.array(WEDGE) @ turn.T
    inside = np.abs((points - box.position) @ box.rotation)
    assert box.kind == "box" and inside.max(axis=0) == pytest.approx(box.size)


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
