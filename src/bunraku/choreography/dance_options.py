"""The options of a Choreography, by name and type, for what passes them on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from bunraku.choreography.gains import Gains


class DanceOptions(TypedDict, total=False):
    """Options of a Choreography."""

    at: Sequence[float] | None
    dt: float
    contact: str
    sweeps: int | None
    integrator: str
    balance: bool
    dynamics: bool
    steps: bool
    rises: bool
    priority: str
    friction: float
    gains: Gains | None
    seed: int
    floor: bool
    name: str | None
