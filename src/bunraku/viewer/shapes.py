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
        out += drawn(shape, -1, shape.name)
    return out


def figure_shapes(model: Model, first: int) -> list[dict[str, Any]]:
    """Shapes of one figure whose first body has the number `first`."""
    for left_out in ("collision", "visual"):
        out = []
        for s in model.shapes:
            if s.role != left_out:
                out += drawn(s, first + s.body - 1 if s.body else -1, s.name or s.link)
        if out:
            bare = len({s["body"] for s in out}) < FEW * (model.nb - 1)
            return out + sticks(model, first) if bare else out
    return sticks(model, first)


def drawn(shape: Any, body: int, name: str) -> list[dict[str, Any]]:
    """A shape of a model, or one that stays where it is; none where a mesh cannot be read."""
    if shape.kind != "mesh":
        return [plain_shape(shape.kind, shape.size, body, shape.position, shape.rotation, name, shape.color)]
    hull = None if missing_extra() else hull_of_mesh(shape.mesh, shape.scale, name)[0]
    if hull is None:
        return []
    made = plain_shape("hull", shape.size, body, shape.position, shape.rotation, name, shape.color)
    return [{**made, "points": np.round(hull.vertices + hull.centre, 5).tolist()}]


def plain_shape(
    kind: str,
    size: Sequence[float],
    body: int,
    place: Sequence[float] | np.ndarray,
    turn: Sequence[float] | np.ndarray,
    name: str,
    color: Sequence[float] | None = None,
) -> dict[str, Any]:
    """A shape as the page takes it; turn: a quaternion or a rotation matrix."""
    return {
        "body": body,
        "kind": kind,
        "size": [float(x) for x in size],
        "position": [float(x) for x in place],
        "quaternion": [float(x) for x in quaternion(rotation_matrix(turn))],
        "color": None if color is None else [float(x) for x in color],
        "name": name,
    }


def sticks(model: Model, first: int) -> list[dict[str, Any]]:
    """A ball for every body and a stick from it to each of its children."""
    out = []
    for i in range(1, model.nb):
        parent, place = int(model.ints[i, at.PARENT]), model.reals[i, at.PLACE : at.PLACE + 3]
        length = float(np.linalg.norm(place))
        name = model.body_names[i]
        out.append(plain_shape("sphere", [1.5 * STICK], first + i - 1, np.zeros(3), np.eye(3), name))
        if parent and length > 3 * STICK:
            name, turn = model.body_names[parent], frame_along(place / length)
            out.append(plain_shape("capsule", [STICK, length / 2], first + parent - 1, place / 2, turn, name))
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
