"""Support of a convex shape: its point farthest along a direction, and the part of its surface that looks along it.

A shape is (kind, size, hull), in its own axes. Spheres and capsules are taken as their cores, a point and a segment: a
ball of their radius added to both shapes adds the radii to the depth and changes no normal. Boxes, cylinders, cones
and ellipsoids have closed forms; on a hull one climbs from vertex to vertex along its edges, which ends at the farthest
since a convex solid has no other summit.

Parts: a face as a polygon (cylinder and cone show RIM points fixed to their rims), a line along a side, or a point.
Numbers of their corners: of a box as in bunraku.collision.surface, of a hull its vertices, of a rim 0 … RIM - 1 at the
lower end, RIM … 2 RIM - 1 at the upper, of a line 0 and 1. Checked in tests/collision/test_convex.py.
"""

from __future__ import annotations

import math

from bunraku.collision.shape_layout import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, Hulls
from bunraku.collision.surface import corner_signs, largest, pick, sign, vertex_id
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import axpy, dot, scale, sub

LEAN = 0.7  # least cosine between a direction and the normal of a face that looks along it
RIM = 8
COS = tuple(math.cos(2 * math.pi / RIM * k) for k in range(RIM))
SIN = tuple(math.sin(2 * math.pi / RIM * k) for k in range(RIM))


@inline
def octant(m):
    """Which of the eight corners of space a direction points into."""
    return (1 if m[0] > 0.0 else 0) + (2 if m[1] > 0.0 else 0) + (4 if m[2] > 0.0 else 0)


@inline
def first_vertex(hulls: Hulls, shape, m):
    """Where a climb along m begins that knows no better."""
    kind, _, hull = shape
    if kind == HULL:
        return hulls.heads[hull].starts[octant(m)]
    return 0


@part
def climb(hulls: Hulls, m, vertex):
    """The vertex farthest along m, from a vertex of the same hull on."""
    x = hulls.vertices[vertex].place
    top = dot(x, m)
    before = -1
    while before != vertex:
        before = vertex
        for k in range(hulls.vertices[before].neighbours, hulls.vertices[before + 1].neighbours):
            other = hulls.neighbours[k]
            d = dot(hulls.vertices[other].place, m)
            if d > top:
                top = d
                vertex = other
    return vertex


@inline
def support(hulls: Hulls, shape, m, vertex):
    """(point of the core farthest along m, its vertex); m need not be of unit length."""
    kind, h, _ = shape
    if kind == HULL:
        vertex = climb(hulls, m, vertex)
        return hulls.vertices[vertex].place, vertex
    if kind == BOX:
        return (sign(m[0]) * h[0], sign(m[1]) * h[1], sign(m[2]) * h[2]), vertex
    if kind == CYLINDER or kind == CONE:
        q = math.sqrt(m[0] * m[0] + m[1] * m[1])
        if kind == CONE and 2.0 * h[1] * m[2] >= h[0] * q:
            return (0.0, 0.0, h[1]), vertex
        s = h[0] / q if q > 1e-12 * abs(m[2]) else 0.0
        z = -1.0 if kind == CONE else sign(m[2])
        return (s * m[0], s * m[1], z * h[1]), vertex
    if kind == CAPSULE:
        return (0.0, 0.0, sign(m[2]) * h[1]), vertex
    if kind == ELLIPSOID:
        e = (h[0] * h[0] * m[0], h[1] * h[1] * m[1], h[2] * h[2] * m[2])
        return scale(1.0 / math.sqrt(dot(e, m)), e), vertex
    return (0.0, 0.0, 0.0), vertex


@inline
def best_face(hulls: Hulls, m, vertex):
    """(face, cosine): of the faces at a vertex, the one that looks along m."""
    best = -2.0
    face = 0
    for k in range(hulls.vertices[vertex].faces, hulls.vertices[vertex + 1].faces):
        c = dot(hulls.faces[hulls.around[k]].normal, m)
        if c > best:
            best = c
            face = hulls.around[k]
    return face, best


@inline
def put_corner(to, k, place, number):
    """Corner k of a part."""
    to[k].place = place
    to[k].number = number
    return k + 1


@inline
def rim_point(k, r, z):
    """Point k of a rim of radius r at height z, and its number: anticlockwise seen from outside."""
    if z > 0.0:
        return (r * COS[k], r * SIN[k], z), RIM + k
    return (r * COS[k], -r * SIN[k], z), (RIM - k) % RIM


@inline
def across(line, m):
    """The direction nearest to m at right angles to a line."""
    e = sub(line[1].place, line[0].place)
    x = axpy(-dot(m, e) / dot(e, e), e, m)
    q = dot(x, x)
    return scale(1.0 / math.sqrt(q), x) if q > 0.0 else m


@part
def looking_part(hulls: Hulls, shape, m, vertex, to):
    """(corners, normal): the part of the shape's core that looks along the unit vector m, into `to`.

    Three corners or more are a polygon, anticlockwise about its normal; of a line the normal is what of m is across it."""
    kind, h, _ = shape
    if kind == BOX:
        i = largest(m)
        s = sign(pick(m, i))
        j = (i + 1) % 3
        for k in range(4):
            sj, sk = corner_signs(k, s)
            x = s * pick(h, i)
            y = sj * pick(h, j)
            z = sk * pick(h, (i + 2) % 3)
            place = (x, y, z) if i == 0 else ((z, x, y) if i == 1 else (y, z, x))
            put_corner(to, k, place, vertex_id(i, s, sj, sk))
        return 4, (s if i == 0 else 0.0, s if i == 1 else 0.0, s if i == 2 else 0.0)
    if kind == HULL:
        face, cosine = best_face(hulls, m, vertex)
        if cosine > LEAN:
            n = 0
            for k in range(hulls.faces[face].corners, hulls.faces[face + 1].corners):
                n = put_corner(to, n, hulls.vertices[hulls.ring[k]].place, hulls.ring[k])
            return n, hulls.faces[face].normal
        return put_corner(to, 0, hulls.vertices[vertex].place, vertex), m
    if kind == CYLINDER or kind == CONE:
        if (abs(m[2]) if kind == CYLINDER else -m[2]) > LEAN:
            s = sign(m[2])
            for k in range(RIM):
                place, number = rim_point(k, h[0], s * h[1])
                put_corner(to, k, place, number)
            return RIM, (0.0, 0.0, s)
        q = math.sqrt(m[0] * m[0] + m[1] * m[1])
        s = h[0] / q if q > 0.0 else 0.0
        put_corner(to, 0, (s * m[0], s * m[1], -h[1]), 0)
        if kind == CONE:
            s = 0.0
        return put_corner(to, 1, (s * m[0], s * m[1], h[1]), 1), across(to, m)
    if kind == CAPSULE:
        put_corner(to, 0, (0.0, 0.0, -h[1]), 0)
        return put_corner(to, 1, (0.0, 0.0, h[1]), 1), across(to, m)
    x, _ = support(hulls, shape, m, vertex)
    return put_corner(to, 0, x, 0), m
