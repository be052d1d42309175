"""Where the picture is taken from: position, direction and lens, and the report's five views.

A perspective camera sees ray(x, y) = forward + x right + y up from its place, |y| <= tan(fov/2); with fov = 0 it is
orthographic and `height` metres high. Views of chapter 7: right and left (from the side), front (walking towards us),
top, oblique (from the right and in front, 20 degrees or more off the side), for a figure that walks along +x.

`fit` goes as near as all given spheres are seen. With the direction fixed, a sphere at (x, z) across and along the
view, radius r, lies inside the right edge of a camera at (cx, cz) where x - cx + r sqrt(1 + t^2) <= t (z - cz), t the
tangent of half the angle; likewise at the left. So max(x - t z + r') <= cx - t cz and cx + t cz <= min(x + t z - r'):
the largest cz and the middle cx follow without iteration, and upwards in the same way. Checked in
tests/draw/test_camera.py.
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
    "oblique": (-62.0, 12.0),
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
    view: str,
    points: np.ndarray,
    aspect: float,
    *,
    radius: np.ndarray | float = 0.0,
    fov: float = 24.0,
    margin: float = 1.06,
    azimuth: float | None = None,
) -> Camera:
    """A named view of points (n, 3), or spheres about them, as near as they fit into a picture of width/height
    `aspect`; `margin` 1.06 leaves 3 % of the picture free on every side; azimuth [degrees]: instead of the view's own."""
    if view not in VIEWS:
        raise UnknownName(f"there is no view {view!r}.{closest(view, VIEWS)}")
    points = np.asarray(points, dtype=float).reshape(-1, 3)
    if not len(points):
        points = np.zeros((1, 3))
        radius = 1.0
    around, above = VIEWS[view]
    camera = look(points.mean(axis=0), around if azimuth is None else azimuth, above, 1.0, fov=fov)
    along = points @ camera.forward
    tangent = math.tan(math.radians(0.5 * fov)) / margin
    limits = []
    for axis, t in ((camera.right, tangent * aspect), (camera.up, tangent)):
        across, reach = points @ axis, radius * math.sqrt(1.0 + t * t)
        limits.append((t, float((across - t * along + reach).max()), float((across + t * along - reach).min())))
    depth = min((high - low) / (2.0 * t) for t, low, high in limits)
    depth = min(depth, float((along - radius).min()) - 0.05)  # never inside what is drawn, even a single point
    place = depth * camera.forward
    for axis, (_, low, high) in zip((camera.right, camera.up), limits):
        place = place + 0.5 * (low + high) * axis
    return Camera(place, camera.right, camera.up, camera.forward, fov)


def corners(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The eight corners of the box low … high."""
    ends = np.array([low, high], dtype=float)
    return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
