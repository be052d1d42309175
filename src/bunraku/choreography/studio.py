"""Studio: a world one of whose figures is choreographed, by a phase of its own inside the step
(bunraku.choreography.dance_step).

Everything else of a World holds: it records, saves snapshots and goes on bit for bit. Checked in
tests/choreography/test_engine.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bunraku.choreography.dance_arrays import Dance, DanceInfo, DanceSeen, HeldLink, PinGoal, PinState
from bunraku.choreography.dance_step import COMPOSE, OWN_FREE, OWN_TOUCH, choreograph, composing
from bunraku.choreography.gains import Gains
from bunraku.choreography.kinematic import MOST_HELD, held_links
from bunraku.choreography.kinematic_step import kinematic_motion, nothing
from bunraku.choreography.rising_arrays import RisingState
from bunraku.choreography.rising_frames import no_rising, rising_arrays, rising_kept
from bunraku.choreography.stepper import Stepper, no_arrays, nothing_kept
from bunraku.choreography.stepping_arrays import LimbReach, PlannedStep, StrideState
from bunraku.control import whole_body_arrays as wb
from bunraku.errors import InputError
from bunraku.kernel.record import Many, flat, put, zeros
from bunraku.model.layout import FREE as FREE_JOINT
from bunraku.model.layout import KIND
from bunraku.model.model import Model
from bunraku.step.euler import FREE, MOVE, ROWS, SOLVE, TOUCH
from bunraku.world import World
from bunraku.world import contact_models as models

STEP_TASKS = 6  # a swinging foot, two soles, pelvis, trunk


class Studio(World):
    """See the module text. `choreographed` names the figure; its arrays are made when the world is made ready."""

    _arrays = Dance.layout.slots

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.choreographed: str | None = None
        self.strict = False
        self.stepper: Stepper | None = None
        self.can_rise = False
        self._stepping: dict[str, np.ndarray] = {}
        self.kept: dict[str, np.ndarray] = {}

    def choreograph(
        self,
        name: str,
        gains: Gains,
        balance: bool,
        strict: bool,
        stepper: Stepper | None = None,
        steps: bool = False,
        rises: bool = False,
    ) -> None:
        """Choose the figure; from now on its torques are found in every step, with strict levels or by weights; where
        it can step (`stepper`), `steps` says whether it does, `rises` whether it gets up by itself."""
        model = self[name].model
        nj = model.nv - (6 if model.ints[1, KIND] == FREE_JOINT else 0)
        balls = [j for j in model.joints if j.kind == "ball" and j.nv]
        first = model.nv - nj
        big = 1e9
        self.kept = {
            "pin_ints": zeros(PinState, wb.MOST_TASKS),
            "pin_reals": zeros(PinGoal, wb.MOST_TASKS),
            "dance_info": flat(DanceInfo()),
            "dance_gains": gains.numbers(),
            "dance_goal": self[name].q.copy(),
            "dance_start": np.zeros((nj + 3) // 4 * 4 + 3 * wb.MOST_CONTACTS + 8),
            "dance_upper": np.zeros(0),
            "dance_seen": flat(DanceSeen()),
            "dance_stood": zeros(HeldLink, MOST_HELD),
            **(nothing_kept() if stepper is None else stepper.kept),
            **rising_kept(model, rises and stepper is not None),
        }
        self.stepper = stepper
        self._stepping = no_arrays(nj) if stepper is None else stepper.arrays
        rising = no_rising(model) if stepper is None else rising_arrays(model, height=stepper.height)
        self._stepping = {**self._stepping, **rising}
        self.can_rise = len(rising["rising_pose"]) > 0
        self.info.steps = steps and stepper is not None
        aims = Many(PinGoal, self.kept["pin_reals"])
        self.targets, self.turns = aims.column("target"), aims.column("turn")  # at hand, as drags move at every frame
        self.info.balance = balance
        self._limits = np.stack([np.maximum(model.lower[first:], -big), np.minimum(model.upper[first:], big)], axis=1)
        self._balls = np.array([np.clip([j.swing, *j.twist], -big, big) for j in balls]).reshape(-1, 3)
        self._ball_ints = np.array([[j.iq, j.iv - first] for j in balls], dtype=np.int64).reshape(-1, 2)
        self.choreographed, self.strict, self._ready = name, strict, False

    def move_by_kinematics(self, on: bool) -> None:
        """Whether steps are those of kinematics alone; links that stand now are then held."""
        self.info.kinematic = on
        if on and self.choreographed is not None:
            figure = self[self.choreographed]
            self.kept["dance_stood"][:] = held_links(figure.model, figure.q.copy())
        self.plan()

    def plan(self) -> None:
        """The phases of a step as `info` has it."""
        if not self._ready or self.choreographed is None:
            return
        t, own = self._table, models.phases(self.contact, self.integrator)
        for k in (FREE, TOUCH, ROWS, SOLVE, MOVE):
            t.plan(k, own[k] if not self.info.kinematic else kinematic_motion if k == FREE else nothing)
        t.plan(OWN_FREE, own[FREE])
        t.plan(OWN_TOUCH, own[TOUCH])
        t.plan(COMPOSE, composing)
        if not self.info.kinematic:
            t.plan(TOUCH, choreograph)

    @property
    def info(self) -> DanceInfo:
        """Where the choreographed figure stands in the world's arrays, and switches."""
        return DanceInfo(self.kept["dance_info"])

    @property
    def seen(self) -> DanceSeen:
        """What the last step saw."""
        return DanceSeen(self.kept["dance_seen"])

    @property
    def step_state(self) -> StrideState:
        """What the figure that steps does."""
        return StrideState(self.kept["step"])

    @property
    def rising_state(self) -> RisingState:
        """Where a figure that gets up is."""
        return RisingState(self.kept["rising"])

    @property
    def planned(self) -> Many[PlannedStep]:
        """Steps to come."""
        return Many(PlannedStep, self.kept["planned"])

    def limb_at(self, place: int) -> LimbReach:
        """How far the pin or drag at a place of the list may be before the figure steps."""
        return LimbReach(self.kept["limb"][place])

    def pin_at(self, place: int) -> tuple[PinState, PinGoal]:
        """The pin or drag at a place of the list."""
        return PinState(self.kept["pin_ints"][place]), PinGoal(self.kept["pin_reals"][place])

    def save(self, path: str | Path) -> Path:
        """Refused while a figure is choreographed: a saved world could not go on with it."""
        if self.choreographed is not None:
            raise InputError(
                f"save: {self.choreographed!r} is choreographed; save its score (`c.score.save`), or go back with "
                f"`c.snapshot()` and `c.restore()`."
            )
        return super().save(path)

    def _prepare(self) -> None:
        """Make the scene's arrays if it changed, those of the choreographed figure with them."""
        if self._ready:
            return
        super()._prepare()
        if self.choreographed is None:
            return
        figure, t = self[self.choreographed], self._table
        own: Model = figure.model.with_gravity(self.gravity)
        self.problem = wb.Room(own, t, tasks=wb.MOST_TASKS + STEP_TASKS, strict=self.strict)
        self.problem.limit_torques()
        part, info, kept = figure.part, self.info, self.kept
        info.body_first, info.q_first, info.v_first = part.body, part.q.start, part.v.start
        info.figure, info.springy = list(self._figures).index(self.choreographed), models.MODELS[self.contact].springy
        kept["dance_start"] = np.resize(kept["dance_start"], len(self.problem.p.y))
        kept["dance_upper"] = np.resize(kept["dance_upper"], len(self.problem.p.y)) if self.strict else np.zeros(0)
        put(self.problem.p, y=kept["dance_start"])
        if self.strict:
            put(self.problem.p, upper=kept["dance_upper"])
        put(
            Dance(t),
            pin=kept["pin_ints"],
            aim=kept["pin_reals"],
            info=kept["dance_info"],
            gains=kept["dance_gains"],
            goal=kept["dance_goal"],
            limit=self._limits,
            ball=self._balls,
            ball_at=self._ball_ints,
            seen=kept["dance_seen"],
            stood=kept["dance_stood"],
            step=kept["step"],
            planned=kept["planned"],
            limb=kept["limb"],
            rising=kept["rising"],
            rising_from=kept["rising_from"],
            **self._stepping,
        )
        self.plan()

    def _state(self) -> dict[str, np.ndarray]:
        """All arrays that affect the next step, those of the choreography with them."""
        return {**super()._state(), **self.kept}
