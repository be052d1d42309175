"""Work: reusable scratch for one model, and the short way into kernels.

A kernel that takes eight arrays spends 0.8 us of a 4 us call on looking at them. So a Work keeps the addresses of the model's arrays and
of its scratch in a small table, and kernels take the table's address (`handle`) in place of the arrays; `opened`
turns it back into arrays inside the kernel. The Work holds the arrays, so a handle is valid while its Work lives.

A Work is never state: every function overwrites it. It serves one thread at a time; give each thread its own.
As plain Python (no JIT) the handle is the Work itself.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

from bunraku.model.layout import NF, NI, NW
from bunraku.model.model import Model
from bunraku.spatial.kernel import JIT, inline
from bunraku.spatial.lanes import LANES

INTS, REALS, SCRATCH, LANE_SCRATCH, NB, NQ, NV = range(7)  # rows of the table


class Work:
    """Scratch for `model`; pass it as `work=` to save the look-up of the default one."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.ints = model.ints
        self.reals = model.reals
        self.scratch = np.zeros(scratch_size(model.nb, model.nq))
        self.lanes = np.zeros((lane_rows(model.nb, model.nq, model.nv), LANES))
        arrays = (self.ints, self.reals, self.scratch, self.lanes)
        self._table = np.array([*(a.ctypes.data for a in arrays), model.nb, model.nq, model.nv], dtype=np.int64)
        self.handle: Any = self._table.ctypes.data if JIT else self


def scratch_size(nb: int, nq: int) -> int:
    """Numbers of scratch for one state: the bodies' slots, then sines and cosines."""
    return nb * NW + 2 * nq


def lane_rows(nb: int, nq: int, nv: int) -> int:
    """Rows of lane scratch: as above, then q, two arrays of nv in, one of nv out, and a wrench a body."""
    return scratch_size(nb, nq) + nq + 3 * nv + 6 * nb


_default = threading.local()


def work_of(model: Model) -> Work:
    """This thread's default Work for a model; it goes when the model goes."""
    cache = getattr(_default, "works", None)
    if cache is None:
        cache = _default.works = {}
    entry = cache.get(id(model))
    if entry is None:
        entry = cache[id(model)] = Work(model)
        weakref.finalize(model, cache.pop, id(model), None)
        entry.model = weakref.proxy(model)  # the default must not keep its model alive
    return entry


if JIT:
    from numba import carray, types
    from numba.extending import intrinsic

    def _pointer_intrinsic(dtype: Any) -> Any:
        @intrinsic
        def pointer(typingctx, address):  # type: ignore[no-untyped-def]
            def codegen(context, builder, sig, args):  # type: ignore[no-untyped-def]
                return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

            return types.CPointer(dtype)(types.int64), codegen

        return pointer

    int_pointer = _pointer_intrinsic(types.int64)
    real_pointer = _pointer_intrinsic(types.float64)

    @inline
    def sizes(handle):
        """(nb, nq, nv)."""
        table = carray(int_pointer(handle), 7)
        return table[NB], table[NQ], table[NV]

    @inline
    def opened(handle):
        """(ints, reals, scratch) of a Work."""
        table = carray(int_pointer(handle), 7)
        nb, nq = table[NB], table[NQ]
        return (
            carray(int_pointer(table[INTS]), (nb, NI)),
            carray(real_pointer(table[REALS]), (nb, NF)),
            carray(real_pointer(table[SCRATCH]), nb * NW + 2 * nq),
        )

    @inline
    def opened_lanes(handle):
        """(ints, reals, scratch for LANES states, q, x, y, out, forces): the last five are places to put LANES states."""
        table = carray(int_pointer(handle), 7)
        nb, nq, nv = table[NB], table[NQ], table[NV]
        a = nb * NW + 2 * nq
        b = a + nq
        rows = b + 3 * nv + 6 * nb
        lanes = carray(real_pointer(table[LANE_SCRATCH]), (rows, LANES))
        return (
            carray(int_pointer(table[INTS]), (nb, NI)),
            carray(real_pointer(table[REALS]), (nb, NF)),
            lanes[:a],
            lanes[a:b],
            lanes[b : b + nv],
            lanes[b + nv : b + 2 * nv],
            lanes[b + 2 * nv : b + 3 * nv],
            lanes[b + 3 * nv : rows],
        )

else:

    def sizes(handle: Work) -> tuple[int, int, int]:
        """(nb, nq, nv)."""
        return handle.model.nb, handle.model.nq, handle.model.nv

    def opened(handle: Work) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(ints, reals, scratch) of a Work."""
        return handle.ints, handle.reals, handle.scratch

    def opened_lanes(handle: Work) -> tuple[np.ndarray, ...]:
        """(ints, reals, scratch for LANES states, q, x, y, out, forces)."""
        nb, nq, nv = sizes(handle)
        a = nb * NW + 2 * nq
        b = a + nq
        cuts = np.split(handle.lanes, [a, b, b + nv, b + 2 * nv, b + 3 * nv])
        return (handle.ints, handle.reals, *cuts)
