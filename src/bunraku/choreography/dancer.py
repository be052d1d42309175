"""A figure of a choreography: what it alone is told: desired joint values, balance, steps, getting up, where to walk.

    c = Choreography()                        # the first figure is told by c itself
    bob = c.add_figure(name="bob", at=(1.0, 0), yaw=3.14)
    bob.pose({"left_elbow": 0.8}); bob.walk_to((1.0, 2.0)); bob.report.state

Checked in tests/choreography/test_engine.py and tests/choreography/test_grips.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.choreography.figure_arrays import FigureArrays
from bunraku.choreography.floor_map import FloorMap
from bunraku.choreography.report import DanceReport, report_of
from bunraku.choreography.rising_arrays import IDLE
from bunraku.choreography.stepper import stepper_of
from bunraku.choreography.walk_to import footsteps_to
from bunraku.errors import InputError
from bunraku.humanoid.opening_pose import on_stage, own_collisions
from bunraku.model.limits import clamp_balls
from bunraku.model.model import Model
from bunraku.model.rotations import multiply, quaternion_about, rotation_matrix
from bunraku.world.figure import Figure

if TYPE_CHECKING:
    from bunraku.choreography.engine import Choreography

Told = tuple[float, str, str, Any]
"""Of a score: time [s], figure, what, and to what."""


class Dancer:
    """A figure that is choreographed; see the module text. `figure` is it in the world, `model` as it is on stage,
    `arrays` what the kernels know of it."""

    def __init__(
        self,
        owner: Choreography,
        body: Model,
        name: str | None,
        at: Sequence[float] | None,
        yaw: float,
        *,
        balance: bool,
        steps: bool,
        rises: bool,
    ) -> None:
        self.owner = owner
        self.model, stance = on_stage(body)
        q = beginning(self.model, stance, at, yaw)
        self.figure: Figure = owner.world.add(self.model, name=name, self_collision=own_collisions(self.model))
        self.figure.q[:] = q
        stepper = None if owner.strict else stepper_of(body, self.model, stance)
        self.arrays = FigureArrays(
            self.figure,
            owner.gains,
            balance=balance,
            strict=owner.strict,
            stepper=stepper,
            steps=steps,
            rises=rises,
        )
        owner.world.choreograph(self.arrays)
        self.start = self.figure.q.copy()
        self._goal = self.figure.q.copy()

    def __repr__(self) -> str:
        return f"<{self.name!r} of a choreography>"

    @property
    def name(self) -> str:
        """Its name in the world."""
        return self.figure.name

    def _note(self, what: str, value: Any) -> None:
        first = self.owner.dancers[0] is self
        self.owner.score.tell(self.owner.time, None if first else self.name, what, value)

    def joint_values(self, joints: Mapping[str, float | Sequence[float] | None]) -> dict[str, list[float]]:
        """Desire joint values; returns them as a score writes them."""
        goal = self._goal.copy()
        for name, value in joints.items():
            j = self.model.joint(name)
            if value is None:
                value = self.start[j.q].tolist()
            x = np.atleast_1d(np.asarray(value, dtype=float))
            if j.kind == "free" or not j.nv:
                raise InputError(f"pose: {name!r} has no value of its own to desire.")
            if x.shape != (j.nq,) or not np.all(np.isfinite(x)) or (j.kind == "ball" and not np.linalg.norm(x) > 1e-9):
                kind = " (a quaternion wxyz)" if j.kind == "ball" else ""
                raise InputError(f"pose: {name!r} needs {j.nq} finite numbers{kind}, got {value}.")
            goal[j.q] = x / np.linalg.norm(x) if j.kind == "ball" else np.clip(x, j.lower, j.upper)
        self._goal[:] = clamp_balls(self.model, goal)
        self.arrays.kept["dance_goal"][:] = self._goal
        return {k: [] if v is None else np.atleast_1d(np.asarray(v, dtype=float)).tolist() for k, v in joints.items()}

    def pose(self, joints: Mapping[str, float | Sequence[float] | None]) -> None:
        """Desired joint values of this figure, as Choreography.pose."""
        self.owner.pose({f"{self.name}.{name}": value for name, value in joints.items()})

    @property
    def desired(self) -> dict[str, list[float]]:
        """Joint values that are desired of this figure now."""
        first, prefix = self.owner.dancers[0] is self, f"{self.name}."
        others = tuple(f"{d.name}." for d in self.owner.dancers[1:])
        out = self.owner.desired.items()
        if first:
            return {name: x for name, x in out if not name.startswith(others)}
        return {name.removeprefix(prefix): x for name, x in out if name.startswith(prefix)}

    @property
    def balance(self) -> bool:
        """Whether it keeps its balance; settable at any time."""
        return bool(self.arrays.info.balance)

    @balance.setter
    def balance(self, on: bool) -> None:
        self.arrays.info.balance = bool(on)
        self._note("balance", bool(on))

    @property
    def steps(self) -> bool:
        """Whether it steps when it is pushed or dragged beyond what it can hold and reach; settable at any time.
        False for figures without two feet."""
        return bool(self.arrays.info.steps)

    @steps.setter
    def steps(self, on: bool) -> None:
        if on and self.arrays.stepper is None:
            why = "strict levels take no steps" if self.arrays.strict else "it has no two feet to step with"
            raise InputError(f"steps: {self.model.name!r} cannot step; {why}.")
        self.arrays.info.steps = bool(on)
        self._note("steps", bool(on))

    @property
    def rises(self) -> bool:
        """Whether it gets up by itself when it has fallen and nothing drags it; settable at any time. False for figures
        without a person's joints."""
        return bool(self.arrays.rising_state.auto) and self.arrays.can_rise

    @rises.setter
    def rises(self, on: bool) -> None:
        if on:
            self._check_rising("rises")
        self.arrays.rising_state.auto = bool(on)
        self._note("rises", bool(on))

    def get_up(self) -> None:
        """Get up now, where it lies: along the stages of choreography.rising. Nothing happens while it stands."""
        self._check_rising("get_up")
        self.arrays.rising_state.wanted = 1
        self._note("get_up", None)

    @property
    def rising(self) -> bool:
        """Whether it is getting up."""
        return self.arrays.rising_state.stage != IDLE

    def _check_rising(self, what: str) -> None:
        if self.arrays.stepper is None or not self.arrays.can_rise:
            why = "strict levels do not" if self.arrays.strict else "it has not the joints of human()"
            raise InputError(f"{what}: {self.model.name!r} cannot get up; {why}.")

    def walk_to(self, place: Sequence[float], yaw: float | None = None) -> int:
        """Walk to a place (x, y) [m], as Choreography.walk_to."""
        stepper = self.arrays.stepper
        if stepper is None:
            raise InputError(f"walk_to: {self.model.name!r} cannot step; it has no two feet, or strict levels.")
        given = np.asarray(place, dtype=float)
        if given.shape != (2,) or not np.all(np.abs(given) < 1e4):
            raise InputError(f"walk_to: needs a place x, y in metres, got {place!r}.")
        if yaw is not None and not (isinstance(yaw, int | float) and abs(yaw) < 1e3):
            raise InputError(f"walk_to: yaw {yaw!r} is not an angle in radians.")
        state = self.arrays.step_state
        if self.owner.time == 0:
            self.owner.step()  # feet are seen in a step
        if self.rising or (state.mode == 0 and self.report.state == "fallen"):
            raise InputError("walk_to: it has fallen; let it get up first (get_up).")
        feet = [(*foot.place[:2], foot.yaw) for foot in state.foot]
        if state.mode == 2:  # one is in the air: from where it lands
            feet[state.side] = (*state.goal[:2], state.goal_yaw)
        size = stepper.height / 1.7
        floor = FloorMap(self.owner.world, self.name, [f[:2] for f in feet] + [given.tolist()], size)
        steps = footsteps_to(stepper, floor, feet, given.tolist(), yaw)
        for row, (side, x, y, z, turn) in zip(self.arrays.planned, steps):
            row.side, row.place, row.yaw = side, (x, y, z), turn
        state.planned, state.queue = len(steps), 0
        if not self.steps:
            self.steps = True
        self._note("walk", (tuple(given.tolist()), yaw))
        return len(steps)

    @property
    def walking(self) -> bool:
        """Whether steps of `walk_to` are still to come."""
        state = self.arrays.step_state
        return bool(state.queue < state.planned)

    @property
    def report(self) -> DanceReport:
        """What the last step found: see bunraku.choreography.report."""
        return report_of(self)

    def restored(self) -> None:
        """Its arrays are those of another moment."""
        self._goal[:] = self.arrays.kept["dance_goal"]


def beginning(model: Model, stance: np.ndarray, at: Sequence[float] | None, yaw: float = 0.0) -> np.ndarray:
    """q of a figure that stands at x, y [, z], or that is given whole; turned by yaw [rad] about the vertical."""
    given = np.zeros(2) if at is None else np.asarray(at, dtype=float)
    if given.shape == (model.nq,) and np.all(np.isfinite(given)):
        return given
    if given.shape not in ((2,), (3,)) or not np.all(np.isfinite(given)):
        raise InputError(f"Choreography: `at` needs x, y [, z] or {model.nq} coordinates, got {at}.")
    if not (isinstance(yaw, int | float) and abs(yaw) < 1e3):
        raise InputError(f"Choreography: yaw {yaw!r} is not an angle in radians.")
    q = stance.copy()
    if model.joints[0].kind == "free" and (at is not None or yaw != 0.0):
        if yaw != 0.0:
            turn = quaternion_about(2, yaw)
            q[:3], q[3:7] = rotation_matrix(turn) @ q[:3], multiply(turn, q[3:7])
        q[:2] = given[:2] if at is not None else q[:2]
    if len(given) == 3:
        q[2] = given[2]
    return q
