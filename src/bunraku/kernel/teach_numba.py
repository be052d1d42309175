"""Tells Numba what a kernel's functions are: marked plain functions become functions that compiled code can call.

Numba looks a global name up by its value. `teach` gives each function in a kernel's dependencies the type of what
stands for it when compiled: a dispatcher for a helper, an intrinsic for a load of a lane, a record's own type for its
class. The sources keep plain Python functions throughout.
"""

# pyright: reportPrivateImportUsage=false, reportAttributeAccessIssue=false

from __future__ import annotations

import importlib
from types import FunctionType
from typing import Any

import numba
from numba.core import types
from numba.core.registry import cpu_target

from bunraku.kernel.compile import INLINE, OPTIONS, PART, mark_of
from bunraku.kernel.dependencies import Dependencies

DISPATCHERS: dict[FunctionType, Any] = {}  # of every helper that was taught
_options = dict(OPTIONS)


def leave_wrappers_out() -> None:
    """From now on helpers get no way in from Python: half the code to make."""
    _options.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)


def teach(needed: Dependencies) -> None:
    """Make all that a kernel is made of known to the compiler."""
    from bunraku.kernel import record, record_numba  # noqa: F401 - registers what handle and flat are

    for r in needed.records:
        record_numba.register(r)
    for f in needed.functions:
        if mark_of(f) in (INLINE, PART):
            _teach_helper(f)
        for value in _compiled_aside(f):
            _teach_aside(value)
    cpu_target.typing_context.refresh()


def _compiled_aside(function: FunctionType) -> list[Any]:
    """Functions it names whose compiled side is written apart."""
    from bunraku.kernel.dependencies import _named

    return [v for _, v in _named(function) if isinstance(mark_of(v), str) and mark_of(v) not in (INLINE, PART)]


def _teach_helper(function: FunctionType) -> None:
    if function not in DISPATCHERS:
        extra = {"forceinline": True} if mark_of(function) == INLINE else {}
        DISPATCHERS[function] = numba.njit(**extra, **_options)(function)
        cpu_target.typing_context.insert_global(function, types.Dispatcher(DISPATCHERS[function]))


_aside: dict[Any, Any] = {}


def _teach_aside(function: Any) -> None:
    if function in _aside:
        return
    module = importlib.import_module(str(mark_of(function)))
    made = _aside[function] = module.COMPILED.get(function.__name__)
    if made is None:  # the module told Numba itself what it is
        return
    if isinstance(made, FunctionType):
        from bunraku.kernel.dependencies import dependencies

        teach(dependencies(made))
        kind: Any = types.Dispatcher(DISPATCHERS[made])
    else:
        cpu_target.typing_context.refresh()
        kind = cpu_target.typing_context.resolve_value_type(made)
    cpu_target.typing_context.insert_global(function, kind)
