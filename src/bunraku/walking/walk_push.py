"""A push while a figure walks: a force on its trunk for a moment, in numbers or in words.

    Push(300.0, time=2.5, degrees=90.0)      300 N to the left, 2.5 s after the start
    push_of("300@2.5:left")                  the same; ahead, back, left, right, or degrees to the left
Its direction counts from where the pattern has the figure head at that time. Checked in tests/walking/test_walk.py.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from bunraku.errors import InputError, closest
from bunraku.walking.walking_pattern import WalkingPattern

DIRECTIONS = {"ahead": 0.0, "forward": 0.0, "left": 90.0, "back": 180.0, "backward": 180.0, "right": -90.0}
WORDS = re.compile(r"(?P<newtons>\d+(?:\.\d+)?)@(?P<time>\d+(?:\.\d+)?)(?::(?P<to>[a-z]+|-?\d+(?:\.\d+)?))?")


@dataclass(frozen=True)
class Push:
    """A force [N] on the trunk from a time [s] on, for some seconds; it leads `degrees` to the left of where the
    figure heads."""

    newtons: float
    time: float
    degrees: float = 0.0
    seconds: float = 0.1

    def force(self, pattern: WalkingPattern) -> tuple[float, float, float]:
        """The force [N] in world axes."""
        k = min(int(self.time / pattern.dt), len(pattern.times) - 1)
        ahead = pattern.sole_rotation[k, :, :, 0].sum(axis=0)
        return self.along(math.atan2(float(ahead[1]), float(ahead[0])))

    def along(self, heading: float) -> tuple[float, float, float]:
        """The same of a figure that heads somewhere [rad, to the left of x]."""
        angle = heading + math.radians(self.degrees)
        return self.newtons * math.cos(angle), self.newtons * math.sin(angle), 0.0


def push_of(words: str) -> Push:
    """'300@2.5:left' as a Push."""
    found = WORDS.fullmatch(words.strip().lower())
    if not found:
        raise InputError(f"push {words!r} is not N@SECONDS or N@SECONDS:DIRECTION; write e.g. 300@2.5:left.")
    to = found["to"] or "ahead"
    if to[-1].isdigit():
        degrees = float(to)
    elif to in DIRECTIONS:
        degrees = DIRECTIONS[to]
    else:
        raise InputError(
            f"push {words!r}: there is no direction {to!r}.{closest(to, DIRECTIONS)} Or give degrees to the left."
        )
    return Push(float(found["newtons"]), float(found["time"]), degrees)
