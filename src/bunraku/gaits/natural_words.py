"""Natural walks in words: "walk 5 m at 0.8 m/s, turn 90 degrees, walk 3 m at 1.5 m/s".

Parts are parted by commas, semicolons, "then" or "and". A part is one of
    walk 5 m [at 0.8 m/s]
    20 steps [at 1.3 m/s]
    turn 90 degrees [left | right] [at 1.0 m/s]
Speeds are those of the call where a part does not say its own; bends are walked at `BEND` at the most. What natural
walks do not know (backwards, sideways, in place) is walked with care (bunraku.walking.step_words). Checked in
tests/gaits/test_natural_words.py.
"""

from __future__ import annotations

import re
from math import radians, sqrt

from bunraku.errors import InputError
from bunraku.gaits.gait_library import check_speed
from bunraku.gaits.stride_plan import Leg
from bunraku.model.body_2000 import HEIGHT
from bunraku.walking.step_words import ANGLE, LENGTH, NUMBER, number

AT = r"(?:\s+at\s+(?P<speed>\d+(?:\.\d+)?)\s*m/s)?"
WALK = re.compile(rf"(?:walk|go)\s+{NUMBER.format('far')}\s*{LENGTH.format('unit')}(?:\s+(?:ahead|forwards?))?{AT}")
STEPS = re.compile(rf"(?:(?:walk|go|take)\s+)?{NUMBER.format('count')}\s+steps?(?:\s+(?:ahead|forwards?))?{AT}")
TURNS = re.compile(
    rf"turn(?:\s+(?P<first>left|right))?\s+{NUMBER.format('turn')}\s*{ANGLE.format('turn_unit')}"
    rf"(?:\s+(?:to\s+the\s+)?(?P<turn_to>left|right))?{AT}"
)
BEND = 1.0  # m/s, of a figure of 1.7 m
MOST = 2000  # steps
SAYS = (
    "say e.g. 'walk 5 m at 0.8 m/s', 'twenty steps' or 'turn 90 degrees right'; other ways are walked with gait careful"
)


def legs_of(words: str, speed: float, height: float = HEIGHT) -> list[Leg]:
    """The parts of a walk; speed [m/s]: where they do not say their own."""
    parts = [p.strip() for p in re.split(r"[,;]|\bthen\b|\band\b", words.lower()) if p.strip()]
    if not parts:
        raise InputError(f"footsteps {words!r}: nothing to walk; {SAYS}.")
    return [leg_of(part, check_speed(speed, height), height) for part in parts]


def leg_of(part: str, usual: float, height: float) -> Leg:
    """One part."""
    for pattern in (WALK, STEPS, TURNS):
        found = pattern.fullmatch(part)
        if found:
            break
    else:
        raise InputError(f"footsteps: {part!r} is no natural walk; {SAYS}.")
    said = found.groupdict()
    speed = usual if said["speed"] is None else check_speed(float(said["speed"]), height)
    if pattern is TURNS:
        turn = number(str(said["turn"])) * (1.0 if str(said["turn_unit"]).startswith("rad") else radians(1.0))
        right = "right" in (said["first"], said["turn_to"])
        return Leg(min(speed, BEND * sqrt(height / HEIGHT)), turn=-turn if right else turn)
    if pattern is STEPS:
        count = int(number(str(said["count"])))
        if not 2 <= count <= MOST:
            raise InputError(f"footsteps: {part!r}: give 2 to {MOST} steps.")
        return Leg(speed, steps=count)
    metres = number(str(said["far"])) * (0.01 if str(said["unit"]).startswith(("cm", "cent")) else 1.0)
    if not 0 < metres <= 1000:
        raise InputError(f"footsteps: {part!r}: give more than 0 and at most 1000 m.")
    return Leg(speed, metres=metres)
