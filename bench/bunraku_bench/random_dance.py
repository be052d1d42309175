"""Random dancing: pins, drags, poses, releases, pushes and switched balance by chance, for as long as one likes; a test
of endurance.

A figure that has fallen is set on its feet again after a few seconds (`restore` of the beginning), so that most of the
time is spent standing. Used by `bunraku bench choreography --random SECONDS` and tests/choreography/test_random.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bunraku.choreography.engine import Choreography
from bunraku.errors import BunrakuError
from bunraku.model.configuration import random_configuration

LINKS = (
    "left_hand",
    "right_hand",
    "left_foot",
    "right_foot",
    "head_top",
    "pelvis",
    "trunk",
    "left_shank",
    "right_upper_arm",
)
LYING = 3.0  # s before a fallen figure is set up again


@dataclass
class Endurance:
    """What a random dance saw: time simulated [s], things done, falls, errors of the world's step, whether all was
    finite, memory [MB] after the first tenth and at the end."""

    seconds: float = 0.0
    actions: int = 0
    falls: int = 0
    errors: int = 0
    finite: bool = True
    memory_early: float = 0.0
    memory: float = 0.0
    last_error: str = ""


def memory() -> float:
    """Resident memory [MB]; NaN where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return float("nan")
    return pages * 4096 / 2**20


class RandomDance:
    """See the module text."""

    def __init__(self, seed: int = 0, **options: object) -> None:
        self.choreography = Choreography(**options)  # type: ignore[arg-type]
        self.rng = np.random.default_rng(seed)
        self.start = self.choreography.snapshot()

    def act(self) -> None:
        """One thing, by chance."""
        c, rng = self.choreography, self.rng
        names = [x for x in LINKS if any(f.name == x for f in c.model.frames)] or [f.name for f in c.model.links]
        link, kind = str(rng.choice(names)), rng.random()
        axes = "pose" if rng.random() < 0.3 else "xyz"
        if kind < 0.15 and len(c.pins) < 4:
            c.pin(link, (0.03 * rng.normal(size=3)).tolist(), axes=axes)
        elif kind < 0.35 and len(c.drags) < 3:
            d = c.drag(link, axes=axes)
            d.to(d.target + 0.3 * rng.normal(size=3) * rng.random())
        elif kind < 0.65 and c.drags:
            d = c.drags[rng.integers(len(c.drags))]
            d.to(d.target + 0.15 * rng.normal(size=3))
        elif kind < 0.85 and (c.pins or c.drags):
            items = [*c.pins, *c.drags]
            items[rng.integers(len(items))].release()
        elif kind < 0.92:
            j = c.model.joints[1 + rng.integers(len(c.model.joints) - 1)]
            goal = random_configuration(c.model, rng) if rng.random() < 0.3 else np.array(c.score.start)
            c.pose({j.name: goal[j.q].tolist()})
        elif kind < 0.95:
            c.world.push(c.figure["trunk"], (60.0 * rng.normal(size=3)).tolist(), 0.1)
        elif kind < 0.97:
            c.balance = not c.balance
        else:
            c.balance = True

    def run(self, seconds: float) -> Endurance:
        """Dance for some simulated seconds."""
        c, seen, lying = self.choreography, Endurance(), 0.0
        while seen.seconds < seconds:
            self.act()
            seen.actions += 1
            portion = float(self.rng.uniform(0.05, 0.4))
            try:
                c.run(portion)
            except BunrakuError as error:
                seen.errors, seen.last_error = seen.errors + 1, str(error)
                self.again()
            seen.seconds += portion
            seen.finite &= bool(np.all(np.isfinite(c.figure.q)) and np.all(np.isfinite(c.figure.v)))
            lying = lying + portion if c.report.state == "fallen" else 0.0
            if lying > LYING:
                seen.falls, lying = seen.falls + 1, 0.0
                self.again()
            if seen.seconds < 0.1 * seconds or not seen.memory_early:
                seen.memory_early = memory()
        seen.memory = memory()
        return seen

    def again(self) -> None:
        """Back to the beginning, with nothing pinned."""
        self.choreography.restore(self.start)
