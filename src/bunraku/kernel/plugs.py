"""Gaps of the address space that are closed while an object is linked.

LLVM's loader asks the system for the room of each section by itself: code, constants, tables. Between them stand offsets
of 32 bits, so they must lie within 2 GB of one another; where a small section fits into an old gap far above its code,
LLVM ends the process ("isInt<32>(RealOffset)"). Linux gives the highest gap that is large enough. While all gaps that
are too small for a whole object are closed, it is the same one for all sections. What closes a gap takes no memory.
Elsewhere than on Linux nothing is closed. Checked in tests/kernel/test_native.py.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from itertools import pairwise

NO_ACCESS, PRIVATE, ANONYMOUS, NO_RESERVE, THERE_OR_NOWHERE = 0, 0x2, 0x20, 0x4000, 0x100000  # <sys/mman.h>


@contextmanager
def small_gaps_closed(size: int) -> Generator[None, None, None]:
    """Close the gaps below `size` bytes between what this process has mapped, and open them again."""
    if not sys.platform.startswith("linux"):
        yield
        return
    c = ctypes.CDLL(None, use_errno=True)
    c.mmap.restype = ctypes.c_void_p
    c.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    c.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    kind = PRIVATE | ANONYMOUS | NO_RESERVE | THERE_OR_NOWHERE
    closed = []
    try:
        for begin, length in gaps(size):
            if c.mmap(begin, length, NO_ACCESS, kind, -1, 0) == begin:
                closed.append((begin, length))
        yield
    finally:
        for begin, length in closed:
            c.munmap(begin, length)


def gaps(size: int) -> Iterable[tuple[int, int]]:
    """(where it begins, its bytes) of every gap below `size` bytes between two neighbours."""
    try:
        with open("/proc/self/maps", encoding="ascii", errors="replace") as file:
            spans = [line.split(" ", 1)[0].split("-") for line in file]
    except OSError:
        return
    for (_, end), (begin, _) in pairwise(spans):
        length = int(begin, 16) - int(end, 16)
        if 0 < length < size:
            yield int(end, 16), length
