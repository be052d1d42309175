"""A simple building to walk through: a doorway, a corridor, a corner to the left, stairs up to a landing.

Chapter 8(2) of the report JAERI-M 88-080 (Ishiguro & Fujisaki 1988) wished for pictures of a person who walks in a
simple building, at a person's own speed. The way, seen from above (x to the right, y up, the figure begins at 0):

          landing
          stairs      ^
    door  |      |    |
    --  --+  --->+----+
     0 -> |corridor   |
    --  --+-----------+

All lengths follow the figure: the doorway is as wide as its span and DOOR, the corridor two of them, ceilings are left
out. The walls on the side from which pictures are taken stand in the world but are drawn low, as of a doll's house:
each is a box of role "collision" with a low one of role "visual". Units SI. Checked in tests/walking/test_building.py:
the way keeps clear of all walls, and the walk in the physical world touches nothing but the ground, with the soles.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.description import Shape
from bunraku.model.model import Model
from bunraku.walking.footsteps import Footstep, beside, standing
from bunraku.walking.step_words import way_of
from bunraku.walking.terrain import Terrain, box, checked, flight

DOOR = 0.95  # m: width of the doorway for a figure 1.7 m tall
HIGH, HEAD = 2.2, 1.95  # m: walls and the doorway's lintel
THIN, LOW = 0.08, 0.25  # m: thickness of walls; how high a wall is drawn that would hide the figure
STAIRS, RISER = 4, 0.15  # how many, and m each
WALL, WOOD = (0.86, 0.84, 0.78, 1.0), (0.62, 0.46, 0.32, 1.0)


def building(figure: Humanoid | Model) -> Terrain:
    """The building, with walls to the figure's measure, and the footsteps of a walk through it: ahead through the
    doorway and along the corridor, a quarter turn to the left, on and up the stairs. Raises InputError where the figure
    cannot climb them."""
    h = humanoid(figure)
    size = float(max(h.legs)) / 0.8347  # of human(), whose legs these lengths are made for
    way = way_of(f"walk {3.2 * size:.3f} m, turn 90 degrees left, walk {0.9 * size:.3f} m", h)
    tread = 2.0 * max(float(f.half[0]) for f in h.feet) + 0.09
    stairs, _, climb = flight(h, STAIRS, RISER * size, tread, False, False, 1.3 * size, 1.0 * size)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    foot = np.array([way.x, way.y, 0.0])
    shapes = [replace(s, position=tuple(turn @ np.asarray(s.position) + foot), rotation=turn) for s in stairs]
    steps = [*way.steps, *(turned(h, s, k, way.next_side, turn, foot) for k, s in enumerate(climb))]
    shapes += walls(way.x, way.y + (STAIRS + 0.5) * tread + 1.0 * size, size)
    begin = standing(h)
    checked(h, steps, begin, "building")
    return Terrain(tuple(shapes), begin, tuple(steps))


def turned(h: Humanoid, step: Footstep, number: int, first: int, turn: np.ndarray, foot: np.ndarray) -> Footstep:
    """A footstep of a flight along x, set at the foot of the stairs, on the side whose turn it is."""
    x, y, z = (turn @ np.array([step.position[0], 0.0, step.position[2]]) + foot).tolist()
    return beside(h, (first + number) % 2, x, y, 0.5 * np.pi, z)


def walls(corner: float, far: float, size: float) -> list[Shape]:
    """All walls; corner: x at which the way turns, far: y at which the landing ends [m]."""
    half, door, x0 = 0.7 * size, 0.5 * DOOR * size, 1.1 * size  # half a corridor, half a doorway, where it is
    high, head = HIGH * size, HEAD * size
    out = [
        box((x0, door, 0.0), (x0 + THIN, half + 0.6 * size, high), "wall left of the door"),
        *cut((x0, -half - 0.6 * size, 0.0), (x0 + THIN, -door, high), "wall right of the door"),
        replace(box((x0, -door - THIN, 0.0), (x0 + THIN, -door, high), "door post"), role="visual"),
        box((x0, -door, head), (x0 + THIN, door, high), "lintel"),
        box((x0 + THIN, half, 0.0), (corner - half, half + THIN, high), "left wall of the corridor"),
        box((corner - half - THIN, half + THIN, 0.0), (corner - half, far, high), "left wall of the stairs"),
        *cut((x0 + THIN, -half - THIN, 0.0), (corner + half + THIN, -half, high), "right wall of the corridor"),
        *cut((corner + half, -half, 0.0), (corner + half + THIN, far, high), "right wall of the stairs"),
        box((corner - half, far, 0.0), (corner + half, far + THIN, high), "end wall"),
        replace(box((x0 + THIN, door, 0.0), (x0 + THIN + 2.0 * door, door + 0.04, head), "open door"), color=WOOD),
    ]
    return [s if s.color == WOOD else replace(s, color=WALL) for s in out]


def cut(low: tuple[float, ...], high: tuple[float, ...], name: str) -> list[Shape]:
    """A wall that stands whole but is drawn low."""
    return [
        replace(box(low, high, name), role="collision"),
        replace(box(low, (*high[:2], LOW), f"{name}, seen"), role="visual"),
    ]
