"""glTF 2.0, binary (.glb): meshes, skins and animations for Blender, browsers and game engines.

A small writer: `Glb` collects nodes, meshes, skins and the channels of one animation, and `data()` gives the file: a
header, a chunk of JSON, a chunk of numbers, as in the specification of the Khronos Group, section 4. It knows nothing of
figures (that is bunraku.draw.gltf_scene). Quaternions are given as everywhere here, w first, and written x y z w;
colours are sRGB bytes and written as linear light. Checked in tests/formats/test_gltf.py and
tests/draw/test_gltf_scene.py, with trimesh as the reader.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.version import __version__

COMPONENTS = {"u1": 5121, "<u2": 5123, "<u4": 5125, "<f4": 5126}
SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
VERTICES, CORNERS = 34962, 34963  # what a part of the buffer is for
MOST = 2**32 - 1  # bytes that a file can say it has


class Glb:
    """A glTF file in the making. Nodes, meshes, materials and skins go by their numbers."""

    def __init__(self, name: str = "scene") -> None:
        self.tables: dict[str, list[dict[str, Any]]] = {
            key: [] for key in ("nodes", "meshes", "materials", "skins", "accessors", "bufferViews")
        }
        self.name, self._data = name, bytearray()
        self._roots: list[int] = []
        self._channels: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []

    def _add(self, table: str, **entry: Any) -> int:
        self.tables[table].append({k: v for k, v in entry.items() if v is not None})
        return len(self.tables[table]) - 1

    def accessor(
        self,
        values: np.ndarray,
        kind: str,
        *,
        target: int | None = None,
        normalized: bool = False,
        bounds: bool = False,
    ) -> int:
        """Numbers (n, k) of a kind (as NumPy names it, little endian); bounds: with the least and the largest."""
        rows = np.ascontiguousarray(np.asarray(values).astype(kind))
        rows = rows.reshape(len(rows), -1)
        self._data += bytes(-len(self._data) % 4)
        view = self._add("bufferViews", buffer=0, byteOffset=len(self._data), byteLength=rows.nbytes, target=target)
        self._data += rows.tobytes()
        low, high = ([float(x) for x in f(rows, axis=0)] if bounds else None for f in (np.min, np.max))
        return self._add(
            "accessors", bufferView=view, componentType=COMPONENTS[kind], count=len(rows), type=SHAPES[rows.shape[1]],
            normalized=True if normalized else None, min=low, max=high,
        )  # fmt: skip

    def material(
        self, color: Sequence[float] = (255, 255, 255), *, opacity: float = 1.0, roughness: float = 0.7
    ) -> int:
        """A material of a colour (sRGB bytes), which multiplies colours of vertices; the same one is written once."""
        factor = [*(round(float(x), 5) for x in linear(np.array(color[:3]))), float(opacity)]
        entry = {
            "pbrMetallicRoughness": {"baseColorFactor": factor, "metallicFactor": 0.0, "roughnessFactor": roughness}
        }
        if opacity < 1.0:
            entry |= {"alphaMode": "BLEND"}
        known = self.tables["materials"]
        if entry not in known:
            known.append(entry)
        return known.index(entry)

    def mesh(
        self,
        vertices: np.ndarray,
        triangles: np.ndarray,
        normals: np.ndarray | None = None,
        *,
        name: str = "",
        material: int | None = None,
        colors: np.ndarray | None = None,
        bones: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> int:
        """A mesh: vertices (n, 3) [m], triangles (m, 3), normals (n, 3), colors (n, 3) sRGB bytes; bones: numbers in a
        skin (n, 4) and weights in bytes (n, 4) that sum to 255."""
        parts = {"POSITION": self.accessor(vertices, "<f4", target=VERTICES, bounds=True)}
        if normals is not None:
            parts["NORMAL"] = self.accessor(normals, "<f4", target=VERTICES)
        if colors is not None:
            light = np.rint(65535 * np.column_stack([linear(colors), np.ones(len(colors))]))
            parts["COLOR_0"] = self.accessor(light, "<u2", target=VERTICES, normalized=True)
        if bones is not None:
            numbers = np.where(bones[1] > 0, bones[0], 0)  # what weighs nothing has number 0
            parts["JOINTS_0"] = self.accessor(numbers, "u1", target=VERTICES)
            parts["WEIGHTS_0"] = self.accessor(bones[1], "u1", target=VERTICES, normalized=True)
        corners = self.accessor(triangles.reshape(-1, 1), "<u2" if len(vertices) < 65535 else "<u4", target=CORNERS)
        primitive = {"attributes": parts, "indices": corners}
        return self._add(
            "meshes", name=name, primitives=[primitive | ({} if material is None else {"material": material})]
        )

    def node(
        self,
        name: str,
        parent: int | None = None,
        *,
        place: Sequence[float] | np.ndarray | None = None,
        turn: Sequence[float] | np.ndarray | None = None,
        mesh: int | None = None,
        skin: int | None = None,
    ) -> int:
        """A node below another, or at the root: place [m] and turn (quaternion, w first) in the parent's frame."""
        at = None if place is None else [float(x) for x in place]
        quaternion = None if turn is None else [float(x) for x in np.roll(np.asarray(turn, dtype=float), -1)]
        number = self._add("nodes", name=name, translation=at, rotation=quaternion, mesh=mesh, skin=skin)
        if parent is None:
            self._roots.append(number)
        else:
            self.tables["nodes"][parent].setdefault("children", []).append(number)
        return number

    def skin(self, joints: Sequence[int], inverse: np.ndarray) -> int:
        """A skin: nodes that are its bones, and the inverses (k, 4, 4) of where they are in the mesh."""
        columns = np.swapaxes(inverse, 1, 2).reshape(-1, 16)  # matrices are written by columns
        return self._add("skins", joints=list(joints), inverseBindMatrices=self.accessor(columns, "<f4"))

    def times(self, times: np.ndarray) -> int:
        """Times [s] of keys, shared by channels."""
        if len(times) == 0 or np.any(np.diff(times.astype(np.float32)) <= 0):
            raise InputError("gltf: the times of an animation must rise, by more than a float32 can tell.")
        return self.accessor(times.reshape(-1, 1), "<f4", bounds=True)

    def animate(
        self, node: int, times: int, *, places: np.ndarray | None = None, turns: np.ndarray | None = None
    ) -> None:
        """Let a node follow places (n, 3) and turns (n, 4), straight and by slerp between the times."""
        moved = (("translation", places), ("rotation", None if turns is None else np.roll(turns, -1, axis=1)))
        for path, values in moved:
            if values is not None:
                self._samplers.append(
                    {"input": times, "output": self.accessor(values, "<f4"), "interpolation": "LINEAR"}
                )
                sampler = len(self._samplers) - 1
                self._channels.append({"sampler": sampler, "target": {"node": node, "path": path}})

    def data(self) -> bytes:
        """The file."""
        whole: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"Bunraku {__version__}"},
            "scene": 0,
            "scenes": [{"name": self.name, "nodes": self._roots}],
            **{name: table for name, table in self.tables.items() if table},
            "buffers": [{"byteLength": len(self._data)}],
        }
        if self._channels:
            whole["animations"] = [{"name": "motion", "channels": self._channels, "samplers": self._samplers}]
        text = json.dumps(whole, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        numbers = bytes(self._data) + bytes(-len(self._data) % 4)
        size = 12 + 8 + len(text) + 8 + len(numbers)
        if size > MOST:
            raise InputError(
                f"gltf: {size / 1e9:.1f} GB are more than a .glb file can hold; write fewer frames (--fps)."
            )
        head = struct.pack("<4sIIII", b"glTF", 2, size, len(text), 0x4E4F534A)
        return head + text + struct.pack("<II", len(numbers), 0x004E4942) + numbers


def linear(color: np.ndarray) -> np.ndarray:
    """Linear light 0 … 1 of sRGB bytes."""
    c = np.asarray(color, dtype=float) / 255.0
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
