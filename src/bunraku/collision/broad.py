"""Which pairs of many shapes may touch: sort along one axis and sweep, in O(n log n + overlaps along that axis).

Every shape is the interval [x - r, x + r] of its bounding sphere along the world axis on which the centres spread most.
Shapes are kept sorted by the low end, in an order that lives on from call to call (it saves time and changes no
result); a sweep then meets all pairs whose intervals overlap, and the spheres decide. Planes have infinite radius and
meet everything. The pairs come out sorted by (a, b), a < b. Never paired: two fixed shapes, two shapes on one body, and
what `excluded` lists (looked up for shapes of one figure only, and for fixed shapes). Checked in
tests/collision/test_broad.py against all pairs.
"""

from __future__ import annotations

from bunraku.collision.shape_layout import PAIRS_FULL, PLANE, Detection
from bunraku.collision.surface import near, pick
from bunraku.kernel.compile import inline, part


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
    if x.body == y.body or (x.kind == PLANE and y.kind == PLANE):
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
