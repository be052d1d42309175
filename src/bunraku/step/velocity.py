"""The change of velocity that a step's impulses cause: A^-1 H' lam, for all figures at once.

The impulses of all packs on a source are summed along its list; its traces (response.py) say what they do to the joints
of its way and to a free base, and one outward pass what that does to every joint. Checked in
tests/step/test_response.py and tests/world/.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split, wide_ld
from bunraku.kernel.vec import add
from bunraku.step.response import add_impulse, forget_impulses, spread_impulses
from bunraku.step.rows import W
from bunraku.step.step_arrays import Rows, Step


@inline
def along(w, k, l0, l1, l2):
    """Sum over a pack's rows of lam times one of its entries."""
    x, y, z, _ = split(wide_ld(w, k))
    return l0 * x + l1 * y + l2 * z


@inline
def impulse_on(rows: Rows, s):
    """(moment, force) of all packs on source s."""
    n = (0.0, 0.0, 0.0)
    f = (0.0, 0.0, 0.0)
    at = rows.sources[s].first_side
    while at >= 0:
        side = at % 2
        pack = rows.packs[at // 2]
        r = pack.first
        l0 = rows.lam[r]
        l1 = rows.lam[r + 1] if pack.lines > 1 else 0.0
        l2 = rows.lam[r + 2] if pack.lines > 2 else 0.0
        k = W * (at // 2) + 24 * side
        w = rows.w
        n = add(n, (along(w, k, l0, l1, l2), along(w, k + 4, l0, l1, l2), along(w, k + 8, l0, l1, l2)))
        f = add(f, (along(w, k + 12, l0, l1, l2), along(w, k + 16, l0, l1, l2), along(w, k + 20, l0, l1, l2)))
        at = pack.next_side[side]
    return n, f


@part
def velocity_change(s: Step, out):
    """Fill `out` (nv)."""
    forget_impulses(s.ints, s.work)
    for k in range(s.rows.count.sources):
        n, f = impulse_on(s.rows, k)
        add_impulse(s.ints, s.work, s.rows.traces, k, n, f)
    spread_impulses(s.ints, s.reals, s.work, out)
