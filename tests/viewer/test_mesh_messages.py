"""Meshes for the page: bytes read back by the layout in the module's text, each mesh once, collision shapes apart."""

import base64

import numpy as np
import pytest
import trimesh

import bunraku as bk
from bunraku.draw.triangles import Surface, turned_profile
from bunraku.viewer.mesh_messages import Meshes, packed
from bunraku.viewer.messages import scene_message


def unpack(message):
    """(vertices, normals, colours, triangles)"""
    data, n, m = base64.b64decode(message["data"]), message["vertices"], message["triangles"]
    at, out = 0, []
    kinds = [
        ("<u2", 3 * n),
        ("i1", 3 * n),
        ("u1", 3 * n if message["painted"] else 0),
        ("<u2" if n <= 65536 else "<u4", 3 * m),
    ]
    for kind, count in kinds:
        part = np.frombuffer(data, kind, count, at)
        at += -(-part.nbytes // 4) * 4
        out.append(part.reshape(-1, 3))
    assert at == len(data)
    low, high = np.array(message["low"]), np.array(message["high"])
    return low + (high - low) * out[0] / 65535.0, out[1] / 127.0, out[2], out[3]


@pytest.mark.parametrize("sides", [7, 48, 12_000])
@pytest.mark.parametrize("painted", [False, True])
def test_read_back(sides, painted):
    s = turned_profile(((0.2, -0.1), (0.15, 0.3)), sides)
    if painted:
        rng = np.random.default_rng(sides)
        s = Surface(s.vertices, s.triangles, s.normals, rng.integers(0, 255, (len(s.vertices), 3), dtype=np.uint8))
    vertices, normals, colors, triangles = unpack(packed(s))
    assert np.abs(vertices - s.vertices).max() < 0.4 / 65535 and np.array_equal(triangles, s.triangles)
    assert s.normals is not None and np.abs(normals - s.normals).max() < 0.5 / 127
    assert np.array_equal(colors, s.colors) if painted else len(colors) == 0


def test_a_flat_mesh():
    flat = Surface([[0, 0, 1], [1, 0, 1], [0, 1, 1]], [[0, 1, 2]], np.tile([0, 0, 1], (3, 1)))
    vertices, *_ = unpack(packed(flat))
    assert np.allclose(vertices, flat.vertices, atol=1e-4)


def test_equal_meshes_are_told_once_and_collision_shapes_are_marked(tmp_path):
    trimesh.creation.icosphere(subdivisions=1, radius=0.1).export(tmp_path / "ball.stl")
    figure = bk.Description(name="two balls")
    for k in range(2):
        ball = bk.Shape("mesh", role="visual", mesh=str(tmp_path / "ball.stl"), color=(0.2, 0.4, k * 1.0, 1.0))
        hull = bk.Shape("mesh", role="collision", mesh=str(tmp_path / "ball.stl"))
        joint = bk.free("base") if k == 0 else bk.hinge("j", (0, 1, 0))
        figure.add(f"l{k}", "l0" if k else None, joint, mass=1.0, moments=(0.1, 0.1, 0.1), shapes=[ball, hull])
    world = bk.World()
    world.add(figure.build())
    scene = scene_message(world)
    kinds = [(s["kind"], s.get("role"), s.get("mesh")) for s in scene["shapes"]]
    assert kinds == [("mesh", None, 0), ("mesh", None, 0), ("hull", "collision", None), ("hull", "collision", None)]
    assert len(scene["meshes"]) == 1 and scene["meshes"][0]["triangles"] == 80
    colors = [s["color"] for s in scene["shapes"][:2]]
    assert np.allclose(colors, [[0.2, 0.4, 0, 1], [0.2, 0.4, 1, 1]], atol=0.003)


def test_numbers():
    meshes, s = Meshes(), turned_profile(((0.2, -0.1), (0.15, 0.3)))
    assert [meshes.number(k, s) for k in "aba"] == [0, 1, 0] and len(meshes.messages) == 2
