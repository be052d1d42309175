"""The gaits that come with Bunraku: steps of walking at several speeds, and steps that start and stop a walk.

All were made by `bunraku gaits make --library` from mechanics alone (gaits.make_gait). `gait_at` gives the step at any
speed between them, for any height and mass: coefficients are blended between the two nearest speeds, and scaled by the
Froude number  v^2 / (g height), with which the motions of figures of one shape are similar. A blend keeps the laws of
mechanics only nearly; the tracker (gaits.step_tracker) makes up for it. Checked in tests/gaits/test_gait_library.py.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from bunraku.errors import InputError
from bunraku.gaits.gait import Gait, load_gait
from bunraku.model.body_2000 import HEIGHT

FOLDER = Path(__file__).parent / "shipped"
SPEEDS = (0.3, 0.8, 1.3, 1.8)  # m/s, for a figure of 1.7 m
TURNING = 0.8  # m/s: of the walk that starts lead into and stops come from


def file_of(name: str | float) -> Path:
    """The file of a speed, of "start" or of "stop"."""
    return FOLDER / f"{name}.npz"


@lru_cache(maxsize=16)
def shipped(name: str | float) -> Gait:
    """A gait as it was made."""
    return load_gait(file_of(name))


def speeds_of(height: float) -> tuple[float, float]:
    """The least and the largest speed [m/s] that a figure of some height [m] walks at."""
    scale = np.sqrt(height / HEIGHT)
    return SPEEDS[0] * scale, SPEEDS[-1] * scale


def check_speed(speed: float, height: float = HEIGHT) -> float:
    """InputError for a speed that is no walk."""
    least, most = speeds_of(height)
    if not isinstance(speed, int | float) or not least - 0.005 <= speed <= most + 0.005:
        raise InputError(
            f"walk: {speed} m/s is no natural walk of a figure of {height:.2f} m; give {least:.2f} to {most:.2f} m/s."
        )
    return float(min(max(speed, least), most))


def gait_at(speed: float, height: float = HEIGHT, mass: float = 69.0) -> Gait:
    """The step at a speed [m/s] of human(height [m], mass [kg], body="1996")."""
    own = check_speed(speed, height) / np.sqrt(height / HEIGHT)
    k = int(np.clip(np.searchsorted(SPEEDS, own) - 1, 0, len(SPEEDS) - 2))
    low, high = shipped(SPEEDS[k]), shipped(SPEEDS[k + 1])
    return blended(low, high, (own - SPEEDS[k]) / (SPEEDS[k + 1] - SPEEDS[k])).scaled(height, mass)


def transition(kind: str, height: float = HEIGHT, mass: float = 69.0) -> Gait:
    """The step that starts or stops a walk."""
    return shipped(kind).scaled(height, mass)


def blended(a: Gait, b: Gait, part: float) -> Gait:
    """The gait between two of one figure; part 0: the first, 1: the second."""
    p, q = a.plan, b.plan
    mix = lambda x, y: float((1 - part) * x + part * y)  # noqa: E731
    names = ("speed", "length", "width", "both", "flat", "heel_off", "clearance", "force")
    plan = replace(p, **{name: mix(getattr(p, name), getattr(q, name)) for name in names})
    C = (1 - part) * a.coefficients + part * b.coefficients
    return Gait(plan, a.height, a.mass, C, (1 - part) * a.forces + part * b.forces)
