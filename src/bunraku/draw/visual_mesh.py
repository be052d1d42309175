"""Visual meshes of robots: files as surfaces to be drawn, the one reader for pictures, films and the page.

A file (STL, OBJ, PLY, OFF, DAE, glTF, GLB: read by trimesh, extra `mesh`) becomes parts of one colour or with colours at
the vertices, in the file's axes and scaled, vertices at one place joined, edges sharper than CREASE kept sharp
(bunraku.draw.mesh_normals). More than BUDGET triangles are simplified by collapsing edges where the least is lost
(Garland and Heckbert 1997; fast-simplification, of the same extra); who had over MANY is named. Sheets that merely lie
side by side tear apart there, so that meshes with many open edges may have SHEETS times as many. What was made is kept
on disk by a digest of the file's bytes, as hulls are (bunraku.collision.mesh_hulls). What cannot be read is None with a
Note, and is named once (`say_once`). Checked in tests/draw/test_visual_mesh.py.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.collision.mesh_hulls import keep_small, missing_extra
from bunraku.draw.mesh_normals import joined_vertices, smoothed
from bunraku.draw.triangles import GREY, Surface
from bunraku.errors import ModelError
from bunraku.kernel import native
from bunraku.kernel.cache import cache_folder, trusted
from bunraku.model.description import Note
from bunraku.model.relief import Relief

VERSION = 2  # of the way meshes are made
BUDGET = 12_000  # triangles of one file
SHEETS, OPEN = 2.5, 0.05  # times BUDGET, where this share of edges has one triangle alone
GROUND_BUDGET = 60_000  # triangles of a terrain
MANY = 100_000  # triangles whose simplification is told
LARGEST = 1 << 29  # bytes of a file
BESIDE = (".mtl", ".png", ".jpg", ".jpeg", ".bin")  # files that others refer to


@dataclass(frozen=True, eq=False)
class VisualMesh:
    """parts: surfaces in the file's axes; colored: whether the file gave them colours; key: same for the same mesh;
    full: triangles in the file."""

    parts: tuple[Surface, ...]
    colored: bool
    key: str
    full: int

    def painted(self, color: Sequence[float] | None) -> list[Surface]:
        """The parts as a robot shows them: in its description's colour [0 … 1]; in the file's where there is none, or
        where the file has several."""
        several = len({tuple(part.colors.ravel()[:3]) for part in self.parts}) > 1
        if color is None or (self.colored and (several or any(part.colors.ndim == 2 for part in self.parts))):
            return list(self.parts)
        paint = tuple(int(x) for x in np.rint(255.0 * np.clip(color[:3], 0.0, 1.0)))
        return [part.painted(paint) for part in self.parts]


def visual_mesh(path: str | None, scale: Sequence[float], name: str) -> tuple[VisualMesh | None, Note | None]:
    """The mesh of a file, or None; and what there is to be told of it."""
    if missing_extra():
        return None, Note("ignored", f"meshes are not drawn as they are: {missing_extra()}.")
    if not path or not Path(path).is_file():
        return None, Note("ignored", f"{name}: mesh file {path!r} is not there; it is not drawn.")
    try:
        mesh = _of_file(path, Path(path).stat().st_mtime_ns, tuple(map(float, scale)))
    except ModelError as error:
        return None, Note("ignored", f"{name}: {error} It is not drawn.")
    except Exception as error:  # a reader may fail in any way on a broken file
        reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        return None, Note("ignored", f"{name}: {path}: not a readable mesh ({reason}); it is not drawn.")
    if mesh.full > MANY:
        shown = sum(len(part.triangles) for part in mesh.parts)
        return mesh, Note("changed", f"{path}: {mesh.full} triangles are drawn as {shown}.")
    return mesh, None


@lru_cache(maxsize=16)
def relief_mesh(relief: Relief) -> VisualMesh:
    """The ground of a terrain, in the shape's axes."""
    paint = np.array(GREY, dtype=np.uint8)
    part = part_of(relief.vertices, relief.triangles, paint, GROUND_BUDGET)
    return VisualMesh((part,), False, relief.digest, len(relief.triangles))


_said: set[str] = set()


def say_once(notes: Iterable[Note | None]) -> None:
    """Name on stderr what is not drawn, or not as it is; each once in a process, and not more than a few."""
    new = [n.text for n in notes if n is not None and n.text not in _said]
    new = list(dict.fromkeys(new))
    _said.update(new)
    for text in new[:3]:
        print(f"bunraku: {text}", file=sys.stderr)
    if len(new) > 3:
        print(f"bunraku: {len(new) - 3} other meshes are likewise not drawn, or simplified.", file=sys.stderr)


@lru_cache(maxsize=256)
def _of_file(path: str, _changed: int, scale: tuple[float, ...]) -> VisualMesh:
    """The mesh of a file as it was at the time `_changed`."""
    if Path(path).stat().st_size > LARGEST:
        raise ModelError(f"{path}: a mesh of more than {LARGEST >> 20} MB is not read.")
    data = Path(path).read_bytes()
    if data[:2] in (b"PK", b"\x1f\x8b", b"BZ") or data[:4] == b"\xfd7zX":  # small ones may unpack to any size
        raise ModelError(f"{path}: packed meshes are not read; unpack it.")
    if not all(np.isfinite(scale)) or 0.0 in scale:
        raise ModelError(f"{path}: the scale {scale} leaves nothing of it.")
    ending = Path(path).suffix.lower()
    others = sorted(_beside(Path(path))) if ending not in (".stl", ".ply", ".off", ".glb") else []
    words = repr((VERSION, BUDGET, ending, scale, others)).encode()
    digest = hashlib.sha256(words + hashlib.sha256(data).digest()).hexdigest()
    folder = cache_folder("visuals")
    file = folder / f"{digest}.visual"
    kept = native.read(file) if trusted(folder) else None
    if kept is not None:
        return _unpacked(kept, digest)
    mesh = _made(path, scale, digest)
    if trusted(folder):
        try:
            native.write(file, _packed(mesh))
            keep_small(folder, "*.visual")
        except OSError:  # a full disk: it is made anew next time
            pass
    return mesh


def _beside(path: Path) -> Iterable[tuple[str, int, int]]:
    """Name, size and time of the files that a mesh may refer to."""
    for other in path.parent.iterdir():
        if other.suffix.lower() in BESIDE:
            yield other.name, other.stat().st_size, other.stat().st_mtime_ns


def _made(path: str, scale: tuple[float, ...], key: str) -> VisualMesh:
    import trimesh

    loaded: Any = trimesh.load(path, process=False)
    scene = loaded if isinstance(loaded, trimesh.Scene) else trimesh.Scene(loaded)
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray | None]] = []
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        mesh = scene.geometry[geometry]
        if not len(getattr(mesh, "faces", ())):
            continue
        points = np.asarray(mesh.vertices, dtype=float) @ transform[:3, :3].T + transform[:3, 3]
        faces = np.asarray(mesh.faces, dtype=np.int64)
        if (np.linalg.det(transform[:3, :3]) < 0.0) != (np.prod(scale) < 0.0):
            faces = faces[:, ::-1]  # a mirrored mesh keeps its outside
        found.append((points * np.asarray(scale), faces, colors_of(mesh)))
    full = sum(len(faces) for _, faces, _ in found)
    if not full:
        raise ModelError(f"{path}: there are no triangles in it.")
    parts, colored = [], False
    for points, faces, colors in _same_colors(found):
        colored |= colors is not None
        paint = np.array(GREY, dtype=np.uint8) if colors is None else colors
        parts.append(part_of(points, faces, paint, max(24, int(BUDGET * len(faces) / full))))
    parts = tuple(part for part in parts if len(part.triangles))
    if not parts:
        raise ModelError(f"{path}: all its triangles are without area.")
    return VisualMesh(parts, colored, key, full)


def _same_colors(found: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray | None]]) -> list[Any]:
    """Pieces of one colour joined into one."""
    groups: dict[Any, list[tuple[np.ndarray, np.ndarray, np.ndarray | None]]] = {}
    for k, piece in enumerate(found):
        colors = piece[2]
        name = None if colors is None else tuple(colors.tolist()) if colors.ndim == 1 else k
        groups.setdefault(name, []).append(piece)
    out = []
    for pieces in groups.values():
        firsts = np.cumsum([0, *(len(points) for points, _, _ in pieces)])
        faces = np.concatenate([faces + first for (_, faces, _), first in zip(pieces, firsts)])
        out.append((np.concatenate([points for points, _, _ in pieces]), faces, pieces[0][2]))
    return out


def colors_of(mesh: Any) -> np.ndarray | None:
    """Colours of a trimesh: (3,) bytes, (n, 3) where vertices differ, None where the file says nothing."""
    visual = mesh.visual
    if not getattr(visual, "defined", False):
        return None
    if visual.kind == "texture":
        material = visual.material
        picture = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
        if picture is not None and getattr(visual, "uv", None) is not None:
            colors = np.asarray(visual.to_color().vertex_colors)[:, :3]
            return _one_or_all(colors, len(mesh.vertices))
        return np.asarray(material.main_color, dtype=np.uint8)[:3]
    if visual.kind == "face":  # as trimesh spreads them over the vertices
        faces = np.asarray(visual.face_colors)[:, :3]
        if (faces == faces[0]).all():
            return faces[0].astype(np.uint8)
    return _one_or_all(np.asarray(visual.vertex_colors)[:, :3], len(mesh.vertices))


def _one_or_all(colors: np.ndarray, count: int) -> np.ndarray | None:
    if len(colors) != count or not count:
        return None
    same = bool((colors == colors[0]).all())
    return np.ascontiguousarray(colors[0] if same else colors, dtype=np.uint8)


def part_of(points: np.ndarray, faces: np.ndarray, colors: np.ndarray, budget: int) -> Surface:
    """A surface of at most about `budget` triangles, smooth but at its edges; what is not finite or has no area is
    left out."""
    if len(faces) and not (faces.min() >= 0 and faces.max() < len(points)):
        raise ModelError("a triangle names a vertex that is not there.")
    faces = faces[np.isfinite(points[faces]).all(axis=(1, 2))]
    points = np.nan_to_num(points, posinf=0.0, neginf=0.0)
    each = colors if colors.ndim == 2 else None
    points, faces, each = joined_vertices(points, faces, each)
    if len(faces) > budget and open_edges(faces) > OPEN:
        budget = int(SHEETS * budget)
    if len(faces) > budget:
        points, faces, each = simplified(points, faces, each, budget)
    points, normals, faces, each = smoothed(points, faces, each)
    return Surface(points, faces, normals, colors if each is None else each)


def open_edges(faces: np.ndarray) -> float:
    """Share of the edges that have one triangle alone."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1).astype(np.int64)
    _, count = np.unique(edges[:, 0] * (int(faces.max()) + 1) + edges[:, 1], return_counts=True)
    return float(np.mean(count == 1))


def simplified(
    points: np.ndarray, faces: np.ndarray, colors: np.ndarray | None, budget: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Fewer triangles of the same form; colours of the nearest of the old vertices."""
    try:
        import fast_simplification
    except ImportError:
        raise ModelError(f'{len(faces)} triangles need the extra `mesh`: pip install "bunraku[mesh]".') from None
    size = float(np.ptp(points, axis=0).max())
    simplify: Any = fast_simplification.simplify
    few, left = simplify(
        np.ascontiguousarray((points - points.mean(axis=0)) / size, dtype=np.float32),
        np.ascontiguousarray(faces, dtype=np.int32),
        target_count=budget,
        agg=4.0,
    )
    few = np.asarray(few, dtype=float) * size + points.mean(axis=0)
    if colors is not None:
        from scipy.spatial import KDTree

        colors = colors[KDTree(points).query(few)[1]]
    return joined_vertices(few, np.asarray(left, dtype=np.int64), colors)


def _packed(mesh: VisualMesh) -> bytes:
    to, arrays = io.BytesIO(), {"about": np.array([len(mesh.parts), mesh.full, int(mesh.colored)])}
    for k, part in enumerate(mesh.parts):
        arrays[f"v{k}"], arrays[f"t{k}"] = part.vertices.astype(np.float32), part.triangles
        arrays[f"n{k}"], arrays[f"c{k}"] = np.asarray(part.normals, dtype=np.float32), part.colors
    np.savez(to, **arrays)  # pyright: ignore[reportArgumentType]
    return to.getvalue()


def _unpacked(data: bytes, key: str) -> VisualMesh:
    with np.load(io.BytesIO(data), allow_pickle=False) as x:
        count, full, colored = (int(v) for v in x["about"])
        parts = tuple(Surface(x[f"v{k}"], x[f"t{k}"], x[f"n{k}"], x[f"c{k}"]) for k in range(count))
    return VisualMesh(parts, bool(colored), key, full)
