"""A recording as a show: plays in real time or by a factor, steps frame by frame, seeks to any time.

Times are the recording's own, which may begin anywhere; the frame shown is the last at or before the time. At its end
it pauses, or with `loop` begins anew, as playing again does. Checked in tests/viewer/test_player.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.viewer.messages import scene_message
from bunraku.viewer.recorded import Recorded, RecordedFrames
from bunraku.viewer.show import PERIOD, Show

OVERVIEW = 1500


class Player(Show):
    """See the module text. `index` is the number of the frame shown; how: the options of Show."""

    def __init__(self, recording: Recorded, *, title: str = "", **how: Any) -> None:
        super().__init__(**how)
        self.recording, self.title = recording, title
        self.frames = RecordedFrames(recording)
        if not len(self.frames):
            raise InputError("play: the recording holds no frame; record at least one step.")
        self._first, self._last = float(self.frames.times[0]), float(self.frames.times[-1])
        self._at, self.index = self._first, 0

    @property
    def time(self) -> float:
        """Time shown [s]."""
        return self._at

    @property
    def duration(self) -> float:
        """From the first frame to the last [s]."""
        return self._last - self._first

    def scene(self) -> dict[str, Any]:
        """The scene message."""
        return scene_message(self.recording, self.title)

    def frame(self) -> bytes:
        """The frame shown."""
        return self.frames.frame(self.index)

    def overview(self) -> bytes:
        """Frames from all of it, at most OVERVIEW: what plots, paths and ghosts are drawn from."""
        n = len(self.frames)
        if n < 2:
            return b""
        return b"".join(self.frames.frame(k) for k in np.linspace(0, n - 1, min(n, OVERVIEW)).astype(int))

    def advance(self, seconds: float) -> bool:
        """Go on; at the end, pause or begin anew. The last frame is shown in either case."""
        before, over = self.index, self._at >= self._last
        self._put(self._first if self.loop and over else self._at + seconds)
        if self._at >= self._last and not (self.loop and self._last > self._first):
            self.ended, self.playing = True, False
        return self.index != before

    def forward(self, n: int) -> None:
        """n frames on, or back."""
        k = max(0, min(self.index + n, len(self.frames) - 1))
        self.index, self._at = k, float(self.frames.times[k])

    def by_frames(self, n: int) -> None:
        """n sixtieths of a second on or back, at least as many frames of the recording."""
        goal = self.frames.times[self.index] + n * PERIOD
        if n > 0:
            k = max(int(self.frames.times.searchsorted(goal + 1e-9, side="right")) - 1, self.index + n)
        else:
            k = min(int(self.frames.times.searchsorted(goal - 1e-9)), self.index + n)
        self.forward(k - self.index)

    def go_to(self, time: float) -> None:
        """Show a time, the nearest end where it lies outside."""
        self._put(time)

    def _put(self, time: float) -> None:
        self._at = min(max(time, self._first), self._last)
        k = int(self.frames.times.searchsorted(self._at + 1e-9, side="right")) - 1
        self.index = max(k, 0)
