"""What `bunraku walk --terrain` understands: stairs, slopes and bumps in a few words.

    stairs                      five steps up of 0.15 m
    stairs down 4 of 0.12 m     count and riser
    slope 5 degrees             up; slope -5 degrees: down
    bumps 2 cm                  unknown to the footsteps, under them
Stairs and slopes bring their own footsteps (bunraku.walking.terrain). Checked in tests/cli/test_walk_command.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bunraku.errors import InputError

if TYPE_CHECKING:
    from bunraku.humanoid.parts import Humanoid
    from bunraku.walking.footsteps import Footstep
    from bunraku.walking.terrain import Terrain

NUMBER = r"\d+(?:\.\d+)?"
UNIT = r"\s*(?P<unit>m|cm|mm)?"
STAIRS = re.compile(rf"stairs(?:\s+(?P<way>up|down))?(?:\s+(?P<count>\d+)(?:\s*(?:x|of)\s*(?P<size>{NUMBER}){UNIT})?)?")
SLOPE = re.compile(rf"slope(?:\s+(?P<degrees>-?{NUMBER})\s*(?:degrees?|deg|°)?)?")
BUMPS = re.compile(rf"bumps(?:\s+(?:of\s+)?(?P<size>{NUMBER}){UNIT})?")
METRES = {None: 1.0, "m": 1.0, "cm": 0.01, "mm": 0.001}


def brings_steps(text: str) -> bool:
    """Whether a terrain has footsteps of its own."""
    return not text.strip().lower().startswith("bumps")


def terrain_of(text: str, h: Humanoid, steps: tuple[Footstep, ...] | None) -> Terrain:
    """A terrain in words; InputError where it is none, or the figure cannot walk it. steps: what bumps lie under."""
    from bunraku.walking.terrain import bumps, slope, stairs

    words = text.strip().lower()
    if found := STAIRS.fullmatch(words):
        riser = float(found["size"]) * METRES[found["unit"]] if found["size"] else 0.15
        return stairs(h, int(found["count"] or 5), riser, down=found["way"] == "down")
    if found := SLOPE.fullmatch(words):
        return slope(h, float(found["degrees"] or 5.0))
    if found := BUMPS.fullmatch(words):
        return bumps(h, steps or (), float(found["size"]) * METRES[found["unit"]] if found["size"] else 0.02)
    raise InputError(
        f"--terrain {text!r} is not understood; say e.g. 'stairs 5 of 0.15 m', 'stairs down', 'slope 5 degrees', "
        "'bumps 2 cm'."
    )
