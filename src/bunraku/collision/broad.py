"""Which pairs of many shapes may touch: sort along one axis and sweep, in O(n log n + overlaps along that axis).

Every shape is the interval [x - r, x + r] of its bounding sphere along the world axis on which the centres spread
most. Shapes are kept sorted by the low end, in an order that lives in the scratch from call to call (it saves time
and changes no result); a sweep then meets all pairs whose intervals overlap, and the spheres decide. Planes have
infinite radius and meet everything. The pairs come out sorted by (a, b), a < b.

Never paired: two fixed shapes, two shapes on one body, and what `excluded` lists (sorted numbers a * ns + b; looked
up for shapes of one figure only, and for fixed shapes). Checked against all pairs in tests/collision/test_broad.py.
"""

from __future__ import annotations

from bunraku.collision.narrow import axis_of, centre_of
from bunraku.collision.shape_layout import (
    BODY,
    CLIP_INTS,
    CLIP_REALS,
    FIGURE,
    GENERAL,
    KIND,
    PAIRS_FULL,
    PLANE,
    RADIUS,
)
from bunraku.collision.surface import pick
from bunraku.kernel.compile import inline, kernel
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import dot, sub


@inline
def near(shape_ints, shape_reals, poses, stride, margin, real, a, b):
    """Whether the bounding spheres of two shapes, or a sphere and a plane, are closer than the margin."""
    w = sub(centre_of(real, a), centre_of(real, b))
    if shape_ints[b, KIND] == PLANE:
        return dot(w, axis_of(shape_ints, shape_reals, poses, stride, b)) < shape_reals[a, RADIUS] + margin
    if shape_ints[a, KIND] == PLANE:
        return -dot(w, axis_of(shape_ints, shape_reals, poses, stride, a)) < shape_reals[b, RADIUS] + margin
    r = shape_reals[a, RADIUS] + shape_reals[b, RADIUS] + margin
    return dot(w, w) < r * r


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
def may_touch(shape_ints, excluded, a, b):
    """Whether the filters let the shapes a < b meet."""
    body_a = shape_ints[a, BODY]
    body_b = shape_ints[b, BODY]
    kind_a = shape_ints[a, KIND]
    kind_b = shape_ints[b, KIND]
    if body_a == body_b or kind_a >= GENERAL or kind_b >= GENERAL or (kind_a == PLANE and kind_b == PLANE):
        return False
    if shape_ints[a, FIGURE] != shape_ints[b, FIGURE] and body_a != 0 and body_b != 0:
        return True
    return not listed(excluded, a * shape_ints.shape[0] + b)


@inline
def widest_axis(shape_ints, real):
    """The world axis along which the centres of moving shapes spread most."""
    n = 0.0
    sx = 0.0
    sy = 0.0
    sz = 0.0
    qx = 0.0
    qy = 0.0
    qz = 0.0
    for s in range(shape_ints.shape[0]):
        if shape_ints[s, BODY] != 0:
            x, y, z = centre_of(real, s)
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
def sort_by(low, order, first, n):
    """Sort order[first : first + n] by (low[s], s): Shell's method, quick on what is nearly sorted."""
    step = n
    while step > 1:
        step = 1 if step < 5 else step * 5 // 11
        for i in range(first + step, first + n):
            s = order[i]
            x = ld(low, s)
            j = i
            while j >= first + step:
                other = order[j - step]
                y = ld(low, other)
                if y < x or (y == x and other < s):
                    break
                order[j] = other
                j -= step
            order[j] = s


@kernel  # a function of its own, compiled once and shared by every kernel that detects contacts
def sweep(shape_ints, shape_reals, poses, stride, excluded, margin, real, ints, pairs):
    """Fill pairs[:count] and return count, or PAIRS_FULL: the array needs twice the rows, its upper half is scratch.

    Scratch beyond clipping and centres: reals ns (low ends), ints ns (the order, kept) and ns + 1 (counts)."""
    ns = shape_ints.shape[0]
    lows = real[CLIP_REALS + 3 * ns : CLIP_REALS + 4 * ns]
    axis = widest_axis(shape_ints, real)
    for s in range(ns):
        st(lows, s, pick(centre_of(real, s), axis) - shape_reals[s, RADIUS])
    order = CLIP_INTS
    starts = CLIP_INTS + ns
    sort_by(lows, ints, order, ns)
    for s in range(ns + 1):
        ints[starts + s] = 0
    half = pairs.shape[0] // 2
    count = 0
    for i in range(ns):
        s = ints[order + i]
        high = ld(lows, s) + 2.0 * shape_reals[s, RADIUS] + margin
        if shape_ints[s, KIND] == PLANE:
            high = shape_reals[s, RADIUS]
        for j in range(i + 1, ns):
            t = ints[order + j]
            if ld(lows, t) > high:
                break
            a = min(s, t)
            b = max(s, t)
            if near(shape_ints, shape_reals, poses, stride, margin, real, a, b) and may_touch(
                shape_ints, excluded, a, b
            ):
                if count >= half:
                    return PAIRS_FULL
                pairs[half + count, 0] = a
                pairs[half + count, 1] = b
                ints[starts + a + 1] += 1
                count += 1
    for s in range(ns):
        ints[starts + s + 1] += ints[starts + s]
    for k in range(count):
        pairs[k, 0] = -1
    for k in range(count):  # into the rows of a, each kept in order of b; starts[a] moves to the end of these rows
        a = pairs[half + k, 0]
        b = pairs[half + k, 1]
        row = ints[starts + a]
        ints[starts + a] = row + 1
        while row > 0 and pairs[row - 1, 0] == a and pairs[row - 1, 1] > b:
            pairs[row, 0] = pairs[row - 1, 0]
            pairs[row, 1] = pairs[row - 1, 1]
            row -= 1
        pairs[row, 0] = a
        pairs[row, 1] = b
    return count
