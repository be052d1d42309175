"""Recordings as glTF: poses at random times, skins and shapes as the pictures have them."""

import numpy as np
import pytest
import trimesh

import bunraku as bk
from bunraku.cli import main
from bunraku.draw.gltf_scene import tessellated, write_glb
from bunraku.draw.skin import poses_of, skin_of
from bunraku.dynamics.functions import kinematics
from bunraku.model.rotations import exponential, matrix
from bunraku.motion import Recording
from draws import fresh_rng
from formats.test_gltf import parts_of

ZUP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # world of glTF (y up) from ours


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A figure that falls with all joints turning, and a box."""
    world = bk.World(dt=1e-3)
    world.add_ground()
    figure = world.add(bk.human(), name="ann", at=(0, 0, 1.4))
    world.add(bk.box((0.2, 0.3, 0.4), 1.0), name="case", at=(0.9, 0, 0.6))
    rng = np.random.default_rng(5)
    figure.v[:] = rng.normal(scale=2.0, size=len(figure.v))
    for joint in figure.model.joints:
        if joint.kind == "ball":
            figure.q[joint.q] = exponential(rng.normal(scale=0.3, size=3))
    path = tmp_path_factory.mktemp("gltf") / "fall.bkr"
    with world.record(path):
        world.run(0.4)
    with Recording.open(path) as r:
        yield r


class Scene:
    """A small reader of what the animation of a .glb says, after the specification: slerp and straight lines."""

    def __init__(self, data):
        self.head, self.numbers = parts_of(data)
        self.parent = {c: k for k, n in enumerate(self.head["nodes"]) for c in n.get("children", ())}
        self.moved = {}
        animation = self.head["animations"][0]
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            key = channel["target"]["node"], channel["target"]["path"]
            self.moved[key] = self.read(sampler["input"]).ravel(), self.read(sampler["output"])

    def read(self, number):
        a = self.head["accessors"][number]
        view = self.head["bufferViews"][a["bufferView"]]
        kind = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[a["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[a["type"]]
        rows = np.frombuffer(self.numbers, kind, a["count"] * width, view["byteOffset"])
        return rows.reshape(-1, width).astype(float)

    def value(self, node, path, t, otherwise):
        if (node, path) not in self.moved:
            return np.array(self.head["nodes"][node].get(path, otherwise), dtype=float)
        times, rows = self.moved[node, path]
        k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2))
        s = (t - times[k]) / (times[k + 1] - times[k])
        a, b = rows[k], rows[k + 1]
        if path == "translation":
            return a + s * (b - a)
        dot = float(a @ b)
        b, angle = (b if dot >= 0 else -b), np.arccos(min(abs(dot), 1.0))
        if angle < 1e-6:
            return a
        return (np.sin((1 - s) * angle) * a + np.sin(s * angle) * b) / np.sin(angle)

    def globally(self, node, t):
        """(4, 4) of a node at a time."""
        x, y, z, w = self.value(node, "rotation", t, (0, 0, 0, 1))
        M = np.eye(4)
        M[:3, :3], M[:3, 3] = matrix(np.array([w, x, y, z])), self.value(node, "translation", t, (0, 0, 0))
        return M if node not in self.parent else self.globally(self.parent[node], t) @ M

    def node(self, name):
        return [n.get("name") for n in self.head["nodes"]].index(name)


def test_poses_are_right_at_ten_random_times(recording, tmp_path):
    scene = Scene(write_glb(recording, tmp_path / "fall.glb").read_bytes())
    rng = fresh_rng()
    first = recording.times[0]
    skin = skin_of(recording.figure("ann").model)
    assert skin is not None
    number = scene.node("ann skin")
    bones = scene.head["skins"][scene.head["nodes"][number]["skin"]]
    inverse = np.swapaxes(scene.read(bones["inverseBindMatrices"]).reshape(-1, 4, 4), 1, 2)
    primitive = scene.head["meshes"][scene.head["nodes"][number]["mesh"]]["primitives"][0]["attributes"]
    places, joints = scene.read(primitive["POSITION"]), scene.read(primitive["JOINTS_0"]).astype(int)
    weights = scene.read(primitive["WEIGHTS_0"]) / 255
    picks = rng.integers(len(places), size=200)
    for t in rng.uniform(0, recording.duration, size=10):
        q = recording.at(first + t).q
        for figure in recording.figures:
            pose = kinematics(figure.model, np.ascontiguousarray(q[figure.part.q], dtype=float))
            for b in range(1, figure.model.nb):
                M = scene.globally(scene.node(f"{figure.name}/{figure.model.body_names[b]}"), t)
                assert np.abs(M[:3, 3] - ZUP @ pose.position[b]).max() < 1e-4
                turned = np.trace((ZUP @ pose.rotation[b]).T @ M[:3, :3])
                assert np.arccos(np.clip((turned - 1) / 2, -1, 1)) < np.radians(0.05)
            if figure.name == "ann":
                wanted = skin.posed(poses_of(pose.rotation, pose.position)).vertices[picks] @ ZUP.T
                M = np.array([scene.globally(n, t) for n in bones["joints"]]) @ inverse
                blended = np.einsum("nk,nkij->nij", weights[picks], M[joints[picks]])
                got = np.einsum("nij,nj->ni", blended[:, :3, :3], places[picks]) + blended[:, :3, 3]
                assert np.abs(got - wanted).max() < 2e-3  # weights are bytes


def test_a_maintained_reader_finds_everything(recording, tmp_path):
    path = write_glb(recording, tmp_path / "fall.glb", fps=30)
    scene = trimesh.load_scene(path)
    skin = skin_of(recording.figure("ann").model)
    assert skin is not None
    assert max(len(g.faces) for g in scene.geometry.values()) == len(skin.mesh.triangles)
    box = [g for g in scene.geometry.values() if len(g.faces) == 12]
    assert len(box) == 1 and np.allclose(np.sort(box[0].extents), [0.2, 0.3, 0.4], atol=1e-6) and box[0].volume > 0
    place, _ = scene.graph.get("case/case" if "case/case" in scene.graph.nodes else "case/box")
    q = recording.q[0][recording.figure("case").part.q]
    assert np.allclose(place[:3, 3], ZUP @ np.asarray(q[:3], dtype=float), atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "size", "volume"),
    [
        ("sphere", (0.5,), 4 / 3 * np.pi * 0.5**3),
        ("capsule", (0.3, 0.4), 4 / 3 * np.pi * 0.3**3 + np.pi * 0.09 * 0.8),
        ("ellipsoid", (0.3, 0.4, 0.5), 4 / 3 * np.pi * 0.3 * 0.4 * 0.5),
        ("cylinder", (0.3, 0.4), np.pi * 0.09 * 0.8),
        ("cone", (0.3, 0.4), np.pi * 0.09 * 0.8 / 3),
        ("box", (0.3, 0.4, 0.5), 8 * 0.3 * 0.4 * 0.5),
    ],
)
def test_plain_shapes_are_closed_outward_and_of_their_volume(kind, size, volume):
    surface = tessellated(kind, size)
    mesh = trimesh.Trimesh(surface.vertices, surface.triangles).process(merge_norm=True)
    mesh.merge_vertices(digits_vertex=9)
    mesh.update_faces(mesh.nondegenerate_faces())  # the tip of a cone is a disc of no size
    assert mesh.is_watertight and mesh.volume == pytest.approx(volume, rel=0.03)  # 24 sides
    assert surface.normals is not None
    facing = np.einsum("ni,ni->n", surface.normals[surface.triangles[:, 0]], np.cross(
        surface.vertices[surface.triangles[:, 1]] - surface.vertices[surface.triangles[:, 0]],
        surface.vertices[surface.triangles[:, 2]] - surface.vertices[surface.triangles[:, 0]],
    ))  # fmt: skip
    assert np.all(facing >= 0)


def test_command(recording, tmp_path, capsys):
    out = tmp_path / "a.glb"
    assert main(["export", str(recording.path), "--to", "glb", "--out", str(out), "--fps", "20", "--look", "wood"]) == 0
    head, _ = parts_of(out.read_bytes())
    assert head["asset"]["version"] == "2.0"
    assert main(["export", str(recording.path), "--to", "glb", "--out", str(tmp_path / "a.txt")]) == 2
    assert main(["export", str(recording.path), "--to", "glb", "--out", str(out), "--width", "20"]) == 2
    assert "has no effect on glb" in capsys.readouterr().err


def test_robots_have_their_meshes(tmp_path):
    """A figure of plain shapes: each body a node, each shape below it, none moved by a skin."""
    world = bk.World(dt=1e-3)
    world.add(bk.sphere(0.1, 1.0), name="ball", at=(0, 0, 1))
    with world.record(tmp_path / "ball.bkr"):
        world.run(0.05)
    with Recording.open(tmp_path / "ball.bkr") as r:
        head, _ = parts_of(write_glb(r, tmp_path / "ball.glb").read_bytes())
    assert "skins" not in head and len(head["meshes"]) == 1
    assert [c["target"]["path"] for c in head["animations"][0]["channels"]] == ["translation"]
