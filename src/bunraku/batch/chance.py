"""Chance by counter: numbers that follow from (seed, world, episode, stream, index) and from nothing else, so that any
episode of a long run can be drawn again alone, in any order.

Philox 4x32 with ten rounds: J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel random numbers: as easy as
1, 2, 3, SC 2011. Counter (index, stream, world, episode), key the seed; 53 bits a number. Checked in
tests/batch/test_chance.py against the authors' known answers and NumPy's moments.
"""

from __future__ import annotations

import numpy as np

MULTIPLY = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
ADD = (0x9E3779B9, 0xBB67AE85)
LOW = np.uint64(0xFFFFFFFF)
SHIFT = np.uint64(32)
ROUNDS = 10


def philox(counter: np.ndarray, key: tuple[int, int]) -> np.ndarray:
    """(…, 4) words of 32 bits, as uint64, from counters (…, 4) of the same kind."""
    a, b, c, d = (counter[..., k].astype(np.uint64) for k in range(4))
    k0, k1 = key
    for _ in range(ROUNDS):
        x, y = MULTIPLY[0] * a, MULTIPLY[1] * c
        a, b, c, d = (y >> SHIFT) ^ b ^ np.uint64(k0), y & LOW, (x >> SHIFT) ^ d ^ np.uint64(k1), x & LOW
        k0, k1 = (k0 + ADD[0]) & 0xFFFFFFFF, (k1 + ADD[1]) & 0xFFFFFFFF
    return np.stack([a, b, c, d], axis=-1)


def uniform(
    seed: int, worlds: np.ndarray, episodes: np.ndarray, first: np.ndarray, count: int, stream: int = 0
) -> np.ndarray:
    """(len(worlds), count) numbers in [0, 1): of each world's episode those from number `first` of a stream on."""
    index = np.asarray(first, dtype=np.uint64)[:, None] + np.arange(count, dtype=np.uint64)
    counter = np.empty((*index.shape, 4), dtype=np.uint64)
    counter[..., 0] = (index >> np.uint64(1)) & LOW
    counter[..., 1] = stream
    counter[..., 2] = np.asarray(worlds, dtype=np.uint64)[:, None] & LOW
    counter[..., 3] = np.asarray(episodes, dtype=np.uint64)[:, None] & LOW
    words = philox(counter, (seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF))
    second = (index & np.uint64(1)).astype(bool)
    high, low = np.where(second, words[..., 2], words[..., 0]), np.where(second, words[..., 3], words[..., 1])
    return ((high >> np.uint64(5)) * 67108864.0 + (low >> np.uint64(6))) / 9007199254740992.0


def normal(
    seed: int, worlds: np.ndarray, episodes: np.ndarray, first: np.ndarray, count: int, stream: int = 0
) -> np.ndarray:
    """The same, of mean 0 and standard deviation 1 (Box and Muller, 1958): each takes two numbers of its stream."""
    u = uniform(seed, worlds, episodes, 2 * np.asarray(first), 2 * count, stream)
    return np.sqrt(-2.0 * np.log1p(-u[:, 0::2])) * np.cos(2.0 * np.pi * u[:, 1::2])
