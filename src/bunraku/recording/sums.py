"""Fletcher's checksum of arrays: a  of all words and  b  of all a so far, over 32-bit words and modulo the prime P =
2^40 - 87.

    a_k = a_{k-1} + w_k,   b_k = b_{k-1} + a_k   (mod P)      [Fletcher, IEEE Trans. Commun. 30 (1982) 247-252]

Every change of one word, of a run of neighbouring bits up to 32, and every exchange of two words changes it; of other
damage one in 2^80 does not. A quarter of what zlib's CRC-32 costs, which matters where a recording is written between
two steps. Words are little endian; bytes that do not fill the last one are followed by zeros. Checked in
tests/recording/test_sums.py.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bunraku.kernel.entry import entry

P = 2**40 - 87
CHUNK = 2**14  # words between two divisions: numbers stay below 2^61


@entry("w I", nogil=True)
def add_words(words, sums):
    """(a, b) in `sums`, with these words behind those before."""
    for first in range(0, words.shape[0], CHUNK):
        n = min(CHUNK, words.shape[0] - first)
        part = words[first : first + n]
        plain, weighted = 0, 0
        for k in range(n):
            w = np.int64(part[k])
            plain += w
            weighted += w * (n - k)
        sums[1] = (sums[1] + n * sums[0] + weighted) % P
        sums[0] = (sums[0] + plain) % P


def digest(pieces: Iterable[bytes | memoryview]) -> bytes:
    """a and b as 8 bytes each; all pieces but the last have whole words."""
    sums = np.zeros(2, dtype=np.int64)
    for piece in pieces:
        whole = len(piece) // 4
        add_words.call(np.frombuffer(memoryview(piece).toreadonly(), "<u4", whole), sums)
        if len(piece) % 4:
            add_words.call(np.frombuffer(bytes(piece[4 * whole :]).ljust(4, b"\0"), "<u4"), sums)
    return sums.astype("<i8").tobytes()
