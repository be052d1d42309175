"""The patch of contact of two convex shapes whose normal and gap are known: parts that look at each other, clipped.

The part of each shape that looks along the normal n (bunraku.collision.convex_support) is projected along n; a polygon
is cut by the other polygon's edges (bunraku.collision.clip), a line by a polygon, and of two parallel lines the common
stretch is taken. Gaps are linear over flat parts and come along. Where no corner shows the gap of the shapes, their
nearest point is added. Of more than PAIR_POINTS corners the deepest stays, and those farthest along directions that are
fixed to a shape. Corners stand anticlockwise about n, so that contact regions find their polygon.

Features: 4 k corner k of a, 4 k + 1 of b, 4 (2^16 e_a + e_b) + 2 edges that cross (an edge has the number of its first
corner), 3 the nearest point. Everything is in the axes of a. Checked in tests/collision/test_convex.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bunraku.collision.clip import CUT, cut, store
from bunraku.collision.convex_support import COS, SIN
from bunraku.collision.shape_layout import PAIR_POINTS, POLYGON, Detection
from bunraku.collision.surface import clamp, put
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, cross, dot, mv, scale, sub

STEEP = 0.1  # least cosine between the normal and that of a face it can be clipped on
PARALLEL = 0.9999  # cosine from which two lines are
SHOWN = 1e-7  # of the size: how well a corner must show the gap
NEAREST = 3


@inline
def candidate(d: Detection, count, place, gap, feature):
    """One more, unless its feature is there; returns their number."""
    listed = d.convex.candidates
    for k in range(count):
        if listed[k].feature == feature:
            return count
    listed[count].place = place
    listed[count].gap = gap
    listed[count].feature = feature
    listed[count].kept = 1
    return count + 1


@inline
def crossing(own, reference, flip, feature, m):
    """The feature of a corner from what `cut` wrote: own, reference: numbers by corner; m: edges of the reference."""
    if feature >= 0:
        return 4 * own[feature].number + (1 if flip else 0)
    edge = (-1 - feature) >> 12
    line = (-1 - feature) & 4095
    if edge >= CUT:
        other = edge - CUT
        first = line if (other + 1) % m == line else other
        return 4 * reference[first].number + (0 if flip else 1)
    e = own[edge].number
    f = reference[line].number
    return 4 * ((f << 16) + e if flip else (e << 16) + f) + 2


@part
def clip_parts(d: Detection, own, reference, counts, faces, n, radii, snap):
    """Candidates of a polygon or line `own` on a polygon `reference`, whose normal is near n; returns their number.

    counts: corners of both, and whether own belongs to b; faces: the reference's normal; radii: of balls that are added
    to reference and own; snap: how near a line a corner counts as on it [m]."""
    k_own, k_ref, flip = counts
    slant = dot(faces, n)
    if slant < STEEP:
        return 0
    origin = reference[0].place
    ex = sub(reference[1].place, origin)
    ex = axpy(-dot(ex, n), n, ex)
    ex = scale(1.0 / math.sqrt(dot(ex, ex)), ex)
    ey = cross(n, ex)
    for k in range(k_own):
        i = k if k_own == 2 else k_own - 1 - k  # anticlockwise about n
        x = sub(own[i].place, origin)
        store(d.clip, k, dot(x, ex), dot(x, ey), dot(x, faces) / slant, i, 0 if k_own == 2 else (i - 1) % k_own)
    at: Any = np.int64(0)  # not the constant 0, for which `cut` would be compiled a second time
    count = k_own
    pu = 0.0
    pv = 0.0
    for line in range(k_ref):
        y = sub(reference[line + 1 if line + 1 < k_ref else 0].place, origin)
        qu = dot(y, ex)
        qv = dot(y, ey)
        length = math.sqrt((qu - pu) * (qu - pu) + (qv - pv) * (qv - pv))
        if length > 0.0:
            nu = (qv - pv) / length
            nv = (pu - qu) / length
            count = cut(d.clip, at, POLYGON - at, POLYGON, count, (nu, nv, nu * pu + nv * pv, line), snap)
            at = POLYGON - at
        pu = qu
        pv = qv
    listed = np.int64(0)
    for k in range(count):
        c = d.clip.corners[at + k]
        x = add(origin, axpy(c.u, ex, scale(c.v, ey)))
        x = axpy(-dot(sub(x, origin), faces) / slant, n, x)  # onto the reference
        gap = c.gap - radii[0] - radii[1]
        feature = crossing(own, reference, flip, d.clip.names[at + k].feature, k_ref)
        listed = candidate(d, listed, axpy(radii[0] + 0.5 * gap, n, x), gap, feature)
    if flip:  # anticlockwise about n of a's side was clockwise about b's
        turn_candidates(d, listed)
    return listed


@inline
def turn_candidates(d: Detection, count):
    """Reverse their order."""
    low = 0
    high = count - 1
    while low < high:
        x, y = d.convex.candidates[low], d.convex.candidates[high]
        x.place, y.place = y.place, x.place
        x.gap, y.gap = y.gap, x.gap
        x.feature, y.feature = y.feature, x.feature
        low += 1
        high -= 1


@part
def common_stretch(d: Detection, n, radii):
    """Candidates of two lines: the ends of what they share where they are parallel, seen along n; else none."""
    p = d.convex.part_a[0].place
    q = d.convex.part_b[0].place
    u = sub(d.convex.part_a[1].place, p)
    w = sub(d.convex.part_b[1].place, q)
    flat_u = axpy(-dot(u, n), n, u)
    flat_w = axpy(-dot(w, n), n, w)
    uu = dot(flat_u, flat_u)
    ww = dot(flat_w, flat_w)
    if not (uu > 0.0 and ww > 0.0 and abs(dot(flat_u, flat_w)) > PARALLEL * math.sqrt(uu * ww)):
        return 0
    one = dot(sub(q, p), flat_u) / uu
    two = dot(sub(add(q, w), p), flat_u) / uu
    low = max(0.0, min(one, two))
    high = min(1.0, max(one, two))
    if not low < high:
        return 0
    count = 0
    for end in range(2):
        x = axpy(high if end == 1 else low, u, p)
        s = clamp(dot(sub(x, q), flat_w) / ww, 0.0, 1.0)
        y = axpy(s, w, q)
        gap = dot(n, sub(x, y)) - radii[0] - radii[1]
        x = scale(0.5, add(axpy(-radii[0], n, x), axpy(radii[1], n, y)))
        count = candidate(d, count, x, gap, 4 * end)
    return count


@part
def thin_out(d: Detection, count, room, n):
    """Leave at most `room` of the candidates: those farthest along directions fixed to a, and the deepest; returns how
    many."""
    listed = d.convex.candidates
    deepest = 0
    for k in range(count):
        listed[k].kept = 0
        if listed[k].gap < listed[deepest].gap:
            deepest = k
    i = 0 if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]) else (1 if abs(n[1]) <= abs(n[2]) else 2)
    ex = axpy(-n[i], n, (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0))
    ey = cross(n, ex)
    shown = math.inf
    for turn in range(room):
        way = axpy(COS[turn], ex, scale(SIN[turn], ey))
        far = 0
        for k in range(count):
            if dot(listed[k].place, way) > dot(listed[far].place, way):
                far = k
        listed[far].kept = 1
        shown = min(shown, listed[far].gap)
    if listed[deepest].gap < shown:  # it takes the place of the one before it
        k = deepest
        while listed[k].kept == 0:
            k = k - 1 if k > 0 else count - 1
        listed[k].kept = 0
        listed[deepest].kept = 1
    left = 0
    for k in range(count):
        if listed[k].kept == 1:
            x = listed[k]
            y = listed[left]
            y.place = x.place
            y.gap = x.gap
            y.feature = x.feature
            left += 1
    return left


@inline
def add_nearest(d: Detection, count, n, place, gap):
    """Put the nearest point among the candidates where it stands in their order; returns their number."""
    listed = d.convex.candidates
    at = count
    worst = math.inf
    for k in range(count):
        x = listed[k].place
        e = sub(listed[k + 1 if k + 1 < count else 0].place, x)
        e = axpy(-dot(e, n), n, e)
        length = math.sqrt(dot(e, e))
        if length > 0.0:
            inside = dot(cross(n, e), sub(place, x)) / length
            if inside < worst:
                worst = inside
                at = k + 1
    k = count
    while k > at:
        listed[k].place = listed[k - 1].place
        listed[k].gap = listed[k - 1].gap
        listed[k].feature = listed[k - 1].feature
        k -= 1
    listed[at].place = place
    listed[at].gap = gap
    listed[at].feature = NEAREST
    return count + 1


@part
def put_candidates(d: Detection, count, place, nearest, n, size):
    """Contacts from the candidates. place: (centre, rotation) of a; nearest: (place, gap) of the nearest point."""
    meeting = d.convex.meeting
    row = meeting.row
    margin = meeting.margin
    centre, turn = place
    point, gap = nearest
    listed = d.convex.candidates
    left = 0
    lowest = math.inf
    for k in range(count):
        if listed[k].gap < margin:
            lowest = min(lowest, listed[k].gap)
            listed[left].place = listed[k].place
            listed[left].gap = max(listed[k].gap, gap)  # a corner that counts as on a line may lie beyond it
            listed[left].feature = listed[k].feature
            left += 1
    shown = lowest <= gap + SHOWN * size
    if left > PAIR_POINTS or (left == PAIR_POINTS and not shown):
        left = thin_out(d, left, PAIR_POINTS if shown else PAIR_POINTS - 1, n)
    if not shown and gap < margin:
        left = add_nearest(d, left, n, point, gap)
    normal = mv(turn, n)
    for k in range(left):
        put(d, row, listed[k].feature, add(mv(turn, listed[k].place), centre), normal, listed[k].gap)
        row += 1
    return row


@part
def patch(d: Detection, n, parts, radii, snap):
    """Candidates of two parts, `d.convex.part_a` and `part_b`; parts: corners and normal of each. Returns their number."""
    count_a, face_a, count_b, face_b = parts
    ra, rb = radii
    if count_b > 2 and count_a > 1:
        counts = (count_a, count_b, False)
        return clip_parts(d, d.convex.part_a, d.convex.part_b, counts, face_b, n, (rb, ra), snap)
    if count_a > 2 and count_b > 1:
        counts = (count_b, count_a, True)
        return clip_parts(d, d.convex.part_b, d.convex.part_a, counts, face_a, scale(-1.0, n), (ra, rb), snap)
    if count_a == 2 and count_b == 2:
        return common_stretch(d, n, radii)
    return 0
