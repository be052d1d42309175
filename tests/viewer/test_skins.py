"""The message of skins: what the page unpacks is the mesh that Python poses."""

import base64
import json
import zlib

import numpy as np

import bunraku as bk
from bunraku.draw.skin import skin_of
from bunraku.draw.skin_bones import BONES, matrices, rounded_shares, slerp
from bunraku.model.rotations import multiply
from bunraku.viewer.messages import scene_message
from bunraku.viewer.skins import packed, skins_of
from draws import fresh_rng


def unpacked(message):
    """As page/src/skin.ts does it."""
    data, n, m = zlib.decompress(base64.b64decode(message["data"])), message["vertices"], message["triangles"]
    parts, at = [], 0
    for kind, count in (("<i2", 3 * n), ("i1", 3 * n), ("u1", n), ("u1", 4 * n), ("u1", 4 * n), ("<u2", 3 * m)):
        parts.append(np.frombuffer(data, kind, count, at))
        at += -(-parts[-1].nbytes // 4) * 4
    assert at == len(data)
    steps, slopes, paint, bones, weights, moves = parts
    places = np.cumsum(steps.reshape(3, n).astype(np.int64), axis=1).T
    places = (places + 32768) % 65536 - 32768
    normals = (np.cumsum(slopes.reshape(3, n).astype(np.int64), axis=1).T + 128) % 256 - 128
    first = np.cumsum(moves.reshape(-1, 3)[:, 0].astype(np.int64)) % 65536
    triangles = np.column_stack([first, (first[:, None] + moves.reshape(-1, 3)[:, 1:]) % 65536])
    vertices = places * message["scale"] + message["offset"]
    return (
        vertices,
        normals / 127,
        np.array(message["palette"])[paint],
        bones.reshape(n, 4),
        weights.reshape(n, 4),
        triangles,
    )


def test_what_is_packed_is_the_mesh():
    skin = skin_of(bk.human())
    assert skin is not None
    mesh = skin.mesh
    vertices, normals, colors, bones, weights, triangles = unpacked(packed(mesh))
    assert np.abs(vertices - mesh.vertices).max() < 3e-5  # 2 m / 65534, half of it
    assert np.abs(normals - mesh.normals).max() < 0.005
    assert np.array_equal(colors, mesh.colors) and np.array_equal(bones, mesh.bones)
    assert np.all(weights.sum(axis=1, dtype=int) == 255) and np.abs(weights / 255 - mesh.weights).max() < 0.006
    assert np.all(np.diff(weights.astype(int), axis=1) <= 0)  # the first weighs most
    assert np.array_equal(np.sort(triangles, axis=None), np.sort(mesh.triangles, axis=None))
    turned = np.take_along_axis(mesh.triangles, (np.argmin(mesh.triangles, axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    assert {tuple(t) for t in triangles.tolist()} == {tuple(t) for t in turned.tolist()}
    assert len(packed(mesh)["data"]) < 250_000


def test_rounded_shares_sum_to_255():
    rng = fresh_rng()
    w = rng.dirichlet((1, 1, 1, 1), size=500)
    assert np.all(rounded_shares(w).sum(axis=1, dtype=int) == 255)


def test_scene_has_skins_of_human_figures_alone():
    world = bk.World()
    world.add_ground()
    world.add(bk.box((0.2, 0.2, 0.2), 1.0))
    figure = world.add(bk.human(1.6), name="ann")
    message = json.loads(json.dumps(scene_message(world)))
    (skin,) = message["skins"]
    assert skin["figure"] == "ann" and len(skin["bones"]) == len(BONES) == len(skin["rest"])
    names = [b["name"] for b in message["bodies"]]
    used = {b for a, b, _ in skin["bones"]} | {a for a, _, _ in skin["bones"]}
    assert all(names[b].startswith("ann.") for b in used) and len(used) == 13
    for shape in message["shapes"]:
        assert shape.get("skinned", False) == (shape["body"] >= 0 and names[shape["body"]].startswith("ann."))
    assert figure.model.nb == 14


def test_bones_of_the_message_are_those_of_the_skin():
    rng = fresh_rng()
    world = bk.World()
    world.add(bk.box((0.2, 0.2, 0.2), 1.0))
    model = world.add(bk.human(1.6), name="ann").model
    (message,) = skins_of([("box", world.figures[0].model), ("ann", model)])
    poses = np.concatenate([rng.normal(size=(15, 3)), rng.normal(size=(15, 4))], axis=1)
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    turn = {int(b): np.array(q) for b, q in message["turns"].items()}
    bones = np.array(message["bones"])
    a, b, share = bones[:, 0].astype(int), bones[:, 1].astype(int), bones[:, 2]
    qa, qb = (np.array([multiply(poses[k, 3:], turn[k]) for k in x]) for x in (a, b))
    rest = np.array(message["rest"])
    got = matrices(poses[b, :3], slerp(qa, qb, share), (rest[:, :3], rest[:, 3:]))
    skin = skin_of(model)
    assert skin is not None
    own = np.concatenate([np.zeros((1, 7)), poses[1:]])  # the figure's bodies stand behind the box's one
    wanted = matrices(*skin.bone_poses(own), skin.rest)
    assert np.allclose(got, wanted, atol=1e-4)
