"""How hard a walking figure may be pushed: the largest push of 0.1 s that it survives, from eight directions, standing
and walking.

    table = largest_pushes(bk.human(), bushes=True)
    print(table)                       N s/kg by direction, with and without stabiliser, and the ratio of their means

A push is a level force F on the trunk for 0.1 s; its size is F 0.1 s / mass [N s/kg = m/s], the speed it would give a
free body. Direction 0 comes from behind (the figure is pushed ahead), 90 degrees pushes to the left. Survived: the
figure has not fallen `AFTER` s later. The largest one is found by doubling and bisection to `STEP`, the size being
raised only from pushes that were survived; since survival need not be monotonous, the figure given is the end of the
unbroken range from zero up. Walking: the push comes in the middle of a swing and again at a landing, and the smaller of
both counts. A walk that falls without any push counts as 0. Worlds run in parallel processes. Checked in
tests/bench/test_push_trials.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from bunraku.control.bushes import Bushes
from bunraku.control.stabiliser import Gains
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.model import Model
from bunraku.walking.footsteps import beside
from bunraku.walking.pace import LEVEL, care_of
from bunraku.walking.walker import Walker
from bunraku.walking.walking_pattern import WalkingPattern, walking_pattern

SECONDS = 0.1  # of a push
AFTER = 3.0  # s that it must stay on its feet
STEP = 0.04  # N s/kg
FIRST, MOST = 0.16, 3.0  # N s/kg
DIRECTIONS = tuple(range(0, 360, 45))


@dataclass(frozen=True)
class PushCase:
    """One bisection: a figure's description travels to other processes, a Model is built there."""

    figure: Any  # Description
    mapping: Any
    walking: bool
    stabiliser: bool | Gains
    bushes: Bushes | None
    contact: str
    degrees: float


@dataclass(frozen=True)
class PushTable:
    """Largest pushes [N s/kg]; rows: ("standing" or "walking", stabiliser or not) -> one a direction of `degrees`."""

    figure: str
    degrees: tuple[float, ...]
    rows: dict[tuple[str, bool], tuple[float, ...]] = field(default_factory=dict)

    def ratio(self, what: str) -> float:
        """Mean with the stabiliser over mean without it."""
        plain = float(np.mean(self.rows[what, False]))
        return float(np.mean(self.rows[what, True])) / plain if plain > 0 else float("inf")

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        rows = [
            {"motion": m, "stabiliser": s, "largest": list(x), "mean": float(np.mean(x))}
            for (m, s), x in self.rows.items()
        ]
        return {"figure": self.figure, "degrees": list(self.degrees), "unit": "N s/kg", "rows": rows}

    def __str__(self) -> str:
        head = f"{'largest push [N s/kg]':28}" + "".join(f"{d:7.0f}" for d in self.degrees) + "   mean"
        lines = [head]
        for (motion, steady), x in self.rows.items():
            name = f"{motion}, {'with' if steady else 'without'} stabiliser"
            lines.append(f"{name:28}" + "".join(f"{v:7.2f}" for v in x) + f"{np.mean(x):7.2f}")
        for motion in dict.fromkeys(m for m, _ in self.rows):
            if (motion, True) in self.rows and (motion, False) in self.rows:
                lines.append(f"{motion}: {self.ratio(motion):.2f} times as much with the stabiliser")
        return "\n".join(lines)


def largest_pushes(
    figure: Model | Humanoid,
    *,
    bushes: Bushes | bool | None = None,
    contact: str = "pgs",
    motions: Sequence[str] = ("standing", "walking"),
    stabiliser: Sequence[bool | Gains] = (False, True),
    degrees: Sequence[float] = DIRECTIONS,
    workers: int = 2,
    progress: Callable[[float], None] | None = None,
) -> PushTable:
    """The table of a figure; see the module text."""
    h = humanoid(figure)
    rubber = Bushes() if bushes is True else (bushes or None)
    cases = [
        PushCase(h.model.description, dict(h.mapping), motion == "walking", steady, rubber, contact, float(d))
        for motion in motions
        for steady in stabiliser
        for d in degrees
    ]
    found: list[float] = []
    if workers > 1:
        with ProcessPoolExecutor(workers) as pool:
            for x in pool.map(largest_push, cases):
                found.append(x)
                if progress is not None:
                    progress(len(found) / len(cases))
    else:
        for case in cases:
            found.append(largest_push(case))
            if progress is not None:
                progress(len(found) / len(cases))
    rows: dict[tuple[str, bool], tuple[float, ...]] = {}
    n = len(degrees)
    keys = [(motion, bool(steady)) for motion in motions for steady in stabiliser]
    for k, key in enumerate(keys):
        rows[key] = tuple(found[k * n : (k + 1) * n])
    return PushTable(h.model.name, tuple(float(d) for d in degrees), rows)


def largest_push(case: PushCase) -> float:
    """The end of the range of survived pushes [N s/kg] of one case, at the worst of its moments."""
    found = MOST
    for moment in moments(case):
        found = largest_at(case, moment, found)
    return found


def largest_at(case: PushCase, moment: float, most: float) -> float:
    """The same for a push that begins at `moment` [s], up to `most`, which is tried first where it is not the greatest
    of all."""
    walker, start = walker_before(case, moment)
    if start is None:
        return 0.0

    def survives(size: float) -> bool:
        walker.world.restore(start)
        walker.fell = None
        angle = np.radians(case.degrees)
        force = size * walker.model.mass / SECONDS * np.array([np.cos(angle), np.sin(angle), 0.0])
        walker.world.push(walker.figure[walker.humanoid.trunk], force.tolist(), SECONDS)
        return walker.run(AFTER).fell is None

    if most < MOST and (most == 0.0 or survives(most)):
        return most
    good, bad = 0.0, FIRST
    while bad < most and survives(bad):
        good, bad = bad, min(bad + max(FIRST, 0.4 * bad), most)
    while bad - good > STEP:
        middle = 0.5 * (good + bad)
        good, bad = (middle, bad) if survives(middle) else (good, middle)
    return good


def moments(case: PushCase) -> tuple[float, ...]:
    """When a push begins [s]."""
    if not case.walking:
        return (0.4,)
    pattern = pattern_of(Key(case))
    lifts = [k for k in range(1, len(pattern.contact)) if pattern.contact[k - 1].all() and not pattern.contact[k].all()]
    lands = [k for k in range(1, len(pattern.contact)) if not pattern.contact[k - 1].all() and pattern.contact[k].all()]
    return 0.5 * float(pattern.times[lifts[3]] + pattern.times[lands[3]]), float(pattern.times[lands[3]])


def walker_before(case: PushCase, moment: float) -> tuple[Walker, Any]:
    """A walker and its snapshot as the push begins; None where it has fallen by itself."""
    pattern = pattern_of(Key(case))
    walker = Walker(pattern, contact=case.contact, bushes=case.bushes, stabiliser=case.stabiliser)
    if case.walking:
        walker.run(moment)
        start = walker.world.snapshot() if walker.fell is None else None
        if start is not None and walker.run(AFTER).fell is not None:
            start = None  # it would fall without a push, too
        return walker, start
    walker.run(moment)
    return walker, walker.world.snapshot()


class Key:
    """A case as the key of its pattern."""

    def __init__(self, case: PushCase) -> None:
        self.case, self.name = case, (case.figure.name, len(case.figure.links), case.walking)

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.name == other.name


@lru_cache(maxsize=4)
def pattern_of(key: Key) -> WalkingPattern:
    """Ten careful steps straight ahead, or standing for longer than a trial lasts."""
    h = humanoid(key.case.figure.build(), key.case.mapping or None)
    stride, (single, double) = 0.22 * max(h.legs), care_of(h)
    if not key.case.walking:
        return walking_pattern(
            h, [beside(h, 0, 0.0, 0.0, 0.0)], start=2 * AFTER, style=LEVEL, single=single, double=double
        )
    steps = [beside(h, k % 2, stride * min(k + 1, 9), 0.0, 0.0) for k in range(10)]
    return walking_pattern(h, steps, style=LEVEL, single=single, double=double)
