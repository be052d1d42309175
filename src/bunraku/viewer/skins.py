"""Skins for the page: of every human figure its mesh, small, and its bones, as plain data for JSON.

A skin's `data` is base64 of a zlib stream, little endian, n vertices and m triangles, each part on a multiple of four
bytes: int16 3 n positions, all x, then y, then z, as differences modulo 2^16 (the first from zero) of integers i with i
* scale + offset [m]; int8 3 n normals / 127, the same way modulo 2^8; uint8 n numbers in `palette`; uint8 4 n bones;
uint8 4 n weights / 255; uint16 3 m corners: of each triangle the first less that of the triangle before, the second and
the third less the first, modulo 2^16.
Bones are [body a, body b, share] with body numbers of the scene; `turns` are the attitudes of the links in their bodies;
`rest` is where the bones are in the mesh: x y z, qw qx qy qz. The page turns bones as bunraku.draw.skin_bones does.
Checked in tests/viewer/test_skins.py, and on the page in tests/viewer/test_skin_in_browser.py.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from bunraku.draw.skin import GLOSS, Mesh, skin_of
from bunraku.draw.skin_bones import BONES, rounded_shares
from bunraku.model.model import Model


def skins_of(figures: Sequence[tuple[str, Model]], look: str | None = None) -> list[dict[str, Any]]:
    """The skins of all figures that have one."""
    out, first = [], -1
    for name, model in figures:
        skin = skin_of(model, look)
        if skin is not None:
            bodies = [first + int(b) for b in skin.bodies]
            out.append(
                {
                    "figure": name,
                    "look": skin.look,
                    "gloss": GLOSS[skin.look],
                    "bones": [[bodies[a], bodies[b], share] for a, b, share in BONES],
                    "turns": {str(b): [round(float(x), 7) for x in turn] for b, turn in zip(bodies, skin.turns)},
                    "rest": np.round(np.concatenate(skin.rest, axis=1), 6).tolist(),
                    **packed(skin.mesh),
                }
            )
        first += model.nb - 1
    return out


@lru_cache(maxsize=16)
def packed(mesh: Mesh) -> dict[str, Any]:
    """A mesh in few bytes."""
    v = mesh.vertices.astype(float)
    low, high = v.min(axis=0), v.max(axis=0)
    scale = float((high - low).max()) / 65534
    offset = 0.5 * (low + high)
    palette, paint = np.unique(mesh.colors, axis=0, return_inverse=True)
    first = np.argmin(mesh.triangles, axis=1)[:, None]
    corners = np.take_along_axis(mesh.triangles, (first + np.arange(3)) % 3, axis=1)
    corners = corners[np.argsort(corners[:, 0], kind="stable")]
    steps = np.column_stack([np.diff(corners[:, 0], prepend=0), corners[:, 1:] - corners[:, :1]])
    parts = [
        differences(np.rint((v - offset) / scale).astype(np.int64)).astype("<i2"),
        differences(np.rint(127 * mesh.normals).astype(np.int64)).astype("i1"),
        paint.ravel().astype("u1"),
        mesh.bones.astype("u1"),
        rounded_shares(mesh.weights),
        steps.astype("<u2"),
    ]
    whole = b"".join((data := part.tobytes()) + bytes(-len(data) % 4) for part in parts)
    return {
        "vertices": len(v),
        "triangles": len(mesh.triangles),
        "scale": scale,
        "offset": offset.tolist(),
        "palette": palette.tolist(),
        "data": base64.b64encode(zlib.compress(whole, 9)).decode(),
    }


def differences(rows: np.ndarray) -> np.ndarray:
    """Columns one after the other, each as differences from row to row."""
    return np.diff(rows, axis=0, prepend=0).T
