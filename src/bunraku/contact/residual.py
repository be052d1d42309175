"""How far impulses are from solving a contact problem: one relative number, whatever solver found them, and the scales of
rows that make errors comparable.

Scale of a row: d = K_ii + compliance; the two tangents of a contact share their mean, so that the cone stays round. v /
sqrt(d) and lam sqrt(d) both are square roots of an energy, whatever the row's unit. A row with d below 1e-14 of the
largest is *immovable* (no impulse changes it; it counts with the largest d).

With s = sqrt(d) of a row, u = v / s and p = lam s, the errors of a block are distances in
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
from bunraku.kernel.lanes import ld, st

IMMOVABLE = 1e-14  # of the largest d
FLOOR = 1e-8  # of lam s: what cancels to 1e-6 of b at double precision


@inline
def height(block):
    """Number of rows."""
    return 3 if block.kind == CONTACT else 1


@inline
def note_scale(p, k, normal, x, y):
    """d of the rows of block k, from its own diagonal of K. Returns the largest."""
    block = p.blocks[k]
    i = block.row
    if block.kind == CONTACT:
        t = 0.5 * (x + y)
        st(p.root, i, normal)
        st(p.root, i + 1, t)
        st(p.root, i + 2, t)
        return max(normal, t)
    d = normal + block.compliance
    st(p.root, i, d)
    return d


@inline
def finish_scales(p, largest):
    """From d to sqrt(d), negative for an immovable row."""
    for k in range(p.search.blocks):
        block = p.blocks[k]
        for j in range(block.row, block.row + height(block)):
            d = ld(p.root, j)
            if d > IMMOVABLE * largest:
                st(p.root, j, math.sqrt(d))
            else:
                st(p.root, j, -math.sqrt(largest) if largest > 0.0 else -1.0)


@inline
def soften_row(p, i):
    """b - h D lam in row i: with K + h D the same solution if lam does not change. The present impulse becomes the
    centre. Returns h D."""
    d = p.search.softness * ld(p.root, i) * ld(p.root, i)
    x = ld(p.lam, i)
    st(p.soft_b, i, ld(p.b, i) - d * x)
    st(p.centre, i, x)
    return d


@inline
def true_velocity(p):
    """v of the problem itself, in trial_v, from that of the softened one."""
    s = p.search
    for i in range(s.rows):
        d = s.softness * ld(p.root, i) * ld(p.root, i)
        x = ld(p.lam, i) - ld(p.centre, i)
        st(p.trial_v, i, ld(p.v, i) - d * x)


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
