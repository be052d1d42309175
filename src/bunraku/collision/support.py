"""The part of a general shape that looks along a direction: polygon, segment or point, with numbers for its corners.

Used by bunraku.collision.general, outside kernels. A flat face counts while it leans less than LEAN from the
direction; a cylinder shows its end as RIM points fixed to it, or a line along its side. Numbers: box corners as in
bunraku.collision.clip, hull vertices by index, rim points 0 … RIM - 1 (+ RIM at the upper end), ends of segments 0
and 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.collision.hull import Hull
from bunraku.collision.shape_layout import BOX, CAPSULE, CYLINDER, HULL, SPHERE

LEAN = 0.7  # least cosine between a direction and the normal of a face that looks along it
RIM = 8


@dataclass(frozen=True)
class Body:
    """A shape placed in the world: kind, sizes, centre, rotation world <- shape, and its hull if it is one."""

    kind: int
    size: np.ndarray
    centre: np.ndarray
    rotation: np.ndarray
    hull: Hull | None = None


@dataclass(frozen=True)
class Feature:
    """points (k, 3) in the world, with numbers (k,); for k > 2 anticlockwise about the outward `normal`."""

    points: np.ndarray
    numbers: np.ndarray
    normal: np.ndarray | None = None


def support_point(body: Body, direction: np.ndarray) -> np.ndarray:
    """The point of the shape farthest along a unit vector."""
    m = body.rotation.T @ direction
    if body.kind == SPHERE:
        x = body.size[0] * m
    elif body.kind == CAPSULE:
        x = body.size[0] * m + np.array([0.0, 0.0, np.copysign(body.size[1], m[2])])
    elif body.kind == BOX:
        x = np.copysign(body.size, m)
    elif body.kind == CYLINDER:
        flat = np.hypot(m[0], m[1])
        rim = m[:2] * (body.size[0] / flat) if flat > 1e-12 else np.zeros(2)
        x = np.array([rim[0], rim[1], np.copysign(body.size[1], m[2])])
    else:
        assert body.hull is not None
        x = body.hull.vertices[int(np.argmax(body.hull.vertices @ m))]
    return body.centre + body.rotation @ x


def support_feature(body: Body, direction: np.ndarray) -> Feature:
    """What of the shape looks along a unit vector."""
    m = body.rotation.T @ direction
    if body.kind == BOX:
        i = int(np.argmax(np.abs(m)))
        return _face(body, *_box_face(body.size, i, float(np.copysign(1.0, m[i]))))
    if body.kind == HULL and body.hull is not None:
        f = int(np.argmax(body.hull.normals @ m))
        if body.hull.normals[f] @ m > LEAN:
            ring = body.hull.faces[f]
            return _face(body, body.hull.vertices[ring], ring, body.hull.normals[f])
    elif body.kind == CYLINDER and abs(m[2]) > LEAN:
        s = np.copysign(1.0, m[2])
        angle = s * 2 * np.pi / RIM * np.arange(RIM)
        r, h = body.size[:2]
        ring = np.stack([r * np.cos(angle), r * np.sin(angle), np.full(RIM, s * h)], axis=1)
        number = (-np.arange(RIM)) % RIM if s < 0 else np.arange(RIM) + RIM
        return _face(body, ring, number, np.array([0.0, 0.0, s]))
    elif body.kind in (CAPSULE, CYLINDER):
        out = direction if body.kind == CAPSULE else direction - (direction @ body.rotation[:, 2]) * body.rotation[:, 2]
        middle = body.centre + body.size[0] * out / np.linalg.norm(out)
        axis = body.size[1] * body.rotation[:, 2]
        return Feature(np.stack([middle - axis, middle + axis]), np.arange(2))
    return Feature(support_point(body, direction)[None], np.zeros(1, dtype=np.int64))


def _face(body: Body, points: np.ndarray, numbers: np.ndarray, normal: np.ndarray) -> Feature:
    return Feature(body.centre + points @ body.rotation.T, np.asarray(numbers), body.rotation @ normal)


def _box_face(h: np.ndarray, i: int, s: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    j, k = (i + 1) % 3, (i + 2) % 3
    ring = np.empty((4, 3))
    ring[:, i] = s * h[i]
    ring[:, j] = h[j] * np.array([1, -1, -1, 1])
    ring[:, k] = h[k] * np.array([1, 1, -1, -1])
    if s < 0:
        ring = ring[::-1]
    return ring, (ring > 0) @ np.array([1, 2, 4]), s * np.eye(3)[i]
