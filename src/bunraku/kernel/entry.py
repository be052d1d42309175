"""Entry: a kernel with fixed argument types, so that no call can start another compilation by surprise.

Numba compiles anew for every new combination of types, which takes seconds. An Entry compiles (or loads from the cache)
the one signature it was given on its first call and none after; a call with other types raises TypeError, which the
public functions answer by converting their arguments once (bunraku.dynamics.arguments). As plain Python it calls the
function.

Signature letters: h handle (int64), i int64, d float64, n none, I/II int64 arrays of 1/2 axes, D/DD/DDD float64 arrays,
B/BB/BBB arrays of bytes, w 32-bit words that are only read; all C-contiguous.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bunraku.kernel.compile import JIT, kernel


class Entry:
    """`call` runs the kernel; see the module text."""

    def __init__(self, function: Callable[..., Any], signature: str, nogil: bool = False) -> None:
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.function = function
        self.signature = signature
        self.nogil = nogil or "DD" in signature
        self.call: Callable[..., Any] = self._first_call if JIT else function

    def _first_call(self, *args: Any) -> Any:
        self.compile()
        return self.call(*args)

    def compile(self) -> None:
        """Compile or load it now."""
        if self.call != self._first_call:
            return
        dispatcher = kernel(self.function, nogil=self.nogil)
        dispatcher.compile(_types(self.signature))
        dispatcher.disable_compile()
        self.call = dispatcher


def entry(signature: str, *, nogil: bool = False) -> Callable[[Callable[..., Any]], Entry]:
    """Decorator: `@entry("h D D")`. nogil: other threads run meanwhile, for 0.08 us; always so where it takes batches."""
    return lambda function: Entry(function, signature, nogil)


def _types(text: str) -> tuple[Any, ...]:
    from numba.core import types

    table = {"h": types.int64, "i": types.int64, "d": types.float64, "n": types.none}
    table["w"] = types.Array(types.uint32, 1, "C", readonly=True)
    for n in (1, 2, 3):
        for letter, of in (("I", types.int64), ("D", types.float64), ("B", types.uint8)):
            table[letter * n] = types.Array(of, n, "C")
    return tuple(table[word] for word in text.split())
