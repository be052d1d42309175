"""The sole of a foot: the rectangle under its collision shapes, or one that a mapping states.

Points of the shapes (corners of boxes, lowest points of spheres and capsules, rims of cylinders, vertices of a mesh's
hull) within LEVEL of the lowest are the sole; the rectangle spans them along x, and is as wide as the narrower of heel
and toe. The model is seen in its described pose, upright and facing +x; the sole's axes are the world's there, so they
may be turned against the body's. Checked in tests/humanoid/test_parts.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bunraku.dynamics.functions import Kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import SIDES, Foot
from bunraku.model.model import Model, ShapeInfo

LEVEL = 0.004  # m


def foot_on(model: Model, link: str, side: int, k: Kinematics, known: Mapping[str, Any]) -> Foot:
    """A link as a foot, with the sole of the body that carries it; see the module text. k: the described pose; known:
    what a mapping states."""
    info = model.frame(link)
    R, p = k.rotation[info.body], k.position[info.body]
    stated = known.get("feet", {}).get("sole")
    if stated:
        mirror = 1.0 if side == 0 else -1.0
        offset = np.array([stated.get("ahead", 0.0), mirror * stated.get("left", 0.0), -stated.get("below", 0.0)])
        middle = p + R @ info.position + offset
        return Foot(side, link, info.body, R.T @ (middle - p), R.T.copy(), np.array(stated["half"], dtype=float))
    shapes = [s for s in model.shapes if s.body == info.body and s.role != "visual"]
    points = [x for s in shapes for x in shape_points(s, R)]
    if not points:
        raise InputError(
            f"humanoid: {model.name!r} has no sole on its {SIDES[side]} foot {link!r}: no collision shape is there; "
            "state it in a mapping: [feet] sole = { below = …, ahead = …, half = [length / 2, width / 2] }."
        )
    x = p + np.array(points) @ R.T
    flat = x[x[:, 2] < x[:, 2].min() + LEVEL]
    heel, toe = flat[:, 0].min(), flat[:, 0].max()
    ends = [flat[flat[:, 0] < heel + 0.3 * (toe - heel) + 1e-9], flat[flat[:, 0] > toe - 0.3 * (toe - heel) - 1e-9]]
    low, high = max(e[:, 1].min() for e in ends), min(e[:, 1].max() for e in ends)
    half = 0.5 * np.array([toe - heel, high - low])
    if half.min() < 0.005:
        raise InputError(
            f"humanoid: the sole of {link!r} is {2e3 * half[0]:.0f} mm long and {2e3 * half[1]:.0f} mm wide; "
            "a figure cannot stand on that, state a sole in a mapping."
        )
    middle = np.array([0.5 * (heel + toe), 0.5 * (low + high), flat[:, 2].min()])
    return Foot(side, link, info.body, R.T @ (middle - p), R.T.copy(), half)


def shape_points(s: ShapeInfo, R: np.ndarray) -> list[np.ndarray]:
    """Points of a shape that may be lowest, in its body's frame; R: world <- body."""
    down = R.T @ np.array([0.0, 0.0, -1.0])
    if s.kind == "sphere":
        return [s.position + s.size[0] * down]
    if s.kind == "capsule":
        axis = s.rotation[:, 2] * s.size[1]
        return [s.position + sign * axis + s.size[0] * down for sign in (-1, 1)]
    if s.kind == "box":
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        return list(s.position + (signs * np.array(s.size)) @ s.rotation.T)
    if s.kind in ("cylinder", "cone"):
        angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        rim = np.column_stack([s.size[0] * np.cos(angle), s.size[0] * np.sin(angle), np.zeros(24)])
        ends = (-s.size[1], s.size[1]) if s.kind == "cylinder" else (-s.size[1],)
        return [x for z in ends for x in s.position + (rim + np.array([0.0, 0.0, z])) @ s.rotation.T]
    if s.kind == "ellipsoid":
        m = s.rotation.T @ down * np.array(s.size)
        return [s.position + s.rotation @ (m / np.linalg.norm(m) * np.array(s.size))]
    if s.kind == "mesh":
        from bunraku.collision.mesh_hulls import hull_of_mesh

        hull, _ = hull_of_mesh(s.mesh, s.scale, s.link)
        if hull is not None:
            return list(s.position + (hull.vertices + hull.centre) @ s.rotation.T)
    return []
