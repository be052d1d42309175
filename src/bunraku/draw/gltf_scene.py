"""A recording as glTF: every figure a tree of nodes that move as its joints do, with skins, meshes and shapes.

Nodes are the bodies of the model, each in its parent's frame, so that turns between two keys are those of the joints
themselves: where keys are the recording's own frames, poses are right at any time between them. A human figure has one
mesh, carried by a skin whose bones between bodies (bunraku.draw.skin_bones) are nodes as well. glTF has y up: one node
above all turns our z there. Checked in tests/draw/test_gltf_scene.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.draw.skin import BODIES, Skin, skin_of
from bunraku.draw.skin_bones import BONES, rounded_shares, slerp
from bunraku.draw.solid_scene import as_bytes
from bunraku.draw.solids import MESHES, mesh_parts, solids
from bunraku.draw.triangles import Surface, turned_profile
from bunraku.draw.world_pictures import FIXED, SHADES, fixed_shapes
from bunraku.dynamics.functions import kinematics
from bunraku.files import write_bytes
from bunraku.formats.gltf import Glb
from bunraku.model import layout as at
from bunraku.model.model import Model
from bunraku.model.rotations import matrix, multiply, quaternion, rotation_matrix, without_jumps
from bunraku.recording.motion import between, even_times
from bunraku.recording.reader import Recording

UP = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)  # our z becomes y
STILL = 1e-7  # m and 1: what changes less over a whole recording does not move
MOST_KEYS = 20_000  # of a recording, all of whose frames become keys
USUAL = 60.0  # keys a second of longer ones
GROUND = 10.0  # m: half the side of a plane
ROUND = 24  # sides of a ball


def write_glb(
    recording: Recording,
    path: str | Path,
    *,
    fps: float | None = None,
    look: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a recording as a .glb file. fps: keys a second; by default every frame of the recording is one (60 a
    second of a recording with more than MOST_KEYS). look: of human figures. progress(done, all): told of every figure."""
    times = np.asarray(recording.times, dtype=float)
    if fps is None and len(times) > MOST_KEYS:
        fps = USUAL
    if fps is None:
        q = np.asarray(recording.q, dtype=float)
    else:
        kept, times = times, even_times(times, fps)
        q = between(recording.model, kept, recording.q, times)
    glb = Glb(recording.title or recording.path.stem)
    world = glb.node("world", turn=UP)
    keys = glb.times(times - times[0])
    for shape in fixed_shapes(recording):
        if shape.role != "collision":
            place, turn = np.asarray(shape.position, dtype=float), quaternion(rotation_matrix(shape.rotation))
            add_shape(glb, world, shape, place, turn, FIXED)
    for k, figure in enumerate(recording.figures):
        add_figure(glb, world, keys, figure.name, figure.model, q[:, figure.part.q], SHADES[k % len(SHADES)], look)
        if progress is not None:
            progress(k + 1, len(recording.figures))
    return write_bytes(path, glb.data())


def add_figure(
    glb: Glb, world: int, keys: int, name: str, model: Model, q: np.ndarray, color: tuple[float, ...], look: str | None
) -> None:
    """The nodes of a figure, its shapes, and its skin where it has one."""
    pose = kinematics(model, np.ascontiguousarray(q))
    turns = np.array([[quaternion(R) for R in rows] for rows in pose.rotation])
    places = pose.position
    nodes = [world]
    for b in range(1, model.nb):
        parent = int(model.ints[b, at.PARENT])
        place, turn = relative(places[:, parent], turns[:, parent], places[:, b], turns[:, b])
        nodes.append(moving(glb, keys, f"{name}/{model.body_names[b]}", nodes[parent], place, turn))
    skin = skin_of(model, look)
    for s in solids(model):
        if skin is None or not skin.covers(s.link):
            add_shape(glb, nodes[s.body], s, s.position, quaternion(s.rotation), color)
    if skin is not None:
        add_skin(glb, keys, name, skin, (nodes, places, turns))


def add_skin(glb: Glb, keys: int, name: str, skin: Skin, figure: tuple[list[int], np.ndarray, np.ndarray]) -> None:
    """The mesh of a skin, and nodes for its bones between bodies, each below the first of its bodies."""
    nodes, places, turns = figure
    links = multiply(turns[:, skin.bodies], skin.turns)
    joints, rest_turns = [], skin.rest[1].copy()
    for k, (a, b, share) in enumerate(BONES):
        first, second = int(skin.bodies[a]), int(skin.bodies[b])
        if a == b:  # the body itself, whose frame may be turned against its link's
            joints.append(nodes[first])
            rest_turns[k] = multiply(rest_turns[k], conjugate(skin.turns[a]))
            continue
        now = slerp(links[:, a], links[:, b], np.full(len(links), share))
        place, turn = relative(places[:, first], turns[:, first], places[:, second], now)
        joints.append(moving(glb, keys, f"{name}/{BODIES[b]} {share:g}", nodes[first], place, turn))
    inverse = np.tile(np.eye(4), (len(BONES), 1, 1))
    inverse[:, :3, :3] = np.swapaxes(matrix(rest_turns), 1, 2)
    inverse[:, :3, 3] = -np.einsum("kij,kj->ki", inverse[:, :3, :3], skin.rest[0])
    mesh = skin.mesh
    drawn = glb.mesh(
        mesh.vertices, mesh.triangles, unit(mesh.normals), name=f"{name} skin", colors=mesh.colors,
        material=glb.material(roughness=0.7), bones=(mesh.bones, rounded_shares(mesh.weights)),
    )  # fmt: skip
    glb.node(f"{name} skin", None, mesh=drawn, skin=glb.skin(joints, inverse))


def moving(glb: Glb, keys: int, name: str, parent: int, place: np.ndarray, turn: np.ndarray) -> int:
    """A node with a channel for what changes."""
    turn = without_jumps(turn)
    node = glb.node(name, parent, place=place[0], turn=turn[0])
    goes, turns = (len(x) > 1 and float(np.ptp(x, axis=0).max()) > STILL for x in (place, turn))
    glb.animate(node, keys, places=place if goes else None, turns=turn if turns else None)
    return node


def relative(
    place: np.ndarray, turn: np.ndarray, of_place: np.ndarray, of_turn: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Poses (n, 3), (n, 4) seen from others."""
    back = conjugate(turn)
    return np.einsum("nij,nj->ni", matrix(back), of_place - place), multiply(back, of_turn)


def conjugate(q: np.ndarray) -> np.ndarray:
    """The opposite turn."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def unit(normals: np.ndarray) -> np.ndarray:
    """Normals of length 1."""
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)


def add_shape(glb: Glb, parent: int, s: Any, place: np.ndarray, turn: np.ndarray, color: tuple[float, ...]) -> None:
    """A shape, or the parts of a mesh, below a node."""
    own = color if s.color is None else s.color
    opacity = float(own[3]) if len(own) > 3 else 1.0
    name = s.name or getattr(s, "link", "") or s.kind
    surfaces = mesh_parts(s, color) if s.kind in MESHES else [tessellated(s.kind, s.size).painted(as_bytes(own))]
    for surface in surfaces:
        flat = surface.colors.ndim == 1
        vertices, triangles, normals = surface.vertices, surface.triangles, surface.normals
        if not len(triangles):
            continue
        material = glb.material(surface.colors if flat else (255, 255, 255), opacity=opacity)
        colors = None if flat else surface.colors
        mesh = glb.mesh(
            vertices, triangles, None if normals is None else unit(normals), name=name, material=material, colors=colors
        )
        glb.node(name, parent, place=place, turn=turn, mesh=mesh)


def tessellated(kind: str, size: Any) -> Surface:
    """Triangles of a plain shape, about its middle; sizes as in Shape."""
    if kind in ("sphere", "capsule"):
        return rounded((size[0],) * 3, size[1] if kind == "capsule" else 0.0)
    if kind == "ellipsoid":
        return rounded(tuple(size), 0.0)
    if kind in ("cylinder", "cone"):
        return turned_profile(((size[0], -size[1]), (size[0] if kind == "cylinder" else 0.0, size[1])), ROUND)
    if kind == "plane":
        corners = GROUND * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
        return Surface(corners, np.array([[0, 1, 2], [0, 2, 3]]), np.tile([0.0, 0, 1], (4, 1)))
    faces, normals = [], []
    for axis in range(3):
        for sign in (1.0, -1.0):
            across = np.roll(np.array([[0.0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]]), axis, axis=1)[:: int(sign)]
            normal = sign * np.eye(3)[axis]
            faces.append((across + normal) * np.asarray(size[:3], dtype=float))
            normals.append(np.tile(normal, (4, 1)))
    corners = np.concatenate([[[k, k + 1, k + 2], [k, k + 2, k + 3]] for k in range(0, 24, 4)])
    return Surface(np.concatenate(faces), corners, np.concatenate(normals))


def rounded(radii: tuple[float, ...], half: float) -> Surface:
    """A ball, an ellipsoid, or a capsule along z of a half length between the middles of its ends."""
    up = np.linspace(-np.pi / 2, np.pi / 2, ROUND // 2 + 2)
    shift = np.repeat([-half, half], len(up) // 2)
    around = np.linspace(0.0, 2 * np.pi, ROUND + 1)
    ring = np.column_stack([np.cos(around), np.sin(around)])
    unit_ = np.concatenate([np.column_stack([np.cos(t) * ring, np.full(len(ring), np.sin(t))]) for t in up])
    r = np.array(radii, dtype=float)
    vertices = unit_ * r
    vertices[:, 2] += np.repeat(shift, len(ring))
    n = len(ring)
    here = (np.arange(len(up) - 1)[:, None] * n + np.arange(n - 1)).ravel()
    lower, upper = np.column_stack([here, here + 1, here + n + 1]), np.column_stack([here, here + n + 1, here + n])
    return Surface(vertices, np.concatenate([lower[n - 1 :], upper[: -(n - 1)]]), unit(unit_ / r))
