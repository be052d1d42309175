"""The compiled side of Work: arrays made inside a kernel from the addresses in a Work's table.

See bunraku.dynamics.work.
"""

# pyright: reportPrivateImportUsage=false

from __future__ import annotations

from numba import carray

from bunraku.dynamics.work_rows import INTS, LANE_SCRATCH, NB, NQ, NV, REAL_ROWS, REALS, SCRATCH, SPARE
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import LANES
from bunraku.kernel.pointers_numba import int_pointer, real_pointer
from bunraku.model.layout import NF, NI, NW


@inline
def sizes(handle):
    """(nb, nq, nv)."""
    table = carray(int_pointer(handle), 9)
    return table[NB], table[NQ], table[NV]


@inline
def opened(handle):
    """(ints, reals, scratch) of a Work."""
    table = carray(int_pointer(handle), 9)
    nb, nq = table[NB], table[NQ]
    return (
        carray(int_pointer(table[INTS]), (nb, NI)),
        carray(real_pointer(table[REALS]), (table[REAL_ROWS], NF)),
        carray(real_pointer(table[SCRATCH]), nb * NW + 2 * nq + table[SPARE]),
    )


@inline
def opened_lanes(handle):
    """(ints, reals, scratch for LANES states, q, x, y, out, forces): the last five are places to put LANES states."""
    table = carray(int_pointer(handle), 9)
    nb, nq, nv = table[NB], table[NQ], table[NV]
    a = nb * NW + 2 * nq + table[SPARE]
    b = a + nq
    rows = b + 3 * nv + 6 * nb
    lanes = carray(real_pointer(table[LANE_SCRATCH]), (rows, LANES))
    return (
        carray(int_pointer(table[INTS]), (nb, NI)),
        carray(real_pointer(table[REALS]), (table[REAL_ROWS], NF)),
        lanes[:a],
        lanes[a:b],
        lanes[b : b + nv],
        lanes[b + nv : b + 2 * nv],
        lanes[b + 2 * nv : b + 3 * nv],
        lanes[b + 3 * nv : rows],
    )


COMPILED = {"sizes": sizes, "opened": opened, "opened_lanes": opened_lanes}
