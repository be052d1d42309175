"""Terrain: a convex shape against triangles that stand still, without bumps where triangles meet.

The ground is the surface of a solid. A contact belongs to a face, an edge or a vertex of it, and its normal to what
looks out there: of a face its own normal, of an edge the directions between its two faces, of a vertex those that no
neighbour stands above. Where the surface is flat or hollow there is no such direction but the faces' own, so an inner
edge is never felt. Triangles of one plane that hang together are one face: on a flat floor of any triangles a box has
its four corners and a ball its one point, as on a plane.

    boxes of the tree (bunraku.collision.terrain_arrays) near the shape  ->  this file: faces
    ->  edges and vertices that stand out (terrain_edges)  ->  patches and contacts (terrain_rows)

At a face: points of the shape (corners, ends, the lowest one) above its triangle; where a flat part lies flush on it,
the corners of what they share, too. A point below the surface counts for a face where it is no deeper below it than
below the faces that fall away from it across convex edges: the way out is the short one. Of a surface with one side
(a mesh) the shape's centre must be above the face; all below a height field is ground. Everything is in the axes of the
shape. Cost: 0.1 us and 20 to 50 ns a triangle nearby. Checked in tests/collision/test_terrain_contacts.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bunraku.collision.boxes import SNAP
from bunraku.collision.clip import CUT, cut, store
from bunraku.collision.convex import shape_of, shortest
from bunraku.collision.convex_support import first_vertex, looking_part, support
from bunraku.collision.shape_layout import POLYGON, Detection
from bunraku.collision.terrain_edges import edge_contacts, vertex_contact
from bunraku.collision.terrain_layout import EDGE, FLAT, OWN_EDGE
from bunraku.collision.terrain_points import EDGE_BITS, LOWEST, add_point, corner_of, own_feature, seen_from
from bunraku.collision.terrain_rows import put_rows
from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import phase
from bunraku.kernel.vec import add, axpy, cross, dot, mm, mt, mtv, mv, scale, sub

LEVEL = 1e-6  # 1 - cosine: a flat part that leans by no more than 1.4 mrad lies flush
SHOWN = 1e-7  # of the size: how well a corner must show the gap
EQUAL = 1e-9  # of the size: ways out that are as long


@inline
def inside(to, tri, n, x, snap):
    """Whether a place in the axes of the shape lies above or below a triangle, seen along n of the terrain's axes."""
    y = mtv(to[0], sub(x, to[1]))
    for k in range(3):
        p = corner_of(tri, k)
        e = sub(corner_of(tri, k + 1), p)
        out = dot(cross(e, n), sub(y, p))
        if out > 0.0 and out * out > snap * snap * dot(e, e):
            return False
    return True


@part
def deeper_elsewhere(d: Detection, to, tri, n, x, gap, radius):
    """Whether a point that is below a face is nearer to the outside across one of the triangle's convex edges."""
    for k in range(3):
        if tri.edges & (EDGE << k) == 0:
            continue
        p = seen_from(to, corner_of(tri, k))
        if tri.beside[k] >= 0:
            m = mv(to[0], d.terrains.triangles[tri.beside[k]].normal)
        else:
            m = cross(sub(seen_from(to, corner_of(tri, k + 1)), p), n)
            m = scale(1.0 / math.sqrt(dot(m, m)), m)
        if dot(m, sub(x, p)) - radius > gap + EQUAL * d.forms[d.terrains.ask.a].radius:
            return True
    return False


@inline
def flush(d: Detection, corners, face, n):
    """Whether the part of the shape lies flush on a face of normal n."""
    if corners > 2:
        return -dot(face, n) > 1.0 - LEVEL
    e = sub(d.convex.part_a[1].place, d.convex.part_a[0].place)
    q = dot(e, n)
    return q * q < 2.0 * LEVEL * dot(e, e)


@part
def clip_face(d: Detection, to, tri, n, corners, snap):
    """Clip the shape's part, `part_a`, to a triangle; returns (corners, where in `clip`, axis of u, axis of v)."""
    p = seen_from(to, tri.place_0)
    ex = sub(seen_from(to, tri.place_1), p)
    ex = axpy(-dot(ex, n), n, ex)
    ex = scale(1.0 / math.sqrt(dot(ex, ex)), ex)
    ey = cross(n, ex)
    for k in range(corners):
        i = k if corners == 2 else corners - 1 - k  # anticlockwise about n
        x = sub(d.convex.part_a[i].place, p)
        store(d.clip, k, dot(x, ex), dot(x, ey), dot(x, n), i, 0 if corners == 2 else (i - 1) % corners)
    at: Any = np.int64(0)  # not the constant 0, for which `cut` would be compiled a second time
    count = corners
    pu = 0.0
    pv = 0.0
    for line in range(3):
        y = sub(seen_from(to, corner_of(tri, line + 1)), p)
        qu = dot(y, ex)
        qv = dot(y, ey)
        length = math.sqrt((qu - pu) * (qu - pu) + (qv - pv) * (qv - pv))
        nu = (qv - pv) / length
        nv = (pu - qu) / length
        count = cut(d.clip, at, POLYGON - at, POLYGON, count, (nu, nv, nu * pu + nv * pv, line), snap)
        at = POLYGON - at
        pu = qu
        pv = qv
    return count, at, ex, ey


@inline
def feature_of(d: Detection, tri, said):
    """The feature of a corner from what `cut` wrote; -1 for one that lies inside the face."""
    if said >= 0:
        return own_feature(d.convex.part_a[said].number)
    edge = (-1 - said) >> 12
    line = (-1 - said) & 4095
    if edge < CUT:
        if tri.edges & (FLAT << line) != 0:
            return -1
        return 4 * ((tri.edge[line] << EDGE_BITS) + d.convex.part_a[edge].number % (1 << EDGE_BITS)) + 2
    other = edge - CUT
    vertex = tri.corner[line if (other + 1) % 3 == line else other]
    if d.terrains.vertices[vertex].inner == 1:
        return -1
    return 4 * vertex + 1


@part
def face_contacts(d: Detection, to, tri, seen, count, size):
    """Points of the shape on one triangle. seen: (n, lowest point y of the core and its gap, corners and normal of the
    part that looks down, radius). Returns the number of points."""
    n, y, low, corners, face, radius = seen
    margin = d.terrains.ask.margin
    snap = SNAP * shortest(d.forms[d.terrains.ask.a].half)
    p = seen_from(to, tri.place_0)
    shown = math.inf
    if corners > 1:
        flat = flush(d, corners, face, n)
        found, at, ex, ey = clip_face(d, to, tri, n, corners, snap)
        for k in range(found):
            c = d.clip.corners[at + k]
            gap = c.gap - radius
            said = d.clip.names[at + k].feature
            if gap >= margin or (said < 0 and not flat):
                continue
            feature = feature_of(d, tri, said)
            if feature < 0:
                continue
            x = add(p, axpy(c.u, ex, axpy(c.v, ey, scale(c.gap, n))))
            if gap < 0.0 and deeper_elsewhere(d, to, tri, n, x, gap, radius):
                continue
            count = add_point(d, count, axpy(-(radius + 0.5 * gap), n, x), n, gap, feature)
            shown = min(shown, gap)
    if shown > low + SHOWN * size and inside(to, tri, tri.normal, y, snap):
        if not (low < 0.0 and deeper_elsewhere(d, to, tri, n, y, low, radius)):
            count = add_point(d, count, axpy(-(radius + 0.5 * low), n, y), n, low, LOWEST)
    return count


@inline
def overlap(node, low, high):
    """Whether the box of a node or a triangle meets another."""
    a = node.low
    b = node.high
    return (
        a[0] <= high[0] and b[0] >= low[0] and a[1] <= high[1] and b[1] >= low[1] and a[2] <= high[2] and b[2] >= low[2]
    )


@part
def all_faces(d: Detection, to, head, bounds, size):
    """Points on the faces of a terrain within bounds (low, high); returns their number."""
    low, high = bounds
    ask = d.terrains.ask
    shape, radius = shape_of(d, ask.a)
    start = first_vertex(d.hulls, shape, (0.0, 0.0, -1.0))
    count = np.int64(0)
    before = -1
    n = (0.0, 0.0, 1.0)
    y = n
    face = n
    off = 0.0
    gap = 0.0
    corners = np.int64(0)
    deep = math.inf  # of a shape whose centre is below the ground
    under = n
    under_y = n
    node = d.terrains.heads[head].nodes
    end = node + d.terrains.heads[head].count
    solid = d.terrains.heads[head].solid
    while node < end:
        this = d.terrains.nodes[node]
        if not overlap(this, low, high):
            node = this.skip
            continue
        node += 1
        for k in range(this.first, this.first + this.count):
            tri = d.terrains.triangles[k]
            if tri.face != before:
                before = tri.face
                n = mv(to[0], tri.normal)
                off = tri.height + dot(n, to[1])
                y, start = support(d.hulls, shape, scale(-1.0, n), start)
                gap = dot(n, y) - off - radius
                corners = np.int64(0)
            if gap >= ask.margin or (off > 0.0 and solid == 0) or not overlap(tri, low, high):
                continue
            if corners == 0:
                corners, face = looking_part(d.hulls, shape, scale(-1.0, n), start, d.convex.part_a)
            count = face_contacts(d, to, tri, (n, y, gap, corners, face, radius), count, size)
            if off > 0.0 and inside(to, tri, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 0.0):
                deep = gap
                under = n
                under_y = y
    if count == 0 and deep < math.inf:
        count = add_point(d, count, axpy(-(radius + 0.5 * deep), under, under_y), under, deep, LOWEST)
    return count


@part
def all_edges(d: Detection, to, head, bounds, count):
    """The same at edges and vertices that stand out; returns the number of all points."""
    low, high = bounds
    node = d.terrains.heads[head].nodes
    end = node + d.terrains.heads[head].count
    while node < end:
        this = d.terrains.nodes[node]
        if not overlap(this, low, high):
            node = this.skip
            continue
        node += 1
        for k in range(this.first, this.first + this.count):
            tri = d.terrains.triangles[k]
            if (tri.edges < OWN_EDGE and tri.owned == 0) or not overlap(tri, low, high):
                continue
            for i in range(3):
                if tri.edges & (OWN_EDGE << i) != 0:
                    count = edge_contacts(d, to, tri, i, count)
                if tri.owned & (1 << i) != 0:
                    count = vertex_contact(d, to, tri.corner[i], count)
    return count


@phase
def terrain_contacts(h):
    """Contacts of the shape and the terrain in `TerrainAsk`; returns the next free row, or FULL."""
    d = Detection(h)
    ask = d.terrains.ask
    a = ask.a
    b = ask.b
    R = mm(mt(ask.turn_a), ask.turn_b)
    t = mtv(ask.turn_a, sub(d.now[b].centre, d.now[a].centre))
    to = (R, t)
    c = mtv(R, scale(-1.0, t))  # the shape's centre in the axes of the terrain
    half = d.forms[a].half
    head = d.kinds[b].hull
    reach = (
        abs(R[0]) * half[0] + abs(R[3]) * half[1] + abs(R[6]) * half[2] + ask.margin,
        abs(R[1]) * half[0] + abs(R[4]) * half[1] + abs(R[7]) * half[2] + ask.margin,
        abs(R[2]) * half[0] + abs(R[5]) * half[1] + abs(R[8]) * half[2] + ask.margin,
    )
    low = sub(c, reach)
    high = add(c, reach)
    if d.terrains.heads[head].solid == 1:
        high = (high[0], high[1], math.inf)
    size = d.forms[a].radius
    count = all_faces(d, to, head, (low, high), size)
    count = all_edges(d, to, head, (low, add(c, reach)), count)
    return put_rows(d, count)
