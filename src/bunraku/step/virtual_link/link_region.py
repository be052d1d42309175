"""Geometry of a contact region: hull test, nearest point of the hull, mean distance, velocity of a vertex. Patch frame,
metres.

The region is a convex polygon of n <= 8 vertices, counter-clockwise (n = 1 a point, n = 2 a line); one without area
counts as the line between its two farthest vertices, one without length as a point.

Mean distance d from a point over the region. A triangle of apex pv and an edge at distance h, whose ends lie at
t1, t2 along the edge and at rho1, rho2 from pv, has
    integral of r dA = h/6 (t2 rho2 - t1 rho1 + h^2 ln((t2 + rho2) / (t1 + rho1))),
and the polygon is their signed sum; of all regions of one area a disc around pv has the least d, 2/3 sqrt(area/pi). A
line cut by pv into a and b has d = (a^2 + b^2) / (2 (a + b)). From the middle: disc 2R/3, line L/4.
Checked in tests/step/virtual_link/test_region.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld
from bunraku.step.virtual_link.link_layout import COUNT, LINE, NP, POINT, SURFACE, VERTEX

FLAT = 1e-9  # area over size^2 below which a polygon is a line, and length over which two vertices differ


@inline
def vertex(patch, i, k):
    """Vertex k of patch i."""
    at = i * NP + VERTEX + 2 * k
    return ld(patch, at), ld(patch, at + 1)


@inline
def vertex_count(patch, i):
    """Number of vertices of patch i."""
    return int(ld(patch, i * NP + COUNT))


@inline
def base_state(patch, i):
    """(state, I, J) of the whole region."""
    n = vertex_count(patch, i)
    if n <= 1:
        return POINT, 0, 0
    area = 0.0
    longest = 0.0
    first = 0
    second = 1
    x0, y0 = vertex(patch, i, 0)
    for k in range(1, n):
        x1, y1 = vertex(patch, i, k)
        x2, y2 = vertex(patch, i, k + 1 if k + 1 < n else 0)
        area += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        length = (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)
        if length > longest:
            longest = length
            second = k
    if n > 2 and area > FLAT * longest:
        return SURFACE, 0, 0
    for k in range(1, n):  # flat: the farthest pair
        x1, y1 = vertex(patch, i, k)
        for l in range(k + 1, n):
            x2, y2 = vertex(patch, i, l)
            length = (x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1)
            if length > longest:
                longest = length
                first = k
                second = l
    if longest > 1e-18:
        return LINE, first, second
    return POINT, 0, 0


@inline
def middle(patch, i):
    """Mean of the vertices."""
    n = vertex_count(patch, i)
    x = 0.0
    y = 0.0
    for k in range(n):
        vx, vy = vertex(patch, i, k)
        x += vx
        y += vy
    return x / n, y / n


@inline
def radius(patch, i):
    """A length of the region's size: largest |x| + |y| of a vertex from the middle."""
    mx, my = middle(patch, i)
    size = 0.0
    for k in range(vertex_count(patch, i)):
        x, y = vertex(patch, i, k)
        size = max(size, abs(x - mx) + abs(y - my))
    return size


@inline
def in_polygon(patch, i, px, py):
    """(distance of p inside the hull, negative outside; mean distance d of the region from p)."""
    n = vertex_count(patch, i)
    inside = 1e300
    area = 0.0
    moment = 0.0
    ax, ay = vertex(patch, i, n - 1)
    ax -= px
    ay -= py
    rho1 = math.sqrt(ax * ax + ay * ay)
    for k in range(n):
        bx, by = vertex(patch, i, k)
        bx -= px
        by -= py
        rho2 = math.sqrt(bx * bx + by * by)
        ex = bx - ax
        ey = by - ay
        length = math.sqrt(ex * ex + ey * ey)
        if length > 0.0:
            h = (ax * ey - ay * ex) / length
            t1 = (ax * ex + ay * ey) / length
            t2 = (bx * ex + by * ey) / length
            inside = min(inside, h)
            area += 0.5 * h * length
            s1 = t1 + rho1 if t1 > 0.0 else h * h / max(rho1 - t1, 1e-300)
            s2 = t2 + rho2 if t2 > 0.0 else h * h / max(rho2 - t2, 1e-300)
            log = math.log(s2 / s1) if s1 > 0.0 and s2 > 0.0 else 0.0
            moment += h / 6.0 * (t2 * rho2 - t1 * rho1 + h * h * log)
        ax = bx
        ay = by
        rho1 = rho2
    return inside, moment / area if area > 0.0 else 0.0


@inline
def area_around(patch, i, px, py):
    """Area of the polygon, or -1 where p lies outside."""
    n = vertex_count(patch, i)
    twice = 0.0
    least = 0.0
    ax, ay = vertex(patch, i, n - 1)
    for k in range(n):
        bx, by = vertex(patch, i, k)
        x = (ax - px) * (by - py) - (bx - px) * (ay - py)
        twice += x
        least = min(least, x)
        ax = bx
        ay = by
    return 0.5 * twice if least >= 0.0 else -1.0


@inline
def in_hull(patch, i, px, py):
    """p lies in the polygon."""
    n = vertex_count(patch, i)
    ax, ay = vertex(patch, i, n - 1)
    for k in range(n):
        bx, by = vertex(patch, i, k)
        if (bx - ax) * (py - ay) - (by - ay) * (px - ax) < 0.0:
            return False
        ax = bx
        ay = by
    return True


@inline
def in_line(patch, i, first, second, px, py):
    """The same for the line between two vertices; p is taken along it."""
    ax, ay = vertex(patch, i, first)
    bx, by = vertex(patch, i, second)
    ex = bx - ax
    ey = by - ay
    length = math.sqrt(ex * ex + ey * ey)
    a = ((px - ax) * ex + (py - ay) * ey) / length
    b = length - a
    inside = min(a, b)
    a = min(max(a, 0.0), length)
    b = length - a
    return inside, (a * a + b * b) / (2.0 * length)


@inline
def nearest(patch, i, px, py):
    """(state, I, J) of the hull point nearest to p: a vertex (point) or an edge (line)."""
    n = vertex_count(patch, i)
    best = 1e300
    state = POINT
    first = 0
    second = 0
    k0 = n - 1
    ax, ay = vertex(patch, i, k0)
    for k in range(n):
        bx, by = vertex(patch, i, k)
        ex = bx - ax
        ey = by - ay
        square = ex * ex + ey * ey
        t = ((px - ax) * ex + (py - ay) * ey) / square if square > 0.0 else 1.0
        s = min(max(t, 0.0), 1.0)
        dx = ax + s * ex - px
        dy = ay + s * ey - py
        distance = dx * dx + dy * dy
        if distance < best:
            best = distance
            if t <= 0.0:
                state, first, second = POINT, k0, k0
            elif t >= 1.0:
                state, first, second = POINT, k, k
            else:
                state, first, second = LINE, k0, k
        ax = bx
        ay = by
        k0 = k
    return state, first, second


@inline
def at_point(a, row, x, y):
    """(x, y, z) of a motion given by six rows at the origin, carried to the point (x, y, 0)."""
    w = ld(a, row + 5)
    return (
        ld(a, row) - w * y,
        ld(a, row + 1) + w * x,
        ld(a, row + 2) + ld(a, row + 3) * y - ld(a, row + 4) * x,
    )
