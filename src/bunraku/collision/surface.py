"""Pieces that the shape pairs share: where shapes are, entries of small tuples, directions, corners and edges of a box by
number, writing a contact.

Vectors are tuples (bunraku.kernel.vec), everything is in world axes unless a name says otherwise. Placed shapes are
tuples, too: a box (centre, rotation, half sizes), a capsule (centre, axis, radius, half length), a ball (centre,
radius), a plane (point, normal). Corner of a box = 1 (x > 0) + 2 (y > 0) + 4 (z > 0); edge along axis i = 4 i +
(next axis > 0) + 2 (next but one > 0).
"""

from __future__ import annotations

import math

from bunraku.collision.shape_layout import PLANE, Detection
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import add, cross, dot, ld3, ld9, mm, mv, scale, sub


@inline
def put(d: Detection, row, feature, point, n, gap):
    """Write one contact; the shapes and the patch are filled in by the caller of the pair."""
    d.ids[row].feature = feature
    contact = d.contacts[row]
    contact.point = point
    contact.normal = n
    contact.gap = gap


@inline
def pick(x, i):
    """x[i] of a v3 for an index known at run time only."""
    return x[0] if i == 0 else (x[1] if i == 1 else x[2])


@inline
def column(m, i):
    """Column i of an m3 for an index known at run time only."""
    return (pick((m[0], m[1], m[2]), i), pick((m[3], m[4], m[5]), i), pick((m[6], m[7], m[8]), i))


@inline
def clamp(x, low, high):
    """x, or the nearer end of [low, high]."""
    return low if x < low else (high if x > high else x)


@inline
def sign(x):
    """-1 below zero, else 1."""
    return -1.0 if x < 0.0 else 1.0


@inline
def largest(x):
    """Index of the entry of a v3 that is largest in size; the first where they are equal."""
    a = abs(x[0])
    b = abs(x[1])
    c = abs(x[2])
    return (0 if a >= c else 2) if a >= b else (1 if b >= c else 2)


@inline
def perpendicular(u):
    """A unit vector at right angles to the unit vector u, depending on u alone."""
    i = 0 if abs(u[0]) < 0.7 else 1
    w = cross(u, (1.0, 0.0, 0.0)) if i == 0 else cross(u, (0.0, 1.0, 0.0))
    return scale(1.0 / math.sqrt(dot(w, w)), w)


@inline
def direction(w, length, otherwise):
    """w / length, or `otherwise` where the length is too small to give a direction."""
    return scale(1.0 / length, w) if length > 1e-150 else otherwise


@inline
def corner_signs(corner, turn):
    """Signs along the two axes j, k of a face of axis i, for its corners 0-3 anticlockwise about turn * axis i."""
    first = 1.0 if corner == 0 or corner == 3 else -1.0
    second = 1.0 if corner < 2 else -1.0
    if turn > 0.0:
        return first, second
    return second, first


@inline
def bit(s):
    """1 for a positive sign, else 0."""
    return 1 if s > 0.0 else 0


@inline
def vertex_id(i, si, sj, sk):
    """Corner of a box from its signs along i, j = i + 1, k = i + 2 (modulo 3)."""
    return (bit(si) << i) + (bit(sj) << ((i + 1) % 3)) + (bit(sk) << ((i + 2) % 3))


@inline
def edge_id(axis, next_sign, last_sign):
    """Edge of a box along `axis`, from its signs along axis + 1 and axis + 2 (modulo 3)."""
    return 4 * axis + bit(next_sign) + 2 * bit(last_sign)


@inline
def side_edge(i, si, line):
    """Edge of a box on line 0-3 (+u, +v, -u, -v) of its face si * axis i, whose u, v are the next two axes."""
    s = 1.0 if line < 2 else -1.0
    if line == 0 or line == 2:
        return edge_id((i + 2) % 3, si, s)
    return edge_id((i + 1) % 3, s, si)


@inline
def place_shapes(d: Detection, poses, stride):
    """Find the centre of every shape in the world."""
    for s in range(len(d.kinds)):
        x = d.forms[s].place
        body = d.kinds[s].body
        if body > 0:
            x = add(mv(ld9(poses, body * stride), x), ld3(poses, body * stride + 9))
        d.now[s].centre = x


@inline
def rotation_of(d: Detection, poses, stride, s):
    """World <- shape."""
    body = d.kinds[s].body
    if body == 0:
        return d.forms[s].turn
    if d.kinds[s].straight == 1:
        return ld9(poses, body * stride)
    return mm(ld9(poses, body * stride), d.forms[s].turn)


@inline
def axis_of(d: Detection, poses, stride, s):
    """The z axis of a shape in the world."""
    turn = d.forms[s].turn
    z = (turn[2], turn[5], turn[8])
    body = d.kinds[s].body
    return z if body == 0 else mv(ld9(poses, body * stride), z)


@inline
def near(d: Detection, poses, stride, margin, a, b):
    """Whether the bounding spheres of two shapes, or a sphere and a plane, are closer than the margin."""
    w = sub(d.now[a].centre, d.now[b].centre)
    if d.kinds[b].kind == PLANE:
        return dot(w, axis_of(d, poses, stride, b)) < d.forms[a].radius + margin
    if d.kinds[a].kind == PLANE:
        return -dot(w, axis_of(d, poses, stride, a)) < d.forms[b].radius + margin
    r = d.forms[a].radius + d.forms[b].radius + margin
    return dot(w, w) < r * r
