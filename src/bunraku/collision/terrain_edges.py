"""Edges and vertices of a terrain that stand out, against a convex shape (bunraku.collision.terrain_contacts).

The normal is the direction of the shortest way between the shape and the edge or vertex, by gjk and epa of
bunraku.collision.convex. It counts where it belongs to the ground there: at an edge it is across it and no corner of
its two triangles stands above, at a vertex none of its neighbours does, so that every direction belongs to one face,
edge or vertex. Where a flat part of the shape lies on an edge, both ends of what they share are contacts. Checked in
tests/collision/test_terrain_contacts.py.
"""

from __future__ import annotations

import math

from bunraku.collision.convex import AGAIN, LOST, curved, polish, shape_of, shortest
from bunraku.collision.convex_patch import patch
from bunraku.collision.convex_support import first_vertex, looking_part
from bunraku.collision.epa import CLOSED, depth
from bunraku.collision.gjk import FAR, NEAR, difference, nearest
from bunraku.collision.shape_layout import CAPSULE, SPHERE, Detection
from bunraku.collision.surface import perpendicular
from bunraku.collision.terrain_points import EDGE_BITS, add_point, corner_of, place_of, seen_from
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, cross, dot, mv, scale, sub

ACROSS = 1e-6  # sine: how far a normal may lean along its edge
ABOVE = 1e-6  # sine: how far a neighbour may stand above
LEVEL = 1e-6  # 1 - cosine: flush
SHOWN = 1e-7  # of the size
MIDDLE = (1 << EDGE_BITS) - 1  # of an edge: its nearest point


@inline
def reaches(d: Detection, p, q):
    """Whether the box about a line from p to q comes near the shape's own."""
    ask = d.terrains.ask
    h = d.forms[ask.a].half
    m = ask.margin
    return (
        min(p[0], q[0]) < h[0] + m
        and max(p[0], q[0]) > -h[0] - m
        and min(p[1], q[1]) < h[1] + m
        and max(p[1], q[1]) > -h[1] - m
        and min(p[2], q[2]) < h[2] + m
        and max(p[2], q[2]) > -h[2] - m
    )


@part
def shortest_way(d: Detection, pair, radius, size):
    """(whether nearer than the margin, n, gap, nearest point of the shape's core, vertex) of the shape and a line or a
    point."""
    shape, _, _, t = pair
    ask = d.terrains.ask
    far = ask.margin + radius
    q = dot(t, t)
    n = scale(-1.0 / math.sqrt(q), t) if q > 0.0 else (0.0, 0.0, 1.0)
    va = first_vertex(d.hulls, shape, scale(-1.0, n))
    state, v, length, count, va, vb = nearest(d, pair, n, va, 0, far)
    for _ in range(AGAIN):  # rounding can stop it early on curved shapes: go on from there
        if state != NEAR:
            break
        n = scale(1.0 / length, v)
        w, _, _, va, vb = difference(d, pair, scale(-1.0, n), va, vb)
        if length - dot(n, w) <= LOST * size:
            break
        state, v, length, count, va, vb = nearest(d, pair, n, va, vb, far)
    x = (0.0, 0.0, 0.0)
    if state == FAR:
        return False, n, 0.0, x, va
    if state == NEAR:
        n = scale(1.0 / length, v)
    else:
        deep, u, va, vb, closed = depth(d, pair, count, size, CLOSED)
        if not closed:
            again, m, xa, xb, _ = depth(d, pair, 0, size, CLOSED)
            if again < deep:
                deep = again
                u = m
                va = xa
                vb = xb
        count = 1
        if deep < math.inf:
            n = scale(-1.0, u)
    for k in range(count):
        x = axpy(d.convex.points[k].weight, d.convex.points[k].a, x)
    w, _, _, va, vb = difference(d, pair, scale(-1.0, n), va, vb)
    gap = dot(n, w)
    if curved(shape[0]):
        n, gap, va, vb = polish(d, pair, n, va, vb, size)
    gap -= radius
    return gap < ask.margin, n, gap, x, va


@part
def edge_contacts(d: Detection, to, tri, i, count):
    """Points of the shape on edge i of a triangle; returns the number of points."""
    p = seen_from(to, corner_of(tri, i))
    q = seen_from(to, corner_of(tri, i + 1))
    if not reaches(d, p, q):
        return count
    ask = d.terrains.ask
    shape, radius = shape_of(d, ask.a)
    size = d.forms[ask.a].radius
    e = sub(q, p)
    length = math.sqrt(dot(e, e))
    z = scale(1.0 / length, e)
    x = perpendicular(z)
    y = cross(z, x)
    middle = scale(0.5, add(p, q))
    line = (CAPSULE, (0.0, 0.5 * length, 0.0), -1)
    turn = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    near, n, gap, at, va = shortest_way(d, (shape, line, turn, middle), radius, size)
    if not near or abs(dot(n, z)) > ACROSS:
        return count
    w = sub(seen_from(to, corner_of(tri, (i + 2) % 3)), p)
    if dot(n, w) > ABOVE * math.sqrt(dot(w, w)):
        return count
    if tri.beyond[i] >= 0:
        w = sub(place_of(d, to, tri.beyond[i]), p)
        if dot(n, w) > ABOVE * math.sqrt(dot(w, w)):
            return count
    elif dot(n, mv(to[0], tri.normal)) < -ABOVE:
        return count
    name = tri.edge[i] << EDGE_BITS
    corners, face = looking_part(d.hulls, shape, scale(-1.0, n), va, d.convex.part_a)
    shown = False
    if (corners > 2 and -dot(face, n) > 1.0 - LEVEL) or corners == 2:
        d.convex.part_b[0].place = p
        d.convex.part_b[0].number = 0
        d.convex.part_b[1].place = q
        d.convex.part_b[1].number = 1
        snap = 1e-4 * shortest(d.forms[ask.a].half)
        found = patch(d, n, (corners, face, 2, n), (radius, 0.0), snap)
        for k in range(found):
            c = d.convex.candidates[k]
            if c.gap < ask.margin:
                end = 1 if dot(sub(c.place, middle), z) > 0.0 else 0
                count = add_point(d, count, c.place, n, max(c.gap, gap), 4 * (name + end) + 2)
                shown = shown or c.gap <= gap + SHOWN * size
    if not shown:
        count = add_point(d, count, axpy(-(radius + 0.5 * gap), n, at), n, gap, 4 * (name + MIDDLE) + 2)
    return count


@part
def vertex_contact(d: Detection, to, vertex, count):
    """The point of the shape on a vertex; returns the number of points."""
    q = place_of(d, to, vertex)
    if not reaches(d, q, q):
        return count
    ask = d.terrains.ask
    shape, radius = shape_of(d, ask.a)
    point = (SPHERE, (0.0, 0.0, 0.0), -1)
    turn = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    near, n, gap, _, _ = shortest_way(d, (shape, point, turn, q), radius, d.forms[ask.a].radius)
    if not near or dot(n, mv(to[0], d.terrains.vertices[vertex].normal)) <= 0.0:
        return count
    for k in range(d.terrains.vertices[vertex].neighbours, d.terrains.vertices[vertex + 1].neighbours):
        w = sub(place_of(d, to, d.terrains.neighbours[k]), q)
        if dot(n, w) > ABOVE * math.sqrt(dot(w, w)):
            return count
    return add_point(d, count, axpy(0.5 * gap, n, q), n, gap, 4 * vertex + 1)
