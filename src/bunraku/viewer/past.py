"""The past of a world that runs: snapshots at even intervals, so that it can go on from an earlier moment.

A moment is reached exactly: the last snapshot at or before it is put back and the world steps on to it, bit for bit as it
went the first time, unless somebody pushed it or held it from outside meanwhile. Memory is bounded: where there are more
than `most` snapshots every second one goes and the interval doubles, so that n of them reach back over any time, and at
most two intervals lie between two neighbours. The first one always stays. Checked in tests/viewer/test_past.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from bunraku.world.snapshot import Snapshot

INTERVAL = 0.25  # s of simulated time between two snapshots at first
MOST, FEWEST = 240, 8  # snapshots
MEMORY = 64e6  # bytes that they may take, unless FEWEST of them take more
OVERHEAD = 8192  # bytes of a snapshot besides its arrays


class Past:
    """See the module text. `first` is the beginning; `interval` [s] is that of the snapshots taken next."""

    def __init__(self, first: Snapshot, most: int | None = None) -> None:
        self.first, self.interval = first, INTERVAL
        size = OVERHEAD + sum(a.nbytes for a in first.arrays.values())
        self.most = max(FEWEST, min(MOST, int(MEMORY / size))) if most is None else most
        self._kept, self._times = [first], [first.time]

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def times(self) -> list[float]:
        """Times of the snapshots [s], the earliest first."""
        return list(self._times)

    def note(self, time: float, take: Callable[[], Snapshot]) -> None:
        """The world has come to a time; a snapshot is taken where the last one is an interval ago."""
        if time < self._times[-1]:
            self.cut(time)
        if time < self._times[-1] + self.interval * (1 - 1e-9):
            return
        self._kept.append(take())
        self._times.append(time)
        if len(self._kept) > self.most:
            self.interval *= 2
            del self._kept[1::2], self._times[1::2]

    def before(self, time: float) -> Snapshot:
        """The last snapshot at or before a time; the first one where there is none."""
        return self._kept[max(bisect_right(self._times, time) - 1, 0)]

    def cut(self, time: float) -> None:
        """The world went back to a time: what came after it is no longer its past."""
        n = max(bisect_right(self._times, time), 1)
        del self._kept[n:], self._times[n:]
