"""Which worlds of a batch are meant: None (all), booleans, numbers, or a slice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bunraku.errors import InputError

Mask = np.ndarray | Sequence[bool] | Sequence[int] | int | slice | None


def chosen_of(mask: Mask, n: int) -> np.ndarray:
    """The numbers of the worlds of a mask, of n: None, (n,) booleans, numbers, or a slice."""
    if mask is None:
        return np.arange(n)
    if isinstance(mask, slice):
        return np.arange(n)[mask]
    x = np.atleast_1d(np.asarray(mask))
    if x.dtype == bool and x.shape == (n,):
        return np.flatnonzero(x)
    whole = x.dtype.kind in "iu" and x.ndim == 1
    if whole and np.all((x >= -n) & (x < n)) and len(np.unique(x % n)) == len(x):
        return x.astype(np.int64) % n
    raise InputError(f"a mask of worlds is {n} booleans, or different numbers from 0 to {n - 1}.")


def index_of(i: int, n: int) -> int:
    """The number of one world of n; negative ones count from the end."""
    if not (isinstance(i, int | np.integer) and -n <= i < n):
        raise InputError(f"there is no world {i!r}; they are numbered 0 to {n - 1}.")
    return int(i) % n
