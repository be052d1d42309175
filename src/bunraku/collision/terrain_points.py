"""Points that a shape has on a terrain, gathered before they become contacts (bunraku.collision.terrain_contacts).

Features: 4 k corner k of the shape, 4 v + 1 vertex v of the ground, 4 (2^12 e + k) + 2 edge e of the ground and what of
the shape meets it (k), 3 the lowest point. A point is the same as one that is there where both have one feature and
one normal, or lie at one place with nearly one normal; it is then left out.
"""

from __future__ import annotations

from bunraku.collision.shape_layout import Detection
from bunraku.collision.terrain_layout import TERRAIN_ROOM
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, dot, mv, sub

LOWEST = 3
EDGE_BITS = 12  # of what of a shape meets an edge
SAME = 1e-12  # 1 - cosine of normals that are one
ALIKE = 1e-6  # of normals at one place that are as good as one
CLOSE = 1e-3  # of the shape's size: what is one place


@inline
def own_feature(number):
    """Of a corner of the shape."""
    return 4 * number


@inline
def corner_of(tri, k):
    """Where corner k of a triangle is, in the axes of the terrain; k: also 3, the first again."""
    return tri.place_1 if k == 1 else (tri.place_2 if k == 2 else tri.place_0)


@inline
def seen_from(to, x):
    """A place of the terrain in the axes of the shape; to: (rotation, place) of the terrain in these."""
    return add(mv(to[0], x), to[1])


@inline
def place_of(d: Detection, to, vertex):
    """A vertex of the ground in the axes of the shape."""
    return seen_from(to, d.terrains.vertices[vertex].place)


@part
def add_point(d: Detection, count, place, n, gap, feature):
    """One more point, unless it is there; returns their number. Where there is no room, the one farthest from touching
    gives way."""
    points = d.terrains.points
    near = CLOSE * d.forms[d.terrains.ask.a].radius
    for k in range(count):
        c = dot(points[k].normal, n)
        if c > 1.0 - ALIKE:
            w = sub(points[k].place, place)
            if (points[k].feature == feature and c > 1.0 - SAME) or (
                dot(w, w) < near * near and points[k].feature & 3 != 0 and feature & 3 != 0
            ):
                if gap < points[k].gap:
                    put_point(points[k], place, n, gap, points[k].feature)
                return count
    if count < TERRAIN_ROOM:
        put_point(points[count], place, n, gap, feature)
        return count + 1
    worst = 0
    for k in range(count):
        if points[k].gap > points[worst].gap:
            worst = k
    if gap < points[worst].gap:
        put_point(points[worst], place, n, gap, feature)
    return count


@inline
def put_point(point, place, n, gap, feature):
    """Write a point."""
    point.place = place
    point.normal = n
    point.gap = gap
    point.feature = feature
    point.patch = -1
