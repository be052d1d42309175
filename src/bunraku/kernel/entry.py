"""Kernels: functions that are compiled whole, with fixed argument types, so that no call can start a compilation by
surprise.

`@entry("h D D")` makes one that Python calls: `call` runs it, `function` is its plain source. It is compiled, or loaded,
at its first call; a call with other types raises TypeError, which the public functions answer by converting their
arguments once (bunraku.dynamics.arguments). As plain Python `call` is the function. Letters of the signature:
bunraku.kernel.signatures. `ready` makes several ready at once, on all cores. Checked in tests/kernel/test_entry.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from threading import RLock
from typing import Any

from bunraku.errors import BunrakuError
from bunraku.kernel.compile import JIT
from bunraku.kernel.dependencies import Dependencies, dependencies


class Kernel:
    """A function that is compiled whole. signature: letters, or "" for int64 <- handle."""

    def __init__(self, function: Callable[..., Any], signature: str, nogil: bool) -> None:
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.function: Any = function
        self.signature, self.nogil = signature, nogil
        self.loaded: Any = None  # what native code or Numba gave

    @cached_property
    def dependencies(self) -> Dependencies:
        """All it is made of."""
        return dependencies(self.function)

    @cached_property
    def digest(self) -> str:
        """A name for exactly that, and for how it is called."""
        return self.dependencies.digest(self.signature, str(self.nogil))

    def take(self, made: bytes) -> None:
        """Load its object."""
        raise NotImplementedError

    def take_jit(self) -> None:
        """Let Numba compile it here."""
        raise NotImplementedError


class Entry(Kernel):
    """`call` runs the kernel; see the module text."""

    def __init__(self, function: Callable[..., Any], signature: str, nogil: bool = False) -> None:
        super().__init__(function, signature, nogil or "DD" in signature)
        self.call: Callable[..., Any] = self._first_call if JIT else function

    def _first_call(self, *args: Any) -> Any:
        ready([self])
        return self.call(*args)

    def compile(self) -> None:
        """Compile or load it now."""
        ready([self])

    def take(self, made: bytes) -> None:
        from bunraku.kernel import native

        self.loaded = self.call = native.python_function(self.__name__, native.address_of(self, made))

    def take_jit(self) -> None:
        from bunraku.kernel import jit

        self.loaded = self.call = jit.entry_function(self)


def entry(signature: str, *, nogil: bool = False) -> Callable[[Callable[..., Any]], Entry]:
    """Decorator: `@entry("h D D")`. nogil: other threads run meanwhile, for 0.04 us; always so where it takes batches."""
    return lambda function: Entry(function, signature, nogil)


_one_at_a_time = RLock()


def ready(kernels: Iterable[Kernel]) -> None:
    """Make kernels ready: load what is there, compile the others."""
    with _one_at_a_time:
        _load([k for k in kernels if JIT and k.loaded is None])


def _load(wanted: list[Kernel]) -> None:
    from bunraku.kernel import native

    missing = []
    for kernel in wanted:
        made = native.found(kernel) if native.possible(kernel) else None
        if made is not None:
            kernel.take(made)
        elif native.possible(kernel):
            missing.append(kernel)
        else:
            kernel.take_jit()
    if missing:
        from bunraku.kernel import workers

        folder = native.folder_here()
        failed = workers.compile_all(missing, folder, native.host())
        for kernel in missing:
            made = None if kernel in failed else native.read(folder / native.file_name(kernel))
            if made is not None:
                kernel.take(made)
            elif "edited" in failed.get(kernel, "edited"):
                kernel.take_jit()  # from the source as this process knows it
            else:
                raise BunrakuError(f"kernel {kernel.__name__} cannot be compiled: {failed[kernel]}")
