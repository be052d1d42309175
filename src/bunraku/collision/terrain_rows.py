"""Points on a terrain become contacts: those of one normal are a patch, at most PAIR_POINTS of them, in order about it.

Of more the deepest stay in, and those farthest along directions fixed to the shape. Checked in
tests/collision/test_terrain_contacts.py.
"""

from __future__ import annotations

import math

from bunraku.collision.convex_support import COS, SIN
from bunraku.collision.shape_layout import FULL, PAIR_POINTS, Detection
from bunraku.collision.surface import put
from bunraku.collision.terrain_points import LOWEST, SAME
from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, cross, dot, mv, scale

TAKEN, STAYS = -2, -3  # patches of points
SHOWN = 1e-7  # of the size: how well a corner must show the gap


@inline
def frame(n):
    """Two directions across n, those of the shape as far as can be."""
    i = 0 if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]) else (1 if abs(n[1]) <= abs(n[2]) else 2)
    ex = axpy(-n[i], n, (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0))
    ex = scale(1.0 / math.sqrt(dot(ex, ex)), ex)
    return ex, cross(n, ex)


@part
def gather(d: Detection, count, first):
    """Choose the points of one normal with point `first`, in order of their angle; returns how many."""
    points = d.terrains.points
    chosen = d.terrains.chosen
    n = points[first].normal
    ex, ey = frame(n)
    found = 0
    for k in range(first, count):
        if points[k].patch == -1 and dot(points[k].normal, n) > 1.0 - 100.0 * SAME:
            points[k].patch = TAKEN
            chosen[found] = k
            found += 1
    found = without_lowest(d, found)
    if found > PAIR_POINTS:
        found = thin_out(d, found, ex, ey)
    mx = 0.0
    my = 0.0
    for i in range(found):
        mx += dot(points[chosen[i]].place, ex)
        my += dot(points[chosen[i]].place, ey)
    for i in range(found):
        x = points[chosen[i]]
        x.angle = math.atan2(dot(x.place, ey) - my / found, dot(x.place, ex) - mx / found)
    for i in range(1, found):
        k = chosen[i]
        j = i
        while j > 0 and points[chosen[j - 1]].angle > points[k].angle:
            chosen[j] = chosen[j - 1]
            j -= 1
        chosen[j] = k
    begin = 0  # with the corner of the shape that has the greatest number, so that rows keep their places
    for i in range(1, found):
        one = points[chosen[i]].feature
        best = points[chosen[begin]].feature
        if (one & 3 == 0, one) > (best & 3 == 0, best):
            begin = i
    for i in range(found):
        chosen[found + i] = chosen[i]
    for i in range(found):
        chosen[i] = chosen[begin + i]
    return found


@part
def without_lowest(d: Detection, found):
    """Leave out the lowest point of the shape where another of the chosen shows its gap; returns how many are left."""
    points = d.terrains.points
    chosen = d.terrains.chosen
    level = SHOWN * d.forms[d.terrains.ask.a].radius
    for i in range(found):
        if points[chosen[i]].feature == LOWEST:
            for j in range(found):
                if j != i and points[chosen[j]].gap <= points[chosen[i]].gap + level:
                    for k in range(i + 1, found):
                        chosen[k - 1] = chosen[k]
                    return found - 1
    return found


@part
def thin_out(d: Detection, found, ex, ey):
    """Leave the deepest of the chosen and those farthest along seven directions; returns how many are left."""
    points = d.terrains.points
    chosen = d.terrains.chosen
    for turn in range(PAIR_POINTS):
        way = axpy(COS[turn], ex, scale(SIN[turn], ey))
        best = -1
        for i in range(found):
            x = points[chosen[i]]
            if turn == 0:
                if best < 0 or x.gap < points[chosen[best]].gap:
                    best = i
            elif best < 0 or dot(x.place, way) > dot(points[chosen[best]].place, way):
                best = i
        points[chosen[best]].patch = STAYS
    left = 0
    for i in range(found):
        if points[chosen[i]].patch == STAYS:
            points[chosen[i]].patch = TAKEN
            chosen[left] = chosen[i]
            left += 1
    return left


@part
def put_rows(d: Detection, count):
    """Write the contacts; returns the next free row, or FULL."""
    ask = d.terrains.ask
    points = d.terrains.points
    row = ask.row
    patch = ask.patch
    centre = d.now[ask.a].centre
    for k in range(count):
        if points[k].patch != -1:
            continue
        found = gather(d, count, k)
        if row + found > len(d.ids):
            return FULL
        n = mv(ask.turn_a, points[k].normal)
        for i in range(found):
            x = points[d.terrains.chosen[i]]
            put(d, row, x.feature, add(mv(ask.turn_a, x.place), centre), n, x.gap)
            d.ids[row].a = ask.a
            d.ids[row].b = ask.b
            d.ids[row].patch = patch
            row += 1
        patch += 1
    return row
