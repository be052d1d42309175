"""What of a figure can be drawn by the ray caster: its shapes, a box for every mesh, and sticks where there is little
or nothing else.

The box of a mesh lies along the mesh's own axes, or, where that is clearly smaller, along the principal axes of its
convex hull's corners, and holds them all; meshes are read with the extra `mesh`. Where no shape of a figure can be
drawn, or only few bodies have any, a ball stands for every body and a stick for every bone, as in the browser
(bunraku.viewer.shapes). Checked in tests/draw/test_solids.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from bunraku.collision.hull import hull_of_mesh, missing_extra
from bunraku.model import layout as at
from bunraku.model.model import Model, ShapeInfo
from bunraku.model.rotations import frame_along

STICK = 0.03  # m: radius of a bone that stands for shapes
FEW = 0.25  # of the bodies with shapes: fewer are not all there is to see
ROUND = 1.3  # by which a box along principal axes must be smaller


@lru_cache(maxsize=32)
def solids(model: Model) -> tuple[ShapeInfo, ...]:
    """Shapes of a figure to be drawn: visible ones, else those of its collisions, else sticks."""
    return tuple(shown(model, solid, sticks(model)))


def shown(
    model: Model, drawable: Callable[[ShapeInfo], ShapeInfo | None], bones: Sequence[ShapeInfo]
) -> list[ShapeInfo]:
    """Of the visible shapes of a figure, else those of its collisions, what `drawable` makes of them; with `bones`
    where few bodies have any, these alone where none has."""
    for left_out in ("collision", "visual"):
        found = [drawn for s in model.shapes if s.role != left_out and (drawn := drawable(s)) is not None]
        if found:
            bare = len({s.body for s in found}) < FEW * (model.nb - 1)
            return [*found, *bones] if bare else found
    return list(bones)


def solid(s: ShapeInfo) -> ShapeInfo | None:
    """A shape as it is drawn; None where a mesh cannot be read."""
    if s.kind != "mesh":
        return s
    hull = None if missing_extra() else hull_of_mesh(s.mesh, s.scale, s.name or s.link)[0]
    if hull is None:
        return None
    points = hull.vertices + hull.centre
    principal = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2].T
    principal[:, 2] *= np.sign(np.linalg.det(principal))
    axes = min(
        (np.eye(3), principal),
        key=lambda R: float(np.prod(np.ptp(points @ R, axis=0))) * (ROUND if R is principal else 1.0),
    )
    low, high = (points @ axes).min(axis=0), (points @ axes).max(axis=0)
    middle, half = axes @ (0.5 * (low + high)), 0.5 * (high - low)
    return replace(
        s, kind="box", size=tuple(map(float, half)), position=s.position + s.rotation @ middle, rotation=s.rotation @ axes
    )  # fmt: skip


def sticks(model: Model, radius: float = STICK, ball: float = 1.3, least: float = 1.0) -> list[ShapeInfo]:
    """A ball for every body and a stick from it to each of its children; `ball`, and the `least` length of a stick, in
    radii of a stick [m]."""
    out = []
    for i in range(1, model.nb):
        parent, place = int(model.ints[i, at.PARENT]), model.reals[i, at.PLACE : at.PLACE + 3].copy()
        out.append(plain("sphere", (ball * radius,), i, np.zeros(3), np.eye(3), model.body_names[i]))
        length = float(np.linalg.norm(place))
        if parent and length > least * radius:
            turn = frame_along(place / length)
            out.append(plain("capsule", (radius, length / 2), parent, place / 2, turn, model.body_names[parent]))
    return out


def plain(kind: str, size: tuple[float, ...], body: int, place: np.ndarray, turn: np.ndarray, link: str) -> ShapeInfo:
    """A shape of no colour of its own."""
    return ShapeInfo(kind, size, body, place, turn, link, "visual", link, None, None, (1.0, 1.0, 1.0))
