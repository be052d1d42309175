"""Distance of two convex shapes (Gilbert, Johnson and Keerthi, IEEE J. Robotics and Automation 4, 1988).

The difference of the shapes, all w = a - b, holds the origin where they overlap; its point v nearest to the origin is
the shortest way from b to a. A simplex of at most four of its points grows towards the origin and is cut down to the
face that holds the nearest point (Voronoi regions: C. Ericson, Real-Time Collision Detection, 5.1). Along any unit n
the least n . w is at most the distance, and |v| at least: where they agree, both are known.

A pair is (shape a, shape b, rotation a <- b, place of b's centre in the axes of a); everything is in the axes of a.
Cost: 0.1 us a round, of which 4 to 15 are needed. Checked in tests/collision/test_convex.py against coal.
"""

from __future__ import annotations

import math

from bunraku.collision.convex_support import support
from bunraku.collision.shape_layout import Detection
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, cross, dot, mtv, mv, scale, sub

FAR, NEAR, OVER = 0, 1, 2  # farther apart than asked; apart, or touching; cores overlap
ROUNDS = 64
SETTLED = 1e-13  # of |v|^2: how well bounds of the distance agree
TOUCHING = 1e-22  # of the squared size of the simplex: |v|^2 below which the origin is inside


@inline
def difference(d: Detection, pair, m, va, vb):
    """(w, a, b, vertices): the point of the difference farthest along m."""
    shape_a, shape_b, R, t = pair
    a, va = support(d.hulls, shape_a, m, va)
    b, vb = support(d.hulls, shape_b, mtv(R, scale(-1.0, m)), vb)
    b = add(mv(R, b), t)
    return sub(a, b), a, b, va, vb


@inline
def store(d: Detection, k, w, a, b, va, vb):
    """Point k of the simplex or the polytope."""
    point = d.convex.points[k]
    point.w = w
    point.a = a
    point.b = b
    point.vertex_a = va
    point.vertex_b = vb


@inline
def move(d: Detection, to, k, weight):
    """Point k becomes point `to`, with a weight; returns the next."""
    x = d.convex.points[k]
    if to != k:
        store(d, to, x.w, x.a, x.b, x.vertex_a, x.vertex_b)
    d.convex.points[to].weight = weight
    return to + 1


@inline
def on_line(a, b):
    """Weights of the point of a segment nearest to the origin."""
    ab = sub(b, a)
    q = dot(ab, ab)
    t = -dot(a, ab)
    if t <= 0.0 or q == 0.0:
        return 1.0, 0.0
    if t >= q:
        return 0.0, 1.0
    t /= q
    return 1.0 - t, t


@part
def on_triangle(a, b, c):
    """Weights of the point of a triangle nearest to the origin."""
    ab = sub(b, a)
    ac = sub(c, a)
    d1 = -dot(ab, a)
    d2 = -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3 = -dot(ab, b)
    d4 = -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    wc = d1 * d4 - d3 * d2
    if wc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return 1.0 - t, t, 0.0
    d5 = -dot(ab, c)
    d6 = -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    wb = d5 * d2 - d1 * d6
    if wb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return 1.0 - t, 0.0, t
    wa = d3 * d6 - d5 * d4
    if wa <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - t, t
    s = 1.0 / (wa + wb + wc)
    return 1.0 - wb * s - wc * s, wb * s, wc * s


@inline
def corner(f, k, p0, p1, p2, p3):
    """Corner k of the face of a tetrahedron that leaves out corner f; corner 3 is the one left out."""
    i = f if k == 3 else (k if k < f else k + 1)
    return p0 if i == 0 else (p1 if i == 1 else (p2 if i == 2 else p3))


@part
def cut_tetrahedron(d: Detection):
    """Cut the simplex of four down to the part nearest to the origin; 4 where it holds the origin."""
    points = d.convex.points
    p0, p1, p2, p3 = points[0].w, points[1].w, points[2].w, points[3].w
    flat = dot(sub(p3, p0), cross(sub(p1, p0), sub(p2, p0))) == 0.0
    best = math.inf
    face = -1
    w0 = 0.0
    w1 = 0.0
    w2 = 0.0
    for f in range(4):
        a = corner(f, 0, p0, p1, p2, p3)
        b = corner(f, 1, p0, p1, p2, p3)
        c = corner(f, 2, p0, p1, p2, p3)
        n = cross(sub(b, a), sub(c, a))
        if flat or -dot(a, n) * dot(sub(corner(f, 3, p0, p1, p2, p3), a), n) <= 0.0:
            x, y, z = on_triangle(a, b, c)
            v = axpy(x, a, axpy(y, b, scale(z, c)))
            if dot(v, v) < best:
                best = dot(v, v)
                face = f
                w0 = x
                w1 = y
                w2 = z
    if face < 0:
        return 4
    n = 0
    for k in range(3):
        weight = w0 if k == 0 else (w1 if k == 1 else w2)
        if weight > 0.0:
            n = move(d, n, k if k < face else k + 1, weight)
    return n


@part
def cut_simplex(d: Detection, n):
    """Cut the simplex of n points down to the part that holds the point nearest to the origin; returns its number."""
    points = d.convex.points
    if n == 1:
        points[0].weight = 1.0
        return 1
    if n == 4:
        return cut_tetrahedron(d)
    x = 0.0
    y = 0.0
    z = 0.0
    if n == 2:
        x, y = on_line(points[0].w, points[1].w)
    else:
        x, y, z = on_triangle(points[0].w, points[1].w, points[2].w)
    left = 0
    if x > 0.0:
        left = move(d, left, 0, x)
    if y > 0.0:
        left = move(d, left, 1, y)
    if z > 0.0:
        left = move(d, left, 2, z)
    return left


@part
def nearest(d: Detection, pair, axis, va, vb, far):
    """(FAR, NEAR or OVER; v, |v|, points of the simplex, vertices). axis: a first guess of v, of unit length. far: the
    distance from which it may stop."""
    points = d.convex.points
    v = axis
    d2 = math.inf
    n = 0
    for _ in range(ROUNDS):
        w, a, b, va, vb = difference(d, pair, scale(-1.0, v), va, vb)
        vw = dot(v, w)
        if vw > 0.0 and vw * vw > far * far * (1.0 if n == 0 else d2):
            return FAR, v, vw, n, va, vb
        if n > 0:
            if d2 - vw <= SETTLED * d2:
                break
            known = False
            for k in range(n):
                x = points[k].w
                known = known or (x[0] == w[0] and x[1] == w[1] and x[2] == w[2])
            if known:
                break
        store(d, n, w, a, b, va, vb)
        n = cut_simplex(d, n + 1)
        if n == 4:
            return OVER, v, 0.0, 4, va, vb
        x = (0.0, 0.0, 0.0)
        large = 0.0
        for k in range(n):
            x = axpy(points[k].weight, points[k].w, x)
            large = max(large, dot(points[k].w, points[k].w))
        if n == 3:  # of a sliver the weights are noise, its normal is not
            z = cross(sub(points[1].w, points[0].w), sub(points[2].w, points[0].w))
            if dot(z, z) > 0.0:
                x = scale(dot(points[0].w, z) / dot(z, z), z)
        q = dot(x, x)
        if q <= TOUCHING * large:
            return OVER, v, 0.0, n, va, vb
        if q >= d2:
            break
        v = x
        d2 = q
    return NEAR, v, math.sqrt(d2), n, va, vb
