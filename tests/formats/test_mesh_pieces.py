"""Concave meshes in convex pieces: what falls into a cup, what is kept, and where the hull stays."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError, UnknownName
from bunraku.formats import mesh_pieces

URDF = """<robot name="cup"><link name="cup"><inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><mesh filename="cup.obj"/></geometry></visual>
<collision><geometry><mesh filename="cup.obj"/></geometry></collision></link></robot>"""


@pytest.fixture
def cup(tmp_path):
    """A square cup: a block with a square hollow from above, closed."""
    outer, inner = 0.2, 0.15
    ring = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    v = [*([*(outer * p), 0.0] for p in ring), *([*(outer * p), 0.3] for p in ring)]
    v += [*([*(inner * p), 0.3] for p in ring), *([*(inner * p), 0.05] for p in ring)]
    f = [[1, 4, 3], [1, 3, 2], [13, 14, 15], [13, 15, 16]]
    for k in range(4):
        n = (k + 1) % 4
        for low, high in ((1, 5), (5, 9), (9, 13)):
            f += [[low + k, low + n, high + n], [low + k, high + n, high + k]]
    lines = [f"v {x} {y} {z}" for x, y, z in v] + [f"f {a} {b} {c}" for a, b, c in f]
    (tmp_path / "cup.obj").write_text("\n".join(lines))
    (tmp_path / "cup.urdf").write_text(URDF)
    return tmp_path / "cup.urdf"


def lands(model):
    """Height at which a ball comes to rest that falls into it."""
    world = bk.World(dt=0.002)
    world.add_ground()
    world.add(model, at=(0, 0, 0))
    ball = world.add(bk.sphere(0.05, 0.2), at=(0, 0, 0.45))
    world.run(seconds=0.8)
    return float(ball.q[2])


def test_a_ball_falls_into_a_cup(cup):
    pytest.importorskip("coacd")
    whole = bk.load(cup)
    assert lands(whole) == pytest.approx(0.35, abs=1e-3)  # on its hull
    model = bk.in_pieces(whole, seconds=100.0)
    pieces = [s for s in model.shapes if s.role == "collision"]
    assert 5 <= len(pieces) <= 16 and any("convex pieces" in n.text for n in model.notes)
    assert [s.mesh for s in model.shapes if s.role == "visual"] == [s.mesh for s in whole.shapes if s.role == "visual"]
    assert lands(model) == pytest.approx(0.1, abs=5e-3)  # CoACD's pieces are as good as its threshold
    again = bk.in_pieces(whole, seconds=1e-3)  # kept: no time is needed
    assert [s.mesh for s in again.shapes] == [s.mesh for s in model.shapes]


def test_the_hull_stays(cup, monkeypatch):
    whole = bk.load(cup)
    monkeypatch.setattr(mesh_pieces.importlib.util, "find_spec", lambda name: None)
    model = bk.in_pieces(whole)
    assert [s.mesh for s in model.shapes] == [s.mesh for s in whole.shapes]
    assert any("bunraku[pieces]" in n.text for n in model.notes)
    monkeypatch.undo()
    monkeypatch.setattr(mesh_pieces.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(mesh_pieces.importlib.metadata, "version", lambda name: "of a test")
    monkeypatch.setattr(mesh_pieces, "WORK", "import time; time.sleep(60)")
    model = bk.in_pieces(whole, seconds=0.3)
    assert any("longer than 0.3 s" in n.text for n in model.notes)
    monkeypatch.setattr(mesh_pieces, "WORK", "raise SystemExit(3)")
    model = bk.in_pieces(whole)
    assert any("could not be cut" in n.text for n in model.notes)


def test_mistakes(cup):
    model = bk.load(cup)
    with pytest.raises(UnknownName, match="cup"):
        bk.in_pieces(model, links=("cap",))
    with pytest.raises(InputError, match="concavity"):
        bk.in_pieces(model, concavity=0.0)
    with pytest.raises(InputError, match="most"):
        bk.in_pieces(model, most=0)
