"""Contact regions in kernels: point, line or surface, frame, hull tests, mean distance.

A region is a frame and n corners (x, y) in it: z along the normal, x along the line if it is one; origin in the middle
of the corners; anticlockwise. n = 1, 2 or more is also the state.

Mean distance d from a point p: over a line, (1/L) int |s - p| ds; over a polygon, the sum over edges of the
integral of r over the triangle (p, edge), with h the distance of p from the edge's line, t the place along it, r =
sqrt(h^2 + t^2):
    int r dA = 1/6 [h t r + h^3 asinh(t / h)] between the ends,   int r dt = 1/2 [t r + h^2 asinh(t / h)].
Closed forms: disc 2R/3, line L/4. Cost: a few tens of ns a region. Checked in tests/collision/test_regions.py.
"""

from __future__ import annotations

import math

from bunraku.collision.shape_layout import Contact
from bunraku.collision.surface import clamp, perpendicular
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Record, int_vector, many, mat3, pair, real, ref, vec3
from bunraku.kernel.vec import add, cross, dot, scale, sub

INSIDE, ON_EDGE, ON_VERTEX = range(3)


class RegionFrame(Record):
    """The frame of a region."""

    rotation = mat3()  # world <- region
    origin = vec3()  # m


class RegionCorner(Record):
    """A corner in the region's frame."""

    x = real()  # m
    y = real()


class RegionMeasure(Record):
    """What is measured from a point of the plane, and the region's size."""

    where = real()  # INSIDE, ON_EDGE or ON_VERTEX
    distance = real()  # m: to the rim, negative inside
    nearest = pair()
    corner = real()  # number of the corner, or of the edge's first one
    mean_distance = real()  # m
    size = real()  # m^2 of a surface, m of a line
    centroid = pair()


class RegionArrays(Record):
    """A region, and the contacts that it is made of."""

    contacts = many(Contact)
    frame = ref(RegionFrame)
    corners = many(RegionCorner)
    rows = int_vector()  # the contact of each corner
    measure = ref(RegionMeasure)


@inline
def region_of(t: RegionArrays, first, count, tol):
    """Number of corners of the region of contacts first … first + count - 1 (at least one), which are one patch.

    Points closer than `tol` [m] are one; points within `tol` of a straight line are a line. Fills frame, corners and
    rows."""
    contacts = t.contacts
    rows = t.rows
    n = contacts[first].normal
    kept = 0
    far = 0.0
    p = first
    q = first
    for i in range(first, first + count):
        x = contacts[i].point
        new = True
        for k in range(kept):
            y = contacts[rows[k]].point
            w = sub(x, y)
            w = sub(w, scale(dot(n, w), n))
            d = dot(w, w)
            if d <= tol * tol:
                new = False
            elif d > far:
                far = d
                p = rows[k]
                q = i
        if new:
            rows[kept] = i
            kept += 1
    ex = perpendicular(n)
    if kept > 1:
        w = sub(contacts[q].point, contacts[p].point)
        w = sub(w, scale(dot(n, w), n))
        along = scale(1.0 / math.sqrt(far), w)
        wide = 0.0
        for k in range(kept):
            wide = max(wide, abs(dot(cross(n, along), sub(contacts[rows[k]].point, contacts[p].point))))
        if kept == 2 or wide <= tol:
            ex = along
            rows[0] = p
            rows[1] = q
            kept = 2
    ey = cross(n, ex)
    if kept > 2:
        kept = strictly_convex(t, ex, ey, tol, kept)
    origin = (0.0, 0.0, 0.0)
    for k in range(kept):
        origin = add(origin, contacts[rows[k]].point)
    origin = scale(1.0 / kept, origin)
    t.frame.rotation = (ex[0], ey[0], n[0], ex[1], ey[1], n[1], ex[2], ey[2], n[2])
    t.frame.origin = origin
    for k in range(kept):
        w = sub(contacts[rows[k]].point, origin)
        t.corners[k].x = dot(ex, w)
        t.corners[k].y = dot(ey, w)
    return kept


@inline
def strictly_convex(t: RegionArrays, ex, ey, tol, kept):
    """Drop corners within `tol` of the line of their neighbours; returns the number left, >= 3."""
    rows = t.rows
    k = 0
    while k < kept and kept > 3:
        a = t.contacts[rows[k - 1 if k > 0 else kept - 1]].point
        b = t.contacts[rows[k]].point
        c = t.contacts[rows[k + 1 if k + 1 < kept else 0]].point
        u = sub(b, a)
        v = sub(c, a)
        ux = dot(ex, u)
        uy = dot(ey, u)
        vx = dot(ex, v)
        vy = dot(ey, v)
        if ux * vy - uy * vx <= tol * math.sqrt(vx * vx + vy * vy):
            for j in range(k, kept - 1):
                rows[j] = rows[j + 1]
            kept -= 1
            k = 0
        else:
            k += 1
    return kept


@inline
def hull_point(t: RegionArrays, n, x, y, tol):
    """(where, distance, qx, qy, k): the point of the region nearest to (x, y).

    where: INSIDE (then q is the point itself), ON_EDGE (between corners k and k + 1) or ON_VERTEX (corner k).
    distance: to the rim, negative inside; for a line, points within `tol` of it between its ends are inside, and the
    rim is its ends; a point region is all rim."""
    corners = t.corners
    if n == 1:
        px = x - corners[0].x
        py = y - corners[0].y
        return ON_VERTEX, math.sqrt(px * px + py * py), corners[0].x, corners[0].y, 0
    best = math.inf
    qx = x
    qy = y
    near = 0
    where = ON_EDGE
    outside = False
    edges = n if n > 2 else 1
    for k in range(edges):
        ax = corners[k].x
        ay = corners[k].y
        j = k + 1 if k + 1 < n else 0
        bx = corners[j].x - ax
        by = corners[j].y - ay
        px = x - ax
        py = y - ay
        if bx * py - by * px < 0.0:
            outside = True
        length = bx * bx + by * by
        part = clamp((px * bx + py * by) / length, 0.0, 1.0) if length > 0.0 else 0.0
        ux = px - part * bx
        uy = py - part * by
        d = ux * ux + uy * uy
        if d < best:
            best = d
            qx = ax + part * bx
            qy = ay + part * by
            where = ON_VERTEX if part == 0.0 or part == 1.0 else ON_EDGE
            near = j if part == 1.0 else k
    distance = math.sqrt(best)
    if n == 2:
        if where == ON_EDGE and distance <= tol:
            to_ends = min(
                math.hypot(qx - corners[0].x, qy - corners[0].y),
                math.hypot(qx - corners[1].x, qy - corners[1].y),
            )
            return INSIDE, -to_ends, x, y, 0
        return where, distance, qx, qy, near
    if not outside:
        return INSIDE, -distance, x, y, near
    return where, distance, qx, qy, near


@inline
def area_and_centre(t: RegionArrays, n):
    """(area, x, y) of a surface, (length, x, y) of a line, (0, x, y) of a point: size and centroid."""
    corners = t.corners
    x0 = corners[0].x
    y0 = corners[0].y
    if n == 1:
        return 0.0, x0, y0
    if n == 2:
        x1 = corners[1].x
        y1 = corners[1].y
        return math.hypot(x1 - x0, y1 - y0), 0.5 * (x0 + x1), 0.5 * (y0 + y1)
    twice = 0.0
    sx = 0.0
    sy = 0.0
    for k in range(1, n - 1):
        ax = corners[k].x - x0
        ay = corners[k].y - y0
        bx = corners[k + 1].x - x0
        by = corners[k + 1].y - y0
        c = ax * by - ay * bx
        twice += c
        sx += c * (ax + bx)
        sy += c * (ay + by)
    if not twice > 0.0:
        return 0.0, x0, y0
    return 0.5 * twice, x0 + sx / (3.0 * twice), y0 + sy / (3.0 * twice)


@inline
def along_edge(h, t, power):
    """The bracket of the module text at t: power 2 for a line (int r dt), 3 for a triangle (int r dA)."""
    r = math.sqrt(h * h + t * t)
    b = 0.0
    if abs(h) > 1e-12 * abs(t):
        b = math.asinh(t / abs(h))
    if power == 2:
        return 0.5 * (t * r + h * h * b)
    return (h * t * r + h * h * h * b) / 6.0


@inline
def mean_distance(t: RegionArrays, n, x, y):
    """Mean distance [m] of the region's points from (x, y), which may lie anywhere in the plane."""
    corners = t.corners
    if n == 1:
        return math.hypot(x - corners[0].x, y - corners[0].y)
    total = 0.0
    edges = n if n > 2 else 1
    for k in range(edges):
        j = k + 1 if k + 1 < n else 0
        ax = corners[k].x - x
        ay = corners[k].y - y
        ux = corners[j].x - x - ax
        uy = corners[j].y - y - ay
        length = math.sqrt(ux * ux + uy * uy)
        if length > 0.0:
            ux /= length
            uy /= length
            s = ax * ux + ay * uy
            h = ax * uy - ay * ux
            power = 2 if n == 2 else 3
            part = along_edge(h, s + length, power) - along_edge(h, s, power)
            if n == 2:
                return part / length
            total += part
    area = area_and_centre(t, n)[0]
    return total / area if area > 0.0 else 0.0


@entry("h i i d")
def region_once(h, first, count, tol):
    """`region_of` for Python."""
    return region_of(RegionArrays(h), first, count, tol)


@entry("h i d d d")
def measure_once(h, n, x, y, tol):
    """Fill `measure`: `hull_point`, mean distance, size and centroid."""
    t = RegionArrays(h)
    m = t.measure
    where, distance, qx, qy, k = hull_point(t, n, x, y, tol)
    m.where = where
    m.distance = distance
    m.nearest = (qx, qy)
    m.corner = k
    m.mean_distance = mean_distance(t, n, x, y)
    area, cx, cy = area_and_centre(t, n)
    m.size = area
    m.centroid = (cx, cy)
    return 0
