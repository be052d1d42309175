"""What marks a function as part of a kernel. Nothing is compiled here: a kernel's sources are plain Python functions.

`@inline`  marks a small helper that is inlined into every kernel that uses it (tuples in, tuples out).
`@part`    marks a larger helper: compiled once in a kernel and called, not inlined.
`@compiled_by(module)` marks a function whose compiled side is written apart, in `module`, under the same name: loads and
stores of lanes, arrays of a table, fields of records.
`@entry` (bunraku.kernel.entry) and `@phase` (bunraku.kernel.table) make a kernel that Python, or another kernel, calls.

A kernel is compiled from these marks alone (bunraku.kernel.teach_numba), by another process and before it is needed
(bunraku.kernel.native), or by Numba in this one (bunraku.kernel.jit). So importing the sources imports no compiler, and
with `NUMBA_DISABLE_JIT=1` the same sources simply run as they are. Checked in tests/kernel/test_dependencies.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")  # whether kernels are compiled: handles are addresses
# a b + c may become one fused operation, which is faster (5 %) and rounds once; no other freedom is given to the
# compiler
OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"contract"}}
INLINE, PART = "inline", "part"


def inline(function: Callable[..., Any]) -> Any:
    """A helper that is always inlined into its kernel."""
    function.__dict__["bunraku_mark"] = INLINE
    return function


def part(function: Callable[..., Any]) -> Any:
    """A helper that is compiled once in a kernel and called, not inlined, which keeps compilation short."""
    function.__dict__["bunraku_mark"] = PART
    return function


def compiled_by(module: str) -> Callable[[Callable[..., Any]], Any]:
    """Decorator of what plain Python does; `module` has the compiled side, found by the same name."""

    def mark(function: Callable[..., Any]) -> Any:
        function.__dict__["bunraku_mark"] = module
        return function

    return mark


def mark_of(function: Any) -> str | None:
    """INLINE, PART, the module of the compiled side, or None."""
    return getattr(function, "__dict__", {}).get("bunraku_mark")
