"""Terrain in a few words: stairs, slopes and bumps, for `terrain`, `walk` and `bunraku walk --terrain`.

    stairs                      five steps up of 0.15 m
    stairs down 4 of 0.12 m     count and riser
    slope 5 degrees             up; slope -5 degrees: down
    bumps 2 cm                  unknown to the footsteps, under them
Stairs and slopes bring their own footsteps (bunraku.walking.terrain). Checked in tests/walking/test_walk.py and
tests/cli/test_walk_command.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bunraku.errors import InputError
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.model import Model
from bunraku.walking.footsteps import Footstep
from bunraku.walking.terrain import Terrain, bumps, slope, stairs

NUMBER = r"\d+(?:\.\d+)?"
UNIT = r"\s*(?P<unit>m|cm|mm)?"
STAIRS = re.compile(rf"stairs(?:\s+(?P<way>up|down))?(?:\s+(?P<count>\d+)(?:\s*(?:x|of)\s*(?P<size>{NUMBER}){UNIT})?)?")
SLOPE = re.compile(rf"slope(?:\s+(?P<degrees>-?{NUMBER})\s*(?:degrees?|deg|°)?)?")
BUMPS = re.compile(rf"bumps(?:\s+(?:of\s+)?(?P<size>{NUMBER}){UNIT})?")
METRES = {None: 1.0, "m": 1.0, "cm": 0.01, "mm": 0.001}


def brings_steps(text: str) -> bool:
    """Whether a terrain has footsteps of its own."""
    return not text.strip().lower().startswith("bumps")


def terrain(words: str, figure: Humanoid | Model, steps: Sequence[Footstep] = ()) -> Terrain:
    """A terrain in words, e.g. "stairs 5 of 0.15 m", "stairs down", "slope 5 degrees" or "bumps 2 cm", with footsteps
    that fit the figure; steps: those that bumps lie under. Raises InputError for words it does not understand, or a
    terrain that the figure cannot walk."""
    check_terrain(words)
    h, said = humanoid(figure), words.strip().lower()
    if found := STAIRS.fullmatch(said):
        riser = float(found["size"]) * METRES[found["unit"]] if found["size"] else 0.15
        return stairs(h, int(found["count"] or 5), riser, down=found["way"] == "down")
    if found := SLOPE.fullmatch(said):
        return slope(h, float(found["degrees"] or 5.0))
    found = BUMPS.fullmatch(said)
    height = float(found["size"]) * METRES[found["unit"]] if found and found["size"] else 0.02
    return bumps(h, tuple(steps), height)


def check_terrain(words: str) -> None:
    """InputError for words that are not understood; whether a figure can walk there is not asked here."""
    if not any(pattern.fullmatch(words.strip().lower()) for pattern in (STAIRS, SLOPE, BUMPS)):
        raise InputError(
            f"terrain {words!r} is not understood; say e.g. 'stairs 5 of 0.15 m', 'stairs down', 'slope 5 degrees' or "
            "'bumps 2 cm'."
        )
