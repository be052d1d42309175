"""A gait: polylines of the leg angles over two steps, the timing, the path of the ZMP, and starts for the solver.

The report (section 5.2) gives the angles of the left leg from the vertical, positive when the segment's upper end
leans forward, at up to 81 time steps of a two-step cycle: beta1 thigh, beta2 shank, beta3 foot. The right leg is half
a cycle later with the opposite sign (it is drawn from the hip down). `swing_start` and `support_start` are the time
steps (1-81) at which the left foot leaves and touches the floor; they are 40 apart.

Angles in radians, lengths in metres, times in seconds. `rise` is the height gained per step (stairs; ours).
Checked in tests/gait1988/test_pattern.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from bunraku.errors import InputError
from bunraku.gait1988.zmp import Zmp

LAST = 81
"""Number of time steps of two steps of walking, both ends counted."""


@dataclass(frozen=True)
class Pattern:
    """One polyline: angle (rad) at the time steps `index` (1 … 81, increasing, both ends present)."""

    name: str
    index: tuple[int, ...]
    angle: tuple[float, ...]

    def __post_init__(self) -> None:
        where = f"pattern {self.name!r}"
        if len(self.index) != len(self.angle):
            raise InputError(
                f"{where}: {len(self.index)} time steps but {len(self.angle)} angles; give one angle each."
            )
        if len(self.index) < 2 or self.index[0] != 1 or self.index[-1] != LAST:
            raise InputError(f"{where}: the time steps must start at 1 and end at {LAST}, got {list(self.index)}.")
        if any(b <= a for a, b in zip(self.index, self.index[1:])):
            raise InputError(f"{where}: the time steps must increase, got {list(self.index)}.")
        if not all(math.isfinite(a) and abs(a) <= math.pi for a in self.angle):
            raise InputError(f"{where}: angles are radians between -pi and pi, got {list(self.angle)}.")
        if abs(self.angle[0] - self.angle[-1]) > 1e-9:
            raise InputError(
                f"{where}: the walk repeats, so the first and last angle must agree, "
                f"got {self.angle[0]} and {self.angle[-1]}."
            )


@dataclass(frozen=True)
class Gait:
    """Everything that defines one walk: leg patterns, timing, ZMP, scale factors, starts (theta, psi, theta', psi')."""

    name: str
    beta1: Pattern
    beta2: Pattern
    zmp: Zmp
    beta3: Pattern | None = None
    cycle: float = 2.0
    swing_start: int = 33
    support_start: int = 73
    time_factor: float = 1.0
    angle_factor: float = 1.0
    rise: float = 0.0
    starts: tuple[tuple[float, float, float, float], ...] = field(default=())
    source: str = "user"
    note: str = ""

    def __post_init__(self) -> None:
        where = f"gait {self.name!r}"
        if not (math.isfinite(self.cycle) and 0.05 <= self.cycle <= 60.0):
            raise InputError(f"{where}: the cycle of two steps must last 0.05 to 60 s, got {self.cycle}.")
        if not 1 < self.swing_start < self.support_start < LAST:
            raise InputError(
                f"{where}: wanted 1 < swing start < support start < {LAST}, "
                f"got {self.swing_start} and {self.support_start}."
            )
        if self.support_start - self.swing_start != 40:
            raise InputError(
                f"{where}: swing and support must start 40 time steps apart (left and right alternate), "
                f"got {self.swing_start} and {self.support_start}."
            )
        for label, value in (("time factor", self.time_factor), ("angle factor", self.angle_factor)):
            if not (math.isfinite(value) and 0.01 <= value <= 100.0):
                raise InputError(f"{where}: the {label} must lie between 0.01 and 100, got {value}.")
        if not (math.isfinite(self.rise) and abs(self.rise) <= 0.5):
            raise InputError(f"{where}: the rise per step must lie within 0.5 m, got {self.rise}.")
        for start in self.starts:
            if len(start) != 4 or not all(math.isfinite(value) for value in start):
                raise InputError(f"{where}: a start is four numbers (theta, psi, theta', psi'), got {list(start)}.")
        self.zmp.check(self.step_time)

    @property
    def step_time(self) -> float:
        """Duration of one step in seconds."""
        return 0.5 * self.cycle * self.time_factor

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The polylines given: beta1, beta2 and, if any, beta3."""
        return (self.beta1, self.beta2) if self.beta3 is None else (self.beta1, self.beta2, self.beta3)
