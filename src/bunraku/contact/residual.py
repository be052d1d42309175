"""How far impulses are from solving a contact problem: one relative number, whatever solver found them.

With s = sqrt(d) of a row (bunraku.contact.problem), u = v / s and p = lam s, the errors of a block are distances in
square roots of an energy, each zero exactly where its law holds:

    normal       | min(u_n, p_n) |                    complementarity: pulling, approaching, or pushing while parting
    cone         max(0, |lam_t| - mu lam_n) s_t       friction outside its cone
    dissipation  | lam_t - P(lam_t - v_t / d_t) | s_t P: nearest point of the disc |lam_t| <= mu lam_n.
                 slip while inside the cone, or slip not exactly opposite to friction; the true law of maximum dissipation
    row          | lam - P(lam - (v + compliance lam) / d) | s           P: nearest point of [low, high]; equality: |v| / s

The residual is the largest of them divided by E = max(|b_i| / s_i, 1e-8 |lam_i| s_i), the free velocity's scale, over
the blocks that b alone would break: a contact that parts and a limit far from its end say nothing of the size of the
others. (The second term, over normals and single rows, is a floor for what double precision can cancel; it matters
above a mass ratio of about 1e8.) A violated immovable row counts; at most it is 1 relative to b. Anything not finite
gives infinity. Checked in tests/contact/test_residual.py against laws written differently.
"""

from __future__ import annotations

import math

from bunraku.contact.problem import BOUNDED, CONTACT
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld

FLOOR = 1e-8  # of lam s: what cancels to 1e-6 of b at double precision


@inline
def free_scale(p):
    """max |b_i| / s_i [sqrt J] of the rows that b sets in motion against their law; at least the smallest normal
    number."""
    E = 1e-300
    for k in range(p.search.blocks):
        block = p.blocks[k]
        i = block.row
        x = ld(p.soft_b, i)
        s = abs(ld(p.root, i))
        if block.kind == CONTACT:
            if x < 0.0:
                t = abs(ld(p.root, i + 1))
                E = max(E, -x / s, abs(ld(p.soft_b, i + 1)) / t, abs(ld(p.soft_b, i + 2)) / t)
        elif block.kind != BOUNDED or (x < 0.0 and block.high > 0.0) or (x > 0.0 and block.low < 0.0):
            E = max(E, abs(x) / s)
    return E


@inline
def block_errors(block, root, v, lam):
    """(normal, cone, dissipation, row): absolute errors of a block."""
    i = block.row
    s = abs(ld(root, i))
    x = ld(lam, i)
    w = ld(v, i)
    if block.kind != CONTACT:
        w = w + block.compliance * x
        if block.kind == BOUNDED:
            return 0.0, 0.0, 0.0, abs(x - min(max(x - w / (s * s), block.low), block.high)) * s
        return 0.0, 0.0, 0.0, abs(w) / s
    normal = abs(min(w / s, x * s))
    s = abs(ld(root, i + 1))
    radius = block.mu * max(x, 0.0)
    x = ld(lam, i + 1)
    y = ld(lam, i + 2)
    cone = max(0.0, math.sqrt(x * x + y * y) - radius) * s
    inverse = 1.0 / (s * s)
    px = x - ld(v, i + 1) * inverse
    py = y - ld(v, i + 2) * inverse
    length = math.sqrt(px * px + py * py)
    if length > radius:
        px *= radius / length
        py *= radius / length
    return normal, cone, math.sqrt((x - px) * (x - px) + (y - py) * (y - py)) * s, 0.0


@inline
def errors(p, v, lam):
    """(worst, stuck, square, impulse): the largest error of movable blocks, that of immovable ones, the sum of the
    squares of the former, and the largest |lam_i| s_i, all in square roots of an energy."""
    root = p.root
    worst = 0.0
    stuck = 0.0
    square = 0.0
    impulse = 0.0
    for k in range(p.search.blocks):
        block = p.blocks[k]
        e = block_errors(block, root, v, lam)
        s = ld(root, block.row)
        impulse = max(impulse, abs(ld(lam, block.row) * s))
        if s > 0.0:
            worst = max(worst, e[0], e[1], e[2], e[3])
            square += e[0] * e[0] + e[2] * e[2] + e[3] * e[3]
        else:
            stuck = max(stuck, e[0], e[3])
    if not square < math.inf:  # a NaN hides from max()
        worst = math.inf
    return worst, stuck, square, impulse
