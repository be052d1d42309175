"""Contact regions for Python: each patch as a point, a line or a polygon, with its frame, hull tests and mean distance.

    for region in regions(contacts):
        region.state, region.points, region.area, region.nearest((x, y)).where

Frame, states and formulas: bunraku.collision.region_kernel. SI units; points in the world.
Checked in tests/collision/test_regions.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bunraku.collision.geometry import Contacts
from bunraku.collision.region_kernel import RegionArrays, RegionFrame, RegionMeasure, measure_once, region_once
from bunraku.collision.shape_layout import Contact, ContactId
from bunraku.errors import InputError
from bunraku.kernel.record import Many, handle, put

STATES = ("point", "line", "surface")
WHERE = ("inside", "edge", "vertex")
WORDS = Contact.layout.words


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

    @cached_property
    def _arrays(self) -> RegionArrays:
        corners = np.ascontiguousarray(self.coordinates, dtype=float)
        return put(RegionArrays(), corners=corners, measure=RegionMeasure())

    def _measure(self, at: Sequence[float] | np.ndarray) -> RegionMeasure:
        p = np.asarray(at, dtype=float)
        if p.shape == (3,):
            p = (p - self.origin) @ self.rotation
        elif p.shape != (2,):
            raise InputError(
                f"a point needs (x, y) in the region's frame or (x, y, z) in the world, got shape {p.shape}."
            )
        if not np.all(np.isfinite(p)):
            raise InputError(f"the point {tuple(p)} is not finite.")
        measure_once.call(handle(self._arrays), len(self.coordinates), float(p[0]), float(p[1]), self.tolerance)
        return self._arrays.measure

    @property
    def area(self) -> float:
        """Of a surface; 0 for a point or line."""
        return float(self._measure((0.0, 0.0)).size) if self.state == "surface" else 0.0

    @property
    def length(self) -> float:
        """Of a line; 0 for others."""
        return float(self._measure((0.0, 0.0)).size) if self.state == "line" else 0.0

    @property
    def centroid(self) -> np.ndarray:
        """In the world."""
        x, y = self._measure((0.0, 0.0)).centroid
        return self.origin + self.rotation @ np.array([x, y, 0.0])

    def nearest(self, at: Sequence[float] | np.ndarray) -> Nearest:
        """The region's point nearest to `at`: (x, y) in its frame, or a point of the world."""
        m = self._measure(at)
        return Nearest(WHERE[int(m.where)], float(m.distance), np.array(m.nearest), int(m.corner))

    def mean_distance(self, at: Sequence[float] | np.ndarray) -> float:
        """Mean distance d of the region from a point, the arm of its friction moment [m]."""
        return float(self._measure(at).mean_distance)


def region(data: np.ndarray, first: int = 0, count: int | None = None, tolerance: float = 1e-6) -> Region:
    """The region of contact rows first … first + count - 1 of `data` (n, 7), which are one patch."""
    data = np.ascontiguousarray(data, dtype=float)
    if data.ndim != 2 or data.shape[1] != WORDS:
        raise InputError(f"contacts have shape {data.shape}; a region needs rows of {WORDS} numbers.")
    count = len(data) - first if count is None else count
    if first < 0 or count < 1 or first + count > len(data):
        raise InputError(f"rows {first} to {first + count - 1} are not contacts; there are {len(data)}.")
    data = data if data.flags.writeable else data.copy()
    frame, corners, rows = RegionFrame(), np.zeros((count, 2)), np.zeros(count, dtype=np.int64)
    t = put(RegionArrays(), contacts=data, frame=frame, corners=corners, rows=rows)
    n = region_once.call(handle(t), first, count, float(tolerance))
    points, rotation = t.contacts.column("point")[rows[:n]], np.array(frame.rotation).reshape(3, 3)
    state, origin = STATES[min(n, 3) - 1], np.array(frame.origin)
    return Region(state, points, corners[:n], rotation, origin, rows[:n], tolerance=tolerance)


def polygon(corners: np.ndarray, tolerance: float = 1e-6) -> Region:
    """A region from corners (n, 2) anticlockwise in the plane z = 0, or (n, 3) in a plane with normal z."""
    p = np.asarray(corners, dtype=float)
    if p.ndim != 2 or p.shape[1] not in (2, 3) or not len(p):
        raise InputError(f"corners have shape {p.shape}; a region needs (n, 2) or (n, 3) numbers.")
    data = np.zeros((len(p), WORDS))
    contacts = Many(Contact, data)
    contacts.column("point")[:, : p.shape[1]] = p
    contacts.column("normal")[:] = 0.0, 0.0, 1.0
    return region(data, tolerance=tolerance)


def regions(contacts: Contacts, tolerance: float = 1e-6) -> list[Region]:
    """The region of every patch of the last detection, in order."""
    ids, found, first = Many(ContactId, contacts.ids[: contacts.count]), [], 0
    while first < contacts.count:
        count = int(np.sum(ids.column("patch") == ids[first].patch))
        one = region(contacts.data[: contacts.count], first, count, tolerance)
        found.append(replace(one, shapes=(int(ids[first].a), int(ids[first].b))))
        first += count
    return found
