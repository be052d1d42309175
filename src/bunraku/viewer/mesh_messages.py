"""Visual meshes for the page: every different one once, in few bytes; shapes name theirs by its number.

The bytes of n vertices and m triangles, little endian, as base64: positions n x 3 uint16, in 65535ths of the box from
`low` to `high` [m]; normals n x 3 int8, in 127ths; where `painted`, colours n x 3 uint8 (sRGB); each of these from a
multiple of four bytes on; then corners m x 3, uint16 where n <= 65536, else uint32. Checked in
tests/viewer/test_mesh_messages.py, and on the page in tests/viewer/test_meshes_in_browser.py.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import Any

import numpy as np

from bunraku.draw.triangles import Surface


class Meshes:
    """The meshes of a scene."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self._numbers: dict[Any, int] = {}

    def number(self, key: Any, part: Surface) -> int:
        """The number of a mesh that `key` stands for; its message is made at its first use."""
        if key not in self._numbers:
            self._numbers[key] = len(self.messages)
            self.messages.append(packed(part))
        return self._numbers[key]


@lru_cache(maxsize=256)
def packed(part: Surface) -> dict[str, Any]:
    """A mesh as the page takes it."""
    v, n = part.vertices, len(part.vertices)
    low, high = part.bounds()
    size = np.where(high > low, high - low, 1.0)
    normals = np.zeros((n, 3)) if part.normals is None else part.normals
    painted = part.colors.ndim == 2
    pieces = [
        np.rint((v - low) / size * 65535.0).astype("<u2"),
        np.rint(127.0 * normals).astype("i1"),
        *([part.colors] if painted else []),
        part.triangles.astype("<u2" if n <= 65536 else "<u4"),
    ]
    whole = b"".join((data := piece.tobytes()) + bytes(-len(data) % 4) for piece in pieces)
    return {
        "vertices": n,
        "triangles": len(part.triangles),
        "low": low.tolist(),
        "high": (low + size).tolist(),
        "painted": painted,
        "data": base64.b64encode(whole).decode(),
    }
