"""One tied turning axis: a universal joint, with its row the rate of its error at any angle.

Tied about the axis k of a connection whose other axes are i, j (x, y, z in a circle), the axis i that the first body
carries stays square to the axis j that the second one carries, as in the cross of a universal joint:
    c = angle of f against the plane square to e,  sin c = f.e,  f = F_i, e = E_j
    c' = d.(w_a - w_b),  d = f x e / |f x e|           c'' = d.(w_a' - w_b') + d'.(w_a - w_b)
(w_a - w_b along F_k alone would be a tie of rates that belongs to no error: it is not integrable.) A rigid joint may go
round about i and j. What gives way is a torsion spring too: past a quarter turn the cosine changes its sign where the
frames are turned about k rather than about i or j. World axes. Checked in tests/world/test_tie_frames.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline
from bunraku.kernel.vec import add, axpy, col, cross, dot, ld3, scale, sub
from bunraku.model.layout import ALPHA, DA, NW, OMEGA
from bunraku.step.joint_rows import angle
from bunraku.step.relative import POSITION, RATE


@inline
def one_turn(mask):
    """Whether a mask of turning axes names one."""
    return mask == 1 or mask == 2 or mask == 4


@inline
def square_axes(F, E, mask):
    """(f, e): the axis of F and that of E which stay square."""
    if mask == 1:
        return col(F, 1), col(E, 2)
    if mask == 2:
        return col(F, 2), col(E, 0)
    return col(F, 0), col(E, 1)


@inline
def turned_over(F, E, mask):
    """Whether the frames are turned against each other by more than a quarter about the tied axis."""
    total = dot(col(F, 0), col(E, 0)) + dot(col(F, 1), col(E, 1)) + dot(col(F, 2), col(E, 2))
    k = 0 if mask == 1 else (1 if mask == 2 else 2)
    return total - dot(col(F, k), col(E, k)) < 0.0


@inline
def bent(F, E, mask, soft):
    """(d, c): the direction of the row and its error [rad]."""
    f, e = square_axes(F, E, mask)
    raw = cross(f, e)
    sine = dot(f, e)
    cosine = dot(raw, raw) ** 0.5
    if soft and turned_over(F, E, mask):
        cosine = -cosine
    far = angle(abs(sine), cosine)
    d = scale(1.0 / (max(cosine, 1e-9) if cosine >= 0.0 else min(cosine, -1e-9)), raw)
    return d, (far if sine >= 0.0 else -far)


@inline
def thrice(d):
    """A matrix all of whose columns are d: rows of any one axis point along it."""
    return (d[0], d[0], d[0], d[1], d[1], d[1], d[2], d[2], d[2])


@inline
def bend_turn(work, a, b, F, E, mask):
    """d (d'.(w_a - w_b)): what the turning of the row's own direction adds to c'', along it."""
    wa = ld3(work, a * NW + OMEGA)
    wb = ld3(work, b * NW + OMEGA)
    f, e = square_axes(F, E, mask)
    raw = cross(f, e)
    size = max(dot(raw, raw) ** 0.5, 1e-9)
    d = scale(1.0 / size, raw)
    change = add(cross(cross(wa, f), e), cross(f, cross(wb, e)))
    change = scale(1.0 / size, axpy(-dot(d, change), d, change))
    return scale(dot(change, sub(wa, wb)), d)


@inline
def bent_apart(work, level, a, b, twist, turn):
    """The error of a row, or its first or second derivative, as a vector that the row's direction picks from; twist: d
    times the error; turn: `bend_turn`."""
    if level == POSITION:
        return twist
    if level == RATE:
        return sub(ld3(work, a * NW + OMEGA), ld3(work, b * NW + OMEGA))
    al = add(ld3(work, a * NW + ALPHA), ld3(work, a * NW + DA))
    be = add(ld3(work, b * NW + ALPHA), ld3(work, b * NW + DA))
    return add(sub(al, be), turn)
