"""What the page draws: bodies and shapes of figures and of what stands still, as plain data for JSON.

Body i of the list is body i + 1 of the world's combined model (its body 0 is the world: index -1 here). Of a figure its
visible shapes are drawn, meshes as they are, a shape for every colour of a mesh; else those of its collisions; where
neither can be drawn, or few bodies have shapes, a stick stands for every bone (bunraku.draw.solids, the same choice as
in pictures). What a figure only touches with has the role "collision": the page shows it in the layer "shapes", meshes
as the convex hulls that collide. Sizes are those of bunraku.model.Shape: half sizes. Shapes for which a skin stands
(bunraku.viewer.skins) are `skinned`. Checked in tests/viewer/test_messages.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.collision.mesh_hulls import hull_of_mesh, missing_extra
from bunraku.draw.skin import skin_of
from bunraku.draw.solids import MESHES, mesh_of, shown, solid, sticks, touching_only
from bunraku.model.description import Shape
from bunraku.model.model import Model, ShapeInfo
from bunraku.model.rotations import quaternion, rotation_matrix
from bunraku.viewer.mesh_messages import Meshes

Figures = Sequence[tuple[str, Model]]
STICK = 0.02  # m: radius of a bone that stands for shapes


def bodies_of(figures: Figures) -> list[dict[str, str]]:
    """Name and figure of every body."""
    return [{"name": f"{name}.{b}", "figure": name} for name, model in figures for b in model.body_names[1:]]


def shapes_of(figures: Figures, fixed: Sequence[Shape] = (), meshes: Meshes | None = None) -> list[dict[str, Any]]:
    """Every shape to be drawn; see the module text. meshes: where their meshes are put."""
    meshes = Meshes() if meshes is None else meshes
    out, first = [], -1
    for _, model in figures:
        skin = skin_of(model)
        for s in drawn_shapes(model):
            plain = seen_shapes(s, first + s.body if s.body else -1, s.name or s.link, meshes)
            covered = skin is not None and skin.covers(s.link)
            out += [one | {"skinned": True} for one in plain] if covered else plain
        for s in touching_only(model):
            if s.kind != "terrain" and (s.kind != "mesh" or hull_of(s) is not None):
                plain = plain_shape(s, first + s.body if s.body else -1, s.name or s.link)
                out.append(plain | {"role": "collision"})
        first += model.nb - 1
    seen = [shape for shape in fixed if shape.role != "collision" and solid(shape) is not None]
    return out + [one for shape in seen for one in seen_shapes(shape, -1, shape.name, meshes)]


def drawn_shapes(model: Model) -> list[ShapeInfo]:
    """The shapes of a figure that are drawn."""
    return shown(model, solid, sticks(model, STICK, 1.5, 3.0))


def hull_of(shape: Any) -> Any:
    """The convex hull of a mesh; None where it cannot be read."""
    return None if missing_extra() else hull_of_mesh(shape.mesh, shape.scale, shape.name)[0]


def seen_shapes(shape: Any, body: int, name: str, meshes: Meshes) -> list[dict[str, Any]]:
    """A shape of a model, or one that stays where it is, as the page takes it; of a mesh one for each of its parts."""
    if shape.kind not in MESHES:
        return [plain_shape(shape, body, name)]
    mesh = mesh_of(shape)
    if mesh is None:
        return []
    out = []
    for k, part in enumerate(mesh.painted(shape.color)):
        own = shape.color is not None or mesh.colored
        painted = part.colors.ndim == 2
        opacity = 1.0 if shape.color is None else float(shape.color[3])
        color = (1.0, 1.0, 1.0) if painted else tuple(float(x) / 255.0 for x in part.colors)
        out.append(
            placed(shape, body, name)
            | {
                "kind": "mesh",
                "size": [],
                "color": [*color, opacity] if own or painted else None,
                "mesh": meshes.number((mesh.key, k), mesh.parts[k]),
            }
        )
    return out


def placed(shape: Any, body: int, name: str) -> dict[str, Any]:
    """Where a shape is, and what it is called."""
    return {
        "body": body,
        "position": [float(x) for x in shape.position],
        "quaternion": [float(x) for x in quaternion(rotation_matrix(shape.rotation))],
        "name": name,
    }


def plain_shape(shape: Any, body: int, name: str) -> dict[str, Any]:
    """A shape without a mesh of its own; a mesh as its hull."""
    out = placed(shape, body, name) | {
        "kind": "hull" if shape.kind == "mesh" else shape.kind,
        "size": [float(x) for x in shape.size],
        "color": None if shape.color is None else [float(x) for x in shape.color],
    }
    if shape.kind == "mesh":
        hull = hull_of(shape)
        out["points"] = np.round(hull.vertices + hull.centre, 5).tolist()
    return out
