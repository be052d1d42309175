"""All contacts of a scene: place the shapes, choose pairs, fill the contact arrays. The one kernel that a step calls.

`detect_contacts` is inlined into other kernels; `detect_once` is the same for Python. Neither allocates. Where an array
is too small the result is negative (FULL, PAIRS_FULL in bunraku.collision.shape_layout); the caller then grows it and
calls again, so nothing is lost. The order of contacts follows the order of shapes and depends on nothing else.

Pairs are dispatched with the greater kind first; where that exchanges a and b, normals and order are turned round, so
that the normal always points from b to a.

Planes are here, too: the gap of a point x is n . (x - p), minus the radius of what is round; n is the z axis of the
plane, p a point on it, free space is z > 0. The corners of a box are those of the face that looks at the plane, so a
box gives up to four contacts, in order about n; a capsule two, at its ends. Other pairs: ball.py, capsule.py,
capsule_box.py, boxes.py, convex.py for all with a cylinder, cone, ellipsoid or hull, terrain.py; which pairs of many shapes are
looked at: broad.py. Checked in tests/collision/test_detect.py
and test_closed_forms.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.ball import box_sphere, capsule_sphere, sphere_sphere
from bunraku.collision.boxes import box_box
from bunraku.collision.broad import sweep
from bunraku.collision.capsule import capsule_capsule
from bunraku.collision.capsule_box import box_capsule
from bunraku.collision.shape_layout import (
    BOX,
    CAPSULE,
    CONVEX,
    CONVEX_PHASE,
    FULL,
    PAIR_POINTS,
    PLANE,
    SPHERE,
    TERRAIN,
    Detection,
)
from bunraku.collision.surface import (
    axis_of,
    column,
    corner_signs,
    largest,
    near,
    pick,
    place_shapes,
    put,
    rotation_of,
    vertex_id,
)
from bunraku.collision.terrain_layout import TERRAIN_PHASE
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.kernel.record import handle
from bunraku.kernel.table import run
from bunraku.kernel.vec import axpy, dot, mtv, scale, sub


@inline
def detect_contacts(d: Detection, fixed_pairs, poses, stride, margin):
    """Number of contacts, or a negative status.

    fixed_pairs >= 0: that many of `d.pairs` are the candidates; -1: sweep for them, into `d.pairs`. poses: bodies'
    rotations and positions, `stride` apart (bunraku.collision.shape_layout).
    """
    # constants have types of their own in Numba; these casts keep callees from compiling twice
    stride = np.int64(stride)
    place_shapes(d, poses, stride)
    count = fixed_pairs
    if fixed_pairs < 0:
        count = sweep(d, poses, stride, margin)
        if count < 0:
            return count
    row = np.int64(0)
    patch = np.int64(0)
    room = len(d.ids) - PAIR_POINTS
    for p in range(count):
        a = d.pairs[p].a
        b = d.pairs[p].b
        if fixed_pairs < 0 or near(d, poses, stride, margin, a, b):
            if row > room:
                return FULL
            new = pair_contacts(d, poses, stride, margin, a, b, patch, row)
            if new < 0:
                return new
            if new > row:
                patch = d.ids[new - 1].patch + 1
            row = new
    return row


@entry("h i D i d")
def detect_once(h, fixed_pairs, poses, stride, margin):
    """`detect_contacts` as a function of its own."""
    return detect_contacts(Detection(h), fixed_pairs, borrow(poses), stride, margin)


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


@inline
def turn_round(d: Detection, first, row):
    """Negate the normals of a patch and reverse its order."""
    for r in range(first, row):
        d.contacts[r].normal = scale(-1.0, d.contacts[r].normal)
    low = first
    high = row - 1
    while low < high:
        x, y = d.contacts[low], d.contacts[high]
        x.point, y.point = y.point, x.point
        x.normal, y.normal = y.normal, x.normal
        x.gap, y.gap = y.gap, x.gap
        f, g = d.ids[low], d.ids[high]
        f.feature, g.feature = g.feature, f.feature
        low += 1
        high -= 1


@part
def pair_contacts(d: Detection, poses, stride, margin, a, b, patch, row):
    """Contacts of the shapes a and b from `row` on, with PAIR_POINTS rows free. Returns the next free row; FULL where a
    terrain needs more."""
    swap = d.kinds[a].kind < d.kinds[b].kind
    x = b if swap else a
    y = a if swap else b
    kx = d.kinds[x].kind
    ky = d.kinds[y].kind
    cx = d.now[x].centre
    cy = d.now[y].centre
    hx = d.forms[x].size
    hy = d.forms[y].size
    first = row
    if kx == TERRAIN:
        ask = d.terrains.ask
        ask.a = y
        ask.b = x
        ask.row = row
        ask.patch = patch
        ask.margin = margin
        ask.turn_a = rotation_of(d, poses, stride, y)
        ask.turn_b = rotation_of(d, poses, stride, x)
        return run(handle(d), TERRAIN_PHASE)
    if kx >= CONVEX:
        meeting = d.convex.meeting
        meeting.a = x
        meeting.b = y
        meeting.row = row
        meeting.margin = margin
        meeting.turn_a = rotation_of(d, poses, stride, x)
        meeting.turn_b = rotation_of(d, poses, stride, y)
        row = run(handle(d), CONVEX_PHASE)
    elif kx == BOX:
        box = (cx, rotation_of(d, poses, stride, x), hx)
        if ky == PLANE:
            row = box_plane(box, (cy, axis_of(d, poses, stride, y)), margin, d, row)
        elif ky == SPHERE:
            row = box_sphere(box, (cy, hy[0]), margin, d, row)
        elif ky == CAPSULE:
            row = box_capsule(box, (cy, axis_of(d, poses, stride, y), hy[0], hy[1]), margin, d, row)
        else:
            row = box_box(box, (cy, rotation_of(d, poses, stride, y), hy), margin, d, row)
    elif kx == CAPSULE:
        capsule = (cx, axis_of(d, poses, stride, x), hx[0], hx[1])
        if ky == SPHERE:
            row = capsule_sphere(capsule, (cy, hy[0]), margin, d, row)
        elif ky == PLANE:
            row = capsule_plane(capsule, (cy, axis_of(d, poses, stride, y)), margin, d, row)
        else:
            row = capsule_capsule(capsule, (cy, axis_of(d, poses, stride, y), hy[0], hy[1]), margin, d, row)
    elif kx == SPHERE:
        if ky == PLANE:
            row = ball_plane((cx, hx[0]), (cy, axis_of(d, poses, stride, y)), 0, margin, d, row)
        else:
            row = sphere_sphere((cx, hx[0]), (cy, hy[0]), margin, d, row)
    if swap:
        turn_round(d, first, row)
    for r in range(first, row):
        d.ids[r].a = a
        d.ids[r].b = b
        d.ids[r].patch = patch
    return row
