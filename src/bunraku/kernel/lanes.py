"""Four states at once: a vector type for Numba, and loads and stores that choose it.

Every kernel is written once, over values that are either one float64 or a *lane*, four float64 side by side (<4 x
double> in LLVM, one AVX register). Which of the two follows from the arrays: `ld(a, i)` gives a float64 where `a` has
one axis, and a lane where `a` has two (n, LANES); `st` stores either. Branches in kernels depend on the model only,
never on lane values. Automatic vectorisation over a trailing axis does not happen; this explicit type runs four states
in about the time of one.

`ld` and `st` do no bounds check and take no negative index. As plain Python (no JIT) a lane is a NumPy row of four.
Checked in tests/kernel/test_lanes.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.kernel.compile import compiled_by

LANES = 4
COMPILED = compiled_by("bunraku.kernel.lanes_numba")


@COMPILED
def ld(a: np.ndarray, i: int) -> Any:
    """a[i]: a float64, or a lane if `a` is (n, LANES)."""
    return a[i] if a.ndim == 1 else a[i].copy()


@COMPILED
def st(a: np.ndarray, i: int, x: Any) -> None:
    """a[i] = x."""
    a[i] = x


@COMPILED
def wide_ld(a: np.ndarray, i: int) -> Any:
    """LANES neighbours a[i:i+LANES] of a one-axis array as a lane."""
    return a[i : i + LANES].copy()


@COMPILED
def wide_st(a: np.ndarray, i: int, x: Any) -> None:
    """a[i:i+LANES] = x."""
    a[i : i + LANES] = x


@COMPILED
def join(a: Any, b: Any, c: Any, d: Any) -> Any:
    """A lane from LANES numbers."""
    return np.array([a, b, c, d])


@COMPILED
def split(x: Any) -> tuple[Any, Any, Any, Any]:
    """The LANES numbers of a lane."""
    return x[0], x[1], x[2], x[3]


@COMPILED
def borrow(a: Any) -> Any:
    """The same array without a reference count, for use inside one kernel: helpers then cost no counting."""
    return a


@COMPILED
def root(x: Any) -> Any:
    """Square root of a float64 or a lane."""
    return np.sqrt(x)


@COMPILED
def down(x: Any) -> Any:
    """Largest integer not above x, of a float64 or a lane."""
    return np.floor(x)
