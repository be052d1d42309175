"""Pieces that the shape pairs share: choosing an entry of a small tuple, directions, writing a contact row.

Vectors are tuples (bunraku.kernel.vec); everything is in world axes unless a name says otherwise.
"""

from __future__ import annotations

import math

from bunraku.collision.shape_layout import FEATURE, GAP, NORMAL, POINT
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import cross, dot, scale


@inline
def put(ids, data, row, feature, point, n, gap):
    """Write one contact; the shapes and the patch are filled in by the caller of the pair."""
    ids[row, FEATURE] = feature
    data[row, POINT] = point[0]
    data[row, POINT + 1] = point[1]
    data[row, POINT + 2] = point[2]
    data[row, NORMAL] = n[0]
    data[row, NORMAL + 1] = n[1]
    data[row, NORMAL + 2] = n[2]
    data[row, GAP] = gap


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
