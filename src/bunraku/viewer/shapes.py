"""What the page draws: bodies and shapes of figures and of what stands still, as plain data for JSON.

Body i of the list is body i + 1 of the world's combined model (its body 0 is the world: index -1 here). Of a figure its
visible shapes are drawn, else those of its collisions; where neither can be drawn (meshes that cannot be read), or few
bodies have shapes, a stick stands for every bone. A mesh becomes its convex hull. Sizes are those of
bunraku.model.Shape: half sizes. Checked in tests/viewer/test_messages.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.collision.hull import hull_of_mesh, missing_extra
from bunraku.draw.solids import shown, sticks
from bunraku.model.description import Shape
from bunraku.model.model import Model, ShapeInfo
from bunraku.model.rotations import quaternion, rotation_matrix

Figures = Sequence[tuple[str, Model]]
STICK = 0.02  # m: radius of a bone that stands for shapes


def bodies_of(figures: Figures) -> list[dict[str, str]]:
    """Name and figure of every body."""
    return [{"name": f"{name}.{b}", "figure": name} for name, model in figures for b in model.body_names[1:]]


def shapes_of(figures: Figures, fixed: Sequence[Shape] = ()) -> list[dict[str, Any]]:
    """Every shape to be drawn; see the module text."""
    out, first = [], -1
    for _, model in figures:
        for s in drawn_shapes(model):
            out.append(plain_shape(s, first + s.body if s.body else -1, s.name or s.link))
        first += model.nb - 1
    return out + [plain_shape(shape, -1, shape.name) for shape in fixed if readable(shape) is not None]


def drawn_shapes(model: Model) -> list[ShapeInfo]:
    """The shapes of a figure that are drawn."""
    return shown(model, readable, sticks(model, STICK, 1.5, 3.0))


def hull_of(shape: Any) -> Any:
    """The convex hull of a mesh; None where it cannot be read."""
    return None if missing_extra() else hull_of_mesh(shape.mesh, shape.scale, shape.name)[0]


def readable(shape: Any) -> Any:
    """A shape that can be drawn, else None."""
    return shape if shape.kind != "mesh" or hull_of(shape) is not None else None


def plain_shape(shape: Any, body: int, name: str) -> dict[str, Any]:
    """A shape of a model, or one that stays where it is, as the page takes it; a mesh as its hull."""
    out = {
        "body": body,
        "kind": "hull" if shape.kind == "mesh" else shape.kind,
        "size": [float(x) for x in shape.size],
        "position": [float(x) for x in shape.position],
        "quaternion": [float(x) for x in quaternion(rotation_matrix(shape.rotation))],
        "color": None if shape.color is None else [float(x) for x in shape.color],
        "name": name,
    }
    if shape.kind == "mesh":
        hull = hull_of(shape)
        out["points"] = np.round(hull.vertices + hull.centre, 5).tolist()
    return out
