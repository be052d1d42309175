"""Capsule against capsule: the nearest points of two segments; both ends of the overlap where they are parallel.

Nearest points: C. Ericson, Real-Time Collision Detection, 5.1.9. gap = distance - ra - rb, which also is the least
overlap while the segments do not cross. Segments within 8 degrees of parallel touch along a line: the ends of their
overlap are contacts too, where they lie beside each other as seen along the normal; the nearest point between them is
then reported only if it is nearer than both. Features: 0, 1 the ends of the overlap towards -z and +z of a; 2 the
nearest point. Checked in tests/collision/test_closed_forms.py.
"""

from __future__ import annotations

import math

from bunraku.collision.shape_layout import Detection
from bunraku.collision.surface import clamp, direction, perpendicular, put, sign
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import axpy, cross, dot, sub

PARALLEL = 0.99  # cosine from which two capsules may touch along a line
BESIDE = 0.1  # of the sum of radii: how far apart, seen along the normal, axes may be and still touch along a line
NEARER = 1e-9  # of the sum of radii


@inline
def nearest_on_segments(w, ua, ha, ub, hb):
    """(s, t): the points ca + s ua and cb + t ub nearest to each other, |s| <= ha, |t| <= hb; w = ca - cb."""
    c = dot(ua, ub)
    a = dot(ua, w)
    b = dot(ub, w)
    q = 1.0 - c * c
    s = clamp((b * c - a) / q, -ha, ha) if q > 1e-14 else clamp(-a, -ha, ha)
    t = b + c * s
    if t > hb or t < -hb:
        t = clamp(t, -hb, hb)
        s = clamp(c * t - a, -ha, ha)
    return s, t


@inline
def line_normal(ua, ub):
    """A direction for axes that cross: at right angles to both."""
    w = cross(ua, ub)
    return direction(w, math.sqrt(dot(w, w)), perpendicular(ua)) if dot(w, w) > 1e-14 else perpendicular(ua)


@inline
def capsule_capsule(a, b, margin, d: Detection, row):
    """See the module text; the normal points from b to a."""
    ca, ua, ra, ha = a
    cb, ub, rb, hb = b
    w = sub(ca, cb)
    r = ra + rb
    s, t = nearest_on_segments(w, ua, ha, ub, hb)
    x = axpy(s, ua, axpy(-t, ub, w))
    away = math.sqrt(dot(x, x))
    gap = away - r
    if not gap < margin:
        return row
    n = direction(x, away, line_normal(ua, ub))
    nearest = math.inf
    c = dot(ua, ub)
    if abs(c) > PARALLEL:
        middle = -dot(ua, w)  # of b's shadow on the axis of a
        low = max(-ha, middle - abs(c) * hb)
        high = min(ha, middle + abs(c) * hb)
        if high - low > BESIDE * r:
            for end in range(2):
                s2 = low if end == 0 else high
                t2 = clamp(dot(ub, axpy(s2, ua, w)), -hb, hb)
                x2 = axpy(s2, ua, axpy(-t2, ub, w))
                along = dot(n, x2)
                d2 = dot(x2, x2)
                gap2 = sign(along) * math.sqrt(d2) - r
                if gap2 < margin and d2 - along * along < BESIDE * BESIDE * r * r:
                    put(d, row, end, axpy(t2, ub, axpy(rb + 0.5 * gap2, n, cb)), n, gap2)
                    row += 1
                    nearest = min(nearest, gap2)
    if gap < nearest - NEARER * r:
        put(d, row, 2, axpy(t, ub, axpy(rb + 0.5 * gap, n, cb)), n, gap)
        row += 1
    return row
