"""Letters of a kernel's signature: what `@entry("h D DD")` takes.

h handle (int64), i int64, d float64, n none; arrays, one letter an axis, all C-contiguous: I int64, D float64, B bytes
(uint8), and w, uint32 that is only read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LETTERS = {"I": np.int64, "D": np.float64, "B": np.uint8, "w": np.uint32}  # of arrays


def types_of(text: str) -> tuple[Any, ...]:
    """Numba's types of a signature."""
    from numba.core import types

    numbers = {"h": types.int64, "i": types.int64, "d": types.float64, "n": types.none}

    def one(word: str) -> Any:
        if word in numbers:
            return numbers[word]
        kind = getattr(types, np.dtype(LETTERS[word[0]]).name)
        return types.Array(kind, len(word), "C", readonly=word[0] == "w")

    return tuple(one(word) for word in text.split())
