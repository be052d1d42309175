"""Walks in words: "walk 3 m, turn 90 degrees, two steps back" becomes moves of a Way (bunraku.walking.footsteps).

Parts are parted by commas, semicolons, "then" or "and". A part is one of
    walk 3 m [back | left | right] [turning 40 degrees [left | right]] [slowly | briskly]
    5 steps [back | left | right] [of 0.2 m] [turning 40 degrees [left | right]] [slowly | briskly]
    8 steps in place [slowly | briskly]
    turn 90 degrees [left | right] [slowly | briskly]
Steps of "walk" are as long as the walker's pace has them (bunraku.walking.pace) or a little shorter; backwards and
around bends of more than BEND a step they are careful ones, to the side and on the spot short ones, all as slow as
"slowly" is unless it is said otherwise; one more closes the feet at the end of the part; "5 steps" are five footsteps
with the closing one among them; in place the feet are put down where they stood. To the side every step has two
footsteps: one foot moves, the other closes. Units m or cm, degrees (deg, °) or rad; turns go left unless said
otherwise. Checked in tests/walking/test_footsteps.py.
"""

from __future__ import annotations

import re

import numpy as np

from bunraku.errors import InputError
from bunraku.humanoid.parts import Humanoid
from bunraku.walking.footsteps import MOST, Way, beside
from bunraku.walking.pace import SIDE, TURN, careful_step, pace_of
from bunraku.walking.step_limits import overlap

COUNTING = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
WORDS = COUNTING.split()
NUMBER = r"(?P<{}>-?\d+(?:\.\d+)?|" + "|".join(sorted(WORDS, key=len, reverse=True)) + r"|an|a)"
LENGTH, ANGLE = r"(?P<{}>metres?|meters?|centimetres?|centimeters?|cm|m)", r"(?P<{}>degrees?|deg|°|radians?|rad)"
AWAY = r"(?:\s+(?:to\s+the\s+)?(?P<away>ahead|forwards?|back|backwards?|left|right))?"
TURNING = rf"(?:\s+turning\s+{NUMBER.format('turn')}\s*{ANGLE.format('turn_unit')}(?:\s+(?:to\s+the\s+)?(?P<turn_to>left|right))?)?"
PACE = r"(?:\s+(?P<pace>slowly|briskly))?"
WALK = re.compile(rf"(?:walk|go)\s+{NUMBER.format('far')}\s*{LENGTH.format('unit')}{AWAY}{TURNING}{PACE}")
STEPS = re.compile(
    rf"(?:(?:walk|go|take)\s+)?{NUMBER.format('count')}\s+steps?{AWAY}(?:\s+of\s+{NUMBER.format('far')}\s*{LENGTH.format('unit')})?{TURNING}{PACE}"
)
SPOT = re.compile(rf"(?:(?:walk|go|take)\s+)?{NUMBER.format('count')}\s+steps?\s+(?:in\s+place|on\s+the\s+spot){PACE}")
TURNS = re.compile(
    rf"turn(?:\s+(?P<first>left|right))?\s+{NUMBER.format('turn')}\s*{ANGLE.format('turn_unit')}(?:\s+(?:to\s+the\s+)?(?P<turn_to>left|right))?{PACE}"
)
BEND = 0.1  # rad
SAYS = (
    "say e.g. 'walk 3 m', 'walk 3 m slowly', 'turn 90 degrees right', 'two steps back', 'three steps left of 0.1 m', "
    "'eight steps in place', 'walk 2 m turning 60 degrees'"
)


def number(text: str) -> float:
    """A number in digits or words."""
    return 1.0 if text in ("a", "an") else float(WORDS.index(text)) if text in WORDS else float(text)


def way_of(words: str, h: Humanoid, pace: str = "usual") -> Way:
    """The way that words describe, from standing at the origin, headed along x; pace: where they do not say."""
    way = Way(h)
    for part in parts_of(words):
        add(way, h, part, pace)
    return way


def parts_of(words: str) -> list[str]:
    """The parts of the words, each of which can be understood; whether a figure can do them is not asked here."""
    parts = [p.strip() for p in re.split(r"[,;]|\bthen\b|\band\b", words.lower())]
    parts = [p for p in parts if p]
    if not parts:
        raise InputError("footsteps: there are no steps; say e.g. 'walk 3 m'.")
    for part in parts:
        understood(part)
    return parts


def understood(part: str) -> tuple[str, dict[str, str | None]]:
    """(kind, what was said) of a part: walk, steps, spot or turns."""
    for kind, pattern in (("walk", WALK), ("steps", STEPS), ("spot", SPOT), ("turns", TURNS)):
        if found := pattern.fullmatch(part):
            said = found.groupdict()
            if said.get("far"):
                length(said, part)
            count = number(str(said.get("count") or 1))
            if not (count >= 1 and count == int(count)):
                raise InputError(f"footsteps: {part!r}: the number of steps must be a whole number from 1.")
            return kind, said
    raise InputError(f"footsteps: {part!r} is not understood; {SAYS}.")


def add(way: Way, h: Humanoid, part: str, pace: str) -> None:
    """Add one part of the words to a way."""
    side = float(h.mapping.get("walk", {}).get("side", SIDE * h.legs[0]))
    most_turn = turn_of(h)
    kind, said = understood(part)
    walk, turns = kind == "walk", kind == "turns"
    turn, free, slow = angle(said), pace_of(h, said["pace"] or pace), pace_of(h, said["pace"] or "slowly")
    turning = int(np.ceil(abs(turn) / most_turn - 1e-9))
    if turns:
        way.seconds = slow.time
        if turn:
            way.go(0.0, 0.0, turn, check_count(max(1, turning), part))
        return
    if kind == "spot":
        way.seconds = slow.time
        for _ in range(check_count(int(number(str(said["count"]))), part)):
            way.put()
        way.closed = True
        return
    away = said["away"] or "ahead"
    aside = away in ("left", "right")
    if walk:
        far, whole = length(said, part), 0
    else:
        far, whole = length(said, part) if said["far"] else 0.0, int(number(str(said["count"])))
    closing = 0 if aside or whole == 1 else 1  # the last one closes

    def plan(step: float) -> tuple[int, float]:
        """(how many, how far [m] together) of steps of a usual length."""
        if walk:
            return max(1, int(np.ceil(far / step - 1e-9)), turning), far
        count = check_count(whole, part) - closing
        return count, count * (far or step)

    count, all_far = plan(free.step)
    care = aside or away.startswith("back") or abs(turn) > BEND * count
    if care:
        count, all_far = plan(side if aside else min(careful_step(h), free.step))
    way.seconds = slow.time if care else free.time
    check_count(count, part)
    sign = -1.0 if away.startswith("back") or away == "right" else 1.0
    if aside:
        way.go(0.0, sign * all_far, turn, count)
    elif whole == 1:
        way.move(sign * all_far, 0.0, turn)  # one step leaves the feet one before the other
    else:
        way.go(sign * all_far, 0.0, turn, count)


def turn_of(h: Humanoid) -> float:
    """The usual turn of a step [rad]: the mapping's, or TURN, or less where the soles would overlap."""
    turn = float(h.mapping.get("walk", {}).get("turn", TURN))
    while turn > 0.02 and overlap(h, beside(h, 0, 0.0, 0.0, turn), beside(h, 1, 0.0, 0.0, 0.0)):
        turn *= 0.9
    return turn


def angle(said: dict[str, str | None]) -> float:
    """The turn that was said [rad], left positive."""
    if not said.get("turn"):
        return 0.0
    x = number(str(said["turn"]))
    x = x if str(said["turn_unit"]).startswith("rad") else float(np.radians(x))
    return -x if "right" in (said.get("turn_to"), said.get("first")) else x


def length(said: dict[str, str | None], part: str) -> float:
    """The length that was said [m]."""
    x = number(str(said["far"])) * (0.01 if str(said["unit"]).startswith("c") else 1.0)
    if not x > 0:
        raise InputError(
            f"footsteps: {part!r}: the length must be above 0; say 'back', 'left' or 'right' for other directions."
        )
    return x


def check_count(count: int, part: str) -> int:
    """The same count, unless it is far too large."""
    if count > MOST:
        raise InputError(f"footsteps: {part!r} takes {count} steps; at most {MOST} are planned at once.")
    return count
