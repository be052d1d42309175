"""Terrain in a few words: stairs, slopes, bumps and rough ground, for `terrain`, `walk` and `bunraku walk --terrain`.

    stairs                      five steps up of 0.15 m
    stairs down 4 of 0.12 m     count and riser
    slope 5 degrees             up; slope -5 degrees: down
    building                    a doorway, a corridor, a corner and stairs up
    stairs 5 as a mesh          any stairs, their surface in triangles
    bumps 2 cm                  unknown to the footsteps, under them
    rough 2 cm                  a height field, on which the footsteps are laid
All but bumps and rough ground bring their own footsteps (bunraku.walking.terrain, bunraku.walking.natural_ground).
Checked in tests/walking/test_walk.py, test_natural_ground.py and tests/cli/test_walk_command.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bunraku.errors import InputError
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.model import Model
from bunraku.walking.building import building
from bunraku.walking.footsteps import Footstep
from bunraku.walking.natural_ground import as_mesh, rough
from bunraku.walking.terrain import Terrain, bumps, slope, stairs

NUMBER = r"\d+(?:\.\d+)?"
UNIT = r"\s*(?P<unit>m|cm|mm)?"
STAIRS = re.compile(
    rf"stairs(?:\s+(?P<way>up|down))?(?:\s+(?P<count>\d+)(?:\s*(?:x|of)\s*(?P<size>{NUMBER}){UNIT})?)?"
    r"(?P<mesh>\s+as\s+a\s+mesh)?"
)
SLOPE = re.compile(rf"slope(?:\s+(?P<degrees>-?{NUMBER})\s*(?:degrees?|deg|°)?)?")
BUMPS = re.compile(rf"bumps(?:\s+(?:of\s+)?(?P<size>{NUMBER}){UNIT})?")
ROUGH = re.compile(rf"rough(?:\s+(?:of\s+)?(?P<size>{NUMBER}){UNIT})?")
BUILDING = "building"
METRES = {None: 1.0, "m": 1.0, "cm": 0.01, "mm": 0.001}


def brings_steps(text: str) -> bool:
    """Whether a terrain has footsteps of its own."""
    return not text.strip().lower().startswith(("bumps", "rough"))


def terrain(words: str, figure: Humanoid | Model, steps: Sequence[Footstep] = ()) -> Terrain:
    """A terrain in words, e.g. "stairs 5 of 0.15 m", "stairs down", "slope 5 degrees", "building", "bumps 2 cm" or "rough
    2 cm", with footsteps that fit the figure; steps: those that bumps or rough ground lie under. Raises
    InputError for words it does not understand, or a terrain that the figure cannot walk."""
    check_terrain(words)
    h, said = humanoid(figure), words.strip().lower()
    if found := STAIRS.fullmatch(said):
        riser = float(found["size"]) * METRES[found["unit"]] if found["size"] else 0.15
        made = stairs(h, int(found["count"] or 5), riser, down=found["way"] == "down")
        return as_mesh(made) if found["mesh"] else made
    if found := SLOPE.fullmatch(said):
        return slope(h, float(found["degrees"] or 5.0))
    if said == BUILDING:
        return building(h)
    found = BUMPS.fullmatch(said) or ROUGH.fullmatch(said)
    height = float(found["size"]) * METRES[found["unit"]] if found and found["size"] else 0.02
    return (bumps if said.startswith("bumps") else rough)(h, tuple(steps), height)


def check_terrain(words: str) -> None:
    """InputError for words that are not understood; whether a figure can walk there is not asked here."""
    said = words.strip().lower()
    if said != BUILDING and not any(pattern.fullmatch(said) for pattern in (STAIRS, SLOPE, BUMPS, ROUGH)):
        raise InputError(
            f"terrain {words!r} is not understood; say e.g. 'stairs 5 of 0.15 m', 'stairs down', 'slope 5 degrees', "
            "'stairs as a mesh', 'building', 'bumps 2 cm' or 'rough 2 cm'."
        )
