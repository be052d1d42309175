"""The support of a figure seen from above: the convex hull of points that carry, how far a point is outside of it, and
the point inside that is near. Parts of kernels; no allocation. Checked in tests/choreography/test_support_hull.py.
"""

from __future__ import annotations

from bunraku.choreography.stepping_arrays import StrideState
from bunraku.kernel.compile import inline, part

SAME = 1e-12  # m^2
SWEEPS = 8  # over the edges, to come inside


@inline
def across(a, b, c):
    """Twice the area of the triangle a b c, above 0 where c is left of the way from a to b."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@inline
def apart2(a, b):
    """Squared distance."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


@part
def wrap(s: StrideState):
    """`edge`: the corners of the hull of `corner`, anticlockwise (gift wrapping)."""
    n, p = s.corners, s.corner
    s.edges = 0
    if n == 0:
        return
    first = 0
    for k in range(n):
        if p[k][1] < p[first][1] or (p[k][1] == p[first][1] and p[k][0] < p[first][0]):
            first = k
    at = first
    while s.edges < n:
        s.edge[s.edges] = p[at]
        s.edges += 1
        best = -1
        for k in range(n):
            if apart2(p[k], p[at]) < SAME:
                continue
            side = across(p[at], p[best], p[k]) if best >= 0 else -1.0
            if side < -SAME or (abs(side) <= SAME and apart2(p[k], p[at]) > apart2(p[best], p[at])):
                best = k
        if best < 0 or apart2(p[best], p[first]) < SAME:
            break
        at = best


@part
def outside(s: StrideState, x):
    """How far [m] a point is outside of the nearest line of the hull, below 0 inside; 1 without a hull."""
    n = s.edges
    if n < 3:
        return 1.0
    most = -1e9
    for k in range(n):
        a, b = s.edge[k], s.edge[k + 1 if k + 1 < n else 0]
        size = apart2(a, b) ** 0.5
        most = max(most, -across(a, b, x) / size)
    return most


@part
def held_inside(s: StrideState, x, margin):
    """A point of the hull at least `margin` [m] from its edges where it has such points, near to x."""
    n = s.edges
    if n < 3:
        return x
    for _ in range(SWEEPS):
        for k in range(n):
            a, b = s.edge[k], s.edge[k + 1 if k + 1 < n else 0]
            size = apart2(a, b) ** 0.5
            miss = margin - across(a, b, x) / size
            if miss > 0.0:
                x = (x[0] - miss * (b[1] - a[1]) / size, x[1] + miss * (b[0] - a[0]) / size)
    return x


@part
def reach_inside(s: StrideState, x, way, margin):
    """How far one can go from x along `way`, in parts of it and 1 at the most, until `margin` [m] from the hull's edges;
    below 0 where x is not inside."""
    most = 1.0
    n = s.edges
    for k in range(n):
        a, b = s.edge[k], s.edge[k + 1 if k + 1 < n else 0]
        size = apart2(a, b) ** 0.5
        room = across(a, b, x) / size - margin
        closing = -((b[0] - a[0]) * way[1] - (b[1] - a[1]) * way[0]) / size
        if room < 0.0:
            most = -1.0
        elif closing > SAME:
            most = min(most, room / closing)
    return most
