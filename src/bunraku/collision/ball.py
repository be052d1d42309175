"""Sphere against sphere, capsule and box: the nearest point of the other shape's core, and the distance to it.

gap = |c - x| - r, n = (c - x) / |c - x| for the nearest core point x. A centre inside a box leaves through the
nearest face. Where the centre lies on the core itself, the direction is a fixed one, so that the result is finite and
repeatable. One contact, feature 0. Checked in tests/collision/test_closed_forms.py and test_against_coal.py.
"""

from __future__ import annotations

import math

from bunraku.collision.shape_layout import Detection
from bunraku.collision.surface import clamp, direction, perpendicular, pick, put, sign
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import axpy, dot, mtv, mv, sub


@inline
def ball_ball(a, b, otherwise, feature, margin, d: Detection, row):
    """The normal points from b to a."""
    x, rx = a
    y, ry = b
    w = sub(x, y)
    away = math.sqrt(dot(w, w))
    gap = away - rx - ry
    if gap < margin:
        n = direction(w, away, otherwise)
        put(d, row, feature, axpy(ry + 0.5 * gap, n, y), n, gap)
        row += 1
    return row


@inline
def sphere_sphere(a, b, margin, d: Detection, row):
    """Feature 0."""
    return ball_ball(a, b, (0.0, 0.0, 1.0), 0, margin, d, row)


@inline
def capsule_sphere(capsule, ball, margin, d: Detection, row):
    """The capsule is a, the sphere b."""
    c, axis, radius, half = capsule
    t = clamp(dot(axis, sub(ball[0], c)), -half, half)
    return ball_ball((axpy(t, axis, c), radius), ball, perpendicular(axis), 0, margin, d, row)


@inline
def box_sphere(box, ball, margin, d: Detection, row):
    """The box is a, the sphere b."""
    c, R, h = box
    s, rs = ball
    x = mtv(R, sub(s, c))
    q = (clamp(x[0], -h[0], h[0]), clamp(x[1], -h[1], h[1]), clamp(x[2], -h[2], h[2]))
    w = sub(x, q)
    away = math.sqrt(dot(w, w))
    if away > 1e-150:
        gap = away - rs
        out = (w[0] / away, w[1] / away, w[2] / away)
    else:
        depth = (h[0] - abs(x[0]), h[1] - abs(x[1]), h[2] - abs(x[2]))
        i = 0
        if depth[1] < depth[0]:
            i = 1
        if depth[2] < pick(depth, i):
            i = 2
        gap = -pick(depth, i) - rs
        t = sign(pick(x, i))
        out = (t if i == 0 else 0.0, t if i == 1 else 0.0, t if i == 2 else 0.0)
    if gap < margin:
        n = mv(R, out)  # from the box to the sphere
        put(d, row, 0, axpy(-(rs + 0.5 * gap), n, s), (-n[0], -n[1], -n[2]), gap)
        row += 1
    return row
