"""Small scenes for the tests of collision: shapes at given poses, and the same shapes in coal."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bunraku.collision.geometry import Contacts, Geometry, Placed
from bunraku.model import Description, Model, Shape, free

KINDS = ("sphere", "capsule", "box")
CONVEX = ("sphere", "capsule", "box", "cylinder")


def thing(shape: Shape, name: str = "thing") -> Model:
    """One free body with one shape at its origin."""
    figure = Description(name=name)
    figure.add(name, None, free("root"), mass=1.0, moments=(1.0, 1.0, 1.0), shapes=[shape])
    return figure.build()


def scene(*shapes: Shape, **options) -> Contacts:
    """Each shape on its own free body: body k + 1 for shape k."""
    return Contacts(Geometry.of([Placed(thing(s), k) for k, s in enumerate(shapes)], **options))


def poses(*placed) -> np.ndarray:
    """(bodies, 12) from (position) or (position, rotation) of each body; the world comes first."""
    rows = [np.r_[np.eye(3).ravel(), np.zeros(3)]]
    for item in placed:
        position, rotation = item if len(item) == 2 else (item, np.eye(3))
        rows.append(np.r_[np.asarray(rotation, dtype=float).ravel(), np.asarray(position, dtype=float)])
    return np.array(rows)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Uniform over all rotations, from a random quaternion."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turn(axis: int, angle: float) -> np.ndarray:
    """Rotation about a world axis [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    r = np.eye(3)
    r[j, j], r[j, k], r[k, j], r[k, k] = c, -s, s, c
    return r


def random_shape(rng: np.random.Generator, kind: str) -> Shape:
    """Sizes between 0.05 and 0.5 m."""
    return Shape(kind, tuple(rng.uniform(0.05, 0.5, {"sphere": 1, "box": 3, "ellipsoid": 3}.get(kind, 2))))


def contacts_of(contacts: Contacts, where: np.ndarray, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """(ids, data) of the contacts found."""
    n = contacts.detect(where, margin)
    return contacts.ids[:n].copy(), contacts.data[:n].copy()


def mesh_shape(points: np.ndarray, path: Path) -> Shape:
    """The hull of points as a mesh file (OBJ, every digit), as a shape."""
    from scipy.spatial import ConvexHull

    lines = ["v " + " ".join(map(repr, map(float, p))) for p in points]
    lines += ["f " + " ".join(str(int(k) + 1) for k in t) for t in ConvexHull(points).simplices]
    path.write_text("\n".join(lines) + "\n")
    return Shape("mesh", mesh=str(path))


def coal_shape(coal, shape: Shape, vertices: np.ndarray | None = None):
    """The same shape for coal; vertices: of a hull."""
    size = shape.size
    if shape.kind == "sphere":
        return coal.Sphere(size[0])
    if shape.kind == "box":
        return coal.Box(*(2 * s for s in size))
    if shape.kind == "ellipsoid":
        return coal.Ellipsoid(*size)
    if shape.kind == "mesh":
        from scipy.spatial import ConvexHull

        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        points.extend(list(vertices))
        triangles.extend([coal.Triangle(*map(int, t)) for t in ConvexHull(vertices).simplices])
        return coal.Convex(points, triangles)
    make = {"capsule": coal.Capsule, "cylinder": coal.Cylinder, "cone": coal.Cone}[shape.kind]
    return make(size[0], 2 * size[1])


def coal_distance(coal, shapes, where: np.ndarray, tolerance: float = 1e-10) -> tuple[float, np.ndarray]:
    """(signed distance, unit normal from the second to the first) by coal; shapes: ours, or coal's own."""
    request = coal.DistanceRequest()
    request.gjk_tolerance = tolerance
    request.epa_tolerance = tolerance
    request.gjk_max_iterations = 1000
    request.epa_max_iterations = 1000
    result = coal.DistanceResult()
    placed = [coal.Transform3s(p[:9].reshape(3, 3), p[9:12]) for p in where[1:3]]
    one, two = (coal_shape(coal, s) if isinstance(s, Shape) else s for s in shapes)
    d = coal.distance(one, placed[0], two, placed[1], request, result)
    return d, -np.asarray(result.normal)
