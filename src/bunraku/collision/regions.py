"""Contact regions for Python: each patch as a point, a line or a polygon, with its frame, hull tests and mean distance.

    for region in regions(contacts):
        region.state, region.points, region.area, region.nearest((x, y)).where

Frame, states and formulas: bunraku.collision.region_kernel, which is what a step uses. SI units; points in the world.
Checked in tests/collision/test_regions.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bunraku.collision.geometry import Contacts
from bunraku.collision.region_kernel import measure_once, region_once
from bunraku.collision.shape_layout import NC, NORMAL, PATCH, SHAPE_A, SHAPE_B
from bunraku.errors import InputError

STATES = ("point", "line", "surface")
WHERE = ("inside", "edge", "vertex")


@dataclass(frozen=True)
class Nearest:
    """The point (x, y) of a region nearest to a given one, in the region's frame.

    distance: to the rim, negative inside [m]. corner: the vertex, or the first one of the edge."""

    where: str
    distance: float
    point: np.ndarray
    corner: int


@dataclass(frozen=True, eq=False)
class Region:
    """A contact region: points (n, 3) in the world, coordinates (n, 2) in its frame, anticlockwise about the normal.

    rotation (world <- frame) and origin are the frame; shapes (a, b); rows: the contact of each corner."""

    state: str
    points: np.ndarray
    coordinates: np.ndarray
    rotation: np.ndarray
    origin: np.ndarray
    rows: np.ndarray
    shapes: tuple[int, int] = (-1, -1)
    tolerance: float = 1e-6

    def _measure(self, at: Sequence[float] | np.ndarray) -> np.ndarray:
        p = np.asarray(at, dtype=float)
        if p.shape == (3,):
            p = (p - self.origin) @ self.rotation
        elif p.shape != (2,):
            raise InputError(
                f"a point needs (x, y) in the region's frame or (x, y, z) in the world, got shape {p.shape}."
            )
        if not np.all(np.isfinite(p)):
            raise InputError(f"the point {tuple(p)} is not finite.")
        out = np.zeros(9)
        poly = np.ascontiguousarray(self.coordinates, dtype=float).reshape(-1)
        measure_once.call(poly, len(self.coordinates), float(p[0]), float(p[1]), self.tolerance, out)
        return out

    @property
    def area(self) -> float:
        """Of a surface; 0 for a point or line."""
        return float(self._measure((0.0, 0.0))[6]) if self.state == "surface" else 0.0

    @property
    def length(self) -> float:
        """Of a line; 0 for others."""
        return float(self._measure((0.0, 0.0))[6]) if self.state == "line" else 0.0

    @property
    def centroid(self) -> np.ndarray:
        """In the world."""
        x, y = self._measure((0.0, 0.0))[7:9]
        return self.origin + self.rotation @ np.array([x, y, 0.0])

    def nearest(self, at: Sequence[float] | np.ndarray) -> Nearest:
        """The region's point nearest to `at`: (x, y) in its frame, or a point of the world."""
        out = self._measure(at)
        return Nearest(WHERE[int(out[0])], float(out[1]), out[2:4].copy(), int(out[4]))

    def mean_distance(self, at: Sequence[float] | np.ndarray) -> float:
        """Mean distance d of the region from a point (N9), the arm of its friction moment [m]."""
        return float(self._measure(at)[5])


def region(data: np.ndarray, first: int = 0, count: int | None = None, tolerance: float = 1e-6) -> Region:
    """The region of contact rows first … first + count - 1 of `data` (n, 7), which are one patch."""
    data = np.ascontiguousarray(data, dtype=float)
    if data.ndim != 2 or data.shape[1] != NC:
        raise InputError(f"contacts have shape {data.shape}; a region needs rows of {NC} numbers.")
    count = len(data) - first if count is None else count
    if first < 0 or count < 1 or first + count > len(data):
        raise InputError(f"rows {first} to {first + count - 1} are not contacts; there are {len(data)}.")
    data = data if data.flags.writeable else data.copy()
    frame, poly, rows = np.zeros(12), np.zeros(2 * count), np.zeros(count, dtype=np.int64)
    n = region_once.call(data, first, count, float(tolerance), frame, poly, rows)
    state = STATES[min(n, 3) - 1]
    rows = rows[:n]
    return Region(
        state,
        data[rows, :3],
        poly[: 2 * n].reshape(n, 2),
        frame[:9].reshape(3, 3),
        frame[9:],
        rows,
        tolerance=tolerance,
    )


def polygon(corners: np.ndarray, tolerance: float = 1e-6) -> Region:
    """A region from corners (n, 2) anticlockwise in the plane z = 0, or (n, 3) in a plane with normal z."""
    p = np.asarray(corners, dtype=float)
    if p.ndim != 2 or p.shape[1] not in (2, 3) or not len(p):
        raise InputError(f"corners have shape {p.shape}; a region needs (n, 2) or (n, 3) numbers.")
    data = np.zeros((len(p), NC))
    data[:, : p.shape[1]] = p
    data[:, NORMAL + 2] = 1.0
    return region(data, tolerance=tolerance)


def regions(contacts: Contacts, tolerance: float = 1e-6) -> list[Region]:
    """The region of every patch of the last detection, in order."""
    ids, found, first = contacts.ids[: contacts.count], [], 0
    while first < contacts.count:
        count = int(np.sum(ids[:, PATCH] == ids[first, PATCH]))
        one = region(contacts.data[: contacts.count], first, count, tolerance)
        shapes = (int(ids[first, SHAPE_A]), int(ids[first, SHAPE_B]))
        found.append(replace(one, shapes=shapes))
        first += count
    return found
