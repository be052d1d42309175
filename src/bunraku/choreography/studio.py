"""Studio: a world some of whose figures are choreographed, by a phase of its own inside the step
(bunraku.choreography.dance_step).

Everything else of a World holds: it records, saves snapshots and goes on bit for bit. Checked in
tests/choreography/test_engine.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bunraku.choreography.dance_arrays import Dance
from bunraku.choreography.dance_step import COMPOSE, OWN_FREE, OWN_TOUCH, choreograph, composing
from bunraku.choreography.figure_arrays import FigureArrays
from bunraku.choreography.grip_arrays import MOST_GRIPS, GripEnd, GripFelt
from bunraku.choreography.kinematic import held_links
from bunraku.choreography.kinematic_step import kinematic_motion, nothing
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.errors import InputError
from bunraku.kernel.compile import JIT
from bunraku.kernel.record import Many, put, zeros
from bunraku.kernel.table import PHASES, Table
from bunraku.step.euler import FREE, MOVE, ROWS, SOLVE, TOUCH
from bunraku.step.step_log import ARRAYS
from bunraku.world import World
from bunraku.world import contact_models as models

SHARED = int(ARRAYS)  # arrays of a step that all tables have in common; those of a figure follow


class Studio(World):
    """See the module text. `dancers`: arrays of the figures; they are made when the world is made ready."""

    _arrays = Dance.layout.slots

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.dancers: list[FigureArrays] = []
        self.grip_ends = zeros(GripEnd, MOST_GRIPS)
        self.grip_felt = zeros(GripFelt, MOST_GRIPS)
        self._tables: list[Table] = []  # of further figures

    def choreograph(self, arrays: FigureArrays) -> None:
        """From now on the torques of a figure are found in every step."""
        self.dancers.append(arrays)
        self._ready = False

    def move_by_kinematics(self, on: bool) -> None:
        """Whether steps are those of kinematics alone; links that stand now are then held."""
        self.info.kinematic = on
        if on:
            figure = self.dancers[0].figure
            self.kept["dance_stood"][:] = held_links(figure.model, figure.q.copy())
        self.plan()

    def plan(self) -> None:
        """The phases of a step as `info` has it."""
        if not self._ready or not self.dancers:
            return
        t, own = self._table, models.phases(self.contact, self.integrator)
        for k in (FREE, TOUCH, ROWS, SOLVE, MOVE):
            t.plan(k, own[k] if not self.info.kinematic else kinematic_motion if k == FREE else nothing)
        t.plan(OWN_FREE, own[FREE])
        t.plan(OWN_TOUCH, own[TOUCH])
        t.plan(COMPOSE, composing)
        if not self.info.kinematic:
            t.plan(TOUCH, choreograph)

    def __getattr__(self, name: str) -> Any:
        """`info`, `seen`, `problem` and the like are those of the first figure."""
        if name not in FIRST or not self.__dict__.get("dancers"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.dancers[0], name)

    @property
    def ends(self) -> Many[GripEnd]:
        """Ends of grips."""
        return Many(GripEnd, self.grip_ends)

    @property
    def felt(self) -> Many[GripFelt]:
        """What they felt."""
        return Many(GripFelt, self.grip_felt)

    def save(self, path: str | Path) -> Path:
        """Refused while a figure is choreographed: a saved world could not go on with it."""
        if self.dancers:
            raise InputError(
                f"save: {self.dancers[0].figure.name!r} is choreographed; save its score (`c.score.save`), or go back "
                f"with `c.snapshot()` and `c.restore()`."
            )
        return super().save(path)

    def _prepare(self) -> None:
        """Make the scene's arrays if it changed, those of the choreographed figures with them."""
        if self._ready:
            return
        super()._prepare()
        if not self.dancers:
            return
        names, springy = list(self._figures), models.MODELS[self.contact].springy
        shared = {"grip": self.grip_ends, "felt": self.grip_felt}
        self._tables = [Table(self._arrays) for _ in self.dancers[1:]]
        for dancer, table in zip(self.dancers, (self._table, *self._tables)):
            dancer.prepare(table, self.gravity, names.index(dancer.figure.name), springy, shared)
        if self._tables:
            if JIT:
                put(Dance(self._table), others=np.array([t.handle for t in self._tables], dtype=np.int64))
            else:  # a handle is the table itself
                self._table.arrays[Dance.layout.fields["others"].slot] = np.array([*self._tables, None], object)[:-1]
        self.plan()

    def _run(self, n: int) -> tuple[int, int]:
        if self._ties.resized:
            self._ties.put_into(self._step)
        for t in self._tables:  # what the world has put into its table since
            t.arrays[:SHARED] = self._table.arrays[:SHARED]
            t.phases[:] = self._table.phases
            t._rows[: PHASES + SHARED] = self._table._rows[: PHASES + SHARED]
        return super()._run(n)

    def _state(self) -> dict[str, np.ndarray]:
        """All arrays that affect the next step, those of the choreography with them."""
        more = {f"{d.figure.name}/{name}": x for d in self.dancers[1:] for name, x in d.kept.items()}
        first = self.dancers[0].kept if self.dancers else {}
        return {**super()._state(), **first, **more, "grip_ends": self.grip_ends, "grip_felt": self.grip_felt}


FIRST = ("info", "seen", "kept", "problem", "stepper", "strict", "can_rise", "step_state", "rising_state", "planned")
FIRST += ("targets", "turns", "limb_at", "pin_at")
assert WholeBodyProblem.layout.fields["ints"].slot == SHARED
