"""Arguments of the public functions: the fast road for arrays that fit, one conversion and a clear sentence for all
others.

Kernels check lengths and return an integer status; this is the one place where a status becomes a sentence.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.model.model import Model

OK, BAD_SIZE = 0, 1


def as_rows(name: str, x: Any, n: int, batch: int | None) -> np.ndarray:
    """x as C-contiguous float64 of shape (n,) or, for a batch, (batch, n); one row is repeated over a batch."""
    try:
        if np.iscomplexobj(x):
            raise TypeError
        a = np.ascontiguousarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be real numbers, got {type(x).__name__}.") from None
    if batch is None:
        if a.shape != (n,):
            raise InputError(f"{name} has shape {a.shape}; this figure needs ({n},) or (batch, {n}).")
    elif a.shape == (n,):
        a = np.ascontiguousarray(np.broadcast_to(a, (batch, n)))
    elif a.shape != (batch, n):
        raise InputError(f"{name} has shape {a.shape}; q is a batch of {batch}, so it needs ({batch}, {n}) or ({n},).")
    return a if a.flags.writeable else a.copy()


def as_forces(f_ext: Any, nb: int, batch: int | None) -> np.ndarray | None:
    """External wrenches (nb, 6) or (batch, nb, 6), flat a state."""
    if f_ext is None:
        return None
    try:
        a = np.asarray(f_ext, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"f_ext must be real numbers, got {type(f_ext).__name__}.") from None
    if a.shape == (nb, 6) or (batch is not None and a.shape == (batch, nb, 6)):
        a = a.reshape(-1, nb * 6) if a.ndim == 3 else a.reshape(nb * 6)
        return as_rows("f_ext", a, nb * 6, batch)
    many = "" if batch is None else f" or ({batch}, {nb}, 6)"
    raise InputError(f"f_ext has shape {a.shape}; it needs ({nb}, 6){many}: a row (f, n) a body, the world included.")


def check_work(work: Any, model: Model) -> None:
    """Refuse scratch that was made for another figure: kernels trust its sizes."""
    if (work.nb, work.nq, work.nv) != (model.nb, model.nq, model.nv) or work.reals is not model.reals:
        raise InputError(f"work was made for another figure than {model.name!r}; make one with Work(model).")


def batch_of(q: Any, model: Model) -> int | None:
    """None for one state, else the number of states in q."""
    try:
        shape = np.shape(q)
    except ValueError:
        raise InputError("q has rows of different lengths.") from None
    if len(shape) == 2 and shape[1] == model.nq:
        return shape[0]
    if len(shape) == 1:
        return None
    raise InputError(f"q has shape {shape}; this figure needs ({model.nq},) or (batch, {model.nq}).")


def output(out: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
    """`out` if it fits, a new array if it is None."""
    if out is None:
        return np.empty(shape)
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
        raise InputError(f"out must be a C-contiguous float64 array of shape {shape}.")
    if not out.flags.writeable:
        raise InputError("out is read-only.")
    return out
