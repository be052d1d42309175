"""Studio: a world one of whose figures is choreographed, by a stage of its own inside the step (bunraku.choreography.dance_step).

Everything else of a World holds: it records, saves snapshots and goes on bit for bit. Checked in tests/choreography/test_engine.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bunraku.choreography import dance_arrays as of
from bunraku.choreography.dance_step import COMPOSE, OWN_FREE, OWN_TOUCH, choreograph, composing
from bunraku.choreography.gains import Gains
from bunraku.control import whole_body_arrays as wb
from bunraku.errors import InputError
from bunraku.model.layout import FREE as FREE_JOINT
from bunraku.model.layout import KIND
from bunraku.model.model import Model
from bunraku.step.euler import FREE, MOVE, ROWS, TOUCH
from bunraku.world import World
from bunraku.world import contact_models as models
from bunraku.world.general_shapes import add_general_contacts, some_stages


class Studio(World):
    """See the module text. `choreographed` names the figure; its arrays are made when the world is made ready."""

    _arrays = int(of.AFTER)

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
            "pin_ints": np.zeros((wb.MOST_TASKS, of.INT_COLUMNS), dtype=np.int64),
            "pin_reals": np.zeros((wb.MOST_TASKS, of.REAL_COLUMNS)),
            "dance_info": np.zeros(of.INFO_SIZE, dtype=np.int64),
            "dance_gains": gains.numbers(),
            "dance_goal": self[name].q.copy(),
            "dance_start": np.zeros((nj + 3) // 4 * 4 + 3 * wb.MOST_CONTACTS + 8),
            "dance_seen": np.zeros(of.SEEN_SIZE),
        }
        self.kept["dance_info"][of.BALANCE] = balance
        self._limits = np.stack([np.maximum(model.lower[first:], -big), np.minimum(model.upper[first:], big)], axis=1)
        self._balls = np.array([np.clip([j.swing, *j.twist], -big, big) for j in balls]).reshape(-1, 3)
        self._ball_ints = np.array([[j.iq, j.iv - first] for j in balls], dtype=np.int64).reshape(-1, 2)
        self.choreographed, self._ready = name, False

    def save(self, path: str | Path) -> Path:
        """Refused while a figure is choreographed: a saved world could not go on with it."""
        if self.choreographed is not None:
            raise InputError(
                f"save: {self.choreographed!r} is choreographed; save its score (`c.score.save`), or go back with `c.snapshot()` and `c.restore()`."
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
        part, names, info = figure.part, list(self._figures), self.kept["dance_info"]
        info[[of.BODY_FIRST, of.Q_FIRST, of.V_FIRST]] = part.body, part.q.start, part.v.start
        info[of.FIGURE] = names.index(self.choreographed)
        info[of.SPRINGY] = self.contact == "penalty"
        effort = np.minimum(own.effort[own.nv - self.problem.nj :], wb.FAR)
        self.problem.w[wb.W_EFFORT][:, 0], self.problem.w[wb.W_EFFORT][:, 1] = -effort, effort
        self.kept["dance_start"] = np.resize(self.kept["dance_start"], len(self.problem.w[wb.W_Y]))
        for number, array in (
            (of.P_INTS, self.kept["pin_ints"]),
            (of.P_REALS, self.kept["pin_reals"]),
            (of.P_INFO, info),
            (of.P_SET, self.kept["dance_gains"]),
            (of.P_GOAL, self.kept["dance_goal"]),
            (of.P_LIMITS, self._limits),
            (of.P_BALLS, self._balls),
            (of.P_BALL_INTS, self._ball_ints),
            (of.P_SEEN, self.kept["dance_seen"]),
            (wb.W_Y, self.kept["dance_start"]),
        ):
            t.put(number, array)
        self.problem.w[wb.W_Y] = self.kept["dance_start"]
        plain = models.stages(self.contact, self.integrator)
        t.plan(OWN_FREE, plain[FREE])
        t.plan(OWN_TOUCH, plain[TOUCH])
        t.plan(COMPOSE, composing)
        if not len(self._geometry.general_pairs):
            t.plan(TOUCH, choreograph)

    def _run(self, n: int) -> tuple[int, int]:
        """n steps, or fewer. Where cylinders and hulls are near, their contacts are found in Python, before the torques."""
        if self.choreographed is None or not len(self._geometry.general_pairs):
            return super()._run(n)
        if self._ties.resized:
            self._ties.put_into(self._step)
        handle = self._table.handle
        for k in range(n):
            status = some_stages.call(handle, FREE, ROWS)
            if status >= 0:
                add_general_contacts(self)
                status = some_stages.call(handle, COMPOSE, COMPOSE + 1)
            if status >= 0:
                status = some_stages.call(handle, ROWS, MOVE + 1)
            if status < 0:
                return k, status
        return n, 0

    def _state(self) -> dict[str, np.ndarray]:
        """All arrays that affect the next step, those of the choreography with them."""
        return {**super()._state(), **self.kept}
