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

from bunraku.kernel.compile import JIT, compiled_by
from bunraku.kernel.entry import Kernel, ready

PHASES = 32  # rows of the table that hold addresses of phases; arrays follow
COLUMNS = 4  # address and three sizes


class Phase(Kernel):
    """A function int64 <- handle; `address` compiles it or loads it."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__(function, "", False)

    @property
    def address(self) -> int:
        """Where the compiled phase lies."""
        ready([self])
        return self.loaded if isinstance(self.loaded, int) else self.loaded.address

    def take(self, made: bytes) -> None:
        from bunraku.kernel import native

        self.loaded = native.address_of(self, made)

    def take_jit(self) -> None:
        from bunraku.kernel import jit

        self.loaded = jit.phase_function(self)


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


COMPILED = compiled_by("bunraku.kernel.table_numba")


@COMPILED
def run(handle: Table, k: Any) -> Any:
    """Run phase k; returns its status."""
    return handle.phases[k].function(handle)


@COMPILED
def ints1(handle: Table, k: Any) -> np.ndarray:
    """Array k: int64, one axis."""
    return handle.arrays[k]


@COMPILED
def ints2(handle: Table, k: Any) -> np.ndarray:
    """Array k: int64, two axes."""
    return handle.arrays[k]


@COMPILED
def reals1(handle: Table, k: Any) -> np.ndarray:
    """Array k: float64, one axis."""
    return handle.arrays[k]


@COMPILED
def reals2(handle: Table, k: Any) -> np.ndarray:
    """Array k: float64, two axes."""
    return handle.arrays[k]


@COMPILED
def reals3(handle: Table, k: Any) -> np.ndarray:
    """Array k: float64, three axes."""
    return handle.arrays[k]
