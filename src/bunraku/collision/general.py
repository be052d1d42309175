"""Cylinders and convex hulls against everything (extra `mesh`): distance and normal by coal, the region by clipping.

coal gives the signed distance and its direction n (GJK and EPA). The parts of both shapes that look along n
(bunraku.collision.support) are projected along n and cut against each other, as boxes are in kernels, so that flat
contacts give several points in order. A normal within FLUSH of a face's is replaced by the face's, and a point on a
face by its foot, which takes the iteration's noise out. Against a plane no iteration is needed. The nearest point is
added where the polygon does not hold it. Runs in Python: a few tenths of a millisecond for a pair that is near.

Features: 4 k a corner of a, 4 k + 1 of b, 4 (2^16 e_a + e_b) + 2 two edges that cross, 3 the nearest point.
Checked in tests/collision/test_general.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.collision.clip import CUT, cut
from bunraku.collision.geometry import Contacts, Geometry
from bunraku.collision.hull import missing_extra
from bunraku.collision.shape_layout import BOX, CAPSULE, CYLINDER, FULL, PLANE, SPHERE, Clip, Contact, ContactId
from bunraku.collision.support import Body, Feature, support_feature, support_point
from bunraku.errors import MissingExtra
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Many, handle, put

FLUSH = 1e-8  # 1 - cosine: a tilt of 0.14 mrad
MOST = 16  # contacts a pair
NEAREST = 3
CLOSE = 1e-7  # of the shapes' radius: how well a polygon must show the distance


class GeneralContacts:
    """coal's shapes for one Geometry, and the detection of the pairs that kernels leave out."""

    def __init__(self, geometry: Geometry) -> None:
        if command := missing_extra():
            raise MissingExtra(f"cylinders and meshes in collisions need the extra `mesh`; {command}.")
        import coal

        self.coal: Any = coal
        self.geometry = geometry
        self.used = np.unique(geometry.general_pairs)
        self.shapes = {int(s): self._make(int(s)) for s in self.used if geometry.kinds[int(s)].kind != PLANE}
        self.requests = [
            self.coal.DistanceRequest(),
            self.coal.DistanceRequest(),
        ]  # tight, and coal's own where that fails
        self.requests[0].gjk_tolerance = self.requests[0].epa_tolerance = 1e-9
        self.requests[0].gjk_max_iterations = self.requests[0].epa_max_iterations = 256

    def _make(self, s: int) -> Any:
        coal, kind, size = self.coal, self.geometry.kinds[s].kind, [float(x) for x in self.geometry.forms[s].size]
        if kind == SPHERE:
            return coal.Sphere(size[0])
        if kind == CAPSULE:
            return coal.Capsule(size[0], 2 * size[1])
        if kind == BOX:
            return coal.Box(*(2 * x for x in size))
        if kind == CYLINDER:
            return coal.Cylinder(size[0], 2 * size[1])
        hull = self.geometry.hulls[s]
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        points.extend(list(hull.vertices))
        triangles.extend([coal.Triangle(*map(int, t)) for t in hull.triangles])
        return coal.Convex(points, triangles)

    def _placed(self, poses: np.ndarray, stride: int) -> dict[int, Body]:
        g, bodies = self.geometry, {}
        kind, size = g.kinds.column("kind"), g.forms.column("size")
        place, turn = g.forms.column("place"), g.forms.column("turn")
        for s in self.used.tolist():
            start = int(g.body[s]) * stride
            R, p = poses[start : start + 9].reshape(3, 3), poses[start + 9 : start + 12]
            if not g.body[s]:
                R, p = np.eye(3), np.zeros(3)
            bodies[s] = Body(int(kind[s]), size[s], R @ place[s] + p, R @ turn[s].reshape(3, 3), g.hulls.get(s))
        return bodies

    def _near(self, bodies: dict[int, Body], margin: float) -> np.ndarray:
        """The general pairs whose spheres, or whose sphere and plane, are nearer than the margin."""
        centre = np.full((self.geometry.ns, 3), np.nan)
        centre[self.used] = [bodies[s].centre for s in self.used.tolist()]
        pairs, radius = self.geometry.general_pairs, self.geometry.forms.column("radius")
        with np.errstate(all="ignore"):
            away = centre[pairs[:, 0]] - centre[pairs[:, 1]]
            reach = radius[pairs].sum(axis=1) + margin
            near = np.einsum("ij,ij->i", away, away) < reach * reach
            for k in np.flatnonzero(np.isinf(reach)).tolist():
                a, b = pairs[k].tolist()
                plane, other, side = (b, a, 1.0) if bodies[b].kind == PLANE else (a, b, -1.0)
                near[k] = side * (bodies[plane].rotation[:, 2] @ away[k]) < radius[other] + margin
        return pairs[near]

    def append(self, contacts: Contacts, poses: np.ndarray, stride: int, margin: float, count: int) -> int:
        """Add the contacts of all general pairs behind the first `count` rows; returns the new number."""
        bodies = self._placed(poses, stride)
        patch = int(Many(ContactId, contacts.ids)[count - 1].patch) + 1 if count else 0
        for a, b in self._near(bodies, margin).tolist():
            rows = self._pair(a, b, bodies[a], bodies[b], margin)
            if not rows:
                continue
            while count + len(rows) > len(contacts.ids):
                kept = contacts.ids[:count], contacts.data[:count]
                contacts.grow(FULL)
                contacts.ids[:count], contacts.data[:count] = kept
            for feature, point, n, gap in rows:
                name, contact = Many(ContactId, contacts.ids)[count], Many(Contact, contacts.data)[count]
                name.a, name.b, name.feature, name.patch = a, b, feature, patch
                contact.point, contact.normal, contact.gap = point, n, gap
                count += 1
            patch += 1
        return count

    def _pair(self, a: int, b: int, A: Body, B: Body, margin: float) -> list[tuple[int, np.ndarray, np.ndarray, float]]:
        if A.kind == PLANE:
            rows = self._on_plane(B, A, margin)
            return [(f, x, -n, gap) for f, x, n, gap in rows[::-1]]
        if B.kind == PLANE:
            return self._on_plane(A, B, margin)
        d, n, middle = self._distance(a, b, A, B)
        if not d < margin:
            return []
        upper, lower = support_feature(A, -n), support_feature(B, n)
        for normal in (lower.normal, None if upper.normal is None else -upper.normal):
            if normal is not None and 1.0 - n @ normal < FLUSH:
                n = normal
                upper, lower = support_feature(A, -n), support_feature(B, n)
                if len(upper.points) == 1 or len(lower.points) == 1:  # a point on a face: its foot is known
                    d = float(n @ (upper.points[0] - lower.points[0]))
                    middle = upper.points[0] - 0.5 * d * n if len(upper.points) == 1 else lower.points[0] + 0.5 * d * n
                break
        rows = meeting(upper, lower, n)
        scale = min(self.geometry.forms[a].radius, self.geometry.forms[b].radius)
        if not rows or min(r[3] for r in rows) > d + CLOSE * scale:
            rows.append((NEAREST, middle, n, float(d)))
        return _in_order([r for r in rows if r[3] < margin], n, A.rotation)

    def _distance(self, a: int, b: int, A: Body, B: Body) -> tuple[float, np.ndarray, np.ndarray]:
        """(signed distance, unit normal from b to a, point midway), whatever coal makes of the pair."""
        least = -2.0 * (self.geometry.forms[a].radius + self.geometry.forms[b].radius)
        placed = [self.coal.Transform3s(x.rotation, x.centre) for x in (A, B)]
        for request in self.requests:
            found = self.coal.DistanceResult()
            d = self.coal.distance(self.shapes[a], placed[0], self.shapes[b], placed[1], request, found)
            n = -np.asarray(found.normal)
            middle = 0.5 * (np.asarray(found.getNearestPoint1()) + np.asarray(found.getNearestPoint2()))
            if d > least and abs(n @ n - 1.0) < 1e-6 and np.isfinite(middle.sum()):
                return float(d), n, middle
        w = A.centre - B.centre  # coal found no direction: the shapes overlap deeply
        length = float(np.linalg.norm(w))
        n = w / length if length > 1e-12 else np.array([0.0, 0.0, 1.0])
        x, y = support_point(A, -n), support_point(B, n)
        return float(n @ (x - y)), n, 0.5 * (x + y)

    def _on_plane(self, A: Body, plane: Body, margin: float) -> list[tuple[int, np.ndarray, np.ndarray, float]]:
        n = plane.rotation[:, 2]
        part = support_feature(A, -n)
        rows = []
        for x, k in zip(part.points, part.numbers.tolist()):
            gap = float(n @ (x - plane.centre))
            rows.append((4 * k, x - 0.5 * gap * n, n, gap))
        x = support_point(A, -n)
        gap = float(n @ (x - plane.centre))
        if min(r[3] for r in rows) > gap + CLOSE * max(A.size.max(), A.hull.radius if A.hull else 0.0):
            rows.append((NEAREST, x - 0.5 * gap * n, n, gap))
        return _in_order([r for r in rows if r[3] < margin], n, A.rotation)


def meeting(upper: Feature, lower: Feature, n: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray, float]]:
    """Contacts (feature, point, n, gap) of two parts of surfaces; the lower looks along n, the upper against it."""
    if len(upper.points) == 1 or len(lower.points) == 1:
        return []
    if len(lower.points) == 2:
        if len(upper.points) == 2:
            return _along(upper, lower, n)
        rows = meeting(lower, upper, -n)  # the segment is cut by the polygon
        return [(f ^ 1 if f & 3 in (0, 1) else f, x, n, gap) for f, x, _, gap in rows]
    assert lower.normal is not None
    slant = lower.normal @ n
    if slant < 0.1:
        return []
    ex = lower.points[1] - lower.points[0]
    ex = ex - (ex @ n) * n
    ex /= np.linalg.norm(ex)
    ey = _cross(n, ex)
    origin = lower.points[0]
    flat = np.stack([(lower.points - origin) @ ex, (lower.points - origin) @ ey], axis=1)
    ring = upper.points if len(upper.points) == 2 else upper.points[::-1]  # anticlockwise about n
    numbers = upper.numbers if len(upper.points) == 2 else upper.numbers[::-1]
    gap = (ring - origin) @ lower.normal / slant
    k, m = len(ring), len(flat)
    room = k + m + 4
    clip = put(Clip(), corners=np.zeros((2 * room, 3)), names=np.zeros((2 * room, 2), dtype=np.int64))
    corners, feature, edge = clip.corners.rows, clip.names.column("feature"), clip.names.column("edge")
    corners[:k] = np.stack([(ring - origin) @ ex, (ring - origin) @ ey, gap], axis=1)
    feature[:k] = 4 * numbers
    edge[:k] = np.arange(k) if k > 2 else 0  # a segment there and back: cuts of both ways are one
    size = float(np.abs(flat).max())
    start = clip_once.call(handle(clip), room, k, np.ascontiguousarray(flat), 1e-6 * size)
    count, row = start % room, (start // room) * room
    rows, seen = [], set()
    corners = corners[row : row + count]
    feet = origin + corners[:, :1] * ex + corners[:, 1:2] * ey
    feet = feet - ((feet - origin) @ lower.normal / slant)[:, None] * n  # onto the face of the lower shape
    middle = feet + 0.5 * corners[:, 2:] * n
    for r, f in enumerate(feature[row : row + count].tolist()):
        if f < 0:
            cut_edge, line = (-1 - f) >> 12, (-1 - f) & 4095
            if cut_edge < CUT:
                f = 4 * ((int(numbers[cut_edge]) << 16) + int(lower.numbers[line])) + 2
            else:
                other = cut_edge - CUT
                first = line if (other + 1) % m == line else other
                f = 4 * int(lower.numbers[first]) + 1
        if f not in seen:
            seen.add(f)
            rows.append((f, middle[r], n, float(corners[r, 2])))
    return rows


@entry("h i i DD d")
def clip_once(h, room, count, ring, tol):
    """Cut the polygon at corner 0 by every edge of the convex `ring` (m, 2); returns first corner + corners left."""
    clip = Clip(h)
    at = 0
    m = ring.shape[0]
    for line in range(m):
        nxt = line + 1 if line + 1 < m else 0
        du = ring[nxt, 0] - ring[line, 0]
        dv = ring[nxt, 1] - ring[line, 1]
        length = (du * du + dv * dv) ** 0.5
        if length > 0.0:
            nu = dv / length
            nv = -du / length
            off = nu * ring[line, 0] + nv * ring[line, 1]
            count = cut(clip, at, room - at, room, count, (nu, nv, off, line), tol)
            at = room - at
    return at + count


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def _along(upper: Feature, lower: Feature, n: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray, float]]:
    """Two segments: the ends of their overlap where they are parallel, seen along n; nothing where they cross."""
    u, w = upper.points[1] - upper.points[0], lower.points[1] - lower.points[0]
    u, w = u - (u @ n) * n, w - (w @ n) * n
    lu, lw = np.linalg.norm(u), np.linalg.norm(w)
    if lu < 1e-9 or lw < 1e-9 or abs(u @ w) < 0.9999 * lu * lw:
        return []
    ends = np.sort((lower.points - upper.points[0]) @ u / (lu * lu))
    rows = []
    for end, t in enumerate((max(0.0, ends[0]), min(1.0, ends[1]))):
        x = upper.points[0] + t * (upper.points[1] - upper.points[0])
        s = min(max(float((x - lower.points[0]) @ w) / (lw * lw), 0.0), 1.0)
        y = lower.points[0] + s * (lower.points[1] - lower.points[0])
        rows.append((4 * end, 0.5 * (x + y), n, float(n @ (x - y))))
    return rows if ends[1] > 0.0 and ends[0] < 1.0 else []


def _in_order(rows: list, n: np.ndarray, rotation: np.ndarray) -> list:
    """At most MOST rows, anticlockwise about n: of more, the farthest along directions of a shape, and the deepest."""
    if len(rows) < 3:
        return rows
    x = np.array([r[1] for r in rows])
    x = x - x.mean(axis=0)
    ex = rotation[:, int(np.argmin(np.abs(n @ rotation)))]
    ex = ex - (ex @ n) * n
    ex = ex / np.linalg.norm(ex)
    u, v = x @ ex, x @ _cross(n, ex)
    order = np.argsort(np.arctan2(v, u), kind="stable").tolist()
    if len(rows) > MOST:
        angle = 2 * np.pi / (MOST - 1) * np.arange(MOST - 1)
        keep = {int(np.argmax(u * np.cos(t) + v * np.sin(t))) for t in angle} | {int(np.argmin([r[3] for r in rows]))}
        order = [k for k in order if k in keep]
    return [rows[k] for k in order]
