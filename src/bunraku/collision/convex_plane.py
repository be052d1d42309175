"""Cylinder, cone, ellipsoid and hull against a plane, in closed form: the lowest point, and the part that looks down.

The gap of a point x is n . (x - p). A face that looks at the plane gives its corners, a line its ends; of curved rims,
and wherever these do not show the least gap, the lowest point is added. Features: bunraku.collision.convex_patch.
Checked in tests/collision/test_convex_plane.py.
"""

from __future__ import annotations

from bunraku.collision.convex_patch import candidate, put_candidates, turn_candidates
from bunraku.collision.convex_support import first_vertex, looking_part, support
from bunraku.collision.shape_layout import Detection
from bunraku.kernel.compile import part
from bunraku.kernel.vec import axpy, dot, mtv, scale, sub


@part
def convex_plane(d: Detection, shape, place, plane, size):
    """Contacts of a shape at `place` (centre, rotation) with a plane (point, normal); returns the next free row."""
    centre, turn = place
    p, normal = plane
    n = mtv(turn, normal)
    down = scale(-1.0, n)
    height = dot(normal, sub(centre, p))
    x, vertex = support(d.hulls, shape, down, first_vertex(d.hulls, shape, down))
    low = height + dot(n, x)
    if not low < d.convex.meeting.margin:
        return d.convex.meeting.row
    corners, _ = looking_part(d.hulls, shape, down, vertex, d.convex.part_a)
    count = 0
    if corners > 1:
        for k in range(corners):
            y = d.convex.part_a[k].place
            gap = height + dot(n, y)
            count = candidate(d, count, axpy(-0.5 * gap, n, y), gap, 4 * d.convex.part_a[k].number)
    turn_candidates(d, count)  # seen from outside they go clockwise about n
    return put_candidates(d, count, place, (axpy(-0.5 * low, n, x), low), n, size)
