"""What is to be drawn: spheres, capsules, boxes and surfaces of triangles with colours, a floor, a light and a background.

A `Scene` collects solids in world coordinates (m, z up) and hands them to the ray caster as one array, a row for each
`Solid`; `surfaces` (bunraku.draw.triangles) are rasterised. A cylinder and a cone are surfaces. Checked in tests/draw/test_render.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bunraku.draw.triangles import Surface, turned_profile
from bunraku.errors import InputError
from bunraku.kernel.record import Record, flat, mat3, real, vec3
from bunraku.model.rotations import frame_along

SPHERE, CAPSULE, BOX, ELLIPSOID = 0, 1, 2, 3
SIGNS = np.array([[i, j, k] for i in (-1.0, 1.0) for j in (-1.0, 1.0) for k in (-1.0, 1.0)])

Vector = Sequence[float] | np.ndarray


class Solid(Record):
    """A sphere, a capsule along its z axis, or a box."""

    kind = real()  # SPHERE, CAPSULE, BOX or ELLIPSOID
    color = vec3()  # linear, 0 … 1
    centre = vec3()  # m
    turn = mat3()
    size = vec3()  # m: radius; radius and half length; half sizes
    gloss = real()


def linear(color: Vector) -> np.ndarray:
    """Linear light of an sRGB colour 0 … 1."""
    c = np.clip(np.asarray(color, dtype=float)[:3], 0.0, 1.0)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def as_bytes(color: Vector) -> tuple[int, ...]:
    """An sRGB colour 0 … 1 as bytes."""
    return tuple(int(x) for x in np.rint(255.0 * np.clip(np.asarray(color, dtype=float)[:3], 0.0, 1.0)))


def pale(color: Vector, share: float) -> tuple[float, ...]:
    """A colour mixed with near-white; share 0 = unchanged."""
    return tuple((1.0 - share) * c + share * 0.93 for c in color[:3])


@dataclass
class Scene:
    """Primitives plus surroundings. `floor` is its height or None; `sun` points towards the light."""

    floor: float | None = 0.0
    sun: Vector = (0.35, -0.5, 0.9)
    sky: Vector = (0.93, 0.95, 0.98)
    floor_colors: tuple[Vector, Vector] = ((0.86, 0.87, 0.88), (0.78, 0.80, 0.82))
    tile: float = 0.25
    solids: list[Solid] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)

    def _add(self, kind: int, color: Vector, centre: Vector, turn: np.ndarray, size: Vector, gloss: float) -> None:
        solid = Solid()
        solid.kind, solid.gloss = kind, gloss
        solid.color, solid.centre, solid.size = tuple(linear(color)), tuple(centre), tuple(size)  # pyright: ignore
        solid.turn = tuple(np.asarray(turn, dtype=float).ravel())  # pyright: ignore
        if not np.all(np.isfinite(flat(solid))) or min(size) < 0.0:
            raise InputError(f"scene: a solid at {tuple(np.asarray(centre))} with size {tuple(size)} cannot be drawn.")
        self.solids.append(solid)

    def sphere(self, centre: Vector, radius: float, color: Vector, gloss: float = 0.25) -> None:
        """Add a sphere."""
        self._add(SPHERE, color, centre, np.eye(3), (radius, 0.0, 0.0), gloss)

    def capsule(self, a: Vector, b: Vector, radius: float, color: Vector, gloss: float = 0.25) -> None:
        """Add a capsule between two points."""
        start, end = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        length = float(np.linalg.norm(end - start))
        if length < 1e-9:
            self.sphere(start, radius, color, gloss)
            return
        self._add(
            CAPSULE, color, 0.5 * (start + end), frame_along((end - start) / length), (radius, 0.5 * length, 0.0), gloss
        )

    def box(
        self, centre: Vector, half: Vector, color: Vector, turn: np.ndarray | None = None, gloss: float = 0.1
    ) -> None:
        """Add a box with half sizes along its own axes (columns of `turn`)."""
        self._add(BOX, color, centre, np.eye(3) if turn is None else turn, half, gloss)

    def shape(self, kind: str, size: Vector, place: np.ndarray, turn: np.ndarray, color: Vector) -> None:
        """Add a shape of a model at a place; a plane as a thin plate."""
        if kind == "sphere":
            self.sphere(place, size[0], color)
        elif kind == "capsule":
            self.capsule(place - size[1] * turn[:, 2], place + size[1] * turn[:, 2], size[0], color)
        elif kind in ("cylinder", "cone"):
            profile = ((size[0], -size[1]), (size[0] if kind == "cylinder" else 0.0, size[1]))
            self.surface(turned_profile(profile).painted(as_bytes(color)).at(np.asarray(place), turn))
        elif kind == "box":
            self.box(place, size, color, turn)
        elif kind == "ellipsoid":
            self._add(ELLIPSOID, color, place, turn, size, 0.25)
        elif kind == "plane":
            self.box(place - 0.01 * turn[:, 2], (2.0, 2.0, 0.01), color, turn)

    def surface(self, surface: Surface) -> None:
        """Add triangles."""
        if len(surface.triangles):
            self.surfaces.append(surface)

    @property
    def rows(self) -> np.ndarray:
        """All solids, a row each."""
        return np.array([flat(solid) for solid in self.solids]).reshape(-1, Solid.layout.words)

    def outline(self) -> tuple[np.ndarray, np.ndarray]:
        """Spheres (centres (n, 3), radii (n,)) whose convex hull holds all solids exactly: a capsule's two ends, a
        box's eight corners with radius 0; and surfaces, large ones nearly."""
        centres, radii = [np.zeros((0, 3))], [np.zeros(0)]
        for solid in self.solids:
            size, turn = np.array(solid.size), np.reshape(solid.turn, (3, 3))
            if solid.kind in (BOX, ELLIPSOID):
                offsets, radius = SIGNS * size @ turn.T, 0.0
            elif solid.kind == CAPSULE:
                offsets, radius = np.outer((-size[1], size[1]), turn[:, 2]), size[0]
            else:
                offsets, radius = np.zeros((1, 3)), size[0]
            centres.append(solid.centre + offsets)
            radii.append(np.full(len(offsets), radius))
        for surface in self.surfaces:
            centres.append(surface.outermost())
            radii.append(np.zeros(len(centres[-1])))
        return np.concatenate(centres), np.concatenate(radii)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest corner of the box around all that is to be drawn."""
        solids = replace(self, surfaces=[])
        centres, radii = solids.outline()
        lows, highs = [(centres - radii[:, None])], [(centres + radii[:, None])]
        for surface in self.surfaces:
            low, high = surface.bounds()
            lows.append(low[None])
            highs.append(high[None])
        low, high = np.concatenate(lows), np.concatenate(highs)
        return (low.min(axis=0), high.max(axis=0)) if len(low) else (np.zeros(3), np.zeros(3))

    def spheres(self) -> tuple[np.ndarray, np.ndarray]:
        """The sphere about each solid's centre that holds it: centres (n, 3) and radii (n)."""
        radii = [np.linalg.norm(s.size) if s.kind in (BOX, ELLIPSOID) else s.size[0] + s.size[1] for s in self.solids]
        return np.reshape([s.centre for s in self.solids], (-1, 3)), np.array(radii, dtype=float)
