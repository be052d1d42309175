"""Wrenches of springs and of connections that give way, as they are at this moment (explicit), on the bodies they tie.

Along each axis F_k of a connection, force on the first body at the point of the second: -(k c + d c') F_k, its opposite
on the second; the same about the axes. A spring between two points pulls along the line between them with k (length -
rest) + d length'. World axes; the bodies' poses and velocities stand in the scratch. Euler's step has the same as
implicit rows (bunraku.step.tie_rows). Checked in tests/world/test_loops.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints2, reals1, reals2
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, ld9, mm, mv, scale, sub
from bunraku.model.layout import NW, POS, ROT
from bunraku.step.joint_rows import nine
from bunraku.step.loops import is_rigid
from bunraku.step.relative import POSITION, RATE, apart, rate_at, turned_apart
from bunraku.step.step_arrays import TIE_INTS, TIE_REALS, model_of
from bunraku.step.tie_rows import (
    ACTIVE,
    AXES,
    BODY_A,
    BODY_B,
    DAMP,
    PLACE_A,
    PLACE_B,
    REST,
    SPRING,
    STIFF,
    TURN_A,
    TURN_B,
    chosen,
    count_bits,
    three,
    turning_error,
)


@part
def count_soft(h):
    """Springs, and connections that give way."""
    tie_ints = ints2(h, TIE_INTS)
    ties = reals2(h, TIE_REALS)
    n = 0
    for c in range(tie_ints.shape[0]):
        if tie_ints[c, ACTIVE] != 0 and not is_rigid(tie_ints, ties, c):
            n += 1
    return n


@inline
def put(ext, work, body, x, f, n):
    """Add a force at x and a moment to the wrench (force, moment about the origin) on a body."""
    moment = add(n, cross(sub(x, ld3(work, body * NW + POS)), f))
    for k in range(3):
        ext[6 * body + k] += f[k]
        ext[6 * body + 3 + k] += moment[k]


@inline
def answer_along(F, mask, k, d, error, rate):
    """-(k c + d c') along the axes of F that the mask names."""
    out = (0.0, 0.0, 0.0)
    for j in range(count_bits(mask)):
        axis = chosen(F, mask, j)
        out = axpy(-(k * dot(axis, error) + d * dot(axis, rate)), axis, out)
    return out


@part
def add_soft_wrenches(h, out):
    """Add them to array `out`, six numbers a body as in F_EXT."""
    _, _, work = model_of(h)
    ext = reals1(h, out)
    tie_ints = ints2(h, TIE_INTS)
    ties = reals2(h, TIE_REALS)
    none = (0.0, 0.0, 0.0)
    for c in range(tie_ints.shape[0]):
        if tie_ints[c, ACTIVE] == 0 or is_rigid(tie_ints, ties, c):
            continue
        a = tie_ints[c, BODY_A]
        b = tie_ints[c, BODY_B]
        Ra = ld9(work, a * NW + ROT)
        Rb = ld9(work, b * NW + ROT)
        xa = add(ld3(work, a * NW + POS), mv(Ra, three(ties, c, PLACE_A)))
        xb = add(ld3(work, b * NW + POS), mv(Rb, three(ties, c, PLACE_B)))
        k = ties[c, STIFF]
        d = ties[c, DAMP]
        if tie_ints[c, ACTIVE] == SPRING:
            gap = sub(xa, xb)
            length = dot(gap, gap) ** 0.5
            if length < 1e-9:
                continue
            line = scale(1.0 / length, gap)
            rate = dot(line, sub(rate_at(work, a, xa), rate_at(work, b, xb)))
            f = scale(-(k * (length - ties[c, REST]) + d * rate), line)
            put(ext, work, a, xa, f, none)
            put(ext, work, b, xb, scale(-1.0, f), none)
            continue
        F = mm(Ra, nine(ties, c, TURN_A))
        turns = tie_ints[c, AXES] >> 3
        twist = turning_error(F, mm(Rb, nine(ties, c, TURN_B)), turns)
        f = answer_along(
            F, tie_ints[c, AXES] & 7, k, d, apart(work, POSITION, a, b, xa, xb), apart(work, RATE, a, b, xa, xb)
        )
        n = answer_along(F, turns, k, d, twist, turned_apart(work, RATE, a, b, twist))
        put(ext, work, a, xb, f, n)
        put(ext, work, b, xb, scale(-1.0, f), scale(-1.0, n))
