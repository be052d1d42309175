"""Footsteps: where each sole is put down, in order; from a list, from words, or from a file.

    footsteps("walk 3 m, turn 90 degrees, two steps back", humanoid)
    footsteps([Footstep(0, (0.2, 0.09, 0.0)), …], humanoid)
A step's place is the middle of the sole. A `Way` moves a place and heading between the feet and puts a foot beside it
at every step; words are read by bunraku.walking.step_words. A step may say how long it takes; else the walker's pace
does (bunraku.walking.pace). The first foot is the left one, on a turn or a step to the side the one on that side. All
of them are looked at before they are returned (bunraku.walking.step_limits): an impossible one is an InputError that
says what would do. Units m and rad, world z up. Checked in tests/walking/test_footsteps.py.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import FormatError, InputError, closest
from bunraku.files import parse_toml, read_text
from bunraku.humanoid.foot import SIDES
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.model import Model

MOST = 1000  # steps


FAR = 1e6  # m: no walk goes farther


@dataclass(frozen=True)
class Footstep:
    """Where a sole is put: side 0 left, 1 right; position [m] of the sole's middle, heading yaw [rad] about z, the
    ground's normal; seconds: from this step to the next one, None: as the walker's pace has it."""

    side: int
    position: tuple[float, float, float]
    yaw: float = 0.0
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.side not in (0, 1):
            raise InputError(f"Footstep: side {self.side!r} must be 0 (left) or 1 (right).")
        for name in ("position", "normal"):
            x = np.asarray(getattr(self, name), dtype=float)
            if x.shape != (3,) or not np.all(np.abs(x) < FAR):
                raise InputError(f"Footstep: {name} needs three numbers below {FAR:g}, got {getattr(self, name)!r}.")
            object.__setattr__(self, name, tuple(float(v) for v in x))
        if not np.isfinite(self.yaw) or self.normal[2] < 0.5:
            raise InputError(
                f"Footstep: yaw {self.yaw} must be finite and the normal {self.normal} within 60 degrees of up."
            )
        if self.seconds is not None and not (np.isfinite(self.seconds) and 0.1 <= self.seconds <= 60.0):
            raise InputError(f"Footstep: seconds {self.seconds} must be between 0.1 and 60, or None.")


def beside(
    h: Humanoid, side: int, x: float, y: float, yaw: float, z: float = 0.0, seconds: float | None = None
) -> Footstep:
    """The footstep on one side of a place with a heading."""
    half = 0.5 * h.apart * (1.0 if side == 0 else -1.0)
    place = x - half * float(np.sin(yaw)), y + half * float(np.cos(yaw)), z
    return Footstep(side, place, float(yaw), seconds=seconds)


def standing(
    h: Humanoid, x: float = 0.0, y: float = 0.0, yaw: float = 0.0, z: float = 0.0
) -> tuple[Footstep, Footstep]:
    """Both feet side by side."""
    return beside(h, 0, x, y, yaw, z), beside(h, 1, x, y, yaw, z)


@dataclass
class Way:
    """A place and heading between the feet that moves on, and the steps it has made; seconds: of each step from now on."""

    h: Humanoid
    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    next_side: int = 0
    steps: list[Footstep] = field(default_factory=list)
    closed: bool = True
    seconds: float | None = None

    def put(self) -> None:
        """Put the next foot beside the place."""
        if len(self.steps) >= MOST:
            raise InputError(f"footsteps: more than {MOST} steps; make them fewer.")
        self.steps.append(beside(self.h, self.next_side, self.x, self.y, self.yaw, seconds=self.seconds))
        self.next_side = 1 - self.next_side
        self.closed = False

    def move(self, ahead: float = 0.0, left: float = 0.0, turn: float = 0.0) -> None:
        """Move the place [m] along its heading, half of the turn [rad] before and half after, and put a foot there."""
        if self.closed and (left or (turn and not ahead)):  # the foot on that side goes first
            self.next_side = 0 if (left or turn) > 0 else 1
        self.yaw += 0.5 * turn
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        self.x, self.y = float(self.x + c * ahead - s * left), float(self.y + s * ahead + c * left)
        self.yaw += 0.5 * turn
        self.put()

    def close(self) -> None:
        """Put the other foot beside the last one."""
        if not self.closed:
            self.put()
            self.closed = True

    def go(self, ahead: float, left: float, turn: float, count: int) -> None:
        """`count` moving steps that together go so far, then one that closes the feet.

        To the side the feet close after every step.
        """
        sideways = left != 0.0
        for _ in range(count):
            self.move(ahead / count, left / count, turn / count)
            if sideways:
                self.close()
        self.close()


def footsteps(
    what: str | Sequence[Footstep], figure: Humanoid | Model | str, *, pace: str = "usual"
) -> tuple[Footstep, ...]:
    """Footsteps from words, e.g. "walk 3 m, turn 90 degrees, two steps back", or from a list; from standing at the
    origin, headed along x. pace: "slowly", "usual" or "briskly", where the words do not say. Raises InputError for
    steps that the figure cannot take."""
    from bunraku.walking.step_limits import check_footsteps
    from bunraku.walking.step_words import way_of

    h = humanoid(figure)
    steps = tuple(way_of(what, h, pace).steps) if isinstance(what, str) else tuple(what)
    if not steps:
        raise InputError("footsteps: there are no steps; say e.g. 'walk 3 m'.")
    check_footsteps(h, steps)
    return steps


def read_footsteps(
    path: str | os.PathLike[str], figure: Humanoid | Model, *, pace: str = "usual"
) -> tuple[Footstep, ...]:
    """Footsteps of a TOML file: either  walk = "words"  or a list of
    [[step]]
    side = "left"            # or "right"
    at = [0.3, 0.09, 0.0]    # m, middle of the sole
    yaw = 15                 # degrees, 0 by default
    normal = [0, 0, 1]       # of the ground, by default
    seconds = 0.8            # to the next step; by default as the walker's pace has it"""
    found = steps_in(path)
    return footsteps(found, figure, pace=pace) if isinstance(found, str) else footsteps(found, figure)


def steps_in(path: str | os.PathLike[str]) -> str | list[Footstep]:
    """What such a file says, words or steps, before a figure is asked."""
    from bunraku.walking.step_words import parts_of

    file = Path(path).name
    data = parse_toml(read_text(Path(path)), file)
    for key in data:
        if key not in ("walk", "step"):
            raise FormatError(f"{file}: unknown key {key!r}.{closest(key, ('walk', 'step'))}")
    if ("walk" in data) == ("step" in data):
        raise FormatError(f'{file}: needs either walk = "words" or a list of [[step]].')
    if "walk" in data:
        if not isinstance(data["walk"], str):
            raise FormatError(f'{file}: walk must be words in quotes, e.g. "walk 3 m".')
        try:
            parts_of(data["walk"])
        except InputError as error:
            raise FormatError(f"{file}: {error}") from None
        return data["walk"]
    if not isinstance(data["step"], list):
        raise FormatError(f"{file}: step must be a list, written [[step]].")
    return [step_of(row, f"{file}: step {n}") for n, row in enumerate(data["step"], 1)]


def step_of(row: Any, where: str) -> Footstep:
    """One [[step]] of a file."""
    if not isinstance(row, dict):
        raise FormatError(f"{where}: must be a table, written [[step]].")
    for key in row:
        if key not in ("side", "at", "yaw", "normal", "seconds"):
            raise FormatError(f"{where}: unknown key {key!r}.{closest(key, ('side', 'at', 'yaw', 'normal'))}")
    if row.get("side") not in SIDES:
        raise FormatError(f"{where}: side must be 'left' or 'right', got {row.get('side')!r}.")

    def numbers(key: str, default: Any) -> tuple[float, ...]:
        x = row.get(key, default)
        if (
            not isinstance(x, list | tuple)
            or len(x) != 3
            or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in x)
        ):
            raise FormatError(f"{where}: {key} must be three numbers [m], e.g. [0.3, 0.09, 0.0].")
        return tuple(float(v) for v in x)

    yaw = row.get("yaw", 0.0)
    if isinstance(yaw, bool) or not isinstance(yaw, int | float):
        raise FormatError(f"{where}: yaw must be a number of degrees, got {yaw!r}.")
    try:
        seconds = row.get("seconds")
        if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, int | float)):
            raise FormatError(f"{where}: seconds must be a number, got {seconds!r}.")
        at, normal = numbers("at", None), numbers("normal", (0.0, 0.0, 1.0))
        return Footstep(SIDES.index(row["side"]), at, float(np.radians(yaw)), normal, seconds)  # type: ignore[arg-type]
    except InputError as error:
        raise FormatError(f"{where}: {error}") from None
