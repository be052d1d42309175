"""The change of velocity that a step's impulses cause: array `out` = A^-1 H' lam, for all figures at once.

The impulses of all packs on a source are summed along its list; its traces (response.py) say what they do to the joints
of its way and to a free base, and one outward pass what that does to every joint. Checked in
tests/step/test_response.py and tests/world/.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split, wide_ld
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import add
from bunraku.step.response import add_impulse, forget_impulses, spread_impulses
from bunraku.step.rows import FIRST, LINES, NEXT, W
from bunraku.step.step_arrays import HOPS, LENGTHS, N_SOURCES, ROOTS, TRACES, model_of, rows_of


@inline
def along(w, k, l0, l1, l2):
    """Sum over a pack's rows of lam times one of its entries."""
    x, y, z, _ = split(wide_ld(w, k))
    return l0 * x + l1 * y + l2 * z


@inline
def impulse_on(rows, s):
    """(moment, force) of all packs on source s."""
    n = (0.0, 0.0, 0.0)
    f = (0.0, 0.0, 0.0)
    at = rows.head[s, 0]
    while at >= 0:
        pack = at // 2
        side = at % 2
        r = rows.packs[pack, FIRST]
        lines = rows.packs[pack, LINES]
        l0 = rows.lam[r]
        l1 = rows.lam[r + 1] if lines > 1 else 0.0
        l2 = rows.lam[r + 2] if lines > 2 else 0.0
        k = W * pack + 24 * side
        w = rows.w
        n = add(n, (along(w, k, l0, l1, l2), along(w, k + 4, l0, l1, l2), along(w, k + 8, l0, l1, l2)))
        f = add(f, (along(w, k + 12, l0, l1, l2), along(w, k + 16, l0, l1, l2), along(w, k + 20, l0, l1, l2)))
        at = rows.packs[pack, NEXT + side]
    return n, f


@part
def velocity_change(h, out):
    """See the module text."""
    ints, reals, work = model_of(h)
    rows = rows_of(h)
    hops = ints2(h, HOPS)
    lengths = ints1(h, LENGTHS)
    y = reals2(h, TRACES)
    roots = reals2(h, ROOTS)
    forget_impulses(ints, work)
    for s in range(rows.count[N_SOURCES]):
        n, f = impulse_on(rows, s)
        add_impulse(ints, work, n, f, lengths[s], hops[s], y[s], roots[s])
    spread_impulses(ints, reals, work, reals1(h, out))
