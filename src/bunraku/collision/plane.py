"""Plane against sphere, capsule and box: the gap of a point x is n . (x - p), minus the radius of what is round.

n is the z axis of the plane, p a point on it; free space is z > 0. The corners of a box are those of the face that
looks at the plane, so a box gives up to four contacts, in order about n; a capsule two, at its ends. Checked in
tests/collision/test_closed_forms.py.
"""

from __future__ import annotations

from bunraku.collision.clip import corner_signs, vertex_id
from bunraku.collision.surface import column, largest, pick, put
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import axpy, dot, mtv, scale, sub


@inline
def plane_point(x, radius, p, n, feature, margin, ids, data, row):
    """A ball of any radius about x against the plane."""
    gap = dot(n, sub(x, p)) - radius
    if gap < margin:
        put(ids, data, row, feature, axpy(-(radius + 0.5 * gap), n, x), n, gap)
        row += 1
    return row


@inline
def capsule_plane(c, axis, radius, half, p, n, margin, ids, data, row):
    """Features 0 and 1: the ends at -z and +z of the capsule."""
    row = plane_point(axpy(-half, axis, c), radius, p, n, 0, margin, ids, data, row)
    return plane_point(axpy(half, axis, c), radius, p, n, 1, margin, ids, data, row)


@inline
def box_plane(c, R, h, p, n, margin, ids, data, row):
    """Feature: the corner of the box, 0 to 7."""
    m = mtv(R, n)
    i = largest(m)
    j = (i + 1) % 3
    k = (i + 2) % 3
    s = -1.0 if pick(m, i) > 0.0 else 1.0  # the face that looks at the plane
    middle = axpy(s * pick(h, i), column(R, i), c)
    ej = scale(pick(h, j), column(R, j))
    ek = scale(pick(h, k), column(R, k))
    base = dot(n, sub(middle, p))
    gj = dot(n, ej)
    gk = dot(n, ek)
    for corner in range(4):
        sj, sk = corner_signs(corner, -s)
        gap = base + sj * gj + sk * gk
        if gap < margin:
            x = axpy(sj, ej, axpy(sk, ek, middle))
            put(ids, data, row, vertex_id(i, s, sj, sk), axpy(-0.5 * gap, n, x), n, gap)
            row += 1
    return row
