"""Geometry of a contact region: hull test, nearest point of the hull, mean distance, velocity of a vertex. Patch frame,
metres; points are pairs (x, y).

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
from bunraku.step.virtual_link.link_layout import LINE, POINT, SURFACE, Region

FLAT = 1e-9  # area over size^2 below which a polygon is a line, and length over which two vertices differ


@inline
def after(region: Region, k):
    """The vertex after vertex k."""
    return k + 1 if k + 1 < region.count else 0


@inline
def before(region: Region, k):
    """The vertex before vertex k."""
    return k - 1 if k > 0 else region.count - 1


@inline
def edge(region: Region, first, second):
    """(x, y of a vertex, from there to a second one)."""
    ax, ay = region.vertex[first]
    bx, by = region.vertex[second]
    return ax, ay, bx - ax, by - ay


@inline
def base_state(region: Region):
    """(state, low, high) of the whole region."""
    n = region.count
    if n <= 1:
        return POINT, 0, 0
    area = 0.0
    longest = 0.0
    first = 0
    second = 1
    x0, y0 = region.vertex[0]
    for k in range(1, n):
        x1, y1 = region.vertex[k]
        x2, y2 = region.vertex[after(region, k)]
        area += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        length = (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)
        if length > longest:
            longest = length
            second = k
    if n > 2 and area > FLAT * longest:
        return SURFACE, 0, 0
    for k in range(1, n):  # flat: the farthest pair
        for l in range(k + 1, n):
            _, _, ex, ey = edge(region, k, l)
            length = ex * ex + ey * ey
            if length > longest:
                longest = length
                first = k
                second = l
    if longest > 1e-18:
        return LINE, first, second
    return POINT, 0, 0


@inline
def middle(region: Region):
    """Mean of the vertices."""
    n = region.count
    x = 0.0
    y = 0.0
    for k in range(n):
        vx, vy = region.vertex[k]
        x += vx
        y += vy
    return x / n, y / n


@inline
def radius(region: Region):
    """A length of the region's size: largest |x| + |y| of a vertex from the middle."""
    mx, my = middle(region)
    size = 0.0
    for k in range(region.count):
        x, y = region.vertex[k]
        size = max(size, abs(x - mx) + abs(y - my))
    return size


@inline
def seen_from(region: Region, p, k):
    """Vertex k as seen from p."""
    x, y = region.vertex[k]
    return x - p[0], y - p[1]


@inline
def in_polygon(region: Region, p):
    """(distance of p inside the hull, negative outside; mean distance d of the region from p)."""
    inside = 1e300
    area = 0.0
    moment = 0.0
    ax, ay = seen_from(region, p, region.count - 1)
    rho1 = math.sqrt(ax * ax + ay * ay)
    for k in range(region.count):
        bx, by = seen_from(region, p, k)
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
def area_around(region: Region, p):
    """Area of the polygon, or -1 where p lies outside."""
    twice = 0.0
    least = 0.0
    ax, ay = seen_from(region, p, region.count - 1)
    for k in range(region.count):
        bx, by = seen_from(region, p, k)
        x = ax * by - bx * ay
        twice += x
        least = min(least, x)
        ax = bx
        ay = by
    return 0.5 * twice if least >= 0.0 else -1.0


@inline
def in_line(region: Region, first, second, p):
    """The same as in_polygon for the line between two vertices; p is taken along it."""
    ax, ay, ex, ey = edge(region, first, second)
    length = math.sqrt(ex * ex + ey * ey)
    a = ((p[0] - ax) * ex + (p[1] - ay) * ey) / length
    b = length - a
    inside = min(a, b)
    a = min(max(a, 0.0), length)
    b = length - a
    return inside, (a * a + b * b) / (2.0 * length)


@inline
def nearest(region: Region, p):
    """(state, low, high) of the hull point nearest to p: a vertex (point) or an edge (line)."""
    px, py = p
    best = 1e300
    state = POINT
    first = 0
    second = 0
    last = region.count - 1
    for k in range(region.count):
        ax, ay, ex, ey = edge(region, last, k)
        square = ex * ex + ey * ey
        t = ((px - ax) * ex + (py - ay) * ey) / square if square > 0.0 else 1.0
        s = min(max(t, 0.0), 1.0)
        dx = ax + s * ex - px
        dy = ay + s * ey - py
        distance = dx * dx + dy * dy
        if distance < best:
            best = distance
            if t <= 0.0:
                state, first, second = POINT, last, last
            elif t >= 1.0:
                state, first, second = POINT, k, k
            else:
                state, first, second = LINE, last, k
        last = k
    return state, first, second


@inline
def height_rate(motion, row, p):
    """Rate along the normal at the point p of a motion given by six rows at the origin."""
    return ld(motion, row + 2) + ld(motion, row + 3) * p[1] - ld(motion, row + 4) * p[0]


@inline
def along_surface(motion, row, p):
    """(x, y) of a motion given by six rows at the origin, carried to the point p."""
    w = ld(motion, row + 5)
    return ld(motion, row) - w * p[1], ld(motion, row + 1) + w * p[0]
