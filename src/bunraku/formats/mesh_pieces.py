"""Concave meshes as several convex pieces, on request.

    gripper = bk.in_pieces(bk.load("gripper.urdf"), links=("finger",))

CoACD (X. Wei, M. Liu, Z. Ling and H. Su, Approximate convex decomposition for 3D meshes with collision-aware concavity
and tree search, SIGGRAPH 2022; extra `pieces`) works in a process of its own, which is ended after `seconds`; where it
is too slow, fails or is not installed, the hull stays and a note says why. Pieces are kept in the cache folder by a
digest of the file's bytes, the settings and CoACD's version, each as an STL file, which a saved world names. The mesh
itself stays as what is seen. Checked in tests/formats/test_mesh_pieces.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import io
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bunraku.errors import BunrakuError, InputError, UnknownName, closest
from bunraku.formats.kept_mesh import keep_triangles
from bunraku.formats.terrain_mesh import read_triangles
from bunraku.kernel import native
from bunraku.kernel.cache import cache_folder, trusted
from bunraku.model.description import Note, Shape
from bunraku.model.model import Model

WORK = """
import sys, numpy as np, coacd
coacd.set_log_level("error")
with np.load(sys.argv[1], allow_pickle=False) as x:
    mesh = coacd.Mesh(x["vertices"], x["triangles"])
parts = coacd.run_coacd(mesh, threshold=float(sys.argv[3]), max_convex_hull=int(sys.argv[4]), max_ch_vertex=64, seed=0)
counts = np.array([[len(v), len(t)] for v, t in parts])
np.savez(sys.argv[2], counts=counts, vertices=np.concatenate([v for v, _ in parts]), triangles=np.concatenate([t for _, t in parts]))
"""
Piece = tuple[np.ndarray, np.ndarray]


def in_pieces(
    model: Model,
    links: Sequence[str] | None = None,
    *,
    concavity: float = 0.05,
    most: int = 16,
    seconds: float = 60.0,
) -> Model:
    """The same figure with the collision meshes of some links (all by default) cut into convex pieces.

    concavity: how far pieces may be from convex, 0.01 (fine) to 1; most: pieces of one mesh; seconds: time for one mesh,
    after which its hull stays. What was done stands in `Model.notes`."""
    known = [link.name for link in model.description.links]
    for name in links or ():
        if name not in known:
            raise UnknownName(f"in_pieces: {model.name!r} has no link {name!r}.{closest(name, known)}")
    if not 0.01 <= concavity <= 1.0:
        raise InputError(f"in_pieces: concavity {concavity} is not within 0.01 and 1.")
    if not 1 <= most <= 1000 or not (np.isfinite(seconds) and seconds > 0):
        raise InputError(f"in_pieces: most {most} and seconds {seconds} must be positive, most at the most 1000.")
    made, notes = [], []
    for link in model.description.links:
        shapes: list[Shape] = []
        for shape in link.shapes:
            chosen = shape.kind == "mesh" and shape.role != "visual" and (links is None or link.name in links)
            pieces, note = _pieces(shape, link.name, concavity, most, seconds) if chosen else ([], None)
            notes += [note] if note else []
            if not pieces:
                shapes.append(shape)
                continue
            if shape.role == "both":
                shapes.append(replace(shape, role="visual"))
            name = shape.name or Path(shape.mesh or "mesh").stem
            shapes += [
                replace(shape, role="collision", mesh=file, name=f"{name} {k + 1}") for k, file in enumerate(pieces)
            ]
        made.append(replace(link, shapes=shapes))
    description = replace(model.description, links=made, notes=[*model.description.notes, *notes])
    return description.build(repair=True)


def _pieces(shape: Shape, link: str, concavity: float, most: int, seconds: float) -> tuple[list[str], Note | None]:
    """Files of the pieces of a mesh, none where its hull is to stay; and what there is to be told."""
    at = f"{link}: {Path(shape.mesh or '').name}"
    try:
        parts, reason = decomposed(shape.mesh or "", concavity, most, seconds)
    except BunrakuError as error:
        parts, reason = [], str(error).rstrip(".")
    if reason:
        return [], Note("ignored", f"{at}: stands as its convex hull: {reason}.")
    if len(parts) < 2:
        return [], None
    return [keep_triangles(v, t) for v, t in parts], Note("changed", f"{at}: stands as {len(parts)} convex pieces.")


def decomposed(path: str, concavity: float, most: int, seconds: float) -> tuple[list[Piece], str]:
    """(vertices and triangles of the pieces, why there are none)."""
    if importlib.util.find_spec("coacd") is None:
        return [], 'pieces need the extra `pieces`: pip install "bunraku[pieces]"'
    vertices, triangles = read_triangles(path)
    settings = repr((importlib.metadata.version("coacd"), concavity, most)).encode()
    digest = hashlib.sha256(settings + vertices.tobytes() + triangles.tobytes()).hexdigest()
    folder = cache_folder("pieces")
    kept = native.read(folder / f"{digest}.pieces") if trusted(folder) else None
    if kept is not None:
        return unpacked(kept), ""
    with tempfile.TemporaryDirectory() as place:
        mesh, out = Path(place) / "mesh.npz", Path(place) / "pieces.npz"
        np.savez(mesh, vertices=vertices, triangles=triangles.astype(np.int32))
        words = [sys.executable, "-c", WORK, str(mesh), str(out), str(concavity), str(most)]
        try:
            subprocess.run(words, timeout=seconds, capture_output=True, check=True)
            made = out.read_bytes()
        except subprocess.TimeoutExpired:
            return [], f"cutting it takes longer than {seconds:g} s"
        except (subprocess.CalledProcessError, OSError):
            return [], "it could not be cut (CoACD failed)"
    if trusted(folder):
        with contextlib.suppress(OSError):  # a full disk: it is cut anew next time
            native.write(folder / f"{digest}.pieces", made)
    return unpacked(made), ""


def unpacked(data: bytes) -> list[Piece]:
    """The pieces of a file of arrays."""
    with np.load(io.BytesIO(data), allow_pickle=False) as x:
        ends = np.cumsum(x["counts"], axis=0)[:-1]
        return list(zip(np.split(x["vertices"], ends[:, 0]), np.split(x["triangles"], ends[:, 1])))
