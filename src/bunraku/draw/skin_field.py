"""Implicit surfaces made of lofts: f(x) < 0 inside, near the surface about the distance [m] to it.

A `Loft` is a limb's flesh: elliptic sections along its own z axis, with middles and radii that run smoothly through
knots, closed at each end by half an ellipsoid. With k0 = |p / r| and k1 = |p / r^2| (p from the section's middle, r its
radii) f = k0 (k0 - 1) / k1 is the distance to an ellipse or ellipsoid to first order. Lofts are joined by the
polynomial smooth minimum, min(a, b) - h^2 / (4 k), h = max(k - |a - b|, 0), which rounds a crease over about k [m] and
changes nothing farther away. Checked in tests/draw/test_skin_field.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

FAR = 1.0  # m: the field where no loft is near
TABLE = 401  # heights of a loft at which its sections are worked out; straight between them


@dataclass(frozen=True, eq=False)
class Loft:
    """Sections along the z axis of a frame (`origin`, columns of `turn`): knots (n, 5) with rising z, the middle's x
    and y and the radii along x and y [m]; `caps`: how far the lower and the upper end are rounded [m]; `blend`: how
    far it is rounded towards what is already there [m]; a `hollow` is taken away instead."""

    origin: np.ndarray
    turn: np.ndarray
    knots: np.ndarray
    caps: tuple[float, float]
    blend: float = 0.02
    hollow: bool = False
    only: tuple[np.ndarray, np.ndarray] | None = None  # corners of the box in which it counts

    @cached_property
    def slopes(self) -> np.ndarray:
        """Slopes of middles and radii at the knots, without overshoot (harmonic means, Fritsch and Butland 1984)."""
        step, rise = np.diff(self.knots[:, 0])[:, None], np.diff(self.knots[:, 1:], axis=0)
        steep = rise / step
        out = np.zeros_like(self.knots[:, 1:])
        same = steep[1:] * steep[:-1] > 0
        sums = steep[1:] + steep[:-1]
        out[1:-1] = np.where(same, 2 * steep[1:] * steep[:-1] / np.where(same, sums, 1.0), 0.0)
        return out

    @cached_property
    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Heights (TABLE,) and the sections there (4, TABLE): cubics between the knots."""
        z = np.linspace(self.knots[0, 0], self.knots[-1, 0], TABLE)
        k = np.clip(np.searchsorted(self.knots[:, 0], z) - 1, 0, len(self.knots) - 2)
        z0, z1 = self.knots[k, 0], self.knots[k + 1, 0]
        h = (z1 - z0)[:, None]
        t = ((z - z0) / (z1 - z0))[:, None]
        a, b = self.knots[k, 1:], self.knots[k + 1, 1:]
        ma, mb = self.slopes[k] * h, self.slopes[k + 1] * h
        return z, (a + t * (ma + t * (3 * (b - a) - 2 * ma - mb + t * (2 * (a - b) + ma + mb)))).T

    def sections(self, z: np.ndarray) -> list[np.ndarray]:
        """Middle x, y and radii x, y (n,) at heights z between the ends."""
        heights, columns = self.table
        return [np.interp(z, heights, column) for column in columns]

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """The field at points (n, 3)."""
        p = (points - self.origin) @ self.turn
        low, high = self.knots[0, 0], self.knots[-1, 0]
        z = np.clip(p[:, 2], low, high)
        cx, cy, rx, ry = self.sections(z)
        over = p[:, 2] - z
        cap = np.where(over < 0, self.caps[0], self.caps[1])
        x, y, w = (p[:, 0] - cx) / rx, (p[:, 1] - cy) / ry, over / cap
        k0 = np.sqrt(x * x + y * y + w * w)
        k1 = np.sqrt((x / rx) ** 2 + (y / ry) ** 2 + (w / cap) ** 2)
        return np.where(k1 > 1e-9, k0 * (k0 - 1.0) / np.maximum(k1, 1e-9), -np.minimum(rx, ry))

    def box(self, margin: float) -> tuple[np.ndarray, np.ndarray]:
        """Corners of a box along the axes that holds it with a margin [m]."""
        if self.only is not None:
            return self.only
        reach = np.max(np.abs(self.knots[:, 1:3]) + self.knots[:, 3:5], axis=0)
        z = np.array([self.knots[0, 0] - self.caps[0], self.knots[-1, 0] + self.caps[1]])
        local = np.array([[i * reach[0], j * reach[1], k] for i in (-1, 1) for j in (-1, 1) for k in z])
        corners = self.origin + local @ self.turn.T
        return corners.min(axis=0) - margin, corners.max(axis=0) + margin


@dataclass(frozen=True, eq=False)
class Flesh:
    """Lofts joined in their order."""

    lofts: Sequence[Loft]

    def at(self, points: np.ndarray) -> np.ndarray:
        """The field at points (n, 3)."""
        out, columns = np.full(len(points), FAR), np.ascontiguousarray(points.T)
        for loft in self.lofts:
            low, high = loft.box(3.0 * loft.blend + 0.02)
            near = np.flatnonzero(np.logical_and.reduce([(x >= a) & (x <= b) for x, a, b in zip(columns, low, high)]))
            out[near] = joined(out[near], loft(points[near]), loft)
        return out

    def on_grid(self, axes: Sequence[np.ndarray]) -> np.ndarray:
        """The field at the points of a grid of planes: (nx, ny, nz)."""
        out = np.full([len(a) for a in axes], FAR)
        for loft in self.lofts:
            low, high = loft.box(3.0 * loft.blend + 0.02)
            part = tuple(slice(*np.searchsorted(a, (low[i], high[i]))) for i, a in enumerate(axes))
            mesh = np.meshgrid(*(a[s] for a, s in zip(axes, part)), indexing="ij")
            values = loft(np.column_stack([m.ravel() for m in mesh])).reshape(mesh[0].shape)
            out[part] = joined(out[part], values, loft)
        return out

    def with_gradient(self, points: np.ndarray, step: float = 5e-4) -> tuple[np.ndarray, np.ndarray]:
        """The field and its gradient (n, 3) from four places about each point, corners of a tetrahedron `step` [m] away
        along each axis: exact up to the second power of the step."""
        corners = step * np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
        values = self.at((points[None] + corners[:, None]).reshape(-1, 3)).reshape(4, -1)
        return values.mean(axis=0), values.T @ corners / (4 * step**2)


def joined(a: np.ndarray, b: np.ndarray, loft: Loft) -> np.ndarray:
    """What is there and one more loft: the smooth minimum; of a hollow the smooth maximum with its outside."""
    sign = -1.0 if loft.hollow else 1.0
    a = sign * a
    h = np.maximum(loft.blend - np.abs(a - b), 0.0)
    return sign * (np.minimum(a, b) - h * h / (4.0 * loft.blend))
