"""Box against capsule: as box against box (bunraku.collision.boxes), with a segment for one box, minus the radius.

Separating axes: three face normals and three products edge x axis; corner distances: two ends to the box, eight
corners to the segment. The segment is projected along the normal onto the face of the box and cut there, so that a
capsule lying on a box gives two contacts. Everything is computed in axes of the box. Features: 0, 1 the ends at -z
and +z of the capsule; 2 + e the axis over edge e of the box; 14 the nearest point. Checked in
tests/collision/test_closed_forms.py and test_against_coal.py.
"""

from __future__ import annotations

import math

from bunraku.collision.boxes import BIAS, CUT_AWAY, PROOF, SKEW, SNAP
from bunraku.collision.shape_layout import Detection
from bunraku.collision.surface import clamp, largest, pick, put, side_edge, sign
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import axpy, cross, dot, mtv, mv, scale, sub


@inline
def unit(i, s):
    """s times the axis i."""
    return (s if i == 0 else 0.0, s if i == 1 else 0.0, s if i == 2 else 0.0)


@inline
def nearest_of_corners(c, u, half, h):
    """(squared distance, vector from box to segment, place on the segment): corners of one against the other."""
    best = math.inf
    away = (0.0, 0.0, 1.0)
    at = 0.0
    for end in range(2):
        t = -half if end == 0 else half
        x = axpy(t, u, c)
        w = (x[0] - clamp(x[0], -h[0], h[0]), x[1] - clamp(x[1], -h[1], h[1]), x[2] - clamp(x[2], -h[2], h[2]))
        if dot(w, w) < best:
            best = dot(w, w)
            away = w
            at = t
    for k in range(8):
        w = sub(c, (h[0] if k & 1 else -h[0], h[1] if k & 2 else -h[1], h[2] if k & 4 else -h[2]))
        t = clamp(-dot(u, w), -half, half)
        w = axpy(t, u, w)
        if dot(w, w) < best:
            best = dot(w, w)
            away = w
            at = t
    return best, away, at


@inline
def cut_segment(u0, v0, u1, v1, hu, hv, tol):
    """(t0, t1, line0, line1): the part of a segment inside |u| <= hu, |v| <= hv, and what cut its ends (-1: nothing).

    It is empty where t0 > t1."""
    t0 = 0.0
    t1 = 1.0
    line0 = -1
    line1 = -1
    for line in range(4):
        s = 1.0 if line < 2 else -1.0
        a = s * u0 - hu if line % 2 == 0 else s * v0 - hv
        b = s * u1 - hu if line % 2 == 0 else s * v1 - hv
        if a > tol and b > tol:
            return 1.0, 0.0, -1, -1
        if a > tol and a - b > tol:
            t = min(a / (a - b), 1.0)
            if t > t0:
                t0 = t
                line0 = line
        elif b > tol and b - a > tol:
            t = max(a / (a - b), 0.0)
            if t < t1:
                t1 = t
                line1 = line
    return t0, t1, line0, line1


@inline
def box_capsule(box, capsule, margin, d: Detection, row):
    """The box is a, the capsule b; the normal points from the capsule to the box."""
    cB, R, h = box
    cC, axis, radius, half = capsule
    c = mtv(R, sub(cC, cB))
    u = mtv(R, axis)
    least = min(min(min(h[0], h[1]), h[2]), radius)
    greatest = max(max(max(h[0], h[1]), h[2]), half + radius)
    slack = PROOF * greatest
    face = -math.inf
    fi = 0
    for i in range(3):
        s = abs(c[i]) - h[i] - half * abs(u[i])
        if s > face + (BIAS * least if i > 0 else 0.0):
            face = s
            fi = i
    reach = margin + radius
    if not face < reach:
        return row
    edge = -math.inf
    e = (0.0, 0.0, 1.0)
    for i in range(3):
        q = 1.0 - u[i] * u[i]
        if q > SKEW:
            w = cross(unit(i, 1.0), u)
            s = (abs(dot(c, w)) - h[0] * abs(w[0]) - h[1] * abs(w[1]) - h[2] * abs(w[2])) / math.sqrt(q)
            if s > edge:
                edge = s
                e = scale(sign(dot(c, w)) / math.sqrt(q), w)
    if not edge < reach:
        return row
    # n: unit, from the box to the capsule, in axes of the box
    n = unit(fi, sign(pick(c, fi)))
    edge_first = edge > face + BIAS * least
    if edge_first:
        n = e
    gap = max(face, edge)
    at = 0.0
    nearest = False
    t0 = 1.0
    t1 = 0.0
    line0 = -1
    line1 = -1
    g0 = 0.0
    g1 = 0.0
    i = 0
    for attempt in range(3):
        if attempt == 1:
            if edge_first or edge <= face:
                continue
            n = e
        if attempt == 2:
            q, away, at = nearest_of_corners(c, u, half, h)
            gap = math.sqrt(q)
            if not gap < reach:
                return row
            if gap > 1e-12 * greatest:
                n = scale(1.0 / gap, away)
            nearest = True
        i = largest(n)
        j = (i + 1) % 3
        k = (i + 2) % 3
        x0 = axpy(-half, u, c)
        x1 = axpy(half, u, c)
        slant = 1.0 / pick(n, i)
        g0 = (pick(x0, i) - sign(pick(n, i)) * pick(h, i)) * slant
        g1 = (pick(x1, i) - sign(pick(n, i)) * pick(h, i)) * slant
        y0 = axpy(-g0, n, x0)
        y1 = axpy(-g1, n, x1)
        tol = SNAP * least
        t0, t1, line0, line1 = cut_segment(
            pick(y0, j), pick(y0, k), pick(y1, j), pick(y1, k), pick(h, j), pick(h, k), tol
        )
        lowest = math.inf
        proven = gap <= 0.0
        if t0 <= t1:
            for end in range(2):
                t = t0 if end == 0 else t1
                g = g0 + t * (g1 - g0)
                lowest = min(lowest, g)
                if g <= max(face, edge) + slack:  # an end that only counts as on the rim proves nothing
                    y = axpy(t, sub(y1, y0), y0)
                    if abs(pick(y, j)) <= pick(h, j) + slack and abs(pick(y, k)) <= pick(h, k) + slack:
                        proven = True
        if proven:
            break
        if attempt == 2 and lowest > gap + CUT_AWAY * greatest:
            t0 = 1.0
            t1 = 0.0
    out = mv(R, scale(-1.0, n))
    first = row
    if t0 <= t1:
        for end in range(2):
            t = t0 if end == 0 else t1
            line = line0 if end == 0 else line1
            g = g0 + t * (g1 - g0) - radius
            if g < margin and (end == 0 or (t1 - t0) * half > SNAP * least or row == first):
                x = axpy((2.0 * t - 1.0) * half, axis, cC)
                feature = end if line < 0 else 2 + side_edge(i, sign(pick(n, i)), line)
                put(d, row, feature, axpy(radius + 0.5 * g, out, x), out, g)
                row += 1
    if row == first and gap - radius < margin:
        if not nearest:  # deep overlap: the axis lies beside the face; its end that is deepest
            at = half * sign(-dot(n, u))
        x = axpy(at, axis, cC)
        put(d, row, 14, axpy(radius + 0.5 * (gap - radius), out, x), out, gap - radius)
        row += 1
    return row
