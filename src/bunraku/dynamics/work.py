"""Work: reusable scratch for one model, and the short way into kernels.

A kernel that takes eight arrays spends 0.8 us of a 4 us call on looking at them. So a Work keeps the addresses of the
model's arrays and of its scratch in a small table, and kernels take the table's address (`handle`) in place of the
arrays; `opened` turns it back into arrays inside the kernel. The Work holds the arrays, so a handle is valid while its
Work lives.

A Work is never state: every function overwrites it. It serves one thread at a time; give each thread its own.
As plain Python (no JIT) the handle is the Work itself.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np

from bunraku.kernel.compile import JIT, compiled_by
from bunraku.kernel.lanes import LANES
from bunraku.model.layout import NW
from bunraku.model.model import Model

INTS, REALS, SCRATCH, LANE_SCRATCH, NB, NQ, NV = range(7)  # rows of the table
COMPILED = compiled_by("bunraku.dynamics.work_numba")


class Work:
    """Scratch for `model`; pass it as `work=` to save the look-up of the default one."""

    model: Model
    nb: int
    nq: int
    nv: int
    ints: np.ndarray
    reals: np.ndarray
    scratch: np.ndarray
    lanes: np.ndarray

    def __init__(self, model: Model) -> None:
        self.model = model
        self.nb, self.nq, self.nv = model.nb, model.nq, model.nv
        self.ints = model.ints
        self.reals = model.reals
        self.scratch = np.zeros(scratch_size(model.nb, model.nq))
        self.lanes = np.zeros((lane_rows(model.nb, model.nq, model.nv), LANES))
        arrays = (self.ints, self.reals, self.scratch, self.lanes)
        self._table = np.array([*(a.ctypes.data for a in arrays), model.nb, model.nq, model.nv], dtype=np.int64)
        self.handle: Any = self._table.ctypes.data if JIT else self
        self.differentiation: Any = None  # scratch of derivatives, made when it is needed

    def __reduce__(self) -> tuple[Any, tuple[Model]]:
        """Copies and pickles are made anew: an address means nothing elsewhere."""
        return Work, (self.model,)


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
        cache = _default.works = weakref.WeakKeyDictionary()
    work = cache.get(model)
    if work is None:
        work = cache[model] = Work(model)
        work.model = weakref.proxy(model)  # the default must not keep its model alive
    return work


@COMPILED
def sizes(handle: Work) -> tuple[int, int, int]:
    """(nb, nq, nv)."""
    return handle.model.nb, handle.model.nq, handle.model.nv


@COMPILED
def opened(handle: Work) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ints, reals, scratch) of a Work."""
    return handle.ints, handle.reals, handle.scratch


@COMPILED
def opened_lanes(handle: Work) -> tuple[np.ndarray, ...]:
    """(ints, reals, scratch for LANES states, q, x, y, out, forces)."""
    nb, nq, nv = sizes(handle)
    a = nb * NW + 2 * nq
    b = a + nq
    cuts = np.split(handle.lanes, [a, b, b + nv, b + 2 * nv, b + 3 * nv])
    return (handle.ints, handle.reals, *cuts)
