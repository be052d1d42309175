"""One pair of shapes: their poses in the world, and the kernel for their kinds.

`pair_contacts` fills rows of the contact arrays (bunraku.collision.shape_layout) and returns the next free row. Pairs
are dispatched with the greater kind first; where that exchanges a and b, normals and order are turned round, so that
the normal always points from b to a.
"""

from __future__ import annotations

from bunraku.collision.ball import box_sphere, capsule_sphere, sphere_sphere
from bunraku.collision.boxes import box_box
from bunraku.collision.capsule import capsule_capsule
from bunraku.collision.capsule_box import box_capsule
from bunraku.collision.plane import box_plane, capsule_plane, plane_point
from bunraku.collision.shape_layout import (
    BODY,
    BOX,
    CAPSULE,
    CLIP_REALS,
    FEATURE,
    KIND,
    NC,
    NORMAL,
    PATCH,
    PLACE,
    PLANE,
    SHAPE_A,
    SHAPE_B,
    SIZE,
    SPHERE,
    STRAIGHT,
    TURN,
)
from bunraku.kernel.compile import inline, kernel
from bunraku.kernel.vec import add, ld3, ld9, mm, mv, st3


@inline
def row3(a, i, k):
    """Three neighbours in row i of a 2-D array."""
    return (a[i, k], a[i, k + 1], a[i, k + 2])


@inline
def row9(a, i, k):
    """Nine neighbours in row i of a 2-D array."""
    x = row3(a, i, k)
    y = row3(a, i, k + 3)
    z = row3(a, i, k + 6)
    return (x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])


@inline
def place_shapes(shape_ints, shape_reals, poses, stride, real):
    """Write the centre of every shape in the world into the scratch."""
    for s in range(shape_ints.shape[0]):
        x = row3(shape_reals, s, PLACE)
        body = shape_ints[s, BODY]
        if body > 0:
            x = add(mv(ld9(poses, body * stride), x), ld3(poses, body * stride + 9))
        st3(real, CLIP_REALS + 3 * s, x)


@inline
def centre_of(real, s):
    """The centre of a shape, placed before."""
    return ld3(real, CLIP_REALS + 3 * s)


@inline
def rotation_of(shape_ints, shape_reals, poses, stride, s):
    """World <- shape."""
    body = shape_ints[s, BODY]
    if body == 0:
        return row9(shape_reals, s, TURN)
    if shape_ints[s, STRAIGHT] == 1:
        return ld9(poses, body * stride)
    return mm(ld9(poses, body * stride), row9(shape_reals, s, TURN))


@inline
def axis_of(shape_ints, shape_reals, poses, stride, s):
    """The z axis of a shape in the world."""
    z = (shape_reals[s, TURN + 2], shape_reals[s, TURN + 5], shape_reals[s, TURN + 8])
    body = shape_ints[s, BODY]
    return z if body == 0 else mv(ld9(poses, body * stride), z)


@inline
def turn_round(ids, data, first, row):
    """Negate the normals of a patch and reverse its order."""
    for r in range(first, row):
        for k in range(3):
            data[r, NORMAL + k] = -data[r, NORMAL + k]
    low = first
    high = row - 1
    while low < high:
        for k in range(NC):
            x = data[low, k]
            data[low, k] = data[high, k]
            data[high, k] = x
        f = ids[low, FEATURE]
        ids[low, FEATURE] = ids[high, FEATURE]
        ids[high, FEATURE] = f
        low += 1
        high -= 1


@kernel  # a function of its own, compiled once and shared by every kernel that detects contacts
def pair_contacts(shape_ints, shape_reals, poses, stride, margin, real, ints, a, b, patch, ids, data, row):
    """Contacts of the shapes a and b from `row` on, with PAIR_POINTS rows free. Returns the next free row."""
    swap = shape_ints[a, KIND] < shape_ints[b, KIND]
    x = b if swap else a
    y = a if swap else b
    kx = shape_ints[x, KIND]
    ky = shape_ints[y, KIND]
    cx = centre_of(real, x)
    cy = centre_of(real, y)
    hx = row3(shape_reals, x, SIZE)
    hy = row3(shape_reals, y, SIZE)
    first = row
    if kx == BOX:
        R = rotation_of(shape_ints, shape_reals, poses, stride, x)
        if ky == PLANE:
            n = axis_of(shape_ints, shape_reals, poses, stride, y)
            row = box_plane(cx, R, hx, cy, n, margin, ids, data, row)
        elif ky == SPHERE:
            row = box_sphere(cx, R, hx, cy, hy[0], margin, ids, data, row)
        elif ky == CAPSULE:
            u = axis_of(shape_ints, shape_reals, poses, stride, y)
            row = box_capsule(cx, R, hx, cy, u, hy[0], hy[1], margin, ids, data, row)
        else:
            S = rotation_of(shape_ints, shape_reals, poses, stride, y)
            row = box_box(cx, R, hx, cy, S, hy, margin, real, ints, ids, data, row)
    elif kx == CAPSULE:
        u = axis_of(shape_ints, shape_reals, poses, stride, x)
        if ky == SPHERE:
            row = capsule_sphere(cx, u, hx[0], hx[1], cy, hy[0], margin, ids, data, row)
        else:
            w = axis_of(shape_ints, shape_reals, poses, stride, y)
            if ky == PLANE:
                row = capsule_plane(cx, u, hx[0], hx[1], cy, w, margin, ids, data, row)
            else:
                row = capsule_capsule(cx, u, hx[0], hx[1], cy, w, hy[0], hy[1], margin, ids, data, row)
    elif kx == SPHERE:
        if ky == PLANE:
            n = axis_of(shape_ints, shape_reals, poses, stride, y)
            row = plane_point(cx, hx[0], cy, n, 0, margin, ids, data, row)
        else:
            row = sphere_sphere(cx, hx[0], cy, hy[0], margin, ids, data, row)
    if swap:
        turn_round(ids, data, first, row)
    for r in range(first, row):
        ids[r, SHAPE_A] = a
        ids[r, SHAPE_B] = b
        ids[r, PATCH] = patch
    return row
