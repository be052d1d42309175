"""Random goals among boxes and a staircase, and whether the figure walks there.

A room of 7 by 5 m with eight boxes (0.2 to 0.6 m wide, 0.3 to 1.2 m high, turned anyhow) and five stairs of 0.15 m up to a
platform. Goals and headings are drawn where there is room to stand, a third of them on the platform. Reached: the middle of
the feet is within 10 cm and the heading within 5 degrees when it stands, and nothing but the soles ever touched
anything. Used by `bunraku bench choreography --walks`; checked in tests/bench/test_goal_trials.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import bunraku as bk
from bunraku.choreography.floor_map import FloorMap
from bunraku.errors import BunrakuError
from bunraku.model.description import Shape
from bunraku.model.rotations import about

BOXES, STAIRS, RISER, TREAD = 8, 5, 0.15, 0.28
NEAR, ALIGNED, LONGEST = 0.10, 5.0, 90.0  # m, degrees, s


@dataclass(frozen=True)
class GoalTrial:
    """One walk: how far away the goal was [m], steps, seconds, how far off it ended [m, degrees], what was touched."""

    seed: int
    metres: float
    steps: int
    seconds: float
    off: float
    degrees: float
    touched: str
    end: str

    @property
    def reached(self) -> bool:
        """As asked."""
        return self.off <= NEAR and self.degrees <= ALIGNED and not self.touched and self.end == "standing"


def room(c: bk.Choreography, rng: np.random.Generator) -> None:
    """Boxes about the origin, and stairs up along +x that begin at x = 3."""
    made = 0
    while made < BOXES:
        half, high = rng.uniform(0.1, 0.3, 2), float(rng.uniform(0.3, 1.2))
        x, y = rng.uniform(-3.0, 2.3), rng.uniform(-2.5, 2.5)
        if np.hypot(x, y) < 0.9:
            continue
        box = Shape(
            "box", (*half, 0.5 * high), (x, y, 0.5 * high), about(2, float(rng.uniform(0, np.pi))), name=f"box {made}"
        )
        c.world.add_fixed(box)
        made += 1
    for k in range(STAIRS):
        long = TREAD if k < STAIRS - 1 else 1.8
        high = RISER * (k + 1)
        place = (3.0 + TREAD * k + 0.5 * long, 0.0, 0.5 * high)
        c.world.add_fixed(Shape("box", (0.5 * long, 0.8, 0.5 * high), place, name=f"stair {k}"))


def goal_trial(seed: int) -> GoalTrial:
    """One of them."""
    rng = np.random.default_rng(seed)
    c = bk.Choreography()
    room(c, rng)
    c.run(0.3)
    floor = FloorMap(c.world, c.figure.name, [(-3.0, -2.5), (5.5, 2.5)])
    up = bool(rng.uniform() < 1 / 3)
    while True:
        goal = (
            (rng.uniform(4.5, 5.5), rng.uniform(-0.4, 0.4)) if up else (rng.uniform(-3.0, 2.5), rng.uniform(-2.5, 2.5))
        )
        if floor.is_free(goal) and np.hypot(*goal) > 0.8 and floor.way((0.0, 0.0), goal) is not None:
            break
    yaw = float(rng.uniform(-np.pi, np.pi))
    feet = {f.body for f in c.world.stepper.humanoid.feet} if c.world.stepper else set()
    soles = {c.model.body_names[b] for b in feet}
    end, touched, steps, taken = "", "", 0, c.time
    try:
        steps = c.walk_to(goal, yaw)
        while c.time < taken + LONGEST:
            c.run(0.1)
            pairs = [p.bodies for p in c.figure.contacts]
            hit = {n for p in pairs if p[0][0] != p[1][0] for who, n in p if who == c.figure.name} - soles
            touched = touched or ", ".join(sorted(hit))
            if not c.walking and c.world.step_state.mode == 0:
                break
            if c.report.state == "fallen":
                break
        seconds = c.time - taken
        c.run(1.0)
        end = c.report.state
    except BunrakuError as error:
        end, seconds = f"error: {error}", c.time - taken
    state = c.world.step_state
    middle = 0.5 * (np.array(state.foot[0].place) + np.array(state.foot[1].place))
    turned = (state.heading - yaw + np.pi) % (2 * np.pi) - np.pi
    off = float(np.linalg.norm(middle[:2] - goal))
    return GoalTrial(seed, float(np.hypot(*goal)), steps, seconds, off, abs(float(np.degrees(turned))), touched, end)


def goal_trials(first: int, count: int = 20, progress: Callable[[float], None] | None = None) -> list[GoalTrial]:
    """Goals of `count` seeds from `first` on."""
    out = []
    for k in range(count):
        out.append(goal_trial(first + k))
        if progress is not None:
            progress((k + 1) / count)
    return out
