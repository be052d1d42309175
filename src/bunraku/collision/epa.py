"""Depth of two convex shapes that overlap: a polytope that grows inside their difference (G. van den Bergen, Proximity
queries and penetration depth computation on 3D game objects, 2001).

The face nearest to the origin is pushed out to the farthest point w of the difference along its normal u. The least
u . w that was met bounds the depth from above, the least height of a face from below; where they agree, both are known.
For shapes with corners this ends at a face of the difference, exactly; for curved ones the bounds close in on each
other. A flat first tetrahedron is made anew. Checked in tests/collision/test_convex.py against coal and a search.
"""

from __future__ import annotations

import math

from bunraku.collision.gjk import difference, move, on_triangle, store
from bunraku.collision.shape_layout import POLYTOPE, POLYTOPE_FACES, Detection
from bunraku.collision.surface import perpendicular
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import axpy, cross, dot, scale, sub

CLOSED = 1e-12  # of the size: how well the bounds of the depth should agree
SLIVER = 1e-7  # of the size: height below which a first tetrahedron is flat
SEEN = 1e-14  # of the size: how far a point must be beyond a face to see it


@inline
def add_point(d: Detection, pair, u, k):
    """Point k of the polytope: the farthest along u."""
    near = d.convex.points[k - 1 if k > 0 else 0]
    w, a, b, va, vb = difference(d, pair, u, near.vertex_a, near.vertex_b)
    store(d, k, w, a, b, va, vb)
    return w


@part
def tetrahedron(d: Detection, pair, n, size):
    """Make a simplex of n points a tetrahedron with a volume; whether that was possible."""
    points = d.convex.points
    if n == 4:
        p = points[0].w
        x = cross(sub(points[1].w, p), sub(points[2].w, p))
        if abs(dot(sub(points[3].w, p), x)) > SLIVER * size * math.sqrt(dot(x, x)) and dot(x, x) > SLIVER * size**4:
            return True
        n = 1
    if n == 0:
        add_point(d, pair, (0.6, 0.64, 0.48), 0)
        n = 1
    if n == 1:
        far = 0.0
        for k in range(6):
            s = 1.0 if k < 3 else -1.0
            w = sub(add_point(d, pair, (s * (k % 3 == 0), s * (k % 3 == 1), s * (k % 3 == 2)), 2), points[0].w)
            if dot(w, w) > far:
                far = dot(w, w)
                move(d, 1, 2, 0.0)
        if not far > SLIVER * SLIVER * size * size:
            return False
        n = 2
    e = sub(points[1].w, points[0].w)
    e = scale(1.0 / math.sqrt(dot(e, e)), e)
    if n == 3:
        z = cross(e, sub(points[2].w, points[0].w))
        n = 3 if dot(z, z) > SLIVER * SLIVER * size * size else 2
    if n == 2:
        u = perpendicular(e)
        v = cross(e, u)
        far = 0.0
        for k in range(4):
            s = 1.0 if k < 2 else -1.0
            w = sub(add_point(d, pair, scale(s, u if k % 2 == 0 else v), 3), points[0].w)
            w = cross(e, w)
            if dot(w, w) > far:
                far = dot(w, w)
                move(d, 2, 3, 0.0)
        if not far > SLIVER * SLIVER * size * size:
            return False
    z = cross(e, sub(points[2].w, points[0].w))
    z = scale(1.0 / math.sqrt(dot(z, z)), z)
    base = dot(z, points[0].w)
    above = dot(z, add_point(d, pair, z, 3)) - base
    below = base - dot(z, add_point(d, pair, scale(-1.0, z), 4))
    if below > above:
        move(d, 3, 4, 0.0)
    return max(above, below) > SLIVER * size


@inline
def add_face(d: Detection, at, i, j, k):
    """Triangle i j k, anticlockwise seen from outside, as face `at`."""
    points = d.convex.points
    a = points[i].w
    n = cross(sub(points[j].w, a), sub(points[k].w, a))
    q = dot(n, n)
    face = d.convex.faces[at]
    face.alive = 1
    face.i = i
    face.j = j
    face.k = k
    face.height = math.inf
    if q > 0.0:
        face.normal = scale(1.0 / math.sqrt(q), n)
        face.height = dot(face.normal, a)


@inline
def add_edge(d: Detection, count, i, j):
    """An edge of the hole; one that was there the other way round closes. Returns their number."""
    edges = d.convex.edges
    for k in range(count):
        if edges[k].i == j and edges[k].j == i:
            edges[k].i = edges[count - 1].i
            edges[k].j = edges[count - 1].j
            return count - 1
    edges[count].i = i
    edges[count].j = j
    return count + 1


@part
def open_hole(d: Detection, faces, w, least):
    """Take out the faces that see w; returns the number of edges of the hole."""
    edges = 0
    for f in range(faces):
        face = d.convex.faces[f]
        if face.alive == 1 and (face.height == math.inf or dot(face.normal, w) - face.height > least):
            face.alive = 0
            edges = add_edge(d, edges, face.i, face.j)
            edges = add_edge(d, edges, face.j, face.k)
            edges = add_edge(d, edges, face.k, face.i)
    return edges


@inline
def leave_nearest(d: Detection, at):
    """The point of face `at` nearest to the origin, as the last of `points`."""
    p = d.convex.points
    face = d.convex.faces[at]
    i, j, k = face.i, face.j, face.k
    x, y, z = on_triangle(p[i].w, p[j].w, p[k].w)
    a = axpy(x, p[i].a, axpy(y, p[j].a, scale(z, p[k].a)))
    b = axpy(x, p[i].b, axpy(y, p[j].b, scale(z, p[k].b)))
    store(d, POLYTOPE - 1, sub(a, b), a, b, p[i].vertex_a, p[i].vertex_b)


@part
def depth(d: Detection, pair, n, size, close):
    """(depth, its direction u, vertices, whether the bounds met); n: points of the simplex that `nearest` left, or 0.

    The depth is u . w of the farthest w along u: never too small, and exact where the bounds met. The nearest points of
    both shapes are left as the first of `points`, with weight one; infinite depth where there was no volume. close: how
    well the bounds must agree, of the size."""
    points = d.convex.points
    faces = d.convex.faces
    deepest = math.inf
    best = (0.0, 0.0, 1.0)
    va = points[0].vertex_a
    vb = points[0].vertex_b
    if not tetrahedron(d, pair, n, size):
        points[0].weight = 1.0
        return deepest, best, va, vb, False
    p = points[0].w
    out = dot(sub(points[3].w, p), cross(sub(points[1].w, p), sub(points[2].w, p))) > 0.0
    j = 2 if out else 1
    k = 1 if out else 2
    add_face(d, 0, 0, j, k)
    add_face(d, 1, 0, k, 3)
    add_face(d, 2, k, j, 3)
    add_face(d, 3, 0, 3, j)
    count = 4
    closed = False
    for corner in range(4, POLYTOPE - 1):
        lowest = math.inf
        at = -1
        for f in range(count):
            if faces[f].alive == 1 and faces[f].height < lowest:
                lowest = faces[f].height
                at = f
        if at < 0:
            break
        u = faces[at].normal
        near = points[faces[at].i]
        w, a, b, xa, xb = difference(d, pair, u, near.vertex_a, near.vertex_b)
        height = dot(u, w)
        if height < deepest:
            deepest = height
            best = u
            va = xa
            vb = xb
            leave_nearest(d, at)
        if deepest - lowest <= close * size:
            closed = True
            break
        store(d, corner, w, a, b, xa, xb)
        edges = open_hole(d, count, w, SEEN * size)
        slot = 0
        full = False
        for e in range(edges):
            while slot < count and faces[slot].alive == 1:
                slot += 1
            if slot >= POLYTOPE_FACES:
                full = True
                break
            add_face(d, slot, d.convex.edges[e].i, d.convex.edges[e].j, corner)
            count = max(count, slot + 1)
        if full:
            break
    move(d, 0, POLYTOPE - 1, 1.0)
    return deepest, best, va, vb, closed
