"""Table: many arrays and the phases that work on them, reached by kernels through one address.

A kernel that takes eighty arrays costs 30 us a call and half a minute to compile. So a Table keeps their addresses and
shapes, kernels take the table's address (`handle`), and `ints1 … reals3` give array k inside the kernel. A *phase* is a
function int64 <- handle, compiled and cached on its own; a kernel runs phase k of a table by `run(handle, k)`. So a
long calculation is a list of short ones: each compiles only when it is used, and an edit recompiles one.

Arrays are held by the Table: the handle is valid while it lives. As plain Python (no JIT) the handle is the Table
itself. Checked in tests/kernel/test_table.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bunraku.kernel.compile import JIT, phase_callable

PHASES = 32  # rows of the table that hold addresses of phases; arrays follow
COLUMNS = 4  # address and three sizes


class Phase:
    """A function int64 <- handle; `address` compiles it or loads it from the cache."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._compiled: Any = None

    @property
    def address(self) -> int:
        """Where the compiled phase lies."""
        if self._compiled is None:
            self._compiled = phase_callable(self.function)
        return self._compiled.address


def phase(function: Callable[[Any], Any]) -> Phase:
    """Decorator of a phase."""
    return Phase(function)


class Table:
    """See the module text."""

    def __init__(self, arrays: int) -> None:
        self._rows = np.zeros((PHASES + arrays, COLUMNS), dtype=np.int64)
        self.arrays: list[Any] = [None] * arrays
        self.phases: list[Any] = [None] * PHASES
        self.handle: Any = self._rows.ctypes.data if JIT else self

    def put(self, k: Any, array: np.ndarray) -> None:
        """Make `array` (C-contiguous, int64 or float64) array k."""
        if not array.flags.c_contiguous or array.dtype not in (np.int64, np.float64):
            raise TypeError(f"table: array {k} is not a C-contiguous array of int64 or float64.")
        self.arrays[k] = array
        self._rows[PHASES + k] = (array.ctypes.data, *array.shape, *(0,) * (COLUMNS - 1 - array.ndim))

    def plan(self, k: Any, what: Phase) -> None:
        """Make `what` phase k."""
        self.phases[k] = what
        if JIT:
            self._rows[k, 0] = what.address


def run(handle: Table, k: Any) -> Any:
    """Run phase k; returns its status."""
    return handle.phases[k].function(handle)


def ints1(handle: Table, k: Any) -> np.ndarray:
    """Array k: int64, one axis."""
    return handle.arrays[k]


ints2 = reals1 = reals2 = reals3 = ints1


if JIT:
    from bunraku.kernel.table_numba import COMPILED

    globals().update(COMPILED)
