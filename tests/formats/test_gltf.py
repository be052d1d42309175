"""The glTF writer: what a maintained reader finds in its files, and what the specification asks for."""

import io
import json
import struct

import numpy as np
import pytest
import trimesh

from bunraku.errors import InputError
from bunraku.formats.gltf import Glb, linear
from draws import fresh_rng


def parts_of(data):
    """The JSON and the numbers of a .glb file, checked against its header."""
    magic, version, size = struct.unpack_from("<4sII", data)
    assert (magic, version, size) == (b"glTF", 2, len(data))
    length, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON" and length % 4 == 0
    other, kind = struct.unpack_from("<I4s", data, 20 + length)
    assert kind == b"BIN\0" and other % 4 == 0 and 28 + length + other == len(data)
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def test_a_triangle_comes_back():
    glb = Glb("one")
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0]])
    mesh = glb.mesh(corners, np.array([[0, 1, 2]]), np.tile([0.0, 0, 1], (3, 1)), colors=np.array([[255, 0, 128]] * 3))
    turn = np.array([np.cos(0.3), 0, 0, np.sin(0.3)])
    glb.node("leaf", glb.node("root", place=(1, 2, 3)), place=(0, 0, 1), turn=turn, mesh=mesh)
    scene = trimesh.load_scene(io.BytesIO(glb.data()), file_type="glb")
    (read,) = scene.dump()
    c, s = np.cos(0.6), np.sin(0.6)
    wanted = corners @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T + (1, 2, 4)
    assert np.allclose(read.vertices, wanted, atol=1e-6)


def test_numbers_lie_on_multiples_of_four_within_the_buffer():
    rng = fresh_rng()
    glb = Glb()
    for n in (1, 2, 5):
        glb.accessor(rng.integers(0, 255, size=(n, 4)), "u1")
        glb.accessor(rng.integers(0, 255, size=(n, 1)), "<u2")
    head, numbers = parts_of(glb.data())
    for view, accessor in zip(head["bufferViews"], head["accessors"]):
        assert view["byteOffset"] % 4 == 0 and view["byteOffset"] + view["byteLength"] <= len(numbers)
        assert accessor["count"] * {5121: 4, 5123: 2}[accessor["componentType"]] == view["byteLength"]


def test_materials_are_written_once_and_linear():
    glb = Glb()
    assert glb.material((255, 128, 0)) == glb.material((255, 128, 0)) != glb.material((255, 128, 0), opacity=0.5)
    assert np.allclose(linear(np.array([0, 10, 188, 255])), [0.0, 10 / 255 / 12.92, 0.5028, 1.0], atol=2e-4)
    assert glb.tables["materials"][1]["alphaMode"] == "BLEND"


def test_keys_must_rise():
    glb = Glb()
    for times in (np.array([]), np.array([0.0, 0.0]), np.array([1e6, 1e6 + 1e-4])):
        with pytest.raises(InputError, match="rise"):
            glb.times(times)


def test_what_weighs_nothing_has_number_zero():
    glb = Glb()
    bones, weights = np.array([[3, 7, 9, 1]] * 3), np.array([[200, 55, 0, 0]] * 3)
    glb.mesh(np.eye(3), np.array([[0, 1, 2]]), bones=(bones, weights))
    head, numbers = parts_of(glb.data())
    at = head["accessors"][head["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"]]["bufferView"]
    start = head["bufferViews"][at]["byteOffset"]
    assert np.frombuffer(numbers, "u1", 12, start).reshape(3, 4).tolist() == [[3, 7, 0, 0]] * 3
