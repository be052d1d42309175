"""Kernels compiled by Numba in this process: those of other packages and scripts, and all where `BUNRAKU_KERNELS=jit`.

Numba's own cache keeps them, in a folder of ours that is named after the digest of all that a kernel is made of
(bunraku.kernel.dependencies). Slower to compile and to call than bunraku.kernel.native, the same sources and the same
options. Checked in tests/kernel/test_entry.py.
"""

# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numba
from numba.core import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.ccallback import CFunc

from bunraku.kernel.cache import cache_folder, trusted
from bunraku.kernel.compile import OPTIONS
from bunraku.kernel.dependencies import dependencies
from bunraku.kernel.signatures import types_of
from bunraku.kernel.teach_numba import teach


class _Locator(_CacheLocator):
    """Tells Numba where a kernel's cache lies: the folder's name stands for all it is made of."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._digest = dependencies(py_func).digest(numba.__version__)

    def get_cache_path(self) -> str:
        return str(cache_folder(self._digest))

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - Numba's own attribute


class _Cache(FunctionCache):
    """Numba's cache; one miss is told, as compiling takes a while."""

    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context) if trusted(Path(self._cache_path)) else None
        if found is None and os.environ.get("BUNRAKU_QUIET", "") in ("", "0"):
            words = f"bunraku: compiling kernel {self._name} (first use only) ..."
            print(words, file=sys.stderr, flush=True)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        if trusted(Path(self._cache_path)):
            super().save_overload(sig, data)


def entry_function(kernel: Any) -> Any:
    """What Python calls for an `@entry`: its one signature, no other."""
    teach(kernel.dependencies)
    dispatcher: Any = numba.njit(nogil=kernel.nogil, **OPTIONS)(kernel.function)
    dispatcher._cache = _Cache(kernel.function)
    dispatcher.compile(types_of(kernel.signature))
    dispatcher.disable_compile()
    return dispatcher


def phase_function(kernel: Any) -> Any:
    """Compiled code of a `@phase`, with its `address`; it lives as long as this object."""
    teach(kernel.dependencies)
    made: Any = CFunc(kernel.function, ((types.int64,), types.int64), {}, dict(OPTIONS))
    made._cache = _Cache(kernel.function)
    made.compile()
    return made
