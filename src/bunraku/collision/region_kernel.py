"""Contact regions inside kernels: point, line or surface, frame, hull tests, mean distance (000, section 4.2; N7-N9).

A region is `frame` (12: rotation world <- region by rows, then origin) and `poly`, n corners (x, y) one after another
in that frame: z along the normal, x along the line if it is one; origin in the middle of the corners; anticlockwise.
n = 1, 2 or more is also the state.

Mean distance d from a point p (N9): over a line, (1/L) int |s - p| ds; over a polygon, the sum over edges of the
integral of r over the triangle (p, edge), with h the distance of p from the edge's line, t the place along it, r =
sqrt(h^2 + t^2):
    int r dA = 1/6 [h t r + h^3 asinh(t / h)] between the ends,   int r dt = 1/2 [t r + h^2 asinh(t / h)].
Closed forms: disc 2R/3, line L/4. Cost: a few tens of ns a region. Checked in tests/collision/test_regions.py.
"""

from __future__ import annotations

import math

from bunraku.collision.narrow import row3
from bunraku.collision.shape_layout import NORMAL, POINT
from bunraku.collision.surface import clamp, perpendicular
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import add, cross, dot, scale, st3, sub

INSIDE, ON_EDGE, ON_VERTEX = range(3)


@inline
def region_of(data, first, count, tol, frame, poly, rows):
    """Number of corners of the region of contacts first … first + count - 1 (at least one), which are one patch.

    Points closer than `tol` [m] are one; points within `tol` of a straight line are a line. Fills frame (12), poly (2
    count) and rows (count): the contact of each corner."""
    n = row3(data, first, NORMAL)
    kept = 0
    far = 0.0
    p = first
    q = first
    for i in range(first, first + count):
        x = row3(data, i, POINT)
        new = True
        for k in range(kept):
            y = row3(data, rows[k], POINT)
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
        w = sub(row3(data, q, POINT), row3(data, p, POINT))
        w = sub(w, scale(dot(n, w), n))
        along = scale(1.0 / math.sqrt(far), w)
        wide = 0.0
        for k in range(kept):
            wide = max(wide, abs(dot(cross(n, along), sub(row3(data, rows[k], POINT), row3(data, p, POINT)))))
        if kept == 2 or wide <= tol:
            ex = along
            rows[0] = p
            rows[1] = q
            kept = 2
    ey = cross(n, ex)
    if kept > 2:
        kept = strictly_convex(data, ex, ey, tol, rows, kept)
    origin = (0.0, 0.0, 0.0)
    for k in range(kept):
        origin = add(origin, row3(data, rows[k], POINT))
    origin = scale(1.0 / kept, origin)
    st3(frame, 0, (ex[0], ey[0], n[0]))
    st3(frame, 3, (ex[1], ey[1], n[1]))
    st3(frame, 6, (ex[2], ey[2], n[2]))
    st3(frame, 9, origin)
    for k in range(kept):
        w = sub(row3(data, rows[k], POINT), origin)
        st(poly, 2 * k, dot(ex, w))
        st(poly, 2 * k + 1, dot(ey, w))
    return kept


@inline
def strictly_convex(data, ex, ey, tol, rows, kept):
    """Drop corners within `tol` of the line of their neighbours; returns the number left, >= 3."""
    k = 0
    while k < kept and kept > 3:
        a = row3(data, rows[k - 1 if k > 0 else kept - 1], POINT)
        b = row3(data, rows[k], POINT)
        c = row3(data, rows[k + 1 if k + 1 < kept else 0], POINT)
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
def hull_point(poly, n, x, y, tol):
    """(where, distance, qx, qy, k): the point of the region nearest to (x, y).

    where: INSIDE (then q is the point itself), ON_EDGE (between corners k and k + 1) or ON_VERTEX (corner k).
    distance: to the rim, negative inside; for a line, points within `tol` of it between its ends are inside, and the
    rim is its ends; a point region is all rim."""
    if n == 1:
        px = x - ld(poly, 0)
        py = y - ld(poly, 1)
        return ON_VERTEX, math.sqrt(px * px + py * py), ld(poly, 0), ld(poly, 1), 0
    best = math.inf
    qx = x
    qy = y
    near = 0
    where = ON_EDGE
    outside = False
    edges = n if n > 2 else 1
    for k in range(edges):
        ax = ld(poly, 2 * k)
        ay = ld(poly, 2 * k + 1)
        j = k + 1 if k + 1 < n else 0
        bx = ld(poly, 2 * j) - ax
        by = ld(poly, 2 * j + 1) - ay
        px = x - ax
        py = y - ay
        if bx * py - by * px < 0.0:
            outside = True
        length = bx * bx + by * by
        t = clamp((px * bx + py * by) / length, 0.0, 1.0) if length > 0.0 else 0.0
        ux = px - t * bx
        uy = py - t * by
        d = ux * ux + uy * uy
        if d < best:
            best = d
            qx = ax + t * bx
            qy = ay + t * by
            where = ON_VERTEX if t == 0.0 or t == 1.0 else ON_EDGE
            near = j if t == 1.0 else k
    distance = math.sqrt(best)
    if n == 2:
        if where == ON_EDGE and distance <= tol:
            to_ends = min(
                math.hypot(qx - ld(poly, 0), qy - ld(poly, 1)),
                math.hypot(qx - ld(poly, 2), qy - ld(poly, 3)),
            )
            return INSIDE, -to_ends, x, y, 0
        return where, distance, qx, qy, near
    if not outside:
        return INSIDE, -distance, x, y, near
    return where, distance, qx, qy, near


@inline
def area_and_centre(poly, n):
    """(area, x, y) of a surface, (length, x, y) of a line, (0, x, y) of a point: size and centroid."""
    x0 = ld(poly, 0)
    y0 = ld(poly, 1)
    if n == 1:
        return 0.0, x0, y0
    if n == 2:
        return math.hypot(ld(poly, 2) - x0, ld(poly, 3) - y0), 0.5 * (x0 + ld(poly, 2)), 0.5 * (y0 + ld(poly, 3))
    twice = 0.0
    sx = 0.0
    sy = 0.0
    for k in range(1, n - 1):
        ax = ld(poly, 2 * k) - x0
        ay = ld(poly, 2 * k + 1) - y0
        bx = ld(poly, 2 * k + 2) - x0
        by = ld(poly, 2 * k + 3) - y0
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
def mean_distance(poly, n, x, y):
    """Mean distance [m] of the region's points from (x, y), which may lie anywhere in the plane."""
    if n == 1:
        return math.hypot(x - ld(poly, 0), y - ld(poly, 1))
    total = 0.0
    edges = n if n > 2 else 1
    for k in range(edges):
        j = k + 1 if k + 1 < n else 0
        ax = ld(poly, 2 * k) - x
        ay = ld(poly, 2 * k + 1) - y
        ux = ld(poly, 2 * j) - x - ax
        uy = ld(poly, 2 * j + 1) - y - ay
        length = math.sqrt(ux * ux + uy * uy)
        if length > 0.0:
            ux /= length
            uy /= length
            t = ax * ux + ay * uy
            h = ax * uy - ay * ux
            power = 2 if n == 2 else 3
            part = along_edge(h, t + length, power) - along_edge(h, t, power)
            if n == 2:
                return part / length
            total += part
    area = area_and_centre(poly, n)[0]
    return total / area if area > 0.0 else 0.0


@entry("DD i i d D D I")
def region_once(data, first, count, tol, frame, poly, rows):
    """`region_of` for Python."""
    return region_of(data, first, count, tol, frame, poly, rows)


@entry("D i d d d D")
def measure_once(poly, n, x, y, tol, out):
    """out (9): where, distance, qx, qy, k of `hull_point`; mean distance; size and centroid."""
    where, distance, qx, qy, k = hull_point(poly, n, x, y, tol)
    out[0] = where
    out[1] = distance
    out[2] = qx
    out[3] = qy
    out[4] = k
    out[5] = mean_distance(poly, n, x, y)
    area, cx, cy = area_and_centre(poly, n)
    out[6] = area
    out[7] = cx
    out[8] = cy
    return 0
