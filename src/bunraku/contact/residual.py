"""How far impulses are from solving a contact problem: one relative number, whatever solver found them.

With s = sqrt(d) of a row (bunraku.contact.blocks), u = v / s and p = lam s, the errors of a block are distances in
square roots of an energy, each zero exactly where its law holds:

    normal       | min(u_n, p_n) |                                       complementarity: pulling, approaching, or pushing while parting
    cone         max(0, |lam_t| - mu lam_n) s_t                          friction outside its cone
    dissipation  | lam_t - P(lam_t - v_t / d_t) | s_t                    P: nearest point of the disc |lam_t| <= mu lam_n.
                 slip while inside the cone, or slip not exactly opposite to friction; the true law of maximum dissipation
    row          | lam - P(lam - (v + compliance lam) / d) | s           P: nearest point of [lo, hi]; equality: |v| / s

The residual is the largest of them divided by E = max(|b_i| / s_i, 1e-8 |lam_i| s_i), the free velocity's scale, over
the blocks that b alone would break: a contact that parts and a limit far from its end say nothing of the size of the
others. (The second term, over normals and single rows, is a floor for what double precision can cancel; it matters
above a mass ratio of about 1e8.) A violated immovable row counts; at most it is 1 relative to b. Anything not finite
gives infinity. Cost: m^2 for v. Checked in tests/contact/test_residual.py against laws written differently.
"""

from __future__ import annotations

import math

from bunraku.contact.blocks import BOUNDED, CONTACT, fill_scales
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow, ld, st

FLOOR = 1e-8  # of lam s: what cancels to 1e-6 of b at double precision


@inline
def free_scale(ints, reals, nblocks, work, root, b):
    """max |b_i| / s_i [sqrt J] of the rows that b sets in motion against their law; at least the smallest normal
    number."""
    E = 1e-300
    for k in range(nblocks):
        i = ints[k, 1]
        x = ld(work, b + i)
        s = abs(ld(work, root + i))
        if ints[k, 0] == CONTACT:
            if x < 0.0:
                t = abs(ld(work, root + i + 1))
                E = max(E, -x / s, abs(ld(work, b + i + 1)) / t, abs(ld(work, b + i + 2)) / t)
        elif ints[k, 0] != BOUNDED or (x < 0.0 and reals[k, 2] > 0.0) or (x > 0.0 and reals[k, 1] < 0.0):
            E = max(E, abs(x) / s)
    return E


@inline
def block_errors(work, root, v, lam, i, kind, c, lo, hi):
    """(normal, cone, dissipation, row): absolute errors of the block that starts at row i; c is mu or the compliance."""
    s = abs(ld(work, root + i))
    x = ld(work, lam + i)
    w = ld(work, v + i)
    if kind != CONTACT:
        w = w + c * x
        if kind == BOUNDED:
            return 0.0, 0.0, 0.0, abs(x - min(max(x - w / (s * s), lo), hi)) * s
        return 0.0, 0.0, 0.0, abs(w) / s
    normal = abs(min(w / s, x * s))
    s = abs(ld(work, root + i + 1))
    radius = c * max(x, 0.0)
    x = ld(work, lam + i + 1)
    y = ld(work, lam + i + 2)
    cone = max(0.0, math.sqrt(x * x + y * y) - radius) * s
    inverse = 1.0 / (s * s)
    px = x - ld(work, v + i + 1) * inverse
    py = y - ld(work, v + i + 2) * inverse
    length = math.sqrt(px * px + py * py)
    if length > radius:
        px *= radius / length
        py *= radius / length
    return normal, cone, math.sqrt((x - px) * (x - px) + (y - py) * (y - py)) * s, 0.0


@inline
def errors(ints, reals, nblocks, work, root, v, lam):
    """(worst, stuck, square, impulse): the largest error of movable blocks, that of immovable ones, the sum of the
    squares of the former, and the largest |lam_i| s_i, all in square roots of an energy."""
    worst = 0.0
    stuck = 0.0
    square = 0.0
    impulse = 0.0
    for k in range(nblocks):
        i = ints[k, 1]
        e = block_errors(work, root, v, lam, i, ints[k, 0], reals[k, 0], reals[k, 1], reals[k, 2])
        s = ld(work, root + i)
        impulse = max(impulse, abs(ld(work, lam + i) * s))
        if s > 0.0:
            worst = max(worst, e[0], e[1], e[2], e[3])
            square += e[0] * e[0] + e[2] * e[2] + e[3] * e[3]
        else:
            stuck = max(stuck, e[0], e[3])
    if not square < math.inf:  # a NaN hides from max()
        worst = math.inf
    return worst, stuck, square, impulse


@entry("DD D II DD i i D D D")
def residual(K, b, ints, reals, nblocks, m, lam, work, parts):
    """The residual of lam (m). parts (4): its relative normal, cone, dissipation and row errors. Scratch: work (4 m)."""
    w = borrow(work)
    fill_scales(borrow(K), borrow(ints), borrow(reals), nblocks, w, 0)
    for i in range(m):
        v = b[i]
        for j in range(m):
            v += K[i, j] * lam[j]
        st(w, m + i, v)
        st(w, 2 * m + i, lam[i])
        st(w, 3 * m + i, b[i])
    _, _, _, impulse = errors(borrow(ints), borrow(reals), nblocks, w, 0, m, 2 * m)
    E = max(free_scale(borrow(ints), borrow(reals), nblocks, w, 0, 3 * m), FLOOR * impulse)
    for k in range(4):
        parts[k] = 0.0
    for k in range(nblocks):
        e = block_errors(w, 0, m, 2 * m, ints[k, 1], ints[k, 0], reals[k, 0], reals[k, 1], reals[k, 2])
        for part in range(4):
            parts[part] = max(parts[part], e[part] / E) if e[part] < math.inf else math.inf
    return max(parts[0], parts[1], parts[2], parts[3])
