"""Box against box: the direction of least overlap or of shortest distance, then the polygon of contact.

1. Separating axes (Gottschalk, Lin and Manocha, OBBTree, 1996): the gap along any unit vector n is at most the
   distance, so the largest gap over six face normals and nine products of edges tells boxes that are farther apart
   than `margin`, and gives the least overlap of boxes that meet.
2. For boxes apart, that largest gap *is* the distance if a corner is nearest to a face or two edges to each other; the
   clipped polygon proves it by having a corner with that gap. Otherwise a corner is nearest to an edge or a corner,
   and the distance is the least of 16 distances corner - box, which are closed forms. (A corner that counts as on the
   rim, though it lies beyond, proves an axis where the rim itself is as near: between faces that lie flush and nearly
   touch. The way from that corner to the rim could have any direction.)
3. The faces that look along n are clipped (bunraku.collision.clip); corners with gap < margin are the contacts, up to
   eight.

Normal: from b to a. Checked in tests/collision/test_boxes.py and test_against_coal.py.
"""

from __future__ import annotations

import math

from bunraku.collision.clip import cut_by_rectangle, facing, named, project_face
from bunraku.collision.shape_layout import PAIR_POINTS, ROOM, Detection
from bunraku.collision.surface import clamp, column, pick, put, sign
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import axpy, cross, dot, mm, mt, mtv, mv, scale, sub

SNAP = 1e-4  # of the least half size: corners this close to an edge count as on it
BIAS = 1e-6  # of the least half size: a later axis must be better by this much to be taken
PROOF = 1e-12  # of the greatest half size: how well a polygon must show the gap of its axis
CUT_AWAY = 1e-9  # of the greatest half size: a polygon this much farther than the nearest corner has lost it
FLUSH = 1e-4  # sine of the angle below which two faces are flush
SKEW = 1e-8  # squared sine below which two edges are parallel


@inline
def edge_gap(x, y, cx, cy, hx, hy, rb, c):
    """Gap along the product of edges with cosine c: (|x cy - y cx| - hx |cy| - hy |cx| - rb) / sine."""
    q = 1.0 - c * c
    if q < SKEW:
        return -math.inf
    return (abs(x * cy - y * cx) - hx * abs(cy) - hy * abs(cx) - rb) / math.sqrt(q)


@inline
def best_face(dA, dB, C, hA, hB, bias):
    """(gap, number): the best of the face normals, 0-2 of a, 3-5 of b."""
    gap = -math.inf
    code = 0
    for i in range(3):
        reach = hB[0] * abs(C[3 * i]) + hB[1] * abs(C[3 * i + 1]) + hB[2] * abs(C[3 * i + 2])
        s = abs(dA[i]) - hA[i] - reach
        if s > gap + (bias if i > 0 else 0.0):
            gap = s
            code = i
    for j in range(3):
        s = abs(dB[j]) - hB[j] - (hA[0] * abs(C[j]) + hA[1] * abs(C[3 + j]) + hA[2] * abs(C[6 + j]))
        if s > gap + bias:
            gap = s
            code = 3 + j
    return gap, code


@inline
def best_edges(dA, C, hA, hB):
    """(gap, number): the best of the nine products of edges, 3 i + j."""
    gap = -math.inf
    code = 0
    for i in range(3):
        p = (i + 1) % 3
        q = (i + 2) % 3
        for j in range(3):
            reach = hB[(j + 1) % 3] * abs(C[3 * i + (j + 2) % 3]) + hB[(j + 2) % 3] * abs(C[3 * i + (j + 1) % 3])
            s = edge_gap(dA[q], dA[p], C[3 * q + j], C[3 * p + j], hA[q], hA[p], reach, C[3 * i + j])
            if s > gap:
                gap = s
                code = 3 * i + j
    return gap, code


@inline
def face_normal(RA, RB, dA, dB, code):
    """The face normal of that number, from b towards a."""
    if code < 3:
        return scale(sign(pick(dA, code)), column(RA, code))
    return scale(sign(pick(dB, code - 3)), column(RB, code - 3))


@inline
def edge_normal(RA, RB, d, code):
    """The product of edges of that number, from b towards a."""
    w = cross(column(RA, code // 3), column(RB, code % 3))
    return scale(sign(dot(w, d)) / math.sqrt(dot(w, w)), w)


@inline
def nearest_corner(box, other):
    """(squared distance, corner, vector): of the corners of a box, the one nearest to the other box.

    The vector leads from the nearest point to the corner, in axes of the other box."""
    c, R, h = box
    other_c, other_R, other_h = other
    M = mm(mt(other_R), R)
    m = mtv(other_R, sub(c, other_c))
    best = math.inf
    corner = 0
    away = (0.0, 0.0, 0.0)
    for k in range(8):
        e = (h[0] if k & 1 else -h[0], h[1] if k & 2 else -h[1], h[2] if k & 4 else -h[2])
        f = mv(M, e)
        x = (f[0] + m[0], f[1] + m[1], f[2] + m[2])
        w = (
            x[0] - clamp(x[0], -other_h[0], other_h[0]),
            x[1] - clamp(x[1], -other_h[1], other_h[1]),
            x[2] - clamp(x[2], -other_h[2], other_h[2]),
        )
        q = dot(w, w)
        if q < best:
            best = q
            corner = k
            away = w
    return best, corner, away


@inline
def corner_point(box, k):
    """Corner k of a box in the world."""
    c, R, h = box
    f = mv(R, (h[0] if k & 1 else -h[0], h[1] if k & 2 else -h[1], h[2] if k & 4 else -h[2]))
    return (c[0] + f[0], c[1] + f[1], c[2] + f[2])


@inline
def support(box, n):
    """The point of a box farthest along n."""
    c, R, h = box
    m = mtv(R, n)
    f = mv(R, (sign(m[0]) * h[0], sign(m[1]) * h[1], sign(m[2]) * h[2]))
    return (c[0] + f[0], c[1] + f[1], c[2] + f[2])


@inline
def sine(m, n):
    """Of the angle between two unit vectors."""
    w = cross(m, n)
    return math.sqrt(dot(w, w))


@inline
def box_box(a, b, margin, d: Detection, row):
    """Features: see bunraku.collision.clip."""
    cA, RA, hA = a
    cB, RB, hB = b
    corners = d.clip.corners
    away = sub(cA, cB)
    dA = mtv(RA, away)
    dB = mtv(RB, away)
    C = mm(mt(RA), RB)
    least = min(min(min(hA[0], hA[1]), hA[2]), min(min(hB[0], hB[1]), hB[2]))
    greatest = max(max(max(hA[0], hA[1]), hA[2]), max(max(hB[0], hB[1]), hB[2]))
    slack = PROOF * greatest
    face, face_code = best_face(dA, dB, C, hA, hB, BIAS * least)
    if not face < margin:
        return row
    edge, edge_code = best_edges(dA, C, hA, hB)
    if not edge < margin:
        return row
    edge_first = edge > face + BIAS * least
    gap = max(face, edge)
    n = edge_normal(RA, RB, away, edge_code) if edge_first else face_normal(RA, RB, dA, dB, face_code)
    feature = -1
    point = cA
    iB = 0
    sB = 1.0
    count = 0
    lowest = math.inf
    for attempt in range(3):
        if attempt == 1:  # the polygon did not prove the first axis: two edges may be nearest
            if edge_first or edge <= face:
                continue
            n = edge_normal(RA, RB, away, edge_code)
        if attempt == 2:  # a corner is nearest to an edge or a corner
            qa, ka, wa = nearest_corner(a, b)
            qb, kb, wb = nearest_corner(b, a)
            gap = math.sqrt(min(qa, qb))
            if not gap < margin:
                return row
            if gap > 1e-12 * greatest:
                n = scale(1.0 / gap, mv(RB, wa)) if qa <= qb else scale(-1.0 / gap, mv(RA, wb))
            feature = ka if qa <= qb else 8 + kb
            corner = corner_point(a, ka) if qa <= qb else corner_point(b, kb)
            point = axpy(-0.5 * gap if qa <= qb else 0.5 * gap, n, corner)
        iB, sB = facing(RB, n)
        iA, sA = facing(RA, scale(-1.0, n))
        project_face(a, (iA, sA), b, (iB, sB), n, d.clip)
        hu = pick(hB, (iB + 1) % 3)
        hv = pick(hB, (iB + 2) % 3)
        count = cut_by_rectangle(d.clip, ROOM, 4, hu, hv, SNAP * least)
        lowest = math.inf
        proven = gap <= 0.0
        slope = sine(column(RA, iA), n) + sine(column(RB, iB), n)
        for k in range(count):
            g = corners[k].gap
            lowest = min(lowest, g)
            if g <= max(face, edge) + slack:  # the rim is at most 4 times farther than what lies beyond it is wide
                beyond = max(abs(corners[k].u) - hu, abs(corners[k].v) - hv)
                if beyond <= slack or (slope < FLUSH and 4.0 * slope * beyond <= CUT_AWAY * greatest):
                    proven = True
        if proven:
            break
    first = row
    if feature >= 0 and lowest > gap + CUT_AWAY * greatest:  # the nearest corner lies on the rim and was cut away
        put(d, row, feature, point, n, gap)
        return row + 1
    top = axpy(sB * pick(hB, iB), column(RB, iB), cB)
    eu = column(RB, (iB + 1) % 3)
    ev = column(RB, (iB + 2) % 3)
    for k in range(count):
        g = corners[k].gap
        if g < margin and row < first + PAIR_POINTS:
            x = axpy(corners[k].u, eu, axpy(corners[k].v, ev, axpy(0.5 * g, n, top)))
            put(d, row, named(d.clip.names[k].feature, iB, sB), x, n, g)
            row += 1
    if row == first and gap < margin:  # deep overlap whose faces do not meet in the projection: the two extreme points
        x = support(a, scale(-1.0, n))
        y = support(b, n)
        put(d, row, 0, (0.5 * (x[0] + y[0]), 0.5 * (x[1] + y[1]), 0.5 * (x[2] + y[2])), n, gap)
        row += 1
    return row
