"""The arrays of one choreographed figure: what its part of a step (bunraku.choreography.dance_step) reads and keeps.

The first figure of a choreography has its arrays in the world's own table; each further one has a table of its own that
shares the world's arrays, so that the same kernels serve all. Checked in tests/choreography/test_engine.py and
tests/choreography/test_grips.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.choreography.dance_arrays import Dance, DanceInfo, DanceSeen, HeldLink, PinGoal, PinState
from bunraku.choreography.gains import Gains
from bunraku.choreography.kinematic import MOST_HELD
from bunraku.choreography.rising_arrays import RisingState
from bunraku.choreography.rising_frames import no_rising, rising_arrays, rising_kept
from bunraku.choreography.stepper import Stepper, no_arrays, nothing_kept
from bunraku.choreography.stepping_arrays import LimbReach, PlannedStep, StrideState
from bunraku.control import whole_body_arrays as wb
from bunraku.kernel.record import Many, flat, put, zeros
from bunraku.kernel.table import Table
from bunraku.model.layout import FREE as FREE_JOINT
from bunraku.model.layout import KIND, MASS
from bunraku.model.model import Model
from bunraku.world.figure import Figure

STEP_TASKS = 6  # a swinging foot, two soles, pelvis, trunk


class FigureArrays:
    """See the module text. `kept`: what snapshots keep; `problem`: the whole-body problem, once the world is ready."""

    problem: wb.Room

    def __init__(
        self,
        figure: Figure,
        gains: Gains,
        *,
        balance: bool,
        strict: bool,
        stepper: Stepper | None,
        steps: bool,
        rises: bool,
    ) -> None:
        model = figure.model
        nj = model.nv - (6 if model.ints[1, KIND] == FREE_JOINT else 0)
        balls = [j for j in model.joints if j.kind == "ball" and j.nv]
        first = model.nv - nj
        big = 1e9
        self.figure, self.stepper, self.strict = figure, stepper, strict
        self.kept: dict[str, np.ndarray] = {
            "pin_ints": zeros(PinState, wb.MOST_TASKS),
            "pin_reals": zeros(PinGoal, wb.MOST_TASKS),
            "dance_info": flat(DanceInfo()),
            "dance_gains": gains.numbers(),
            "dance_goal": figure.q.copy(),
            "dance_start": np.zeros((nj + 3) // 4 * 4 + 3 * wb.MOST_CONTACTS + 8),
            "dance_upper": np.zeros(0),
            "dance_seen": flat(DanceSeen()),
            "dance_stood": zeros(HeldLink, MOST_HELD),
            **(nothing_kept() if stepper is None else stepper.kept),
            **rising_kept(model, rises and stepper is not None),
        }
        rising = no_rising(model) if stepper is None else rising_arrays(model, height=stepper.height)
        self._stepping = {**(no_arrays(nj) if stepper is None else stepper.arrays), **rising}
        self.can_rise = len(rising["rising_pose"]) > 0
        self.info.steps = steps and stepper is not None
        aims = Many(PinGoal, self.kept["pin_reals"])
        self.targets, self.turns = aims.column("target"), aims.column("turn")  # at hand, as drags move at every frame
        self.info.balance = balance
        self._limits = np.stack([np.maximum(model.lower[first:], -big), np.minimum(model.upper[first:], big)], axis=1)
        self._balls = np.array([np.clip([j.swing, *j.twist], -big, big) for j in balls]).reshape(-1, 3)
        self._ball_ints = np.array([[j.iq, j.iv - first] for j in balls], dtype=np.int64).reshape(-1, 2)

    @property
    def info(self) -> DanceInfo:
        """Where the figure stands in the world's arrays, and switches."""
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

    def prepare(self, t: Table, gravity: Any, number: int, springy: bool, shared: dict[str, np.ndarray]) -> None:
        """Put all arrays into a table; `shared`: those of grips."""
        own: Model = self.figure.model.with_gravity(gravity)
        self.problem = wb.Room(own, t, tasks=wb.MOST_TASKS + STEP_TASKS, strict=self.strict)
        self.problem.limit_torques()
        part, info, kept = self.figure.part, self.info, self.kept
        info.body_first, info.q_first, info.v_first = part.body, part.q.start, part.v.start
        info.figure, info.springy = number, springy
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
            own_inertia=np.ascontiguousarray(own.reals[: own.nb, MASS : MASS + 10]),
            others=np.zeros(0, np.int64),
            **shared,
            **self._stepping,
        )
