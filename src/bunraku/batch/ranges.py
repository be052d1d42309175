"""What is drawn for every episode of a batch's worlds: ranges of what worlds may vary, drawn by chance with a counter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bunraku.batch import chance
from bunraku.batch.vary import Variation
from bunraku.errors import InputError

RANDOMISED, OWN_DRAWS = 1, 0  # streams of chance
Ranges = dict[str, tuple[float, float]]


def checked(ranges: Mapping[str, Sequence[float]] | None, vary: Variation) -> Ranges:
    """Pairs of numbers, of names that worlds vary; InputError where they are not."""
    out: Ranges = {}
    for key, pair in dict(ranges or {}).items():
        try:
            low, high = (float(x) for x in pair)
        except (TypeError, ValueError):
            raise InputError(f"randomise: {key} needs a pair of numbers (low, high), got {pair!r:.60}.") from None
        if not low <= high:
            raise InputError(f"randomise: {key} goes from {low:g} to {high:g}; write the lower one first.")
        name, _, of = key.partition(" of ")
        ends = np.array([low, high])
        vary.check(name, np.repeat(ends[:, None], 3, 1) if name == "com" else ends, of or None, 2)
        out[key] = low, high
    return out


def drawn(
    ranges: Ranges, seed: int, numbers: np.ndarray, episodes: np.ndarray
) -> Iterator[tuple[str, str | None, np.ndarray]]:
    """(name, of what, a row a world) of all ranges, for worlds of some numbers in some episodes."""
    for k, key in enumerate(sorted(ranges)):
        low, high = ranges[key]
        name, _, of = key.partition(" of ")
        width = 3 if name == "com" else 1
        u = chance.uniform(seed, numbers, episodes, np.full(len(numbers), 8 * k), width, RANDOMISED)
        x = low + (high - low) * u
        if name == "delay":
            x = np.floor(low + (high - low + 1) * u)
        yield name, of or None, x if name == "com" else x[:, 0]
