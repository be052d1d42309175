"""Wrenches of springs and of connections that give way, as they are at this moment (explicit), on the bodies they tie.

Along each axis F_k of a connection, force on the first body at the point of the second: -(k c + d c') F_k, its opposite
on the second; the same about the axes. A spring between two points pulls along the line between them with k (length -
rest) + d length'. World axes; the bodies' poses and velocities stand in the scratch. Euler's step has the same as
implicit rows (bunraku.step.tie_rows). Checked in tests/world/test_loops.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, scale, sub
from bunraku.model.layout import NW, POS
from bunraku.step.relative import POSITION, RATE, apart, rate_at, turned_apart
from bunraku.step.step_arrays import Step
from bunraku.step.tie_rows import (
    SPRING,
    chosen,
    count_bits,
    ends_of,
    first_frame,
    is_rigid,
    second_frame,
    turning_error,
)
from bunraku.step.universal import bent, one_turn


@part
def count_soft(s: Step):
    """Springs, and connections that give way."""
    n = 0
    for c in range(len(s.ties)):
        if s.tie_kinds[c].active != 0 and not is_rigid(s, c):
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
def add_soft_wrenches(s: Step, ext):
    """Add them to `ext`, six numbers a body as in f_ext."""
    work = s.work
    none = (0.0, 0.0, 0.0)
    for c in range(len(s.ties)):
        kind = s.tie_kinds[c]
        if kind.active == 0 or is_rigid(s, c):
            continue
        a = kind.body_a
        b = kind.body_b
        xa, xb = ends_of(s, c)
        k = s.ties[c].stiff
        d = s.ties[c].damp
        if kind.active == SPRING:
            gap = sub(xa, xb)
            length = dot(gap, gap) ** 0.5
            if length < 1e-9:
                continue
            line = scale(1.0 / length, gap)
            rate = dot(line, sub(rate_at(work, a, xa), rate_at(work, b, xb)))
            f = scale(-(k * (length - s.ties[c].rest) + d * rate), line)
            put(ext, work, a, xa, f, none)
            put(ext, work, b, xb, scale(-1.0, f), none)
            continue
        F = first_frame(s, c)
        turns = kind.axes >> 3
        error = apart(work, POSITION, a, b, xa, xb)
        f = answer_along(F, kind.axes & 7, k, d, error, apart(work, RATE, a, b, xa, xb))
        E = second_frame(s, c)
        if one_turn(turns):
            about, far = bent(F, E, turns, True)
            n = scale(-(k * far + d * dot(about, turned_apart(work, RATE, a, b, about))), about)
        else:
            twist = turning_error(F, E, turns)
            n = answer_along(F, turns, k, d, twist, turned_apart(work, RATE, a, b, twist))
        put(ext, work, a, xb, f, n)
        put(ext, work, b, xb, scale(-1.0, f), scale(-1.0, n))
