"""Where the picture is taken from: position, direction and lens, and the report's five views.

A perspective camera sees ray(x, y) = forward + x right + y up from its place, |y| <= tan(fov/2); with fov = 0 it is
orthographic and `height` metres high. Views of chapter 7: right and left (from the side), front (walking towards us),
top, oblique (from the right and in front, 20 degrees or more off the side), for a figure that walks along +x. `fit`
chooses the distance so that a box is seen. Checked in tests/draw/test_camera.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bunraku.errors import InputError, UnknownName, closest

VIEWS = {
    "right": (-90.0, 6.0),
    "left": (90.0, 6.0),
    "front": (0.0, 6.0),
    "top": (-90.0, 89.9),
    "oblique": (-50.0, 14.0),
}
"""View -> (azimuth, elevation) in degrees of the camera seen from the figure; azimuth 0 = from ahead (+x), -90 = from
the right."""


@dataclass(frozen=True)
class Camera:
    """place, and the unit vectors right, up, forward; fov in degrees (vertical), or 0 and the height seen in m."""

    place: np.ndarray
    right: np.ndarray
    up: np.ndarray
    forward: np.ndarray
    fov: float = 30.0
    height: float = 2.0

    def matrix(self) -> np.ndarray:
        """(4, 3): place, right, up, forward."""
        return np.stack([self.place, self.right, self.up, self.forward])

    def project(self, point: np.ndarray, width: int, height: int) -> tuple[float, float]:
        """Pixel (column, row) of a world point."""
        d = np.asarray(point, dtype=float) - self.place
        scale = self.half_height if self.fov == 0.0 else self.half_height * float(d @ self.forward)
        x, y = float(d @ self.right) / scale, float(d @ self.up) / scale
        return 0.5 * width + 0.5 * height * x, 0.5 * height - 0.5 * height * y

    @property
    def half_height(self) -> float:
        """Half the height of the picture: tan(fov/2), or m for an orthographic one."""
        return 0.5 * self.height if self.fov == 0.0 else math.tan(math.radians(0.5 * self.fov))


def look(
    target: np.ndarray, azimuth: float, elevation: float, distance: float, *, fov: float = 30.0, height: float = 2.0
) -> Camera:
    """A camera at a distance from a target, seen from there under azimuth and elevation (degrees)."""
    if not distance > 0.0 or not 0.0 <= fov < 170.0:
        raise InputError(f"camera: wanted a distance above 0 and a fov of 0 to 170 degrees, got {distance} and {fov}.")
    a, e = math.radians(azimuth), math.radians(elevation)
    back = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    right = np.array([-math.sin(a), math.cos(a), 0.0])
    return Camera(np.asarray(target, dtype=float) + distance * back, right, np.cross(back, right), -back, fov, height)


def fit(
    view: str, low: np.ndarray, high: np.ndarray, aspect: float, *, fov: float = 24.0, margin: float = 1.06
) -> Camera:
    """A named view of the box low … high, as near as it fits into a picture of the given width/height."""
    if view not in VIEWS:
        raise UnknownName(f"there is no view {view!r}.{closest(view, VIEWS)}")
    azimuth, elevation = VIEWS[view]
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    target = 0.5 * (low + high)
    corners = np.array(
        [[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    )
    start = look(target, azimuth, elevation, 1.0, fov=fov)
    d = corners - target
    across, above, along = d @ start.right, d @ start.up, d @ start.forward
    tangent = math.tan(math.radians(0.5 * fov))
    need = np.maximum(np.abs(across) / (tangent * aspect), np.abs(above) / tangent) * margin - along
    return look(target, azimuth, elevation, max(0.1, float(need.max())), fov=fov)
