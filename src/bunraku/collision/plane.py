"""Plane against sphere, capsule and box: the gap of a point x is n . (x - p), minus the radius of what is round.

n is the z axis of the plane, p a point on it; free space is z > 0. The corners of a box are those of the face that
looks at the plane, so a box gives up to four contacts, in order about n; a capsule two, at its ends. Checked in
tests/collision/test_closed_forms.py.
"""

from __future__ import annotations

from bunraku.collision.shape_layout import Detection
from bunraku.collision.surface import column, corner_signs, largest, pick, put, vertex_id
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import axpy, dot, mtv, scale, sub


@inline
def ball_plane(ball, plane, feature, margin, d: Detection, row):
    """A ball of any radius against the plane."""
    x, radius = ball
    p, n = plane
    gap = dot(n, sub(x, p)) - radius
    if gap < margin:
        put(d, row, feature, axpy(-(radius + 0.5 * gap), n, x), n, gap)
        row += 1
    return row


@inline
def capsule_plane(capsule, plane, margin, d: Detection, row):
    """Features 0 and 1: the ends at -z and +z of the capsule."""
    c, axis, radius, half = capsule
    row = ball_plane((axpy(-half, axis, c), radius), plane, 0, margin, d, row)
    return ball_plane((axpy(half, axis, c), radius), plane, 1, margin, d, row)


@inline
def box_plane(box, plane, margin, d: Detection, row):
    """Feature: the corner of the box, 0 to 7."""
    c, R, h = box
    p, n = plane
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
            put(d, row, vertex_id(i, s, sj, sk), axpy(-0.5 * gap, n, x), n, gap)
            row += 1
    return row
