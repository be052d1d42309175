"""Studio: a world one of whose figures is choreographed, by a phase of its own inside the step
(bunraku.choreography.dance_step).

Everything else of a World holds: it records, saves snapshots and goes on bit for bit. Checked in
tests/choreography/test_engine.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bunraku.choreography.dance_arrays import Dance, DanceInfo, DanceSeen, PinGoal, PinState
from bunraku.choreography.dance_step import COMPOSE, OWN_FREE, OWN_TOUCH, choreograph, composing
from bunraku.choreography.gains import Gains
from bunraku.control import whole_body_arrays as wb
from bunraku.errors import InputError
from bunraku.kernel.record import Many, flat, put, zeros
from bunraku.model.layout import FREE as FREE_JOINT
from bunraku.model.layout import KIND
from bunraku.model.model import Model
from bunraku.step.euler import FREE, MOVE, ROWS, TOUCH
from bunraku.world import World
from bunraku.world import contact_models as models
from bunraku.world.general_shapes import add_general_contacts, some_phases


class Studio(World):
    """See the module text. `choreographed` names the figure; its arrays are made when the world is made ready."""

    _arrays = Dance.layout.slots

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.choreographed: str | None = None
        self.kept: dict[str, np.ndarray] = {}

    def choreograph(self, name: str, gains: Gains, balance: bool) -> None:
        """Choose the figure; from now on its torques are found in every step."""
        model = self[name].model
        nj = model.nv - (6 if model.ints[1, KIND] == FREE_JOINT else 0)
        balls = [j for j in model.joints if j.kind == "ball"]
        first = model.nv - nj
        big = 1e9
        self.kept = {
            "pin_ints": zeros(PinState, wb.MOST_TASKS),
            "pin_reals": zeros(PinGoal, wb.MOST_TASKS),
            "dance_info": flat(DanceInfo()),
            "dance_gains": gains.numbers(),
            "dance_goal": self[name].q.copy(),
            "dance_start": np.zeros((nj + 3) // 4 * 4 + 3 * wb.MOST_CONTACTS + 8),
            "dance_seen": flat(DanceSeen()),
        }
        aims = Many(PinGoal, self.kept["pin_reals"])
        self.targets, self.turns = aims.column("target"), aims.column("turn")  # at hand, as drags move at every frame
        self.info.balance = balance
        self._limits = np.stack([np.maximum(model.lower[first:], -big), np.minimum(model.upper[first:], big)], axis=1)
        self._balls = np.array([np.clip([j.swing, *j.twist], -big, big) for j in balls]).reshape(-1, 3)
        self._ball_ints = np.array([[j.iq, j.iv - first] for j in balls], dtype=np.int64).reshape(-1, 2)
        self.choreographed, self._ready = name, False

    @property
    def info(self) -> DanceInfo:
        """Where the choreographed figure stands in the world's arrays, and switches."""
        return DanceInfo(self.kept["dance_info"])

    @property
    def seen(self) -> DanceSeen:
        """What the last step saw."""
        return DanceSeen(self.kept["dance_seen"])

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
        self.problem = wb.Room(own, t)
        self.problem.limit_torques()
        part, info, kept = figure.part, self.info, self.kept
        info.body_first, info.q_first, info.v_first = part.body, part.q.start, part.v.start
        info.figure, info.springy = list(self._figures).index(self.choreographed), models.MODELS[self.contact].springy
        kept["dance_start"] = np.resize(kept["dance_start"], len(self.problem.p.y))
        put(self.problem.p, y=kept["dance_start"])
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
        )
        plain = models.phases(self.contact, self.integrator)
        t.plan(OWN_FREE, plain[FREE])
        t.plan(OWN_TOUCH, plain[TOUCH])
        t.plan(COMPOSE, composing)
        if not len(self._geometry.general_pairs):
            t.plan(TOUCH, choreograph)

    def _run(self, n: int) -> tuple[int, int]:
        """n steps, or fewer.

        Where cylinders and hulls are near, their contacts are found in Python, before the torques.
        """
        if self.choreographed is None or not len(self._geometry.general_pairs):
            return super()._run(n)
        if self._ties.resized:
            self._ties.put_into(self._step)
        handle = self._table.handle
        for k in range(n):
            status = some_phases.call(handle, FREE, ROWS)
            if status >= 0:
                add_general_contacts(self)
                status = some_phases.call(handle, COMPOSE, COMPOSE + 1)
            if status >= 0:
                status = some_phases.call(handle, ROWS, MOVE + 1)
            if status < 0:
                return k, status
        return n, 0

    def _state(self) -> dict[str, np.ndarray]:
        """All arrays that affect the next step, those of the choreography with them."""
        return {**super()._state(), **self.kept}
