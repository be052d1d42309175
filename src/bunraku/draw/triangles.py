"""Triangles to be drawn: what skins of figures and visual meshes of robots become before a picture is taken.

A `Surface` lies in world axes (m, z up). Its outside is where corners run counterclockwise; normals are unit vectors at
the corners, or None for a surface of flat facets. Colours are sRGB bytes, one a vertex or one for all. Checked in
tests/draw/test_triangles.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from bunraku.errors import InputError

GREY = (180, 180, 184)
FEW = 400  # vertices that are all looked at when a camera is fitted
_SRGB = np.arange(256) / 255.0
LINEAR = np.where(_SRGB <= 0.04045, _SRGB / 12.92, ((_SRGB + 0.055) / 1.055) ** 2.4)
"""Linear light of an sRGB byte."""


@dataclass(frozen=True, eq=False)
class Surface:
    """vertices (n, 3) [m], triangles (m, 3) of their numbers, normals (n, 3) or None, colors (n, 3) bytes or (3,);
    gloss: strength of the highlight, 0 … 1; closed: it has an inside, so that what faces away is never seen."""

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray | None = None
    colors: Any = GREY
    gloss: float = 0.15
    closed: bool = False

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "vertices", np.ascontiguousarray(self.vertices, dtype=np.float64).reshape(-1, 3))
        put(self, "triangles", np.ascontiguousarray(self.triangles, dtype=np.int32).reshape(-1, 3))
        put(self, "colors", np.ascontiguousarray(self.colors, dtype=np.uint8))
        if self.normals is not None:
            put(self, "normals", np.ascontiguousarray(self.normals, dtype=np.float64).reshape(-1, 3))
        n = len(self.vertices)
        if not np.isfinite(self.vertices).all():
            raise InputError("surface: a vertex is not a finite number.")
        if len(self.triangles) and not (self.triangles.min() >= 0 and self.triangles.max() < n):
            raise InputError(f"surface: a triangle names a vertex outside of 0 … {n - 1}.")
        if self.normals is not None and len(self.normals) != n:
            raise InputError(f"surface: {len(self.normals)} normals for {n} vertices.")
        if self.colors.shape not in ((3,), (n, 3)):
            raise InputError(f"surface: colours of shape {self.colors.shape}, wanted (3,) or ({n}, 3).")

    def at(self, place: np.ndarray, turn: np.ndarray) -> Surface:
        """The surface turned by a rotation matrix, then moved."""
        normals = None if self.normals is None else self.normals @ turn.T
        return replace(self, vertices=self.vertices @ turn.T + place, normals=normals)

    def painted(self, colors: Any) -> Surface:
        """The same surface in another colour (3,) or colours (n, 3), sRGB bytes."""
        return replace(self, colors=colors)

    def paler(self, share: float) -> Surface:
        """The same surface mixed with near-white; share 0 = unchanged."""
        return self.painted(np.rint((1.0 - share) * self.colors + share * 237.0).astype(np.uint8))

    def thinner(self, by: float) -> Surface:
        """The same surface, its vertices moved inwards [m]; a surface of flat facets stays as it is."""
        return self if self.normals is None else replace(self, vertices=self.vertices - by * self.normals)

    def outermost(self) -> np.ndarray:
        """Vertices (k, 3) that reach farthest in many directions: what a camera is fitted to."""
        if len(self.vertices) <= FEW:
            return self.vertices
        columns = np.ascontiguousarray(self.vertices.T)
        far = [np.argmax(some @ columns, axis=1) for some in np.split(DIRECTIONS, 12)]  # small products need one core
        return self.vertices[np.unique(np.concatenate(far))]

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest corner of the box around it; zeros where it is empty."""
        if not len(self.vertices):
            return np.zeros(3), np.zeros(3)
        return ends(self.vertices)


def ends(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest of every column of (n, k), n not 0: thirty times as fast as along axis 0."""
    columns = np.ascontiguousarray(points.T)
    return columns.min(axis=1), columns.max(axis=1)


def vertex_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(n, 3) unit normals at the vertices: the mean of the triangles around each, weighted by their areas."""
    corners = vertices[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])  # twice the area, along the normal
    columns = [sum(np.bincount(triangles[:, k], across[:, axis], len(vertices)) for k in range(3)) for axis in range(3)]
    total = np.column_stack(columns)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(length > 1e-300, total / np.where(length > 1e-300, length, 1.0), (0.0, 0.0, 1.0))


def _spread(count: int) -> np.ndarray:
    """(count, 3) directions, evenly about the sphere: a spiral of golden angles."""
    z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    angle = np.arange(count) * np.pi * (3.0 - np.sqrt(5.0))
    r = np.sqrt(1.0 - z * z)
    return np.column_stack([r * np.cos(angle), r * np.sin(angle), z])


DIRECTIONS = _spread(72)


def joined(surfaces: Sequence[Surface]) -> dict[str, np.ndarray]:
    """All surfaces as arrays of bunraku.draw.rasterise.Triangles: corners, normals (zeros where flat), linear colors,
    triangles with the number of their surface, gloss, closed."""
    counts = np.array([len(s.vertices) for s in surfaces], dtype=np.int64)
    firsts = np.concatenate([[0], np.cumsum(counts)])
    n = int(firsts[-1])
    out = {
        "corners": np.zeros((n, 3)),
        "normals": np.zeros((n, 3)),
        "colors": np.zeros((n, 3)),
        "triangles": np.zeros((sum(len(s.triangles) for s in surfaces), 4), dtype=np.int64),
        "gloss": np.array([s.gloss for s in surfaces], dtype=float),
        "closed": np.array([s.closed for s in surfaces], dtype=np.int64),
    }
    row = 0
    for k, s in enumerate(surfaces):
        part = slice(int(firsts[k]), int(firsts[k + 1]))
        out["corners"][part], out["colors"][part] = s.vertices, LINEAR[s.colors]
        if s.normals is not None:
            out["normals"][part] = s.normals
        out["triangles"][row : row + len(s.triangles), :3] = s.triangles + int(firsts[k])
        out["triangles"][row : row + len(s.triangles), 3] = k
        row += len(s.triangles)
    return out


def turned_profile(profile: Sequence[Sequence[float]], sides: int = 48) -> Surface:
    """A closed surface of revolution about z through points (radius, height) [m] from below upwards, closed by discs;
    edges stay sharp. A cylinder is ((r, -h), (r, h)), a cone ((r, -h), (0, h))."""
    angle = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    following = np.roll(np.arange(sides), -1)
    vertices, normals, triangles = [np.zeros((0, 3))], [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)]
    count = 0
    for (r, low), (s, high) in pairwise(profile):
        out = np.array([high - low, r - s]) / max(float(np.hypot(high - low, r - s)), 1e-300)
        normal = np.column_stack([out[0] * around, np.full(sides, out[1])])
        vertices += [np.column_stack([q * around, np.full(sides, z)]) for q, z in ((r, low), (s, high))]
        normals += [normal, normal]
        here = count + np.arange(sides)
        right = count + following
        triangles.append(np.column_stack([here, right, right + sides]))
        triangles.append(np.column_stack([here, right + sides, here + sides]))
        count += 2 * sides
    for (r, z), up in ((profile[0], -1.0), (profile[-1], 1.0)):
        vertices.append(np.vstack([[0.0, 0.0, z], np.column_stack([r * around, np.full(sides, z)])]))
        normals.append(np.tile([0.0, 0.0, up], (sides + 1, 1)))
        ring = np.column_stack([np.full(sides, count), count + 1 + np.arange(sides), count + 1 + following])
        triangles.append(ring if up > 0.0 else ring[:, ::-1])
        count += sides + 1
    return Surface(np.concatenate(vertices), np.concatenate(triangles), np.concatenate(normals), gloss=0.1)
