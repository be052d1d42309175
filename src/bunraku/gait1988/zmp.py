"""The zero-moment point (ZMP): where under the support foot the ground reaction acts, as a step function of time.

Section 3.2 and Figs 3.3, 5.6, 5.7 of the report. `x[k]` is the distance of the ZMP ahead of the foot's centre (metres)
until time `until[k]` (seconds, the last one is the end of the step); at t = until[k] the old value still holds, as in
the report's program. The report's cards hold three pieces only: -BE2 until T1, 0 until T2, +BE1 to the end.
`inside_sole` checks the positions against a sole of our own (`figure.SOLE_HEEL` … `SOLE_TOE`).
Checked in tests/gait1988/test_pattern.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bunraku.errors import InputError, UnknownName, closest
from bunraku.gait1988.twelve_bodies import SOLE_HEEL, SOLE_TOE


@dataclass(frozen=True)
class Zmp:
    """A step function: the ZMP is `x[k]` metres ahead of the foot's centre until `until[k]` seconds."""

    until: tuple[float, ...]
    x: tuple[float, ...]
    name: str = ""

    def __post_init__(self) -> None:
        if not self.until or len(self.until) != len(self.x):
            raise InputError(f"ZMP: wanted as many times as positions, got {len(self.until)} and {len(self.x)}.")
        if not all(math.isfinite(value) for value in (*self.until, *self.x)):
            raise InputError("ZMP: times and positions must be finite numbers.")
        if self.until[0] <= 0.0 or any(b <= a for a, b in zip(self.until, self.until[1:])):
            raise InputError(f"ZMP: the times must be positive and increase, got {list(self.until)}.")
        if any(abs(value) > 0.5 for value in self.x):
            raise InputError(f"ZMP: positions are metres from the foot's centre, within 0.5, got {list(self.x)}.")

    def check(self, step_time: float) -> None:
        """Raise unless the last piece reaches the end of the step."""
        if self.until[-1] < step_time - 1e-9:
            raise InputError(
                f"ZMP: the last piece ends at {self.until[-1]:g} s but the step lasts {step_time:g} s; "
                f"let the last time be {step_time:g}."
            )

    def at(self, t: float) -> float:
        """Position at time t; at a switching time the old value holds."""
        for end, value in zip(self.until, self.x):
            if t <= end + 1e-9:
                return value
        return self.x[-1]

    def inside_sole(self, heel: float = SOLE_HEEL, toe: float = SOLE_TOE) -> bool:
        """Whether every position lies under the sole (metres from the foot's centre)."""
        return all(heel <= value <= toe for value in self.x)

    def to_card(self) -> tuple[float, float, float, float] | None:
        """(T1, T2, BE1, BE2) of the report's cards, or None where three such pieces cannot say it."""
        x, until = list(self.x), list(self.until)
        end = until[-1]
        if len(x) == 3 and x[1] == 0.0:
            return until[0], until[1], x[2], -x[0]
        if len(x) == 2 and x[1] == 0.0:
            return until[0], end, 0.0, -x[0]
        if len(x) == 2 and x[0] == 0.0:
            return 0.0, until[0], x[1], 0.0
        if len(x) == 1 and x[0] == 0.0:
            return 0.0, end, 0.0, 0.0
        return None


def from_card(t1: float, t2: float, be1: float, be2: float, step_time: float) -> Zmp:
    """The step function of (T1, T2, BE1, BE2): -BE2 until T1, 0 until T2, +BE1 until the end of the step."""
    if not 0.0 <= t1 <= t2:
        raise InputError(f"ZMP: wanted 0 <= T1 <= T2, got T1 = {t1:g}, T2 = {t2:g}.")
    pieces = [(min(t1, step_time), 0.0 - be2), (min(t2, step_time), 0.0), (step_time, be1)]
    until: list[float] = []
    x: list[float] = []
    for end, value in pieces:
        if end > (until[-1] if until else 0.0):
            until.append(end)
            x.append(value)
    return Zmp(tuple(until), tuple(x))


FLAT_CASES = {
    "I": Zmp((1.0,), (0.0,), "flat I"),
    "II": Zmp((0.3, 0.5, 1.0), (0.0, 0.035, 0.070), "flat II"),
    "III": Zmp((0.5, 0.8, 1.0), (0.0, 0.035, 0.070), "flat III"),
    "IV": Zmp((0.2, 1.0), (-0.020, 0.0), "flat IV"),
    "V": Zmp((0.2, 0.6, 1.0), (-0.020, 0.0, 0.035), "flat V"),
}
"""Fig. 5.6: ZMP of the flat gait."""

USUAL_CASES = {
    "I": Zmp((0.15, 0.5, 1.0), (-0.05, 0.0, 0.07), "usual I"),
    "II": Zmp((0.15, 0.6, 1.0), (-0.02, 0.0, 0.07), "usual II"),
    "III": Zmp((0.15, 0.6, 1.0), (-0.03, 0.0, 0.10), "usual III"),
    "IV": Zmp((1.0,), (0.0,), "usual IV"),
    "V": Zmp((0.15, 1.0), (-0.05, 0.0), "usual V"),
}
"""Fig. 5.7: ZMP of the usual gait."""


def zmp_case(kind: str, case: str) -> Zmp:
    """A printed case: kind 'flat' or 'usual', case 'I' to 'V'."""
    tables = {"flat": FLAT_CASES, "usual": USUAL_CASES}
    if kind not in tables:
        raise UnknownName(f"there are no ZMP cases for {kind!r}.{closest(kind, tables)}")
    if case.upper() not in tables[kind]:
        raise UnknownName(f"ZMP case {case!r} of the {kind} gait is not in the report.{closest(case, tables[kind])}")
    return tables[kind][case.upper()]
