"""All contacts of a scene: place the shapes, choose pairs, fill the contact arrays. The one kernel that a step calls.

`detect_contacts` is inlined into other kernels; `detect_once` is the same for Python. Neither allocates. Where an array
is too small the result is negative (FULL, PAIRS_FULL in bunraku.collision.shape_layout); the caller then grows it and
calls again, so nothing is lost. The order of contacts follows the order of shapes and depends on nothing else.

Pairs are dispatched with the greater kind first; where that exchanges a and b, normals and order are turned round, so
that the normal always points from b to a.

Which pairs of many shapes may touch: sort along one axis and sweep, in O(n log n + overlaps along that axis). Every
shape is the interval [x - r, x + r] of its bounding sphere along the world axis on which the centres spread most.
Shapes are kept sorted by the low end, in an order that lives on from call to call (it saves time and changes no
result); a sweep then meets all pairs whose intervals overlap, and the spheres decide. Planes have infinite radius and
meet everything. The pairs come out sorted by (a, b), a < b. Never paired: two fixed shapes, two shapes on one body, and
what `excluded` lists (looked up for shapes of one figure only, and for fixed shapes). Checked in
tests/collision/test_detect.py and, against all pairs, in test_broad.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.ball import box_sphere, capsule_sphere, sphere_sphere
from bunraku.collision.boxes import box_box
from bunraku.collision.capsule import capsule_capsule
from bunraku.collision.capsule_box import box_capsule
from bunraku.collision.plane import ball_plane, box_plane, capsule_plane
from bunraku.collision.shape_layout import (
    BOX,
    CAPSULE,
    FULL,
    GENERAL,
    PAIR_POINTS,
    PAIRS_FULL,
    PLANE,
    SPHERE,
    Detection,
)
from bunraku.collision.surface import pick
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.kernel.vec import add, dot, ld3, ld9, mm, mv, scale, sub


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
            if new > row:
                patch += 1
            row = new
    return row


@entry("h i D i d")
def detect_once(h, fixed_pairs, poses, stride, margin):
    """`detect_contacts` as a function of its own."""
    return detect_contacts(Detection(h), fixed_pairs, borrow(poses), stride, margin)


@inline
def place_shapes(d: Detection, poses, stride):
    """Find the centre of every shape in the world."""
    for s in range(len(d.kinds)):
        x = d.forms[s].place
        body = d.kinds[s].body
        if body > 0:
            x = add(mv(ld9(poses, body * stride), x), ld3(poses, body * stride + 9))
        d.now[s].centre = x


@inline
def rotation_of(d: Detection, poses, stride, s):
    """World <- shape."""
    body = d.kinds[s].body
    if body == 0:
        return d.forms[s].turn
    if d.kinds[s].straight == 1:
        return ld9(poses, body * stride)
    return mm(ld9(poses, body * stride), d.forms[s].turn)


@inline
def axis_of(d: Detection, poses, stride, s):
    """The z axis of a shape in the world."""
    turn = d.forms[s].turn
    z = (turn[2], turn[5], turn[8])
    body = d.kinds[s].body
    return z if body == 0 else mv(ld9(poses, body * stride), z)


@inline
def near(d: Detection, poses, stride, margin, a, b):
    """Whether the bounding spheres of two shapes, or a sphere and a plane, are closer than the margin."""
    w = sub(d.now[a].centre, d.now[b].centre)
    if d.kinds[b].kind == PLANE:
        return dot(w, axis_of(d, poses, stride, b)) < d.forms[a].radius + margin
    if d.kinds[a].kind == PLANE:
        return -dot(w, axis_of(d, poses, stride, a)) < d.forms[b].radius + margin
    r = d.forms[a].radius + d.forms[b].radius + margin
    return dot(w, w) < r * r


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
    """Contacts of the shapes a and b from `row` on, with PAIR_POINTS rows free. Returns the next free row."""
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
    if kx == BOX:
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


@inline
def listed(keys, key):
    """Whether a sorted array holds a number."""
    low = 0
    high = keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < keys.shape[0] and keys[low] == key


@inline
def may_touch(d: Detection, a, b):
    """Whether the filters let the shapes a < b meet."""
    x = d.kinds[a]
    y = d.kinds[b]
    if x.body == y.body or x.kind >= GENERAL or y.kind >= GENERAL or (x.kind == PLANE and y.kind == PLANE):
        return False
    if x.figure != y.figure and x.body != 0 and y.body != 0:
        return True
    return not listed(d.excluded, a * len(d.kinds) + b)


@inline
def widest_axis(d: Detection):
    """The world axis along which the centres of moving shapes spread most."""
    n = 0.0
    sx = 0.0
    sy = 0.0
    sz = 0.0
    qx = 0.0
    qy = 0.0
    qz = 0.0
    for s in range(len(d.kinds)):
        if d.kinds[s].body != 0:
            x, y, z = d.now[s].centre
            n += 1.0
            sx += x
            sy += y
            sz += z
            qx += x * x
            qy += y * y
            qz += z * z
    vx = n * qx - sx * sx
    vy = n * qy - sy * sy
    vz = n * qz - sz * sz
    return (0 if vx >= vz else 2) if vx >= vy else (1 if vy >= vz else 2)


@inline
def sort_by_low(d: Detection):
    """Sort d.order by (low end, number): Shell's method, quick on what is nearly sorted."""
    order = d.order
    n = order.shape[0]
    step = n
    while step > 1:
        step = 1 if step < 5 else step * 5 // 11
        for i in range(step, n):
            s = order[i]
            x = d.now[s].low
            j = i
            while j >= step:
                other = order[j - step]
                y = d.now[other].low
                if y < x or (y == x and other < s):
                    break
                order[j] = other
                j -= step
            order[j] = s


@part
def sweep(d: Detection, poses, stride, margin):
    """Fill d.pairs[:count] and return count, or PAIRS_FULL: the array needs twice the rows, its upper half is scratch."""
    ns = len(d.kinds)
    order = d.order
    starts = d.starts
    axis = widest_axis(d)
    for s in range(ns):
        d.now[s].low = pick(d.now[s].centre, axis) - d.forms[s].radius
    sort_by_low(d)
    for s in range(ns + 1):
        starts[s] = 0
    half = len(d.pairs) // 2
    count = 0
    for i in range(ns):
        s = order[i]
        high = d.now[s].low + 2.0 * d.forms[s].radius + margin
        if d.kinds[s].kind == PLANE:
            high = d.forms[s].radius
        for j in range(i + 1, ns):
            t = order[j]
            if d.now[t].low > high:
                break
            a = min(s, t)
            b = max(s, t)
            if near(d, poses, stride, margin, a, b) and may_touch(d, a, b):
                if count >= half:
                    return PAIRS_FULL
                d.pairs[half + count].a = a
                d.pairs[half + count].b = b
                starts[a + 1] += 1
                count += 1
    for s in range(ns):
        starts[s + 1] += starts[s]
    for k in range(count):
        d.pairs[k].a = -1
    for k in range(count):  # to the pairs of a, each kept in order of b; starts[a] moves to their end
        a = d.pairs[half + k].a
        b = d.pairs[half + k].b
        row = starts[a]
        starts[a] = row + 1
        while row > 0 and d.pairs[row - 1].a == a and d.pairs[row - 1].b > b:
            d.pairs[row].a = d.pairs[row - 1].a
            d.pairs[row].b = d.pairs[row - 1].b
            row -= 1
        d.pairs[row].a = a
        d.pairs[row].b = b
    return count
