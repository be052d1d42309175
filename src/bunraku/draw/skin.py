"""Skins: human figures as people see them, one closed surface over all links, that bends with them.

    skin = skin_of(bk.human(1.6))                  # None of a figure that is not one of bk.human()
    surface = skin.posed(poses)                    # poses (nb, 7) of the model's bodies: x y z, qw qx qy qz

The surface is that of bunraku.draw.skin_body's flesh, meshed once for its lengths (bunraku.draw.skin_mesh), coloured by
a look (bunraku.draw.skin_looks) and carried by bones (bunraku.draw.skin_bones) with linear blending. Skins are kept in
memory, and on disk beside the compiled kernels, as plain arrays. Checked in tests/draw/test_skin.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from bunraku.draw.skin_body import BODIES, PARENTS, SIDES, Build, bind, build_of, flesh_of
from bunraku.draw.skin_bones import BONES, bind_bones, bone_poses, matrices, weights_of
from bunraku.draw.skin_field import Flesh
from bunraku.draw.skin_kernel import bend
from bunraku.draw.skin_looks import LOOKS, PALETTE, regions
from bunraku.draw.skin_mesh import closed, cut, evened, on_surface, planes, surface_nets
from bunraku.draw.triangles import Surface
from bunraku.errors import BunrakuError, UnknownName, closest
from bunraku.files import write_bytes
from bunraku.kernel.cache import cache_folder, trusted
from bunraku.model import layout as at
from bunraku.model.body_2000 import HEIGHT
from bunraku.model.body_lengths import Measures
from bunraku.model.description import Frame, Link
from bunraku.model.human import HAND
from bunraku.model.model import Model
from bunraku.model.rotations import multiply, quaternion

VERSION = 9  # of the shape: skins of other versions on disk are not read
GLOSS = {"clothes": 0.08, "wood": 0.30, "plain": 0.20}
ARRAYS = {"vertices": 3, "normals": 3, "triangles": 3, "colors": 3, "bones": 4, "weights": 4}


@dataclass(frozen=True, eq=False)
class Mesh:
    """A skin as meshed: vertices and normals (n, 3) float32 [m], triangles (m, 3) int32, colors (n, 3) bytes, of every
    vertex four bones (n, 4) bytes and their weights (n, 4) float32. Along seams of colour vertices are there twice."""

    vertices: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    colors: np.ndarray
    bones: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class Skin:
    """The skin of a figure: a mesh, the numbers of BODIES in the model, how links are turned in the frames of these
    bodies (13, 4), and where the bones are in the pose that is meshed: places (bones, 3), quaternions (bones, 4)."""

    look: str
    mesh: Mesh
    bodies: np.ndarray
    turns: np.ndarray
    rest: tuple[np.ndarray, np.ndarray]

    def bone_poses(self, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (bones, 3) and quaternions (bones, 4) of the bones at poses (nb, 7) of the model's bodies."""
        rows = np.asarray(poses, dtype=float)[..., self.bodies, :]
        return bone_poses(rows[..., :3], multiply(rows[..., 3:], self.turns))

    def posed(self, poses: np.ndarray) -> Surface:
        """The surface at poses (nb, 7) of the model's bodies, the world first: x y z [m], qw qx qy qz."""
        mesh, rest = self.mesh, flat_mesh(self.mesh)
        M = matrices(*self.bone_poses(poses), self.rest).reshape(len(BONES), 12)
        vertices, normals = np.empty((len(mesh.vertices), 3)), np.empty((len(mesh.vertices), 3))
        bend.call(M, *rest, vertices, normals)
        return Surface(vertices, mesh.triangles, normals, mesh.colors, GLOSS[self.look], closed=True)

    def covers(self, link: str) -> bool:
        """Whether the skin stands for the shapes of a link."""
        return link in BODIES


@lru_cache(maxsize=32)
def flat_mesh(mesh: Mesh) -> tuple[np.ndarray, ...]:
    """Bones, weights, vertices and normals as the kernel takes them."""
    return mesh.bones.astype(np.int64), *(np.array(x, dtype=float) for x in (mesh.weights, mesh.vertices, mesh.normals))


def skin_of(model: Model, look: str | None = None) -> Skin | None:
    """The skin of a figure in a look, "clothes", "wood" or "plain" (None: $BUNRAKU_LOOK, else clothes); None of a figure
    that is not one of bk.human()."""
    look = look or os.environ.get("BUNRAKU_LOOK") or LOOKS[0]
    if look not in LOOKS:
        raise UnknownName(f"there is no look {look!r}.{closest(look, LOOKS)}")
    return _skin_of(model, look)


@lru_cache(maxsize=64)
def _skin_of(model: Model, look: str) -> Skin | None:
    m = measures_of(model)
    if m is None:
        return None
    links = {f.name: f for f in model.frames if f.is_link}
    bodies = np.array([links[name].body for name in BODIES])
    turns = np.array([quaternion(links[name].rotation) for name in BODIES])
    named = {x.name: x for x in model.description.links}
    between = {name for b, parent in PARENTS.items() for name in chain(named, b, parent)}
    carried = np.array([f.body for name, f in links.items() if name in between or name == "pelvis"])
    mesh = mesh_of(m, build_of(m.height, float(model.reals[carried, at.MASS].sum())), look)
    return None if mesh is None else Skin(look, mesh, bodies, turns, bind_bones(m))


def poses_of(rotation: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Poses (nb, 7) of rotation matrices and places, as bunraku.kinematics gives them."""
    return np.concatenate([position, np.array([quaternion(R) for R in rotation])], axis=1)


def measures_of(model: Model) -> Measures | None:
    """The lengths of a human figure, read off its joints and frames; None where it has not all of them."""
    links = {x.name: x for x in model.description.links}
    frames = {x.name: x for x in model.description.frames}
    places = ["head_top", *(s + x for s in SIDES for x in ("hand", "sole", "toe", "heel"))]
    if not (set(BODIES) <= set(links) and set(places) <= set(frames)):
        return None
    chains = {b: chain(links, b, parent) for b, parent in PARENTS.items()}
    if any(not names for names in chains.values()) or any(frames[f].rotation is not None for f in places):
        return None
    if any(links[name].rotation is not None for names in (["pelvis"], *chains.values()) for name in names):
        return None
    if any(f.name in BODIES and np.any(f.position) for f in model.frames):
        return None
    place = {b: np.sum(np.array([links[name].position for name in names]), axis=0) for b, names in chains.items()}
    top, toe, heel = (np.array(frames[x].position, dtype=float) for x in ("head_top", "left_toe", "left_heel"))
    legs = [place[s + "shank"][2] + place[s + "foot"][2] + place[s + "thigh"][2] for s in SIDES]
    height = float(-min(legs) - toe[2] + place["trunk"][2] + place["head"][2] + top[2])
    if not 0.2 < height < 4.0:
        return None
    soles = [s.size[1] * 2 for s in model.shapes if s.kind == "box" and s.link == "left_foot"]
    m = Measures(
        height=height,
        hip=(three(place["left_thigh"]), three(place["right_thigh"])),
        waist=three(place["trunk"]),
        neck=three(place["head"]),
        shoulder=(three(place["left_upper_arm"]), three(place["right_upper_arm"])),
        head=three(top),
        thigh=(-float(place["left_shank"][2]), -float(place["right_shank"][2])),
        shank=(-float(place["left_foot"][2]), -float(place["right_foot"][2])),
        upper_arm=(-float(place["left_lower_arm"][2]), -float(place["right_lower_arm"][2])),
        lower_arm=(forearm(frames["left_hand"], height), forearm(frames["right_hand"], height)),
        ankle=-float(toe[2]),
        sole=(float(toe[0] - heel[0]), float(soles[0]) if soles else 0.0706 * height),
        heel=-float(heel[0]),
    )
    lengths = [*m.thigh, *m.shank, *m.upper_arm, *m.lower_arm, m.ankle, *m.sole, m.waist[2], m.neck[2], m.head[2]]
    lengths += [m.shoulder[0][1], -m.shoulder[1][1], m.hip[0][1], -m.hip[1][1]]
    return m if min(lengths) > 0.005 * height else None


def chain(links: dict[str, Link], name: str, parent: str) -> list[str]:
    """A link and those between it and another, as mounts of rubber feet are; empty where it does not hang on that."""
    names = [name]
    while (above := links[names[-1]].parent) != parent:
        if above is None or above in BODIES:
            return []
        names.append(above)
    return names


def three(p: np.ndarray) -> tuple[float, float, float]:
    """A place as Measures have it, to the hundredth of a millimetre: what differs less has the same skin."""
    return (round(float(p[0]), 5), round(float(p[1]), 5), round(float(p[2]), 5))


def forearm(hand: Frame, height: float) -> float:
    """The length of a lower arm whose hand is there."""
    return -float(hand.position[2]) - HAND * height / HEIGHT


def mesh_of(m: Measures, build: Build, look: str) -> Mesh | None:
    """The mesh of measures and a build, from disk where it was made before; None where they give no closed one."""
    words = f"{VERSION} {rounded(m)} {build.girth:.3f} {build.child:.3f} {build.hips:.3f} {look} {np.__version__}"
    folder = cache_folder("skins")
    path = folder / f"{hashlib.sha256(words.encode()).hexdigest()[:24]}.npz"
    found = read(path) if trusted(folder) else None
    if found is None:
        found = made(m, build, look)
        if found is not None and trusted(folder):
            keep(path, found)
    return found


def rounded(m: Measures) -> str:
    """Measures as text, to the hundredth of a millimetre."""
    return " ".join(f"{x:.5f}" for value in vars(m).values() for x in np.ravel(value))


def read(path: Path) -> Mesh | None:
    """A mesh from disk; None where there is none, or it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            mesh = Mesh(**{name: file[name] for name in ARRAYS})
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    n = len(mesh.vertices)
    whole = all(getattr(mesh, name).ndim == 2 and getattr(mesh, name).shape[1] == k for name, k in ARRAYS.items())
    whole = whole and all(len(getattr(mesh, name)) == n for name in ARRAYS if name != "triangles")
    if not whole or not 0 <= mesh.triangles.min() <= mesh.triangles.max() < n or mesh.bones.max() >= len(BONES):
        return None
    return mesh


def keep(path: Path, mesh: Mesh) -> None:
    """Write a mesh to disk; where that cannot be done, it is made again another time."""
    data = io.BytesIO()
    np.savez_compressed(data, **{name: getattr(mesh, name) for name in ARRAYS})
    with contextlib.suppress(BunrakuError):
        write_bytes(path, data.getvalue())


def made(m: Measures, build: Build, look: str) -> Mesh | None:
    """Mesh a figure and paint it."""
    flesh = flesh_of(m, build)
    vertices, triangles = surface_nets(flesh, grid(m, flesh, 1.11 + 0.04 * build.child))
    if not closed(triangles) or len(vertices) - len(triangles) // 2 != 2:
        return None
    vertices, normals = evened(flesh, vertices, triangles)
    count = len(vertices)
    base, layers = PALETTE[look]
    where = regions(m, build)
    colors, paint = [base], np.zeros(len(triangles), dtype=np.int64)
    for name, color in layers.items():
        values = where[name](vertices)
        if not (values.min() < 0 < values.max()):
            continue
        vertices, triangles, origin, inside = cut(vertices, triangles, values)
        paint = paint[origin]
        if color is not None:
            colors.append(color)
            paint[inside] = len(colors) - 1
    new = on_surface(flesh, vertices[count:], 0.004)
    steep = flesh.with_gradient(new, 1.5e-3)[1]
    vertices = np.concatenate([vertices[:count], new])
    normals = np.concatenate([normals, steep / np.maximum(np.linalg.norm(steep, axis=1, keepdims=True), 1e-12)])
    corner = triangles.astype(np.int64) * len(colors) + paint[:, None]
    each, numbers = np.unique(corner, return_inverse=True)
    vertex, color = each // len(colors), each % len(colors)
    bones, weights = weights_of(m, vertices)
    return Mesh(
        vertices[vertex].astype(np.float32), normals[vertex].astype(np.float32), numbers.reshape(-1, 3).astype(np.int32),
        np.array(colors, dtype=np.uint8)[color], bones[vertex], weights[vertex].astype(np.float32),
    )  # fmt: skip


def grid(m: Measures, flesh: Flesh, size: float) -> list[np.ndarray]:
    """The planes of the grid: closer at the head, the hands and the feet; size: of its cells, 1 as below."""
    frames, L = bind(m), m.height / HEIGHT
    boxes = [loft.box(0.01 * L) for loft in flesh.lofts if not loft.hollow]
    low, high = np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)
    neck = float(frames["head"][0][2])
    elbow, turn = frames["left_lower_arm"]
    wrist = float((elbow - m.lower_arm[0] * turn[:, 2])[1])
    low[2] = min(frames[s + "foot"][0][2] for s in SIDES) - m.ankle - 0.012 * L

    def ramp(x: np.ndarray, a: float, b: float, at_a: float, at_b: float) -> np.ndarray:
        return size * L * (at_a + (at_b - at_a) * np.clip((x - a) / (b - a), 0.0, 1.0))

    def deep(x: np.ndarray) -> np.ndarray:
        return ramp(x, 0.04 * L, 0.09 * L, 0.0130, 0.0095)

    def wide(y: np.ndarray) -> np.ndarray:
        middle = ramp(np.abs(y), 0.08 * L, 0.12 * L, 0.0105, 0.0175)
        return np.minimum(middle, ramp(np.abs(y), wrist - 0.03 * L, wrist + 0.01 * L, 0.0175, 0.0085))

    def tall(z: np.ndarray) -> np.ndarray:
        foot = ramp(z, m.ankle, 1.8 * m.ankle, 0.0115, 0.0175)
        return np.minimum(foot, ramp(z, neck - 0.03 * L, neck + 0.03 * L, 0.0175, 0.0085))

    return [planes(float(low[i]), float(high[i]), spacing) for i, spacing in enumerate((deep, wide, tall))]
