"""Triangles by z-buffer: which of them is nearest at the sample points of a picture, and at the cells of a shadow map.

A triangle with corners V_0, V_1, V_2 in the eye's axes (right, up, forward) is met by the ray z (x, y, 1) where
V lambda = z (x, y, 1); with edge functions e_i = (V_j x V_k) . (x, y, 1) and D = det V it follows lambda_i = z e_i / D
and 1/z = (e_0 + e_1 + e_2) / D. So e_i of one sign says that the point is inside and in front of the eye, and nothing is
clipped (Olano and Greer 1997). Without perspective V_i = (x_i, y_i, 1) and depth is linear instead. What is kept is the
*nearness*, 1/z or -z: linear over the picture either way. Every pixel has four sample points; the first triangle of two
at one place is kept, so pictures do not depend on bands. Checked in tests/draw/test_rasterise.py against rays.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Record, int_matrix, int_vector, matrix, real, ref, vector
from bunraku.kernel.vec import add, cross, dot, scale, sub

NEAREST = 100.0  # 1/m: of what is still seen by a camera with perspective
NOTHING = -1e300
SAMPLES_X = (0.375, 0.875, 0.125, 0.625)  # of a pixel: a rotated square
SAMPLES_Y = (0.125, 0.375, 0.625, 0.875)


class Lens(Record):
    """How points of the picture lie in the eye's axes: x = left + pixel column, y = top - pixel row."""

    left = real()
    top = real()
    pixel = real()
    perspective = real()  # 1, or 0


class Triangles(Record):
    """All surfaces of a scene, one after the other."""

    lens = ref(Lens)
    corners = matrix()  # (n, 3) m, world axes
    seen = matrix()  # (n, 3) m, in the eye's axes
    normals = matrix()  # (n, 3); zeros where facets are flat
    colors = matrix()  # (n, 3) linear
    triangles = int_matrix()  # (m, 4) three corners and the number of the surface
    gloss = vector()  # of each surface
    closed = int_vector()  # of each surface: 1 where what faces away is never seen
    places = matrix()  # (n, 2) column and row of each corner in the picture; nan of one behind the eye


@inline
def corner(points, k):
    """Row k of (n, 3)."""
    return points[k, 0], points[k, 1], points[k, 2]


@inline
def edge_functions(seen, perspective, a, b, c, closed):
    """(e_0, e_1, e_2, nearness), each as factors of (x, y, 1), the e_i not below 0 inside; the third of nearness is
    NOTHING for a triangle seen edge-on, and, of a closed surface, from behind: where D is not above 0."""
    v0, v1, v2 = corner(seen, a), corner(seen, b), corner(seen, c)
    z0, z1, z2 = -v0[2], -v1[2], -v2[2]
    if perspective == 0.0:
        v0, v1, v2 = (v0[0], v0[1], 1.0), (v1[0], v1[1], 1.0), (v2[0], v2[1], 1.0)
    e0 = cross(v1, v2)
    d = dot(v0, e0)
    if abs(d) < 1e-30 or (closed and d < 0.0):
        return e0, e0, e0, (0.0, 0.0, NOTHING)
    e1, e2 = cross(v2, v0), cross(v0, v1)
    e0, e1, e2 = scale(1.0 / d, e0), scale(1.0 / d, e1), scale(1.0 / d, e2)
    if perspective == 0.0:
        near = add(scale(z0, e0), add(scale(z1, e1), scale(z2, e2)))
    else:
        near = add(e0, add(e1, e2))
    return e0, e1, e2, near


@inline
def span(places, a, b, c, size, axis):
    """First and last pixel that a triangle can touch along an axis (0 columns, 1 rows) of `size` pixels."""
    p, q, r = places[a, axis], places[b, axis], places[c, axis]
    if math.isnan(p + q + r):
        return 0, size - 1  # it reaches behind the eye
    low, high = max(min(p, min(q, r)), 0.0), min(max(p, max(q, r)), float(size))
    if low > high:
        return 0, -1
    return math.floor(low), min(math.floor(high), size - 1)


@inline
def in_pixels(e, lens: Lens):
    """Factors of (x, y, 1) as factors of (column, row, 1)."""
    return e[0] * lens.pixel, -e[1] * lens.pixel, e[0] * lens.left + e[1] * lens.top + e[2]


@inline
def cover(t: Triangles, size, window, nearness, owner):
    """Fill nearness and owner (rows, columns, 4) of a window (first column, first row) of a picture of `size` (width,
    height): the nearest triangle at each sample point, -1 where there is none."""
    lens, seen = t.lens, t.seen
    rows, columns = owner.shape[0], owner.shape[1]
    for row in range(rows):
        for column in range(columns):
            for k in range(4):
                nearness[row, column, k] = NOTHING
                owner[row, column, k] = -1
    most = NEAREST if lens.perspective > 0.0 else 0.0  # nothing behind the eye
    for m in range(t.triangles.shape[0]):
        a, b, c = t.triangles[m, 0], t.triangles[m, 1], t.triangles[m, 2]
        top, bottom = span(t.places, a, b, c, size[1], 1)
        top, bottom = max(top - window[1], 0), min(bottom - window[1], rows - 1)
        if top > bottom:
            continue
        left, right = span(t.places, a, b, c, size[0], 0)
        left, right = max(left - window[0], 0), min(right - window[0], columns - 1)
        if left > right:
            continue
        e0, e1, e2, near = edge_functions(seen, lens.perspective, a, b, c, t.closed[t.triangles[m, 3]] != 0)
        if near[2] == NOTHING:
            continue
        e0, e1, e2, near = in_pixels(e0, lens), in_pixels(e1, lens), in_pixels(e2, lens), in_pixels(near, lens)
        slack = 1e-12 * (abs(e0[2]) + abs(e1[2]) + abs(e2[2]))  # no crack between two neighbours by rounding
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                for k in range(4):
                    x, y = window[0] + column + SAMPLES_X[k], window[1] + row + SAMPLES_Y[k]
                    w = min(e0[0] * x + e0[1] * y + e0[2], e1[0] * x + e1[1] * y + e1[2])
                    if min(w, e2[0] * x + e2[1] * y + e2[2]) < -slack:
                        continue
                    n = near[0] * x + near[1] * y + near[2]
                    if nearness[row, column, k] < n < most:
                        nearness[row, column, k] = n
                        owner[row, column, k] = m


@inline
def shares(t: Triangles, m, x, y):
    """Shares of a triangle's corners in its point at (x, y) of the picture."""
    i, j, k = t.triangles[m, 0], t.triangles[m, 1], t.triangles[m, 2]
    e0, e1, e2, _ = edge_functions(t.seen, t.lens.perspective, i, j, k, False)
    ray = (x, y, 1.0)
    a, b, c = max(dot(e0, ray), 0.0), max(dot(e1, ray), 0.0), max(dot(e2, ray), 0.0)
    total = max(a + b + c, 1e-300)
    return a / total, b / total, c / total


@inline
def mixed(values, t: Triangles, m, share):
    """The mean of rows of (n, 3) at a triangle's corners."""
    a = scale(share[0], corner(values, t.triangles[m, 0]))
    b = scale(share[1], corner(values, t.triangles[m, 1]))
    return add(a, add(b, scale(share[2], corner(values, t.triangles[m, 2]))))


@inline
def flat_normal(t: Triangles, m):
    """Normal of a triangle, not of length 1."""
    p = corner(t.corners, t.triangles[m, 0])
    q, r = corner(t.corners, t.triangles[m, 1]), corner(t.corners, t.triangles[m, 2])
    return cross(sub(q, p), sub(r, p))


@inline
def unit(v):
    """A vector of length 1; up, where there is none."""
    length = math.sqrt(dot(v, v))
    if length < 1e-150:
        return 0.0, 0.0, 1.0
    return scale(1.0 / length, v)


@inline
def surface_normal(t: Triangles, m, share, way):
    """Unit normal at a point of a triangle, towards the eye that looks along `way`."""
    facet = unit(flat_normal(t, m))
    if dot(facet, way) > 0.0:
        facet = scale(-1.0, facet)
    n = mixed(t.normals, t, m, share)
    if dot(n, n) < 1e-12:
        return facet
    n = unit(n)
    return scale(-1.0, n) if dot(n, facet) < 0.0 else n


@entry("h DD", nogil=True)
def shadow_map(h, heights):
    """Fill heights[v, u] with the height along the sunlight of the highest triangle in each cell, at its middle. The
    `seen` of the Triangles is (across, across, along the light), their lens without perspective."""
    t = Triangles(h)
    lens = t.lens
    rows, columns = heights.shape
    for row in range(rows):
        for column in range(columns):
            heights[row, column] = NOTHING
    for m in range(t.triangles.shape[0]):
        a, b, c = t.triangles[m, 0], t.triangles[m, 1], t.triangles[m, 2]
        top, bottom = span(t.places, a, b, c, rows, 1)
        left, right = span(t.places, a, b, c, columns, 0)
        e0, e1, e2, near = edge_functions(t.seen, 0.0, a, b, c, t.closed[t.triangles[m, 3]] != 0)
        if near[2] == NOTHING:
            continue
        e0, e1, e2, near = in_pixels(e0, lens), in_pixels(e1, lens), in_pixels(e2, lens), in_pixels(near, lens)
        slack = 1e-12 * (abs(e0[2]) + abs(e1[2]) + abs(e2[2]))
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                x, y = column + 0.5, row + 0.5
                w = min(e0[0] * x + e0[1] * y + e0[2], e1[0] * x + e1[1] * y + e1[2])
                if min(w, e2[0] * x + e2[1] * y + e2[2]) >= -slack:
                    heights[row, column] = max(heights[row, column], near[0] * x + near[1] * y + near[2])
