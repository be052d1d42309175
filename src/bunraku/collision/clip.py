"""Faces that look at each other: corners and edges of a box by number, and the clipping of one face by another.

Given a normal n, the face of a that looks along -n is projected along n onto the plane of b's face that looks along
n. Corners then are (u, v, gap), all three linear over the face; the region of contact is the projected polygon cut by
the lines of b's face (Sutherland and Hodgman, Reentrant polygon clipping, CACM 17, 1974), and its gaps come along. A
corner within `tol` of a line counts as on it and makes no second point, so that edges that lie flush do not flicker.

Numbers: corner of a box = 1 (x > 0) + 2 (y > 0) + 4 (z > 0); edge along axis i = 4 i + (next axis > 0) + 2 (next but
one > 0). Features of a pair of boxes: 0-7 a corner of a, 8-15 a corner of b, 16 + 12 e_a + e_b two edges that cross.
Scratch: reals hold (u, v, gap), ints (feature, edge that follows), a polygon from row `at` on. Labels of edges: e_a,
or CUT + line of b. Checked in tests/collision/test_clip.py and test_boxes.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.surface import column, largest, pick, sign
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import axpy, mtv, scale

CUT = 1 << 20  # labels from here on are lines of b


@inline
def corner_signs(corner, turn):
    """Signs along the two axes j, k of a face of axis i, for its corners 0-3 anticlockwise about turn * axis i."""
    first = 1.0 if corner == 0 or corner == 3 else -1.0
    second = 1.0 if corner < 2 else -1.0
    if turn > 0.0:
        return first, second
    return second, first


@inline
def bit(s):
    """1 for a positive sign, else 0."""
    return 1 if s > 0.0 else 0


@inline
def vertex_id(i, si, sj, sk):
    """Corner of a box from its signs along i, j = i + 1, k = i + 2 (modulo 3)."""
    return (bit(si) << i) + (bit(sj) << ((i + 1) % 3)) + (bit(sk) << ((i + 2) % 3))


@inline
def edge_id(axis, next_sign, last_sign):
    """Edge of a box along `axis`, from its signs along axis + 1 and axis + 2 (modulo 3)."""
    return 4 * axis + bit(next_sign) + 2 * bit(last_sign)


@inline
def side_edge(i, si, line):
    """Edge of a box on line 0-3 (+u, +v, -u, -v) of its face si * axis i, whose u, v are the next two axes."""
    s = 1.0 if line < 2 else -1.0
    if line == 0 or line == 2:
        return edge_id((i + 2) % 3, si, s)
    return edge_id((i + 1) % 3, s, si)


@inline
def facing(R, n):
    """(axis, sign) of the face of a box whose outward normal is nearest to n."""
    m = mtv(R, n)
    i = largest(m)
    return i, sign(pick(m, i))


@inline
def project_face(d, RA, hA, iA, sA, RB, hB, iB, sB, n, real, ints):
    """The face sA iA of box a, projected along n onto face sB iB of b: corners in rows 0-3, anticlockwise.

    d: from the centre of b to that of a."""
    jA = (iA + 1) % 3
    kA = (iA + 2) % 3
    jB = (iB + 1) % 3
    kB = (iB + 2) % 3
    middle = mtv(RB, axpy(sA * pick(hA, iA), column(RA, iA), d))  # in axes of b
    ej = mtv(RB, scale(pick(hA, jA), column(RA, jA)))
    ek = mtv(RB, scale(pick(hA, kA), column(RA, kA)))
    m = mtv(RB, n)
    slant = 1.0 / pick(m, iB)
    tu = pick(m, jB) * slant
    tv = pick(m, kB) * slant
    top = sB * pick(hB, iB)
    for corner in range(4):
        sj, sk = corner_signs(corner, -sA)
        x = axpy(sj, ej, axpy(sk, ek, middle))
        rise = pick(x, iB) - top
        st(real, 3 * corner, pick(x, jB) - tu * rise)
        st(real, 3 * corner + 1, pick(x, kB) - tv * rise)
        st(real, 3 * corner + 2, slant * rise)
        ints[2 * corner] = vertex_id(iA, sA, sj, sk)
        after = corner_signs((corner + 1) % 4, -sA)[0]
        ints[2 * corner + 1] = edge_id(jA, sk, sA) if after != sj else edge_id(kA, sA, sj)


@inline
def store(real, ints, row, u, v, gap, feature, edge):
    """One corner of a polygon."""
    st(real, 3 * row, u)
    st(real, 3 * row + 1, v)
    st(real, 3 * row + 2, gap)
    ints[2 * row] = feature
    ints[2 * row + 1] = edge


@inline
def cut(real, ints, at, to, room, count, nu, nv, off, tol, line):
    """Keep what of the polygon at row `at` lies in nu u + nv v <= off, at row `to`; returns the new number of corners.

    The feature of a new corner is written as -1 - (edge << 12 | line) where b's line meets edge `edge` of a, and as
    -1 - (CUT + line << 12 | other line) where two lines of b meet; `named` makes the final number of it."""
    if count == 0:
        return 0
    new = 0
    u0 = ld(real, 3 * at)
    v0 = ld(real, 3 * at + 1)
    g0 = ld(real, 3 * at + 2)
    d0 = nu * u0 + nv * v0 - off
    for k in range(count):
        if new + 2 > room:  # only rounding on a needle could ask for so many
            break
        q = at + k
        p = q + 1 if k + 1 < count else at
        u1 = ld(real, 3 * p)
        v1 = ld(real, 3 * p + 1)
        g1 = ld(real, 3 * p + 2)
        d1 = nu * u1 + nv * v1 - off
        edge = ints[2 * q + 1]
        if d0 <= tol:
            leaves = d1 > tol and d0 >= -tol
            store(real, ints, to + new, u0, v0, g0, ints[2 * q], CUT + line if leaves else edge)
            new += 1
        if (d0 < -tol and d1 > tol) or (d0 > tol and d1 < -tol):
            t = d0 / (d0 - d1)
            follows = CUT + line if d0 < 0.0 else edge
            u = u0 + t * (u1 - u0)
            v = v0 + t * (v1 - v0)
            store(real, ints, to + new, u, v, g0 + t * (g1 - g0), -1 - (edge << 12 | line), follows)
            new += 1
        u0 = u1
        v0 = v1
        g0 = g1
        d0 = d1
    return new


@inline
def cut_by_rectangle(real, ints, room, count, hu, hv, tol):
    """A polygon at row 0, cut by |u| <= hu, |v| <= hv (lines 0-3: +u, +v, -u, -v); the result stands at row 0 again."""
    at = np.int64(0)  # not the constant 0, for which Numba would compile `cut` a second time
    count = np.int64(count)
    for line in range(4):
        nu = 1.0 if line == 0 else (-1.0 if line == 2 else 0.0)
        nv = 1.0 if line == 1 else (-1.0 if line == 3 else 0.0)
        count = cut(real, ints, at, room - at, room, count, nu, nv, hu if line % 2 == 0 else hv, tol, line)
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
