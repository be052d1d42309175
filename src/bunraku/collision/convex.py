"""Cylinders, cones, ellipsoids and hulls of meshes against everything: the convex phase of detection.

    boxes about the shapes apart?  ->  a direction that held them apart before?  ->  distance (gjk) or depth (epa)
    ->  the normal made exact  ->  parts that look at each other, clipped (convex_patch)

The normal is the n of greatest least n . (a - b): of curved shapes it is refined by Newton's method on the sphere of
directions, and one within FLUSH of a face's is replaced by the face's where that loses nothing, so that flat contacts
have no noise. The gap is that least n . (a - b), which can never be too large.

A world without such shapes does not compile this: it is a phase of the table, which the detection of others never runs.
The direction that is remembered for a pair only lets it stop early where it is apart; so memory changes no result.
Checked in tests/collision/test_convex.py.
"""

from __future__ import annotations

import math

from bunraku.collision.boxes import SNAP
from bunraku.collision.convex_patch import patch, put_candidates
from bunraku.collision.convex_plane import convex_plane
from bunraku.collision.convex_support import first_vertex, looking_part
from bunraku.collision.epa import CLOSED, depth
from bunraku.collision.gjk import FAR, NEAR, difference, nearest
from bunraku.collision.shape_layout import CAPSULE, CYLINDER, ELLIPSOID, HULL, PLANE, SPHERE, Detection
from bunraku.collision.surface import direction, perpendicular
from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import phase
from bunraku.kernel.vec import add, axpy, cross, dot, mm, mt, mtv, mv, scale, sub

FLUSH = 1e-6  # 1 - cosine: a tilt of 1.4 mrad
SLIDE = 1e-3  # of the size: what it may lose before it is slid along a line
LOST = 1e-9  # of the size: what a face's normal may lose against the best
APART = 1e-9  # of the size: by how much more than the margin a remembered direction must hold shapes apart
SMALL_TURN = 1e-5  # rad: of the differences in Newton's method
FLAT_SLOPE = 1e-13  # of the size: slope of the gap from which a direction counts as best
ROUGH = 1e-5  # of the size: how well the depth of smooth shapes need be known before
POLISH = 6  # rounds of it
AGAIN = 4  # times that the search for the distance, or for a part's normal, is taken up again


@inline
def shape_of(d: Detection, s):
    """(kind, size, hull) and the radius of the ball that is added to it."""
    kind = d.kinds[s].kind
    size = d.forms[s].size
    return (kind, size, d.kinds[s].hull), size[0] if kind == SPHERE or kind == CAPSULE else 0.0


@inline
def boxes_apart(ha, hb, R, t, margin):
    """Whether a face of one of the boxes about two shapes holds them farther apart than the margin."""
    for i in range(3):
        reach = hb[0] * abs(R[3 * i]) + hb[1] * abs(R[3 * i + 1]) + hb[2] * abs(R[3 * i + 2])
        if abs(t[i]) > ha[i] + reach + margin:
            return True
    for j in range(3):
        reach = ha[0] * abs(R[j]) + ha[1] * abs(R[3 + j]) + ha[2] * abs(R[6 + j])
        if abs(t[0] * R[j] + t[1] * R[3 + j] + t[2] * R[6 + j]) > hb[j] + reach + margin:
            return True
    return False


@inline
def slot_of(d: Detection, a, b):
    """(which memory the pair has, its key)."""
    key = a * len(d.kinds) + b + 1
    return (key * 40503) % len(d.convex.memory), key


@inline
def held_apart(d: Detection, pair, slot, key, far):
    """Whether the direction that held the pair apart before still does."""
    memory = d.convex.memory[slot]
    if memory.key != key:
        return False
    w, _, _, va, vb = difference(d, pair, scale(-1.0, memory.axis), memory.vertex_a, memory.vertex_b)
    memory.vertex_a = va
    memory.vertex_b = vb
    return dot(memory.axis, w) > far


@inline
def curved(kind):
    """Whether a core has a curved surface."""
    return kind == CYLINDER or kind > HULL


@inline
def smooth(kind):
    """Whether a core has neither edges nor flat parts."""
    return kind == ELLIPSOID or kind == SPHERE


@part
def polish(d: Detection, pair, n, va, vb, size):
    """The direction near n along which the least n . w is greatest, by Newton's method where that is smooth."""
    w, _, _, va, vb = difference(d, pair, scale(-1.0, n), va, vb)
    gap = dot(n, w)
    for _ in range(POLISH):
        ex = perpendicular(n)
        ey = cross(n, ex)
        gx = dot(w, ex)
        gy = dot(w, ey)
        if gx * gx + gy * gy < FLAT_SLOPE * FLAT_SLOPE * size * size:
            break
        wx, _, _, _, _ = difference(d, pair, scale(-1.0, axpy(SMALL_TURN, ex, n)), va, vb)
        wy, _, _, _, _ = difference(d, pair, scale(-1.0, axpy(SMALL_TURN, ey, n)), va, vb)
        xx = (dot(wx, ex) - gx) / SMALL_TURN - gap
        yy = (dot(wy, ey) - gy) / SMALL_TURN - gap
        xy = 0.5 * (dot(wx, ey) - gy + dot(wy, ex) - gx) / SMALL_TURN
        q = xx * yy - xy * xy
        along = (gx * gx * xx + 2.0 * gx * gy * xy + gy * gy * yy) / (gx * gx + gy * gy)
        if not along < 0.0:
            break
        better = axpy(-gx / along, ex, axpy(-gy / along, ey, n))  # up the slope; where it bends both ways, to the top
        if q > 1e-6 * xx * xx and q > 1e-6 * yy * yy:
            better = axpy((xy * gy - yy * gx) / q, ex, axpy((xy * gx - xx * gy) / q, ey, n))
        better = scale(1.0 / math.sqrt(dot(better, better)), better)
        wb, _, _, xa, xb = difference(d, pair, scale(-1.0, better), va, vb)
        if not dot(better, wb) > gap:
            break
        n = better
        w = wb
        va = xa
        vb = xb
        gap = dot(n, w)
    return n, gap, va, vb


@inline
def turned(axis, n, angle):
    """n, turned about a unit axis."""
    c = math.cos(angle)
    return axpy(c, n, axpy(math.sin(angle), cross(axis, n), scale((1.0 - c) * dot(axis, n), axis)))


@part
def slide(d: Detection, pair, n, axis, va, vb):
    """The same as `polish` among the directions that n takes when it turns about the axis of a round shape."""
    w, _, _, va, vb = difference(d, pair, scale(-1.0, n), va, vb)
    gap = dot(n, w)
    for _ in range(POLISH):
        slope = dot(w, cross(axis, n))
        m = turned(axis, n, SMALL_TURN)
        wm, _, _, _, _ = difference(d, pair, scale(-1.0, m), va, vb)
        bend = (dot(wm, cross(axis, m)) - slope) / SMALL_TURN
        if not bend < 0.0:
            break
        m = turned(axis, n, -slope / bend)
        wm, _, _, xa, xb = difference(d, pair, scale(-1.0, m), va, vb)
        if not dot(m, wm) > gap:
            break
        n = m
        w = wm
        va = xa
        vb = xb
        gap = dot(n, w)
    return n, gap, va, vb


@inline
def line_of(line):
    """Direction of a line."""
    return sub(line[1].place, line[0].place)


@inline
def special(k, n, R, parts, line_a, line_b):
    """Direction k of those that belong to the parts: across b, across a, across two lines."""
    _, face_a, _, face_b = parts
    if k == 0:
        return mv(R, face_b)
    if k == 1:
        return scale(-1.0, face_a)
    x = cross(line_a, line_b)
    q = dot(x, x)
    if not q > 1e-12 * dot(line_a, line_a) * dot(line_b, line_b):
        return n
    return scale((1.0 if dot(x, n) > 0.0 else -1.0) / math.sqrt(q), x)


@part
def parts_of(d: Detection, pair, n, va, vb):
    """Corners and normals of the parts that look at each other, into `part_a` and `part_b`."""
    shape_a, shape_b, R, _ = pair
    count_a, face_a = looking_part(d.hulls, shape_a, scale(-1.0, n), va, d.convex.part_a)
    count_b, face_b = looking_part(d.hulls, shape_b, mtv(R, n), vb, d.convex.part_b)
    return count_a, face_a, count_b, face_b


@part
def flush(d: Detection, pair, n, gap, va, vb, size):
    """(n, gap, vertices, parts): n replaced by a direction that belongs to the parts where that is as good or better."""
    R = pair[2]
    parts = parts_of(d, pair, n, va, vb)
    line_a = line_of(d.convex.part_a) if parts[0] == 2 else (0.0, 0.0, 0.0)
    line_b = mv(R, line_of(d.convex.part_b)) if parts[2] == 2 else (0.0, 0.0, 0.0)
    best = n
    most = gap - LOST * size
    taken = False
    xa = va
    xb = vb
    for k in range(3):
        if (k == 0 and parts[2] < 2) or (k == 1 and parts[0] < 2) or (k == 2 and not (parts[0] == 2 and parts[2] == 2)):
            continue
        m = special(k, n, R, parts, line_a, line_b)
        w, _, _, ya, yb = difference(d, pair, scale(-1.0, m), va, vb)
        found = dot(m, w)
        if k < 2 and found > gap - SLIDE * size and (parts[2] if k == 0 else parts[0]) == 2:
            axis = (R[2], R[5], R[8]) if k == 0 else (0.0, 0.0, 1.0)
            m, found, ya, yb = slide(d, pair, m, axis, ya, yb)
        w = sub(m, n)
        if found > most and (0.5 * dot(w, w) < FLUSH or found > gap):
            taken = True
            most = found
            best = m
            xa = ya
            xb = yb
    if not taken:
        return n, gap, va, vb, parts
    return best, most, xa, xb, parts_of(d, pair, best, xa, xb)


@part
def convex_pair(d: Detection):
    """Contacts of the pair that `d.convex.meeting` names, none of them a plane; returns the next free row."""
    meeting = d.convex.meeting
    a = meeting.a
    b = meeting.b
    RA = meeting.turn_a
    cA = d.now[a].centre
    R = mm(mt(RA), meeting.turn_b)
    t = mtv(RA, sub(d.now[b].centre, cA))
    if boxes_apart(d.forms[a].half, d.forms[b].half, R, t, meeting.margin):
        return meeting.row
    shape_a, ra = shape_of(d, a)
    shape_b, rb = shape_of(d, b)
    pair = (shape_a, shape_b, R, t)
    size = min(d.forms[a].radius, d.forms[b].radius)
    far = meeting.margin + ra + rb
    slot, key = slot_of(d, a, b)
    if held_apart(d, pair, slot, key, far + APART * size):
        return meeting.row
    n = direction(scale(-1.0, t), math.sqrt(dot(t, t)), (0.0, 0.0, 1.0))
    va = first_vertex(d.hulls, shape_a, scale(-1.0, n))
    vb = first_vertex(d.hulls, shape_b, mtv(R, n))
    state, v, length, count, va, vb = nearest(d, pair, n, va, vb, far)
    for _ in range(AGAIN):  # rounding can stop it early on curved shapes: go on from there
        if state != NEAR:
            break
        n = scale(1.0 / length, v)
        w, _, _, va, vb = difference(d, pair, scale(-1.0, n), va, vb)
        if length - dot(n, w) <= LOST * size:
            break
        state, v, length, count, va, vb = nearest(d, pair, n, va, vb, far)
    if state == FAR:
        memory = d.convex.memory[slot]
        memory.key = key
        memory.axis = scale(1.0 / math.sqrt(dot(v, v)), v)
        memory.vertex_a = va
        memory.vertex_b = vb
        return meeting.row
    if state == NEAR:
        n = scale(1.0 / length, v)
    else:
        close = ROUGH if smooth(shape_a[0]) and smooth(shape_b[0]) else CLOSED
        deep, u, va, vb, closed = depth(d, pair, count, size, close)
        if not closed:  # once more from another tetrahedron
            again, m, xa, xb, _ = depth(d, pair, 0, size, close)
            if again < deep:
                deep = again
                u = m
                va = xa
                vb = xb
        count = 1
        if deep < math.inf:
            n = scale(-1.0, u)
    x = (0.0, 0.0, 0.0)  # the nearest points of the cores
    y = (0.0, 0.0, 0.0)
    for k in range(count):
        point = d.convex.points[k]
        x = axpy(point.weight, point.a, x)
        y = axpy(point.weight, point.b, y)
    w, _, _, va, vb = difference(d, pair, scale(-1.0, n), va, vb)
    gap = dot(n, w)
    if curved(shape_a[0]) or curved(shape_b[0]):
        n, gap, va, vb = polish(d, pair, n, va, vb, size)
    before = -math.inf
    parts = (0, n, 0, n)
    for _ in range(AGAIN):  # along a cone the line turns with the normal
        if not gap > before + LOST * size:
            break
        before = gap
        n, gap, va, vb, parts = flush(d, pair, n, gap, va, vb, size)
    gap -= ra + rb
    if parts[0] == 1:
        x = d.convex.part_a[0].place
        point = axpy(-(ra + 0.5 * gap), n, x)
    elif parts[2] == 1:
        y = add(mv(R, d.convex.part_b[0].place), t)
        point = axpy(rb + 0.5 * gap, n, y)
    else:
        point = scale(0.5, add(axpy(-ra, n, x), axpy(rb, n, y)))
    for k in range(parts[2]):
        corner = d.convex.part_b[k]
        corner.place = add(mv(R, corner.place), t)
    small = min(shortest(d.forms[a].half), shortest(d.forms[b].half))
    faces = (parts[0], parts[1], parts[2], mv(R, parts[3]))
    found = patch(d, n, faces, (ra, rb), SNAP * small)
    return put_candidates(d, found, (cA, RA), (point, gap), n, size)


@inline
def shortest(h):
    """The least of three sizes."""
    return min(min(h[0], h[1]), h[2])


@phase
def convex_contacts(h):
    """Contacts of the pair in `Meeting`, which has a shape of kind CONVEX or more as a; returns the next free row."""
    d = Detection(h)
    meeting = d.convex.meeting
    a = meeting.a
    b = meeting.b
    if d.kinds[b].kind == PLANE:
        z = meeting.turn_b
        shape, _ = shape_of(d, a)
        plane = (d.now[b].centre, (z[2], z[5], z[8]))
        return convex_plane(d, shape, (d.now[a].centre, meeting.turn_a), plane, d.forms[a].radius)
    return convex_pair(d)
