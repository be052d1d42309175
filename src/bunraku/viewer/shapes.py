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
from bunraku.model import layout as at
from bunraku.model.description import Shape
from bunraku.model.model import Model
from bunraku.model.rotations import frame_along, quaternion, rotation_matrix

Figures = Sequence[tuple[str, Model]]
STICK = 0.02  # m: radius of a bone that stands for shapes
FEW = 0.25  # of the bodies with shapes: fewer are not all there is to see


def bodies_of(figures: Figures) -> list[dict[str, str]]:
    """Name and figure of every body."""
    return [{"name": f"{name}.{b}", "figure": name} for name, model in figures for b in model.body_names[1:]]


def shapes_of(figures: Figures, fixed: Sequence[Shape] = ()) -> list[dict[str, Any]]:
    """Every shape to be drawn; see the module text."""
    out, first = [], 0
    for _, model in figures:
        out += figure_shapes(model, first)
        first += model.nb - 1
    for shape in fixed:
        place, turn = np.asarray(shape.position, dtype=float), rotation_matrix(shape.rotation)
        out += drawn(shape.kind, shape.size, -1, place, turn, shape.color, shape.name, shape.mesh, shape.scale)
    return out


def figure_shapes(model: Model, first: int) -> list[dict[str, Any]]:
    """Shapes of one figure whose first body has the number `first`."""
    for left_out in ("collision", "visual"):
        out = []
        for s in model.shapes:
            if s.role != left_out:
                body = first + s.body - 1 if s.body else -1
                name = s.name or s.link
                out += drawn(s.kind, s.size, body, s.position, s.rotation, s.color, name, s.mesh, s.scale)
        if out:
            bare = len({s["body"] for s in out}) < FEW * (model.nb - 1)
            return out + sticks(model, first) if bare else out
    return sticks(model, first)


def drawn(
    kind: str,
    size: Sequence[float],
    body: int,
    place: np.ndarray,
    turn: np.ndarray,
    color: Sequence[float] | None,
    name: str,
    mesh: str | None,
    scale: Sequence[float],
) -> list[dict[str, Any]]:
    """One shape, or none where a mesh cannot be read."""
    points: list[list[float]] = []
    if kind == "mesh":
        hull = None if missing_extra() else hull_of_mesh(mesh, scale, name)[0]
        if hull is None:
            return []
        kind, points = "hull", np.round(hull.vertices + hull.centre, 5).tolist()
    shape = {
        "body": body,
        "kind": kind,
        "size": [float(x) for x in size],
        "position": [float(x) for x in place],
        "quaternion": [float(x) for x in quaternion(np.asarray(turn, dtype=float))],
        "color": None if color is None else [float(x) for x in color],
        "name": name,
    }
    return [{**shape, "points": points} if points else shape]


def sticks(model: Model, first: int) -> list[dict[str, Any]]:
    """A ball for every body and a stick from it to each of its children."""
    out = []
    for i in range(1, model.nb):
        parent, place = int(model.ints[i, at.PARENT]), model.reals[i, at.PLACE : at.PLACE + 3]
        length = float(np.linalg.norm(place))
        out += drawn(
            "sphere", [1.5 * STICK], first + i - 1, np.zeros(3), np.eye(3), None, model.body_names[i], None, ()
        )
        if parent and length > 3 * STICK:
            name, turn = model.body_names[parent], frame_along(place / length)
            out += drawn("capsule", [STICK, length / 2], first + parent - 1, place / 2, turn, None, name, None, ())
    return out


def lowest(shapes: Sequence[dict[str, Any]], position: np.ndarray, rotation: np.ndarray) -> float | None:
    """Height [m] of the lowest point of the shapes that move, for poses of the bodies; None without shapes."""
    found = []
    for s in shapes:
        if s["body"] < 0 or s["kind"] == "plane":
            continue
        R = rotation[s["body"]] @ rotation_matrix(s["quaternion"])
        z = position[s["body"]][2] + (rotation[s["body"]] @ np.asarray(s["position"]))[2]
        down, size = R[2], s["size"]
        if s["kind"] == "hull":
            found.append(z + float((np.asarray(s["points"]) @ down).min()))
        elif s["kind"] == "box":
            found.append(z - float(np.abs(down) @ size))
        elif s["kind"] == "cylinder":
            found.append(z - abs(down[2]) * size[1] - float(np.hypot(down[0], down[1])) * size[0])
        else:  # sphere, capsule
            found.append(z - size[0] - (abs(down[2]) * size[1] if s["kind"] == "capsule" else 0.0))
    return min(found, default=None)
