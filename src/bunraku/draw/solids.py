"""What of a figure is drawn: its visible shapes, meshes as they are, and sticks where there is little or nothing else.

Where no shape of a figure can be drawn, or only few bodies have any, a ball stands for every body and a stick for every
bone, in pictures as in the browser (bunraku.viewer.shapes). A shape that is wholly transparent is not seen. Meshes are
read by bunraku.draw.visual_mesh; those that cannot be read are named once. Checked in tests/draw/test_solids.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from bunraku.draw.triangles import Surface
from bunraku.draw.visual_mesh import VisualMesh, relief_mesh, say_once, visual_mesh
from bunraku.model import layout as at
from bunraku.model.model import Model, ShapeInfo
from bunraku.model.rotations import frame_along

MESHES = ("mesh", "terrain")  # kinds of shapes that are drawn as triangles
STICK = 0.03  # m: radius of a bone that stands for shapes
FEW = 0.25  # of the bodies with shapes: fewer are not all there is to see


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


def solid(s: Any) -> Any:
    """A shape that can be seen; None where it is transparent or its mesh cannot be read."""
    if s.color is not None and len(s.color) > 3 and s.color[3] <= 0.0:
        return None
    return s if s.kind not in MESHES or mesh_of(s) is not None else None


def mesh_of(s: Any) -> VisualMesh | None:
    """The mesh of a shape, or of a terrain; None where it cannot be read, which is said once."""
    if s.relief is not None:
        return relief_mesh(s.relief)
    mesh, note = visual_mesh(s.mesh, s.scale, s.name or getattr(s, "link", ""))
    say_once([note])
    return mesh


def mesh_parts(s: Any, color: Sequence[float]) -> list[Surface]:
    """The surfaces of a mesh in its own axes, painted; color: where neither file nor description has one."""
    mesh = mesh_of(s)
    if mesh is None:
        return []
    own = s.color is not None or mesh.colored
    return mesh.painted(s.color if own else color)


def touching_only(model: Model) -> list[ShapeInfo]:
    """The collision shapes of a figure that shows others: what the layer "shapes" adds."""
    seen = {id(s) for s in solids(model)}
    if not any(s.role != "collision" and id(s) in seen for s in model.shapes):
        return []
    return [s for s in model.shapes if s.role == "collision"]


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
