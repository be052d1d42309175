"""Several figures that carry one thing: each walks by its own plan and on its own sensors, in one world.

    two = abreast([bk.human(), bk.human()], 20.0, "walk 5 m")       # side by side, a plank before them
    two.run()
    two.fell, two.walkers[0].footstep_error()

Their footsteps and times are those of the one with the shortest legs, each set where it stands; the plan of each knows
its part of the thing (bunraku.humanoid.held_load), all hands hold it as points. Nothing tells one what the other does: what
they pull at each other is felt as any push is. World axes, SI units. Checked in tests/walking/test_carriers.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.humanoid.held_load import Load, with_load
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.model import Model
from bunraku.model.things import box
from bunraku.walking.carrying import GAP, both_hands, in_front, palm, scale
from bunraku.walking.footsteps import Footstep, footsteps, standing
from bunraku.walking.walker import LOOK, REST, Walker
from bunraku.walking.walking_pattern import step_times, walking_pattern
from bunraku.world.figure import Figure
from bunraku.world.world import World

APART, GRASP, BEYOND = 1.1, 0.4, 0.3  # m: between figures, between the hands of one; plank beyond the outer hands
THICK, WIDE = 0.05, 0.2  # m: of a plank, ahead and up, as it hangs from hands on its upper edge
STRAIGHT = 1e-6  # rad


@dataclass(frozen=True, eq=False)
class Carrier:
    """A figure, where it stands at first [m] as it faces x, and the links that hold the thing, each with the point of it
    [m, in its frame]."""

    figure: Humanoid | Model | str
    at: tuple[float, float]
    held: Mapping[str, Sequence[float]]


class Carriers:
    """Figures that carry a thing together, straight on: `run` walks, `fell` [s] says whether one fell. place [m],
    rotation: of the thing's frame at first. pace: slowly, usual or briskly; options: of each Walker (bushes, …).
    """

    world: World
    thing: Figure
    walkers: tuple[Walker, ...]
    fell: float | None

    def __init__(
        self,
        carriers: Sequence[Carrier],
        thing: Model,
        place: Sequence[float],
        steps: str | Sequence[Footstep] = "walk 5 m",
        *,
        rotation: Any = None,
        pace: str = "usual",
        seed: int = 0,
        **options: Any,
    ) -> None:
        if len(carriers) < 2:
            raise InputError("carriers: one figure carries alone; write bk.walk(carry=…).")
        bodies = [humanoid(c.figure) for c in carriers]
        lead = min(bodies, key=lambda h: max(h.legs))
        way = footsteps(steps, lead, pace=pace)
        if any(abs(s.yaw) > STRAIGHT for s in way):
            raise InputError(
                "carriers: who carries together walks straight, ahead, back or to a side; leave turns out."
            )
        times = step_seconds(lead, way, pace)
        self.world = World(dt=0.001, seed=seed)
        self.world.add_ground()
        self.fell = None
        walkers: list[Walker] = []
        for c, h in zip(carriers, bodies):
            others = [p for o in carriers if o is not c for p in o.held.values()]
            here = np.asarray(place, dtype=float) - [*c.at, 0.0]
            loaded = with_load(h, Load(thing, here.tolist(), c.held, rotation, others))
            own = [moved(s, c.at) for s in way]
            begin = standing(lead, *c.at)
            pattern = walking_pattern(loaded, own, begin=begin, single=times[0], double=times[1])
            held = walkers[0].thing if walkers else None
            walkers.append(Walker(pattern, stabiliser=True, world=self.world, thing=held, **options))
        self.walkers = tuple(walkers)
        assert walkers[0].thing is not None
        self.thing = walkers[0].thing

    @property
    def duration(self) -> float:
        """Seconds that `run` takes."""
        return max(w.pattern.duration for w in self.walkers) + REST

    def run(self, seconds: float | None = None, progress: Callable[[float], None] | None = None) -> Carriers:
        """Walk on for some seconds, to the end by default, or until one falls."""
        world, dt = self.world, self.world.dt
        begin = world.time
        end = begin + (self.duration if seconds is None else seconds)
        while world.time < end - 0.5 * dt and self.fell is None:
            world.step(min(max(1, round(LOOK / dt)), round((end - world.time) / dt)))
            for w in self.walkers:
                w.look_at_grips()
                if self.fell is None and w.is_down():
                    self.fell = w.fell = world.time
            if progress is not None:
                progress(min((world.time - begin) / max(end - begin, 1e-9), 1.0))
        return self


def abreast(
    figures: Sequence[Humanoid | Model | str], mass: float, steps: str | Sequence[Footstep] = "walk 5 m", **options: Any
) -> Carriers:
    """Figures side by side that carry a plank [kg] before them, each with both hands on its upper
    edge; options: of Carriers."""
    if not (np.isfinite(mass) and mass > 0):
        raise InputError(f"carriers: a plank of {mass} kg weighs nothing; give its mass in kg.")
    bodies = [humanoid(f) for f in figures]
    loads = [in_front(h, mass, f"{mass:g} kg") for h in bodies]
    across = APART * max(scale(h) for h in bodies)
    y = across * (0.5 * (len(bodies) - 1) - np.arange(len(bodies)))
    reach = [0.5 * scale(h) * GRASP for h in bodies]
    long = float(np.ptp(y)) + 2.0 * max(reach) + 2.0 * BEYOND
    height = float(np.mean([load.place[2] for load in loads]))
    ahead = float(max(load.place[0] for load in loads))
    carriers = []
    for h, at, out in zip(bodies, y.tolist(), reach):
        above = 0.5 * WIDE + GAP + max(palm(h, hand, 0.0) for hand in h.hands if hand)
        left, right = both_hands(h)
        carriers.append(Carrier(h, (0.0, at), {left: (0.0, at + out, above), right: (0.0, at - out, above)}))
    plank = box((THICK, long, WIDE), mass, "plank")
    return Carriers(carriers, plank, (ahead, 0.0, height - 0.5 * WIDE), steps, **options)


def moved(s: Footstep, at: tuple[float, float]) -> Footstep:
    """A footstep elsewhere."""
    x, y, z = s.position
    return replace(s, position=(x + at[0], y + at[1], z))


def step_seconds(lead: Humanoid, way: Sequence[Footstep], pace: str) -> tuple[float, float]:
    """Seconds on one foot and on both, for all steps."""
    single, double = step_times(lead, way, None, None, pace, None)
    return float(single.max()), float(double.max())
