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

from bunraku.errors import InputError
from bunraku.kernel.compile import JIT, compiled_by
from bunraku.kernel.lane_room import lane_room
from bunraku.model.layout import DOF, NW
from bunraku.model.model import Model

COMPILED = compiled_by("bunraku.dynamics.work_numba")


class Work:
    """Scratch for `model`; pass it as `work=` to save the look-up of the default one."""

    model: Model
    nb: int
    nq: int
    nv: int
    columns: int  # elementary degrees of freedom, followers of gears included
    ints: np.ndarray
    reals: np.ndarray
    scratch: np.ndarray
    lanes: np.ndarray

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise InputError(f"{model!r} is no Model; write bk.human(), bk.load(path), or figure.model.")
        self.model = model
        self.nb, self.nq, self.nv = model.nb, model.nq, model.nv
        self.columns = int(model.ints[:, DOF].sum())
        self.ints = model.ints
        self.reals = model.reals
        self.scratch = np.zeros(scratch_size(model))
        self.lanes = lane_room(lane_rows(model))
        arrays = (self.ints, self.reals, self.scratch, self.lanes)
        sizes = (model.nb, model.nq, model.nv, len(model.reals), model.spare)
        # as bunraku.dynamics.work_rows names them
        self._table = np.array([*(a.ctypes.data for a in arrays), *sizes], dtype=np.int64)
        self.handle: Any = self._table.ctypes.data if JIT else self
        self.differentiation: Any = None  # scratch of derivatives, made when it is needed

    def __reduce__(self) -> tuple[Any, tuple[Model]]:
        """Copies and pickles are made anew: an address means nothing elsewhere."""
        return Work, (self.model,)


def scratch_size(model: Model) -> int:
    """Numbers of scratch for one state: the bodies' slots, sines and cosines, then what matrix groups need."""
    return model.nb * NW + 2 * model.nq + model.spare


def lane_rows(model: Model) -> int:
    """Rows of lane scratch: as above, then q, two arrays of nv in, one of nv out, and a wrench a body."""
    return scratch_size(model) + model.nq + 3 * model.nv + 6 * model.nb


_default = threading.local()


def work_of(model: Model) -> Work:
    """This thread's default Work for a model; it goes when the model goes."""
    cache = getattr(_default, "works", None)
    if cache is None:
        cache = _default.works = weakref.WeakKeyDictionary()
    try:
        work = cache.get(model)
    except TypeError:  # no Model, which Work says
        work = None
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
    a = nb * NW + 2 * nq + handle.model.spare
    b = a + nq
    cuts = np.split(handle.lanes, [a, b, b + nv, b + 2 * nv, b + 3 * nv])
    return (handle.ints, handle.reals, *cuts)
