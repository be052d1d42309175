"""A person's walk in the physical world: begins standing, goes at the speeds it is told, turns, ends standing.

    walk = NaturalWalk(bk.human(1.8, 73, body="1996"), [Leg(1.3, metres=5.0), Leg(0.8, steps=4)])
    walk.run()
    walk.fell, walk.distance

The figure is one of `human`, by default human(body="1996"); its steps are those of gaits.gait_library for its height and
mass, kept up by gaits.step_tracker on what its sensors feel. Checked in tests/gaits/test_natural_walk.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bunraku.control.bushes import Bushes
from bunraku.control.bushes import bushes as with_bushes
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.gaits.gait import Gait, walking_twin
from bunraku.gaits.gait_library import gait_at, speeds_of, transition
from bunraku.gaits.step_rows import StepRows
from bunraku.gaits.step_tracker import StepTracker, TrackerGains
from bunraku.gaits.stride_plan import Leg, Stride, planned_metres, strides
from bunraku.humanoid.opening_pose import own_collisions
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.body_2000 import HEIGHT
from bunraku.model.model import Model
from bunraku.world.figure import Figure
from bunraku.world.world import World

FINE = 0.02  # m/s between the speeds for which steps are made ready
REST = 1.0  # s of standing at the end
DOWN = 0.65  # of its height at first: a pelvis that fell


class Strides:
    """Planned steps one after another, made ready for a figure as they come (gaits.step_tracker.Steps)."""

    def __init__(self, planned: Sequence[Stride], model: Model, height: float, mass: float) -> None:
        self.planned, self.model, self.height, self.mass, self.taken = list(planned), model, height, mass, 0
        self.gaits: dict[tuple[str, int], Gait] = {}
        self.ready: dict[tuple[tuple[str, int], ...], StepRows] = {}

    def next_step(self) -> tuple[StepRows, float]:
        """The next one; the last one again and again."""
        k = min(self.taken, len(self.planned) - 1)
        self.taken += 1
        return self.rows(k), self.planned[k].turn

    def state(self) -> int:
        """How many were given."""
        return self.taken

    def restore(self, state: int) -> StepRows:
        """Go back to a state; the step that was given last."""
        self.taken = int(state)
        return self.rows(min(self.taken, len(self.planned)) - 1)

    def rows(self, k: int) -> StepRows:
        """Step k, which begins as the one before it ends."""
        key = self.key(k)
        # a start ends in the walk at its own speed
        before = key if k == 0 else ("step", self.key(k - 1)[1])
        pair = (key,) if before == key else (before, key)
        if pair not in self.ready:
            self.ready[pair] = StepRows(self.gait(key), self.model, self.gait(before) if len(pair) == 2 else None)
        return self.ready[pair]

    def key(self, k: int) -> tuple[str, int]:
        """Kind and speed of step k, in parts of `FINE`."""
        return self.planned[k].kind, round(self.planned[k].speed / FINE)

    def gait(self, key: tuple[str, int]) -> Gait:
        """The gait of a kind and speed."""
        if key not in self.gaits:
            least, most = speeds_of(self.height)
            speed = min(max(key[1] * FINE, least), most)
            self.gaits[key] = (
                gait_at(speed, self.height, self.mass)
                if key[0] == "step"
                else transition(key[0], self.height, self.mass)
            )
        return self.gaits[key]


def default_figure() -> Model:
    """human(body="1996"): 1.7 m, 69 kg, masses and moments of de Leva (1996)."""
    return walking_twin(HEIGHT, 69.0).figure


def height_of(model: Model | None) -> float:
    """Height [m] of a figure of `human`, which stands upright in its rest pose; InputError for another figure."""
    if model is None:
        return HEIGHT
    wanted = walking_twin(HEIGHT, 69.0).figure
    if [(j.name, j.kind) for j in model.joints] != [(j.name, j.kind) for j in wanted.joints]:
        raise InputError(f"walk: {model.name!r} is no figure of human(); it walks with gait careful.")
    return float(kinematics(model, model.q0).pose("head_top")[0][2])


class NaturalWalk:
    """A walk in a world of its own: `run` walks, `fell` [s] says how it went.

    model: a figure of `human`; legs: what to walk; bushes: rubber between ankles and feet; contact,
    dt, seed: of the World; sensors: options of add_sensor by kind; shapes: for World.add_fixed besides the ground.
    """

    humanoid: Humanoid
    rigid: Model
    height: float  # m
    bushes: Bushes | None
    model: Model  # with bushes, where there are any
    world: World
    figure: Figure
    planned: list[Stride]
    strides: Strides
    tracker: StepTracker
    fell: float | None
    begin: np.ndarray  # m: where its base stood at first
    high: float  # m: and how high

    def __init__(
        self,
        model: Model | None = None,
        legs: Sequence[Leg] = (Leg(1.3, metres=6.0),),
        *,
        contact: str = "pgs",
        bushes: Bushes | bool | None = None,
        friction: float = 0.8,
        dt: float = 0.001,
        seed: int = 0,
        shapes: Sequence[Any] = (),
        sensors: dict[str, Any] | None = None,
        gains: TrackerGains | None = None,
        self_collision: bool | None = None,
    ) -> None:
        if not legs:
            raise InputError("walk: nothing to walk; give metres or steps.")
        rigid = default_figure() if model is None else model
        self.height = height = height_of(rigid)
        mass = rigid.mass
        self.humanoid, self.rigid = humanoid(rigid), rigid
        feet = self.humanoid.feet
        self.bushes = Bushes() if bushes is True else (bushes or None)
        self.model = rigid
        if self.bushes is not None:
            self.model = with_bushes(rigid, tuple(f.link for f in feet), self.bushes).build()
        self.world = World(dt=dt, contact=contact, seed=seed)
        self.world.add_ground(friction=friction)
        for shape in shapes:
            self.world.add_fixed(shape, friction=friction)
        own = own_collisions(self.model) if self_collision is None else self_collision
        self.figure = self.world.add(self.model, self_collision=own)
        self.planned = strides(legs, height)
        self.strides = steps = Strides(self.planned, rigid, height, mass)
        begin = steps.rows(0)
        q = begin.of[0].q[0]
        for j in rigid.joints:
            if j.nv:
                self.figure.q[self.model.joint(j.name).q] = q[j.q]
        self.begin, self.high = self.figure.q[:3].copy(), float(self.figure.q[2])
        self.tracker = StepTracker(self.world, self.figure, rigid, feet, steps, gains=gains, sensors=sensors)
        self.world.add_controller(self.tracker)
        self.fell = None

    @property
    def heading(self) -> float:
        """Where it heads [rad, to the left of x]."""
        return float(self.tracker.now.heading)

    @property
    def distance(self) -> float:
        """Metres from where it stood at first, in the level."""
        return float(np.hypot(*(self.figure.q[:2] - self.begin[:2])))

    @property
    def planned_metres(self) -> float:
        """How far the planned steps go along their way [m]."""
        return planned_metres(self.planned, self.height)

    @property
    def duration(self) -> float:
        """Seconds that the planned steps take, and `REST`."""
        return sum(self.strides.rows(k).plan.seconds for k in range(len(self.planned))) + REST

    @property
    def stands(self) -> bool:
        """Whether the last step is done."""
        return bool(self.tracker.now.closed) and self.tracker.now.phase >= 1.0

    def run(self, seconds: float | None = None, progress: Callable[[float], None] | None = None) -> NaturalWalk:
        """Walk on for some seconds, to the end of the plan by default, or until it falls."""
        end = self.world.time + (self.duration if seconds is None else seconds)
        begin = self.world.time
        while self.world.time < end - 1e-9 and self.fell is None:
            self.world.step(max(1, min(round(0.02 / self.world.dt), round((end - self.world.time) / self.world.dt))))
            if self.figure.q[2] < DOWN * self.high:
                self.fell = self.world.time
            if progress is not None:
                progress(min((self.world.time - begin) / max(end - begin, 1e-9), 1.0))
        return self
