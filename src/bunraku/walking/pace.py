"""How fast a figure walks, and how freely: length and time of its steps by the length of its legs, and what its hips
and feet do beside them.

Figures of all sizes that walk alike have one Froude number v^2 / (g l): a step is  STEP l  long and takes  TIME sqrt(l
/ g) , with l the length of a leg. For human(): 0.48 m in 0.72 s, 0.67 m/s. A mapping's [walk] may say other ones (step,
single, double). "slowly" and "briskly" change both (`PACES`). What limits a pace: legs that reach both feet while both
stand (longer steps bend the knees more, as the hips are lower); the swing's inertia, whose moment about the centre of
mass the sole that stands must bear and which grows with 2 v / time; torques of the knees. A `Style` is how: NATURAL
hips rise over the foot that stands (`bob`, as share of the arc of a stiff leg, d^2 / (8 l) for feet d apart), feet
swing from the moment they leave, toes hanging; LEVEL keeps the hips level and soles flat, and feet wait at both ends of
a swing: so figures go on stairs and slopes. Checked in tests/walking/test_pace.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.errors import InputError, closest
from bunraku.humanoid.parts import Humanoid

STEP, TIME = 0.575, 2.47  # of a leg; of sqrt(leg / g)
CAREFUL = 0.3  # of a leg: steps where care is needed
CARE = (0.7, 0.2)  # s on one foot and on both: times of such steps
SIDE, TURN = 0.15, 0.35  # of a leg; rad: usual steps to the side and turns
DOUBLE = 0.14  # of a step's time: on both feet
PACES = {
    "slowly": (0.52, 1.25),
    "usual": (1.0, 1.0),
    "briskly": (1.1, 1.0),
}  # times the usual length, times the usual time


@dataclass(frozen=True)
class Style:
    """See the module text. wait: part of a swing in which a foot does not go ahead yet, and no longer; hang [rad]: how
    far toes hang in the first part of steps of half a leg's length; bob: share of a stiff leg's arc; stretch: of a
    leg's full length, at most."""

    wait: tuple[float, float]
    hang: float
    bob: float
    stretch: float = 0.975


NATURAL = Style(wait=(0.0, 0.05), hang=0.2, bob=0.5)
LEVEL = Style(wait=(0.1, 0.1), hang=0.0, bob=0.0)


@dataclass(frozen=True)
class Pace:
    """A step ahead [m], the time from one step to the next [s], and the part of it on both feet."""

    step: float
    time: float
    double: float


def pace_of(h: Humanoid, name: str = "usual") -> Pace:
    """The pace of a figure by its name: "slowly", "usual", "briskly"."""
    if name not in PACES:
        raise InputError(f"pace {name!r} is not one of {', '.join(PACES)}.{closest(name, PACES)}")
    longer, slower = PACES[name]
    usual, leg = h.mapping.get("walk", {}), h.legs[0]
    time = TIME * float(np.sqrt(leg / -float(h.model.gravity[2])))
    single, double = float(usual.get("single", (1.0 - DOUBLE) * time)), float(usual.get("double", DOUBLE * time))
    step = float(usual.get("step", STEP * leg))
    return Pace(longer * step, slower * (single + double), double / (single + double))


def care_of(h: Humanoid, more: float = 0.0) -> tuple[float, float]:
    """Times [s] on one foot and on both where care is needed, each longer by `more`: CARE, or the mapping's where they
    are longer."""
    usual = h.mapping.get("walk", {})
    single, double = (max(float(usual.get(name, time)), time) + more for name, time in zip(("single", "double"), CARE))
    return single, double


def careful_step(h: Humanoid) -> float:
    """The length [m] of a step where care is needed: backwards, around a bend, on a slope."""
    return min(CAREFUL * h.legs[0], pace_of(h).step)
