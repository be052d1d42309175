"""Terrain as a shape: the surface of ground that stands still, as a height field or as triangles.

    world.add_fixed(bk.height_field(heights, spacing=0.05))           # heights[i, j] [m] at x = i, y = j spacings
    world.add_fixed(bk.terrain_mesh(vertices, triangles))             # corners anticlockwise seen from outside

A Shape of kind "terrain" has a `Relief`: vertices [m] and triangles in the shape's own axes, z up. All below a height
field is ground; a mesh has one side. Cells of a height field are cut from (i + 1, j) to (i, j + 1). How it is met:
bunraku.collision.terrain_contacts. Checked in tests/model/test_relief.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from bunraku.errors import ModelError
from bunraku.model.description import Shape

MOST = 4_000_000  # triangles
NEEDLE = 1e-9
EARTH = (0.52, 0.5, 0.44, 1.0)

Points = Sequence[Sequence[float]] | np.ndarray
Corners = Sequence[Sequence[int]] | np.ndarray


@dataclass(frozen=True, eq=False)
class Relief:
    """vertices (n, 3) [m], triangles (m, 3), corners anticlockwise seen from outside; solid: whether all below it (z) is
    ground."""

    vertices: Any
    triangles: Any
    solid: bool = False

    def __post_init__(self) -> None:
        vertices = _numbers(self.vertices, "vertices", float)
        triangles = _numbers(self.triangles, "triangles", np.int64)
        if not len(triangles):
            raise ModelError("terrain: there are no triangles.")
        if len(triangles) > MOST:
            raise ModelError(f"terrain: {len(triangles)} triangles are more than {MOST}; make it coarser.")
        if not np.all(np.isfinite(vertices)):
            bad = int(np.flatnonzero(~np.isfinite(vertices).all(axis=1))[0])
            raise ModelError(
                f"terrain: vertex {bad} is {tuple(vertices[bad].tolist())}; write finite places in metres."
            )
        if triangles.min() < 0 or triangles.max() >= len(vertices):
            raise ModelError(f"terrain: a triangle names a vertex beyond 0 … {len(vertices) - 1}.")
        if float(np.abs(vertices).max()) > 1e6:
            raise ModelError("terrain: a vertex is more than 1e6 m away; write places in metres.")
        if not np.any(with_area(vertices, triangles)):
            raise ModelError("terrain: no triangle has an area; all are points, lines or needles.")
        object.__setattr__(self, "vertices", _fixed(vertices))
        object.__setattr__(self, "triangles", _fixed(triangles))

    @cached_property
    def digest(self) -> str:
        """The same for the same ground."""
        return sha256(self.vertices.tobytes() + self.triangles.tobytes() + bytes([self.solid])).hexdigest()

    def height(self, x: float, y: float) -> float:
        """The highest place above (x, y) [m]; -inf where there is no ground. For footsteps and cameras, not for steps."""
        p, q, r = (self.vertices[self.triangles[:, k]] for k in range(3))
        d = (q[:, 0] - p[:, 0]) * (r[:, 1] - p[:, 1]) - (q[:, 1] - p[:, 1]) * (r[:, 0] - p[:, 0])
        with np.errstate(divide="ignore", invalid="ignore"):
            u = ((x - p[:, 0]) * (r[:, 1] - p[:, 1]) - (y - p[:, 1]) * (r[:, 0] - p[:, 0])) / d
            v = ((q[:, 0] - p[:, 0]) * (y - p[:, 1]) - (q[:, 1] - p[:, 1]) * (x - p[:, 0])) / d
            here = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
        z = p[here, 2] + u[here] * (q - p)[here, 2] + v[here] * (r - p)[here, 2]
        return float(z.max(initial=-np.inf))


def with_area(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Which triangles have an area: more than NEEDLE of the square of their longest side."""
    corners = vertices[triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    return area > NEEDLE * (sides**2).sum(axis=2).max(axis=1)


def _numbers(x: Any, what: str, dtype: Any) -> np.ndarray:
    try:
        a = np.asarray(x)
        whole = a.dtype.kind in "iu" or (a.dtype.kind == "f" and bool(np.all(a == np.rint(a))))
        out = np.array(a, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"terrain: {what} cannot be read as numbers.") from None
    if out.ndim != 2 or out.shape[1] != 3:
        raise ModelError(f"terrain: {what} have shape {out.shape}; write rows of three, (n, 3).")
    if dtype is np.int64 and not whole:
        raise ModelError("terrain: triangles are rows of three whole numbers.")
    return out


def _fixed(a: np.ndarray) -> np.ndarray:
    a = np.ascontiguousarray(a)
    a.flags.writeable = False
    return a


def height_field(
    heights: Points,
    spacing: float | tuple[float, float] = 0.1,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    rotation: Any = None,
    *,
    name: str = "height field",
    color: tuple[float, float, float, float] | None = EARTH,
) -> Shape:
    """Ground from heights[i, j] [m] at the places (i dx, j dy) from `at`; spacing: dx = dy [m], or both. All below it is
    solid. For `World.add_fixed`."""
    h = np.asarray(heights, dtype=float)
    dx, dy = (float(d) for d in (spacing if isinstance(spacing, tuple | list) else (spacing, spacing)))
    if h.ndim != 2 or min(h.shape) < 2:
        raise ModelError(f"height_field: heights have shape {h.shape}; write a table of 2 x 2 numbers or more.")
    if not (np.isfinite(dx) and dx > 0 and np.isfinite(dy) and dy > 0):
        raise ModelError(f"height_field: a spacing of {spacing} is not above 0; write metres.")
    if not np.all(np.isfinite(h)):
        raise ModelError("height_field: a height is not finite; write metres.")
    if 2 * (h.shape[0] - 1) * (h.shape[1] - 1) > MOST:
        raise ModelError(f"height_field: {h.shape[0]} x {h.shape[1]} heights are too many; {MOST // 2} cells may be.")
    x, y = np.meshgrid(dx * np.arange(h.shape[0]), dy * np.arange(h.shape[1]), indexing="ij")
    relief = Relief(np.stack([x.ravel(), y.ravel(), h.ravel()], axis=1), grid(*h.shape), True)
    return Shape("terrain", (), at, rotation, name=name, color=color, relief=relief)


def grid(nx: int, ny: int) -> np.ndarray:
    """Triangles of a grid of vertices number i ny + j at (i, j)."""
    a = (np.arange(nx - 1)[:, None] * ny + np.arange(ny - 1)).ravel()
    low = np.stack([a, a + ny, a + 1], axis=1)
    high = np.stack([a + ny, a + ny + 1, a + 1], axis=1)
    return np.concatenate([low, high], axis=1).reshape(-1, 3)
