"""Judges of convex contact that we did not take from the kernels: coal, and a search over directions.

The signed distance of two convex shapes is the greatest, over unit n, of the least n . (a - b): the search looks at
directions spread over the sphere, then ever closer about the best ones. It needs nothing but farthest points, written
here anew; it can only miss, never exceed, so of two answers the greater is the better."""

from __future__ import annotations

import numpy as np

from bunraku.model import Shape


def spread(count: int) -> np.ndarray:
    """Directions all over the sphere, evenly."""
    k = np.arange(count) + 0.5
    z, angle = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def reach(shape: Shape, vertices: np.ndarray | None, m: np.ndarray) -> np.ndarray:
    """(n,) how far a shape reaches along each direction m (n, 3), in its own axes."""
    h, flat = shape.size, np.hypot(m[:, 0], m[:, 1])
    if shape.kind == "sphere":
        return h[0] * np.linalg.norm(m, axis=1)
    if shape.kind == "capsule":
        return h[0] * np.linalg.norm(m, axis=1) + h[1] * np.abs(m[:, 2])
    if shape.kind == "box":
        return np.abs(m) @ np.asarray(h)
    if shape.kind == "cylinder":
        return h[0] * flat + h[1] * np.abs(m[:, 2])
    if shape.kind == "cone":
        return np.maximum(h[1] * m[:, 2], h[0] * flat - h[1] * m[:, 2])
    if shape.kind == "ellipsoid":
        return np.linalg.norm(m * np.asarray(h), axis=1)
    assert vertices is not None
    return (m @ vertices.T).max(axis=1)


class Search:
    """Signed distance of two placed shapes by looking in all directions."""

    def __init__(self, shapes, hulls, where: np.ndarray) -> None:
        self.shapes, self.hulls = shapes, hulls
        self.R = [p[:9].reshape(3, 3) for p in where[1:3]]
        self.x = [p[9:12] for p in where[1:3]]

    def along(self, n: np.ndarray) -> np.ndarray:
        """The least n . (a - b) for each unit vector n (k, 3): never more than the signed distance."""
        a = reach(self.shapes[0], self.hulls[0], -n @ self.R[0])
        b = reach(self.shapes[1], self.hulls[1], n @ self.R[1])
        return n @ (self.x[0] - self.x[1]) - a - b

    def distance(self, others=(), count: int = 2000) -> tuple[float, np.ndarray]:
        """(signed distance, direction): from directions all over the sphere, and from `others`."""
        start = np.concatenate([spread(count), np.reshape(others, (-1, 3))])
        start = start[np.abs(np.linalg.norm(start, axis=1) - 1) < 1e-9]  # where coal fails, its normal may be nothing
        values = self.along(start)
        best = start[np.argsort(-values)[:4]]
        found = []
        for n in best:
            value, width = float(self.along(n[None])[0]), 0.1
            for _ in range(300):
                if width < 1e-9:
                    break
                near = n + width * CLOUD
                near /= np.linalg.norm(near, axis=1)[:, None]
                there = self.along(near)
                k = int(np.argmax(there))
                if there[k] > value + 1e-13:
                    n, value = near[k], float(there[k])
                else:
                    width *= 0.5
            found.append((value, n))
        return max(found, key=lambda f: f[0])


CLOUD = np.concatenate([spread(48), 0.4 * spread(24)])
