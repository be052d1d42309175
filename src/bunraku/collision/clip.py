"""Faces that look at each other: the clipping of one face by another.

Given a normal n, the face of a that looks along -n is projected along n onto the plane of b's face that looks along
n. Corners then are (u, v, gap), all three linear over the face; the region of contact is the projected polygon cut by
the lines of b's face (Sutherland and Hodgman, Reentrant polygon clipping, CACM 17, 1974), and its gaps come along. A
corner within `tol` of a line counts as on it and makes no second point, so that edges that lie flush do not flicker.

Features of a pair of boxes: 0-7 a corner of a, 8-15 a corner of b, 16 + 12 e_a + e_b two edges that cross. Labels of
edges: e_a, or CUT + line of b. A polygon stands in Clip from corner `at` on. Checked in tests/collision/test_boxes.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.shape_layout import Clip
from bunraku.collision.surface import column, corner_signs, edge_id, largest, pick, side_edge, sign, vertex_id
from bunraku.kernel.compile import inline
from bunraku.kernel.vec import axpy, mtv, scale, sub

CUT = 1 << 20  # labels from here on are lines of b


@inline
def facing(R, n):
    """(axis, sign) of the face of a box whose outward normal is nearest to n."""
    m = mtv(R, n)
    i = largest(m)
    return i, sign(pick(m, i))


@inline
def project_face(a, face_a, b, face_b, n, clip: Clip):
    """A face (axis, sign) of box a, projected along n onto a face of box b: corners 0-3, anticlockwise."""
    cA, RA, hA = a
    cB, RB, hB = b
    iA, sA = face_a
    iB, sB = face_b
    jA = (iA + 1) % 3
    kA = (iA + 2) % 3
    jB = (iB + 1) % 3
    kB = (iB + 2) % 3
    middle = mtv(RB, axpy(sA * pick(hA, iA), column(RA, iA), sub(cA, cB)))  # in axes of b
    ej = mtv(RB, scale(pick(hA, jA), column(RA, jA)))
    ek = mtv(RB, scale(pick(hA, kA), column(RA, kA)))
    m = mtv(RB, n)
    slant = 1.0 / pick(m, iB)
    tu = pick(m, jB) * slant
    tv = pick(m, kB) * slant
    top = sB * pick(hB, iB)
    for k in range(4):
        sj, sk = corner_signs(k, -sA)
        x = axpy(sj, ej, axpy(sk, ek, middle))
        rise = pick(x, iB) - top
        after = corner_signs((k + 1) % 4, -sA)[0]
        edge = edge_id(jA, sk, sA) if after != sj else edge_id(kA, sA, sj)
        store(clip, k, pick(x, jB) - tu * rise, pick(x, kB) - tv * rise, slant * rise, vertex_id(iA, sA, sj, sk), edge)


@inline
def store(clip: Clip, k, u, v, gap, feature, edge):
    """Corner k."""
    corner = clip.corners[k]
    corner.u = u
    corner.v = v
    corner.gap = gap
    name = clip.names[k]
    name.feature = feature
    name.edge = edge


@inline
def cut(clip: Clip, at, to, room, count, line, tol):
    """Keep what of the polygon at corner `at` lies in nu u + nv v <= off, at corner `to`; returns the new number of
    corners. line: (nu, nv, off, its number).

    The feature of a new corner is written as -1 - (edge << 12 | line) where b's line meets edge `edge` of a, and as
    -1 - (CUT + line << 12 | other line) where two lines of b meet; `named` makes the final number of it."""
    if count == 0:
        return 0
    nu, nv, off, number = line
    new = 0
    first = clip.corners[at]
    u0 = first.u
    v0 = first.v
    g0 = first.gap
    d0 = nu * u0 + nv * v0 - off
    for k in range(count):
        if new + 2 > room:  # only rounding on a needle could ask for so many
            break
        here = clip.names[at + k]
        after = clip.corners[at + k + 1 if k + 1 < count else at]
        u1 = after.u
        v1 = after.v
        g1 = after.gap
        d1 = nu * u1 + nv * v1 - off
        edge = here.edge
        if d0 <= tol:
            leaves = d1 > tol and d0 >= -tol
            store(clip, to + new, u0, v0, g0, here.feature, CUT + number if leaves else edge)
            new += 1
        if (d0 < -tol and d1 > tol) or (d0 > tol and d1 < -tol):
            t = d0 / (d0 - d1)
            follows = CUT + number if d0 < 0.0 else edge
            u = u0 + t * (u1 - u0)
            v = v0 + t * (v1 - v0)
            store(clip, to + new, u, v, g0 + t * (g1 - g0), -1 - (edge << 12 | number), follows)
            new += 1
        u0 = u1
        v0 = v1
        g0 = g1
        d0 = d1
    return new


@inline
def cut_by_rectangle(clip: Clip, room, count, hu, hv, tol):
    """A polygon at corner 0, cut by |u| <= hu, |v| <= hv (lines 0-3: +u, +v, -u, -v); the result stands there again."""
    at = np.int64(0)  # not the constant 0, for which Numba would compile `cut` a second time
    count = np.int64(count)
    for number in range(4):
        nu = 1.0 if number == 0 else (-1.0 if number == 2 else 0.0)
        nv = 1.0 if number == 1 else (-1.0 if number == 3 else 0.0)
        count = cut(clip, at, room - at, room, count, (nu, nv, hu if number % 2 == 0 else hv, number), tol)
        at = room - at
    return count


@inline
def named(feature, iB, sB):
    """The number of a feature of two boxes from what `cut` wrote; iB, sB: the face of b that cut."""
    if feature >= 0:
        return feature
    edge = (-1 - feature) >> 12
    line = (-1 - feature) & 4095
    if edge < CUT:
        return 16 + 12 * edge + side_edge(iB, sB, line)
    other = edge - CUT
    su = 1.0
    sv = 1.0
    if line == 2 or other == 2:
        su = -1.0
    if line == 3 or other == 3:
        sv = -1.0
    return 8 + vertex_id(iB, sB, su, sv)
